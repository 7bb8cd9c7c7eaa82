//! Generalised Büchi automata with marks on edges, while they are being made smaller.

use super::bdd::{Bdd, Bdds};
use super::scc::{Components, components};
use super::simulation::Marking;
use super::{Acceptance, Marks, OmegaAutomaton, OmegaEdge, OmegaState};
use crate::Pred;

/// A generalised Büchi automaton: every set has to be met infinitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tgba {
    /// The edges of each state.
    pub edges: Vec<Vec<Edge>>,
    /// Where it starts.
    pub initial: usize,
    /// How many acceptance sets there are.
    pub sets: u32,
}

/// An edge for a set of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub target: usize,
    pub marks: Marks,
    pub letters: Bdd,
}

/// What a component can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No cycle.
    Transient,
    /// Cycles, none of which is accepting.
    Rejecting,
    /// An accepting cycle.
    Accepting,
}

impl Tgba {
    /// The marks of so many sets.
    pub fn all_marks(sets: u32) -> Marks {
        match sets {
            0 => 0,
            sets => Marks::MAX >> (Marks::BITS - sets),
        }
    }

    pub fn components(&self) -> Components {
        let targets = |edges: &Vec<Edge>| edges.iter().map(|edge| edge.target).collect();
        components(&self.edges.iter().map(targets).collect::<Vec<_>>())
    }

    /// What each component can do.
    pub fn kinds(&self, components: &Components) -> Vec<Kind> {
        let mut inside: Vec<Option<Marks>> = vec![None; components.count];
        for (state, edges) in self.edges.iter().enumerate() {
            for edge in edges {
                if components.of[state] == components.of[edge.target] {
                    *inside[components.of[state]].get_or_insert(0) |= edge.marks;
                }
            }
        }
        let all = Self::all_marks(self.sets);
        let kind = |marks: Option<Marks>| match marks {
            None => Kind::Transient,
            Some(marks) if marks == all => Kind::Accepting,
            Some(_) => Kind::Rejecting,
        };
        inside.into_iter().map(kind).collect()
    }

    /// Removes states that are not reached or from which nothing is accepted, edges without letters, and marks that mean nothing;
    /// joins edges that differ in their letters only.
    pub fn prune(&mut self, bdds: &mut Bdds) {
        for edges in &mut self.edges {
            edges.retain(|edge| edge.letters != Bdd::FALSE);
        }
        let components = self.components();
        let kinds = self.kinds(&components);
        // Components come after those they lead to.
        let mut useful = vec![false; components.count];
        let mut order: Vec<usize> = (0..self.edges.len()).collect();
        order.sort_by_key(|&state| components.of[state]);
        for &state in &order {
            let own = components.of[state];
            let leads = self.edges[state].iter();
            let leads = leads.map(|edge| components.of[edge.target]);
            useful[own] |= kinds[own] == Kind::Accepting || leads.into_iter().any(|to| useful[to]);
        }
        for state in 0..self.edges.len() {
            let own = components.of[state];
            self.edges[state].retain(|edge| useful[components.of[edge.target]]);
            for edge in &mut self.edges[state] {
                // Only cycles through all sets count.
                if components.of[edge.target] != own || kinds[own] != Kind::Accepting {
                    edge.marks = 0;
                }
            }
            self.join(bdds, state);
        }
        self.renumber();
    }

    /// Joins the edges of a state that have the same target and marks.
    pub fn join(&mut self, bdds: &mut Bdds, state: usize) {
        let edges = &mut self.edges[state];
        edges.sort_unstable();
        let mut joined: Vec<Edge> = Vec::new();
        for edge in edges.drain(..) {
            match joined.last_mut() {
                Some(last) if (last.target, last.marks) == (edge.target, edge.marks) => {
                    last.letters = bdds.or(last.letters, edge.letters);
                }
                _ => joined.push(edge),
            }
        }
        *edges = joined;
    }

    /// Keeps the states that are reached, in the order in which a search finds them.
    pub fn renumber(&mut self) {
        const NEW: usize = usize::MAX;
        let mut numbers = vec![NEW; self.edges.len()];
        let mut order = vec![self.initial];
        numbers[self.initial] = 0;
        let mut at = 0;
        while let Some(&state) = order.get(at) {
            for edge in &self.edges[state] {
                if numbers[edge.target] == NEW {
                    numbers[edge.target] = order.len();
                    order.push(edge.target);
                }
            }
            at += 1;
        }
        let mut old = std::mem::take(&mut self.edges);
        self.edges = order
            .iter()
            .map(|&state| std::mem::take(&mut old[state]))
            .collect();
        for edge in self.edges.iter_mut().flatten() {
            edge.target = numbers[edge.target];
        }
        self.initial = 0;
    }

    /// Makes it smaller as long as that succeeds.
    pub fn reduce(&mut self, bdds: &mut Bdds) {
        self.prune(bdds);
        for _ in 0..10 {
            self.simplify_sets();
            let before = self.size();
            // Both choices of marks that say nothing have their cases.
            for marks in [0, Self::all_marks(self.sets)] {
                self.mark_between(marks);
                self.simulate(bdds);
                self.prune(bdds);
            }
            self.simulate_backwards(bdds, Marking::Edges);
            self.prune(bdds);
            if self.size() == before {
                break;
            }
        }
        self.simplify_sets();
    }

    /// An automaton with one set in which either all or none of the edges of a state are.
    pub fn state_based(&self, bdds: &mut Bdds) -> Self {
        let mut graph = self.degeneralised(bdds);
        for _ in 0..10 {
            let before = graph.size();
            for marks in [0, 1] {
                graph.mark_idle(marks);
                graph.simulate(bdds);
                graph.simulate_backwards(bdds, Marking::States);
            }
            if graph.size() == before {
                break;
            }
        }
        graph.mark_idle(0);
        graph
    }

    /// Sets the marks of states that are on no cycle, which say nothing, where marks belong to states.
    fn mark_idle(&mut self, marks: Marks) {
        let components = self.components();
        let kinds = self.kinds(&components);
        for (state, edges) in self.edges.iter_mut().enumerate() {
            match kinds[components.of[state]] {
                Kind::Transient => edges.iter_mut().for_each(|edge| edge.marks = marks),
                Kind::Rejecting => edges.iter_mut().for_each(|edge| edge.marks = 0),
                Kind::Accepting => {}
            }
        }
    }

    /// The automaton for others to use.
    pub fn automaton(&self, bdds: &mut Bdds, atoms: Vec<Pred>) -> OmegaAutomaton {
        let state = |state: usize| OmegaState(u32::try_from(state).expect("states are limited"));
        let mut edges = Vec::new();
        for from in &self.edges {
            let edge = |edge: &Edge| OmegaEdge {
                guard: bdds.guard(edge.letters),
                target: state(edge.target),
                marks: edge.marks,
            };
            edges.push(from.iter().map(edge).collect());
        }
        OmegaAutomaton {
            atoms,
            initial: vec![state(self.initial)],
            edges,
            sets: self.sets,
            acceptance: Acceptance::all(self.sets),
        }
    }
}
