//! Progress measures found automatically: candidates from the structure of a model, a choice by sampling.
//!
//! The structure of a model is asked for coordinates (`solved`, from `net`, `program` and `components`), whole measures are
//! made of them (`combine`), and one is chosen (`choice`): candidates run a race through the states nearest to the initial
//! ones (`vicinity`), and random walks (`sample`) tell what lies farther away. Coordinates are worked out in a thread of their
//! own while these are gathered, those of rows only when they are needed. [`Candidate::bind`] turns a choice into keys; where
//! an action always adds the same to the key, keys are carried along ([`Bound::Stepwise`]). No clock is looked at: budgets are
//! counts, and only the limits of the user cut them.

mod auto;
mod candidate;
mod choice;
mod combine;
mod components;
mod decided;
mod effort;
pub mod linear;
mod means;
mod net;
pub mod program;
mod program_words;
mod sample;
mod slots;
mod solved;
mod threads;
mod vicinity;

pub use auto::{Findings, Structure};
pub use candidate::{Bound, Candidate, Changes};
pub use choice::{Assessment, Choice, Saving, Subject, Thrift};
pub use combine::{coordinate, sum, weighted};
pub use components::by_rule;
pub use decided::StateEquation;
pub use effort::Exploring;
pub use sample::{Sample, SlotChanges};
pub use vicinity::{Most, Outcome, Vicinity};
