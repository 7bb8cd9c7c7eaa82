//! Accepted runs by brute force, never optimised.

use proptest::prelude::*;
use sweepline_logic::Pred;
use sweepline_logic::omega::{
    Acceptance, Cube, Guard, Marks, OmegaAutomaton, OmegaEdge, OmegaState,
};

use crate::ltl::claim::Assumption;

/// A graph with marks on its edges.
pub type Edges = Vec<Vec<(usize, Marks)>>;

/// Whether a run from one of the roots has marks infinitely often that are accepted.
///
/// For every set of marks: is there a cycle whose edges carry exactly these? Its edges carry no others, and lie in one
/// component of what is left then.
pub fn accepts(
    edges: &Edges,
    roots: &[usize],
    sets: u32,
    accepted: impl Fn(Marks) -> bool,
) -> bool {
    let nodes = edges.len();
    let all = closure(edges, Marks::MAX);
    let reached = |node: usize| roots.iter().any(|&root| root == node || all[root][node]);
    (0..1 << sets)
        .filter(|&marks| accepted(marks))
        .any(|allowed: Marks| {
            let reach = closure(edges, allowed);
            (0..nodes)
                .filter(|&node| reached(node) && reach[node][node])
                .any(|node| {
                    let mut marks = 0;
                    for (source, targets) in edges.iter().enumerate() {
                        for &(target, on) in targets {
                            let leads = source == node || reach[node][source];
                            let back = target == node || reach[target][node];
                            if on & !allowed == 0 && leads && back {
                                marks |= on;
                            }
                        }
                    }
                    marks == allowed
                })
        })
}

/// What can be reached by at least one edge that carries no other marks.
fn closure(edges: &Edges, allowed: Marks) -> Vec<Vec<bool>> {
    let nodes = edges.len();
    let mut reach = vec![vec![false; nodes]; nodes];
    for (source, targets) in edges.iter().enumerate() {
        for &(target, marks) in targets {
            reach[source][target] |= marks & !allowed == 0;
        }
    }
    for middle in 0..nodes {
        let beyond = reach[middle].clone();
        for row in reach.iter_mut().filter(|row| row[middle]) {
            row.iter_mut()
                .zip(&beyond)
                .for_each(|(to, more)| *to |= more);
        }
    }
    reach
}

/// What brute force looks at of a state of a model.
pub struct Node {
    /// The atoms that hold; nothing if it is not expanded.
    pub letter: Option<u64>,
    /// Action and target of each step.
    pub steps: Vec<(u32, usize)>,
}

/// Whether a run of the model is accepted by the automaton and satisfies all assumptions.
pub fn violates(
    model: &[Node],
    initial: &[usize],
    automaton: &OmegaAutomaton,
    assumptions: &[Assumption],
) -> bool {
    let states = automaton.edges.len();
    let mut edges = vec![Vec::new(); model.len() * states];
    for (number, node) in model.iter().enumerate() {
        let Some(letter) = node.letter else { continue };
        let stutter = [(u32::MAX, number)];
        let steps = if node.steps.is_empty() {
            &stutter
        } else {
            &node.steps[..]
        };
        for (state, moves) in automaton.edges.iter().enumerate() {
            for step in moves.iter().filter(|step| step.guard.contains(letter)) {
                for &(action, target) in steps {
                    let mut marks = step.marks;
                    for (position, assumption) in (0_u32..).zip(assumptions) {
                        let about =
                            |action: u32| assumption.actions().iter().any(|one| one.0 == action);
                        let enabled = node.steps.iter().any(|&(action, _)| about(action));
                        // Two marks each: something happens at this step that should recur, or should not.
                        let (good, bad) = match assumption {
                            Assumption::Recurs(atom) => (letter >> atom & 1 == 1, false),
                            Assumption::Weak(_) => (!enabled || about(action), false),
                            Assumption::Strong(_) => (about(action), enabled),
                        };
                        let set = automaton.sets + 2 * position;
                        marks |= Marks::from(good) << set | Marks::from(bad) << (set + 1);
                    }
                    let target = target * states + step.target.0 as usize;
                    edges[number * states + state].push((target, marks));
                }
            }
        }
    }
    let starts = initial.iter().flat_map(|&number| {
        let initial = automaton.initial.iter();
        initial.map(move |state| number * states + state.0 as usize)
    });
    let sets = automaton.sets + 2 * assumptions.len() as u32;
    accepts(&edges, &starts.collect::<Vec<_>>(), sets, |marks| {
        let fair = (0_u32..).zip(assumptions).all(|(position, assumption)| {
            let set = automaton.sets + 2 * position;
            let (good, bad) = (marks >> set & 1 == 1, marks >> (set + 1) & 1 == 1);
            good || matches!(assumption, Assumption::Strong(_)) && !bad
        });
        fair && automaton.acceptance.accepts(marks)
    })
}

pub fn acceptances(sets: u32) -> BoxedStrategy<Acceptance> {
    let inf = (0..sets.max(1)).prop_map(Acceptance::Inf);
    let fin = (0..sets.max(1)).prop_map(Acceptance::Fin);
    let part = prop_oneof![inf, fin].prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Acceptance::And),
            prop::collection::vec(inner, 0..4).prop_map(Acceptance::Or),
        ]
    });
    let general = if sets == 0 {
        Just(Acceptance::all(0)).boxed()
    } else {
        part.boxed()
    };
    prop_oneof![Just(Acceptance::all(sets)), general].boxed()
}

/// Random automata over so many atoms.
pub fn automata(atoms: u32) -> impl Strategy<Value = OmegaAutomaton> {
    (1..4_u32, 0..3_u32).prop_flat_map(move |(states, sets)| {
        let cube = (0..1_u64 << atoms, 0..1_u64 << atoms).prop_map(|(holds, fails)| Cube {
            holds: holds & !fails,
            fails: fails & (fails >> 1 | 1),
        });
        let guard = prop_oneof![
            2 => prop::collection::vec(cube, 1..3).prop_map(Guard::of),
            1 => Just(Guard::any()),
        ];
        let edge =
            (guard, 0..states, 0..1_u64 << sets).prop_map(|(guard, target, marks)| OmegaEdge {
                guard,
                target: OmegaState(target),
                marks,
            });
        let edges = prop::collection::vec(prop::collection::vec(edge, 0..5), states as usize);
        let initial = prop::collection::vec((0..states).prop_map(OmegaState), 1..3);
        (edges, initial, acceptances(sets)).prop_map(move |(edges, initial, acceptance)| {
            OmegaAutomaton {
                atoms: vec![Pred::Deadlock; atoms as usize],
                initial,
                edges,
                sets,
                acceptance,
            }
        })
    })
}
