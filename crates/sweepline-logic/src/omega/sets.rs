//! Fewer acceptance sets.
//!
//! A cycle stays inside a component, so each component can have sets of its own, as few as it needs, and the automaton has as many as
//! the component that needs most. A component that needs none because it accepts every cycle gets all marks; one that accepts none
//! gets no marks, and if there is such a component, there must be a set for its edges not to be in.

use super::emptiness::accepting_part;
use super::tgba::{Kind, Tgba};
use super::{Acceptance, Marks};

impl Tgba {
    /// Gives each component the least sets.
    pub fn simplify_sets(&mut self) {
        let components = self.components();
        let kinds = self.kinds(&components);
        let members = components.members();
        let needed: Vec<Vec<u32>> = (0..components.count)
            .map(|component| match kinds[component] {
                Kind::Accepting => self.needed_sets(&members[component]),
                _ => Vec::new(),
            })
            .collect();
        let most = needed.iter().map(Vec::len).max().unwrap_or(0);
        let rejecting = kinds.contains(&Kind::Rejecting);
        let narrow = |sets: usize| u32::try_from(sets).expect("not more than before");
        let sets = narrow(most.max(usize::from(rejecting)));
        let all = Self::all_marks(sets);
        for state in 0..self.edges.len() {
            let own = components.of[state];
            for edge in &mut self.edges[state] {
                if components.of[edge.target] != own || kinds[own] != Kind::Accepting {
                    edge.marks = 0;
                    continue;
                }
                // Every cycle meets the sets that the component does not need.
                let mut marks = all & !Self::all_marks(narrow(needed[own].len()));
                for (new, old) in needed[own].iter().enumerate() {
                    marks |= (edge.marks >> old & 1) << new;
                }
                edge.marks = marks;
            }
        }
        self.sets = sets;
    }

    /// Sets of a component such that a cycle through all of them is accepted; none of them can be left out.
    fn needed_sets(&self, members: &[usize]) -> Vec<u32> {
        let inside: Vec<Vec<(usize, Marks)>> = members
            .iter()
            .map(|&state| {
                let edges = self.edges[state].iter();
                let places = edges.map(|edge| (members.binary_search(&edge.target), edge.marks));
                places
                    .filter_map(|(place, marks)| Some((place.ok()?, marks)))
                    .collect()
            })
            .collect();
        let mut needed: Vec<u32> = (0..self.sets).collect();
        for set in 0..self.sets {
            let others: Vec<u32> = needed.iter().copied().filter(|&one| one != set).collect();
            let mut without: Vec<Acceptance> =
                others.iter().copied().map(Acceptance::Inf).collect();
            without.push(Acceptance::Fin(set));
            if accepting_part(&inside, &Acceptance::And(without)).is_none() {
                needed = others;
            }
        }
        needed
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
