//! The models of the zoo have the known numbers of states and edges.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::{HashSet, VecDeque};

use sweepline_core::{ActionId, Describe, Key, Progress, Steps, System, Word};
use sweepline_model::ModelSystem;
use sweepline_model::zoo::database::Database;
use sweepline_model::zoo::go_back_n::{GoBackN, GoBackNWords};
use sweepline_model::zoo::stop_and_wait::StopAndWait;
use sweepline_model::zoo::two_phase_commit::{FlatTwoPhaseCommit, TwoPhaseCommit};

#[derive(Debug, PartialEq, Eq)]
struct Counts {
    states: usize,
    edges: usize,
    deadlocks: usize,
}

/// Calls `visit` with every reachable state and its steps, breadth first; naive on purpose.
fn explore(system: &impl System, mut visit: impl FnMut(&[Word], &Steps)) -> Counts {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut seen = HashSet::new();
    let mut front = VecDeque::new();
    let mut counts = Counts {
        states: 0,
        edges: 0,
        deadlocks: 0,
    };
    loop {
        assert_eq!(steps.fault(), None);
        for index in 0..steps.len() {
            if seen.insert(steps.target(index).to_vec()) {
                front.push_back(steps.target(index).to_vec());
            }
        }
        let Some(state) = front.pop_front() else {
            return counts;
        };
        steps.clear();
        system.successors(&state, &mut steps);
        visit(&state, &steps);
        counts.states += 1;
        counts.edges += steps.len();
        counts.deadlocks += usize::from(steps.is_empty());
    }
}

fn count(system: &impl System) -> Counts {
    explore(system, |_, _| {})
}

/// The number of edges along which a measure decreases, and its layers.
fn regress_edges(system: &impl System, measure: &impl Progress) -> (usize, usize) {
    let key = |state: &[Word]| measure.key(state).unwrap();
    let mut layers = HashSet::new();
    let mut regress = 0;
    explore(system, |state, steps| {
        let source = key(state);
        layers.insert(source);
        let targets = (0..steps.len()).map(|index| key(steps.target(index)));
        regress += targets.filter(|target| *target < source).count();
    });
    (regress, layers.len())
}

#[test]
fn database_replication() {
    for managers in 4..=6 {
        let system = ModelSystem::new(Database::new(managers).unwrap());
        assert_eq!(system.layout().width(), Some(1));
        let counts = count(&system);
        let d = usize::from(managers);
        let states = d * 3usize.pow(u32::from(managers) - 1) + 2;
        assert_eq!((counts.states, counts.deadlocks), (states, 0));
        // Only the end of a change regresses, once per manager; every state has its own layer.
        let measured = regress_edges(&system, &system.model().measure());
        assert_eq!(measured, (d, states));
    }
}

#[test]
fn the_measure_of_the_database_is_the_one_of_the_paper() {
    let system = ModelSystem::new(Database::new(4).unwrap());
    let measure = system.model().measure();
    let mut explained = HashSet::new();
    explore(&system, |state, _| {
        let key = measure.key(state).unwrap();
        explained.insert(measure.explain(key));
    });
    let of = |value: i64| format!("writer and messages {value}");
    let expected = [-2, -1].into_iter().chain(27..=4 * 27 + 26);
    assert_eq!(explained, expected.map(of).collect());
}

#[test]
fn a_database_has_room_for_sixteen_managers() {
    assert!(Database::new(16).is_ok());
    let message = "17 managers are more than a state has room for, which is 16";
    assert_eq!(Database::new(17).unwrap_err().to_string(), message);
}

/// The numbers of states are those that other checkers report for this model.
#[test]
fn two_phase_commit() {
    let rich = |managers| count(&ModelSystem::new(TwoPhaseCommit { managers }));
    assert_eq!(rich(3).states, 288);
    assert_eq!(rich(5).states, 8_832);
    assert_eq!(rich(3), count(&ModelSystem::new(FlatTwoPhaseCommit::<3>)));
    assert_eq!(rich(5), count(&ModelSystem::new(FlatTwoPhaseCommit::<5>)));
}

#[test]
fn stop_and_wait() {
    for packets in [1, 2, 5, 10] {
        let system = ModelSystem::new(StopAndWait { packets });
        assert_eq!(system.layout().width(), Some(2));
        let counts = count(&system);
        assert_eq!(counts.states, 271 * usize::from(packets) - 134);
        assert_eq!(counts.deadlocks, 1);
        if packets == 10 {
            assert_eq!(counts.edges, 6_950);
        }
        let measured = regress_edges(&system, &system.model().measure());
        assert_eq!(measured, (0, usize::from(packets) + 1));
    }
}

#[test]
fn go_back_n_agrees_with_the_reference() {
    check_go_back_n::<1>(1, 1);
    check_go_back_n::<1>(5, 3);
    check_go_back_n::<2>(6, 1);
    check_go_back_n::<2>(7, 3);
    check_go_back_n::<3>(4, 2);
    check_go_back_n::<3>(4, 9);
    check_go_back_n::<4>(3, 4);
    check_go_back_n::<6>(2, 2);
}

/// The typed model, the packed one and the reference have the same states and the same steps in the same order.
fn check_go_back_n<const C: usize>(messages: u16, window: u16) {
    let typed = ModelSystem::new(GoBackN::<C> { messages, window });
    let capacity = u32::try_from(C).unwrap();
    let packed = GoBackNWords::new(messages, window, capacity).unwrap();
    let reference = reference::count(messages.into(), window.into(), C);
    assert_eq!(
        count(&typed),
        reference,
        "typed, C={C} W={window} K={messages}"
    );
    assert_eq!(
        count(&packed),
        reference,
        "packed, C={C} W={window} K={messages}"
    );
    let typed_key = typed.model().measure();
    let packed_key = packed.measure();
    assert_eq!(
        transcript(&typed, |state| typed_key.key(state).unwrap()),
        transcript(&packed, |state| packed_key.key(state).unwrap())
    );
}

/// A state as people see it, its key, and the names of its steps.
type Line = (Vec<(String, String)>, Key, Vec<String>);

/// All states in the order of the search.
fn transcript(system: &impl Describe, key: impl Fn(&[Word]) -> Key) -> Vec<Line> {
    let mut transcript = Vec::new();
    explore(system, |state, steps| {
        let name =
            |(ordinal, action): (usize, &ActionId)| system.step_name(state, ordinal, *action);
        let names = steps.actions().iter().enumerate().map(name).collect();
        transcript.push((system.show(state), key(state), names));
    });
    transcript
}

#[test]
fn the_measure_of_go_back_n_is_monotone() {
    let typed = ModelSystem::new(GoBackN::<2> {
        messages: 5,
        window: 3,
    });
    assert_eq!(regress_edges(&typed, &typed.model().measure()), (0, 11));
}

/// Beyond a few messages every further one adds the same number of states and edges, so two small instances tell the
/// size of a large one.
#[test]
fn narrow_go_back_n_has_the_known_size() {
    let size = |messages| count(&GoBackNWords::new(messages, 4, 4).unwrap());
    let (small, larger) = (size(20), size(21));
    assert_eq!(small.states, 270_610);
    let states = small.states + (400 - 20) * (larger.states - small.states);
    assert_eq!(states, 6_159_090);
}

/// The go-back-N protocol as the book would write it, without any packing.
mod reference {
    use std::collections::{HashSet, VecDeque};

    use super::Counts;

    #[derive(Clone, Default, PartialEq, Eq, Hash)]
    struct State {
        b: usize,
        n: usize,
        r: usize,
        d: VecDeque<usize>,
        a: VecDeque<usize>,
    }

    pub(super) fn count(k: usize, w: usize, c: usize) -> Counts {
        let mut seen = HashSet::from([State::default()]);
        let mut open = vec![State::default()];
        let (mut edges, mut deadlocks) = (0, 0);
        while let Some(state) = open.pop() {
            let targets = successors(&state, k, w, c);
            edges += targets.len();
            deadlocks += usize::from(targets.is_empty());
            open.extend(
                targets
                    .into_iter()
                    .filter(|target| seen.insert(target.clone())),
            );
        }
        Counts {
            states: seen.len(),
            edges,
            deadlocks,
        }
    }

    fn successors(state: &State, k: usize, w: usize, c: usize) -> Vec<State> {
        let State { b, n, r, d, a } = state;
        let mut targets = Vec::new();
        let mut add = |enabled: bool, effect: &dyn Fn(&mut State)| {
            if enabled {
                let mut target = state.clone();
                effect(&mut target);
                targets.push(target);
            }
        };
        add(*n < b + w && *n < k && d.len() < c, &|to| {
            to.d.push_back(*n);
            to.n += 1;
        });
        add(n > b, &|to| to.n = *b);
        add(!d.is_empty(), &|to| {
            to.d.pop_front();
        });
        add(!d.is_empty() && a.len() < c, &|to| {
            if to.d.pop_front() == Some(*r) {
                to.r += 1;
            }
            to.a.push_back(to.r);
        });
        add(!a.is_empty(), &|to| {
            to.a.pop_front();
        });
        add(a.front().is_some_and(|head| head > b), &|to| {
            to.b = to.a.pop_front().unwrap();
            to.n = to.n.max(to.b);
        });
        targets
    }
}
