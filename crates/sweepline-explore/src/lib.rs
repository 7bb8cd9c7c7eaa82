//! The sweep: layers, front, persistent states, trace log and replay.
//!
//! [`Sweep`] explores a [`System`](sweepline_core::System) in the order of a
//! [`Progress`](sweepline_core::Progress) measure and tells an [`Observer`](sweepline_core::Observer) what it sees.
//! The example at [`Sweep`] runs one. [`Caching`] explores depth first with a bounded store, for comparison.
//!
//! # How states are stored
//!
//! A state has one key, so the visited set is partitioned by key (`stores`). The open layer is an arena of records, which is
//! also the work list, and an open-addressing index over it. Layers ahead share one table until they have 64 states, because
//! some measures have as many layers as there are states; then they get an arena of their own. Persistent states of the open
//! column lie apart. Closing a layer gives its memory back wholesale.
//!
//! Every state instance gets a running number when its layer is opened. The trace log is a file of eight bytes per
//! instance, in this order: the number of the parent and the ordinal of the step. Nothing else is needed, because systems
//! are deterministic. Before that, an instance is known by its layer and its index there; who wants links is told which
//! number that becomes.
//!
//! Code that depends on the width of records is generic over `Width` and compiled for the common widths; states of variable
//! size live whole in the arena of their layer, so they are forgotten with it. A slot that is too narrow stops the run
//! ([`End::Outgrown`]); [`Sweep::recode`] rewrites everything stored in place and goes on where it was.
//!
//! # How limits hold
//!
//! Limits are looked at by work done (`limits::Pace`: words generated and rewritten), more often where work is slow.
//! Observers are told after the same work in every run, so that what they do about it does not depend on the machine. A budget
//! counts every byte that stores, the steps of one state and observers take.

mod caching;
mod distinct;
mod front;
mod index;
mod keys;
mod layer;
mod limits;
mod log;
mod long_list;
mod memory;
mod persistent;
mod record;
mod replay;
mod stores;
mod sweep;
mod tape;

pub use caching::{Caching, CachingOptions, Replacement};
pub use distinct::Distinct;
pub use log::{LogError, LogPlace, Path};
pub use long_list::LongList;
pub use record::hash_words;
pub use replay::{Patience, ReplayError, replay, replay_from, replay_projected, replay_within};
pub use sweep::{End, Options, Regress, Sweep};
pub use tape::Tape;
