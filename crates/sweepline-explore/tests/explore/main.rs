//! Explorations, tested through what they show: one program, because most of what takes time to compile is the same.

#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "the numbers are small, and a panic is a failed test"
)]

mod caching;
mod followed;
mod graph;
mod limits;
mod links;
mod random_systems;
mod remeasure;
mod renewal;
mod widening;
