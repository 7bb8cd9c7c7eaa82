//! Formulas of branching time, decided on what is explored.
//!
//! Links are recorded on a tape: following them makes the model again, whatever the order of the exploration. Each subformula gets two sets of instances, bottom-up: those where it certainly holds and those where it may.
//! They differ where something has not been expanded, could not be, or has atoms without a value. So a formula can be decided
//! before everything is explored, and what is not decided is told. Each operator takes passes over the instances from
//! the last number to the first: as links mostly lead to larger numbers, one productive pass is enough if the measure is monotone.
//!
//! The thesis on model checking with the sweep-line method treats four shapes of formulas with monotone measures and leaves the
//! rest open; edges against the order are what takes more than one pass here.
//!
//! Where only fair runs count, and where labels are verified, links are read from the tape into memory: components are not found, and
//! ranks not given, in one order.

mod archive;
mod arena;
mod backwards;
mod branches;
mod certificate;
mod edges;
mod evaluate;
mod fair;
mod fixpoint;
mod formulas;
mod labels;
mod layered;
mod pace;
mod predecessors;
mod proof;
mod recorder;
mod revisited;
mod sets;
mod taped;
mod undecided;
mod walks;
mod witness;

pub use branches::Branches;
pub(crate) use branches::{BranchClaim, BranchStatus};
pub(crate) use formulas::Formulas;
pub(crate) use revisited::Uncertified;
pub use witness::{How, Witness};

#[cfg(test)]
mod tests;
