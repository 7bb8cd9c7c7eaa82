//! Strongly connected components.

/// Which nodes of a graph can reach each other.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each node. An edge never leads to a component with a greater number.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: u32,
}

impl Components {
    /// The components of a graph with so many nodes, below 2^32, in which `target` is where an edge of a node leads, by the number of the
    /// edge among those of its node.
    ///
    /// Tarjan's algorithm \[Tar72\] with a stack of its own; a component gets its number when all it leads to have theirs.
    ///
    /// ```
    /// use sweepline_core::Components;
    ///
    /// let edges = [vec![1], vec![0, 2], vec![]];
    /// let components = Components::of_graph(3, |node, edge| edges[node].get(edge).copied());
    /// assert_eq!(components.of, [1, 1, 0]);
    /// ```
    pub fn of_graph(nodes: usize, target: impl Fn(usize, usize) -> Option<usize>) -> Self {
        let mut search = Search {
            low: vec![UNSEEN; nodes],
            components: Self {
                of: vec![UNSEEN; nodes],
                count: 0,
            },
            seen: 0,
            pending: Vec::new(),
            path: Vec::new(),
        };
        for root in 0..nodes {
            if search.low[root] == UNSEEN {
                search.visit(root, &target);
            }
        }
        search.components
    }

    /// How many nodes the largest one has.
    pub fn largest(&self) -> usize {
        let mut sizes = vec![0; self.count as usize];
        for &component in &self.of {
            sizes[component as usize] += 1;
        }
        sizes.into_iter().max().unwrap_or(0)
    }
}

const UNSEEN: u32 = u32::MAX;

struct Search {
    /// The least visiting number that is known to be reachable from a node of an incomplete component.
    low: Vec<u32>,
    components: Components,
    seen: u32,
    /// Nodes of incomplete components, in the order of their visit.
    pending: Vec<usize>,
    /// The way from the root.
    path: Vec<Visit>,
}

/// A node that is being visited.
struct Visit {
    node: usize,
    /// Its visiting number.
    number: u32,
    /// Its next edge.
    edge: usize,
}

impl Search {
    fn visit(&mut self, root: usize, target: &impl Fn(usize, usize) -> Option<usize>) {
        self.enter(root);
        while let Some(visit) = self.path.last_mut() {
            let (node, number) = (visit.node, visit.number);
            if let Some(target) = target(node, visit.edge) {
                visit.edge += 1;
                if self.low[target] == UNSEEN {
                    self.enter(target);
                } else if self.components.of[target] == UNSEEN {
                    self.low[node] = self.low[node].min(self.low[target]);
                }
                continue;
            }
            self.path.pop();
            self.leave(node, number);
        }
    }

    fn enter(&mut self, node: usize) {
        let number = self.seen;
        self.low[node] = number;
        self.path.push(Visit {
            node,
            number,
            edge: 0,
        });
        self.pending.push(node);
        self.seen += 1;
    }

    fn leave(&mut self, node: usize, number: u32) {
        if let Some(parent) = self.path.last() {
            self.low[parent.node] = self.low[parent.node].min(self.low[node]);
        }
        if self.low[node] < number {
            return;
        }
        while let Some(member) = self.pending.pop() {
            self.components.of[member] = self.components.count;
            if member == node {
                break;
            }
        }
        self.components.count += 1;
    }
}
