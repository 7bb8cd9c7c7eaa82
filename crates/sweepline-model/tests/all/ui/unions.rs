//! Unions have no equality, so they cannot be states.

use sweepline_model::Encode;

#[derive(Encode)]
union Either {
    small: u8,
    large: u64,
}

fn main() {}
