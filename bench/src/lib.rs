//! What the benchmark and the corpus commands share.

pub mod clock;
pub mod corpus;
pub mod outside;
pub mod preserved;
pub mod thesis;
