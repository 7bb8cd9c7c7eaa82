//! Sums that change by constants: keys need not be computed anew.

use sweepline_program::{Program, ValueRanges};

use super::Term;
use super::case::{Case, cases};

/// What the actions of a program do, worked out once.
#[derive(Debug)]
pub struct Behaviour {
    actions: usize,
    cases: Vec<Case>,
}

impl Behaviour {
    /// Works out what actions do.
    pub fn new(program: &Program) -> Self {
        Self {
            actions: program.actions().len(),
            cases: cases(program, &ValueRanges::new(program)),
        }
    }

    /// By how much each action changes a sum, where that is always the same.
    pub fn constant_changes(&self, sum: &[Term]) -> Vec<Option<i128>> {
        let negated: Vec<Term> = sum.iter().map(negated).collect();
        let mut changes: Vec<Option<Option<i128>>> = vec![None; self.actions];
        for case in &self.cases {
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
