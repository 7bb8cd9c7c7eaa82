//! The least deterministic weak automaton, where there is one [DEK07].
//!
//! Sets of states are the states of a deterministic automaton. If the language is an obligation, whether a run is accepted depends only
//! on the component it ends in, and one cycle of a component tells. Such automata are minimised like automata on finite
//! words [Loe01]. Whether the language was an obligation shows afterwards: the outcome may have no word in common with the automaton
//! of the negated formula, and its complement none with the automaton of the formula.

use std::collections::HashMap;

use super::Marks;
use super::bdd::{Bdd, Bdds};
use super::scc::components;
use super::tgba::{Edge, Kind, Tgba};

/// Sets of states, beyond which nobody waits for the outcome.
const MOST_SETS: usize = 400;

/// Edges of an automaton for which the same holds.
const MOST_EDGES: usize = 5_000;

/// Pairs of states that are looked at to compare two automata.
const MOST_PAIRS: usize = 20_000;

/// A complete deterministic automaton in which all states of a component accept, or none does.
struct Deterministic {
    /// Letters and targets; the letters are disjoint and are all.
    edges: Vec<Vec<(Bdd, usize)>>,
    accepting: Vec<bool>,
}

impl Tgba {
    /// The least deterministic weak automaton for the same language, with one acceptance set. Nothing if there is none, or it
    /// takes too long. `negated` accepts the words that this automaton does not.
    pub fn weak_deterministic(&self, bdds: &mut Bdds, negated: &Self) -> Option<Self> {
        if self.size().0 > MOST_SETS || self.size().1 > MOST_EDGES {
            return None;
        }
        let (mut sets, members) = self.subsets(bdds)?;
        self.judge(bdds, &mut sets, &members);
        let least = sets.minimised(bdds);
        let same = least.is_disjoint(bdds, negated, true) && least.is_disjoint(bdds, self, false);
        (same && !bdds.overflowed()).then(|| least.graph(bdds))
    }

    /// The automaton of sets of states, and the sets.
    fn subsets(&self, bdds: &mut Bdds) -> Option<(Deterministic, Vec<Vec<usize>>)> {
        let first = vec![self.initial];
        let mut numbers = HashMap::from([(first.clone(), 0)]);
        let mut members = vec![first];
        let mut edges = Vec::new();
        while let Some(set) = members.get(edges.len()) {
            let mut parts: Vec<(Bdd, Vec<usize>)> = vec![(Bdd::TRUE, Vec::new())];
            for edge in set.iter().flat_map(|&state| &self.edges[state]) {
                let mut finer = Vec::new();
                for (letters, targets) in parts {
                    let with = bdds.and(letters, edge.letters);
                    let without = bdds.minus(letters, edge.letters);
                    if with != Bdd::FALSE {
                        let mut more = targets.clone();
                        more.push(edge.target);
                        finer.push((with, more));
                    }
                    if without != Bdd::FALSE {
                        finer.push((without, targets));
                    }
                }
                parts = finer;
                if parts.len() > 4 * MOST_SETS {
                    return None;
                }
            }
            let mut moves: Vec<(Bdd, usize)> = Vec::new();
            for (letters, mut targets) in parts {
                targets.sort_unstable();
                targets.dedup();
                let next = members.len();
                let number = *numbers.entry(targets.clone()).or_insert(next);
                if number == next {
                    members.push(targets);
                }
                join(bdds, &mut moves, letters, number);
            }
            edges.push(moves);
            if members.len() > MOST_SETS || bdds.overflowed() {
                return None;
            }
        }
        let accepting = vec![false; members.len()];
        Some((Deterministic { edges, accepting }, members))
    }

    /// Finds out by one cycle of each component whether it accepts.
    fn judge(&self, bdds: &Bdds, sets: &mut Deterministic, members: &[Vec<usize>]) {
        let found = components(&sets.targets());
        for component in 0..found.count {
            let first = (0..members.len()).find(|&set| found.of[set] == component);
            let Some(first) = first else { continue };
            let Some(word) = sets.cycle(bdds, first, &found.of) else {
                continue; // no run ends here
            };
            if self.accepts_from(bdds, &members[first], &word) {
                for set in 0..members.len() {
                    sets.accepting[set] |= found.of[set] == component;
                }
            }
        }
    }

    /// Whether a word repeated for ever is accepted from one of these states.
    fn accepts_from(&self, bdds: &Bdds, states: &[usize], word: &[u64]) -> bool {
        let node = |state: usize, at: usize| state * word.len() + at;
        let mut targets = vec![Vec::new(); self.edges.len() * word.len()];
        let mut marks = vec![Vec::new(); targets.len()];
        for (state, edges) in self.edges.iter().enumerate() {
            for (at, &letter) in word.iter().enumerate() {
                for edge in edges
                    .iter()
                    .filter(|edge| bdds.contains(edge.letters, letter))
                {
                    targets[node(state, at)].push(node(edge.target, (at + 1) % word.len()));
                    marks[node(state, at)].push(edge.marks);
                }
            }
        }
        let mut reached = vec![false; targets.len()];
        let mut stack: Vec<usize> = states.iter().map(|&state| node(state, 0)).collect();
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                stack.extend(&targets[at]);
            }
        }
        let found = components(&targets);
        let mut inside: Vec<Option<Marks>> = vec![None; found.count];
        for (at, to) in targets.iter().enumerate() {
            for (&target, &marks) in to.iter().zip(&marks[at]) {
                if reached[at] && found.of[at] == found.of[target] {
                    *inside[found.of[at]].get_or_insert(0) |= marks;
                }
            }
        }
        let all = Self::all_marks(self.sets);
        inside.into_iter().flatten().any(|marks| marks == all)
    }
}

impl Deterministic {
    fn targets(&self) -> Vec<Vec<usize>> {
        let targets = |moves: &Vec<(Bdd, usize)>| moves.iter().map(|one| one.1).collect();
        self.edges.iter().map(targets).collect()
    }

    /// The letters on a way from a state back to it.
    fn cycle(&self, bdds: &Bdds, from: usize, component: &[usize]) -> Option<Vec<u64>> {
        let mut came: Vec<Option<(usize, u64)>> = vec![None; self.edges.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for &(letters, target) in &self.edges[state] {
                if component[target] != component[from] || came[target].is_some() {
                    continue;
                }
                let letter = bdds.letter(letters).expect("edges have letters");
                came[target] = Some((state, letter));
                if target == from {
                    let mut word = Vec::new();
                    let mut at = from;
                    loop {
                        let (before, letter) = came[at]?;
                        word.push(letter);
                        at = before;
                        if at == from {
                            word.reverse();
                            return Some(word);
                        }
                    }
                }
                queue.push_back(target);
            }
        }
        None
    }

    /// The least automaton for the same language.
    fn minimised(&self, bdds: &mut Bdds) -> Self {
        // Components without cycles accept like what they lead to, as far as that is possible. A colour says how often the verdict
        // can still change; even ones accept. Components come after those they lead to.
        let found = components(&self.targets());
        let mut colours = vec![0_usize; found.count];
        let mut order: Vec<usize> = (0..self.edges.len()).collect();
        order.sort_by_key(|&state| found.of[state]);
        let mut at = 0;
        for component in 0..found.count {
            let from = at;
            while at < order.len() && found.of[order[at]] == component {
                at += 1;
            }
            let members = &order[from..at];
            let targets = || members.iter().flat_map(|&state| &self.edges[state]);
            let below = targets().filter(|one| found.of[one.1] != component);
            let below = below.map(|one| colours[found.of[one.1]]).max();
            let cyclic = targets().any(|one| found.of[one.1] == component);
            let wanted = usize::from(!self.accepting[members[0]]);
            colours[component] = match below {
                None => wanted,
                Some(below) if !cyclic || below % 2 == wanted => below,
                Some(below) => below + 1,
            };
        }
        let even = |&of: &usize| colours[of].is_multiple_of(2);
        let accepting: Vec<bool> = found.of.iter().map(even).collect();
        let mut class: Vec<usize> = accepting.iter().map(|&one| usize::from(one)).collect();
        let mut count = 0;
        loop {
            let mut signatures: HashMap<(usize, Vec<(usize, Bdd)>), usize> = HashMap::new();
            let mut next = Vec::with_capacity(class.len());
            for (state, moves) in self.edges.iter().enumerate() {
                let mut joined: Vec<(Bdd, usize)> = Vec::new();
                for &(letters, target) in moves {
                    join(bdds, &mut joined, letters, class[target]);
                }
                let mut signature: Vec<(usize, Bdd)> = joined
                    .into_iter()
                    .map(|(letters, to)| (to, letters))
                    .collect();
                signature.sort_unstable();
                let new = signatures.len();
                next.push(*signatures.entry((class[state], signature)).or_insert(new));
            }
            class = next;
            if signatures.len() == count {
                break;
            }
            count = signatures.len();
        }
        let mut least = Self {
            edges: vec![Vec::new(); count],
            accepting: vec![false; count],
        };
        for (state, moves) in self.edges.iter().enumerate() {
            let new = class[state];
            least.accepting[new] = accepting[state];
            if least.edges[new].is_empty() {
                for &(letters, target) in moves {
                    join(bdds, &mut least.edges[new], letters, class[target]);
                }
            }
        }
        // The first state stays the first.
        let first = class[0];
        least.edges.swap(0, first);
        least.accepting.swap(0, first);
        for moves in &mut least.edges {
            for (_, target) in moves {
                *target = match *target {
                    0 => first,
                    target if target == first => 0,
                    target => target,
                };
            }
        }
        least
    }

    /// Whether no word is accepted both by a generalised Büchi automaton and by this one, or by its complement. If that takes too long
    /// to find out, it is not said.
    fn is_disjoint(&self, bdds: &mut Bdds, other: &Tgba, own: bool) -> bool {
        let mut numbers = HashMap::from([((0, other.initial), 0)]);
        let mut pairs = vec![(0, other.initial)];
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        while let Some(&(state, there)) = pairs.get(edges.len()) {
            let mut moves = Vec::new();
            for &(letters, target) in &self.edges[state] {
                for edge in &other.edges[there] {
                    let letters = bdds.and(letters, edge.letters);
                    if letters == Bdd::FALSE {
                        continue;
                    }
                    let next = pairs.len();
                    let pair = (target, edge.target);
                    let number = *numbers.entry(pair).or_insert(next);
                    if number == next {
                        pairs.push(pair);
                    }
                    moves.push(Edge {
                        target: number,
                        letters,
                        marks: edge.marks,
                    });
                }
            }
            edges.push(moves);
            if pairs.len() > MOST_PAIRS {
                return false;
            }
        }
        let product = Tgba {
            edges,
            initial: 0,
            sets: other.sets,
        };
        let found = product.components();
        let kinds = product.kinds(&found);
        (0..pairs.len()).all(|pair| {
            kinds[found.of[pair]] != Kind::Accepting || self.accepting[pairs[pair].0] != own
        })
    }

    /// As a generalised Büchi automaton with one set.
    fn graph(&self, bdds: &mut Bdds) -> Tgba {
        let edges = self.edges.iter().zip(&self.accepting);
        let edges = edges.map(|(moves, &accepting)| {
            let edge = |&(letters, target): &(Bdd, usize)| Edge {
                target,
                letters,
                marks: Marks::from(accepting),
            };
            moves.iter().map(edge).collect()
        });
        let mut graph = Tgba {
            edges: edges.collect(),
            initial: 0,
            sets: 1,
        };
        graph.prune(bdds);
        graph
    }
}

/// Adds letters to the move to a target.
fn join(bdds: &mut Bdds, moves: &mut Vec<(Bdd, usize)>, letters: Bdd, target: usize) {
    match moves.iter_mut().find(|one| one.1 == target) {
        Some(known) => known.0 = bdds.or(known.0, letters),
        None => moves.push((letters, target)),
    }
}
