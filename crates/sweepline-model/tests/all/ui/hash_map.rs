//! A map without order has no words of its own.

use std::collections::HashMap;

use sweepline_model::Encode;

#[derive(Clone, Debug, PartialEq, Encode)]
struct Votes {
    votes: HashMap<u8, bool>,
}

fn main() {}
