//! One program, because most of what takes time to compile is the same in all of them.

mod corpus;
mod happens;
mod local;
mod models;
mod random;
mod traps;
