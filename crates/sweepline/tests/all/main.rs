//! One program, because most of what takes time to compile is the same in all of them.

mod found_measures;
mod house;
mod models;
mod never_panics;
mod published;
mod rust_models;
mod rust_reduction;
mod rust_runs;
