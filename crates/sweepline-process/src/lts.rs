//! Labelled transition systems: the components of networks.

use std::collections::HashMap;

use crate::edge_list::EdgeList;
use sweepline_graph::StateId;

/// A finite labelled transition system, with its alphabet.
///
/// The alphabet can be larger than the set of labels that occur: a component takes part in every label of its
/// alphabet, so a label it never offers is one it forbids. Label 0 is `tau`, the internal step; it is never shared.
///
/// ```
/// use sweepline_process::{Lts, StateId};
///
/// let mut builder = Lts::builder();
/// let (idle, busy) = (builder.state(), builder.state());
/// let start = builder.label("start");
/// builder.label("stop"); // in the alphabet, so forbidden
/// builder.edge(idle, start, busy);
/// let lts = builder.build(idle);
/// assert_eq!(lts.edges_from(idle).len(), 1);
/// assert_eq!(lts.labels(), ["tau", "start", "stop"]);
/// assert!(lts.edges_from(busy).is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lts {
    initial: StateId,
    labels: Vec<String>,
    kinds: Vec<StateKind>,
    names: Vec<String>,
    /// Where the edges of each state begin, and at last where they end.
    first_edges: Vec<usize>,
    edges: Vec<LtsEdge>,
}

/// Index of a label in the alphabet of its LTS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(pub u32);

/// The internal step.
pub const TAU: LabelId = LabelId(0);

/// An edge of an LTS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LtsEdge {
    /// Its label.
    pub label: LabelId,
    /// Where it leads.
    pub target: StateId,
}

/// What it means to be in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateKind {
    /// Nothing special; without edges it is a deadlock.
    #[default]
    Ordinary,
    /// A proper end: no deadlock though nothing leaves it.
    End,
    /// A property is violated.
    Error,
}

impl Lts {
    /// Starts an empty LTS.
    pub fn builder() -> LtsBuilder {
        LtsBuilder::default()
    }

    /// Where it starts.
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// The alphabet, indexed by [`LabelId`]; `tau` is the first.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The name of a label.
    pub fn label(&self, label: LabelId) -> &str {
        &self.labels[label.index()]
    }

    /// How many states it has.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether it has no state, which no LTS from a builder is.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Every state.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        let count = u32::try_from(self.len()).expect("an LTS has below 2^32 states");
        (0..count).map(StateId)
    }

    /// What a state means.
    pub fn kind(&self, state: StateId) -> StateKind {
        self.kinds[state.index()]
    }

    /// What every state means.
    pub(crate) fn kinds(&self) -> &[StateKind] {
        &self.kinds
    }

    /// Where the edges of each state begin, and at last where they end; and all edges.
    pub(crate) fn all_edges(&self) -> (&[usize], &[LtsEdge]) {
        (&self.first_edges, &self.edges)
    }

    /// Whether some state has a name.
    pub(crate) fn has_names(&self) -> bool {
        self.names.iter().any(|name| !name.is_empty())
    }

    /// What the state is called, or its number.
    pub fn state_name(&self, state: StateId) -> String {
        match self.names.get(state.index()) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => state.0.to_string(),
        }
    }

    /// How many edges it has.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// How much memory it takes, nearly.
    pub fn bytes(&self) -> usize {
        let names = (self.labels.len() + self.names.len()) * NAME_BYTES;
        let states = self.kinds.len() * (size_of::<StateKind>() + size_of::<usize>());
        names + states + size_of_val(&self.edges[..])
    }

    /// The edges that leave a state, in the order they were added.
    pub fn edges_from(&self, state: StateId) -> &[LtsEdge] {
        &self.edges[self.first_edges[state.index()]..self.first_edges[state.index() + 1]]
    }
}

impl Lts {
    /// An LTS from its parts. Edges of the same source keep their order.
    pub(crate) fn new(
        initial: StateId,
        labels: Vec<String>,
        kinds: Vec<StateKind>,
        edges: EdgeList,
    ) -> Self {
        let (first_edges, edges) = edges.by_source(kinds.len());
        Self {
            initial,
            labels,
            kinds,
            names: Vec::new(),
            first_edges,
            edges,
        }
    }
}

/// What a name takes besides its place in a list, nearly.
const NAME_BYTES: usize = size_of::<String>() + 16;

impl LabelId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Collects states, labels and edges.
#[derive(Clone, Debug)]
pub struct LtsBuilder {
    labels: Vec<String>,
    by_name: HashMap<String, LabelId>,
    kinds: Vec<StateKind>,
    names: Vec<String>,
    edges: EdgeList,
}

impl Default for LtsBuilder {
    fn default() -> Self {
        let mut builder = Self {
            labels: Vec::new(),
            by_name: HashMap::new(),
            kinds: Vec::new(),
            names: Vec::new(),
            edges: EdgeList::default(),
        };
        builder.label("tau");
        builder
    }
}

impl LtsBuilder {
    /// The label of this name, which is in the alphabet from now on.
    pub fn label(&mut self, name: &str) -> LabelId {
        if let Some(&label) = self.by_name.get(name) {
            return label;
        }
        let label = LabelId(u32::try_from(self.labels.len()).expect("below 2^32 labels"));
        self.labels.push(name.to_owned());
        self.by_name.insert(name.to_owned(), label);
        label
    }

    /// A new ordinary state without a name.
    pub fn state(&mut self) -> StateId {
        let state = StateId(u32::try_from(self.kinds.len()).expect("below 2^32 states"));
        self.kinds.push(StateKind::Ordinary);
        state
    }

    /// Says what a state means.
    pub fn set_kind(&mut self, state: StateId, kind: StateKind) {
        self.kinds[state.index()] = kind;
    }

    /// Gives a state a name to show.
    pub fn set_name(&mut self, state: StateId, name: impl Into<String>) {
        if self.names.len() <= state.index() {
            self.names.resize(state.index() + 1, String::new());
        }
        self.names[state.index()] = name.into();
    }

    /// Adds an edge between existing states.
    pub fn edge(&mut self, source: StateId, label: LabelId, target: StateId) {
        debug_assert!(source.index() < self.kinds.len() && target.index() < self.kinds.len());
        self.edges.push(source, LtsEdge { label, target });
    }

    /// How much memory it takes, nearly.
    pub fn bytes(&self) -> usize {
        let names = (2 * self.labels.len() + self.names.len()) * NAME_BYTES;
        names + self.kinds.len() * size_of::<StateKind>() + self.edges.bytes()
    }

    /// How many states there are so far.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is no state yet.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The LTS, which starts in `initial`.
    pub fn build(self, initial: StateId) -> Lts {
        Lts {
            names: self.names,
            ..Lts::new(initial, self.labels, self.kinds, self.edges)
        }
    }
}
