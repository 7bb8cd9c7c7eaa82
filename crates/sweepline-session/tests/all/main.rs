//! One program, because most of what takes time to compile is the same in all of them.

mod adapters;
mod auto;
mod contest_runs;
mod examinations;
mod fluents;
mod reduction;
mod searches;
