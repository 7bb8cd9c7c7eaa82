//! What the derive makes of all shapes of types.

use std::fmt::Debug;

use sweepline_model::{Encode, Queue, pack, unpack};

/// Checks the size of a type, and that a value has these words and comes back from them.
fn check<T: Encode + PartialEq>(value: &T, bits: Option<u32>, words: &[u64]) {
    assert_eq!(T::BITS, bits, "size of {value:?}");
    let mut packed = Vec::new();
    pack(value, &mut packed).expect("the value fits");
    assert_eq!(packed, words, "words of {value:?}");
    assert_eq!(&unpack::<T>(&packed), value);
}

/// Checks that a value is refused with this message.
fn refused(value: &impl Encode, message: &str) {
    let error = pack(value, &mut Vec::new()).expect_err("the value does not fit");
    assert_eq!(error.to_string(), message);
}

const LAST: u16 = 9;

#[derive(Clone, Debug, PartialEq, Encode)]
struct Named {
    flag: bool,
    #[encode(range = -3..=4)]
    ranged: i32,
    #[encode(range = 1..LAST + 1)]
    last: u16,
    #[encode(bits = 5)]
    signed: i8,
    r#type: u8,
}

#[test]
fn named_fields_follow_each_other() {
    let value = Named {
        flag: true,
        ranged: -3,
        last: 9,
        signed: -16,
        r#type: 0xab,
    };
    check(&value, Some(21), &[0xab << 13 | 8 << 4 | 1]);
    let mut shown = Vec::new();
    value.show(&mut shown);
    let shown: Vec<_> = shown
        .iter()
        .map(|(k, v)| (k.as_str(), v.as_str()))
        .collect();
    let expected = [
        ("flag", "true"),
        ("ranged", "-3"),
        ("last", "9"),
        ("signed", "-16"),
        ("type", "171"),
    ];
    assert_eq!(shown, expected);
    refused(
        &Named { ranged: 5, ..value },
        "`ranged` would become 5, outside its range -3..=4",
    );
}

#[derive(Clone, Debug, PartialEq, Encode)]
struct Tuple(u8, #[encode(range = 0..=1)] u64);

#[derive(Clone, Debug, PartialEq, Encode)]
struct Unit;

#[derive(Clone, Debug, PartialEq, Encode)]
struct Empty {}

#[test]
fn structs_without_names() {
    check(&Tuple(3, 1), Some(9), &[0x103]);
    check(&Unit, Some(0), &[0]);
    check(&Empty {}, Some(0), &[0]);
    check(&[Unit, Unit], Some(0), &[0]);
    refused(&Tuple(3, 2), "`1` would become 2, outside its range 0..=1");
    let mut shown = Vec::new();
    Tuple(3, 1).show(&mut shown);
    assert_eq!(shown, [("state".to_owned(), "Tuple(3, 1)".to_owned())]);
}

#[derive(Clone, Debug, PartialEq, Encode)]
enum Message {
    Nothing,
    Data(u8, bool),
    Ack {
        #[encode(range = 0..=3)]
        number: u32,
    },
}

#[derive(Clone, Debug, PartialEq, Encode)]
enum Only {
    One,
}

#[derive(Clone, Debug, PartialEq, Encode)]
enum Log {
    Nothing,
    Entries(Vec<bool>),
}

#[test]
fn variants_have_the_size_of_the_largest() {
    check(&Message::Nothing, Some(11), &[0]);
    check(&Message::Data(0xff, true), Some(11), &[0b111_1111_1101]);
    check(&Message::Ack { number: 3 }, Some(11), &[0b1110]);
    check(
        &[Message::Nothing, Message::Ack { number: 1 }],
        Some(22),
        &[0b0110 << 11],
    );
    check(&Only::One, Some(0), &[0]);
    refused(
        &[Message::Nothing, Message::Ack { number: 4 }],
        "`[1].Ack.number` would become 4, outside its range 0..=3",
    );
}

#[test]
fn a_variant_of_variable_size_makes_the_enum_variable() {
    check(&Log::Nothing, None, &[0]);
    check(
        &Log::Entries(vec![true, false, true]),
        None,
        &[0b101 << 6 | 3 << 1 | 1],
    );
}

#[derive(Clone, Debug, PartialEq, Encode)]
struct Pair<A, B: Copy, const N: usize>
where
    A: Debug,
{
    left: A,
    right: [B; N],
    #[encode(range = 0..=1)]
    narrow: Queue<B, N>,
    #[encode(bits = 3)]
    few: Queue<u16, N>,
}

#[test]
fn generic_types_are_as_large_as_their_arguments() {
    let pair = Pair::<bool, u8, 2> {
        left: true,
        right: [1, 2],
        narrow: Queue::from_iter([1]),
        few: Queue::new(),
    };
    // 1 for the flag, 16 for the array, and two queues: two bits of length and two cells of one and of three bits.
    check(
        &pair,
        Some(1 + 16 + 4 + 8),
        &[0b01_01 << 17 | 0x0201 << 1 | 1],
    );
    let mut overfull = pair;
    overfull.few.extend([1, 2, 3]);
    refused(
        &overfull,
        "`few` would hold more than 2 values, which is its capacity",
    );
    overfull.narrow = Queue::from_iter([0, 2]);
    refused(
        &overfull,
        "`narrow[1]` would become 2, outside its range 0..=1",
    );
}

#[derive(Clone, Debug, PartialEq, Encode)]
enum Term {
    Variable(u8),
    Apply(Box<Term>, Box<Term>),
}

#[test]
fn types_may_contain_themselves() {
    let leaf = |name| Box::new(Term::Variable(name));
    let term = Term::Apply(leaf(1), leaf(2));
    // A bit for the variant, and each number in three behind one that says that this is enough.
    check(&term, None, &[2 << 8 | 1 << 3 | 1]);
}

#[derive(Clone, Debug, PartialEq, Encode)]
struct Nested {
    inner: Option<Tuple>,
    #[encode(range = 0..=9)]
    digits: Vec<u8>,
}

#[test]
fn messages_name_the_way_to_the_value() {
    let value = |flag, digit| Nested {
        inner: Some(Tuple(0, flag)),
        digits: vec![1, digit],
    };
    check(
        &value(1, 2),
        None,
        &[2 << 15 | 1 << 11 | 2 << 6 | 1 << 5 | 1],
    );
    refused(
        &value(7, 2),
        "`inner.1` would become 7, outside its range 0..=1",
    );
    refused(
        &value(0, 10),
        "`digits[1]` would become 10, outside its range 0..=9",
    );
}

#[derive(Clone, Debug, PartialEq, Encode)]
enum Impossible {}

#[test]
fn a_type_without_values_takes_no_room() {
    assert_eq!(Impossible::BITS, Some(0));
    check(&Vec::<Impossible>::new(), None, &[0]);
}

mod renamed {
    pub(crate) use sweepline_model as checker;
}

#[derive(Clone, Debug, PartialEq, Encode)]
#[encode(crate = crate::derive::renamed::checker)]
struct Elsewhere(bool);

#[test]
fn the_crate_may_be_known_by_another_name() {
    check(&Elsewhere(true), Some(1), &[1]);
}
