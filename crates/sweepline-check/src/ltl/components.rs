//! Strongly connected components of a small graph.

/// The components of a graph whose nodes are numbers below `nodes`, each after those it leads to.
///
/// Tarjan's algorithm, with a stack of its own.
pub(crate) fn components(
    nodes: usize,
    successors: impl Fn(usize) -> Vec<usize>,
) -> Vec<Vec<usize>> {
    /// Not in a component yet: when it was found plus one, or zero.
    const DONE: usize = usize::MAX;
    let (mut order, mut found) = (vec![0; nodes], Vec::new());
    let (mut open, mut count) = (Vec::new(), 0);
    for root in 0..nodes {
        if order[root] != 0 {
            continue;
        }
        // A node, its successors still to be looked at, and the earliest node it is known to lead back to.
        let mut frames: Vec<(usize, Vec<usize>, usize)> = Vec::new();
        let mut next = Some(root);
        loop {
            if let Some(node) = next.take() {
                count += 1;
                order[node] = count;
                open.push(node);
                frames.push((node, successors(node), count));
            }
            let Some((node, left, low)) = frames.last_mut() else {
                break;
            };
            if let Some(target) = left.pop() {
                match order[target] {
                    0 => next = Some(target),
                    DONE => {}
                    earlier => *low = (*low).min(earlier),
                }
                continue;
            }
            let (node, low) = (*node, *low);
            frames.pop();
            if low == order[node] {
                let start = open.iter().rposition(|&other| other == node);
                let component = open.split_off(start.unwrap_or(0));
                for &member in &component {
                    order[member] = DONE;
                }
                found.push(component);
            }
            if let Some((_, _, above)) = frames.last_mut() {
                *above = (*above).min(low);
            }
        }
    }
    found
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
