//! One program, because most of what takes time to compile is the same in all of them.

mod models;
mod corpus;
mod random;
mod happens;
mod traps;
mod local;
