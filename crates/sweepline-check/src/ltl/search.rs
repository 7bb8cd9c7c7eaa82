//! Searching a graph for a component with an accepting cycle.
//!
//! A depth-first search on the fly, after [Cou99]: the marks of a component are gathered while it is being found, so that a
//! condition that asks only for marks that recur is seen to hold as soon as the component has them all. Where marks must not
//! recur, components are split when they are complete (`split.rs`).

use sweepline_core::{Limits, StopReason};
use sweepline_logic::omega::{Acceptance, Marks};

use super::acceptor::holds;
use super::graph::{Cursor, Marked, Step};
use super::split::split;

/// What a search found.
#[derive(Clone, Debug)]
pub(crate) enum Search {
    /// No run is accepted.
    Empty,
    /// This is why one is.
    Accepting(Witness),
    /// There was not enough memory.
    DoesNotFit,
    /// It was interrupted.
    Stopped(StopReason),
}

/// Why some run is accepted.
#[derive(Clone, Debug)]
pub(crate) struct Witness {
    /// A way into what follows, as the search took it.
    pub(crate) stem: Option<Stem>,
    pub(crate) ending: Ending,
}

/// A path from a root.
#[derive(Clone, Debug)]
pub(crate) struct Stem {
    pub(crate) root: u64,
    pub(crate) steps: Vec<Step>,
}

impl Stem {
    /// The node it leads to.
    pub(crate) fn last(&self) -> u64 {
        self.steps.last().map_or(self.root, |step| step.target)
    }
}

/// How an accepted run goes on.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// Within a component for ever.
    Cycle(Component),
    /// In any way.
    Anyhow,
}

/// A strongly connected part of a graph.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) nodes: Vec<u64>,
    /// Edges with these marks do not belong to it.
    pub(crate) forbidden: Marks,
    /// A cycle through edges with all these marks is accepted.
    pub(crate) needed: Marks,
}

impl Component {
    /// A component that is accepted if all its edges, which have these marks, recur. It suffices that the marks do
    /// which the condition needs.
    pub(crate) fn accepted(
        nodes: Vec<u64>,
        forbidden: Marks,
        marks: Marks,
        acceptance: &Acceptance,
    ) -> Self {
        let mut needed = marks;
        for set in 0..Marks::BITS {
            let fewer = needed & !(1 << set);
            if holds(acceptance, fewer, marks) {
                needed = fewer;
            }
        }
        Self {
            nodes,
            forbidden,
            needed,
        }
    }
}

/// What a search may take.
#[derive(Clone, Debug)]
pub(crate) struct Allowance<'l> {
    pub(crate) bytes: usize,
    pub(crate) limits: &'l Limits,
}

/// Steps between two looks at the limits.
const PACE: u32 = 1 << 16;

/// Searches a graph.
pub(crate) fn search<G: Marked>(
    graph: &mut G,
    acceptance: &Acceptance,
    allowance: &Allowance<'_>,
) -> Search {
    let mut couvreur = Couvreur {
        order: Vec::new(),
        found: 0,
        open: Vec::new(),
        roots: Vec::new(),
        frames: Vec::new(),
        acceptance,
        recurring: only_recurs(acceptance),
        steps: 0,
        allowance,
    };
    for index in 0.. {
        let Some(root) = graph.root(index) else { break };
        if couvreur.order_of(root.node) == 0 {
            match couvreur.visit(graph, root.node) {
                Search::Empty => {}
                other => return other,
            }
        }
    }
    Search::Empty
}

/// Whether a condition only asks for marks that recur.
pub(crate) fn only_recurs(acceptance: &Acceptance) -> bool {
    match acceptance {
        Acceptance::Inf(_) => true,
        Acceptance::Fin(_) => false,
        Acceptance::And(all) | Acceptance::Or(all) => all.iter().all(only_recurs),
    }
}

struct Couvreur<'a> {
    /// When each node was found plus one; zero if it was not, [`DONE`] if its component is complete.
    order: Vec<u32>,
    found: u32,
    /// Nodes whose components are not complete, as they were found.
    open: Vec<u64>,
    /// The components of the path, as they are known.
    roots: Vec<Known>,
    frames: Vec<Frame>,
    acceptance: &'a Acceptance,
    recurring: bool,
    steps: u32,
    allowance: &'a Allowance<'a>,
}

/// A component as it is known.
struct Known {
    /// When its first node was found.
    order: u32,
    /// Whether it has edges.
    cyclic: bool,
    /// Marks of the edge that led to its first node.
    entered: Marks,
    /// Marks of its edges.
    marks: Marks,
}

struct Frame {
    node: u64,
    cursor: Cursor,
}

const DONE: u32 = u32::MAX;

impl Couvreur<'_> {
    fn order_of(&self, node: u64) -> u32 {
        let node = usize::try_from(node).unwrap_or(usize::MAX);
        self.order.get(node).copied().unwrap_or(0)
    }

    fn set_order(&mut self, node: u64, order: u32) {
        let node = usize::try_from(node).expect("nodes that do not fit are not pushed");
        self.order[node] = order;
    }

    fn visit<G: Marked>(&mut self, graph: &mut G, root: u64) -> Search {
        if let Some(early) = self.push(graph, root, 0) {
            return early;
        }
        while let Some(frame) = self.frames.last_mut() {
            self.steps += 1;
            if self.steps == PACE {
                self.steps = 0;
                if let Err(reason) = self.allowance.limits.allow(0) {
                    return Search::Stopped(reason);
                }
            }
            let Some(step) = graph.step(frame.node, &mut frame.cursor) else {
                if let Some(witness) = self.pop(graph) {
                    return Search::Accepting(witness);
                }
                continue;
            };
            match self.order_of(step.target) {
                0 => {
                    if let Some(early) = self.push(graph, step.target, step.marks) {
                        return early;
                    }
                }
                DONE => {}
                order => {
                    if let Some(witness) = self.merge(graph, order, step.marks) {
                        return Search::Accepting(witness);
                    }
                }
            }
        }
        Search::Empty
    }

    /// A new node.
    fn push<G: Marked>(&mut self, graph: &mut G, node: u64, entered: Marks) -> Option<Search> {
        if !self.make_room(node) {
            return Some(Search::DoesNotFit);
        }
        self.found += 1;
        self.set_order(node, self.found);
        self.open.push(node);
        self.roots.push(Known {
            order: self.found,
            cyclic: false,
            entered,
            marks: 0,
        });
        self.frames.push(Frame {
            node,
            cursor: Cursor::default(),
        });
        graph.is_universal(node).then(|| {
            Search::Accepting(Witness {
                stem: Some(self.stem(graph)),
                ending: Ending::Anyhow,
            })
        })
    }

    fn make_room(&mut self, node: u64) -> bool {
        let Ok(index) = usize::try_from(node) else {
            return false;
        };
        if index >= self.order.len() {
            let more = (index + 1 - self.order.len()).max(self.order.len() / 4);
            let bytes = self.bytes() + more * size_of::<u32>();
            if bytes > self.allowance.bytes {
                return false;
            }
            self.order.resize(self.order.len() + more, 0);
        }
        self.found < DONE - 1 && self.bytes() <= self.allowance.bytes
    }

    fn bytes(&self) -> usize {
        self.order.capacity() * size_of::<u32>()
            + self.open.capacity() * size_of::<u64>()
            + self.roots.capacity() * size_of::<Known>()
            + self.frames.capacity() * size_of::<Frame>()
    }

    /// An edge leads back to a node found earlier: all components from there on are one.
    fn merge<G: Marked>(&mut self, graph: &mut G, order: u32, mut marks: Marks) -> Option<Witness> {
        while let Some(known) = self.roots.pop_if(|known| known.order > order) {
            marks |= known.marks | known.entered;
        }
        let known = self.roots.last_mut()?;
        known.marks |= marks;
        known.cyclic = true;
        let (marks, first) = (known.marks, known.order);
        if !self.recurring || !self.acceptance.accepts(marks) {
            return None;
        }
        let nodes = self.open_from(first);
        let component = Component::accepted(nodes, 0, marks, self.acceptance);
        Some(Witness {
            stem: Some(self.stem(graph)),
            ending: Ending::Cycle(component),
        })
    }

    /// The nodes that were found at this time and later, and whose components are not complete.
    fn open_from(&self, order: u32) -> Vec<u64> {
        let start = self
            .open
            .partition_point(|&node| self.order_of(node) < order);
        self.open[start..].to_vec()
    }

    /// All edges of the last node of the path have been looked at.
    fn pop<G: Marked>(&mut self, graph: &mut G) -> Option<Witness> {
        let node = self.frames.last()?.node;
        let order = self.order_of(node);
        let complete = self.roots.pop_if(|known| known.order == order);
        if let Some(known) = complete {
            if known.cyclic && !self.recurring {
                let nodes = self.open_from(known.order);
                if let Some(component) = split(graph, &nodes, self.acceptance) {
                    return Some(Witness {
                        stem: Some(self.stem(graph)),
                        ending: Ending::Cycle(component),
                    });
                }
            }
            while let Some(member) = self.open.pop() {
                self.set_order(member, DONE);
                if member == node {
                    break;
                }
            }
        }
        self.frames.pop();
        None
    }

    /// The path the search is on.
    fn stem<G: Marked>(&self, graph: &mut G) -> Stem {
        let before_last = self.frames.len().saturating_sub(1);
        let taken = self.frames[..before_last].iter().filter_map(|frame| {
            let mut cursor = frame.cursor.before();
            graph.step(frame.node, &mut cursor)
        });
        Stem {
            root: self.frames.first().map_or(0, |frame| frame.node),
            steps: taken.collect(),
        }
    }
}
