//! Small state spaces as graphs.

use std::collections::BTreeSet;
use std::ops::Range;

use sweepline_core::ActionId;

/// A state space in full: what is read from `.ss` files and written to all formats.
///
/// ```
/// use sweepline_core::ActionId;
/// use sweepline_graph::{Graph, GraphEdge, GraphState, StateId};
///
/// let state = |id| GraphState { id, progress: id, truths: [].into(), shown: Vec::new() };
/// let edge = GraphEdge { source: StateId(0), action: ActionId(0), target: StateId(1) };
/// let graph = Graph::new(Vec::new(), vec!["send".into()], vec![state(1), state(2)], vec![edge], vec![StateId(0)]);
/// assert_eq!(graph.edges_from(StateId(0)), [edge]);
/// assert!(graph.is_deadlock(StateId(1)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    propositions: Vec<String>,
    actions: Vec<String>,
    states: Vec<GraphState>,
    edges: Vec<GraphEdge>,
    /// Where the edges of each state begin, and at last where they end.
    first_edges: Vec<usize>,
    initial: Vec<StateId>,
    /// Labels that nobody outside of the model sees.
    hidden: BTreeSet<ActionId>,
}

/// Index of a state in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// A state of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphState {
    /// Its number in `.ss` files; no two states have the same.
    pub id: i64,
    /// Its progress value.
    pub progress: i64,
    /// The truth value of each of the graph's propositions.
    pub truths: Box<[bool]>,
    /// Names and values to show to people.
    pub shown: Vec<(String, String)>,
}

/// An edge of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphEdge {
    /// Where it starts.
    pub source: StateId,
    /// Its label, as an index into the graph's actions.
    pub action: ActionId,
    /// Where it leads.
    pub target: StateId,
}

impl StateId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Graph {
    /// A graph from its parts. Edges of the same source keep their order.
    pub fn new(
        propositions: Vec<String>,
        actions: Vec<String>,
        states: Vec<GraphState>,
        mut edges: Vec<GraphEdge>,
        initial: Vec<StateId>,
    ) -> Self {
        edges.sort_by_key(|edge| edge.source);
        let mut first_edges = vec![0; states.len() + 1];
        for edge in &edges {
            first_edges[edge.source.index() + 1] += 1;
        }
        for index in 0..states.len() {
            first_edges[index + 1] += first_edges[index];
        }
        Self {
            propositions,
            actions,
            states,
            edges,
            first_edges,
            initial,
            hidden: BTreeSet::new(),
        }
    }

    /// The same graph with labels that nobody outside of the model sees. Formats that know internal steps write them as such.
    #[must_use]
    pub fn hiding(mut self, actions: impl IntoIterator<Item = ActionId>) -> Self {
        self.hidden.extend(actions);
        self
    }

    /// Whether nobody outside of the model sees a label.
    pub fn is_hidden(&self, action: ActionId) -> bool {
        self.hidden.contains(&action)
    }

    /// The names of the propositions.
    pub fn propositions(&self) -> &[String] {
        &self.propositions
    }

    /// The labels of edges, indexed by [`ActionId`].
    pub fn actions(&self) -> &[String] {
        &self.actions
    }

    /// All states, indexed by [`StateId`].
    pub fn states(&self) -> &[GraphState] {
        &self.states
    }

    /// The state with this index.
    pub fn state(&self, id: StateId) -> &GraphState {
        &self.states[id.index()]
    }

    /// Every state's index.
    pub fn ids(&self) -> impl Iterator<Item = StateId> + use<> {
        let count = u32::try_from(self.states.len()).expect("a graph has below 2^32 states");
        (0..count).map(StateId)
    }

    /// All edges, by source.
    pub fn edges(&self) -> &[GraphEdge] {
        &self.edges
    }

    /// The edges that leave a state.
    pub fn edges_from(&self, source: StateId) -> &[GraphEdge] {
        &self.edges[self.edge_range(source)]
    }

    /// Whether no edge leaves a state.
    pub fn is_deadlock(&self, state: StateId) -> bool {
        self.edge_range(state).is_empty()
    }

    /// The initial states.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// The label of an edge.
    pub fn label(&self, edge: &GraphEdge) -> &str {
        &self.actions[edge.action.0 as usize]
    }

    pub(crate) fn edge_range(&self, source: StateId) -> Range<usize> {
        self.first_edges[source.index()]..self.first_edges[source.index() + 1]
    }
}
