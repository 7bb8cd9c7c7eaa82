//! Questions about the runs from each state, and what is known of them.

use std::sync::Arc;

use sweepline_core::StopReason;
use sweepline_logic::ctl::Ctl;

use super::arena::{Arena, Op, Part};
use super::labels::Labels;
use crate::ltl::{Allowance, Recorder};
use crate::question::{Test, Truth};

/// Do all initial states satisfy a formula of branching time? Runs are maximal: infinite, or ending where nothing is possible.
#[derive(Clone, Debug)]
pub struct Branches {
    /// The formula.
    pub ctl: Arc<Ctl>,
    /// Its atoms, bound to the system, in the same order.
    pub atoms: Vec<Test>,
    /// The same as a question about reachable states, if it is one where there is a single initial state.
    pub reachability: Option<Truth>,
}

/// What is known of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchStatus {
    /// It is true or false.
    Decided(bool),
    /// Nothing is known yet. This part of it is not decided in an initial state.
    Open(String),
    /// Nothing is known, because an atom has no value in a state that was reached.
    Undefined(String),
}

impl BranchStatus {
    /// Whether the answer is known.
    pub fn is_decided(&self) -> bool {
        matches!(self, Self::Decided(_))
    }
}

/// A formula whose atoms are among those that are recorded.
#[derive(Clone, Debug)]
pub(crate) struct BranchClaim {
    ctl: Arc<Ctl>,
    /// Which of the recorded atoms each of its atoms is.
    places: Vec<usize>,
    arena: Arena,
    root: Part,
}

/// What came out.
pub(crate) struct Labelled {
    pub(crate) status: BranchStatus,
    /// There was no room to find out.
    pub(crate) too_large: bool,
}

impl BranchClaim {
    pub(crate) fn new(ctl: Arc<Ctl>, places: Vec<usize>) -> Self {
        let (arena, root) = Arena::of(&ctl.formula);
        Self {
            ctl,
            places,
            arena,
            root,
        }
    }

    /// Whether it asks for this one of the recorded atoms.
    pub(crate) fn asks(&self, place: usize) -> bool {
        self.places.contains(&place)
    }

    /// Nothing has been looked at yet.
    pub(crate) fn open(&self) -> BranchStatus {
        BranchStatus::Open(self.ctl.to_string())
    }

    /// Decides the formula on what is recorded, as far as possible.
    pub(crate) fn decide(
        &self,
        recorder: &Recorder,
        allowance: &Allowance<'_>,
    ) -> Result<Labelled, StopReason> {
        let allowance = Allowance {
            bytes: allowance.bytes,
            limits: allowance.limits,
        };
        let Ok(labels) = Labels::of(&self.arena, &self.places, recorder, &allowance)? else {
            return Ok(Labelled {
                status: self.open(),
                too_large: true,
            });
        };
        let status = match labels.initially(self.root) {
            Some(truth) => BranchStatus::Decided(truth),
            None => match self.undefined(recorder) {
                Some(why) => BranchStatus::Undefined(why),
                None => {
                    let part = self.undecided(&labels, self.root);
                    let written = self.ctl.shown(self.arena.written(part));
                    BranchStatus::Open(written.to_string())
                }
            },
        };
        Ok(Labelled {
            status,
            too_large: false,
        })
    }

    /// Why an atom of it has no value somewhere.
    fn undefined(&self, recorder: &Recorder) -> Option<String> {
        let all = recorder.undefined().values().flatten();
        let mut asked = all.filter(|one| self.asks(one.atom));
        asked.next().map(|one| one.why.clone())
    }

    /// The part of a part that is not decided in an initial state, below all that is no temporal operator.
    fn undecided(&self, labels: &Labels<'_>, part: Part) -> Part {
        let operands = match self.arena.op(part) {
            Op::Not(operand) => vec![*operand],
            Op::And(operands) | Op::Or(operands) => operands.clone(),
            Op::Iff(a, b) => vec![*a, *b],
            Op::State(_) | Op::Next(..) | Op::Until { .. } => return part,
        };
        let open = |operand: &Part| labels.initially(*operand).is_none();
        let below = operands.into_iter().find(open);
        below.map_or(part, |below| self.undecided(labels, below))
    }
}
