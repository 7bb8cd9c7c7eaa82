//! Products with automata, whose states lie in bits that a net leaves free: those above the last place, and the guards of places.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

use std::collections::HashSet;
use std::sync::Arc;

use sweepline_core::{ActionId, Fault, Steps, System, Word};
use sweepline_logic::omega::{
    Acceptance, Cube, Guard, Letter, Letters, OmegaAutomaton, OmegaEdge, OmegaProduct, OmegaState,
    Outlook,
};
use sweepline_logic::{
    AutomatonEdge, Fluent, Fluents, Observed, Pred, Product, SafetyAutomaton, Source,
};
use sweepline_net::{NetSystem, PetriNet, family};

/// Whether the first place is marked.
struct Marked;

impl Letters for Marked {
    fn letter(&self, state: &[Word], _: &[ActionId], _: bool) -> Result<Letter, String> {
        Ok(state[0] & 1)
    }
}

/// The automaton goes round where the letter holds, and stays where it is in any case.
fn automaton(states: u32) -> OmegaAutomaton {
    let edge = |holds, target| OmegaEdge {
        guard: Guard::of([Cube { holds, fails: 0 }]),
        target: OmegaState(target),
        marks: 0,
    };
    OmegaAutomaton {
        atoms: vec![Pred::Constant(true)],
        initial: vec![OmegaState(0)],
        edges: (0..states)
            .map(|state| vec![edge(1, (state + 1) % states), edge(0, state)])
            .collect(),
        sets: 0,
        acceptance: Acceptance::all(0),
    }
}

fn product(system: &NetSystem, states: u32) -> OmegaProduct<&NetSystem, Marked> {
    let outlook = Outlook {
        live: vec![true; states as usize],
        ranks: vec![0; states as usize],
    };
    OmegaProduct::new(system, Arc::new(automaton(states)), Marked, outlook)
}

/// All states that can be reached, or why that is not known.
fn reached(system: &impl System) -> Result<HashSet<Vec<Word>>, Fault> {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut waiting = vec![steps.target(0).to_vec()];
    let mut known: HashSet<Vec<Word>> = waiting.iter().cloned().collect();
    while let Some(state) = waiting.pop() {
        steps.clear();
        system.successors(&state, &mut steps);
        if let Some(fault) = steps.fault() {
            return Err(fault.clone());
        }
        for step in 0..steps.len() {
            if known.insert(steps.target(step).to_vec()) {
                waiting.push(steps.target(step).to_vec());
            }
        }
    }
    Ok(known)
}

/// Pairs of a state of the net and one of the automaton, by definition.
fn pairs(system: &NetSystem, states: u32) -> HashSet<(Vec<Word>, u32)> {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut waiting = vec![(steps.target(0).to_vec(), 0)];
    let mut known: HashSet<_> = waiting.iter().cloned().collect();
    while let Some((state, at)) = waiting.pop() {
        steps.clear();
        system.successors(&state, &mut steps);
        let mut targets: Vec<Vec<Word>> = (0..steps.len())
            .map(|step| steps.target(step).to_vec())
            .collect();
        if targets.is_empty() {
            targets.push(state.clone());
        }
        let turned = (state[0] & 1 == 1).then_some((at + 1) % states);
        for target in targets {
            for next in turned.into_iter().chain([at]) {
                if known.insert((target.clone(), next)) {
                    waiting.push((target.clone(), next));
                }
            }
        }
    }
    known
}

fn check(net: PetriNet, bits: u32, states: u32, wider: usize) {
    let system = NetSystem::with_bits(net, |_| bits);
    let product = product(&system, states);
    let width = system.layout().width().unwrap();
    assert_eq!(product.layout().width(), Some(width + wider));
    let found = reached(&product).unwrap();
    let split = found.iter().map(|state| {
        let model = product.with_model(state, <[Word]>::to_vec);
        (model, product.automaton_state(state).0)
    });
    let split: HashSet<_> = split.collect();
    assert_eq!(split.len(), found.len());
    assert_eq!(split, pairs(&system, states));
}

#[test]
fn the_states_are_pairs_wherever_the_automaton_lies() {
    // 16 places of three bits, each with a guard, take all 64 bits.
    for states in [1, 2, 3, 5, 8, 9] {
        check(family::kanban(1), 3, states, 0);
    }
    check(family::kanban(1), 2, 3, 0); // above the last place
    check(family::philosophers(4), 2, 5, 0);
    check(family::stop_and_wait(2, 1, 2), 4, 6, 0);
    check(family::rings(4, &[&[0], &[1]]), 62, 2, 0); // the guard, and the bit above it
    check(family::rings(4, &[&[0], &[1]]), 62, 5, 1); // three bits are too many for that
}

/// Sixteen places of three bits and a guard each: the product that the thesis' users would begin with.
#[test]
fn the_product_of_kanban_5_and_an_automaton_is_one_word() {
    let system = NetSystem::new(family::kanban(5));
    assert_eq!(system.layout().width(), Some(1));
    for states in [1, 2, 3, 8, 1 << 16] {
        assert_eq!(product(&system, states).layout().width(), Some(1));
    }
    assert_eq!(product(&system, (1 << 16) + 1).layout().width(), Some(2));
    // Testers of the past are states of the automaton, and fluents lie beside it.
    let lit = Fluent {
        name: "LIT".into(),
        starts: [ActionId(0)].into(),
        ends: [ActionId(1)].into(),
        initially: false,
    };
    let observed = Observed::new(&system, Fluents::new(vec![lit; 12]).unwrap());
    assert_eq!(observed.layout().width(), Some(1));
    assert_eq!(
        observed.layout().followed_by_number("n", 15).width(),
        Some(1)
    );
    assert_eq!(
        observed.layout().followed_by_number("n", 31).width(),
        Some(2)
    );
}

/// A place that outgrows its slot sets a guard, which is no state of an automaton then.
#[test]
fn outgrown_slots_are_told_and_not_read_as_automaton_states() {
    let text = Source::from("true");
    let mut safety = SafetyAutomaton::new(text.clone());
    let only = safety.add_state("only");
    safety.add_initial(only);
    safety.add_edge(AutomatonEdge {
        source: only,
        guard: Pred::Constant(true),
        span: text.range(),
        target: only,
    });
    // Few rules on few words, rules of marked places, and states of many words.
    for net in [family::kanban(3), family::star(70, 3), family::star(200, 3)] {
        let system = NetSystem::with_bits(net, |_| 1);
        let grown = |found: Result<HashSet<Vec<Word>>, Fault>| {
            assert!(matches!(found, Err(Fault::Outgrown { .. })), "{found:?}");
        };
        grown(reached(&product(&system, 3)));
        grown(reached(&Product::new(&system, &safety, &[]).unwrap()));
        let fluents = Fluents::new(vec![Fluent::default()]).unwrap();
        grown(reached(&Observed::new(&system, fluents)));
    }
}
