//! The progress of one component.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use crate::lts::Lts;
use crate::scc::{Adjacency, components};
use sweepline_core::Components;
use sweepline_graph::StateId;

/// How a component is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ranking {
    /// By its strongly connected components. Never regresses.
    Scc,
    /// By a spanning tree.
    Tree,
    /// By its strongly connected components, and inside those with several states by a spanning tree.
    SccThenTree,
    /// By its strongly connected components if several can be reached, else by a spanning tree: the rule of the paper.
    #[default]
    SccOrTree,
}

/// What a number of a component means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RankKind {
    /// The place of the state's strongly connected component in a topological order.
    Scc,
    /// The place of the state in a spanning tree.
    Tree,
}

/// A number for every state of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentRank {
    /// The numbers, by state.
    pub ranks: Vec<u64>,
    /// Whether no edge leads to a smaller number.
    pub monotone: bool,
    /// What they mean.
    pub kind: RankKind,
}

impl Ranking {
    /// Every way to measure a component.
    pub const ALL: [Self; 4] = [Self::Scc, Self::Tree, Self::SccThenTree, Self::SccOrTree];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scc => "scc",
            Self::Tree => "tree",
            Self::SccThenTree => "scc-then-tree",
            Self::SccOrTree => "scc-or-tree",
        }
    }
}

impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for RankKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scc => "scc",
            Self::Tree => "tree",
        })
    }
}

/// The numbers of a component: one list, or two for [`Ranking::SccThenTree`].
///
/// **SCC rank.** Strongly connected components are numbered topologically: of those all of whose predecessors have a
/// number, the one with the least state is next. Other topological orders are just as sound, but give other figures.
///
/// **Tree rank.** States are numbered in the order in which a search from the initial state takes them, if it always
/// takes the least of the states it knows. This is a topological order of a spanning tree. If every other state has a
/// predecessor with a smaller number, it is the order of the states themselves. States that cannot be reached come
/// last.
///
/// In [`Ranking::SccThenTree`] the second number is the place of a state among those of its strongly connected
/// component, in the order of the tree.
///
/// ```
/// use sweepline_process::{Lts, measure::{Ranking, ranks}};
///
/// // 0 -> 1 <-> 2
/// let mut builder = Lts::builder();
/// let [a, b, c] = std::array::from_fn(|_| builder.state());
/// let step = builder.label("step");
/// for (source, target) in [(a, b), (b, c), (c, b)] {
///     builder.edge(source, step, target);
/// }
/// let lts = builder.build(a);
/// let both = ranks(&lts, Ranking::SccThenTree);
/// assert_eq!((&both[0].ranks[..], both[0].monotone), (&[0, 1, 1][..], true));
/// assert_eq!((&both[1].ranks[..], both[1].monotone), (&[0, 0, 1][..], false));
/// ```
pub fn ranks(lts: &Lts, ranking: Ranking) -> Vec<ComponentRank> {
    let graph = adjacency(lts);
    let scc = || scc_rank(&graph);
    let tree = || tree_rank(&graph, lts.initial());
    let rank = |kind, ranks: Vec<u64>| ComponentRank {
        monotone: is_monotone(&graph, &ranks),
        ranks,
        kind,
    };
    match ranking {
        Ranking::Scc => vec![rank(RankKind::Scc, scc())],
        Ranking::Tree => vec![rank(RankKind::Tree, tree())],
        Ranking::SccThenTree => {
            let (scc, tree) = (scc(), tree());
            let inside = places_inside(&scc, &tree);
            vec![rank(RankKind::Scc, scc), rank(RankKind::Tree, inside)]
        }
        Ranking::SccOrTree => {
            let scc = scc();
            if leaves_its_component(&graph, lts.initial(), &scc) {
                vec![rank(RankKind::Scc, scc)]
            } else {
                vec![rank(RankKind::Tree, tree())]
            }
        }
    }
}

fn adjacency(lts: &Lts) -> Adjacency {
    let states: Vec<StateId> = lts.states().collect();
    Adjacency::new(lts.len(), |node| {
        let edges = lts.edges_from(states[node]).iter();
        edges.map(|edge| edge.target.0)
    })
}

fn is_monotone(graph: &Adjacency, ranks: &[u64]) -> bool {
    (0..graph.len()).all(|source| {
        let mut targets = graph.of(source).iter();
        targets.all(|&target| ranks[source] <= ranks[target as usize])
    })
}

/// Whether an edge leads out of the strongly connected component of the initial state.
fn leaves_its_component(graph: &Adjacency, initial: StateId, scc: &[u64]) -> bool {
    let own = scc[initial.index()];
    let mut inside = (0..graph.len()).filter(|&state| scc[state] == own);
    inside.any(|state| {
        let mut targets = graph.of(state).iter();
        targets.any(|&target| scc[target as usize] != own)
    })
}

/// Kahn's algorithm on the strongly connected components; of those that are ready, the one with the least state first.
fn scc_rank(graph: &Adjacency) -> Vec<u64> {
    let Components {
        of: component,
        count,
    } = components(graph);
    let mut members = vec![Vec::new(); count as usize];
    for (&component, state) in component.iter().zip(0_u32..) {
        members[component as usize].push(state);
    }
    let mut missing = vec![0_usize; count as usize];
    let crossing = |state: u32| {
        let own = component[state as usize];
        let targets = graph.of(state as usize).iter();
        let targets = targets.map(|&target| component[target as usize]);
        targets.filter(move |&other| other != own)
    };
    for state in (0..).take(graph.len()) {
        for target in crossing(state) {
            missing[target as usize] += 1;
        }
    }
    let entry = |component: u32| Reverse((members[component as usize][0], component));
    let is_ready = |&component: &u32| missing[component as usize] == 0;
    let mut ready: BinaryHeap<_> = (0..count).filter(is_ready).map(entry).collect();
    let mut ranks = vec![0; graph.len()];
    let mut rank = 0;
    while let Some(Reverse((_, next))) = ready.pop() {
        for &state in &members[next as usize] {
            ranks[state as usize] = rank;
            for target in crossing(state) {
                missing[target as usize] -= 1;
                if missing[target as usize] == 0 {
                    ready.push(entry(target));
                }
            }
        }
        rank += 1;
    }
    ranks
}

/// The order in which a search takes the states that always takes the least it knows; unreachable ones last.
fn tree_rank(graph: &Adjacency, initial: StateId) -> Vec<u64> {
    let mut ranks = vec![u64::MAX; graph.len()];
    let mut known = vec![false; graph.len()];
    let mut open = BinaryHeap::from([Reverse(initial.0)]);
    known[initial.index()] = true;
    let mut next = 0;
    while let Some(Reverse(state)) = open.pop() {
        ranks[state as usize] = next;
        next += 1;
        for &target in graph.of(state as usize) {
            if !std::mem::replace(&mut known[target as usize], true) {
                open.push(Reverse(target));
            }
        }
    }
    for rank in ranks.iter_mut().filter(|rank| **rank == u64::MAX) {
        *rank = next;
        next += 1;
    }
    ranks
}

/// The place of every state among those of the same component, in the order of the tree.
fn places_inside(scc: &[u64], tree: &[u64]) -> Vec<u64> {
    let mut order: Vec<usize> = (0..scc.len()).collect();
    order.sort_by_key(|&state| (scc[state], tree[state]));
    let mut places = vec![0; scc.len()];
    for pair in order.windows(2) {
        if scc[pair[0]] == scc[pair[1]] {
            places[pair[1]] = places[pair[0]] + 1;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges of an LTS that starts in its first state; ranks with a mark for those that never regress.
    fn check(edges: &[(u32, u32)], initial: u32, ranking: Ranking, expected: &[(&[u64], bool)]) {
        let mut builder = Lts::builder();
        let ends = edges.iter().map(|&(source, target)| source.max(target));
        for _ in 0..=ends.max().unwrap_or(0) {
            builder.state();
        }
        let label = builder.label("a");
        for &(source, target) in edges {
            builder.edge(StateId(source), label, StateId(target));
        }
        let found = ranks(&builder.build(StateId(initial)), ranking);
        let found: Vec<(&[u64], bool)> = found.iter().map(|r| (&r.ranks[..], r.monotone)).collect();
        assert_eq!(found, expected, "{ranking} of {edges:?}");
    }

    #[test]
    fn components_are_ranked_topologically_with_the_least_state_first() {
        use Ranking::Scc;
        check(&[], 0, Scc, &[(&[0], true)]);
        check(
            &[(0, 1), (0, 2), (1, 3), (2, 3)],
            0,
            Scc,
            &[(&[0, 1, 2, 3], true)],
        );
        check(&[(0, 3), (3, 1), (0, 2)], 0, Scc, &[(&[0, 3, 1, 2], true)]);
        check(
            &[(0, 1), (1, 2), (2, 1), (1, 3)],
            0,
            Scc,
            &[(&[0, 1, 1, 2], true)],
        );
        check(&[(0, 1), (1, 0)], 0, Scc, &[(&[0, 0], true)]);
    }

    #[test]
    fn trees_follow_the_numbers_of_states_where_they_can() {
        use Ranking::Tree;
        check(&[(0, 1), (1, 2), (2, 0)], 0, Tree, &[(&[0, 1, 2], false)]);
        check(
            &[(0, 2), (2, 1), (1, 0), (0, 3)],
            0,
            Tree,
            &[(&[0, 2, 1, 3], false)],
        );
        check(&[(1, 0), (0, 1), (2, 0)], 1, Tree, &[(&[1, 0, 2], false)]);
        check(
            &[(0, 1), (1, 2), (0, 2), (2, 2)],
            0,
            Tree,
            &[(&[0, 1, 2], true)],
        );
    }

    #[test]
    fn rankings_can_be_combined() {
        use Ranking::{SccOrTree, SccThenTree};
        let lasso = [(0, 1), (1, 3), (3, 2), (2, 1)];
        check(&lasso, 0, SccOrTree, &[(&[0, 1, 1, 1], true)]);
        check(
            &lasso,
            0,
            SccThenTree,
            &[(&[0, 1, 1, 1], true), (&[0, 0, 2, 1], false)],
        );
        check(&lasso[1..], 1, SccOrTree, &[(&[3, 0, 2, 1], false)]);
        check(&[(0, 1), (1, 0)], 0, SccOrTree, &[(&[0, 1], false)]);
        check(
            &[(0, 1), (1, 0), (2, 0)],
            0,
            SccOrTree,
            &[(&[0, 1, 2], false)],
        );
    }
}
