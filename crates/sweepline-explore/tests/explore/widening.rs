//! A run that outgrows its encoding and goes on wider gives the same figures and traces as one that was wide enough
//! from the start.

use sweepline_core::{
    ActionId, Control, Expanded, Fault, Key, KeyError, Layout, Limits, NoProgress, Observer,
    Progress, SlotId, Statistics, Steps, System, Word,
};
use sweepline_explore::{End, Options, Sweep, replay};

use crate::graph::{any_measure, any_system, dynamic, sweep};

/// Tokens wander between three places; up to `total` can be created. Each place is a field of its own width.
struct Places {
    layout: Layout,
    bits: [u32; 3],
    total: i64,
}

impl Places {
    fn new(bits: [u32; 3], total: i64) -> Self {
        let layout = bits
            .iter()
            .zip(["a", "b", "c"])
            .fold(Layout::builder(), |builder, (&bits, name)| {
                builder.guarded(name, bits)
            });
        Self {
            layout: layout.build(),
            bits,
            total,
        }
    }

    fn widened(&self, slot: SlotId) -> Self {
        let mut bits = self.bits;
        bits[slot.0 as usize] *= 4;
        Self::new(bits, self.total)
    }

    fn step(&self, state: &[Word], action: u32, changes: [i64; 3], out: &mut Steps) {
        let target = out.push_copy(ActionId(action), state);
        for (slot, change) in (0..).map(SlotId).zip(changes) {
            let value = self.layout.value(target, slot) + change;
            if self.layout.set(target, slot, value).is_err() {
                return out.fail(Fault::Outgrown { slot });
            }
        }
    }
}

impl System for Places {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &vec![0; self.layout.width().unwrap()]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let tokens = [0, 1, 2].map(|slot| self.layout.value(state, SlotId(slot)));
        if tokens.iter().sum::<i64>() < self.total {
            self.step(state, 0, [1, 0, 0], out);
        }
        if tokens[0] > 0 {
            self.step(state, 1, [-1, 1, 0], out);
        }
        if tokens[1] > 0 {
            self.step(state, 2, [0, -1, 1], out);
        }
        if tokens[2] > 1 {
            self.step(state, 3, [1, 0, -2], out);
        }
    }
}

/// Tokens in `c`, as rows: consuming them regresses.
struct TokensInC(Layout);

impl Progress for TokensInC {
    fn row_bits(&self) -> u32 {
        128
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        Ok(Key(u128::from(
            self.0.value(state, SlotId(2)).unsigned_abs(),
        )))
    }
}

/// The sequence of states as values, whatever the encoding.
struct Values {
    layout: Layout,
    seen: Vec<[i64; 3]>,
}

impl Observer for Values {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        self.seen
            .push([0, 1, 2].map(|slot| self.layout.value(event.state, SlotId(slot))));
        Control::Continue
    }
}

fn run(bits: [u32; 3], window: u64) -> (Statistics, Vec<[i64; 3]>, u32) {
    let mut system = Places::new(bits, 20);
    let measure = TokensInC(system.layout.clone());
    let options = Options {
        window,
        ..Options::default()
    };
    let mut values = Values {
        layout: system.layout.clone(),
        seen: Vec::new(),
    };
    let mut sweep = sweep(Places::new(bits, 20), measure, options);
    let mut widenings = 0;
    loop {
        match sweep.run(dynamic(&mut values)) {
            End::Complete => break,
            End::Outgrown(slot) => {
                widenings += 1;
                system = system.widened(slot);
                values.layout = system.layout.clone();
                let measure = TokensInC(system.layout.clone());
                sweep
                    .recode(
                        any_system(Places::new(system.bits, 20)),
                        any_measure(measure),
                    )
                    .unwrap();
            }
            other => panic!("{other:?}"),
        }
    }
    for (number, values) in (0..).zip(&values.seen).step_by(17) {
        let trace = replay(&system, &sweep.path_to(number).unwrap()).unwrap();
        let last = [0, 1, 2].map(|slot| system.layout.value(trace.last(), SlotId(slot)));
        assert_eq!(&last, values);
    }
    let mut statistics = sweep.statistics().clone();
    (statistics.peak_bytes, statistics.elapsed) = Default::default();
    (statistics, values.seen, widenings)
}

#[test]
fn widening_changes_nothing_but_the_encoding() {
    for window in [0, 2] {
        let wide = run([20, 20, 20], window);
        let narrow = run([1, 1, 1], window);
        assert_eq!(wide.2, 0);
        assert!(
            narrow.2 >= 3,
            "the test must widen, and did {} times",
            narrow.2
        );
        assert_eq!(narrow.0, wide.0);
        assert_eq!(narrow.1, wide.1);
        assert!((wide.0.sweeps > 1) == (window == 0) && wide.0.explored > 1000);
    }
}

/// A system that starts with `total` tokens in `a`.
struct Filled(Places);

impl System for Filled {
    fn layout(&self) -> &Layout {
        self.0.layout()
    }
    fn initial(&self, out: &mut Steps) {
        let empty = vec![0; self.0.layout.width().unwrap()];
        self.0.step(&empty, 0, [self.0.total, 0, 0], out);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        self.0.successors(state, out);
    }
}

/// A run whose initial state does not fit starts again when it does.
#[test]
fn an_initial_state_that_does_not_fit_is_not_forgotten() {
    let system = |bits| any_system(Filled(Places::new([bits; 3], 5)));
    let measure = |bits| any_measure(TokensInC(Places::new([bits; 3], 5).layout));
    let explored = |sweep: &mut Sweep<_, _>| {
        assert_eq!(sweep.run(dynamic(&mut ())), End::Complete);
        sweep.statistics().explored
    };
    let mut wide = Sweep::new(system(8), measure(8), Options::default());
    let mut narrow = Sweep::new(system(1), measure(1), Options::default());
    assert_eq!(narrow.run(dynamic(&mut ())), End::Outgrown(SlotId(0)));
    narrow.recode(system(8), measure(8)).unwrap();
    let expected = explored(&mut wide);
    assert_eq!(explored(&mut narrow), expected);
    assert!(expected > 1);

    // The same with another measure.
    let mut narrow = Sweep::new(system(1), measure(1), Options::default());
    assert_eq!(narrow.run(dynamic(&mut ())), End::Outgrown(SlotId(0)));
    let mut narrow = narrow.remeasured(any_measure(NoProgress)).unwrap();
    narrow.recode(system(8), any_measure(NoProgress)).unwrap();
    assert_eq!(narrow.run(dynamic(&mut ())), End::Complete);
    let states = narrow.statistics().states().unwrap();
    assert!(states > 1 && states <= expected);
}

/// What is stored is rewritten in place: there is hardly more room than for the wider states.
#[test]
fn states_are_not_kept_twice_while_they_are_rewritten() {
    let run = |memory| {
        let limits = Limits {
            memory,
            ..Limits::default()
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        let mut sweep = sweep(Places::new([4, 30, 30], 40), NoProgress, options);
        let end = sweep.run(dynamic(&mut ()));
        assert_eq!(end, End::Outgrown(SlotId(0)));
        let recoded = sweep.recode(
            any_system(Places::new([8, 30, 30], 40)),
            any_measure(NoProgress),
        );
        (recoded, sweep.statistics().peak_bytes)
    };
    let (recoded, stored) = run(None);
    assert_eq!(recoded, Ok(()));
    let (recoded, _) = run(Some(stored + stored / 4));
    assert_eq!(recoded, Ok(()), "both in {stored} bytes and a quarter");
}

/// Keys that are carried along and go astray would open layers that do not exist.
#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "carried along")]
fn a_key_that_is_carried_along_is_compared() {
    struct Astray(TokensInC);
    impl Progress for Astray {
        fn row_bits(&self) -> u32 {
            128
        }
        fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
            self.0.key(state)
        }
        fn step_key(&self, source: Key, _: ActionId, _: &[Word]) -> Result<Key, KeyError> {
            Ok(source)
        }
    }
    let system = Places::new([20, 20, 20], 5);
    let measure = Astray(TokensInC(system.layout.clone()));
    sweep(system, measure, Options::default()).run(dynamic(&mut ()));
}
