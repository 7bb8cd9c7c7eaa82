//! One program, because most of what takes time to compile is the same in all of them.

mod bad_files;
mod corpus_properties;
mod counts;
mod dialects;
mod hostile;
mod never_panics;
mod products;
#[expect(clippy::unwrap_used, reason = "a panic is a failed test")]
mod support;
