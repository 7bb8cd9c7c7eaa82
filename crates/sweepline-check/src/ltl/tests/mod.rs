//! What is found agrees with brute force, on random models, automata, orders, windows, interruptions, changes of the measure and
//! encodings.

#![expect(clippy::cast_possible_truncation, reason = "the numbers are small")]

pub(crate) mod brute;
mod choice;
mod fluents;
pub(crate) mod journey;
pub(crate) mod model;
pub(crate) mod random;
mod searches;
mod spilled;
mod traps;
mod vacuity;
