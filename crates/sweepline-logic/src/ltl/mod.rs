//! Formulas of linear time: what is said about infinite runs.
//!
//! An [`Ltl`] is read by [`crate::parse_ltl`] or put together with [`Atoms`]. [`holds_on`] says whether it holds on a word that
//! repeats itself in the end.

mod formula;
mod lasso;
mod patterns;

pub use formula::{Atoms, Binary, Ltl, Temporal, TooManyAtoms, Unary};
pub use lasso::holds_on;
pub(crate) use patterns::{Pattern, Scope, formula as pattern_formula};
