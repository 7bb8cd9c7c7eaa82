//! Fewer acceptance sets.
//!
//! A cycle stays inside a component, so each component can have sets of its own, as few as it needs, and the automaton has as many as
//! the component that needs most. A component that needs none because it accepts every cycle gets all marks; one that accepts none
//! gets no marks, and if there is such a component, there must be a set for its edges not to be in.

use super::Marks;
use super::scc::{Components, components};
use super::tgba::{Edge, Kind, Tgba};

impl Tgba {
    /// Gives each component the least sets.
    pub fn simplify_sets(&mut self) {
        let components = self.components();
        let kinds = self.kinds(&components);
        let needed: Vec<Vec<u32>> = (0..components.count)
            .map(|component| match kinds[component] {
                Kind::Accepting => self.needed_sets(&components, component),
                _ => Vec::new(),
            })
            .collect();
        let most = needed.iter().map(Vec::len).max().unwrap_or(0);
        let rejecting = kinds.contains(&Kind::Rejecting);
        let sets = u32::try_from(most.max(usize::from(rejecting))).expect("not more than before");
        let all = Self::all_marks(sets);
        for state in 0..self.edges.len() {
            let own = components.of[state];
            for edge in &mut self.edges[state] {
                if components.of[edge.target] != own || kinds[own] != Kind::Accepting {
                    edge.marks = 0;
                    continue;
                }
                let mut marks =
                    all & !Self::all_marks(u32::try_from(needed[own].len()).unwrap_or(0));
                for (new, old) in needed[own].iter().enumerate() {
                    marks |= (edge.marks >> old & 1) << new;
                }
                edge.marks = marks;
            }
        }
        self.sets = sets;
    }

    /// Sets of a component such that a cycle through all of them is accepted; none of them can be left out.
    fn needed_sets(&self, components: &Components, component: usize) -> Vec<u32> {
        let mut needed: Vec<u32> = (0..self.sets).collect();
        for set in 0..self.sets {
            let others: Vec<u32> = needed.iter().copied().filter(|&one| one != set).collect();
            if !self.has_cycle_without(components, component, set, &others) {
                needed = others;
            }
        }
        needed
    }

    /// Whether some cycle of a component meets all these sets but not that one.
    fn has_cycle_without(
        &self,
        parts: &Components,
        component: usize,
        set: u32,
        others: &[u32],
    ) -> bool {
        let inside = |state: usize, edge: &Edge| {
            parts.of[state] == component
                && parts.of[edge.target] == component
                && edge.marks >> set & 1 == 0
        };
        let targets = |(state, edges): (usize, &Vec<Edge>)| -> Vec<usize> {
            let edges = edges.iter().filter(|edge| inside(state, edge));
            edges.map(|edge| edge.target).collect()
        };
        let targets: Vec<Vec<usize>> = self.edges.iter().enumerate().map(targets).collect();
        let found = components(&targets);
        let wanted: Marks = others.iter().map(|set| 1 << set).sum();
        let mut met: Vec<Option<Marks>> = vec![None; found.count];
        for (state, edges) in self.edges.iter().enumerate() {
            for edge in edges.iter().filter(|edge| inside(state, edge)) {
                if found.of[state] == found.of[edge.target] {
                    *met[found.of[state]].get_or_insert(0) |= edge.marks;
                }
            }
        }
        met.iter().flatten().any(|marks| marks & wanted == wanted)
    }

    /// Sets the marks of edges between components, which say nothing.
    pub fn mark_between(&mut self, marks: Marks) {
        let components = self.components();
        for state in 0..self.edges.len() {
            for edge in &mut self.edges[state] {
                if components.of[edge.target] != components.of[state] {
                    edge.marks = marks;
                }
            }
        }
    }
}
