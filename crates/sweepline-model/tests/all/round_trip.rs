//! Encoding and decoding are inverse, and values are equal exactly if their words are.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::{NonZero, Wrapping};

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use sweepline_core::{Records, Word};
use sweepline_model::{Array, Bag, Encode, Map, Queue, Reader, Set, pack, records, unpack};

fn packed<T: Encode>(value: &T) -> Vec<Word> {
    let mut words = Vec::new();
    pack(value, &mut words).expect("the generated values fit");
    words
}

/// Checks two values of a type, which may be equal.
fn check<T: Encode + PartialEq>(one: &T, other: &T) -> Result<(), TestCaseError> {
    let words = packed(one);
    match records::<T>() {
        Records::Fixed(width) => prop_assert_eq!(words.len(), width),
        Records::Variable => prop_assert!(!words.is_empty()),
    }
    prop_assert_eq!(&unpack::<T>(&words), one);
    prop_assert_eq!(words == packed(other), one == other);
    let mut assigned = other.clone();
    assigned.assign(one);
    prop_assert_eq!(&assigned, one);
    decode_into_others(one, other)
}

/// Decodes each value in the memory of the other.
fn decode_into_others<T: Encode + PartialEq>(one: &T, other: &T) -> Result<(), TestCaseError> {
    let mut decoded = other.clone();
    for value in [one, other] {
        let words = packed(value);
        let mut reader = match T::BITS {
            Some(_) => Reader::new(&words),
            None => Reader::dense(&words),
        };
        decoded.decode_into(&mut reader);
        prop_assert_eq!(&decoded, value);
    }
    Ok(())
}

/// One test per line: the values of a strategy, in pairs; every second pair is equal.
macro_rules! round_trips {
    ($($name:ident: $type:ty, $strategy:expr;)*) => {
        proptest! { $(
            #[test]
            fn $name(one in $strategy, other in $strategy, same in any::<bool>()) {
                let one: $type = one;
                let other: $type = if same { unpack(&packed(&one)) } else { other };
                check(&one, &other)?;
            }
        )* }
    };
}

round_trips! {
    integers: (u8, u16, u32, u64, usize, u128), any::<(u8, u16, u32, u64, usize, u128)>();
    signed_integers: (i8, i16, i32, i64, isize, i128), any::<(i8, i16, i32, i64, isize, i128)>();
    small_parts: (bool, (), char, Option<bool>), any::<(bool, (), char, Option<bool>)>();
    arrays: [(bool, u8); 13], any::<[(bool, u8); 13]>();
    non_zero: (NonZero<u8>, NonZero<i64>), (1u8.., 1i64..).prop_map(|(a, b)| {
        (NonZero::new(a).expect("positive"), NonZero::new(b).expect("positive"))
    });
    wrappers: (Wrapping<u8>, Reverse<bool>), any::<(u8, bool)>()
        .prop_map(|(number, flag)| (Wrapping(number), Reverse(flag)));
    queues: Queue<(bool, u8), 5>, vec(any::<(bool, u8)>(), 0..=5).prop_map(Queue::from_iter);
    bags: Bag<u8, 5>, vec(0..4u8, 0..=5).prop_map(Bag::from_iter);
    bounded_arrays: Array<(bool, u8), 5>, vec(any::<(bool, u8)>(), 0..=5).prop_map(Array::from_iter);
    bounded_sets: Set<i8, 5>, vec(-3..3i8, 0..=5).prop_map(Set::from_iter);
    bounded_maps: Map<u8, Option<u16>, 5>, vec((0..4u8, any::<Option<u16>>()), 0..=5).prop_map(Map::from_iter);
    bounded_maps_of_variable_size: Map<u8, String, 3>, vec((0..3u8, "[a-b]{0,2}"), 0..=3).prop_map(Map::from_iter);
    queues_of_variable_size: Queue<Vec<bool>, 3>, vec(vec(any::<bool>(), 0..9), 0..=3).prop_map(Queue::from_iter);
    vectors: Vec<Vec<u16>>, vec(vec(any::<u16>(), 0..5), 0..5);
    long_vectors: Vec<bool>, vec(any::<bool>(), 0..400);
    deques: VecDeque<Option<i8>>, vec(any::<Option<i8>>(), 0..5).prop_map(VecDeque::from);
    boxes: (Box<u8>, Box<[bool]>), (any::<u8>(), vec(any::<bool>(), 0..5))
        .prop_map(|(a, b)| (Box::new(a), b.into_boxed_slice()));
    strings: (String, String), (".{0,20}", "[a-b]{0,3}");
    sets: BTreeSet<u8>, btree_set(0..8u8, 0..8);
    sets_of_numbers: (BTreeSet<u64>, BTreeSet<Reverse<u8>>, BTreeSet<i16>), (
        btree_set(any::<u64>(), 0..8),
        btree_set(any::<u8>().prop_map(Reverse), 0..8),
        btree_set(any::<i16>(), 0..8),
    );
    sets_of_messages: BTreeSet<Message>, btree_set(message(), 0..9);
    sets_in_another_order: BTreeSet<Backwards>, btree_set((0..9u16).prop_map(Backwards), 0..6);
    maps_of_numbers: BTreeMap<usize, i64>, btree_map(0..20usize, any::<i64>(), 0..6);
    maps: BTreeMap<String, Option<u8>>, btree_map("[a-c]{0,2}", any::<Option<u8>>(), 0..4);
    cells: Vec<Cell>, vec(cell(), 0..3);
    machines: Machine<4>, machine();
    fixed_machines: Registers, registers();
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Encode)]
enum Message {
    Prepared { manager: usize },
    Named(String),
    Pair(u8, u8),
    Commit,
    Few(#[encode(range = 0..=3)] u8),
}

fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        (0..6usize).prop_map(|manager| Message::Prepared { manager }),
        "[a-b]{0,3}".prop_map(Message::Named),
        any::<(u8, u8)>().prop_map(|(a, b)| Message::Pair(a, b)),
        Just(Message::Commit),
        (0..=3u8).prop_map(Message::Few),
    ]
}

/// A number that is less the larger it is.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
struct Backwards(u16);

impl PartialOrd for Backwards {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Backwards {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.cmp(&self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Encode)]
enum Cell {
    Empty,
    Number(#[encode(range = -10..=10)] i64),
    Text { text: String, bold: bool },
    Sum(Vec<Cell>),
}

fn cell() -> impl Strategy<Value = Cell> {
    let leaf = prop_oneof![
        Just(Cell::Empty),
        (-10i64..=10).prop_map(Cell::Number),
        ("[a-z]{0,4}", any::<bool>()).prop_map(|(text, bold)| Cell::Text { text, bold }),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| vec(inner, 0..3).prop_map(Cell::Sum))
}

#[derive(Clone, Debug, PartialEq, Encode)]
enum Status {
    Off,
    Waiting(#[encode(range = 5..=9)] u8),
    Running {
        since: u32,
        of: Option<NonZero<u16>>,
    },
}

fn status() -> impl Strategy<Value = Status> {
    prop_oneof![
        Just(Status::Off),
        (5u8..=9).prop_map(Status::Waiting),
        any::<(u32, Option<u16>)>().prop_map(|(since, of)| Status::Running {
            since,
            of: of.and_then(NonZero::new),
        }),
    ]
}

#[derive(Clone, Debug, PartialEq, Encode)]
struct Registers {
    statuses: [Status; 3],
    #[encode(range = -1..=1)]
    signs: [i8; 7],
    #[encode(bits = 11)]
    inbox: Queue<i16, 3>,
    #[encode(range = 0..=1000)]
    last: Option<u64>,
}

fn registers() -> impl Strategy<Value = Registers> {
    (
        [status(), status(), status()],
        proptest::array::uniform7(-1i8..=1),
        vec(-1024i16..=1023, 0..=3),
        proptest::option::of(0u64..=1000),
    )
        .prop_map(|(statuses, signs, inbox, last)| Registers {
            statuses,
            signs,
            inbox: Queue::from_iter(inbox),
            last,
        })
}

#[derive(Clone, Debug, PartialEq, Encode)]
struct Machine<const N: usize> {
    registers: Registers,
    #[encode(range = 0..=100)]
    tape: Vec<u8>,
    seen: Bag<u8, N>,
}

fn machine() -> impl Strategy<Value = Machine<4>> {
    (registers(), vec(0u8..=100, 0..40), vec(any::<u8>(), 0..=4)).prop_map(
        |(registers, tape, seen)| Machine {
            registers,
            tape,
            seen: Bag::from_iter(seen),
        },
    )
}

/// Which bounded collections accept what follows from their length alone.
#[test]
fn values_side_by_side_do_not_disturb_each_other() {
    let wide = (true, u64::MAX, false, [u64::MAX; 3], 1u8);
    assert_eq!(
        unpack::<(bool, u64, bool, [u64; 3], u8)>(&packed(&wide)),
        wide
    );
}
