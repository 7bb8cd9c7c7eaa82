//! One program, because most of what takes time to compile is the same in all of them.

mod bad_models;
mod corpus;
mod goals;
mod hostile;
mod models;
mod semantics;
