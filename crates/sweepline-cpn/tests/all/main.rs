//! One program, because most of what takes time to compile is the same in all of them.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

mod common;
mod corpus;
mod ml_corpus;
mod models;
mod never_panics;
mod queries;
mod random_nets;
mod reading;
mod renewal;
mod traps;
