//! How a sweep is set up and how it ends.

use sweepline_core::{
    ActionId, BrokenAssertion, Fault, Key, KeyError, Limits, SlotId, StopReason, Word,
};

use crate::log::LogPlace;
use crate::memory::{Budget, Full};

/// How to sweep.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// When to give up.
    pub limits: Limits,
    /// How many rows closed layers stay behind the sweep-line.
    pub window: u64,
    /// Where the trace log goes.
    pub log: LogPlace,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every reachable state was expanded.
    Complete,
    /// The observer had seen enough.
    Stopped,
    /// A limit was reached.
    Limit(StopReason),
    /// A column decreases along an edge: the claim that the measure is monotone is wrong.
    Regress(Box<Regress>),
    /// The model itself is wrong: a step from this state cannot be taken.
    Fault {
        /// Number of the state.
        number: u64,
        /// The action that fails.
        action: ActionId,
        /// What went wrong.
        message: String,
    },
    /// Something that the model says about a state is not so.
    Assertion {
        /// Number of the state.
        number: u64,
        /// What is not so.
        assertion: Box<BrokenAssertion>,
    },
    /// A slot is too small. [`Sweep::recode`](crate::Sweep::recode) goes on with a wider encoding.
    Outgrown(SlotId),
    /// The system holds so much for states that are forgotten that it should begin again. [`Sweep::renew`](crate::Sweep::renew)
    /// goes on with one that has. Ends so only runs that [expect](crate::Sweep::expect_renewal) it.
    Crowded,
}

impl End {
    /// The steps of this instance could not be generated.
    #[cold]
    pub(crate) fn of_fault(fault: &Fault, number: u64, budget: &Budget) -> Self {
        match fault {
            Fault::Outgrown { slot } => Self::Outgrown(*slot),
            Fault::Model { action, message } => Self::Fault {
                number,
                action: *action,
                message: message.clone(),
            },
            Fault::Assertion(assertion) => Self::Assertion {
                number,
                assertion: assertion.clone(),
            },
            Fault::TooMany { message } => Self::Limit(StopReason::Other(message.clone())),
            Fault::Full => Self::Limit(budget.full().into()),
        }
    }
}

/// An edge along which a column decreases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regress {
    /// Number of the source.
    pub number: u64,
    /// The source.
    pub source: Box<[Word]>,
    /// Position of the step among those leaving the source.
    pub ordinal: usize,
    /// The action.
    pub action: ActionId,
    /// The target.
    pub target: Box<[Word]>,
    /// Key of the source.
    pub from: Key,
    /// Key of the target.
    pub to: Key,
}

/// Why the loop stops; boxed, because the way of a state that is already known should carry as little as possible.
pub(crate) type Halt = Box<End>;

impl From<Full> for Halt {
    #[cold]
    fn from(full: Full) -> Self {
        Self::new(End::Limit(full.into()))
    }
}

impl From<KeyError> for Halt {
    #[cold]
    fn from(error: KeyError) -> Self {
        Self::new(End::Limit(StopReason::Measure(error.to_string())))
    }
}
