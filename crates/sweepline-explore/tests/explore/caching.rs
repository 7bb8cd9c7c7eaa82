//! State space caching visits what plain search visits, whatever it throws out.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;
use sweepline_core::{
    ActionId, Cancel, Control, Deadline, Expanded, Fault, LayerClosed, Layout, Limits, NoProgress,
    Observer, SlotId, Statistics, Steps, StopReason, System, Word,
};
use sweepline_explore::{
    Caching, CachingOptions, End, LogError, LogPlace, Options, Replacement, replay,
};
use sweepline_model::ModelSystem;
use sweepline_model::zoo::database::Database;
use sweepline_model::zoo::go_back_n::GoBackNWords;
use sweepline_model::zoo::stop_and_wait::StopAndWait;

use crate::graph::{Graph, SHAPES, any_system, dynamic, random, sweep};
use crate::limits::Endless;

fn graphs(max: usize) -> impl Strategy<Value = Graph> {
    let shape = prop::sample::select(&SHAPES[..]);
    (1..=max, shape).prop_flat_map(|(n, shape)| {
        let edges = prop::collection::vec(prop::collection::vec(0..n, 0..4), n);
        let initial = prop::collection::vec(0..n, 0..3);
        (edges, initial).prop_map(move |(edges, initial)| Graph::plain(edges, initial, shape))
    })
}

/// Remembers which state has which number, and how many layers were closed.
#[derive(Default)]
struct Visited {
    states: Vec<Vec<Word>>,
    closed: u64,
}

impl Visited {
    fn numbers(&self) -> BTreeSet<usize> {
        self.states.iter().map(|state| state[0] as usize).collect()
    }
}

impl Observer for Visited {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        assert_eq!(event.number, self.states.len() as u64);
        self.states.push(event.state.to_vec());
        Control::Continue
    }
    fn layer_closed(&mut self, _: LayerClosed<'_>) -> Control {
        self.closed += 1;
        Control::Continue
    }
}

/// Stops at an expansion.
struct StopAt(u64);

impl Observer for StopAt {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        if event.number == self.0 {
            Control::Stop
        } else {
            Control::Continue
        }
    }
}

fn options(capacity: usize, replacement: Replacement) -> CachingOptions {
    CachingOptions {
        capacity,
        replacement,
        ..CachingOptions::default()
    }
}

/// The figures that do not depend on the engine.
fn comparable(statistics: &Statistics) -> Statistics {
    Statistics {
        peak_bytes: 0,
        elapsed: Duration::ZERO,
        ..statistics.clone()
    }
}

fn plain(system: &impl System) -> Statistics {
    let mut sweep = sweep(system, NoProgress, Options::default());
    assert_eq!(sweep.run(dynamic(&mut ())), End::Complete);
    comparable(sweep.statistics())
}

/// A run with this capacity visits exactly the reachable states, and every path in the log leads where it should.
fn check(graph: &Graph, options: CachingOptions) -> Result<Statistics, TestCaseError> {
    let capacity = options.capacity;
    let mut caching = Caching::new(any_system(graph), options);
    let mut visited = Visited::default();
    prop_assert_eq!(caching.run(dynamic(&mut visited)), End::Complete);
    let reachable = graph.reachable();
    prop_assert_eq!(visited.numbers(), reachable.clone());
    prop_assert_eq!(visited.closed, u64::from(!graph.initial.is_empty()));
    for (number, state) in visited.states.iter().enumerate() {
        let path = caching.path_to(number as u64).unwrap();
        let trace = replay(graph, &path).unwrap();
        prop_assert_eq!(trace.last(), &state[..]);
    }
    let statistics = comparable(caching.statistics());
    prop_assert_eq!(statistics.explored, visited.states.len() as u64);
    prop_assert_eq!(statistics.repeated, caching.thrown_out() > 0);
    let kept_to = capacity.max(caching.longest_stack()) as u64;
    prop_assert!(statistics.peak_states <= kept_to);
    prop_assert_eq!(
        statistics.repeated,
        statistics.peak_states < reachable.len() as u64 || capacity < reachable.len()
    );
    let dead = reachable.iter().any(|&state| graph.edges[state].is_empty());
    prop_assert_eq!(statistics.deadlock_expansions > 0, dead);
    Ok(statistics)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn with_room_for_all_it_is_plain_search(graph in graphs(14)) {
        let expected = plain(&graph);
        for replacement in Replacement::ALL {
            let statistics = check(&graph, options(usize::MAX, replacement))?;
            prop_assert_eq!(&statistics, &expected);
            let just_enough = options(graph.reachable().len(), replacement);
            prop_assert_eq!(&check(&graph, just_enough)?, &expected);
        }
    }

    #[test]
    fn with_any_room_it_visits_exactly_the_reachable_states(graph in graphs(9), seed in any::<u64>()) {
        for replacement in Replacement::ALL {
            for capacity in 0..graph.reachable().len() {
                check(&graph, CachingOptions { seed, ..options(capacity, replacement) })?;
            }
        }
    }

    #[test]
    fn the_stack_is_the_path(graph in graphs(9), capacity in 0..8_usize, at in 0..30_u64) {
        let options = CachingOptions { log: LogPlace::Off, ..options(capacity, Replacement::Random) };
        let mut all = Visited::default();
        Caching::new(any_system(&graph), options.clone()).run(dynamic(&mut all));
        let mut caching = Caching::new(any_system(&graph), options);
        if caching.run(dynamic(&mut StopAt(at))) == End::Stopped {
            let trace = replay(&graph, &caching.path_to(at).unwrap()).unwrap();
            prop_assert_eq!(trace.last(), &all.states[at as usize][..]);
            let states: BTreeSet<&[Word]> = trace.moves().map(|(state, _)| state).collect();
            prop_assert_eq!(states.len(), trace.steps.len(), "the stack does not repeat");
        } else {
            prop_assert!(all.states.len() as u64 <= at);
        }
        prop_assert_eq!(caching.path_to(1000), Err(LogError::Off));
    }

    #[test]
    fn an_interrupted_run_goes_on_where_it_was(graph in graphs(9), capacity in 0..8_usize) {
        let options = options(capacity, Replacement::Oldest);
        let mut whole = Caching::new(any_system(&graph), options.clone());
        whole.run(dynamic(&mut ()));
        let mut parts = Caching::new(any_system(&graph), options);
        let mut stops = 0;
        while parts.run(dynamic(&mut StopAt(stops))) == End::Stopped {
            stops += 1;
        }
        prop_assert_eq!(stops, whole.statistics().explored);
        prop_assert_eq!(comparable(parts.statistics()), comparable(whole.statistics()));
    }

    #[test]
    fn a_limit_gives_an_honest_prefix(graph in graphs(9), capacity in 0..8_usize, limit in 0..20_u64) {
        let mut options = options(capacity, Replacement::Newest);
        options.limits.states = Some(limit);
        let mut caching = Caching::new(any_system(&graph), options);
        let end = caching.run(dynamic(&mut ()));
        let statistics = caching.statistics();
        prop_assert_eq!(end == End::Complete, statistics.complete);
        prop_assert!(statistics.explored <= limit);
        if end != End::Complete {
            prop_assert_eq!(end, End::Limit(StopReason::States { limit }));
            prop_assert_eq!((statistics.explored, statistics.states()), (limit, None));
        }
    }
}

/// Deep stacks drop the steps of frames below the top and generate them again.
#[test]
fn a_large_random_graph_in_every_shape() {
    let mut next = random(7);
    let n = 20_000;
    let edges: Vec<Vec<usize>> = (0..n)
        .map(|_| (0..next(6)).map(|_| next(n)).collect())
        .collect();
    for shape in SHAPES {
        let graph = Graph::plain(edges.clone(), (0..40).collect(), shape);
        let expected = plain(&graph);
        let mut caching =
            Caching::new(any_system(&graph), options(usize::MAX, Replacement::Random));
        let mut visited = Visited::default();
        assert_eq!(caching.run(dynamic(&mut visited)), End::Complete);
        assert!(
            caching.longest_stack() > 5000,
            "{}",
            caching.longest_stack()
        );
        assert_eq!(comparable(caching.statistics()), expected);
        for number in (0..visited.states.len()).step_by(997) {
            let trace = replay(&graph, &caching.path_to(number as u64).unwrap()).unwrap();
            assert_eq!(trace.last(), visited.states[number]);
        }
    }
}

#[test]
fn models_of_the_zoo_have_the_known_size() {
    let database = ModelSystem::new(Database::new(6).unwrap());
    let stop_and_wait = ModelSystem::new(StopAndWait { packets: 10 });
    let go_back_n = GoBackNWords::new(5, 3, 2).unwrap();
    check_model(&database, 6 * 3_u64.pow(5) + 2);
    check_model(&stop_and_wait, 271 * 10 - 134);
    check_model(&go_back_n, plain(&go_back_n).explored);
}

fn check_model(system: &impl System, states: u64) {
    let expected = plain(system);
    for replacement in Replacement::ALL {
        let mut full = Caching::new(any_system(system), options(usize::MAX, replacement));
        assert_eq!(full.run(dynamic(&mut ())), End::Complete);
        assert_eq!(full.statistics().states(), Some(states));
        assert_eq!(comparable(full.statistics()), expected);

        let limit = 20 * states;
        let mut most = options(states as usize * 19 / 20, replacement);
        most.limits.states = Some(limit);
        let mut caching = Caching::new(any_system(system), most.clone());
        let end = caching.run(dynamic(&mut ()));
        let statistics = caching.statistics();
        assert!(statistics.repeated && statistics.explored >= states);
        assert_eq!(statistics.peak_states, most.capacity as u64);
        if end == End::Complete {
            let deadlocks = statistics.deadlock_expansions > 0;
            assert_eq!(deadlocks, expected.deadlock_expansions > 0);
        } else {
            assert_eq!(end, End::Limit(StopReason::States { limit }));
        }
    }
}

#[test]
fn limits_end_an_endless_run() {
    let cancel = Cancel::default();
    cancel.cancel();
    let (memory, time) = (3_000_000, Duration::from_millis(50));
    let none = Limits::default;
    for (limits, reason) in [
        (
            Limits {
                memory: Some(memory),
                ..none()
            },
            StopReason::Memory { limit: memory },
        ),
        (
            Limits {
                deadline: Some(Deadline::after(time)),
                ..none()
            },
            StopReason::Time { limit: time },
        ),
        (Limits { cancel, ..none() }, StopReason::Interrupted),
    ] {
        let system = Endless::new();
        let options = CachingOptions {
            limits,
            ..options(1000, Replacement::Random)
        };
        let mut caching = Caching::new(any_system(system), options);
        assert_eq!(caching.run(dynamic(&mut ())), End::Limit(reason.clone()));
        assert!(!caching.statistics().complete);
        if matches!(reason, StopReason::Memory { .. }) {
            let besides = 1 << 19; // the log's buffer and the steps that are kept
            let peak = caching.statistics().peak_bytes;
            assert!(peak > memory / 2 && peak <= memory + besides, "{peak}");
        }
    }
}

/// A counter in a field of some width that counts to 40 in steps of one and two, and fails there.
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
        out.push(ActionId(0), &vec![0; self.0.width().unwrap()]);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let value = self.0.value(state, SlotId(0));
        for more in [2, 1] {
            if value + more > 40 {
                let (action, message) = (ActionId(7), "too much".to_owned());
                return out.fail(Fault::Model { action, message });
            }
            let target = out.push_copy(ActionId(0), state);
            if self.0.set(target, SlotId(0), value + more).is_err() {
                return out.fail(Fault::Outgrown { slot: SlotId(0) });
            }
        }
    }
}

#[test]
fn a_run_goes_on_wider_and_a_fault_has_a_path() {
    for capacity in [usize::MAX, 10, 0] {
        let mut bits = 1;
        let mut caching = Caching::new(
            Counter::new(bits),
            CachingOptions {
                log: LogPlace::Off,
                ..options(capacity, Replacement::Oldest)
            },
        );
        let number = loop {
            match caching.run(dynamic(&mut ())) {
                End::Outgrown(SlotId(0)) => {
                    bits *= 2;
                    caching.recode(Counter::new(bits)).unwrap();
                }
                End::Fault { number, action, .. } => {
                    assert_eq!(action, ActionId(7));
                    break number;
                }
                other => panic!("{other:?}"),
            }
        };
        let wide = Counter::new(bits);
        let trace = replay(&wide, &caching.path_to(number).unwrap()).unwrap();
        assert_eq!(wide.0.value(trace.last(), SlotId(0)), 40);
        assert_eq!((number, bits), (20, 8));
    }
}

/// States that could not all be rewritten are not explored any further.
#[test]
fn a_broken_run_does_not_go_on() {
    let options = options(usize::MAX, Replacement::Oldest);
    let mut caching = Caching::new(Counter::new(4), options);
    assert_eq!(caching.run(dynamic(&mut ())), End::Outgrown(SlotId(0)));
    let misfit = caching.recode(Counter::new(2));
    assert!(matches!(misfit, Err(StopReason::Other(_))), "{misfit:?}");
    let explored = caching.statistics().explored;
    let end = caching.run(dynamic(&mut ()));
    assert!(matches!(end, End::Limit(StopReason::Other(_))), "{end:?}");
    assert!(caching.recode(Counter::new(8)).is_err());
    assert_eq!(caching.statistics().explored, explored);
}
