//! The DVE language: communicating processes with guards, effects and channels.
//!
//! [`read_dve`] reads a model and lowers it to a [`Program`](sweepline_program::Program); the example there shows one.
//! What it cannot read it reports with places and proposals, everything at once.
//!
//! # Semantics
//!
//! - A state of the system is the values of all variables, the state of each process and the contents of buffered
//!   channels. Variables without initial value are 0.
//! - A step is a transition of one process, or a *rendezvous* of a sending and a receiving transition of two
//!   different processes on a channel without buffer. All values are computed in the state before the step; the
//!   receiver's variables get them from left to right, the effects of the receiver follow, then those of the sender.
//! - With a buffered channel the message is put or taken first, and the effects follow.
//! - While some process is in a committed state, only processes in committed states take part in steps; for a
//!   rendezvous, both.
//! - Expressions are evaluated with 64 bits; truth values are 0 and 1; `and`, `or` and `imply` look at their right side
//!   only if it matters.
//! - Assigning a value outside `byte` (0 to 255) or `int` (16 bits, signed) is an error of the model, and so are division
//!   by zero and an index out of bounds. Nothing wraps around.
//! - The name of an array without index means its first element.
//! - The property process of `system async property P;` is not part of the program; it is kept as a
//!   [`PropertyAutomaton`].

pub mod ast;
mod constant;
mod declare;
mod ends;
mod errors;
mod expression;
mod goals;
mod lower;
mod macros;
mod model;
mod parser;
mod passing;
mod predicate;
mod process;
mod property;
mod reach;
mod resolve;
mod symbols;
mod token;

pub use errors::{DveError, DveErrors, DveWarning};
pub use goals::{GoalError, parse_goal, read_family, read_goals};
pub use model::{DveModel, LoadOptions, read_dve};
pub use property::{PropertyAutomaton, PropertyState};
