//! Every wrong attribute is reported, not only the first.

use sweepline_model::Encode;

#[derive(Clone, Debug, PartialEq, Encode)]
struct Fields {
    #[encode(skip)]
    unknown: u8,
    #[encode(range = 5)]
    no_range: u8,
    #[encode(range = 5..)]
    half_a_range: u8,
    #[encode(range = 5..5)]
    empty: u8,
    #[encode(bits = 65)]
    too_wide: u64,
    #[encode(range = 0..=3, bits = 2)]
    twice: u8,
}

#[derive(Clone, Debug, PartialEq, Encode)]
#[encode(range = 0..=3)]
struct OnTheType(u8);

#[derive(Clone, Debug, PartialEq, Encode)]
enum OnAVariant {
    #[encode(range = 0..=3)]
    Number(u8),
}

fn main() {}
