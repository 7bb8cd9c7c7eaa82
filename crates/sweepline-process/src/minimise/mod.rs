//! Minimisation: the smallest LTS that does the same.

mod nodes;
mod partition;
mod refine;

use sweepline_core::{Limits, StopReason};

use crate::graph::StateId;
use crate::lts::{LabelId, Lts, LtsBuilder};
use nodes::Nodes;
use refine::{Blocks, Refinement};

/// What it means that two LTSs do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Equivalence {
    /// Strong bisimilarity: every step of one state is matched by a step of the other.
    Strong,
    /// Branching bisimilarity with explicit divergence: internal steps that change nothing are not seen, but whether
    /// there are infinitely many of them is \[GLT09\].
    Branching,
}

/// The smallest LTS that is equivalent to this one.
///
/// Both equivalences tell apart ordinary states, ends and errors, and keep these when a component is replaced in a
/// network: so it can be decided on minimised components whether a network reaches a deadlock or an error. For
/// branching bisimilarity this holds because of explicit divergence: a state with an endless internal loop is no
/// deadlock, and does not become one.
/// It does not hold in networks with priorities, which see internal steps: there, use strong bisimilarity.
///
/// The result has only reachable states, numbered breadth-first from the initial one, in the order of the names of
/// labels; behind the same label, a state that stands for a smaller one comes first. The alphabet is kept as it is. A
/// state is called as the least of those it stands for.
///
/// ```
/// use sweepline_process::{Equivalence, Lts, TAU, minimise};
///
/// // 0 -a-> 1 -tau-> 2, and 0 -a-> 2
/// let mut builder = Lts::builder();
/// let [s, t, u] = std::array::from_fn(|_| builder.state());
/// let a = builder.label("a");
/// for (source, label, target) in [(s, a, t), (t, TAU, u), (s, a, u)] {
///     builder.edge(source, label, target);
/// }
/// let lts = builder.build(s);
/// assert_eq!(minimise(&lts, Equivalence::Strong).len(), 3);
/// assert_eq!(minimise(&lts, Equivalence::Branching).len(), 2);
/// ```
pub fn minimise(lts: &Lts, how: Equivalence) -> Lts {
    minimise_within(lts, how, &Limits::default()).expect("there are no limits")
}

/// The same, if it can be done within limits.
pub fn minimise_within(lts: &Lts, how: Equivalence, limits: &Limits) -> Result<Lts, StopReason> {
    // Edges the other way round take half as much as edges themselves.
    limits.allow(lts.bytes().saturating_mul(2))?;
    let nodes = Nodes::new(lts, how);
    let held = lts.bytes() + nodes.bytes();
    let blocks = Refinement::coarsest(&nodes, held, limits)?.into_blocks();
    let nodes = nodes.without_sources();
    Quotient::new(lts, &nodes, &blocks).build(limits)
}

/// The blocks of a partition as states.
struct Quotient<'a> {
    lts: &'a Lts,
    nodes: &'a Nodes<'a>,
    blocks: &'a Blocks,
    /// The least state of each block.
    least: Vec<StateId>,
    /// The place of each label in the order of names.
    label_order: Vec<u32>,
}

/// States of the result that are made before limits are asked again.
const STATES_UNASKED: usize = 1 << 13;

impl<'a> Quotient<'a> {
    fn new(lts: &'a Lts, nodes: &'a Nodes<'a>, blocks: &'a Blocks) -> Self {
        let mut least = vec![StateId(u32::MAX); blocks.len()];
        for state in lts.states() {
            let first = &mut least[blocks.of(nodes.of_state(state)) as usize];
            *first = state.min(*first);
        }
        let mut by_name: Vec<usize> = (0..lts.labels().len()).collect();
        by_name.sort_by_key(|&label| &lts.labels()[label]);
        let mut label_order = vec![0; by_name.len()];
        for (place, label) in (0..).zip(by_name) {
            label_order[label] = place;
        }
        Self {
            lts,
            nodes,
            blocks,
            least,
            label_order,
        }
    }

    fn build(&self, limits: &Limits) -> Result<Lts, StopReason> {
        let mut builder = Lts::builder();
        for label in self.lts.labels() {
            builder.label(label);
        }
        let has_names = self.lts.has_names();
        let mut numbers = vec![None; self.least.len()];
        let mut order = Vec::new();
        let mut number = |block: u32, order: &mut Vec<u32>, builder: &mut LtsBuilder| {
            *numbers[block as usize].get_or_insert_with(|| {
                order.push(block);
                let least = self.least[block as usize];
                let state = builder.state();
                builder.set_kind(state, self.lts.kind(least));
                if has_names {
                    builder.set_name(state, self.lts.state_name(least));
                }
                state
            })
        };
        let initial = self.blocks.of(self.nodes.of_state(self.lts.initial()));
        let root = number(initial, &mut order, &mut builder);
        let mut edges = Vec::new();
        let mut next = 0;
        while let Some(&block) = order.get(next) {
            self.edges(block, &mut edges);
            let source = number(block, &mut order, &mut builder);
            for edge in &mut edges {
                edge.target = number(edge.block, &mut order, &mut builder);
            }
            edges.sort_unstable_by_key(|edge| (edge.order, edge.target));
            for edge in &edges {
                builder.edge(source, edge.label, edge.target);
            }
            next += 1;
            if next.is_multiple_of(STATES_UNASKED) {
                limits.allow(self.lts.bytes() + self.nodes.bytes() + builder.bytes())?;
            }
        }
        Ok(builder.build(root))
    }

    /// The edges of a block, each of them once, in the order of labels and least states.
    fn edges(&self, block: u32, edges: &mut Vec<Edge>) {
        edges.clear();
        self.blocks.edges(self.nodes, block, |label, block| {
            edges.push(Edge {
                order: self.label_order[label.index()],
                label,
                block,
                target: StateId(0),
            });
        });
        let least = |edge: &Edge| self.least[edge.block as usize];
        edges.sort_unstable_by(|one, other| {
            let by_label = one.order.cmp(&other.order);
            by_label.then_with(|| least(one).cmp(&least(other)))
        });
        edges.dedup_by_key(|edge| (edge.order, edge.block));
    }
}

/// An edge of the result.
struct Edge {
    /// The place of its label.
    order: u32,
    label: LabelId,
    /// Where it leads.
    block: u32,
    /// The same as a state of the result, once it has a number.
    target: StateId,
}
