//! Sums that change by constants: keys need not be computed anew.

use std::sync::{Arc, OnceLock};

use sweepline_program::{Program, ValueRanges};

use super::Term;
use super::case::{Case, cases};

/// A program and what its actions do, worked out once, when that is first asked for.
#[derive(Debug)]
pub struct Behaviour {
    program: Arc<Program>,
    cases: OnceLock<Vec<Case>>,
}

impl Behaviour {
    /// The behaviour of a program.
    pub fn new(program: Arc<Program>) -> Self {
        Self {
            program,
            cases: OnceLock::new(),
        }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub(super) fn cases(&self) -> &[Case] {
        let all = || cases(&self.program, &ValueRanges::new(&self.program));
        self.cases.get_or_init(all)
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
