//! Making automata smaller by simulation, after Somenzi and Bloem [SB00] and Duret-Lutz [DL14].
//!
//! State `t` simulates `s` if for each edge of `s` and each of its letters `t` has an edge with at least the marks, to a state that
//! simulates the target. States that simulate each other are one, and an edge is superfluous if another edge of the same state
//! does at least as much. Backwards the same is done for the edges into a state.
//!
//! Marks on edges between components and in components that accept nothing are a matter of choice. Whoever calls this has
//! chosen, for both sides alike: to count an edge that leaves a component as marked on the side that simulates and as unmarked on
//! the other would throw away the edge on which F G !a leaves its first state.

use super::bdd::{Bdd, Bdds};
use super::tgba::{Edge, Tgba};

/// Steps after which an automaton is left as it is.
const MOST_WORK: usize = 4_000_000;

/// Where marks belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marking {
    /// Edges.
    Edges,
    /// States: the edges of one state all have the same marks, before and after.
    States,
}

/// `relation[s][t]` says whether `t` simulates `s`.
type Relation = Vec<Vec<bool>>;

impl Tgba {
    /// Joins states that simulate each other, and removes edges that do less than others. Says whether something changed.
    pub fn simulate(&mut self, bdds: &mut Bdds) -> bool {
        let before = self.size();
        let Some(relation) = simulation(bdds, &self.edges, |_, _| true) else {
            return false;
        };
        let class = classes(&relation);
        self.initial = class[self.initial];
        for state in 0..self.edges.len() {
            if class[state] != state {
                self.edges[state].clear(); // its representative does the same
                continue;
            }
            for edge in &mut self.edges[state] {
                edge.target = class[edge.target];
            }
            self.join(bdds, state);
            let less = |one: &Edge, other: &Edge| {
                one.marks & !other.marks == 0 && relation[one.target][other.target]
            };
            self.edges[state] = undominated(bdds, &self.edges[state], less);
        }
        self.renumber();
        self.size() != before
    }

    /// The same, looking backwards.
    pub fn simulate_backwards(&mut self, bdds: &mut Bdds, marking: Marking) -> bool {
        let before = self.size();
        let mut incoming: Vec<Vec<Edge>> = vec![Vec::new(); self.edges.len()];
        for (state, edges) in self.edges.iter().enumerate() {
            for edge in edges {
                incoming[edge.target].push(Edge {
                    target: state,
                    ..*edge
                });
            }
        }
        let initial = self.initial;
        let own = |state: usize| self.edges[state].first().map_or(0, |edge| edge.marks);
        let may = |s: usize, t: usize| {
            (s != initial || t == initial) && (marking == Marking::Edges || own(s) & !own(t) == 0)
        };
        let Some(relation) = simulation(bdds, &incoming, may) else {
            return false;
        };
        let class = classes(&relation);
        // Edges into a class are those into its representative; edges out of it are those of all members.
        let less = |one: &Edge, other: &Edge| {
            one.marks & !other.marks == 0 && relation[one.target][other.target]
        };
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); self.edges.len()];
        for state in 0..incoming.len() {
            if class[state] != state {
                continue;
            }
            let mut joined = Tgba {
                edges: vec![std::mem::take(&mut incoming[state])],
                initial: 0,
                sets: self.sets,
            };
            for edge in &mut joined.edges[0] {
                edge.target = class[edge.target];
            }
            joined.join(bdds, 0);
            for edge in undominated(bdds, &joined.edges[0], less) {
                edges[edge.target].push(Edge {
                    target: state,
                    ..edge
                });
            }
        }
        self.edges = edges;
        self.initial = class[initial];
        self.renumber();
        self.size() != before
    }

    /// How many states and edges there are.
    pub fn size(&self) -> (usize, usize) {
        (self.edges.len(), self.edges.iter().map(Vec::len).sum())
    }
}

/// The greatest simulation among the pairs that `may` be in it; nothing if that takes too long.
fn simulation(
    bdds: &mut Bdds,
    edges: &[Vec<Edge>],
    may: impl Fn(usize, usize) -> bool,
) -> Option<Relation> {
    let states = edges.len();
    let total: usize = edges.iter().map(Vec::len).sum();
    if total.saturating_mul(total) > MOST_WORK {
        return None;
    }
    let row = |s| (0..states).map(|t| may(s, t)).collect();
    let mut relation: Relation = (0..states).map(row).collect();
    let mut work = 0;
    loop {
        let mut changed = false;
        for s in 0..states {
            for t in 0..states {
                if s == t || !relation[s][t] {
                    continue;
                }
                work += edges[s].len() * edges[t].len();
                let follows = edges[s].iter().all(|edge| {
                    let mut left = edge.letters;
                    for other in &edges[t] {
                        if left != Bdd::FALSE
                            && edge.marks & !other.marks == 0
                            && relation[edge.target][other.target]
                        {
                            left = bdds.minus(left, other.letters);
                        }
                    }
                    left == Bdd::FALSE
                });
                if !follows {
                    relation[s][t] = false;
                    changed = true;
                }
            }
        }
        if bdds.overflowed() || work > 10 * MOST_WORK {
            return None;
        }
        if !changed {
            return Some(relation);
        }
    }
}

/// The representative of each state: the first of those that simulate it and are simulated by it.
fn classes(relation: &Relation) -> Vec<usize> {
    let first = |s: usize| (0..s).find(|&t| relation[s][t] && relation[t][s]);
    (0..relation.len()).map(|s| first(s).unwrap_or(s)).collect()
}

/// The edges of one state, each without the letters on which another does more. No two have the same target and marks.
fn undominated(bdds: &mut Bdds, edges: &[Edge], less: impl Fn(&Edge, &Edge) -> bool) -> Vec<Edge> {
    let mut kept = Vec::new();
    for (at, edge) in edges.iter().enumerate() {
        let mut letters = edge.letters;
        for (other_at, other) in edges.iter().enumerate() {
            // Of two edges that do the same, the first stays.
            if at != other_at && less(edge, other) && (!less(other, edge) || other_at < at) {
                letters = bdds.minus(letters, other.letters);
            }
        }
        if letters != Bdd::FALSE {
            kept.push(Edge { letters, ..*edge });
        }
    }
    kept
}
