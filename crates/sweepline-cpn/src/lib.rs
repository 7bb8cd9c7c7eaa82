//! Coloured Petri nets as CPN Tools stores them.
//!
//! [`ml`] is CPN ML, the language of declarations and inscriptions.

pub mod ml;
