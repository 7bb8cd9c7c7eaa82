//! Components where marks must not recur.
//!
//! Whether a component has an accepting cycle is decided by splitting: if all its edges together are accepted, it has; otherwise a
//! mark that must not recur is chosen, and what is left without its edges is looked at, component by component, and then the
//! component again without the hope that this mark stops (after the emptiness check for Emerson-Lei automata
//! of [BBDKMS19]).

use std::collections::HashMap;

use sweepline_logic::omega::{Acceptance, Marks};

use super::acceptor::holds;
use super::components::components;
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
    let all: Vec<usize> = (0..nodes.len()).collect();
    let found = part(&edges, &all, 0, acceptance)?;
    let inside = found.members.iter().map(|&member| nodes[member]).collect();
    Some(Component::accepted(
        inside,
        found.forbidden,
        found.marks,
        acceptance,
    ))
}

struct Part {
    members: Vec<usize>,
    forbidden: Marks,
    marks: Marks,
}

/// Looks at the components of what the members are without edges that have forbidden marks.
fn part(
    edges: &[Vec<(usize, Marks)>],
    members: &[usize],
    forbidden: Marks,
    acceptance: &Acceptance,
) -> Option<Part> {
    let place: HashMap<usize, usize> = members.iter().copied().zip(0..).collect();
    let inside = |member: usize| {
        let kept = edges[member]
            .iter()
            .filter(|(_, marks)| marks & forbidden == 0);
        kept.filter_map(|(target, marks)| Some((*place.get(target)?, *marks)))
            .collect::<Vec<_>>()
    };
    let found = components(members.len(), |at| {
        inside(members[at])
            .into_iter()
            .map(|(target, _)| target)
            .collect()
    });
    let mut component_of = vec![0; members.len()];
    for (number, component) in found.iter().enumerate() {
        for &at in component {
            component_of[at] = number;
        }
    }
    for (number, component) in found.iter().enumerate() {
        let within = component.iter().flat_map(|&at| inside(members[at]));
        let marks = within
            .filter(|&(target, _)| component_of[target] == number)
            .map(|(_, marks)| marks)
            .reduce(|all, marks| all | marks);
        let Some(marks) = marks else { continue };
        let component: Vec<usize> = component.iter().map(|&at| members[at]).collect();
        let accepted = strong(edges, component, forbidden, marks, acceptance.clone());
        if accepted.is_some() {
            return accepted;
        }
    }
    None
}

/// Looks at a component with these marks on its edges.
fn strong(
    edges: &[Vec<(usize, Marks)>],
    members: Vec<usize>,
    forbidden: Marks,
    marks: Marks,
    mut acceptance: Acceptance,
) -> Option<Part> {
    loop {
        if acceptance.accepts(marks) {
            return Some(Part {
                members,
                forbidden,
                marks,
            });
        }
        // Not even if every mark that must not recur stopped.
        if !holds(&acceptance, marks, 0) {
            return None;
        }
        let set = finite(&acceptance, marks)?;
        let less = part(edges, &members, forbidden | 1 << set, &acceptance);
        if less.is_some() {
            return less;
        }
        acceptance = without(&acceptance, set);
    }
}

/// A mark that must not recur, and does.
fn finite(acceptance: &Acceptance, marks: Marks) -> Option<u32> {
    match acceptance {
        Acceptance::Fin(set) if marks >> set & 1 == 1 => Some(*set),
        Acceptance::Fin(_) | Acceptance::Inf(_) => None,
        Acceptance::And(all) | Acceptance::Or(all) => all.iter().find_map(|one| finite(one, marks)),
    }
}

/// The condition if this mark recurs.
fn without(acceptance: &Acceptance, set: u32) -> Acceptance {
    let never = Acceptance::Or(Vec::new());
    match acceptance {
        Acceptance::Fin(other) if *other == set => never,
        Acceptance::Fin(_) | Acceptance::Inf(_) => acceptance.clone(),
        Acceptance::And(all) => Acceptance::And(all.iter().map(|one| without(one, set)).collect()),
        Acceptance::Or(all) => Acceptance::Or(all.iter().map(|one| without(one, set)).collect()),
    }
}
