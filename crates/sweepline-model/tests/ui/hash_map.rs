//! A map without order has no words of its own.

use std::collections::HashMap;

use sweepline_model::Encode;

#[derive(Debug, Encode)]
struct Votes {
    votes: HashMap<u8, bool>,
}

fn main() {}
