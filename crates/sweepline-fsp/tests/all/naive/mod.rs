//! The product of a network, as simple as possible.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use sweepline_process::{Lts, Network, StateId, StateKind, TAU};

/// What a full search finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub states: usize,
    pub edges: usize,
    /// States without edges that are not all ends.
    pub deadlocks: usize,
    /// States in which a component is in an error state.
    pub errors: usize,
}

/// Searches all states of a network without priorities.
pub fn search(network: &Network) -> Figures {
    let components: Vec<&Lts> = network.components.iter().map(|c| &*c.lts).collect();
    let takers = takers(&components);
    let initial: Vec<StateId> = components.iter().map(|lts| lts.initial()).collect();
    let mut known = HashSet::from([initial.clone()]);
    let mut open = VecDeque::from([initial]);
    let mut figures = Figures::default();
    while let Some(state) = open.pop_front() {
        let kinds: Vec<StateKind> = (0..state.len())
            .map(|i| components[i].kind(state[i]))
            .collect();
        if kinds.contains(&StateKind::Error) {
            figures.errors += 1;
            continue;
        }
        let edges = edges(&components, &takers, &state);
        let all_end = kinds.iter().all(|kind| *kind == StateKind::End);
        figures.deadlocks += usize::from(edges.is_empty() && !all_end);
        figures.edges += edges.len();
        for (_, target) in edges {
            if known.insert(target.clone()) {
                open.push_back(target);
            }
        }
    }
    figures.states = known.len();
    figures
}

/// Who takes part in each label.
fn takers<'l>(components: &[&'l Lts]) -> BTreeMap<&'l str, Vec<usize>> {
    let mut takers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, lts) in components.iter().enumerate() {
        for label in &lts.labels()[1..] {
            takers.entry(label).or_default().push(number);
        }
    }
    takers
}

fn edges<'l>(
    components: &[&'l Lts],
    takers: &BTreeMap<&'l str, Vec<usize>>,
    state: &[StateId],
) -> BTreeSet<(&'l str, Vec<StateId>)> {
    let mut edges = BTreeSet::new();
    for (number, lts) in components.iter().enumerate() {
        for edge in lts.edges_from(state[number]) {
            let label = lts.label(edge.label);
            let others = if edge.label == TAU {
                &[number][..]
            } else {
                &takers[label][..]
            };
            // The first that takes part speaks for all.
            if others[0] == number {
                let mut targets = Vec::new();
                joint(components, label, others, state.to_vec(), &mut targets);
                let targets = targets
                    .into_iter()
                    .filter(|t| edge.label != TAU || t[number] == edge.target);
                edges.extend(targets.map(|target| (label, target)));
            }
        }
    }
    edges
}

/// All ways in which these components take the label together.
fn joint(
    components: &[&Lts],
    label: &str,
    takers: &[usize],
    state: Vec<StateId>,
    targets: &mut Vec<Vec<StateId>>,
) {
    let Some((first, rest)) = takers.split_first() else {
        targets.push(state);
        return;
    };
    let lts = components[*first];
    for edge in lts.edges_from(state[*first]) {
        if lts.label(edge.label) == label {
            let mut next = state.clone();
            next[*first] = edge.target;
            joint(components, label, rest, next, targets);
        }
    }
}
