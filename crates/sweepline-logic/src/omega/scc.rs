//! Strongly connected components of automata.

/// The components of a graph given by the targets of its nodes. An edge never leads to a component with a greater number.
pub(crate) fn components(targets: &[Vec<usize>]) -> Components {
    let found = sweepline_core::Components::of_graph(targets.len(), |node, edge| {
        targets[node].get(edge).copied()
    });
    Components {
        of: found.of.iter().map(|&of| of as usize).collect(),
        count: found.count as usize,
    }
}

/// Which nodes can reach each other.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    /// The component of each node.
    pub of: Vec<usize>,
    /// How many there are.
    pub count: usize,
}

impl Components {
    /// The nodes of each component, ascending.
    pub fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count];
        for (node, &component) in self.of.iter().enumerate() {
            members[component].push(node);
        }
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn components_are_mutually_reachable(edges in prop::collection::vec((0usize..8, 0usize..8), 0..20)) {
            let mut targets = vec![Vec::new(); 8];
            let mut reach = [[false; 8]; 8];
            for (from, to) in edges {
                targets[from].push(to);
                reach[from][to] = true;
            }
            for (node, row) in reach.iter_mut().enumerate() {
                row[node] = true;
            }
            for via in 0..8 {
                let onwards = reach[via];
                for row in reach.iter_mut().filter(|row| row[via]) {
                    row.iter_mut().zip(onwards).for_each(|(known, more)| *known |= more);
                }
            }
            let found = components(&targets);
            for (from, row) in reach.iter().enumerate() {
                prop_assert!(found.of[from] < found.count);
                for (to, onwards) in reach.iter().enumerate() {
                    prop_assert_eq!(found.of[from] == found.of[to], row[to] && onwards[from]);
                    prop_assert!(!row[to] || found.of[to] <= found.of[from]);
                }
            }
        }
    }
}
