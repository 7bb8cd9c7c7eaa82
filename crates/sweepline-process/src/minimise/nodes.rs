//! What is partitioned: states, or sets of states that lie on internal loops.

use super::Equivalence;
use crate::graph::StateId;
use crate::lts::{LabelId, Lts, StateKind, TAU};
use crate::scc::{Adjacency, components};

/// The nodes of a graph that is to be partitioned.
///
/// For branching bisimilarity, states of the same kind that lie on a common loop of internal steps are equivalent, and
/// one node. So the internal steps between nodes of the same block form no loop; they lead to smaller nodes.
pub(super) struct Nodes {
    of_state: Vec<u32>,
    pub kinds: Vec<StateKind>,
    /// Whether a node has an endless internal loop. Only for branching bisimilarity.
    diverging: Vec<bool>,
    first: Vec<usize>,
    edges: Vec<(LabelId, u32)>,
    /// Where the edges of each node come from.
    pub sources: Adjacency,
    /// Where the internal steps come from, if they can be inert.
    pub inert_sources: Adjacency,
    how: Equivalence,
}

impl Nodes {
    pub fn new(lts: &Lts, how: Equivalence) -> Self {
        let (of_state, count) = match how {
            Equivalence::Strong => identity(lts),
            Equivalence::Branching => components(&internal_steps(lts)),
        };
        let mut nodes = Self {
            kinds: vec![StateKind::Ordinary; count as usize],
            diverging: vec![false; count as usize],
            of_state,
            first: Vec::new(),
            edges: Vec::new(),
            sources: Adjacency::default(),
            inert_sources: Adjacency::default(),
            how,
        };
        nodes.take_edges(lts);
        let targets = |wanted: fn(LabelId) -> bool| {
            Adjacency::new(count as usize, |node| {
                let edges = nodes.edges(node).iter();
                edges
                    .filter(move |(label, _)| wanted(*label))
                    .map(|(_, target)| *target)
            })
        };
        let sources = targets(|_| true).reversed();
        let inert_sources = match how {
            Equivalence::Strong => Adjacency::default(),
            Equivalence::Branching => targets(|label| label == TAU).reversed(),
        };
        Self {
            sources,
            inert_sources,
            ..nodes
        }
    }

    /// Kinds, divergence and edges from those of the states.
    fn take_edges(&mut self, lts: &Lts) {
        let mut edges = Vec::with_capacity(lts.edge_count());
        for state in lts.states() {
            let source = self.of_state(state);
            self.kinds[source as usize] = lts.kind(state);
            for edge in lts.edges_from(state) {
                let target = self.of_state(edge.target);
                if self.how == Equivalence::Branching && edge.label == TAU && source == target {
                    self.diverging[source as usize] = true;
                } else {
                    edges.push((source, edge.label, target));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        self.first = vec![0; self.len() + 1];
        for (source, ..) in &edges {
            self.first[*source as usize + 1] += 1;
        }
        for node in 0..self.len() {
            self.first[node + 1] += self.first[node];
        }
        let ends = edges.into_iter().map(|(_, label, target)| (label, target));
        self.edges = ends.collect();
    }

    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    pub fn of_state(&self, state: StateId) -> u32 {
        self.of_state[state.index()]
    }

    #[inline]
    pub fn edges(&self, node: usize) -> &[(LabelId, u32)] {
        &self.edges[self.first[node]..self.first[node + 1]]
    }

    #[inline]
    pub fn is_diverging(&self, node: u32) -> bool {
        self.diverging[node as usize]
    }

    /// Whether steps with this label are not seen if they stay in their block.
    #[inline]
    pub fn can_be_inert(&self, label: LabelId) -> bool {
        label == TAU && self.how == Equivalence::Branching
    }
}

fn identity(lts: &Lts) -> (Vec<u32>, u32) {
    let numbers: Vec<u32> = lts.states().map(|state| state.0).collect();
    let count = u32::try_from(numbers.len()).expect("an LTS has below 2^32 states");
    (numbers, count)
}

/// The internal steps between states of the same kind.
fn internal_steps(lts: &Lts) -> Adjacency {
    let states: Vec<StateId> = lts.states().collect();
    Adjacency::new(lts.len(), |node| {
        let kind = lts.kind(states[node]);
        let edges = lts.edges_from(states[node]).iter();
        let internal = edges.filter(move |edge| edge.label == TAU && lts.kind(edge.target) == kind);
        internal.map(|edge| edge.target.0)
    })
}
