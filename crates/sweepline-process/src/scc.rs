//! Strongly connected components.

use crate::lts::LtsEdge;

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

    /// Where the wanted ones of these edges come from. `first` says where those of each source begin.
    pub fn sources(first: &[usize], edges: &[LtsEdge], wanted: impl Fn(&LtsEdge) -> bool) -> Self {
        let count = first.len() - 1;
        let mut places = vec![0; count + 1];
        for edge in edges.iter().filter(|edge| wanted(edge)) {
            places[edge.target.index()] += 1;
        }
        let mut all = 0;
        for place in &mut places {
            all += *place;
            *place = all;
        }
        // Filled from behind, so that in the end each place is where a list begins, and the lists are in order.
        let mut sources = vec![0; all];
        for number in (0..u32::try_from(count).expect("below 2^32 nodes")).rev() {
            let own = first[number as usize]..first[number as usize + 1];
            for edge in edges[own].iter().filter(|edge| wanted(edge)) {
                let place = &mut places[edge.target.index()];
                *place -= 1;
                sources[*place] = number;
            }
        }
        Self {
            first: places,
            targets: sources,
        }
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.first[..]) + size_of_val(&self.targets[..])
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.first.len() - 1
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
    use crate::edge_list::EdgeList;
    use crate::lts::LabelId;
    use proptest::prelude::*;
    use sweepline_graph::StateId;

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
        fn edges_are_found_from_their_ends(edges in prop::collection::vec((0_u32..5, 0_u32..2, 0_u32..5), 0..20)) {
            let mut list = EdgeList::default();
            for &(source, label, target) in &edges {
                let (label, target) = (LabelId(label), StateId(target));
                list.push(StateId(source), LtsEdge { label, target });
            }
            let (first, sorted) = list.by_source(5);
            let sources = Adjacency::sources(&first, &sorted, |edge| edge.label == LabelId(1));
            for node in 0..5 {
                let wanted = edges.iter().filter(|edge| edge.1 == 1 && edge.2 == node);
                let mut expected: Vec<u32> = wanted.map(|edge| edge.0).collect();
                expected.sort_unstable();
                prop_assert_eq!(sources.of(node as usize), expected);
            }
        }

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
            }
        }
    }
}
