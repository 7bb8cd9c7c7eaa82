//! What a state enables.

use std::borrow::Borrow;

use sweepline_core::ActionId;

/// The enabled actions of one state, prepared once and asked by many predicates.
///
/// Filling it costs one write per enabled action of this and of the state before; asking for any number of actions
/// costs about one look per 64 of them. Predicates that do not need it ([`Predicate::needs_enabled`]) may be given an
/// empty one.
///
/// ```
/// use sweepline_core::ActionId;
/// use sweepline_logic::Enabled;
///
/// let mut enabled = Enabled::default();
/// enabled.set(&[ActionId(3), ActionId(70)], false);
/// assert!(enabled.contains(ActionId(70)) && !enabled.contains(ActionId(4)));
/// enabled.set(&[], false); // a proper end
/// assert!(enabled.is_empty() && !enabled.is_deadlock());
/// ```
///
/// [`Predicate::needs_enabled`]: crate::Predicate::needs_enabled
#[derive(Clone, Debug, Default)]
pub struct Enabled {
    bits: Vec<u64>,
    /// Words of `bits` that are not zero.
    used: Vec<usize>,
    deadlock: bool,
}

impl Enabled {
    /// Forgets the state before and takes over the actions of the next; the same action may occur several times.
    /// Whether the state is a deadlock is for the system to say, since a state without actions may be a proper end.
    pub fn set(&mut self, actions: impl IntoIterator<Item: Borrow<ActionId>>, deadlock: bool) {
        self.deadlock = deadlock;
        for word in self.used.drain(..) {
            self.bits[word] = 0;
        }
        for action in actions {
            let (word, bit) = place(*action.borrow());
            if word >= self.bits.len() {
                self.bits.resize(word + 1, 0);
            }
            if self.bits[word] == 0 {
                self.used.push(word);
            }
            self.bits[word] |= bit;
        }
    }

    /// Whether no action is enabled.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    /// Whether the state is a deadlock.
    #[inline]
    pub fn is_deadlock(&self) -> bool {
        self.deadlock
    }

    /// Whether this action is enabled.
    #[inline]
    pub fn contains(&self, action: ActionId) -> bool {
        let (word, bit) = place(action);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Whether an action of the set is enabled.
    #[inline]
    pub(crate) fn contains_any(&self, set: &ActionSet) -> bool {
        set.0
            .iter()
            .any(|&(word, mask)| self.bits.get(word).is_some_and(|bits| bits & mask != 0))
    }
}

/// A set of actions, as pairs of a word and the bits in it.
#[derive(Clone, Debug)]
pub(crate) struct ActionSet(Box<[(usize, u64)]>);

impl FromIterator<ActionId> for ActionSet {
    fn from_iter<I: IntoIterator<Item = ActionId>>(actions: I) -> Self {
        let mut words = std::collections::BTreeMap::new();
        for action in actions {
            let (word, bit) = place(action);
            *words.entry(word).or_insert(0) |= bit;
        }
        Self(words.into_iter().collect())
    }
}

#[inline]
fn place(action: ActionId) -> (usize, u64) {
    (action.0 as usize / 64, 1 << (action.0 % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(actions: &[u32], asked: &[u32], expected: bool) {
        let mut enabled = Enabled::default();
        enabled.set([ActionId(0), ActionId(500)], false);
        let actions: Vec<ActionId> = actions.iter().copied().map(ActionId).collect();
        enabled.set(&actions, false);
        let asked: ActionSet = asked.iter().copied().map(ActionId).collect();
        assert_eq!(enabled.contains_any(&asked), expected);
        assert_eq!(enabled.is_empty(), actions.is_empty());
    }

    #[test]
    fn only_the_last_state_counts() {
        check(&[], &[0, 500], false);
        check(&[1, 65], &[0, 500], false);
        check(&[1, 65, 65], &[2, 65], true);
        check(&[500], &[500, 1000], true);
        check(&[500], &[1000], false);
        check(&[1], &[], false);
    }
}
