//! The run that shows a violation: a way to a cycle, and the cycle.

use std::collections::HashSet;

use sweepline_logic::omega::{Marks, OmegaState};

use super::graph::{Cursor, Marked, Root, STUTTER, Step};
use super::search::{Component, Ending, Stem, Witness};

/// A run of the model that an automaton accepts, as the ordinals of its steps, and how the automaton reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// Index of the initial state.
    pub initial: usize,
    /// The state the automaton starts in.
    pub start: OmegaState,
    /// What comes before the part that repeats.
    pub stem: Vec<LassoStep>,
    /// What repeats for ever. If there is nothing, every run that goes on from the end of the stem is accepted.
    pub cycle: Vec<LassoStep>,
}

/// A step of a lasso.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LassoStep {
    /// The position of the step among those of its source, or nothing where the model has no step and stays where it is.
    pub ordinal: Option<usize>,
    /// The position of the automaton's move among those of its state.
    pub edge: usize,
}

impl Lasso {
    /// A short run that shows what a search found, within so many bytes if the way the search took is not to be used.
    pub(crate) fn short<G: Marked>(graph: &mut G, witness: Witness, bytes: usize) -> Option<Self> {
        let Witness { stem, ending } = witness;
        match ending {
            Ending::Anyhow => {
                let universal = |graph: &G, node| graph.is_universal(node);
                let (root, steps) = stem_to(graph, stem, universal, bytes)?;
                Some(Self::new(root, &steps, &[]))
            }
            Ending::Cycle(component) => {
                let nodes: HashSet<u64> = component.nodes.iter().copied().collect();
                let inside = |_: &G, node| nodes.contains(&node);
                let (root, steps) = stem_to(graph, stem, inside, bytes)?;
                let entry = steps.last().map_or(root.node, |step| step.target);
                let cycle = cycle(graph, &component, &nodes, entry)?;
                Some(Self::new(root, &steps, &cycle))
            }
        }
    }

    fn new(root: Root, stem: &[Step], cycle: &[Step]) -> Self {
        let steps = |steps: &[Step]| steps.iter().map(LassoStep::of).collect();
        Self {
            initial: root.ordinal as usize,
            start: OmegaState(root.state),
            stem: steps(stem),
            cycle: steps(cycle),
        }
    }
}

impl LassoStep {
    pub(crate) fn of(step: &Step) -> Self {
        Self {
            ordinal: (step.ordinal != STUTTER).then_some(step.ordinal as usize),
            edge: step.edge as usize,
        }
    }
}

/// The shortest way from a root to a goal; if looking for it takes too much, the way that is known, and on from there.
fn stem_to<G: Marked>(
    graph: &mut G,
    known: Option<Stem>,
    goal: impl Fn(&G, u64) -> bool + Copy,
    bytes: usize,
) -> Option<(Root, Vec<Step>)> {
    let roots: Vec<Root> = (0..).map_while(|index| graph.root(index)).collect();
    let starts: Vec<u64> = roots.iter().map(|root| root.node).collect();
    let any = |_: &Step| true;
    let found = nearest(graph, &starts, any, goal, bytes);
    let (start, steps) = match (found, known) {
        (Some(found), _) => found,
        (None, None) => nearest(graph, &starts, any, goal, usize::MAX)?,
        (None, Some(known)) => {
            let last = known.last();
            let mut steps = known.steps;
            let (_, more) = nearest(graph, &[last], any, goal, usize::MAX)?;
            steps.extend(more);
            (known.root, steps)
        }
    };
    let root = roots.into_iter().find(|root| root.node == start)?;
    Some((root, steps))
}

/// A cycle of a component that is accepted, and the node with the least number where it starts.
pub(crate) fn cycle_in<G: Marked>(
    graph: &mut G,
    component: &Component,
) -> Option<(u64, Vec<Step>)> {
    let nodes: HashSet<u64> = component.nodes.iter().copied().collect();
    let entry = *component.nodes.iter().min()?;
    let steps = cycle(graph, component, &nodes, entry)?;
    Some((entry, steps))
}

/// A cycle within a component, from a node back to it, through edges with all marks that are needed.
fn cycle<G: Marked>(
    graph: &mut G,
    component: &Component,
    nodes: &HashSet<u64>,
    entry: u64,
) -> Option<Vec<Step>> {
    let inside =
        |step: &Step| step.marks & component.forbidden == 0 && nodes.contains(&step.target);
    let (mut steps, mut left, mut at): (Vec<Step>, Marks, u64) =
        (Vec::new(), component.needed, entry);
    while left != 0 {
        let useful = |step: &Step| step.marks & left != 0;
        let more = nearest_edge(graph, at, inside, useful)?;
        left = more.iter().fold(left, |left, step| left & !step.marks);
        at = more.last()?.target;
        steps.extend(more);
    }
    if at != entry || steps.is_empty() {
        steps.extend(nearest_edge(graph, at, inside, |step| {
            step.target == entry
        })?);
    }
    Some(steps)
}

/// A shortest way from one of these nodes to a goal, and where it starts.
fn nearest<G: Marked>(
    graph: &mut G,
    starts: &[u64],
    inside: impl Fn(&Step) -> bool,
    goal: impl Fn(&G, u64) -> bool,
    bytes: usize,
) -> Option<(u64, Vec<Step>)> {
    let mut breadth = Breadth::from(starts);
    if let Some(&start) = starts.iter().find(|&&start| goal(graph, start)) {
        return Some((start, Vec::new()));
    }
    let last = breadth.until(graph, inside, |graph, step| goal(graph, step.target), bytes)?;
    Some(breadth.way(last))
}

/// A shortest way from a node to the end of an edge, with at least that edge.
fn nearest_edge<G: Marked>(
    graph: &mut G,
    start: u64,
    inside: impl Fn(&Step) -> bool,
    wanted: impl Fn(&Step) -> bool,
) -> Option<Vec<Step>> {
    let mut breadth = Breadth::from(&[start]);
    let last = breadth.until(graph, inside, |_, step| wanted(step), usize::MAX)?;
    Some(breadth.way(last).1)
}

/// A breadth-first search.
struct Breadth {
    /// Nodes in the order they were found, and how.
    found: Vec<(u64, Option<(u32, Step)>)>,
    known: HashSet<u64>,
}

impl Breadth {
    fn from(starts: &[u64]) -> Self {
        Self {
            found: starts.iter().map(|&start| (start, None)).collect(),
            known: starts.iter().copied().collect(),
        }
    }

    /// Searches until an edge is wanted: the place of its source, and the edge.
    fn until<G: Marked>(
        &mut self,
        graph: &mut G,
        inside: impl Fn(&Step) -> bool,
        wanted: impl Fn(&G, &Step) -> bool,
        bytes: usize,
    ) -> Option<(usize, Step)> {
        let most = bytes / (2 * size_of::<(u64, Option<(u32, Step)>)>());
        let mut at = 0;
        while at < self.found.len() {
            let node = self.found[at].0;
            let mut cursor = Cursor::default();
            while let Some(step) = graph.step(node, &mut cursor) {
                if !inside(&step) {
                    continue;
                }
                if wanted(graph, &step) {
                    return Some((at, step));
                }
                if self.known.insert(step.target) {
                    let from = u32::try_from(at).ok()?;
                    self.found.push((step.target, Some((from, step))));
                }
            }
            if self.found.len() > most {
                return None;
            }
            at += 1;
        }
        None
    }

    /// The way to an edge and along it, and where it starts.
    fn way(&self, (mut at, last): (usize, Step)) -> (u64, Vec<Step>) {
        let mut steps = vec![last];
        while let Some((from, step)) = self.found[at].1 {
            steps.push(step);
            at = from as usize;
        }
        steps.reverse();
        (self.found[at].0, steps)
    }
}
