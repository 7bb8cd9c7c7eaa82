//! The sweep: layers, front, persistent states, trace log and replay.
//!
//! [`Sweep`] explores a [`System`](sweepline_core::System) in the order of a
//! [`Progress`](sweepline_core::Progress) measure and tells an [`Observer`](sweepline_core::Observer) what it sees.
//! The example at [`Sweep`] runs one. [`Caching`] explores depth first with a bounded store, for comparison.

mod caching;
mod distinct;
mod front;
mod index;
mod keys;
mod layer;
mod limits;
mod log;
mod memory;
mod persistent;
mod record;
mod replay;
mod stores;
mod sweep;

pub use caching::{Caching, CachingOptions, Replacement};
pub use distinct::Distinct;
pub use log::{LogError, LogPlace, Path};
pub use record::hash_words;
pub use replay::{ReplayError, replay, replay_projected};
pub use sweep::{End, Options, Regress, Sweep};
