//! Only integers and collections of integers have a range.

use sweepline_model::Encode;

#[derive(Clone, Debug, PartialEq, Encode)]
struct Text {
    #[encode(range = 0..=400)]
    text: String,
}

fn main() {}
