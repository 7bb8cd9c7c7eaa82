//! Strongly connected components.

use sweepline_core::Components;

use crate::lts::LtsEdge;

/// The successors of every node, one list after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Adjacency {
    /// Where the list of each node begins, and behind the last node where its list ends. Nothing at all without nodes.
    first: Vec<usize>,
    targets: Vec<u32>,
}

impl Adjacency {
    /// The graph in which `successors` lists what follows each of `count` nodes.
    pub fn new<I: IntoIterator<Item = u32>>(count: usize, successors: impl Fn(usize) -> I) -> Self {
        let mut graph = Self::default();
        for node in 0..count {
            graph.first.push(graph.targets.len());
            graph.targets.extend(successors(node));
        }
        graph.first.push(graph.targets.len());
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
        self.first.len().saturating_sub(1)
    }

    /// The successors of a node.
    #[inline]
    pub fn of(&self, node: usize) -> &[u32] {
        &self.targets[self.first[node]..self.first[node + 1]]
    }
}

/// The strongly connected components. An edge never leads to a component with a greater number.
pub(crate) fn components(graph: &Adjacency) -> Components {
    Components::of_graph(graph.len(), |node, edge| {
        graph.of(node).get(edge).map(|&target| target as usize)
    })
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
            let Components { of: component, count } = components(&graph);
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
