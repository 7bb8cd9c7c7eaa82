//! One program, because most of what takes time to compile is the same in all of them.

mod random_automata;
mod random_failures;
mod random_questions;
mod wide;
