//! Whether an automaton accepts anything, for any condition on marks [BBDKMS19].
//!
//! The marks of a whole component are what its longest cycles carry. If they satisfy the condition, there is an accepting cycle. If not,
//! something must occur finitely often that occurs in the component: either the edges of such a set are left out, and what remains
//! falls into smaller components, or the condition has to be satisfied otherwise.

use super::bdd::{Bdd, Bdds};
use super::scc::components;
use super::{Acceptance, Letter, Marks, OmegaAutomaton, OmegaEdge};

/// An infinite word that repeats itself in the end: `stem · repeated · repeated · …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// How it begins.
    pub stem: Vec<Letter>,
    /// What is repeated; not empty.
    pub repeated: Vec<Letter>,
}

/// Edges of a graph that has no other purpose: from each node its targets and the marks on the way.
pub type MarkedGraph = [Vec<(usize, Marks)>];

/// Part of a graph in which an accepting cycle leads through all nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptingPart {
    /// Its nodes, ascending.
    pub nodes: Vec<usize>,
    /// Edges with one of these marks do not belong to it.
    pub without: Marks,
    /// The marks on its edges. A cycle that meets all of them is accepted.
    pub marks: Marks,
}

impl AcceptingPart {
    fn contains(&self, node: usize) -> bool {
        self.nodes.binary_search(&node).is_ok()
    }
}

/// A part of a graph that has an accepting cycle, if there is one. Whether it can be reached is not asked.
pub fn accepting_part(graph: &MarkedGraph, acceptance: &Acceptance) -> Option<AcceptingPart> {
    let whole = AcceptingPart {
        nodes: (0..graph.len()).collect(),
        without: 0,
        marks: Marks::MAX,
    };
    accepting_part_of(graph, &whole, acceptance)
}

fn accepting_part_of(
    graph: &MarkedGraph,
    part: &AcceptingPart,
    acceptance: &Acceptance,
) -> Option<AcceptingPart> {
    for component in split(graph, part) {
        let condition = acceptance.given(component.marks);
        match condition {
            Known::Always => return Some(component),
            Known::Never => {}
            Known::Depends(condition) => {
                let found = if condition.accepts(component.marks) {
                    Some(component)
                } else {
                    decide(graph, &component, &condition)
                };
                if found.is_some() {
                    return found;
                }
            }
        }
    }
    None
}

/// Looks for an accepting cycle in a component whose marks together do not satisfy the condition.
fn decide(
    graph: &MarkedGraph,
    component: &AcceptingPart,
    condition: &Acceptance,
) -> Option<AcceptingPart> {
    // There is one: without, the condition would be monotone in the marks, and satisfied or decided by now.
    let set = condition.some_fin()?;
    let mut smaller = component.clone();
    smaller.without |= 1 << set;
    accepting_part_of(graph, &smaller, condition).or_else(|| {
        match condition.without_fin(set) {
            // The marks are the same, but there is one way less to satisfy the condition.
            Some(condition) => accepting_part_of(graph, component, &condition),
            None => None,
        }
    })
}

/// The strongly connected components of a part that have an edge.
fn split(graph: &MarkedGraph, part: &AcceptingPart) -> Vec<AcceptingPart> {
    let inside = |edge: &&(usize, Marks)| edge.1 & part.without == 0 && part.contains(edge.0);
    let place = |node: usize| part.nodes.binary_search(&node);
    let targets: Vec<Vec<usize>> = part
        .nodes
        .iter()
        .map(|&node| {
            let edges = graph[node].iter().filter(inside);
            edges.filter_map(|edge| place(edge.0).ok()).collect()
        })
        .collect();
    let found = components(&targets);
    let mut parts: Vec<Option<AcceptingPart>> = vec![None; found.count];
    for (at, &node) in part.nodes.iter().enumerate() {
        let own = found.of[at];
        let edges = graph[node].iter().filter(inside);
        for edge in edges.filter(|edge| place(edge.0).is_ok_and(|to| found.of[to] == own)) {
            let part = parts[own].get_or_insert(AcceptingPart {
                nodes: Vec::new(),
                without: part.without,
                marks: 0,
            });
            part.marks |= edge.1;
        }
    }
    for (at, &node) in part.nodes.iter().enumerate() {
        if let Some(part) = &mut parts[found.of[at]] {
            part.nodes.push(node);
        }
    }
    parts.into_iter().flatten().collect()
}

/// A condition when some marks cannot occur.
enum Known {
    Always,
    Never,
    Depends(Acceptance),
}

impl Acceptance {
    /// What remains of the condition if only these marks can occur.
    fn given(&self, marks: Marks) -> Known {
        match self {
            Self::Inf(set) if marks >> set & 1 == 0 => Known::Never,
            Self::Fin(set) if marks >> set & 1 == 0 => Known::Always,
            Self::Inf(_) | Self::Fin(_) => Known::Depends(self.clone()),
            Self::And(all) => {
                let mut left = Vec::new();
                for one in all {
                    match one.given(marks) {
                        Known::Always => {}
                        Known::Never => return Known::Never,
                        Known::Depends(one) => left.push(one),
                    }
                }
                match left.len() {
                    0 => Known::Always,
                    _ => Known::Depends(Self::And(left)),
                }
            }
            Self::Or(all) => {
                let mut left = Vec::new();
                for one in all {
                    match one.given(marks) {
                        Known::Always => return Known::Always,
                        Known::Never => {}
                        Known::Depends(one) => left.push(one),
                    }
                }
                match left.len() {
                    0 => Known::Never,
                    _ => Known::Depends(Self::Or(left)),
                }
            }
        }
    }

    /// A set that must occur finitely often somewhere in the condition.
    fn some_fin(&self) -> Option<u32> {
        match self {
            Self::Inf(_) => None,
            Self::Fin(set) => Some(*set),
            Self::And(all) | Self::Or(all) => all.iter().find_map(Self::some_fin),
        }
    }

    /// The condition where this set does not occur finitely often; nothing if it cannot be satisfied then.
    fn without_fin(&self, set: u32) -> Option<Self> {
        match self {
            Self::Inf(_) => Some(self.clone()),
            Self::Fin(own) => (*own != set).then(|| self.clone()),
            Self::And(all) => {
                let all: Option<Vec<Self>> = all.iter().map(|one| one.without_fin(set)).collect();
                all.map(Self::And)
            }
            Self::Or(all) => {
                let left: Vec<Self> = all.iter().filter_map(|one| one.without_fin(set)).collect();
                (!left.is_empty()).then_some(Self::Or(left))
            }
        }
    }

    /// The condition that is satisfied where this one is not.
    #[must_use]
    pub fn negated(&self) -> Self {
        match self {
            Self::Inf(set) => Self::Fin(*set),
            Self::Fin(set) => Self::Inf(*set),
            Self::And(all) => Self::Or(all.iter().map(Self::negated).collect()),
            Self::Or(all) => Self::And(all.iter().map(Self::negated).collect()),
        }
    }
}

impl OmegaAutomaton {
    /// The edges without their letters; those that read no letter are left out.
    pub(crate) fn graph(&self) -> Vec<Vec<(usize, Marks)>> {
        let edges = |edges: &Vec<OmegaEdge>| {
            let edges = edges.iter().filter(|edge| !edge.guard.is_empty());
            edges
                .map(|edge| (edge.target.0 as usize, edge.marks))
                .collect()
        };
        self.edges.iter().map(edges).collect()
    }

    /// Some word it accepts, if there is one.
    ///
    /// ```
    /// use sweepline_logic::{ltl::translate, omega::accepts, parse_ltl};
    ///
    /// let automaton = translate(&parse_ltl("a U b and G F not b").unwrap().ltl).unwrap();
    /// let word = automaton.accepted_word().unwrap();
    /// assert!(accepts(&automaton, &word.stem, &word.repeated));
    /// let nothing = translate(&parse_ltl("F a and G not a").unwrap().ltl).unwrap();
    /// assert_eq!(nothing.accepted_word(), None);
    /// ```
    pub fn accepted_word(&self) -> Option<Lasso> {
        let mut graph = self.graph();
        let mut reached = vec![false; graph.len()];
        let mut stack: Vec<usize> = self.initial.iter().map(|one| one.0 as usize).collect();
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                stack.extend(graph[node].iter().map(|edge| edge.0));
            }
        }
        for (node, edges) in graph.iter_mut().enumerate() {
            if !reached[node] {
                edges.clear();
            }
        }
        let part = accepting_part(&graph, &self.acceptance)?;
        let from: Vec<usize> = self.initial.iter().map(|one| one.0 as usize).collect();
        let (stem, start) = self.way(&from, |_| true, |node, _| part.contains(node))?;
        Some(Lasso {
            stem,
            repeated: self.round(&part, start)?,
        })
    }

    /// A way from a node of a part back to it that meets all its marks.
    fn round(&self, part: &AcceptingPart, start: usize) -> Option<Vec<Letter>> {
        let inside = |edge: &OmegaEdge| {
            edge.marks & part.without == 0 && part.contains(edge.target.0 as usize)
        };
        let mut word = Vec::new();
        let mut at = start;
        for set in (0..Marks::BITS).filter(|set| part.marks >> set & 1 == 1) {
            let (more, to) = self.way(&[at], inside, |_, marks| {
                marks.is_some_and(|marks| marks >> set & 1 == 1)
            })?;
            word.extend(more);
            at = to;
        }
        if at != start || word.is_empty() {
            let back = |node, marks: Option<Marks>| node == start && marks.is_some();
            word.extend(self.way(&[at], inside, back)?.0);
        }
        Some(word)
    }

    /// The letters of a shortest way along allowed edges until a state and the marks of the edge into it satisfy `end`, and that state.
    /// The start is asked too, without marks.
    fn way(
        &self,
        from: &[usize],
        allowed: impl Fn(&OmegaEdge) -> bool,
        end: impl Fn(usize, Option<Marks>) -> bool,
    ) -> Option<(Vec<Letter>, usize)> {
        if let Some(&node) = from.iter().find(|&&node| end(node, None)) {
            return Some((Vec::new(), node));
        }
        let mut came: Vec<Option<(usize, Letter)>> = vec![None; self.edges.len()];
        let mut seen = vec![false; self.edges.len()];
        let mut queue: std::collections::VecDeque<usize> = from.iter().copied().collect();
        for &node in from {
            seen[node] = true;
        }
        while let Some(node) = queue.pop_front() {
            for edge in self.edges[node].iter().filter(|edge| allowed(edge)) {
                let Some(cube) = edge.guard.cubes().first() else {
                    continue;
                };
                let target = edge.target.0 as usize;
                if end(target, Some(edge.marks)) {
                    let mut word = vec![cube.holds];
                    let mut at = node;
                    while let Some((before, letter)) = came[at] {
                        word.push(letter);
                        at = before;
                    }
                    word.reverse();
                    return Some((word, target));
                }
                if !std::mem::replace(&mut seen[target], true) {
                    came[target] = Some((node, cube.holds));
                    queue.push_back(target);
                }
            }
        }
        None
    }

    /// Whether every letter has an edge from this state to one that satisfies `inside`.
    pub(crate) fn is_total(
        &self,
        bdds: &mut Bdds,
        state: usize,
        inside: impl Fn(usize) -> bool,
    ) -> bool {
        let edges = self.edges[state].iter();
        let mut left = Bdd::TRUE;
        for edge in edges.filter(|edge| inside(edge.target.0 as usize)) {
            let letters = bdds.of_guard(&edge.guard);
            left = bdds.minus(left, letters);
        }
        left == Bdd::FALSE && !bdds.overflowed()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::automaton;
    use super::*;
    use crate::omega::accepts;
    use proptest::prelude::*;

    /// All words with a stem of at most two letters and a loop of at most four, over one atom.
    fn short_words() -> Vec<Lasso> {
        let words = |length: u32| {
            (0..1_u64 << length)
                .map(move |bits| -> Vec<Letter> { (0..length).map(|at| bits >> at & 1).collect() })
        };
        let stems: Vec<Vec<Letter>> = (0..3).flat_map(words).collect();
        let loops = (1..5).flat_map(words);
        loops
            .flat_map(|repeated| {
                stems.clone().into_iter().map(move |stem| Lasso {
                    stem,
                    repeated: repeated.clone(),
                })
            })
            .collect()
    }

    proptest! {
        #[test]
        fn an_accepted_word_is_accepted(automaton in automaton(1)) {
            match automaton.accepted_word() {
                Some(word) => prop_assert!(accepts(&automaton, &word.stem, &word.repeated)),
                None => for word in short_words() {
                    prop_assert!(!accepts(&automaton, &word.stem, &word.repeated), "{word:?}");
                },
            }
        }
    }
}
