//! What may end an exploration before it is complete.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Bounds on an exploration; `None` means no bound.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Bytes the stores may hold.
    pub memory: Option<usize>,
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// States that may be expanded.
    pub states: Option<u64>,
    /// Ends the exploration from outside.
    pub cancel: Cancel,
}

/// A flag that somebody else (a signal handler, another thread) can raise.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the exploration to end at the next opportunity.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why an exploration ended before it covered everything.
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
    /// A step cannot be taken because the model is wrong there; see the trace that comes with it.
    ModelError(String),
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
            Self::ModelError(message) => write!(f, "the model is wrong: {message}"),
            Self::Measure(message) | Self::Other(message) => f.write_str(message),
        }
    }
}
