//! Progress measures found automatically.
