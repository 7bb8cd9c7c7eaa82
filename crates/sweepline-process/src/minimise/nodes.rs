//! What is partitioned: states, or sets of states that lie on internal loops.

use std::borrow::Cow;

use super::Equivalence;
use crate::edge_list::EdgeList;
use crate::lts::{LabelId, Lts, LtsEdge, StateKind, TAU};
use crate::scc::{Adjacency, components};
use sweepline_core::Components;
use sweepline_graph::StateId;

/// The nodes of a graph that is to be partitioned.
///
/// For branching bisimilarity, states of the same kind that lie on a common loop of internal steps are equivalent, and
/// one node. So the internal steps between nodes of the same block form no loop; they lead to smaller nodes. For
/// strong bisimilarity every state is a node, and nothing is copied.
pub(super) struct Nodes<'a> {
    /// The node of every state, where it is not the state itself.
    of_state: Option<Vec<u32>>,
    pub kinds: Cow<'a, [StateKind]>,
    /// Whether a node has an endless internal loop. Only for branching bisimilarity.
    diverging: Vec<bool>,
    first: Cow<'a, [usize]>,
    /// The edges by source; what is called a state in them is a node.
    edges: Cow<'a, [LtsEdge]>,
    /// Where the edges of each node come from.
    pub sources: Adjacency,
    /// Where the internal steps come from, if they can be inert.
    pub inert_sources: Adjacency,
}

impl<'a> Nodes<'a> {
    pub fn new(lts: &'a Lts, how: Equivalence) -> Self {
        match how {
            Equivalence::Strong => Self::states(lts),
            Equivalence::Branching => Self::loops(lts),
        }
    }

    fn states(lts: &'a Lts) -> Self {
        let (first, edges) = lts.all_edges();
        Self {
            of_state: None,
            kinds: lts.kinds().into(),
            diverging: Vec::new(),
            sources: Adjacency::sources(first, edges, |_| true),
            inert_sources: Adjacency::default(),
            first: first.into(),
            edges: edges.into(),
        }
    }

    fn loops(lts: &Lts) -> Self {
        let Components {
            of: of_state,
            count,
        } = components(&internal_steps(lts));
        let count = count as usize;
        let mut kinds = vec![StateKind::Ordinary; count];
        let mut diverging = vec![false; count];
        let mut list = EdgeList::default();
        for state in lts.states() {
            let source = of_state[state.index()];
            kinds[source as usize] = lts.kind(state);
            for &LtsEdge { label, target } in lts.edges_from(state) {
                let target = of_state[target.index()];
                if label == TAU && source == target {
                    diverging[source as usize] = true;
                } else {
                    let target = StateId(target);
                    list.push(StateId(source), LtsEdge { label, target });
                }
            }
        }
        let (first, edges) = once(list.by_source(count));
        Self {
            of_state: Some(of_state),
            kinds: kinds.into(),
            diverging,
            sources: Adjacency::sources(&first, &edges, |_| true),
            inert_sources: Adjacency::sources(&first, &edges, |edge| edge.label == TAU),
            first: first.into(),
            edges: edges.into(),
        }
    }

    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// How much memory it takes, nearly.
    pub fn bytes(&self) -> usize {
        let copied = match self.of_state {
            Some(_) => self.len() * 16 + size_of_val(&*self.edges),
            None => 0,
        };
        copied + self.sources.bytes() + self.inert_sources.bytes()
    }

    /// Forgets where edges come from.
    pub fn without_sources(self) -> Self {
        Self {
            sources: Adjacency::default(),
            inert_sources: Adjacency::default(),
            ..self
        }
    }

    pub fn of_state(&self, state: StateId) -> u32 {
        match &self.of_state {
            Some(nodes) => nodes[state.index()],
            None => state.0,
        }
    }

    #[inline]
    pub fn edges(&self, node: u32) -> &[LtsEdge] {
        &self.edges[self.first[node as usize]..self.first[node as usize + 1]]
    }

    #[inline]
    pub fn is_diverging(&self, node: u32) -> bool {
        self.of_state.is_some() && self.diverging[node as usize]
    }

    /// Whether some steps are not seen if they stay in their block.
    #[inline]
    pub fn has_inert(&self) -> bool {
        self.of_state.is_some()
    }

    /// Whether steps with this label are such.
    #[inline]
    pub fn can_be_inert(&self, label: LabelId) -> bool {
        label == TAU && self.has_inert()
    }
}

/// The same edges, each of them once and those of a source in order.
fn once((mut first, mut edges): (Vec<usize>, Vec<LtsEdge>)) -> (Vec<usize>, Vec<LtsEdge>) {
    let (mut start, mut kept) = (0, 0);
    for end in &mut first[1..] {
        edges[start..*end].sort_unstable();
        let own = kept;
        for index in start..*end {
            if kept == own || edges[kept - 1] != edges[index] {
                edges[kept] = edges[index];
                kept += 1;
            }
        }
        start = std::mem::replace(end, kept);
    }
    edges.truncate(kept);
    (first, edges)
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
