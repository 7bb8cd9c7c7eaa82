//! Partial-order reduction: exploring fewer interleavings of actions that have nothing to do with each other.
//!
//! [`Stubborn`] is a system that leaves out steps of another one. What it needs to know of the inside of a model is in
//! [`Tables`]; [`NetTransitions`], [`ProgramTransitions`] and [`NetworkTransitions`] fill them, and [`DeclaredTransitions`] those of systems
//! in Rust that say what their actions read and write. What must be preserved is
//! an [`Aim`].
//!
//! ```
//! use std::sync::Arc;
//! use sweepline_core::{Steps, System};
//! use sweepline_net::{NetSystem, PetriNet};
//! use sweepline_reduce::{Aim, NetTransitions, Stubborn};
//!
//! // Two machines that have nothing to do with each other.
//! let mut net = PetriNet::builder("machines");
//! for machine in ["a", "b"] {
//!     let todo = net.place(format!("{machine}.todo"), 1);
//!     let done = net.place(format!("{machine}.done"), 0);
//!     net.rule(format!("{machine}.work"), &[todo], &[done]);
//! }
//! let net = Arc::new(net.build().unwrap());
//! let aim = Aim::deadlocks(Arc::new(NetTransitions::new(Arc::clone(&net)).unwrap()));
//! let reduced = Stubborn::new(Arc::new(NetSystem::new(net)), Arc::new(aim));
//!
//! // Who works first does not matter.
//! let mut steps = Steps::for_layout(reduced.layout());
//! reduced.initial(&mut steps);
//! let start = steps.target(0).to_vec();
//! steps.clear();
//! reduced.successors(&start, &mut steps);
//! assert_eq!(steps.len(), 1);
//! ```

mod aim;
mod bits;
mod closure;
mod cut;
mod declared;
mod deletion;
mod facts;
mod few;
mod goal;
mod lists;
pub mod local;
mod looked;
mod net;
mod network;
mod newer;
mod pace;
mod program;
mod site;
mod stubborn;
mod tables;
mod trial;

pub use aim::{Aim, Failures};
pub use declared::{DeclaredAction, DeclaredTransitions, Footprints};
pub use goal::is_total;
pub use net::NetTransitions;
pub use network::NetworkTransitions;
pub use program::ProgramTransitions;
pub use stubborn::{Effort, Stubborn};
pub use tables::{Change, Conditions, Dependency, Irreducible, Tables, Test, Transitions};
