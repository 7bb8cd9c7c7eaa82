//! What is known of actions without looking at states.

use sweepline_core::{ActionId, Layout, Limits, Slot, SlotId, StopReason, Word};

use crate::lists::Lists;

/// How the actions of a system depend on each other.
///
/// An action of the tables is an action of the system, or one *instance* of it: what it is where an index has a certain value.
/// At most one instance of an action is enabled at a time, and one is wherever the action is.
///
/// The names are those of Laarman and others \[LPLP13\]. An action is enabled only if all its
/// *guard conjuncts* hold. Who can make a conjunct true that is false is in its *necessary enabling set*. Two actions
/// *accord* if, wherever both are enabled, neither disables the other and both orders lead to the same state.
///
/// Every table may name more actions than it must: then less is left out.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// The conjuncts of every action and, behind them, of every failure.
    pub(crate) guards: Lists,
    /// The necessary enabling set of every conjunct.
    pub(crate) enabling: Lists,
    /// The actions with which each action does not accord, wherever both are enabled.
    pub(crate) conflicts: Lists,
    /// Which conjuncts are about where one process is: a number of the process, counted from 1, and 0 for all others. Of those with the same
    /// number at most one holds, and each has a value everywhere. What is behind the end is 0.
    pub(crate) whereabouts: Vec<u32>,
    /// Where actions of the system stand for several of the tables.
    pub(crate) instances: Option<Instances>,
    /// What must not be missed whatever is asked: that an action fails, that an assertion is violated. A failure counts as an
    /// action that happens instead, and nobody sees it happen: where one is enabled, the exploration ends.
    pub(crate) failures: std::ops::Range<u32>,
}

impl Tables {
    /// The number of actions, failures included.
    pub fn actions(&self) -> usize {
        self.guards.len()
    }

    /// Bytes that they hold.
    pub(crate) fn bytes(&self) -> usize {
        let lists = [&self.guards, &self.enabling, &self.conflicts];
        lists.map(Lists::bytes).iter().sum()
    }

    /// The guard conjuncts of an action.
    pub fn guards(&self, action: u32) -> &[u32] {
        self.guards.get(action)
    }

    /// The actions one of which must happen before a conjunct that is false is true.
    pub fn enabling(&self, conjunct: u32) -> &[u32] {
        self.enabling.get(conjunct)
    }

    /// The actions that an action does not accord with.
    pub fn conflicts(&self, action: u32) -> &[u32] {
        self.conflicts.get(action)
    }

    /// Whether this is something that goes wrong and no action of the system.
    pub fn is_failure(&self, action: u32) -> bool {
        self.failures.contains(&action)
    }

    /// The action of the system that an action of the tables is an instance of.
    pub fn origin(&self, action: u32) -> ActionId {
        let origin = self.instances.as_ref();
        ActionId(origin.map_or(action, |it| it.origins[action as usize]))
    }

    /// The same with what somebody knows better: only what is named here is asked for, so tables become smaller and never larger.
    /// Failures stay what they are.
    #[must_use]
    pub fn refined(&self, by: &dyn Dependency) -> Self {
        let conjuncts = 0..number(self.conjuncts());
        let enabling = conjuncts.map(|conjunct| {
            let known = self.enabling(conjunct).iter().copied();
            let kept = known.filter(|it| self.is_failure(*it) || by.enables(*it, conjunct));
            kept.collect::<Vec<_>>()
        });
        let actions = 0..number(self.actions());
        let conflicts = actions.map(|one| {
            let known = self.conflicts(one).iter().copied();
            let kept = known.filter(|other| {
                let fails = self.is_failure(one) || self.is_failure(*other);
                fails || by.clashes(one.min(*other), one.max(*other))
            });
            kept.collect::<Vec<_>>()
        });
        Self {
            enabling: enabling.collect(),
            conflicts: conflicts.collect(),
            ..self.clone()
        }
    }

    /// The same without the failures that somebody knows never to happen.
    #[must_use]
    pub(crate) fn with_failures(&self, happens: impl Fn(u32) -> bool) -> Self {
        let kept = |it: &u32| !self.is_failure(*it) || happens(*it);
        let all = 0..number(self.actions());
        let mut next = 0;
        let names = all.clone().map(|it| {
            let name = next;
            next += u32::from(kept(&it));
            name
        });
        let names: Vec<u32> = names.collect();
        let renamed = |list: &[u32]| {
            let list = list.iter().copied().filter(kept);
            list.map(|it| names[it as usize]).collect::<Vec<_>>()
        };
        let first = self.failures.start;
        let count = self.failures.clone().filter(kept).count();
        let conjuncts = 0..number(self.conjuncts());
        Self {
            guards: all
                .clone()
                .filter(kept)
                .map(|it| self.guards(it).to_vec())
                .collect(),
            enabling: conjuncts.map(|it| renamed(self.enabling(it))).collect(),
            conflicts: all
                .filter(kept)
                .map(|it| renamed(self.conflicts(it)))
                .collect(),
            failures: first..first + number(count),
            instances: self.instances.clone(),
            whereabouts: self.whereabouts.clone(),
        }
    }

    /// The number of conjuncts.
    pub fn conjuncts(&self) -> usize {
        self.enabling.len()
    }

    /// How many ways there are to fail that must not be missed.
    pub fn failures(&self) -> usize {
        self.failures.len()
    }

    /// Adds a conjunct that only these actions can make true.
    pub(crate) fn add_conjunct(&mut self, enabling: impl IntoIterator<Item = u32>) -> u32 {
        self.enabling.push(enabling);
        number(self.enabling.len() - 1)
    }
}

/// Which instances each action of a system has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instances {
    /// The action of each instance.
    pub(crate) origins: Vec<u32>,
    /// The instances of each action.
    pub(crate) of: Lists,
    /// How many conjuncts, the first of its guards, tell an instance from the others of its action.
    pub(crate) told_by: Vec<u32>,
}

/// What somebody knows of pairs, by looking at more than the text of a model. Both may be said of more pairs than they hold of.
pub trait Dependency {
    /// Whether an action can make a conjunct true where it is false.
    fn enables(&self, action: u32, conjunct: u32) -> bool;

    /// Whether there may be a reachable state in which both are enabled and do not accord: one disables the other, or the two
    /// orders lead to different states. The first has the smaller number.
    fn clashes(&self, one: u32, other: u32) -> bool;
}

/// A system whose inside is known well enough for stubborn sets.
pub trait Transitions: Send + Sync {
    /// How actions depend on each other.
    fn tables(&self) -> &Tables;

    /// The conjuncts of the tables on states of this layout, which must be one of the system.
    fn conditions(&self, layout: &Layout) -> Box<dyn Conditions>;

    /// What an action does to a slot.
    fn change(&self, action: u32, slot: SlotId) -> Change;

    /// Sets of actions one of which happens in every cycle of states, those that seem best first. It takes a while to find good ones.
    /// How much harm it does if an action of the system is among them is told for each of them. If the limits end the search, those that
    /// were found until then.
    fn cuts(&self, harm: &[u64], limits: &Limits) -> Vec<Vec<bool>>;

    /// The number of actions of the system.
    fn actions(&self) -> usize {
        let tables = self.tables();
        let instances = tables.instances.as_ref();
        let none = || tables.actions() - tables.failures();
        instances.map_or_else(none, |it| it.of.len())
    }
}

/// The guard conjuncts of a system, asked one at a time: a closure looks at few of them.
pub trait Conditions: Send + Sync {
    /// Whether a conjunct holds in a state. Nothing if it has no value there.
    fn holds(&self, conjunct: u32, state: &[Word]) -> Option<bool>;

    /// A conjunct as a test of one slot, if it is one: it is asked without a call then.
    fn test(&self, conjunct: u32) -> Option<Test> {
        let _ = conjunct;
        None
    }

    /// Writes what holds of all conjuncts at once, where that is quicker than asking some of them: each has two bits of a word, the
    /// lower one for *true* and the upper one for *false*. One that has neither is asked by itself, and so are all if this says no.
    fn conjuncts(&self, state: &[Word], truths: &mut [Word]) -> bool {
        let _ = (state, truths);
        false
    }

    /// Whether more decides what is enabled here than guards do (committed locations), so that nothing can be left out.
    fn is_special(&self, state: &[Word]) -> bool {
        let _ = state;
        false
    }
}

/// A slot has one of the values of an interval, or none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    word: u32,
    shift: u32,
    mask: Word,
    /// The first value of the interval as it is stored, and how many there are behind it.
    first: Word,
    behind: Word,
    inside: bool,
}

impl Test {
    /// That a slot has a value from `least` to `greatest`. Whatever the slot cannot hold is left out.
    pub fn between(slot: &Slot, least: i64, greatest: i64) -> Self {
        let most = slot.least.saturating_add_unsigned(slot.mask());
        let (from, to) = (least.max(slot.least), greatest.min(most));
        let stored = |value: i64| value.wrapping_sub(slot.least).cast_unsigned();
        let empty = from > to;
        Self {
            word: number(slot.word),
            shift: slot.shift,
            mask: slot.mask(),
            first: if empty { 0 } else { stored(from) },
            behind: if empty {
                Word::MAX
            } else {
                stored(to) - stored(from)
            },
            inside: !empty,
        }
    }

    /// Where its slot is, and the bits that it has there.
    pub(crate) fn place(&self) -> (u32, u32, Word) {
        (self.word, self.shift, self.mask)
    }

    /// That it does not hold.
    #[must_use]
    pub fn negated(self) -> Self {
        Self {
            inside: !self.inside,
            ..self
        }
    }

    /// Whether it holds in a state.
    #[inline]
    pub fn holds(&self, state: &[Word]) -> bool {
        self.holds_for((state[self.word as usize] >> self.shift) & self.mask)
    }

    /// Whether it holds of a value as it is stored.
    #[inline]
    pub(crate) fn holds_for(&self, stored: Word) -> bool {
        (stored.wrapping_sub(self.first) <= self.behind) == self.inside
    }
}

/// What an action does to a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It always adds so much.
    By(i64),
    /// It may do anything.
    Any,
}

/// Why a system cannot be reduced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Irreducible {
    /// What depends on what is not known.
    #[error(
        "what its actions read and write is known of nets in PNML, programs and processes only"
    )]
    Unknown,
    /// Labels with priorities: whether something is enabled depends on everything else.
    #[error("priorities make every action depend on every other")]
    Priorities,
    /// Errors are counted as states, so steps that fail depend on all others.
    #[error("`--errors count` makes every action depend on every other")]
    ErrorStates,
    /// A predicate that has no value in some states, which must be found.
    #[error("it divides or shifts, which is not possible everywhere")]
    Partial,
    /// A goal that is about steps and not about slots.
    #[error("it asks which actions are enabled")]
    AsksForSteps,
    /// There would be too much to remember.
    #[error("it has too many actions that depend on each other")]
    TooLarge,
    /// Somebody's limit was reached before that was known.
    #[error("{0}")]
    Stopped(StopReason),
}

impl From<StopReason> for Irreducible {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// The most pairs of actions that are remembered.
pub(crate) const MOST_PAIRS: usize = 1 << 23;

/// How many conjuncts a word of [`Conditions::conjuncts`] is about.
pub(crate) const TRUTHS_PER_WORD: usize = 32;

/// An index as it is remembered.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("models with more actions are refused")
}
