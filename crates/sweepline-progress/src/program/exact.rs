//! Sums that change by constants: keys need not be computed anew.

use std::sync::{Arc, OnceLock};

use sweepline_core::SlotId;
use sweepline_program::{Program, ValueRanges};

use super::Term;
use super::case::{Case, cases};
use super::work::Work;

/// A program and what its actions do, worked out once, when that is first asked for.
#[derive(Debug)]
pub struct Behaviour {
    program: Arc<Program>,
    known: OnceLock<Known>,
}

/// Programs with more slots, such as cells of channels, are too large to be looked into.
const MOST_SLOTS: usize = 1 << 12;

#[derive(Debug)]
struct Known {
    /// The greatest value of each slot.
    greatest: Vec<i64>,
    cases: Vec<Case>,
}

impl Known {
    /// What is known of a program, if finding that out takes so much work at most.
    fn within(program: &Program, most: u64) -> Option<Self> {
        let mut work = Work::new(program, most)?;
        let ranges = ValueRanges::new(program);
        let slots = (0..).map(SlotId).zip(program.slots());
        Some(Self {
            greatest: slots.map(|(slot, _)| ranges.of(slot).1).collect(),
            cases: cases(program, &ranges, &mut work)?,
        })
    }
}

impl Behaviour {
    /// The behaviour of a program.
    pub fn new(program: Arc<Program>) -> Self {
        Self {
            program,
            known: OnceLock::new(),
        }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Whether the program is small enough to be looked into: what its actions do to each slot is compared slot by slot.
    pub fn can_be_known(&self) -> bool {
        self.program.slots().len() <= MOST_SLOTS
    }

    /// Looks into the program if that takes so much work at most, in about nanoseconds. Says whether it is known now.
    pub(crate) fn look_into(&self, most: u64) -> bool {
        if self.known.get().is_none() {
            let Some(known) = Known::within(&self.program, most) else {
                return false;
            };
            // Others may have been quicker, and know the same.
            let _ = self.known.set(known);
        }
        true
    }

    fn known(&self) -> &Known {
        let all = || Known::within(&self.program, u64::MAX).expect("there is no limit");
        self.known.get_or_init(all)
    }

    /// What the actions of the program can do.
    pub(super) fn cases(&self) -> &[Case] {
        &self.known().cases
    }

    /// The greatest value of a slot.
    pub(super) fn greatest(&self, slot: SlotId) -> i64 {
        self.known().greatest[slot.0 as usize]
    }

    /// By how much each action changes a sum, where that is always the same.
    pub fn constant_changes(&self, sum: &[Term]) -> Vec<Option<i128>> {
        let negated: Vec<Term> = sum.iter().map(negated).collect();
        let mut changes: Vec<Option<Option<i128>>> = vec![None; self.program.actions().len()];
        for case in self.cases() {
            let (least, most) = (case.least(sum), case.least(&negated).map(|least| -least));
            let exact = least.filter(|_| least == most);
            let known = &mut changes[case.action];
            *known = Some(match *known {
                None => exact,
                Some(before) => before.filter(|_| before == exact),
            });
        }
        // Actions without a case never happen.
        changes.into_iter().map(Option::flatten).collect()
    }
}

fn negated(term: &Term) -> Term {
    match term {
        Term::Slot { slot, weight } => Term::Slot {
            slot: *slot,
            weight: -weight,
        },
        Term::Table { slot, values } => Term::Table {
            slot: *slot,
            values: values.iter().map(|value| -value).collect(),
        },
    }
}
