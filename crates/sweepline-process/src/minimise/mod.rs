//! Minimisation: the smallest LTS that does the same.

mod nodes;
mod partition;
mod refine;

use crate::graph::StateId;
use crate::lts::{Lts, LtsBuilder};
use nodes::Nodes;
use refine::Refinement;

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
    let nodes = Nodes::new(lts, how);
    let refinement = Refinement::coarsest(&nodes);
    Quotient::new(lts, &nodes, &refinement).build()
}

/// The blocks of a partition as states.
struct Quotient<'a> {
    lts: &'a Lts,
    nodes: &'a Nodes,
    refinement: &'a Refinement<'a>,
    /// The least state of each block.
    least: Vec<StateId>,
    /// The place of each label in the order of names.
    label_order: Vec<usize>,
}

impl<'a> Quotient<'a> {
    fn new(lts: &'a Lts, nodes: &'a Nodes, refinement: &'a Refinement<'a>) -> Self {
        let mut least = vec![StateId(u32::MAX); refinement.len()];
        for state in lts.states() {
            let first = &mut least[refinement.block_of(nodes.of_state(state)) as usize];
            *first = state.min(*first);
        }
        let mut by_name: Vec<usize> = (0..lts.labels().len()).collect();
        by_name.sort_by_key(|&label| &lts.labels()[label]);
        let mut label_order = vec![0; by_name.len()];
        for (place, label) in by_name.into_iter().enumerate() {
            label_order[label] = place;
        }
        Self {
            lts,
            nodes,
            refinement,
            least,
            label_order,
        }
    }

    fn build(&self) -> Lts {
        let mut builder = Lts::builder();
        for label in self.lts.labels() {
            builder.label(label);
        }
        let mut numbers = vec![None; self.least.len()];
        let initial = self
            .refinement
            .block_of(self.nodes.of_state(self.lts.initial()));
        let mut order = vec![initial];
        let root = self.state(&mut builder, initial);
        numbers[initial as usize] = Some(root);
        let mut next = 0;
        while next < order.len() {
            let block = order[next];
            let source = numbers[block as usize].expect("blocks in the order have a number");
            let mut edges = Vec::new();
            for (label, target) in self.edges(block) {
                let number = numbers[target as usize].get_or_insert_with(|| {
                    order.push(target);
                    self.state(&mut builder, target)
                });
                edges.push((self.label_order[label.index()], label, *number));
            }
            edges.sort_unstable();
            for (_, label, target) in edges {
                builder.edge(source, label, target);
            }
            next += 1;
        }
        builder.build(root)
    }

    fn state(&self, builder: &mut LtsBuilder, block: u32) -> StateId {
        let least = self.least[block as usize];
        let state = builder.state();
        builder.set_kind(state, self.lts.kind(least));
        if self.lts.has_names() {
            builder.set_name(state, self.lts.state_name(least));
        }
        state
    }

    /// The edges of a block in their order.
    fn edges(&self, block: u32) -> Vec<(crate::lts::LabelId, u32)> {
        let mut edges = self.refinement.edges(block);
        edges.sort_unstable_by_key(|&(label, target)| {
            let order = self.label_order[label.index()];
            (order, self.least[target as usize])
        });
        edges
    }
}
