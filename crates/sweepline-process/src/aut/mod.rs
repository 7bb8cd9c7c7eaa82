//! Reading and writing LTSs in the Aldebaran format `.aut`.
//!
//! ```text
//! des (first, transitions, states)
//! (from, "label", to)
//! …
//! ```
//!
//! There is one line per transition, in any order. States are numbered from 0; those that no transition mentions have
//! none. We also allow blanks between all parts, blank lines, line ends of any system, and labels without quotes: a
//! label reaches from the first comma of its line to the last one, so that it may contain commas and parentheses.
//! Inside quotes, `\"` is a quotation mark and `\\` a backslash; any other backslash, and a quotation mark that is not
//! the last one, stands for itself.
//!
//! The labels `i` and `tau`, with or without quotes, are the internal step. The label `"\i"` is a visible one that is
//! called `i`.
//!
//! The format knows nothing of names and kinds of states, nor of labels that never occur.

mod error;
mod line;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use error::{AutError, Excerpt};
pub use read::{read_aut, read_aut_within};
pub use write::write_lts_aut;
