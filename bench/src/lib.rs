//! What the benchmark and the corpus commands share.

pub mod corpus;
