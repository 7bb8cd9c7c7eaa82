//! Slots lie where the fields of a state are.

use proptest::prelude::*;
use sweepline_core::{Layout, SlotKind, System};
use sweepline_model::{Array, Bag, Encode, Map, Model, ModelSystem, Next, Queue, Set, pack};

#[derive(Clone, Copy, Debug, PartialEq, Encode)]
enum Phase {
    Idle,
    Busy { with: u8 },
}

#[derive(Clone, Debug, PartialEq, Encode)]
struct Inner(bool, u16);

#[derive(Clone, Debug, PartialEq, Encode)]
struct State {
    #[encode(range = -3..=12)]
    n: i32,
    phase: Phase,
    maybe: Option<u8>,
    inner: [Inner; 3],
    #[encode(bits = 5)]
    small: [u8; 2],
    wide: u64,
    queue: Queue<u8, 3>,
    bag: Bag<bool, 2>,
    last: u32,
    sign: i8,
    r#type: bool,
}

/// A model of one state.
struct Only<S>(S);

impl<S: Encode + Send + Sync + Clone + PartialEq> Model for Only<S> {
    type State = S;
    type Action = ();
    fn initial(&self) -> Vec<S> {
        vec![self.0.clone()]
    }
    fn steps(&self, _: &S, _: &mut Next<'_, Self>) {}
}

fn layout<S: Encode + Send + Sync + Clone + PartialEq>(state: S) -> Layout {
    ModelSystem::new(Only(state)).layout().clone()
}

prop_compose! {
    fn states()(
        n in -3..=12,
        with in any::<Option<u8>>(),
        maybe in any::<Option<u8>>(),
        inner in any::<[(bool, u16); 3]>(),
        small in [0..32u8, 0..32u8],
        wide in any::<u64>(),
        queue in prop::collection::vec(any::<u8>(), 0..=3),
        bag in prop::collection::vec(any::<bool>(), 0..=2),
        (last, sign, of_type) in any::<(u32, i8, bool)>(),
    ) -> State {
        State {
            n,
            phase: with.map_or(Phase::Idle, |with| Phase::Busy { with }),
            maybe,
            inner: inner.map(|(flag, number)| Inner(flag, number)),
            small,
            wide,
            queue: Queue::from_iter(queue),
            bag: Bag::from_iter(bag),
            last,
            sign,
            r#type: of_type,
        }
    }
}

proptest! {
    #[test]
    fn slots_have_the_values_of_fields(state in states()) {
        let mut words = Vec::new();
        pack(&state, &mut words).expect("it fits");
        let layout = layout(state.clone());
        let mut expected = vec![
            ("n".to_owned(), i64::from(state.n)),
            ("phase".into(), i64::from(state.phase != Phase::Idle)),
            ("maybe.is_some".into(), i64::from(state.maybe.is_some())),
            ("queue.len".into(), i64::try_from(state.queue.len()).expect("it is short")),
            ("bag.len".into(), i64::try_from(state.bag.len()).expect("it is small")),
            ("last".into(), i64::from(state.last)),
            ("type".into(), i64::from(state.r#type)),
        ];
        for (index, Inner(flag, number)) in state.inner.iter().enumerate() {
            expected.push((format!("inner[{index}].0"), i64::from(*flag)));
            expected.push((format!("inner[{index}].1"), i64::from(*number)));
        }
        for (index, number) in state.small.iter().enumerate() {
            expected.push((format!("small[{index}]"), i64::from(*number)));
        }
        // Numbers with a sign and without a range are not listed, nor are those of 64 bits.
        for (id, slot) in layout.iter() {
            let place = expected.iter().position(|(name, _)| *name == slot.name);
            let (_, value) = expected.swap_remove(place.expect("nothing else is listed"));
            prop_assert_eq!(layout.value(&words, id), value, "{}", &slot.name);
            prop_assert!((slot.least..=slot.greatest).contains(&value));
        }
        // Nothing is left out but what crosses the boundary of words.
        let mut left_out: Vec<_> = expected.iter().map(|(name, _)| name.as_str()).collect();
        left_out.sort_unstable();
        prop_assert_eq!(left_out, ["inner[2].1", "last"]);
    }
}

/// The numbers of an array are listed whatever its length is; in sets and maps they have no fixed places.
#[test]
fn bounded_collections_have_slots() {
    #[derive(Clone, Debug, PartialEq, Encode)]
    struct Bounded {
        #[encode(range = 5..=9)]
        array: Array<u8, 3>,
        set: Set<u8, 2>,
        map: Map<u8, bool, 2>,
        behind: u8,
    }
    let state = Bounded {
        array: Array::from_iter([7, 9]),
        set: Set::from_iter([3]),
        map: Map::from_iter([(1, true), (2, false)]),
        behind: 77,
    };
    let mut words = Vec::new();
    pack(&state, &mut words).expect("it fits");
    let layout = layout(state);
    let values: Vec<_> = layout
        .iter()
        .map(|(id, slot)| (slot.name.as_str(), layout.value(&words, id)))
        .collect();
    let expected = [
        ("array.len", 2),
        ("array[0]", 7),
        ("array[1]", 9),
        ("array[2]", 5),
        ("set.len", 1),
        ("map.len", 2),
        ("behind", 77),
    ];
    assert_eq!(values, expected);
}

#[test]
fn odd_states_have_layouts_too() {
    assert_eq!(layout(()).slots().len(), 0);
    let [only] = layout(7u8).slots().to_vec().try_into().expect("one slot");
    assert_eq!((only.name.as_str(), only.greatest), ("state", 255));
    let [phase] = layout(Phase::Idle)
        .slots()
        .to_vec()
        .try_into()
        .expect("one");
    assert_eq!(
        phase.kind,
        SlotKind::Named(vec!["Idle".into(), "Busy".into()])
    );
    // Behind something of variable size nothing has a fixed place, and such states have no slots at all.
    assert_eq!(layout((3u8, vec![1u8])).slots().len(), 0);
    // Behind a single bit, the second of three numbers crosses the boundary of words.
    assert_eq!(layout([5u32; 3]).slots().len(), 3);
    let crossing = layout((false, [5u32; 3]));
    let names: Vec<_> = crossing
        .slots()
        .iter()
        .map(|slot| slot.name.as_str())
        .collect();
    assert_eq!(names, ["0", "1[0]", "1[2]"]);
    // Long arrays are not listed to the end.
    assert_eq!(layout([false; 5000]).slots().len(), 1000);
}
