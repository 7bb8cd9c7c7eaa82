//! Short ways through a graph, and ways round.

use std::collections::HashSet;
use std::hash::Hash;

use super::lasso::{Lasso, LassoStep};
use sweepline_logic::omega::{Marks, OmegaState};

/// An edge of a graph whose nodes are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) target: u32,
    /// Which edge of the model it is.
    pub(crate) edge: u32,
    /// Its position among the steps of the model's state.
    pub(crate) ordinal: u32,
    pub(crate) mark: Marks,
}

/// The edge of a run that has ended: it stays where it is.
pub(crate) const STAY: u32 = u32::MAX;

/// A breadth-first search.
pub(crate) struct Ways {
    /// Nodes in the order they were found, and from which place and how.
    found: Vec<(u32, Option<(usize, Move)>)>,
    known: HashSet<u32>,
}

impl Ways {
    pub(crate) fn from(starts: impl IntoIterator<Item = u32>) -> Self {
        let mut ways = Self {
            found: Vec::new(),
            known: HashSet::new(),
        };
        for start in starts {
            if ways.known.insert(start) {
                ways.found.push((start, None));
            }
        }
        ways
    }

    /// The goal that is nearest, with the start it is reached from, and the way there.
    pub(crate) fn nearest(
        mut self,
        successors: impl Fn(u32) -> Vec<Move>,
        goal: impl Fn(u32) -> bool,
    ) -> Option<((u32, u32), Vec<Move>)> {
        if let Some(&(start, _)) = self.found.iter().find(|(start, _)| goal(*start)) {
            return Some(((start, start), Vec::new()));
        }
        let (start, way) = self.until(successors, |step| goal(step.target))?;
        Some(((way.last()?.target, start), way))
    }

    /// The shortest way along an edge that is wanted.
    pub(crate) fn along(
        mut self,
        successors: impl Fn(u32) -> Vec<Move>,
        wanted: impl Fn(&Move) -> bool,
    ) -> Option<Vec<Move>> {
        Some(self.until(successors, wanted)?.1)
    }

    /// The same, and where it starts.
    fn until(
        &mut self,
        successors: impl Fn(u32) -> Vec<Move>,
        wanted: impl Fn(&Move) -> bool,
    ) -> Option<(u32, Vec<Move>)> {
        let mut at = 0;
        while at < self.found.len() {
            for step in successors(self.found[at].0) {
                if wanted(&step) {
                    return Some(self.way(at, step));
                }
                if self.known.insert(step.target) {
                    self.found.push((step.target, Some((at, step))));
                }
            }
            at += 1;
        }
        None
    }

    fn way(&self, mut at: usize, last: Move) -> (u32, Vec<Move>) {
        let mut way = vec![last];
        while let Some((from, step)) = self.found[at].1 {
            way.push(step);
            at = from;
        }
        way.reverse();
        (self.found[at].0, way)
    }
}

/// A way from a node back to it, along edges with all the keys there are: always on to the nearest that is missing. Nothing if it has
/// more steps than allowed, or none. The graph is strongly connected.
pub(crate) fn tour<K: Eq + Hash>(
    entry: u32,
    successors: impl Fn(u32) -> Vec<Move> + Copy,
    key: impl Fn(&Move) -> Option<K>,
    most: usize,
) -> Option<Vec<Move>> {
    let mut missing = keys(entry, successors, &key, most)?;
    let (mut way, mut at): (Vec<Move>, u32) = (Vec::new(), entry);
    while !missing.is_empty() || at != entry || way.is_empty() {
        let wanted = |step: &Move| {
            if missing.is_empty() {
                step.target == entry
            } else {
                key(step).is_some_and(|key| missing.contains(&key))
            }
        };
        let (_, more) = Ways::from([at]).until(successors, wanted)?;
        for key in more.iter().filter_map(&key) {
            missing.remove(&key);
        }
        at = more.last()?.target;
        way.extend(more);
        if way.len() > most {
            return None;
        }
    }
    Some(way)
}

/// All keys of edges that can be reached. Nothing if there are none, or more than allowed.
fn keys<K: Eq + Hash>(
    entry: u32,
    successors: impl Fn(u32) -> Vec<Move>,
    key: &impl Fn(&Move) -> Option<K>,
    most: usize,
) -> Option<HashSet<K>> {
    let (mut keys, mut known, mut waiting) = (HashSet::new(), HashSet::from([entry]), vec![entry]);
    while let Some(node) = waiting.pop() {
        for step in successors(node) {
            keys.extend(key(&step));
            if known.insert(step.target) {
                waiting.push(step.target);
            }
        }
        if keys.len() > most {
            return None;
        }
    }
    (!keys.is_empty()).then_some(keys)
}

impl Lasso {
    /// A run that takes these steps and then those again and again; without any, it stays where it is.
    pub(crate) fn of_moves(initial: usize, stem: &[Move], cycle: &[Move]) -> Self {
        let step = |step: &Move| LassoStep {
            ordinal: (step.edge != STAY).then_some(step.ordinal as usize),
            edge: 0,
        };
        Self {
            initial,
            start: OmegaState(0),
            stem: stem.iter().map(step).collect(),
            cycle: cycle.iter().map(step).collect(),
        }
    }
}
