//! Bisimilarity as it is defined: the greatest relation whose pairs can match each other's steps. Never optimised.

use std::collections::BTreeSet;

use sweepline_process::{Equivalence, Lts, StateId, TAU};

type Pair = (StateId, StateId);

/// All pairs of equivalent states.
pub fn relation(lts: &Lts, how: Equivalence) -> BTreeSet<Pair> {
    let states: Vec<StateId> = lts.states().collect();
    let mut pairs: BTreeSet<Pair> = states
        .iter()
        .flat_map(|&s| states.iter().map(move |&t| (s, t)))
        .filter(|&(s, t)| lts.kind(s) == lts.kind(t))
        .collect();
    loop {
        let related = |s, t| pairs.contains(&(s, t));
        let matches = |s, t| match how {
            Equivalence::Strong => matches_strongly(lts, s, t, related),
            Equivalence::Branching => matches_branching(lts, s, t, related),
        };
        let kept: BTreeSet<Pair> = pairs
            .iter()
            .copied()
            .filter(|&(s, t)| matches(s, t) && matches(t, s))
            .collect();
        if kept.len() == pairs.len() {
            return kept;
        }
        pairs = kept;
    }
}

fn matches_strongly(
    lts: &Lts,
    s: StateId,
    t: StateId,
    related: impl Fn(StateId, StateId) -> bool,
) -> bool {
    lts.edges_from(s).iter().all(|step| {
        let mut answers = lts.edges_from(t).iter();
        answers.any(|answer| answer.label == step.label && related(step.target, answer.target))
    })
}

/// Branching bisimilarity with explicit divergence [GLT09]. States have kinds, which can be seen: on the way to an answer, too, all states must be
/// related.
fn matches_branching(
    lts: &Lts,
    s: StateId,
    t: StateId,
    related: impl Fn(StateId, StateId) -> bool,
) -> bool {
    let steps = lts.edges_from(s).iter().all(|step| {
        let stays = step.label == TAU && related(step.target, t);
        let before = internally_reached(lts, t, |before| related(s, before));
        let mut answers = before.into_iter().flat_map(|before| lts.edges_from(before));
        stays
            || answers
                .any(|answer| answer.label == step.label && related(step.target, answer.target))
    });
    // While `s` makes endless internal steps that `t` matches by standing still, `t` must be able to move as well.
    let moves = |x| {
        let mut steps = lts.edges_from(t).iter();
        steps.any(|step| step.label == TAU && related(x, step.target))
    };
    steps && !diverges(lts, s, |x| related(x, t) && !moves(x))
}

fn internally_reached(
    lts: &Lts,
    from: StateId,
    inside: impl Fn(StateId) -> bool,
) -> BTreeSet<StateId> {
    let mut reached = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        for edge in lts.edges_from(state) {
            if edge.label == TAU && inside(edge.target) && reached.insert(edge.target) {
                open.push(edge.target);
            }
        }
    }
    reached
}

/// Whether endless internal steps are possible that never leave a set of states.
fn diverges(lts: &Lts, from: StateId, inside: impl Fn(StateId) -> bool) -> bool {
    let reached = internally_reached(lts, from, &inside);
    inside(from)
        && reached.iter().any(|&state| {
            let steps = lts.edges_from(state).iter();
            let mut steps = steps.filter(|edge| edge.label == TAU && inside(edge.target));
            steps.any(|edge| internally_reached(lts, edge.target, &inside).contains(&state))
        })
}
