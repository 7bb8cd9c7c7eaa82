//! Random automata.

use proptest::prelude::*;

use super::{Acceptance, Cube, Guard, Marks, OmegaAutomaton, OmegaEdge, OmegaState};
use crate::{Name, Pred};

/// Automata with so many atoms, up to four states and three sets, and any condition.
pub(crate) fn automaton(atoms: u32) -> impl Strategy<Value = OmegaAutomaton> {
    let edge = (guard(atoms), 0..4_u32, 0..8_u64);
    let edges = prop::collection::vec(prop::collection::vec(edge, 0..4), 4);
    let initial = prop::collection::vec((0..4_u32).prop_map(OmegaState), 0..3);
    (initial, edges, acceptance(3)).prop_map(move |(initial, edges, acceptance)| {
        let edge = |(guard, target, marks): (Guard, u32, Marks)| OmegaEdge {
            guard,
            target: OmegaState(target),
            marks,
        };
        let names = ["a", "b", "c"].iter().take(atoms as usize);
        OmegaAutomaton {
            atoms: names.map(|name| Pred::Holds(Name::new(*name))).collect(),
            initial,
            edges: edges
                .into_iter()
                .map(|edges| edges.into_iter().map(edge).collect())
                .collect(),
            sets: 3,
            acceptance,
        }
    })
}

fn guard(atoms: u32) -> impl Strategy<Value = Guard> {
    let most = 1_u64 << atoms;
    let cube = (0..most, 0..most).prop_map(|(holds, fails)| Cube {
        holds,
        fails: fails & !holds,
    });
    prop::collection::vec(cube, 1..3).prop_map(Guard::of)
}

fn acceptance(sets: u32) -> impl Strategy<Value = Acceptance> {
    let leaf = prop_oneof![
        (0..sets).prop_map(Acceptance::Inf),
        (0..sets).prop_map(Acceptance::Fin),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        let some = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            some().prop_map(Acceptance::And),
            some().prop_map(Acceptance::Or),
        ]
    })
}
