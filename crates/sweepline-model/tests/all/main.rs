//! One program, because most of what takes time to compile is the same in all of them.

mod derive;
mod fields;
mod model;
mod round_trip;
mod ui;
mod zoo;
