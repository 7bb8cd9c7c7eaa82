//! Whether an automaton accepts an ultimately periodic word, as plainly as possible: the judge of what is done with automata.

use super::scc::components;
use super::{Acceptance, Letter, Marks, OmegaAutomaton};

/// Whether an automaton accepts the infinite word `stem · loop · loop · …`.
///
/// ```
/// use sweepline_logic::{ltl::translate, omega::accepts, parse_ltl};
///
/// let automaton = translate(&parse_ltl("G F a").unwrap().ltl).unwrap();
/// assert!(accepts(&automaton, &[], &[0, 1]));
/// assert!(!accepts(&automaton, &[1], &[0]));
/// ```
pub fn accepts(automaton: &OmegaAutomaton, stem: &[Letter], repeated: &[Letter]) -> bool {
    assert!(!repeated.is_empty(), "an infinite word repeats something");
    let word = [stem, repeated].concat();
    let next = |at: usize| {
        if at + 1 < word.len() {
            at + 1
        } else {
            stem.len()
        }
    };
    // Pairs of a state and a position of the word, and the moves between them.
    let node = |state: usize, at: usize| state * word.len() + at;
    let mut moves: Vec<Vec<(usize, Marks)>> = vec![Vec::new(); automaton.edges.len() * word.len()];
    for (state, edges) in automaton.edges.iter().enumerate() {
        for (at, &letter) in word.iter().enumerate() {
            let taken = edges.iter().filter(|edge| edge.guard.contains(letter));
            let taken = taken.map(|edge| (node(edge.target.0 as usize, next(at)), edge.marks));
            moves[node(state, at)] = taken.collect();
        }
    }
    let initial = automaton.initial.iter();
    let mut reached = vec![false; moves.len()];
    let mut stack: Vec<usize> = initial.map(|state| node(state.0 as usize, 0)).collect();
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            stack.extend(moves[at].iter().map(|&(target, _)| target));
        }
    }
    for (at, edges) in moves.iter_mut().enumerate() {
        if !reached[at] {
            edges.clear();
        }
    }
    let wanted = disjuncts(&automaton.acceptance);
    wanted.iter().any(|&(inf, fin)| has_cycle(&moves, inf, fin))
}

/// The condition as a disjunction: sets that must occur infinitely often, and sets that must not.
fn disjuncts(acceptance: &Acceptance) -> Vec<(Marks, Marks)> {
    match acceptance {
        Acceptance::Inf(set) => vec![(1 << set, 0)],
        Acceptance::Fin(set) => vec![(0, 1 << set)],
        Acceptance::Or(all) => all.iter().flat_map(disjuncts).collect(),
        Acceptance::And(all) => all.iter().fold(vec![(0, 0)], |pairs, one| {
            let both = |&(inf, fin): &(Marks, Marks)| {
                let more = disjuncts(one).into_iter();
                more.map(move |(more_inf, more_fin)| (inf | more_inf, fin | more_fin))
            };
            pairs.iter().flat_map(both).collect()
        }),
    }
}

/// Whether some cycle has edges of all the sets in `inf` and none of those in `fin`.
fn has_cycle(moves: &[Vec<(usize, Marks)>], inf: Marks, fin: Marks) -> bool {
    let allowed = |edges: &Vec<(usize, Marks)>| -> Vec<(usize, Marks)> {
        let edges = edges.iter().copied();
        edges.filter(|(_, marks)| marks & fin == 0).collect()
    };
    let moves: Vec<_> = moves.iter().map(allowed).collect();
    let targets = |edges: &Vec<(usize, Marks)>| edges.iter().map(|edge| edge.0).collect();
    let found = components(&moves.iter().map(targets).collect::<Vec<_>>());
    // A component with an edge inside, and the marks of all edges inside.
    let mut inside: Vec<Option<Marks>> = vec![None; found.count];
    for (at, edges) in moves.iter().enumerate() {
        for &(target, marks) in edges {
            if found.of[at] == found.of[target] {
                *inside[found.of[at]].get_or_insert(0) |= marks;
            }
        }
    }
    inside.iter().flatten().any(|marks| marks & inf == inf)
}
