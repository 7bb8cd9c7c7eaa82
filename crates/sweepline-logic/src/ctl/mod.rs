//! Computation tree logic: formulas about the runs that begin in a state, after \[CES86\].
//!
//! Path quantifiers range over *maximal* runs: infinite ones, and those that end in a state without successors. So in such a state
//! `AX false` holds and `EX true` does not, and it satisfies `EG p` and `AF p` exactly if it satisfies `p`. Linear time differs: there
//! a run that ends stays in its last state for ever.

mod formula;
mod labelling;
mod valued;

pub use formula::{Branching, Ctl, CtlAtoms, PathBinary, PathUnary, Quantifier};
pub use labelling::{Kripke, label};
