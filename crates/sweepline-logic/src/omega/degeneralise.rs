//! From many acceptance sets on edges to one set of states.
//!
//! A copy of a component for each set waits for an edge of that set; whoever has met all of them is in an accepting state and starts
//! again [GO01]. An edge in several sets passes several copies at once [BKRS12], and so do marks that all edges out of its target have.
//! We differ in where a component is entered: any copy will do, so we keep only copies that are closed under moves, for the
//! order of the sets for which there are fewest.

use std::collections::HashMap;

use super::Marks;
use super::bdd::Bdds;
use super::scc::components;
use super::tgba::{Edge, Kind, Tgba};

/// Sets of a component whose orders are all tried.
const MOST_SETS: usize = 4;

/// A state and how many sets have been met in this round.
type Copy = (usize, usize);

impl Tgba {
    /// The same language with one set, in which either all or none of the edges of a state are.
    pub fn degeneralised(&self, bdds: &mut Bdds) -> Self {
        let parts = self.components();
        let kinds = self.kinds(&parts);
        // What each component becomes: its copies and their moves.
        let members = parts.members();
        let levels: Vec<Levels> = (0..parts.count)
            .map(|component| self.levels(&members[component], kinds[component]))
            .collect();
        let mut numbers: HashMap<Copy, usize> = HashMap::new();
        let mut copies: Vec<Copy> = Vec::new();
        // The first copy of each state, where components are entered.
        let mut entries: HashMap<usize, usize> = HashMap::new();
        for level in &levels {
            for &copy in &level.copies {
                numbers.insert(copy, copies.len());
                entries.entry(copy.0).or_insert(copies.len());
                copies.push(copy);
            }
        }
        let enter = |state: usize| entries[&state];
        let mut edges: Vec<Vec<Edge>> = Vec::with_capacity(copies.len());
        for &(state, level) in &copies {
            let own = &levels[parts.of[state]];
            let marks = Marks::from(own.accepts(level));
            let edge = |edge: &Edge| {
                let target = if parts.of[edge.target] == parts.of[state] {
                    numbers[&(edge.target, own.next(level, edge))]
                } else {
                    enter(edge.target)
                };
                Edge {
                    target,
                    marks,
                    ..*edge
                }
            };
            edges.push(self.edges[state].iter().map(edge).collect());
        }
        let mut graph = Self {
            edges,
            initial: enter(self.initial),
            sets: 1,
        };
        for state in 0..graph.edges.len() {
            graph.join(bdds, state);
        }
        graph.renumber();
        graph
    }

    fn levels(&self, members: &[usize], kind: Kind) -> Levels {
        let inside: HashMap<usize, Vec<Edge>> = members
            .iter()
            .map(|&state| {
                let edges = self.edges[state].iter();
                let edges = edges.filter(|edge| members.binary_search(&edge.target).is_ok());
                (state, edges.copied().collect())
            })
            .collect();
        let single = |accepting| Levels {
            order: Vec::new(),
            ahead: HashMap::new(),
            accepting,
            copies: members.iter().map(|&state| (state, 0)).collect(),
        };
        if kind != Kind::Accepting {
            return single(false);
        }
        // A set that every edge is in has been met whenever one looks.
        let common = |edges: &[Edge]| edges.iter().fold(Marks::MAX, |all, edge| all & edge.marks);
        let always = inside
            .values()
            .fold(Marks::MAX, |all, edges| all & common(edges));
        let sets: Vec<u32> = (0..self.sets)
            .filter(|set| always >> set & 1 == 0)
            .collect();
        if sets.is_empty() {
            return single(true);
        }
        let ahead: HashMap<usize, Marks> = inside
            .iter()
            .map(|(&state, edges)| (state, common(edges)))
            .collect();
        let orders = orders(&sets);
        let candidates = orders.into_iter().map(|order| {
            let mut levels = Levels {
                order,
                ahead: ahead.clone(),
                accepting: true,
                copies: Vec::new(),
            };
            levels.copies = levels.closed(members, &inside);
            levels
        });
        candidates
            .min_by_key(|levels| levels.copies.len())
            .expect("there is at least one order")
    }
}

/// The copies of a component.
struct Levels {
    /// In which order sets are waited for.
    order: Vec<u32>,
    /// The marks that all edges out of a state have.
    ahead: HashMap<usize, Marks>,
    /// Whether the component accepts at all.
    accepting: bool,
    copies: Vec<Copy>,
}

impl Levels {
    fn accepts(&self, level: usize) -> bool {
        self.accepting && level == self.order.len()
    }

    /// Where an edge inside the component leads to.
    fn next(&self, level: usize, edge: &Edge) -> usize {
        // What is about to happen counts already.
        let ahead = self.ahead.get(&edge.target).copied().unwrap_or(0);
        let marks = edge.marks | ahead;
        let mut level = if level == self.order.len() { 0 } else { level };
        while let Some(set) = self.order.get(level)
            && marks >> set & 1 == 1
        {
            level += 1;
        }
        level
    }

    /// The least set of copies that no edge leaves. Since every state can be reached from every other, each has a copy in it.
    fn closed(&self, members: &[usize], inside: &HashMap<usize, Vec<Edge>>) -> Vec<Copy> {
        let count = self.order.len() + 1;
        let at = |state: usize, level: usize| {
            let place = members.binary_search(&state).expect("a member");
            place * count + level
        };
        let targets: Vec<Vec<usize>> = members
            .iter()
            .flat_map(|state| (0..count).map(move |level| (*state, level)))
            .map(|(state, level)| {
                let edges = inside[&state].iter();
                edges
                    .map(|edge| at(edge.target, self.next(level, edge)))
                    .collect()
            })
            .collect();
        let found = components(&targets);
        let mut closed = vec![true; found.count];
        let mut sizes = vec![0; found.count];
        for (copy, targets) in targets.iter().enumerate() {
            sizes[found.of[copy]] += 1;
            if targets
                .iter()
                .any(|&target| found.of[target] != found.of[copy])
            {
                closed[found.of[copy]] = false;
            }
        }
        let best = (0..found.count)
            .filter(|&component| closed[component])
            .min_by_key(|&component| sizes[component])
            .expect("following edges ends in a closed component");
        (0..targets.len())
            .filter(|&copy| found.of[copy] == best)
            .map(|copy| (members[copy / count], copy % count))
            .collect()
    }
}

/// The orders of some sets, or one if there are many.
fn orders(sets: &[u32]) -> Vec<Vec<u32>> {
    if sets.len() > MOST_SETS {
        return vec![sets.to_vec()];
    }
    if sets.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, &first) in sets.iter().enumerate() {
        let mut rest = sets.to_vec();
        rest.remove(at);
        for mut order in orders(&rest) {
            order.insert(0, first);
            all.push(order);
        }
    }
    all
}
