//! What is known of actions without looking at states.

use sweepline_core::{Layout, SlotId, Word};

use crate::lists::Lists;

/// How the actions of a system depend on each other.
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
    /// What must not be missed whatever is asked: that an action fails, that an assertion is violated. A failure counts as an
    /// action that happens instead, and nobody sees it happen: where one is enabled, the exploration ends.
    pub(crate) failures: std::ops::Range<u32>,
}

impl Tables {
    /// The number of actions, failures included.
    pub fn actions(&self) -> usize {
        self.guards.len()
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

/// A system whose inside is known well enough for stubborn sets.
pub trait Transitions: Send + Sync {
    /// How actions depend on each other.
    fn tables(&self) -> &Tables;

    /// The conjuncts of the tables on states of this layout, which must be one of the system.
    fn conditions(&self, layout: &Layout) -> Box<dyn Conditions>;

    /// What an action does to a slot.
    fn change(&self, action: u32, slot: SlotId) -> Change;

    /// Actions one of which happens in every cycle of states, if such are known. It takes a while to find good ones.
    fn cut(&self) -> Option<Vec<bool>>;
}

/// The guard conjuncts of a system, asked one at a time: a closure looks at few of them.
pub trait Conditions: Send + Sync {
    /// Whether a conjunct holds in a state. Nothing if it has no value there.
    fn holds(&self, conjunct: u32, state: &[Word]) -> Option<bool>;

    /// Whether more decides what is enabled here than guards do (committed locations), so that nothing can be left out.
    fn is_special(&self, state: &[Word]) -> bool {
        let _ = state;
        false
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Irreducible {
    /// What depends on what is not known.
    #[error("nothing is known of the inside of this model")]
    Unknown,
    /// Labels with priorities: whether something is enabled depends on everything else.
    #[error("priorities make every action depend on every other")]
    Priorities,
    /// Errors are counted as states, so steps that fail depend on all others.
    #[error("`--errors count` makes every action depend on every other")]
    ErrorStates,
    /// Nothing is known that every cycle of states has.
    #[error("it has too many actions to find those that every cycle has")]
    NoCut,
    /// A predicate that has no value in some states, which must be found.
    #[error("it divides or shifts, which is not possible everywhere")]
    Partial,
    /// A goal that is about steps and not about slots.
    #[error("it asks which actions are enabled")]
    AsksForSteps,
    /// There would be too much to remember.
    #[error("it has too many actions that depend on each other")]
    TooLarge,
}

/// The most pairs of actions that are remembered.
pub(crate) const MOST_PAIRS: usize = 1 << 23;

/// An index as it is remembered.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("models with more actions are refused")
}
