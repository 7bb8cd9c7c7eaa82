//! Strongly connected components.

/// The component of each node. An edge never leads to a component with a greater number.
///
/// Tarjan's algorithm [Tar72] with a stack of its own; a component gets its number when all it leads to have theirs.
pub(crate) fn components(targets: &[Vec<usize>]) -> Components {
    const NEW: usize = usize::MAX;
    let mut order = vec![NEW; targets.len()];
    let mut low = vec![0; targets.len()];
    let mut of = vec![NEW; targets.len()];
    let (mut visited, mut count) = (0, 0);
    let mut open: Vec<usize> = Vec::new();
    for root in 0..targets.len() {
        if order[root] != NEW {
            continue;
        }
        // A node and how many of its targets have been looked at.
        let mut path = vec![(root, 0)];
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            if *at == 0 {
                (order[node], low[node]) = (visited, visited);
                visited += 1;
                open.push(node);
            }
            if let Some(&target) = targets[node].get(*at) {
                *at += 1;
                if order[target] == NEW {
                    path.push((target, 0));
                } else if of[target] == NEW {
                    low[node] = low[node].min(order[target]);
                }
                // The first target is looked at now, so the node will not be taken for new again.
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    of[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    Components { of, count }
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
