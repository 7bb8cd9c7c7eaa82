//! Changing the measure of runs that fill the memory and the file of the trace log; and when it is refused.

use sweepline_core::{
    ActionId, Control, Expanded, Fault, Key, KeyError, LayerClosed, Layout, NoProgress, Observer,
    Progress, Records, SlotId, Steps, StopReason, System, Watch, Word,
};
use sweepline_explore::{End, LogPlace, Options, replay};

use crate::graph::{any_measure, any_system, sweep};

/// Two counters from 0 to `last`, one step at a time.
struct Grid {
    layout: Layout,
    last: Word,
}

impl Grid {
    fn new(last: Word) -> Self {
        let layout = Layout::opaque(Records::Fixed(2));
        Self { layout, last }
    }
}

impl System for Grid {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &[0, 0]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        for (action, counter) in [(ActionId(0), 0), (ActionId(1), 1)] {
            if state[counter] < self.last {
                out.push_copy(action, state)[counter] += 1;
            }
        }
    }
}

/// The sum of all words, as a column or as a row.
struct Sum {
    row_bits: u32,
}

impl Progress for Sum {
    fn row_bits(&self) -> u32 {
        self.row_bits
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        Ok(Key(state.iter().sum::<Word>().into()))
    }
}

/// Marks what was expanded.
struct Marks(Vec<bool>, Word);

impl Observer for Marks {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        let position = event.state[0] * self.1 + event.state[1];
        self.0[usize::try_from(position).unwrap()] = true;
        Control::Continue
    }
}

/// Full search does not fit; the sweep that takes over does, and has nothing to expand again.
#[test]
fn a_sweep_completes_what_full_search_has_no_memory_for() {
    let (side, limit) = (400, 1 << 20);
    let grid = Grid::new(side - 1);
    for row_bits in [0, 128] {
        let mut options = Options::default();
        options.limits.memory = Some(limit);
        let states = side * side;
        let mut marks = Marks(vec![false; usize::try_from(states).unwrap()], side);
        let mut full = sweep(&grid, NoProgress, options);
        assert_eq!(
            full.run(&mut marks),
            End::Limit(StopReason::Memory { limit })
        );
        let stored = full.statistics().peak_states;
        assert!(stored > 10_000 && stored < states / 2, "{stored}");

        let mut sweep = full.remeasured(any_measure(Sum { row_bits })).unwrap();
        assert_eq!(sweep.run(&mut marks), End::Complete);
        assert!(marks.0.iter().all(|&expanded| expanded));
        let statistics = sweep.statistics();
        // What full search had expanded lies behind the sweep-line or in its first layer.
        assert_eq!(statistics.explored, states);
        assert_eq!(statistics.states(), None); // but nobody knows
        assert_eq!(statistics.edges, 2 * side * (side - 1));
        assert_eq!(statistics.peak_states, stored);
        let log = 1 << 19; // the log's buffer comes on top
        assert!(statistics.peak_bytes <= limit + log);
    }
}

/// Sets of some elements; a step adds one. Most states wait while the middle layers are explored.
struct Sets(Layout, u32);

impl System for Sets {
    fn layout(&self) -> &Layout {
        &self.0
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &[0]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        for element in 0..self.1 {
            if state[0] >> element & 1 == 0 {
                out.push(ActionId(element), &[state[0] | 1 << element]);
            }
        }
    }
}

/// The largest element, as a row.
struct Largest;

impl Progress for Largest {
    fn row_bits(&self) -> u32 {
        128
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        Ok(Key((Word::BITS - state[0].leading_zeros()).into()))
    }
}

/// Remembers what has which number, and stops at the next opportunity after so many states.
struct Until(u64, Vec<Word>);

impl Observer for Until {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        assert_eq!(event.number, self.1.len() as u64);
        self.1.push(event.state[0]);
        Control::Continue
    }
    fn tick(&mut self, watch: Watch<'_>) -> Control {
        if watch.statistics.explored < self.0 {
            Control::Continue
        } else {
            Control::Stop
        }
    }
}

/// The number of elements, as a row.
struct Size;

impl Progress for Size {
    fn row_bits(&self) -> u32 {
        128
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        Ok(Key(state[0].count_ones().into()))
    }
}

/// When memory has run out, there is still room to rearrange the states: even if two fifths of them wait, and even
/// if the index is about to double.
#[test]
fn a_full_memory_has_room_for_a_change() {
    let sets = Sets(Layout::opaque(Records::Fixed(1)), 18);
    for (limit, percentage) in [(2_750_000, 40), (4_250_000, 20)] {
        let mut options = Options::default();
        options.limits.memory = Some(limit);
        let mut sweep = sweep(&sets, NoProgress, options);
        let end = sweep.run(&mut ());
        assert_eq!(end, End::Limit(StopReason::Memory { limit }));
        let stored = sweep.statistics().peak_states;
        let waiting = stored - sweep.statistics().explored;
        assert!(
            waiting * 100 / stored >= percentage,
            "{waiting} of {stored}"
        );
        assert!(sweep.remeasured(any_measure(Size)).is_ok());
    }
}

/// The log is cut within its file and within its buffer; paths to states before and after are right.
#[test]
fn paths_survive_when_the_log_is_cut() {
    let sets = Sets(Layout::opaque(Records::Fixed(1)), 18);
    for stops in [[50_000, 150_000], [100_000, 101_000], [5_000, 230_000]] {
        let mut seen = Until(stops[0], Vec::new());
        let mut sweep = sweep(&sets, NoProgress, Options::default());
        assert_eq!(sweep.run(&mut seen), End::Stopped);
        seen.0 = stops[1];
        let mut sweep = sweep.remeasured(any_measure(Largest)).unwrap();
        assert_eq!(sweep.run(&mut seen), End::Stopped);
        seen.0 = u64::MAX;
        let mut sweep = sweep.remeasured(any_measure(NoProgress)).unwrap();
        assert_eq!(sweep.run(&mut seen), End::Complete);

        let mut expanded = vec![false; 1 << 18];
        for (number, &state) in (0..).zip(&seen.1) {
            expanded[usize::try_from(state).unwrap()] = true;
            if number % 37 == 0 {
                let path = sweep.path_to(number).unwrap();
                assert_eq!(replay(&sets, &path).unwrap().last(), [state]);
            }
        }
        assert!(expanded.iter().all(|&expanded| expanded));
        assert_eq!(sweep.statistics().explored, seen.1.len() as u64);
    }
}

/// Where there is no log, or not any more, the run goes on without.
#[test]
fn a_lost_log_does_not_stop_a_change() {
    let sets = Sets(Layout::opaque(Records::Fixed(1)), 17);
    for log in [
        LogPlace::Off,
        LogPlace::Directory("no/such/directory".into()),
    ] {
        for stop in [1_000, 60_000] {
            let options = Options {
                log: log.clone(),
                ..Options::default()
            };
            let mut seen = Until(stop, Vec::new());
            let mut sweep = sweep(&sets, Largest, options);
            assert_eq!(sweep.run(&mut seen), End::Stopped);
            seen.0 = u64::MAX;
            let mut sweep = sweep.remeasured(any_measure(NoProgress)).unwrap();
            assert_eq!(sweep.run(&mut seen), End::Complete);
            seen.1.sort_unstable();
            seen.1.dedup();
            assert_eq!(seen.1.len(), 1 << 17);
            assert!(sweep.path_to(0).is_err());
        }
    }
}

/// A counter in a slot of so many bits.
struct Counter(Layout);

impl Counter {
    fn new(bits: u32) -> Self {
        Self(Layout::builder().guarded("n", bits).build())
    }
}

impl System for Counter {
    fn layout(&self) -> &Layout {
        &self.0
    }
    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &[0]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let next = self.0.value(state, SlotId(0)) + 1;
        let target = out.push_copy(ActionId(0), state);
        if self.0.set(target, SlotId(0), next).is_err() {
            out.fail(Fault::Outgrown { slot: SlotId(0) });
        }
    }
}

/// Counts layers and stops at the tenth.
struct Layers(u32);

impl Observer for Layers {
    fn layer_closed(&mut self, _: LayerClosed<'_>) -> Control {
        self.0 += 1;
        if self.0.is_multiple_of(10) {
            Control::Stop
        } else {
            Control::Continue
        }
    }
}

/// If states were rewritten halfway, nothing can be made of them any more.
#[test]
fn a_broken_run_does_not_go_on() {
    let mut sweep = sweep(Counter::new(8), Sum { row_bits: 128 }, Options::default());
    assert_eq!(sweep.run(&mut Layers(0)), End::Stopped);
    let misfit = sweep.recode(
        any_system(Counter::new(2)),
        any_measure(Sum { row_bits: 128 }),
    );
    assert!(matches!(misfit, Err(StopReason::Other(_))), "{misfit:?}");
    assert!(matches!(
        sweep.run(&mut ()),
        End::Limit(StopReason::Other(_))
    ));
    let refused = sweep.remeasured(any_measure(NoProgress)).err();
    assert!(matches!(refused, Some(StopReason::Other(_))), "{refused:?}");
}

/// An outgrown slot is no obstacle: the measure can be changed before the encoding is.
#[test]
fn a_measure_can_change_before_the_encoding_does() {
    let mut sweep = sweep(Counter::new(3), Sum { row_bits: 128 }, Options::default());
    assert_eq!(sweep.run(&mut ()), End::Outgrown(SlotId(0)));
    let explored = sweep.statistics().explored;
    let mut sweep = sweep.remeasured(any_measure(NoProgress)).unwrap();
    assert_eq!(sweep.run(&mut ()), End::Outgrown(SlotId(0)));
    assert_eq!(sweep.statistics().explored, explored);
    sweep
        .recode(any_system(Counter::new(8)), any_measure(NoProgress))
        .unwrap();
    assert_eq!(sweep.run(&mut ()), End::Outgrown(SlotId(0)));
    assert_eq!(sweep.statistics().explored, 255);
}

/// The sum of all words, as long as it is less than a hundred.
struct Small;

impl Progress for Small {
    fn row_bits(&self) -> u32 {
        0
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        match state.iter().sum() {
            sum @ 0..100 => Ok(Key(sum.into())),
            sum => Err(KeyError::TooLarge {
                measure: "sum".into(),
                value: sum.to_string(),
            }),
        }
    }
}

/// A measure that has no key for a state can be replaced, and cannot replace another.
#[test]
fn states_without_a_key_end_a_measure() {
    let grid = Grid::new(99);
    let mut sweep = sweep(&grid, Small, Options::default());
    let end = sweep.run(&mut ());
    assert!(
        matches!(&end, End::Limit(StopReason::Measure(_))),
        "{end:?}"
    );
    let mut sweep = sweep.remeasured(any_measure(Sum { row_bits: 0 })).unwrap();
    assert_eq!(sweep.run(&mut Layers(0)), End::Stopped);
    let refused = sweep.remeasured(any_measure(Small)).err();
    assert!(
        matches!(refused, Some(StopReason::Measure(_))),
        "{refused:?}"
    );
}
