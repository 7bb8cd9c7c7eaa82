//! Minimisation: the smallest LTS that does the same.

mod nodes;
mod partition;
mod refine;

use sweepline_core::{Limits, StopReason};

use crate::lts::{LabelId, Lts, LtsBuilder};
use nodes::Nodes;
use refine::{Blocks, Refinement};
use sweepline_graph::StateId;

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
    let mut blocks = Refinement::coarsest(&nodes, held, limits)?.into_blocks();
    let nodes = nodes.without_sources();
    // A block that stands for a smaller state comes first.
    blocks.renumber(lts.states().map(|state| nodes.of_state(state)));
    Quotient::new(lts, &nodes, &blocks).build(limits)
}

/// The blocks of a partition as states.
struct Quotient<'a> {
    lts: &'a Lts,
    nodes: &'a Nodes<'a>,
    blocks: &'a Blocks,
    /// The place of each label in the order of names.
    label_order: Vec<u32>,
}

/// States of the result that are made before limits are asked again.
const STATES_UNASKED: usize = 1 << 13;

impl<'a> Quotient<'a> {
    fn new(lts: &'a Lts, nodes: &'a Nodes<'a>, blocks: &'a Blocks) -> Self {
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
            label_order,
        }
    }

    fn build(&self, limits: &Limits) -> Result<Lts, StopReason> {
        let mut builder = Lts::builder();
        for label in self.lts.labels() {
            builder.label(label);
        }
        let initial = self.blocks.of(self.nodes.of_state(self.lts.initial()));
        let mut numbering = Numbering::new(self.blocks.len());
        numbering.number(initial);
        let mut edges = Vec::new();
        let mut next = 0;
        while let Some(&block) = numbering.order.get(next) {
            self.edges(block, &mut edges);
            for edge in &mut edges {
                edge.target = numbering.number(edge.block);
            }
            edges.sort_unstable_by_key(|edge| (edge.order, edge.target));
            while builder.len() < numbering.order.len() {
                builder.state();
            }
            let source = numbering.number(block);
            for edge in &edges {
                builder.edge(source, edge.label, edge.target);
            }
            next += 1;
            if next.is_multiple_of(STATES_UNASKED) {
                limits.allow(self.lts.bytes() + self.nodes.bytes() + builder.bytes())?;
            }
        }
        self.describe(&mut builder, &numbering);
        Ok(builder.build(StateId(0)))
    }

    /// Gives the states of the result the kinds and names of the least states they stand for.
    fn describe(&self, builder: &mut LtsBuilder, numbering: &Numbering) {
        let has_names = self.lts.has_names();
        let mut described = vec![false; self.blocks.len()];
        for state in self.lts.states() {
            let block = self.blocks.of(self.nodes.of_state(state)) as usize;
            let number = numbering.numbers[block];
            if number != UNNUMBERED && !std::mem::replace(&mut described[block], true) {
                builder.set_kind(number, self.lts.kind(state));
                if has_names {
                    builder.set_name(number, self.lts.state_name(state));
                }
            }
        }
    }

    /// The edges of a block, each of them once, in the order of labels and blocks.
    fn edges(&self, block: u32, edges: &mut Vec<Edge>) {
        edges.clear();
        self.blocks.edges(self.nodes, block, |label, block| {
            edges.push(Edge {
                order: self.label_order[label.index()],
                label,
                block,
                target: UNNUMBERED,
            });
        });
        edges.sort_unstable_by_key(|edge| (edge.order, edge.block));
        edges.dedup_by_key(|edge| (edge.order, edge.block));
    }
}

/// The states of the result.
struct Numbering {
    numbers: Vec<StateId>,
    /// The blocks that have a number, in the order of their numbers.
    order: Vec<u32>,
}

const UNNUMBERED: StateId = StateId(u32::MAX);

impl Numbering {
    fn new(blocks: usize) -> Self {
        Self {
            numbers: vec![UNNUMBERED; blocks],
            order: Vec::with_capacity(blocks),
        }
    }

    /// The number of a block, which gets the next one if it has none.
    #[inline]
    fn number(&mut self, block: u32) -> StateId {
        let number = &mut self.numbers[block as usize];
        if *number == UNNUMBERED {
            *number = StateId(u32::try_from(self.order.len()).expect("below 2^32 blocks"));
            self.order.push(block);
        }
        *number
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
