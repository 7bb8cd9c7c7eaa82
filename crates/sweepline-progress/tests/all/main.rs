//! One program, because most of what takes time to compile is the same in all of them.

mod auto;
mod decided;
mod determinism;
mod linear;
mod program;
