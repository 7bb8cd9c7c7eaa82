//! Models written in Rust: typed states and actions.
