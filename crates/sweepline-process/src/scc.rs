//! Strongly connected components.

/// The successors of every node, one list after the other.
#[derive(Clone, Debug)]
pub(crate) struct Adjacency {
    first: Vec<usize>,
    targets: Vec<u32>,
}

impl Default for Adjacency {
    fn default() -> Self {
        Self {
            first: vec![0],
            targets: Vec::new(),
        }
    }
}

impl Adjacency {
    /// The graph in which `successors` lists what follows each of `count` nodes.
    pub fn new<I: IntoIterator<Item = u32>>(count: usize, successors: impl Fn(usize) -> I) -> Self {
        let mut graph = Self::default();
        for node in 0..count {
            graph.targets.extend(successors(node));
            graph.first.push(graph.targets.len());
        }
        graph
    }

    /// The same edges the other way round.
    pub fn reversed(&self) -> Self {
        let mut first = vec![0; self.len() + 1];
        for &target in &self.targets {
            first[target as usize + 1] += 1;
        }
        for node in 0..self.len() {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut targets = vec![0; self.targets.len()];
        for (node, number) in (0..self.len()).zip(0_u32..) {
            for &target in self.of(node) {
                targets[next[target as usize]] = number;
                next[target as usize] += 1;
            }
        }
        Self { first, targets }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The successors of a node.
    #[inline]
    pub fn of(&self, node: usize) -> &[u32] {
        &self.targets[self.first[node]..self.first[node + 1]]
    }
}

/// The strongly connected component of every node, and how many there are. An edge never leads to a component with a
/// greater number.
///
/// Tarjan's algorithm [Tar72], with a stack of our own. A component is numbered when it is complete, which is after
/// all it leads to.
pub(crate) fn components(graph: &Adjacency) -> (Vec<u32>, u32) {
    let mut search = Search {
        graph,
        low: vec![UNSEEN; graph.len()],
        component: vec![UNSEEN; graph.len()],
        seen: 0,
        count: 0,
        pending: Vec::new(),
        path: Vec::new(),
    };
    for root in 0..graph.len() {
        if search.low[root] == UNSEEN {
            search.visit(root);
        }
    }
    (search.component, search.count)
}

const UNSEEN: u32 = u32::MAX;

struct Search<'a> {
    graph: &'a Adjacency,
    /// The least visiting number that is known to be reachable from a node of an incomplete component.
    low: Vec<u32>,
    component: Vec<u32>,
    seen: u32,
    count: u32,
    /// Nodes of incomplete components, in the order of their visit.
    pending: Vec<usize>,
    /// The way from the root: node, its visiting number, its next edge.
    path: Vec<(usize, u32, usize)>,
}

impl Search<'_> {
    fn visit(&mut self, root: usize) {
        self.enter(root);
        while let Some((node, number, edge)) = self.path.last_mut() {
            let node = *node;
            if let Some(&target) = self.graph.of(node).get(*edge) {
                *edge += 1;
                let target = target as usize;
                if self.low[target] == UNSEEN {
                    self.enter(target);
                } else if self.component[target] == UNSEEN {
                    self.low[node] = self.low[node].min(self.low[target]);
                }
                continue;
            }
            let number = *number;
            self.path.pop();
            self.leave(node, number);
        }
    }

    fn enter(&mut self, node: usize) {
        self.low[node] = self.seen;
        self.path.push((node, self.seen, 0));
        self.pending.push(node);
        self.seen += 1;
    }

    fn leave(&mut self, node: usize, number: u32) {
        if let Some(&(parent, ..)) = self.path.last() {
            self.low[parent] = self.low[parent].min(self.low[node]);
        }
        if self.low[node] < number {
            return;
        }
        loop {
            let member = self.pending.pop().expect("the node itself is pending");
            self.component[member] = self.count;
            if member == node {
                break;
            }
        }
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reach(edges: &[(u32, u32)], from: u32) -> Vec<u32> {
        let mut seen = vec![from];
        let mut next = 0;
        while next < seen.len() {
            for &(source, target) in edges {
                if source == seen[next] && !seen.contains(&target) {
                    seen.push(target);
                }
            }
            next += 1;
        }
        seen
    }

    proptest! {
        #[test]
        fn components_are_mutually_reachable(edges in prop::collection::vec((0_u32..8, 0_u32..8), 0..20)) {
            let of = |node: usize| {
                let from = edges.iter().filter(move |(source, _)| *source as usize == node);
                from.map(|(_, target)| *target).collect::<Vec<_>>()
            };
            let graph = Adjacency::new(8, of);
            let (component, count) = components(&graph);
            prop_assert_eq!(component.iter().max().map_or(0, |most| most + 1), count);
            for from in 0..8 {
                let reached = reach(&edges, from);
                for to in 0..8 {
                    let mutual = reached.contains(&to) && reach(&edges, to).contains(&from);
                    prop_assert_eq!(component[from as usize] == component[to as usize], mutual);
                }
            }
            for &(source, target) in &edges {
                prop_assert!(component[target as usize] <= component[source as usize]);
                prop_assert!(graph.reversed().of(target as usize).contains(&source));
            }
        }
    }
}
