//! What a stored graph looks like as a whole.

use sweepline_core::Control;

use super::error::SwgError;
use super::reader::StoredGraph;

/// Figures that take a look at all edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Strongly connected components.
    pub components: u64,
    /// Those that nothing leaves. A node whose edges were not all explored is in none of them.
    pub terminal: u64,
    /// Nodes of these together.
    pub terminal_nodes: u64,
    /// Nodes of the largest one.
    pub largest: u64,
    /// Edges that leave the node with most.
    pub most_out: u64,
    /// Edges that lead to the node with most.
    pub most_in: u64,
    /// Edges that lead to a smaller number, or back to the same.
    pub backward: u64,
    /// How many different actions occur.
    pub actions: u64,
}

/// The edges of a graph in main memory, four bytes each.
struct Edges {
    /// Where the edges of each number end.
    ends: Vec<usize>,
    targets: Vec<u32>,
    /// Numbers some of whose edges lead to what was not explored, and numbers that are left out.
    open: Vec<bool>,
    absent: Vec<bool>,
}

impl Shape {
    /// Looks at a graph. All its edges are in main memory meanwhile, four bytes each, and some twenty bytes for each node.
    pub fn of(graph: &StoredGraph) -> Result<Self, SwgError> {
        let numbers = u32::try_from(graph.figures().numbers)
            .ok()
            .filter(|&numbers| numbers < u32::MAX)
            .ok_or(SwgError::TooLarge {
                what: "components are looked for among fewer than 2^32 nodes",
            })?;
        let mut shape = Self::default();
        let mut edges = Edges {
            ends: Vec::new(),
            targets: Vec::new(),
            open: vec![false; numbers as usize],
            absent: vec![true; numbers as usize],
        };
        let mut incoming = vec![0_u32; numbers as usize];
        let mut used = Vec::new();
        graph.forward(|node| {
            let number = index(node.number);
            edges.ends.resize(number, edges.targets.len());
            edges.absent[number] = false;
            for target in node.targets() {
                let Some(target) = target else {
                    edges.open[number] = true;
                    continue;
                };
                shape.backward += u64::from(target <= node.number);
                incoming[index(target)] = incoming[index(target)].saturating_add(1);
                edges
                    .targets
                    .push(u32::try_from(target).unwrap_or(u32::MAX));
            }
            for action in node.actions {
                let action = action.0 as usize;
                used.resize(used.len().max(action + 1), false);
                used[action] = true;
            }
            shape.most_out = shape.most_out.max(node.actions.len() as u64);
            edges.ends.push(edges.targets.len());
            Control::Continue
        })?;
        shape.most_in = incoming.iter().copied().max().unwrap_or(0).into();
        shape.actions = used.iter().filter(|used| **used).count() as u64;
        drop(incoming);
        shape.find_components(&edges, || graph.may_go_on())?;
        Ok(shape)
    }

    /// Tarjan's algorithm [Tar72], with a stack of its own. It also notes which components something leaves. Now and then it asks
    /// whether it may go on.
    fn find_components(
        &mut self,
        edges: &Edges,
        may_go_on: impl Fn() -> Result<(), SwgError>,
    ) -> Result<(), SwgError> {
        /// Below are the orders in which nodes were found, plus one; zero was not found.
        const DONE: u32 = u32::MAX;
        /// Nodes between two questions.
        const LOOK: u32 = 1 << 13;
        let count = edges.ends.len();
        let mut order = vec![0_u32; count];
        let (mut open, mut found): (Vec<u32>, u32) = (Vec::new(), 0);
        // A node, the next of its edges, the earliest node it is known to lead back to, and whether something leaves what it
        // has found so far.
        let mut frames: Vec<(u32, usize, u32, bool)> = Vec::new();
        for root in (0_u32..).take(count) {
            if order[root as usize] != 0 || edges.absent[root as usize] {
                continue;
            }
            let mut next = Some(root);
            loop {
                if let Some(node) = next.take() {
                    if found.is_multiple_of(LOOK) {
                        may_go_on()?;
                    }
                    found += 1;
                    order[node as usize] = found;
                    open.push(node);
                    let leaves = edges.open[node as usize];
                    frames.push((node, edges.first(node), found, leaves));
                }
                let Some((node, edge, low, leaves)) = frames.last_mut() else {
                    break;
                };
                if *edge < edges.ends[*node as usize] {
                    let target = edges.targets[*edge];
                    *edge += 1;
                    match order[target as usize] {
                        0 => next = Some(target),
                        DONE => *leaves = true,
                        earlier => *low = (*low).min(earlier),
                    }
                    continue;
                }
                let (node, low, leaves) = (*node, *low, *leaves);
                frames.pop();
                let is_root = low == order[node as usize];
                if is_root {
                    self.close(node, leaves, &mut open, &mut order);
                }
                if let Some((_, _, above, leaves_above)) = frames.last_mut() {
                    // A component that is closed lies outside of whatever led to it.
                    *leaves_above |= leaves || is_root;
                    *above = (*above).min(low);
                }
            }
        }
        Ok(())
    }

    /// A component is complete: it is what was found since this node.
    fn close(&mut self, root: u32, leaves: bool, open: &mut Vec<u32>, order: &mut [u32]) {
        let mut size = 0;
        while let Some(node) = open.pop() {
            order[node as usize] = u32::MAX;
            size += 1;
            if node == root {
                break;
            }
        }
        self.components += 1;
        if !leaves {
            self.terminal += 1;
            self.terminal_nodes += size;
        }
        self.largest = self.largest.max(size);
    }
}

impl Edges {
    fn first(&self, node: u32) -> usize {
        let before = (node as usize).checked_sub(1);
        before.map_or(0, |before| self.ends[before])
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
