//! A model checker that forgets.
//!
//! `sweepline` verifies concurrent systems whose state spaces do not fit in memory by dragging a *sweep-line*
//! through them: states behind the line can never be reached again and are deleted.
//!
//! People with a model file use the command line. Rust programmers implement [`Model`] and [`check()`] it, for
//! example from a `#[test]`:
//!
//! ```
//! use sweepline::{Encode, Model, Next, check};
//!
//! /// Two processes that want to use a resource one at a time, and the flag each of them raises first.
//! struct Mutex;
//!
//! #[derive(Clone, Debug, Default, PartialEq, Encode)]
//! struct State {
//!     flag: [bool; 2],
//!     inside: [bool; 2],
//!     #[encode(range = 0..=5)]
//!     visits: u8,
//! }
//!
//! #[derive(Debug)]
//! enum Action { Raise(usize), Enter(usize), Leave(usize) }
//!
//! impl Model for Mutex {
//!     type State = State;
//!     type Action = Action;
//!
//!     fn initial(&self) -> Vec<State> { vec![State::default()] }
//!
//!     fn steps(&self, s: &State, next: &mut Next<'_, Self>) {
//!         for i in [0, 1] {
//!             if !s.flag[i] && s.visits < 5 {
//!                 next.change(Action::Raise(i), |to| to.flag[i] = true);
//!             } else if s.inside[i] {
//!                 next.change(Action::Leave(i), |to| { to.inside[i] = false; to.flag[i] = false; to.visits += 1 });
//!             } else if s.flag[i] && !s.flag[1 - i] && s.visits < 5 {
//!                 next.change(Action::Enter(i), |to| to.inside[i] = true);
//!             }
//!         }
//!     }
//! }
//!
//! let report = check(Mutex)
//!     .column(|s| s.visits) // never decreases, so finished visits are forgotten
//!     .invariant("exclusion", |_, s| !(s.inside[0] && s.inside[1]))
//!     .reachable("all visits done", |_, s| s.visits == 5)
//!     .run();
//! report.assert_holds();
//! assert_eq!(report.states(), Some(43)); // eight while a visit is due, three at the end
//! assert_eq!(report.statistics().layers, 6);
//!
//! // Both flags raised is a deadlock: the algorithm is too simple.
//! let report = check(Mutex).no_deadlock().run();
//! let trace = report.trace("deadlock").expect("the deadlock is found");
//! assert_eq!(trace.last().flag, [true, true]);
//! assert_eq!(trace.actions(), ["Raise(0)", "Raise(1)"]);
//! ```
//!
//! The parts are separate crates, re-exported here: [`core`] (vocabulary), [`explore`] (the sweep), [`logic`]
//! (predicates), [`questions`] (properties and evidence), [`net`] (Petri nets), [`process`] (explicit state spaces), [`program`]
//! (guarded actions, interpreted and compiled), [`dve`] (the DVE language), [`model`] (typed Rust models).

#[cfg(feature = "cli")]
pub mod cli;
mod rust_model;

#[cfg(feature = "cli")]
pub use rust_model::main;
pub use rust_model::{
    Check, Checked, FoundMeasure, TypedStep, TypedTrace, Undeclared, check, check_footprints,
};
pub use sweepline_check as questions;
pub use sweepline_core as core;
pub use sweepline_core::Verdict;
pub use sweepline_cpn as cpn;
pub use sweepline_dve as dve;
pub use sweepline_explore as explore;
pub use sweepline_fsp as fsp;
pub use sweepline_graph as graph;
pub use sweepline_logic as logic;
pub use sweepline_model as model;
pub use sweepline_model::facade::Encode;
pub use sweepline_model::{
    Array, Bag, Footprint, Look, Map, Model, Next, Queue, Set, TypedMeasure,
};
pub use sweepline_net as net;
pub use sweepline_process as process;
pub use sweepline_program as program;
pub use sweepline_progress as progress;
pub use sweepline_reduce as reduce;
pub use sweepline_session as session;
pub use sweepline_text as text;

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadmeExamples;
