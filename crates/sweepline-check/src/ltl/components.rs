//! Strongly connected components of a small graph.

use sweepline_core::Components;

/// The components of a graph whose nodes are numbers below `nodes`, each after those it leads to.
pub(crate) fn components(
    nodes: usize,
    successors: impl Fn(usize) -> Vec<usize>,
) -> Vec<Vec<usize>> {
    let targets: Vec<Vec<usize>> = (0..nodes).map(successors).collect();
    let found = Components::of_graph(nodes, |node, edge| targets[node].get(edge).copied());
    let mut members = vec![Vec::new(); found.count as usize];
    for (node, &component) in found.of.iter().enumerate() {
        members[component as usize].push(node);
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn components_are_what_leads_back(
            edges in (1..12_usize).prop_flat_map(|nodes| prop::collection::vec(prop::collection::vec(0..nodes, 0..4), nodes)),
        ) {
            let nodes = edges.len();
            let mut reach: Vec<Vec<bool>> = (0..nodes)
                .map(|from| (0..nodes).map(|to| from == to || edges[from].contains(&to)).collect())
                .collect();
            for middle in 0..nodes {
                let beyond = reach[middle].clone();
                for row in reach.iter_mut().filter(|row| row[middle]) {
                    row.iter_mut().zip(&beyond).for_each(|(to, more)| *to |= more);
                }
            }
            let found = components(nodes, |node| edges[node].clone());
            prop_assert_eq!(found.iter().map(Vec::len).sum::<usize>(), nodes);
            let place = |node| found.iter().position(|one| one.contains(&node)).unwrap();
            for (from, row) in reach.iter().enumerate() {
                for (to, &leads) in row.iter().enumerate() {
                    let same = leads && reach[to][from];
                    prop_assert_eq!(same, place(from) == place(to));
                    prop_assert!(!leads || place(to) <= place(from));
                }
            }
        }
    }
}
