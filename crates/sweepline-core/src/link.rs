//! How the steps of an exploration lead to the instances that are stored.

use crate::{ActionId, Word};

/// The name of a layer: a running number that is never used again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LayerId(pub u32);

/// The stored instance a step leads to.
///
/// A state may be stored several times, one time after the other. Following links through what was explored is a finite
/// unfolding of the system, bisimilar to it whatever the measure and the window: every instance has all steps of
/// its state, and each leads to an instance of the right state that is, or will be, expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Link {
    /// In the open layer. Its number is that of the layer's first instance plus this index.
    Here(u32),
    /// In a layer ahead of the sweep-line, which gives it a number when it is [opened](crate::LayerOpened).
    Ahead(LayerId, u32),
    /// Outside the open layer, with a number already.
    Kept(u64),
    /// Among the persistent states of the column, waiting to be a root of a later sweep; [`LayerOpened::roots`](crate::LayerOpened::roots)
    /// gives it a number. Indices count from the opening of the column, or from the last change of the measure.
    Persistent(u32),
}

/// The initial states are stored.
#[derive(Clone, Copy, Debug)]
pub struct Started<'a> {
    /// One link per initial state.
    pub links: &'a [Link],
}

/// A state has been expanded and all its steps are stored.
#[derive(Clone, Copy, Debug)]
pub struct Linked<'a> {
    /// Running number of the state instance.
    pub number: u64,
    /// The state.
    pub state: &'a [Word],
    /// The actions, one per step.
    pub actions: &'a [ActionId],
    /// Where the steps lead, one per step.
    pub links: &'a [Link],
    /// Whether it is a deadlock: it has no steps and is no [proper end](crate::System::is_end).
    pub deadlock: bool,
}

/// States that have been expanded one after the other, and all steps of which are stored.
#[derive(Clone, Copy, Debug)]
pub struct LinkedStates<'a> {
    /// Running number of the first instance. The others follow it.
    pub first: u64,
    /// Where the steps of each of them end.
    pub ends: &'a [StepsEnd],
    /// The actions of all steps, those of one state after those of the other.
    pub actions: &'a [ActionId],
    /// Where the steps lead.
    pub links: &'a [Link],
}

impl<'a> LinkedStates<'a> {
    /// One after the other, without the states themselves.
    pub fn iter(self) -> impl Iterator<Item = Linked<'a>> {
        let mut start = 0;
        (self.first..).zip(self.ends).map(move |(number, end)| {
            let steps = start..end.steps();
            start = steps.end;
            Linked {
                number,
                state: &[],
                actions: &self.actions[steps.clone()],
                links: &self.links[steps],
                deadlock: end.is_deadlock(),
            }
        })
    }
}

/// Where the steps of a state end among those of several, and whether it is a deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepsEnd(usize);

impl StepsEnd {
    /// So many steps are those of this state or of one before it.
    #[inline]
    pub fn new(steps: usize, deadlock: bool) -> Self {
        Self(steps << 1 | usize::from(deadlock))
    }

    /// How many steps end there.
    #[inline]
    pub fn steps(self) -> usize {
        self.0 >> 1
    }

    /// Whether it is a deadlock: it has no steps and is no [proper end](crate::System::is_end).
    #[inline]
    pub fn is_deadlock(self) -> bool {
        self.0 & 1 == 1
    }

    /// The same behind so many other steps.
    #[inline]
    #[must_use]
    pub fn behind(self, steps: usize) -> Self {
        Self(self.0 + (steps << 1))
    }
}

/// States one after the other, lent by the store that holds them.
#[derive(Clone, Copy, Debug)]
pub struct StateList<'a> {
    words: &'a [Word],
    /// Where each state ends, if they differ in size.
    ends: &'a [u32],
    width: Option<usize>,
    len: usize,
}

impl<'a> StateList<'a> {
    /// `len` states of `width` words each.
    pub fn fixed(words: &'a [Word], width: usize, len: usize) -> Self {
        debug_assert_eq!(words.len(), width * len);
        Self {
            words,
            ends: &[],
            width: Some(width),
            len,
        }
    }

    /// States that end at these words.
    pub fn variable(words: &'a [Word], ends: &'a [u32]) -> Self {
        Self {
            words,
            ends,
            width: None,
            len: ends.len(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The state with this index.
    ///
    /// # Panics
    /// If there are not that many.
    pub fn get(&self, index: usize) -> &'a [Word] {
        if let Some(width) = self.width {
            return &self.words[index * width..][..width];
        }
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start as usize..self.ends[index] as usize]
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &'a [Word]> {
        let list = *self;
        (0..self.len).map(move |index| list.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_lent_whole() {
        let words = [1, 2, 3, 4, 5, 6];
        let pairs = StateList::fixed(&words, 2, 3);
        assert!(pairs.iter().eq([[1, 2], [3, 4], [5, 6]].iter()));
        let all = StateList::variable(&words, &[1, 1, 4, 6]);
        let expected: [&[Word]; 4] = [&[1], &[], &[2, 3, 4], &[5, 6]];
        assert!(all.iter().eq(expected));
        assert_eq!((all.len(), all.is_empty()), (4, false));
        let nothing = StateList::fixed(&[], 0, 2);
        assert!(nothing.iter().eq([[]; 2].iter()));
    }
}
