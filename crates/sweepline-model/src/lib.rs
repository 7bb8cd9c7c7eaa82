//! Models written in Rust: typed states and actions.
//!
//! A state is a type that derives [`Encode`]; a [`Model`] says which states come first and which steps lead on. Nobody
//! has to know how states are stored.
//!
//! ```
//! use sweepline_core::{Steps, System};
//! use sweepline_model::{Encode, Model, ModelSystem, Next, Queue};
//!
//! /// A sender that hands numbers to a receiver through a channel of two cells.
//! struct Hand { numbers: u8 }
//!
//! #[derive(Clone, Debug, PartialEq, Encode)]
//! struct State {
//!     #[encode(range = 0..=9)]
//!     sent: u8,
//!     channel: Queue<u8, 2>,
//! }
//!
//! #[derive(Debug)]
//! enum Action { Send, Receive(u8) }
//!
//! impl Model for Hand {
//!     type State = State;
//!     type Action = Action;
//!
//!     fn initial(&self) -> Vec<State> {
//!         vec![State { sent: 0, channel: Queue::new() }]
//!     }
//!
//!     fn steps(&self, state: &State, next: &mut Next<'_, Self>) {
//!         if state.sent < self.numbers && !state.channel.is_full() {
//!             next.change(Action::Send, |to| {
//!                 to.channel.push(to.sent);
//!                 to.sent += 1;
//!             });
//!         }
//!         if let Some(&number) = state.channel.front() {
//!             next.change(Action::Receive(number), |to| {
//!                 to.channel.pop();
//!             });
//!         }
//!     }
//! }
//!
//! let system = ModelSystem::new(Hand { numbers: 9 });
//! assert_eq!(system.layout().width(), Some(1)); // 4 bits for `sent`, 2 + 2 * 8 for the channel
//! let mut steps = Steps::for_layout(system.layout());
//! system.initial(&mut steps);
//! let initial = system.decode(steps.target(0));
//! assert_eq!(initial.sent, 0);
//! ```

// The derive names this crate by its outer name, here as everywhere else.
extern crate self as sweepline_model;

mod array;
mod bag;
mod bits;
mod cells;
mod code;
mod collections;
mod encode;
mod error;
mod fields;
mod footprint;
mod map;
mod measure;
mod model;
mod narrow;
mod parts;
mod queue;
mod scalars;
mod scratch;
mod set;
mod system;
mod tally;
pub mod zoo;

pub use array::Array;
pub use bag::Bag;
pub use bits::{Reader, Writer};
pub use cells::Iter;
pub use encode::{Encode, pack, predicate, records, unpack};
pub use error::{EncodeError, Misfit};
pub use fields::Fields;
pub use footprint::{Footprint, Look};
pub use map::Map;
pub use measure::{Coordinate, Coordinates, TypedMeasure};
pub use model::{Model, Next};
pub use narrow::{Between, BitsOf, Integer, Interval, Narrow, Numbers};
pub use parts::{Parts, Source};
pub use queue::Queue;
pub use set::Set;
pub use sweepline_derive::Encode;
pub use system::ModelSystem;
pub use tally::Tally;

/// The trait [`Encode`] with the derive for users of the crate `sweepline`, which finds this crate's items in
/// `::sweepline::model`. For that crate only.
#[doc(hidden)]
pub mod facade {
    pub use crate::encode::Encode;
    pub use sweepline_derive::EncodeInFacade as Encode;
}

/// What derived code needs beside the public items. Not for use by hand; it may change at any time.
#[doc(hidden)]
pub mod derived {
    pub use crate::encode::{largest, no_variant, padding, sum};
}
