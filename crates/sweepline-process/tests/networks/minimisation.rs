//! Minimisation.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sweepline_core::{Limits, StopReason};
use sweepline_process::{
    Component, Equivalence, Lts, LtsBuilder, LtsEdge, Network, StateId, StateKind, TAU, compose,
    minimise, minimise_within,
};

use crate::bisimilar::relation;
use crate::models;
use crate::random::{self, Kinds};

const BOTH: [Equivalence; 2] = [Equivalence::Strong, Equivalence::Branching];

fn reachable(lts: &Lts) -> BTreeSet<StateId> {
    let mut reached = BTreeSet::from([lts.initial()]);
    let mut open = vec![lts.initial()];
    while let Some(state) = open.pop() {
        for edge in lts.edges_from(state) {
            if reached.insert(edge.target) {
                open.push(edge.target);
            }
        }
    }
    reached
}

/// The number of classes of reachable states.
fn classes(lts: &Lts, how: Equivalence) -> usize {
    let related = relation(lts, how);
    let reachable = reachable(lts);
    let first = |state: &&StateId| {
        let mut smaller = reachable.iter().take_while(|other| other < state);
        !smaller.any(|&other| related.contains(&(other, **state)))
    };
    reachable.iter().filter(first).count()
}

/// Two LTSs over the same alphabet side by side, and where the second one starts.
fn union(left: &Lts, right: &Lts) -> (Lts, StateId) {
    let mut builder = LtsBuilder::default();
    for label in left.labels() {
        builder.label(label);
    }
    for lts in [left, right] {
        for state in lts.states() {
            let copy = builder.state();
            builder.set_kind(copy, lts.kind(state));
        }
    }
    let offset = u32::try_from(left.len()).expect("it is small");
    let shifted = |state: StateId| StateId(state.0 + offset);
    for state in left.states() {
        for edge in left.edges_from(state) {
            builder.edge(state, edge.label, edge.target);
        }
    }
    for state in right.states() {
        for edge in right.edges_from(state) {
            builder.edge(shifted(state), edge.label, shifted(edge.target));
        }
    }
    (builder.build(left.initial()), shifted(right.initial()))
}

fn equivalent(left: &Lts, right: &Lts, how: Equivalence) -> bool {
    let (both, other) = union(left, right);
    relation(&both, how).contains(&(both.initial(), other))
}

/// Whether a deadlock and whether an error can be reached.
fn verdicts(network: &Network) -> (bool, bool) {
    let lts = compose(network, 10_000).expect("it is small");
    let deadlock = lts
        .states()
        .any(|state| lts.kind(state) == StateKind::Ordinary && lts.edges_from(state).is_empty());
    let error = lts
        .states()
        .any(|state| lts.kind(state) == StateKind::Error);
    (deadlock, error)
}

fn with_components(network: &Network, change: impl Fn(&Component) -> Lts) -> Network {
    let mut changed = network.clone();
    for component in &mut changed.components {
        component.lts = change(component).into();
    }
    changed
}

/// The labels of a component that no other has.
fn private(network: &Network, component: &Component) -> BTreeSet<String> {
    let others = network
        .components
        .iter()
        .filter(|other| other.name != component.name);
    let shared: BTreeSet<&String> = others.flat_map(|other| other.lts.labels()).collect();
    let labels = component.lts.labels().iter().skip(1);
    labels
        .filter(|label| !shared.contains(label))
        .cloned()
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_result_is_the_smallest_equivalent(lts in random::lts(7, Kinds::All)) {
        for how in BOTH {
            let small = minimise(&lts, how);
            prop_assert_eq!(small.len(), classes(&lts, how), "{:?}", how);
            prop_assert!(equivalent(&lts, &small, how), "{:?}", how);
            prop_assert_eq!(small.labels(), lts.labels());
            prop_assert_eq!(&minimise(&small, how), &small);
        }
    }

    #[test]
    fn networks_of_minimised_components_have_the_same_verdicts(network in random::network(Kinds::All)) {
        let network = Network { priority: None, ..network };
        for how in BOTH {
            let small = with_components(&network, |component| minimise(&component.lts, how));
            prop_assert_eq!(verdicts(&small), verdicts(&network), "{:?}", how);
            let small = with_components(&network, |component| {
                minimise(&component.lts.hidden(&private(&network, component)), how)
            });
            prop_assert_eq!(verdicts(&small), verdicts(&network), "private labels hidden, {:?}", how);
        }
    }

    #[test]
    fn strong_bisimilarity_keeps_priorities(network in random::network(Kinds::All)) {
        let how = Equivalence::Strong;
        let small = with_components(&network, |component| minimise(&component.lts, how));
        prop_assert_eq!(verdicts(&small), verdicts(&network));
        let [left, right] = [&network, &small].map(|network| minimise(&compose(network, 1000).unwrap(), how));
        prop_assert_eq!((left.len(), left.edge_count()), (right.len(), right.edge_count()));
    }
}

/// States and edges of the result.
fn check(edges: &[(u32, &str, u32)], how: Equivalence, expected: (usize, usize)) {
    let mut builder = LtsBuilder::default();
    let ends = edges.iter().map(|(source, _, target)| *source.max(target));
    for _ in 0..=ends.max().unwrap_or(0) {
        builder.state();
    }
    for (source, label, target) in edges {
        let label = builder.label(label);
        builder.edge(StateId(*source), label, StateId(*target));
    }
    let small = minimise(&builder.build(StateId(0)), how);
    assert_eq!(
        (small.len(), small.edge_count()),
        expected,
        "{how:?} {edges:?}"
    );
}

#[test]
fn textbook_examples() {
    use Equivalence::{Branching, Strong};
    check(&[], Strong, (1, 0));
    check(
        &[(0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "b", 3)],
        Strong,
        (3, 2),
    );
    check(
        &[(0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "c", 3)],
        Strong,
        (4, 4),
    );
    // An internal choice is seen, an internal step before the only choice is not.
    check(&[(0, "tau", 1), (1, "a", 2)], Branching, (2, 1));
    check(
        &[(0, "tau", 1), (0, "b", 2), (1, "a", 2)],
        Branching,
        (3, 3),
    );
    // The end of a deadlock is not the same as an endless loop.
    check(&[(0, "a", 1), (1, "tau", 1)], Branching, (2, 2));
    check(
        &[(0, "a", 1), (0, "a", 2), (1, "tau", 1)],
        Branching,
        (3, 3),
    );
    check(
        &[(0, "tau", 1), (1, "tau", 0), (1, "a", 2)],
        Branching,
        (2, 2),
    );
    check(&[(0, "tau", 1), (1, "tau", 1)], Branching, (1, 1));
}

#[test]
fn the_order_of_states_does_not_matter() {
    let lts = compose(&models::stop_and_wait(3), 10_000).unwrap();
    for how in BOTH {
        let small = minimise(&lts, how);
        let mut builder = LtsBuilder::default();
        let count = u32::try_from(lts.len()).unwrap();
        for _ in 0..count {
            builder.state();
        }
        for label in lts.labels() {
            builder.label(label);
        }
        let renamed = |state: StateId| StateId(count - 1 - state.0);
        for state in lts.states() {
            for edge in lts.edges_from(state).iter().rev() {
                builder.edge(renamed(state), edge.label, renamed(edge.target));
            }
        }
        assert_eq!(minimise(&builder.build(renamed(lts.initial())), how), small);
    }
}

/// Long chains are where naive refinement takes quadratic time; run it with `--release` for the time.
#[test]
fn large_systems_are_minimised_fast() {
    let chain = |label: fn(u32) -> &'static str| {
        let mut builder = LtsBuilder::default();
        for _ in 0..200_000 {
            builder.state();
        }
        for state in 1..200_000 {
            let label = builder.label(label(state));
            builder.edge(StateId(state - 1), label, StateId(state));
        }
        builder.build(StateId(0))
    };
    let visible = chain(|_| "a");
    let mixed = chain(|state| ["a", "tau", "tau", "b"][state as usize % 4]);
    let product = compose(&models::two_phase_commit(6), 100_000).unwrap();
    for (name, lts) in [("chain", visible), ("mixed", mixed), ("commit", product)] {
        for how in BOTH {
            let started = std::time::Instant::now();
            let small = minimise(&lts, how);
            let edges = lts.edge_count();
            eprintln!(
                "{name}, {edges} edges, {how:?}: {} states, {:?}",
                small.len(),
                started.elapsed()
            );
        }
    }
}

/// The number of classes of reachable states, by signatures of all states again and again until nothing changes.
/// For systems that are too large for relations.
fn classes_by_signatures(lts: &Lts, how: Equivalence) -> usize {
    let mut blocks: Vec<usize> = lts.states().map(|state| lts.kind(state) as usize).collect();
    let mut count = 0;
    loop {
        let mut numbers = BTreeMap::new();
        let mut next = Vec::new();
        for state in lts.states() {
            let signature = (
                blocks[state.0 as usize],
                signature(lts, state, &blocks, how),
            );
            let number = numbers.len();
            next.push(*numbers.entry(signature).or_insert(number));
        }
        blocks = next;
        if numbers.len() == count {
            let reached = reachable(lts).into_iter();
            let classes: BTreeSet<usize> = reached.map(|state| blocks[state.0 as usize]).collect();
            return classes.len();
        }
        count = numbers.len();
    }
}

/// What can be done after inert steps, and whether these can go on for ever.
fn signature(
    lts: &Lts,
    state: StateId,
    blocks: &[usize],
    how: Equivalence,
) -> (BTreeSet<(u32, usize)>, bool) {
    let block = |state: StateId| blocks[state.0 as usize];
    let inert = |edge: &&LtsEdge| {
        how == Equivalence::Branching && edge.label == TAU && block(edge.target) == block(state)
    };
    let reach = |from: StateId| {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(next) = open.pop() {
            let steps = lts.edges_from(next).iter().filter(inert);
            open.extend(
                steps
                    .map(|edge| edge.target)
                    .filter(|target| reached.insert(*target)),
            );
        }
        reached
    };
    let mut inside = reach(state);
    let diverges = inside.iter().any(|other| reach(*other).contains(other));
    inside.insert(state);
    let steps = inside.iter().flat_map(|inside| lts.edges_from(*inside));
    let seen = steps.filter(|edge| !inert(edge));
    let seen = seen.map(|edge| (edge.label.0, block(edge.target)));
    (seen.collect(), diverges)
}

/// A random system in which most states can be reached. Some steps go on to the next state, so that classes are
/// found late.
fn large(states: u32, labels: u32, edges: u32, mut seed: u64) -> Lts {
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        u32::try_from((seed >> 33) % u64::from(below)).expect("it is below 2^32")
    };
    let mut builder = LtsBuilder::default();
    for _ in 0..states {
        builder.state();
    }
    let labels: Vec<_> = (0..labels)
        .map(|label| builder.label(&format!("l{label}")))
        .collect();
    for _ in 0..edges {
        let source = random(states);
        let target = if random(3) > 0 {
            (source + 1) % states
        } else {
            random(states)
        };
        let label = match random(2) {
            0 => TAU,
            _ => {
                labels[random(u32::try_from(labels.len()).expect("there are few labels")) as usize]
            }
        };
        builder.edge(StateId(source), label, StateId(target));
    }
    builder.build(StateId(0))
}

#[test]
fn large_random_systems_have_as_many_classes_as_signatures_say() {
    let mut sizes = BTreeSet::new();
    for (states, labels, edges, seed) in [
        (400, 1, 500, 1),
        (400, 2, 800, 2),
        (600, 3, 2000, 3),
        (500, 1, 3000, 4),
    ] {
        let lts = large(states, labels, edges, seed);
        for how in BOTH {
            let small = minimise(&lts, how);
            assert_eq!(
                small.len(),
                classes_by_signatures(&lts, how),
                "{seed} {how:?}"
            );
            sizes.insert(small.len());
        }
    }
    assert!(sizes.len() > 4, "{sizes:?} are not very different");
}

#[test]
fn minimisation_keeps_to_limits() {
    let lts = large(20_000, 2, 100_000, 5);
    let memory = Limits {
        memory: Some(lts.bytes()),
        ..Limits::default()
    };
    let interrupted = Limits::default();
    interrupted.cancel.cancel();
    for how in BOTH {
        let limit = lts.bytes();
        let stopped = minimise_within(&lts, how, &memory);
        assert_eq!(stopped.unwrap_err(), StopReason::Memory { limit });
        let stopped = minimise_within(&lts, how, &interrupted);
        assert_eq!(stopped.unwrap_err(), StopReason::Interrupted);
    }
}
