//! Composition as it is defined, with sets and strings. Never optimised.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_process::{Lts, Network, StateId, StateKind};

/// The reachable part of a network.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Product {
    pub states: BTreeSet<Vec<u32>>,
    pub edges: BTreeSet<(Vec<u32>, String, Vec<u32>)>,
}

impl Product {
    pub fn of(network: &Network) -> Self {
        let mut product = Self::default();
        let initial = network.components.iter().map(|c| c.lts.initial().0);
        let mut open: Vec<Vec<u32>> = vec![initial.collect()];
        while let Some(state) = open.pop() {
            if product.states.insert(state.clone()) {
                for (label, target) in steps(network, &state) {
                    open.push(target.clone());
                    product.edges.insert((state.clone(), label, target));
                }
            }
        }
        product
    }
}

/// Whether some component is in an error state.
pub fn is_error(network: &Network, state: &[u32]) -> bool {
    kinds(network, state).contains(&StateKind::Error)
}

/// Whether all components are in end states.
pub fn is_end(network: &Network, state: &[u32]) -> bool {
    kinds(network, state)
        .iter()
        .all(|kind| *kind == StateKind::End)
}

fn kinds(network: &Network, state: &[u32]) -> Vec<StateKind> {
    let components = network.components.iter().zip(state);
    components
        .map(|(component, &local)| component.lts.kind(StateId(local)))
        .collect()
}

/// The steps of a state; what is hidden is called `tau`.
fn steps(network: &Network, state: &[u32]) -> BTreeSet<(String, Vec<u32>)> {
    if is_error(network, state) {
        return BTreeSet::new();
    }
    let mut all = internal(network, state);
    for label in alphabet(network) {
        for target in joint(network, state, &label) {
            all.insert((label.clone(), target));
        }
    }
    if let Some(priority) = &network.priority {
        let first = |label: &String| priority.labels.contains(label) == priority.high;
        if all.iter().any(|(label, _)| first(label)) {
            all.retain(|(label, _)| first(label));
        }
    }
    let hide = |label: String| {
        let hidden = network.hidden.contains(&label);
        if hidden { "tau".to_string() } else { label }
    };
    let hidden = all.into_iter().map(|(label, target)| (hide(label), target));
    hidden.collect()
}

pub fn alphabet(network: &Network) -> BTreeSet<String> {
    let labels = network.components.iter().flat_map(|c| &c.lts.labels()[1..]);
    labels.cloned().collect()
}

fn targets(lts: &Lts, state: u32, label: &str) -> BTreeSet<u32> {
    let edges = lts.edges_from(StateId(state)).iter();
    edges
        .filter(|edge| lts.label(edge.label) == label)
        .map(|edge| edge.target.0)
        .collect()
}

fn internal(network: &Network, state: &[u32]) -> BTreeSet<(String, Vec<u32>)> {
    let mut all = BTreeSet::new();
    for (index, component) in network.components.iter().enumerate() {
        for target in targets(&component.lts, state[index], "tau") {
            let mut next = state.to_vec();
            next[index] = target;
            all.insert(("tau".to_string(), next));
        }
    }
    all
}

fn joint(network: &Network, state: &[u32], label: &String) -> BTreeSet<Vec<u32>> {
    let mut all = BTreeSet::from([Vec::new()]);
    for (component, &local) in network.components.iter().zip(state) {
        let next = if component.lts.labels().contains(label) {
            targets(&component.lts, local, label)
        } else {
            BTreeSet::from([local])
        };
        let extend = |begun: &Vec<u32>| -> Vec<Vec<u32>> {
            let extended = next.iter().map(|&target| [&begun[..], &[target]].concat());
            extended.collect()
        };
        all = all.iter().flat_map(extend).collect();
    }
    all
}

/// What a composition should be like: its states by number are unknown, so it is compared by what can be counted and
/// walked. All errors are one state.
pub fn merged(network: &Network) -> (usize, usize, BTreeMap<&'static str, usize>) {
    let product = Product::of(network);
    let merge = |state: &Vec<u32>| (!is_error(network, state)).then(|| state.clone());
    let states: BTreeSet<_> = product.states.iter().map(merge).collect();
    let edges: BTreeSet<_> = product
        .edges
        .iter()
        .map(|(source, label, target)| (merge(source), label, merge(target)))
        .collect();
    let mut kinds = BTreeMap::new();
    for state in &states {
        let kind = match state {
            None => "error",
            Some(state) if is_end(network, state) => "end",
            Some(_) => "ordinary",
        };
        *kinds.entry(kind).or_insert(0) += 1;
    }
    (states.len(), edges.len(), kinds)
}
