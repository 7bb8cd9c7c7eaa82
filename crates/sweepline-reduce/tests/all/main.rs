//! One program, because most of what takes time to compile is the same in all of them.

mod corpus;
mod happens;
mod limits;
mod local;
#[expect(clippy::unwrap_used, reason = "these are tests, helpers included")]
mod models;
mod random;
mod traps;
