//! Components where marks must not recur: what is left of them without such marks is looked at as an automaton's graph is.

use std::collections::HashMap;

use sweepline_logic::omega::{Acceptance, accepting_part};

use super::graph::{Cursor, Marked};
use super::search::Component;

/// A part of a component that has an accepting cycle.
pub(crate) fn split<G: Marked>(
    graph: &mut G,
    nodes: &[u64],
    acceptance: &Acceptance,
) -> Option<Component> {
    let index: HashMap<u64, usize> = nodes.iter().copied().zip(0..).collect();
    let edges = nodes.iter().map(|&node| {
        let (mut edges, mut cursor) = (Vec::new(), Cursor::default());
        while let Some(step) = graph.step(node, &mut cursor) {
            if let Some(&target) = index.get(&step.target) {
                edges.push((target, step.marks));
            }
        }
        edges
    });
    let edges: Vec<_> = edges.collect();
    let found = accepting_part(&edges, acceptance)?;
    let inside = found.nodes.iter().map(|&member| nodes[member]).collect();
    Some(Component::accepted(
        inside,
        found.without,
        found.marks,
        acceptance,
    ))
}
