//! What the benchmark and the corpus commands share.

pub mod clock;
pub mod corpus;
pub mod measure;
pub mod outside;
pub mod preserved;
pub mod promises;
pub mod thesis;
