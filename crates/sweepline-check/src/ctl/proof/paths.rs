//! Looking for paths through what is recorded.

use std::collections::{HashMap, HashSet, VecDeque};

use sweepline_logic::ctl::Quantifier;

use super::{Prover, Run, Way};
use crate::ctl::arena::Part;
use crate::ctl::edges::SMALL;

/// Longest walk that is tried for a run that never ends.
const LONGEST: usize = 100_000;
/// If much is recorded, a shortest path is looked for among one of so many numbers, which takes a byte for each of all.
const SEARCHED: u32 = 32;

impl Prover<'_> {
    /// How many numbers may be remembered in a search.
    fn most_searched(&self) -> usize {
        let numbers = self.labels.recorder.links().numbers();
        let most = if numbers <= SMALL {
            numbers
        } else {
            numbers / SEARCHED
        };
        most as usize
    }

    /// A shortest path to where a run is done, and the numbers along it.
    pub(super) fn shortest(&self, run: Run, number: u32) -> Option<(Vec<u32>, Vec<u32>)> {
        let most = self.most_searched();
        let mut before: HashMap<u32, (u32, u32)> = HashMap::new();
        let mut todo = VecDeque::from([number]);
        let mut reached = None;
        while let Some(at) = todo.pop_front() {
            if self.is_done(run, at) {
                reached = Some(at);
                break;
            }
            if !self.passes(run, at) {
                continue;
            }
            if before.len() > most {
                self.has_searched(most);
                return None;
            }
            for (ordinal, target) in self.steps(at) {
                if target != number && !before.contains_key(&target) {
                    before.insert(target, (at, ordinal));
                    todo.push_back(target);
                }
            }
        }
        self.has_searched(before.len());
        let mut at = reached?;
        let (mut steps, mut passed) = (Vec::new(), vec![at]);
        while let Some(&(from, ordinal)) = before.get(&at) {
            steps.push(ordinal);
            passed.push(from);
            at = from;
        }
        steps.reverse();
        passed.reverse();
        Some((steps, passed))
    }

    /// A path to where a run is done that mostly leads to larger numbers, from one where the operator holds to the next, and the
    /// numbers along it. Going back from what has no way on is tried too.
    pub(super) fn upwards(
        &self,
        run: Run,
        part: Part,
        number: u32,
    ) -> Option<(Vec<u32>, Vec<u32>)> {
        let truth = run.quantifier == Quantifier::Exists;
        let (mut steps, mut passed) = (Vec::new(), vec![number]);
        let mut seen = HashSet::from([number]);
        while let Some(&at) = passed.last() {
            if self.is_done(run, at) {
                self.has_searched(seen.len());
                return Some((steps, passed));
            }
            let onwards = self.steps(at).filter(|(_, target)| {
                !seen.contains(target) && self.labels.at(part, *target) == Some(truth)
            });
            let next = onwards.max_by_key(|&(_, target)| (self.is_done(run, target), target));
            match next {
                Some((ordinal, target)) if self.passes(run, at) => {
                    seen.insert(target);
                    steps.push(ordinal);
                    passed.push(target);
                }
                _ => {
                    passed.pop();
                    steps.pop();
                }
            }
            if seen.len() > self.most_searched() {
                return None;
            }
        }
        None
    }

    /// A run that stays on its way for ever, or until it ends. The numbers along it end with where the loop closes.
    pub(super) fn stay(&self, run: Run, part: Part, number: u32) -> Option<(Way, Vec<u32>)> {
        let Some(fair) = &self.labels.fair else {
            return self.walk(run, part, number);
        };
        let (way, truth) = match run.quantifier {
            Quantifier::Exists => (run.way, true),
            Quantifier::Forall => (run.goal, false),
        };
        let lasso = fair.run(self.labels.certain(way, truth), number)?;
        let (mut steps, mut passed, mut at) = (Vec::new(), vec![number], number);
        for step in lasso.stem.iter().chain(&lasso.cycle) {
            // Where the run ends, it stays.
            let Some(ordinal) = step.ordinal else {
                return Some((Way::End(steps), passed));
            };
            let ordinal = u32::try_from(ordinal).ok()?;
            let edges = fair.edges();
            at = edges.target(edges.range(at).start + ordinal)?;
            steps.push(ordinal);
            passed.push(at);
        }
        Some((Way::Loop(steps, lasso.stem.len()), passed))
    }

    /// A run that stays on its way for ever, or until it ends: members lead to members. The numbers along it end with where the
    /// loop closes.
    fn walk(&self, run: Run, part: Part, number: u32) -> Option<(Way, Vec<u32>)> {
        let truth = run.quantifier == Quantifier::Exists;
        let (mut steps, mut passed) = (Vec::new(), vec![number]);
        let mut seen = HashMap::from([(number, 0)]);
        let mut at = number;
        while steps.len() < LONGEST {
            if self.is_end(at) {
                return Some((Way::End(steps), passed));
            }
            let mut members = self
                .steps(at)
                .filter(|&(_, target)| self.labels.at(part, target) == Some(truth));
            let (ordinal, target) = members.next()?;
            // Back to where it has been, if that is possible.
            let back = members.find(|(_, target)| seen.contains_key(target));
            let (ordinal, target) = match back {
                Some(back) if !seen.contains_key(&target) => back,
                _ => (ordinal, target),
            };
            steps.push(ordinal);
            passed.push(target);
            if let Some(&start) = seen.get(&target) {
                return Some((Way::Loop(steps, start), passed));
            }
            seen.insert(target, steps.len());
            at = target;
        }
        None
    }
}
