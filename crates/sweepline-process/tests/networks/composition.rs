//! Composition, on the fly and in advance.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sweepline_core::{
    ActionId, Control, Describe, Expanded, Fault, Limits, NoProgress, Observer, SlotKind, Steps,
    StopReason, System, Word,
};
use sweepline_explore::{End, Options, Sweep};
use sweepline_process::{
    Component, ComposeError, Lts, Network, NetworkSystem, Priority, StateId, StateKind, compose,
    compose_within, read_aut,
};

use crate::models;
use crate::naive::{self, Product};
use crate::random::{self, Kinds};

/// Records what is expanded.
struct Seen<'a> {
    system: &'a NetworkSystem,
    components: usize,
    product: Product,
}

impl Seen<'_> {
    fn locals(&self, state: &[Word]) -> Vec<u32> {
        let components = 0..self.components;
        components
            .map(|component| self.system.component_state(state, component).0)
            .collect()
    }
}

impl Observer for Seen<'_> {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        let source = self.locals(event.state);
        assert!(self.product.states.insert(source.clone()), "expanded twice");
        for (&action, target) in event.actions().iter().zip(event.targets()) {
            let name = label(self.system, action);
            let target = self.locals(target);
            self.product.edges.insert((source.clone(), name, target));
        }
        Control::Continue
    }
}

fn explored(network: &Network) -> Product {
    let system = NetworkSystem::new(network);
    let mut seen = Seen {
        system: &system,
        components: network.components.len(),
        product: Product::default(),
    };
    let mut sweep = Sweep::new(&system, &NoProgress, Options::default());
    assert_eq!(sweep.run(&mut seen), End::Complete);
    seen.product
}

/// Figures of an LTS as the naive composition gives them.
fn figures(lts: &Lts) -> (usize, usize, BTreeMap<&'static str, usize>) {
    let mut kinds = BTreeMap::new();
    for state in lts.states() {
        let kind = match lts.kind(state) {
            StateKind::Error => "error",
            StateKind::End => "end",
            StateKind::Ordinary => "ordinary",
        };
        *kinds.entry(kind).or_insert(0) += 1;
    }
    (lts.len(), lts.edge_count(), kinds)
}

/// The edges of a composition.
fn edges(lts: &Lts) -> BTreeSet<(usize, String, usize)> {
    let mut edges = BTreeSet::new();
    for (number, state) in lts.states().enumerate() {
        for edge in lts.edges_from(state) {
            let label = lts.label(edge.label).to_string();
            edges.insert((number, label, edge.target.0 as usize));
        }
    }
    edges
}

/// What they should be: the system on the fly, walked breadth-first, with all errors as one state.
fn walked_edges(network: &Network) -> BTreeSet<(usize, String, usize)> {
    let system = NetworkSystem::new(network);
    let mut states: Vec<Option<Vec<Word>>> = Vec::new();
    let number = |states: &mut Vec<Option<Vec<Word>>>, state: &[Word]| {
        let merged = system.is_error(state).is_none().then(|| state.to_vec());
        let known = states.iter().position(|other| *other == merged);
        known.unwrap_or_else(|| {
            states.push(merged);
            states.len() - 1
        })
    };
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    number(&mut states, steps.target(0));
    let mut edges = BTreeSet::new();
    let mut next = 0;
    while next < states.len() {
        steps.clear();
        if let Some(state) = &states[next] {
            system.successors(state, &mut steps);
        }
        for (step, &action) in steps.actions().iter().enumerate() {
            let target = number(&mut states, steps.target(step));
            edges.insert((next, label(&system, action), target));
        }
        next += 1;
    }
    edges
}

fn label(system: &NetworkSystem, action: ActionId) -> String {
    if system.is_internal(action) {
        "tau".to_string()
    } else {
        system.actions()[action.0 as usize].clone()
    }
}

proptest! {
    #[test]
    fn on_the_fly_is_as_defined(network in random::network(Kinds::All)) {
        prop_assert_eq!(explored(&network), Product::of(&network));
    }

    #[test]
    fn in_advance_is_as_defined(network in random::network(Kinds::All)) {
        let lts = compose(&network, 1000).unwrap();
        prop_assert_eq!(figures(&lts), naive::merged(&network));
        prop_assert_eq!(edges(&lts), walked_edges(&network));
        let alphabet: BTreeSet<String> = lts.labels()[1..].iter().cloned().collect();
        let mut expected = naive::alphabet(&network);
        expected.retain(|label| !network.hidden.contains(label));
        prop_assert_eq!(alphabet, expected);
    }

    #[test]
    fn composition_is_associative(network in random::network(Kinds::All)) {
        let mut parts = network.components.clone();
        let rest = parts.split_off(parts.len() / 2);
        let halves = [parts, rest].map(|components| {
            compose(&Network { components, ..Network::default() }, 1000).unwrap()
        });
        let nested = Network {
            hidden: network.hidden.clone(),
            priority: network.priority.clone(),
            ..Network::parallel(["left", "right"].into_iter().zip(halves))
        };
        let (flat, nested) = (compose(&network, 1000).unwrap(), compose(&nested, 1000).unwrap());
        prop_assert_eq!(figures(&flat), figures(&nested));
    }

    #[test]
    fn errors_and_ends_are_known(network in random::network(Kinds::All)) {
        let system = NetworkSystem::new(&network);
        for state in Product::of(&network).states {
            let mut words = vec![0; system.layout().width().unwrap()];
            for (slot, &local) in system.layout().slots().iter().zip(&state) {
                slot.write(&mut words, local.into()).unwrap();
            }
            prop_assert_eq!(system.is_error(&words).is_some(), naive::is_error(&network, &state));
            prop_assert_eq!(system.is_valid_end(&words), naive::is_end(&network, &state));
        }
    }
}

/// States and edges.
fn check(network: &Network, states: u64, edges: u64) {
    let system = NetworkSystem::new(network);
    let mut sweep = Sweep::new(&system, &NoProgress, Options::default());
    assert_eq!(sweep.run(&mut ()), End::Complete);
    let statistics = sweep.statistics();
    assert_eq!(
        (statistics.states(), statistics.edges),
        (Some(states), edges)
    );
    if states < 10_000 {
        let lts = compose(network, 10_000).expect("it is small");
        assert_eq!((lts.len() as u64, lts.edge_count() as u64), (states, edges));
    }
}

#[test]
fn master_and_slaves_have_the_published_size() {
    check(&models::master_slave(5, 3), 40, 5 * 8 * 3 + 4 * 8);
    check(&models::master_slave(31, 12), 126_976, 1_646_592);
    check(&models::master_slave_assigned(20, 12), 126_976, 1_179_648);
}

#[test]
fn two_phase_commit_has_the_published_size() {
    let states = [11, 46, 199, 880, 3985];
    for (voters, states) in (1..).zip(states) {
        let network = models::two_phase_commit(voters);
        assert_eq!(explored(&network).states.len(), states);
    }
    check(&models::two_phase_commit(6), 18_478, 69_668);
    check(&models::two_phase_commit(7), 87_475, 378_709);
    check(&models::two_phase_commit(8), 420_988, 2_060_602);
}

#[test]
fn stop_and_wait_has_the_published_size() {
    for n in [3, 4, 20] {
        check(
            &models::stop_and_wait(n),
            182 * u64::from(n),
            486 * u64::from(n),
        );
    }
}

/// One state with a loop for every label, and others that are never offered.
fn looping(labels: &[&str], forbidden: &[&str]) -> Lts {
    let mut builder = Lts::builder();
    let state = builder.state();
    for label in labels {
        let label = builder.label(label);
        builder.edge(state, label, state);
    }
    for label in forbidden {
        builder.label(label);
    }
    builder.build(state)
}

/// The actions of a network, and the names of those that the initial state offers, in order.
fn check_actions(network: &Network, actions: &[&str], offered: &[&str]) {
    let system = NetworkSystem::new(network);
    assert_eq!(system.actions(), actions);
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let initial = steps.target(0).to_vec();
    steps.clear();
    system.successors(&initial, &mut steps);
    let found: Vec<&String> = steps
        .actions()
        .iter()
        .map(|action| &system.actions()[action.0 as usize])
        .collect();
    assert_eq!(found, offered);
}

#[test]
fn actions_have_distinct_names_and_a_fixed_order() {
    check_actions(&Network::default(), &[], &[]);
    let mut network = Network::parallel([
        ("p", looping(&["tau", "a", "b"], &["x"])),
        ("q", looping(&["b", "p.tau", "tau"], &["a"])),
    ]);
    let actions = ["p.tau'", "a", "b", "x", "q.tau", "p.tau"];
    check_actions(&network, &actions, &["p.tau'", "b", "q.tau", "p.tau"]);
    network.hidden = BTreeSet::from(["b".into()]);
    let actions = ["p.tau'", "a", "tau (b)", "x", "q.tau", "p.tau"];
    check_actions(&network, &actions, &["p.tau'", "tau (b)", "q.tau", "p.tau"]);
    for (high, offered) in [
        (true, &["tau (b)"][..]),
        (false, &["p.tau'", "q.tau", "p.tau"]),
    ] {
        let labels = BTreeSet::from(["a".into(), "b".into()]);
        network.priority = Some(Priority { labels, high });
        check_actions(&network, &actions, offered);
    }
}

#[test]
fn a_label_is_driven_by_whoever_offers_it_least() {
    let mut builder = Lts::builder();
    let (first, second) = (builder.state(), builder.state());
    for (source, label, target) in [(first, "b", second), (second, "a", first)] {
        let label = builder.label(label);
        builder.edge(source, label, target);
    }
    let network = Network::parallel([
        ("always", looping(&["a", "b", "own"], &[])),
        ("rarely", builder.build(first)),
    ]);
    check_actions(&network, &["a", "b", "own"], &["own", "b"]);
}

#[test]
fn states_are_shown_by_their_names_if_there_are_few() {
    let named = |count: u32, names: &[&str]| {
        let mut builder = Lts::builder();
        for _ in 0..count {
            builder.state();
        }
        for (name, state) in names.iter().zip(0..) {
            builder.set_name(StateId(state), *name);
        }
        builder.build(StateId(count - 1))
    };
    let network = Network::parallel([
        ("small", named(2, &["idle", "busy"])),
        ("twice", named(2, &["idle", "idle"])),
        ("large", named(5000, &["idle"])),
        ("alone", named(1, &[])),
    ]);
    let system = NetworkSystem::new(&network);
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let shown: Vec<String> = system
        .show(steps.target(0))
        .into_iter()
        .map(|(_, value)| value)
        .collect();
    assert_eq!(shown, ["busy", "1", "4999", "0"]);
    let kinds = system.layout().slots().iter().map(|slot| &slot.kind);
    let integers: Vec<bool> = kinds.map(|kind| *kind == SlotKind::Integer).collect();
    assert_eq!(integers, [false, true, true, true]);
}

#[test]
fn compositions_have_a_limit() {
    let network = models::two_phase_commit(2);
    assert_eq!(compose(&network, 46).unwrap().len(), 46);
    for limit in [0, 1, 45] {
        assert_eq!(
            compose(&network, limit),
            Err(ComposeError::TooLarge { limit })
        );
    }
    let nothing = compose(&Network::default(), 1).unwrap();
    assert_eq!(figures(&nothing), (1, 0, BTreeMap::from([("end", 1)])));
}

/// So many components that can all do `a` in two ways.
fn choices(components: usize) -> Network {
    let lts = || {
        read_aut(
            "choice.aut",
            &b"des (0,3,2)\n(0,\"a\",0)\n(0,\"a\",1)\n(1,\"a\",1)\n"[..],
        )
        .expect("it is well-formed")
    };
    Network::parallel((0..components).map(|index| (format!("c{index}"), lts())))
}

#[test]
fn combinations_are_all_there_or_a_fault() {
    let steps_of = |components: usize| {
        let system = NetworkSystem::new(&choices(components));
        let mut steps = Steps::for_layout(system.layout());
        let initial = vec![0; system.layout().width().unwrap()];
        system.successors(&initial, &mut steps);
        steps
    };
    let few = steps_of(12);
    let targets: BTreeSet<&[Word]> = (0..few.len()).map(|step| few.target(step)).collect();
    assert_eq!((few.len(), targets.len(), few.fault()), (4096, 4096, None));
    // 2^64 combinations, of which the last 64 bits are zero, and others that are too many as well.
    for components in [30, 64, 65, 66, 200] {
        let many = steps_of(components);
        assert!(many.is_empty());
        let Some(Fault::TooMany { message }) = many.fault() else {
            panic!("{components} components can be combined");
        };
        let expected = format!("{components} components can do `a` together");
        assert!(message.starts_with(&expected), "{message}");
        assert!(matches!(
            compose(&choices(components), 10),
            Err(ComposeError::TooManySteps { .. })
        ));
    }
}

#[test]
fn many_ways_of_some_are_nothing_if_one_cannot() {
    let mut network = choices(65);
    let never = read_aut("never.aut", &b"des (0,1,2)\n(1,\"a\",1)\n"[..]).unwrap();
    network.components.push(Component {
        name: "never".into(),
        lts: never.into(),
    });
    let lts = compose(&network, 10).unwrap();
    assert_eq!((lts.len(), lts.edge_count()), (1, 0));
}

#[test]
fn composition_keeps_to_limits() {
    let network = models::two_phase_commit(6);
    let limits = Limits {
        memory: Some(200_000),
        ..Limits::default()
    };
    let error = compose_within(&network, 100_000, &limits).unwrap_err();
    let reason = StopReason::Memory { limit: 200_000 };
    assert_eq!(error.stopped(), Some(&reason));
}
