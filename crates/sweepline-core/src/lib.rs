//! The vocabulary of `sweepline`: what a model is, in which order its states are visited, what an exploration
//! tells its observers, and what comes out. No input or output happens here, and no algorithm lives here.
//!
//! A [`System`] is a transition system that is asked one state at a time. Its states are flat slices of 64-bit
//! [`Word`]s; a [`Layout`] names the bit fields in them.
//!
//! ```
//! use sweepline_core::{ActionId, Layout, Steps, System, Word};
//!
//! /// A counter that goes from 0 to 3 and stops there.
//! struct Counter(Layout);
//!
//! impl System for Counter {
//!     fn layout(&self) -> &Layout { &self.0 }
//!     fn initial(&self, out: &mut Steps) { out.push(ActionId(0), &[0]); }
//!     fn successors(&self, state: &[Word], out: &mut Steps) {
//!         if state[0] < 3 { out.push(ActionId(0), &[state[0] + 1]); }
//!     }
//! }
//!
//! let counter = Counter(Layout::builder().integer("n", 0, 3).build());
//! let mut steps = Steps::for_layout(counter.layout());
//! counter.successors(&[2], &mut steps);
//! assert_eq!(steps.len(), 1);
//! assert_eq!(counter.layout().value(steps.target(0), counter.layout().slot_named("n").unwrap()), 3);
//! ```

mod components;
mod describe;
mod interner;
mod interval;
mod layout;
mod limits;
mod link;
mod observer;
mod progress;
mod recoding;
mod renewal;
mod statistics;
mod steps;
mod system;
mod trace;
mod verdict;

pub use components::Components;
pub use describe::{Describe, Observation};
pub use interner::{Interner, Item};
pub use interval::Interval;
pub use layout::{Layout, LayoutBuilder, OutOfRange, Records, Slot, SlotId, SlotKind};
pub use limits::{Cancel, Deadline, Limits, StopReason};
pub use link::{LayerId, Link, Linked, LinkedStates, Started, StateList, StepsEnd};
pub use observer::{
    ColumnClosed, Control, Expanded, LayerClosed, LayerOpened, Observer, Wants, Watch,
};
pub use progress::{Coarse, Key, KeyError, NoProgress, Progress};
pub use recoding::Recoding;
pub use renewal::{Renewal, Renewed, Renumbering};
pub use statistics::Statistics;
pub use steps::{ActionId, BrokenAssertion, Fault, Steps};
pub use system::{AnySystem, System};
pub use trace::{Trace, TraceStep};
pub use verdict::Verdict;

/// The unit states are made of.
pub type Word = u64;
