//! Claims about infinite runs: no run of the model is accepted by an automaton.
//!
//! What is explored is recorded as a graph ([`Liveness`]), by following links: whatever the order of the exploration, they make
//! the model again. The graph is searched together with the automaton of each claim for a cycle that is accepted, on what is there so
//! far and at the end. What is found is a [`Lasso`], which [`judge`] follows in the model itself.
//!
//! The automaton reads a state when it leaves it. A run that ends in the model is extended by staying in its last state; where
//! only the automaton has no move nothing is extended, and nothing is accepted.

mod acceptor;
mod bits;
mod choice;
mod claim;
mod column;
mod components;
mod confirm;
mod emptiness;
mod fluents;
mod graph;
mod judge;
mod lasso;
mod links;
mod liveness;
mod probe;
mod recorder;
mod resort;
mod search;
mod split;
mod sweeping;
mod terminal;
mod thesis;
mod tour;
mod vacuity;

pub(crate) use acceptor::{Acceptor, holds};
pub(crate) use claim::{FairMoment, Reader, Undefined};
pub(crate) use graph::{Cursor, Marked, Root, STUTTER, Step};
pub(crate) use liveness::Others;
pub(crate) use search::{Allowance, Search, only_recurs, search};
pub(crate) use split::split;

pub use acceptor::ClaimError;
pub use choice::{FairChoice, Recurrence};
pub use claim::{Assumption, Claim, Fairness, share_atoms};
pub use confirm::{Confirmed, confirm, confirm_homes};
pub use fluents::{FairFormula, FluentClaim};
pub use judge::judge;
pub(crate) use judge::{Unjudged, judge_within};
pub use lasso::{Lasso, LassoStep};
pub use liveness::{Liveness, LivenessOptions, Status};
pub use resort::run_after;
pub use sweeping::{Anew, ProductAnswer, Renew, Renewing, check_product};
pub use thesis::{ThesisAnswer, check_thesis};
pub use vacuity::Harder;

#[cfg(test)]
pub(crate) mod tests;
