//! Progress measures found automatically.

pub mod linear;
