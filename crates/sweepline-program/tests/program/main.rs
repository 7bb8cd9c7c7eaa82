//! Programs run as their definition says, interpreted and compiled.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are not recognised as tests"
)]

mod counts;
mod errors;
mod handover;
mod models;
mod printing;
mod random_programs;
mod reference;
