//! What may end an exploration before it is complete.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bounds on a run; `None` means no bound.
///
/// An exploration keeps to them by itself. So does whatever may take long before it begins – reading a model, composing
/// processes, compiling, looking for a measure – by asking [`Limits::allow`] now and then.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Bytes the stores may hold.
    pub memory: Option<usize>,
    /// When the time is over.
    pub deadline: Option<Deadline>,
    /// States that may be expanded.
    pub states: Option<u64>,
    /// Ends the run from outside.
    pub cancel: Cancel,
}

impl Limits {
    /// No bound but what somebody outside may wish.
    pub fn until(cancel: Cancel) -> Self {
        Self {
            cancel,
            ..Self::default()
        }
    }

    /// Whether work that holds so many bytes may go on. Costs a look at the clock.
    pub fn allow(&self, held: usize) -> Result<(), StopReason> {
        if self.cancel.is_cancelled() {
            return Err(StopReason::Interrupted);
        }
        if let Some(limit) = self.memory
            && held > limit
        {
            return Err(StopReason::Memory { limit });
        }
        match self.deadline {
            Some(deadline) if deadline.has_passed() => Err(StopReason::Time {
                limit: deadline.limit,
            }),
            _ => Ok(()),
        }
    }
}

/// A moment after which nothing is to be done any more, however often a run starts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// None if it is too far away for the clock.
    at: Option<Instant>,
    limit: Duration,
}

impl Deadline {
    /// So long from now.
    pub fn after(limit: Duration) -> Self {
        Self {
            at: Instant::now().checked_add(limit),
            limit,
        }
    }

    /// Whether the time is over.
    pub fn has_passed(self) -> bool {
        self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// How long it was when it was set.
    pub fn limit(self) -> Duration {
        self.limit
    }
}

/// A flag that somebody else (a signal handler, another thread) can raise.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the exploration to end at the next opportunity.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The flag itself, for handlers of signals, which can do little more than raise one.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Whether somebody asked.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why an exploration ended before it covered everything, or why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The stores would have needed more bytes than allowed.
    Memory {
        /// The limit in bytes.
        limit: usize,
    },
    /// The machine had no memory left although the limit was not reached.
    OutOfMemory,
    /// The time is over.
    Time {
        /// The limit.
        limit: Duration,
    },
    /// The allowed number of states was expanded.
    States {
        /// The limit.
        limit: u64,
    },
    /// Cancelled from outside.
    Interrupted,
    /// The progress measure has no key for a state.
    Measure(String),
    /// An assertion of the model is violated, so that nothing beyond was looked at; this is its place.
    Assertion(String),
    /// A step cannot be taken because the model is wrong there; see the trace that comes with it.
    ModelError(String),
    /// It was asked for, but this version does not check it; in words, what it would take.
    NotChecked(String),
    /// Something else a check cannot decide, in words.
    Other(String),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory { limit } => {
                let (limit, unit) = match limit {
                    0..0xa0_0000 => (limit >> 10, "KiB"),
                    _ => (limit >> 20, "MiB"),
                };
                write!(f, "the memory limit of {limit} {unit} was reached")
            }
            Self::OutOfMemory => f.write_str("the machine ran out of memory"),
            Self::Time { limit } => {
                write!(f, "the time limit of {} s was reached", limit.as_secs_f64())
            }
            Self::States { limit } => write!(f, "the limit of {limit} states was reached"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Assertion(place) => {
                write!(f, "the search ended at a violated assertion: {place}")
            }
            Self::ModelError(message) => {
                write!(f, "the search ended at an error of the model: {message}")
            }
            Self::NotChecked(what) => write!(f, "not checked by this version: {what}"),
            Self::Measure(message) | Self::Other(message) => f.write_str(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_goes_on_until_a_limit_is_reached() {
        let free = Limits::default();
        assert_eq!(free.allow(usize::MAX), Ok(()));
        let small = Limits {
            memory: Some(100),
            ..Limits::default()
        };
        assert_eq!(small.allow(100), Ok(()));
        assert_eq!(small.allow(101), Err(StopReason::Memory { limit: 100 }));
        let limit = Duration::ZERO;
        let late = Limits {
            deadline: Some(Deadline::after(limit)),
            ..Limits::default()
        };
        assert_eq!(late.allow(0), Err(StopReason::Time { limit }));
        let far = Limits {
            deadline: Some(Deadline::after(Duration::MAX)),
            ..Limits::default()
        };
        assert_eq!(far.allow(0), Ok(()));
        far.cancel.cancel();
        assert_eq!(far.allow(0), Err(StopReason::Interrupted));
    }
}
