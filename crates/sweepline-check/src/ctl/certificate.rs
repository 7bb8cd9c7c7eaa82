//! Certificates: labels are verified node by node, whoever found them [Nam01].
//!
//! Whether a part of a formula is rightly said to be true or false in a state can be seen from the state and its successors, if those are
//! rightly labelled. Only where something must come at last this is not enough, or states could support each other
//! in a circle: that `p U q` is true, or `p W q` false. There every state so labelled has a *rank*, and supports only those of larger rank.
//! Ranks are looked for here, from the labels alone; then all that is claimed is verified with them. A wrong label has no ranks that
//! could justify it, so it does not matter how either was found.
//!
//! Labels that say nothing are not verified: what has not been expanded may be anything. Nor are those of numbers that cannot be
//! reached, which stand for nothing. Steps and values of atoms are not those that labels were computed from: [`revisited`](super::revisited).

use sweepline_core::{Limits, StopReason};
use sweepline_logic::ctl::{Branching, Quantifier};

use super::arena::{Arena, Op, Part};
use super::pace::Pace;
use super::sets::Set;

/// Labels that were verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Certificate {
    /// Parts of the formula.
    pub(crate) parts: usize,
    /// States.
    pub(crate) numbers: u32,
}

/// A label that does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) part: Part,
    pub(crate) number: u32,
}

/// What labels are about.
pub(crate) trait Labelled {
    /// How many numbers there are.
    fn numbers(&self) -> u32;
    /// Where runs start; nothing where that has no number.
    fn initial(&self) -> Vec<Option<u32>>;
    /// Whether all steps of a number are known.
    fn is_expanded(&self, number: u32) -> bool;
    /// The value of something about a single state, if it has one.
    fn state(&self, formula: &Branching, number: u32) -> Option<bool>;
    /// Where its steps lead; nothing where that has no number.
    fn targets(&self, number: u32, out: &mut Vec<Option<u32>>);
}

/// Labels of all parts: at each number true, false, or nothing.
pub(crate) trait Labelling {
    /// What is claimed of a part at a number.
    fn claimed(&self, part: Part, number: u32) -> Option<bool>;
}

/// Verifies all labels.
pub(crate) fn certify(
    arena: &Arena,
    graph: &impl Labelled,
    labels: &impl Labelling,
    limits: &Limits,
) -> Result<Result<Certificate, Flaw>, StopReason> {
    let reached = reached(graph, limits)?;
    for part in 0..arena.len() {
        let mut checking = Checking::new(arena, graph, labels, part, &reached);
        checking.find_ranks(limits)?;
        if let Err(flaw) = checking.verify(limits)? {
            return Ok(Err(flaw));
        }
    }
    Ok(Ok(Certificate {
        parts: arena.len(),
        numbers: u32::try_from(reached.count()).unwrap_or(u32::MAX),
    }))
}

/// All numbers that can be reached.
pub(crate) fn reached(graph: &impl Labelled, limits: &Limits) -> Result<Set, StopReason> {
    let mut reached = Set::filled(graph.numbers(), false);
    let (mut targets, mut waiting, mut pace) = (graph.initial(), Vec::new(), Pace::new(limits));
    loop {
        for number in targets.drain(..).flatten() {
            if !reached.contains(number) {
                reached.set(number, true);
                waiting.push(number);
            }
        }
        let Some(next) = waiting.pop() else {
            return Ok(reached);
        };
        pace.step()?;
        graph.targets(next, &mut targets);
    }
}

/// Has no rank.
const UNRANKED: u32 = u32::MAX;

/// The labels of a part.
pub(crate) struct Checking<'a, G, L> {
    arena: &'a Arena,
    graph: &'a G,
    labels: &'a L,
    part: Part,
    reached: &'a Set,
    /// By number, where ranks are needed.
    pub(crate) ranks: Vec<u32>,
    targets: Vec<Option<u32>>,
}

impl<'a, G: Labelled, L: Labelling> Checking<'a, G, L> {
    pub(crate) fn new(
        arena: &'a Arena,
        graph: &'a G,
        labels: &'a L,
        part: Part,
        reached: &'a Set,
    ) -> Self {
        Self {
            arena,
            graph,
            labels,
            part,
            reached,
            ranks: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// The truth value that needs ranks, if one does.
    fn ranked_truth(&self) -> Option<bool> {
        match self.arena.op(self.part) {
            Op::Until { weak, .. } => Some(!weak),
            _ => None,
        }
    }

    /// Gives ranks to all that need one, as far as they follow from those that have one. Passes go down and up in turn, since most
    /// edges lead to larger numbers.
    pub(crate) fn find_ranks(&mut self, limits: &Limits) -> Result<(), StopReason> {
        let Some(truth) = self.ranked_truth() else {
            return Ok(());
        };
        let numbers = self.graph.numbers();
        self.ranks = vec![UNRANKED; numbers as usize];
        let (mut next, mut found, mut pace) = (0, true, Pace::new(limits));
        let mut down = true;
        while found {
            found = false;
            for at in 0..numbers {
                pace.step()?;
                let number = if down { numbers - 1 - at } else { at };
                let open = self.ranks[number as usize] == UNRANKED
                    && self.reached.contains(number)
                    && self.labels.claimed(self.part, number) == Some(truth);
                if open && self.follows(number, truth) {
                    self.ranks[number as usize] = next;
                    next += 1;
                    found = true;
                }
            }
            down = !down;
        }
        Ok(())
    }

    /// Whether all that is claimed follows.
    pub(crate) fn verify(&mut self, limits: &Limits) -> Result<Result<(), Flaw>, StopReason> {
        let mut pace = Pace::new(limits);
        for number in 0..self.graph.numbers() {
            pace.step()?;
            if self.reached.contains(number)
                && let Some(truth) = self.labels.claimed(self.part, number)
                && !self.follows(number, truth)
            {
                let part = self.part;
                return Ok(Err(Flaw { part, number }));
            }
        }
        Ok(Ok(()))
    }

    /// Whether the part has this truth value at a number if what is claimed of its operands and of the successors is right.
    fn follows(&mut self, number: u32, truth: bool) -> bool {
        let claimed = |part: Part| self.labels.claimed(part, number);
        match self.arena.op(self.part) {
            Op::State(formula) => self.graph.state(formula, number) == Some(truth),
            Op::Not(operand) => claimed(*operand) == Some(!truth),
            Op::And(parts) if truth => parts.iter().all(|&part| claimed(part) == Some(true)),
            Op::And(parts) => parts.iter().any(|&part| claimed(part) == Some(false)),
            Op::Or(parts) if truth => parts.iter().any(|&part| claimed(part) == Some(true)),
            Op::Or(parts) => parts.iter().all(|&part| claimed(part) == Some(false)),
            Op::Iff(a, b) => match (claimed(*a), claimed(*b)) {
                (Some(a), Some(b)) => (a == b) == truth,
                _ => false,
            },
            &Op::Next(quantifier, operand) => {
                let labels = self.labels;
                let some = truth == (quantifier == Quantifier::Exists);
                self.steps(number, some, |target, _| {
                    labels.claimed(operand, target) == Some(truth)
                })
            }
            &Op::Until {
                quantifier,
                weak,
                way,
                goal,
            } => {
                match (truth, claimed(goal), claimed(way)) {
                    (true, Some(true), _) | (false, Some(false), Some(false)) => return true,
                    (true, _, Some(true)) | (false, Some(false), _) => {}
                    _ => return false,
                }
                let (labels, part) = (self.labels, self.part);
                let some = truth == (quantifier == Quantifier::Exists);
                let founded = truth != weak;
                if self.ends(number) {
                    // A run that ends stays on its way, and comes to nothing any more.
                    return !founded;
                }
                self.steps(number, some, |target, ranks| {
                    let supports = !founded || ranks[target as usize] < ranks[number as usize];
                    labels.claimed(part, target) == Some(truth) && supports
                })
            }
        }
    }

    /// Whether nothing is possible at a number.
    fn ends(&mut self, number: u32) -> bool {
        self.targets.clear();
        self.graph.targets(number, &mut self.targets);
        self.graph.is_expanded(number) && self.targets.is_empty()
    }

    /// Whether some step of a number leads to where something is so, or all steps do. That all do is not known if some are not.
    fn steps(&mut self, number: u32, some: bool, holds: impl Fn(u32, &[u32]) -> bool) -> bool {
        if !self.graph.is_expanded(number) {
            return false;
        }
        self.targets.clear();
        self.graph.targets(number, &mut self.targets);
        let holds = |target: &Option<u32>| target.is_some_and(|target| holds(target, &self.ranks));
        if some {
            self.targets.iter().any(holds)
        } else {
            self.targets.iter().all(holds)
        }
    }
}
