//! Which parts leave a formula undecided: the smallest that are unknown where that matters.

use std::collections::{HashSet, VecDeque};

use sweepline_core::{Limits, StopReason};

use super::arena::{Arena, Op, Part};
use super::edges::Edges;
use super::labels::Labels;

/// Parts at numbers that are looked at, at most. Who knows a few thousand reasons needs no more.
const MOST: usize = 1 << 14;

/// The smallest parts that leave a part undecided at the start of runs.
///
/// From what is unknown there it goes on to what that rests on: operands in the same state, and what is unknown after a step. Only
/// states that have been expanded count, for elsewhere everything is unknown; and only those with small numbers, which are near where runs
/// start.
pub(super) fn undecided(
    arena: &Arena,
    labels: &Labels<'_>,
    root: Part,
    limits: &Limits,
) -> Result<Vec<Part>, StopReason> {
    let edges = labels.survey.near(labels.recorder, limits)?;
    let mut search = Search {
        arena,
        labels,
        edges,
        unknown: vec![false; arena.len()],
        known: HashSet::new(),
        todo: VecDeque::new(),
    };
    for number in labels.survey.initial.iter().flatten() {
        search.add(root, *number);
    }
    search.run();
    labels.check()?;
    Ok(search.smallest(root))
}

struct Search<'a> {
    arena: &'a Arena,
    labels: &'a Labels<'a>,
    edges: &'a Edges,
    /// Whether each part is unknown somewhere.
    unknown: Vec<bool>,
    /// What was added already.
    known: HashSet<(Part, u32)>,
    /// What is to be looked at, what is near before what is far away.
    todo: VecDeque<(Part, u32)>,
}

impl Search<'_> {
    /// Notes a part that matters at a number, if it is unknown there.
    fn add(&mut self, part: Part, number: u32) {
        let expanded = self.labels.survey.expanded.as_ref();
        let is_expanded = number < self.labels.recorder.links().numbers()
            && expanded.is_none_or(|expanded| expanded.contains(number));
        if is_expanded
            && self.known.len() < MOST
            && self.labels.at(part, number).is_none()
            && self.known.insert((part, number))
        {
            self.unknown[part] = true;
            self.todo.push_back((part, number));
        }
    }

    fn run(&mut self) {
        while let Some((part, number)) = self.todo.pop_front() {
            match *self.arena.op(part) {
                Op::Next(_, operand) => {
                    for (_, target) in self.edges.steps(number) {
                        self.add(operand, target);
                    }
                    continue;
                }
                // Runs that cannot go on their way are decided here.
                Op::Until { way, .. } if self.labels.at(way, number) != Some(false) => {
                    for (_, target) in self.edges.steps(number) {
                        self.add(part, target);
                    }
                }
                _ => {}
            }
            for operand in self.arena.operands(part) {
                self.add(operand, number);
            }
        }
    }

    /// The parts that are unknown somewhere although all that they are made of is known where it was looked at.
    fn smallest(&self, root: Part) -> Vec<Part> {
        let mut above = vec![false; self.arena.len()];
        for part in 0..self.arena.len() {
            let mut operands = self.arena.operands(part).into_iter();
            above[part] = operands.any(|operand| self.unknown[operand] || above[operand]);
        }
        let smallest = (0..self.arena.len()).filter(|&part| self.unknown[part] && !above[part]);
        let smallest: Vec<Part> = smallest.collect();
        if smallest.is_empty() {
            vec![root]
        } else {
            smallest
        }
    }
}
