//! One program, because most of what takes time to compile is the same in all of them.

#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "the numbers are small, and a panic is a failed test"
)]

mod asked;
#[path = "../../../sweepline-explore/tests/explore/followed.rs"]
mod followed;
#[expect(dead_code, reason = "other tests need more of it")]
#[path = "../../../sweepline-explore/tests/explore/graph.rs"]
mod graph;
mod stored;
