//! One program, because most of what takes time to compile is the same in all of them.

mod bad_models;
mod formulas;
mod hostile;
mod models;
mod naive;
mod semantics;
