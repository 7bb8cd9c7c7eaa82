//! Formulas of linear time: what is said about infinite runs.
//!
//! An [`Ltl`] is read by [`crate::parse_ltl`] or put together with [`Atoms`]. [`holds_on`] says whether it holds on a word that
//! repeats itself in the end, and [`translate`] makes an automaton of it.

mod arena;
mod formula;
mod lasso;
mod monitor;
mod past;
mod patterns;
mod rewrite;
mod stutter;
mod tableau;
#[cfg(test)]
mod tests;
mod translate;
mod vacuity;

pub use formula::{Atoms, Binary, Ltl, Temporal, TooManyAtoms, Unary};
pub(crate) use formula::{write_atom, write_chain};
pub use lasso::holds_on;
pub use monitor::{Monitor, MonitorError};
pub(crate) use patterns::{Pattern, Scope, formula as pattern_formula};
pub use translate::{MOST_STATES, TranslateError, translate, translate_to_states};
pub use vacuity::Replaced;
