//! Progress measures found automatically: candidates from the structure of a model, a choice by sampling.

mod auto;
mod candidate;
mod choice;
mod combine;
mod components;
mod effort;
pub mod linear;
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
pub use choice::{Assessment, Choice, Subject};
pub use combine::{coordinate, sum, weighted};
pub use components::by_rule;
pub use sample::{Sample, SlotChanges};
pub use vicinity::{Most, Outcome, Vicinity};
