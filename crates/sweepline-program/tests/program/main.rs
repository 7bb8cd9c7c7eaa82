//! Programs run as their definition says, interpreted and compiled.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are not recognised as tests"
)]

mod counts;
mod errors;
#[cfg(feature = "jit")]
mod foreign;
mod handover;
#[cfg(feature = "jit")]
mod limits;
mod models;
mod printing;
mod random_programs;
mod ranges;
mod reference;
