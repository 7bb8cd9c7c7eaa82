//! Packed firing against the definition.

use std::collections::{HashSet, VecDeque};

use proptest::prelude::*;
use sweepline_core::{Fault, Steps};

use super::*;
use crate::net::{MAX_TOKENS, TransitionId};

/// The steps of a marking: transition and target.
type Moves = Vec<(u32, Vec<u64>)>;

fn moves_by_definition(net: &PetriNet, marking: &[u64]) -> Moves {
    net.transition_ids()
        .filter_map(|t| Some((t.0, net.fire(marking, t)?)))
        .collect()
}

fn moves_by_words(system: &NetSystem, state: &[Word]) -> Result<Moves, Fault> {
    let mut steps = Steps::for_layout(system.layout());
    system.successors(state, &mut steps);
    match steps.fault() {
        Some(fault) => Err(fault.clone()),
        None => Ok((0..steps.len())
            .map(|i| (steps.actions()[i].0, system.marking(steps.target(i))))
            .collect()),
    }
}

/// The same, but widens the system as long as something is too narrow. Nothing if it cannot be widened any more.
fn moves_widening(system: &mut NetSystem, marking: &[u64]) -> Option<Moves> {
    loop {
        match moves_by_words(system, &pack(system.layout(), marking)) {
            Ok(moves) => return Some(moves),
            Err(Fault::Outgrown { slot }) => *system = system.widened(slot)?,
            Err(fault) => panic!("{fault:?}"),
        }
    }
}

/// Explores up to `limit` states and compares the steps of each. Widens as needed; a marking has the same steps in the
/// same order under every layout.
fn compare(mut system: NetSystem, limit: usize) -> Result<(), TestCaseError> {
    let net = Arc::clone(&system.model.net);
    let mut seen = HashSet::from([net.initial_marking()]);
    let mut queue = VecDeque::from([net.initial_marking()]);
    let mut orders = Vec::new();
    while let Some(marking) = queue.pop_front() {
        let mut expected = moves_by_definition(&net, &marking);
        let too_many = |target: &Vec<u64>| target.iter().any(|tokens| *tokens > MAX_TOKENS);
        let countable = !expected.iter().any(|(_, target)| too_many(target));
        let found = moves_widening(&mut system, &marking);
        prop_assert_eq!(found.is_some(), countable);
        let Some(mut found) = found else {
            return Ok(());
        };
        orders.push((marking, found.clone()));
        for (_, target) in &expected {
            if seen.len() < limit && seen.insert(target.clone()) {
                queue.push_back(target.clone());
            }
        }
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);
    }
    for (marking, order) in orders {
        let found = moves_by_words(&system, &pack(system.layout(), &marking));
        prop_assert_eq!(found, Ok(order));
    }
    Ok(())
}

/// One arc of a random net: transition, place, kind, weight.
type RandomArc = (usize, usize, u8, u64);

fn random_net(
    places: usize,
    transitions: usize,
    arcs: usize,
) -> impl Strategy<Value = Arc<PetriNet>> {
    let weight =
        prop_oneof![8 => 1..=3_u64, 2 => 4..=40_u64, 1 => (0..62_u32).prop_map(|n| 1 << n)];
    let arc = (0..transitions, 0..places, 0..8_u8, weight.clone());
    let initial = prop_oneof![6 => 0..=3_u64, 1 => weight];
    (
        prop::collection::vec(initial, places),
        prop::collection::vec(arc, 0..arcs),
    )
        .prop_map(move |(initial, arcs)| Arc::new(build(&initial, transitions, &arcs)))
}

fn build(initial: &[u64], transitions: usize, arcs: &[RandomArc]) -> PetriNet {
    let mut net = PetriNet::builder("random");
    let places: Vec<_> = initial
        .iter()
        .enumerate()
        .map(|(i, n)| net.place(format!("p{i}"), *n))
        .collect();
    let transitions: Vec<_> = (0..transitions)
        .map(|i| net.transition(format!("t{i}")))
        .collect();
    for (transition, place, kind, weight) in arcs {
        let (t, p) = (transitions[*transition], places[*place]);
        match kind {
            0..=2 => net.input(t, p, *weight),
            3..=5 => net.output(t, p, *weight),
            6 => net.read(t, p, *weight),
            _ => net.inhibitor(t, p, *weight),
        };
    }
    net.build()
        .unwrap_or_else(|_| PetriNet::builder("too heavy").build().unwrap())
}

fn by_first_input(net: &PetriNet) -> TrialOrder {
    let key = |t: TransitionId| net.transition(t).inputs.first().map(|arc| arc.place);
    TrialOrder::ByPlace(net.transition_ids().map(key).collect())
}

proptest! {
    #[test]
    fn words_fire_like_the_definition(net in random_net(4, 5, 16)) {
        compare(NetSystem::new(net), 200)?;
    }

    #[test]
    fn narrow_fields_are_widened_exactly(net in random_net(5, 5, 16), bits in 1..5_u32) {
        compare(NetSystem::with_bits(net, |_| bits), 200)?;
    }

    #[test]
    fn grouping_changes_only_the_order(net in random_net(6, 8, 30), bits in 1..14_u32) {
        let order = by_first_input(&net);
        compare(NetSystem::with_order(net, |_| bits, order), 200)?;
    }

    #[test]
    fn wide_states(net in random_net(10, 12, 40), bits in 1..40_u32) {
        compare(NetSystem::with_bits(net, |_| bits), 100)?;
    }
}

proptest! {
    // Each of them takes as long as several of the others.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn many_transitions(net in random_net(30, 90, 250)) {
        compare(NetSystem::new(net), 100)?;
    }
}

#[test]
fn needing_more_than_a_field_holds_is_not_enabled_yet() {
    // `b` needs 100 tokens; the field of `p` grows to that while `a` fires.
    let mut net = PetriNet::builder("n");
    let p = net.place("p", 1);
    let (a, b) = (net.transition("a"), net.transition("b"));
    net.input(a, p, 1).output(a, p, 3).inhibitor(a, p, 110);
    net.input(b, p, 100);
    let net = Arc::new(net.build().unwrap());
    compare(NetSystem::with_bits(net, |_| 1), 1000).unwrap();
}

#[test]
fn widening_ends_at_62_bits() {
    let mut net = PetriNet::builder("n");
    let p = net.place("p", MAX_TOKENS);
    let t = net.transition("t");
    net.output(t, p, 1);
    let system = NetSystem::new(net.build().unwrap());
    let mut steps = Steps::for_layout(system.layout());
    system.successors(&[MAX_TOKENS], &mut steps);
    assert_eq!(steps.fault(), Some(&Fault::Outgrown { slot: SlotId(0) }));
    assert!(system.widened(SlotId(0)).is_none());
}

#[test]
fn fields_double_up_to_62_bits() {
    let mut net = PetriNet::builder("n");
    net.place("p", 0);
    let mut system = NetSystem::with_bits(net.build().unwrap(), |_| 1);
    let mut widths = vec![system.bits[0]];
    while let Some(wider) = system.widened(SlotId(0)) {
        system = wider;
        widths.push(system.bits[0]);
    }
    assert_eq!(widths, [1, 2, 4, 8, 16, 32, 62]);
}

#[test]
fn a_net_without_anything_has_one_state() {
    let system = NetSystem::new(PetriNet::builder("empty").build().unwrap());
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    assert_eq!(steps.target(0), [0]);
    compare(system, 10).unwrap();
}

#[test]
fn a_transition_without_arcs_always_fires() {
    let mut net = PetriNet::builder("idle");
    net.place("p", 2);
    net.transition("t");
    compare(NetSystem::new(net.build().unwrap()), 10).unwrap();
}

/// Where many places outgrow their bits one after the other, few rewritings are needed.
#[test]
fn many_places_are_widened_at_once() {
    let net = crate::family::rings(60, &[&[0, 30], &[0]]);
    let mut system = NetSystem::with_bits(net, |_| 1);
    let mut widenings = 0;
    let mut seen = std::collections::HashSet::new();
    // From the start each time: what counts is how often it is not wide enough.
    'again: loop {
        seen.clear();
        let mut waiting = vec![system.initial.clone()];
        let mut steps = Steps::for_layout(system.layout());
        while let Some(state) = waiting.pop() {
            steps.clear();
            system.successors(&state, &mut steps);
            if let Some(Fault::Outgrown { slot }) = steps.fault() {
                let before = system.bits.clone();
                system = system.widened(*slot).unwrap();
                let wider: Vec<_> = (0..before.len())
                    .filter(|&place| system.bits[place] > before[place])
                    .collect();
                assert!(wider.contains(&(slot.0 as usize)));
                assert!(wider.len() <= 1 << (4 * widenings));
                widenings += 1;
                continue 'again;
            }
            for index in 0..steps.len() {
                if seen.insert(steps.target(index).to_vec()) {
                    waiting.push(steps.target(index).to_vec());
                }
            }
        }
        break;
    }
    assert!(widenings <= 3, "{widenings}");
    // Only the ring in which tokens meet got wider.
    assert!(system.bits[60..].iter().all(|&bits| bits == 1));
}

/// One place that grows and grows does not take others with it.
#[test]
fn a_counter_is_widened_alone() {
    let mut net = PetriNet::builder("counter");
    let places: Vec<_> = (0..9)
        .map(|i| net.place(format!("p{i}"), u64::from(i == 0)))
        .collect();
    net.rule("count", &[places[0]], &[places[0], places[1]]);
    for pair in places[1..].windows(2) {
        net.rule(format!("t{}", pair[0].0), &[pair[0]], &[pair[1]]);
    }
    let mut system = NetSystem::with_bits(net.build().unwrap(), |_| 1);
    for bits in [2, 4, 8, 16, 32, 62] {
        system = system.widened(SlotId(1)).unwrap();
        assert_eq!(system.bits, [1, bits, 1, 1, 1, 1, 1, 1, 1]);
    }
    assert!(system.widened(SlotId(1)).is_none());
}
