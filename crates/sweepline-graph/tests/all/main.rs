//! One program, because most of what takes time to compile is the same in all of them.

mod asked;
#[path = "../../../sweepline-explore/tests/explore/followed.rs"]
mod followed;
#[expect(dead_code, reason = "other tests need more of it")]
#[path = "../../../sweepline-explore/tests/explore/graph.rs"]
mod graph;
mod stored;
