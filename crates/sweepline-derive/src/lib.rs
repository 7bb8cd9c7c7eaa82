//! Derives `Encode` for the state types of Rust models.
