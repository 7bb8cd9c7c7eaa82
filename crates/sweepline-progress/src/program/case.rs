//! What an action can do, case by case.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::SlotId;
use sweepline_program::{Program, ValueRanges};

use super::invariant::invariants;
use super::run::Run;
use super::work::Work;
use super::{Coordinate, Term};

/// One of the ways an action changes the state. Several slots may change by multiples of the same unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Case {
    /// The action.
    pub(super) action: usize,
    /// Processes that change their location.
    pub(super) moves: Vec<Step>,
    /// The least and the greatest value of each unknown, if it has one of a reasonable size.
    pub(super) unknowns: Vec<(Option<i64>, Option<i64>)>,
    /// What changes by how much.
    pub(super) changes: BTreeMap<SlotId, Change>,
    /// Slots whose values before and after are known, counted from the least of their types.
    pub(super) jumps: Vec<Step>,
    /// What changes in a way that is not understood.
    pub(super) wild: BTreeSet<SlotId>,
}

/// How a slot goes from one value to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The slot; of a process, that of its location.
    pub(super) slot: SlotId,
    pub(super) source: usize,
    pub(super) target: usize,
}

/// A small number plus, maybe, a small multiple of an unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) constant: i128,
    /// The unknown and its factor.
    pub(super) unknown: Option<(usize, i128)>,
}

/// The cases of all actions that can fire, unless it takes too much work to find them.
pub(super) fn cases(
    program: &Program,
    ranges: &ValueRanges<'_>,
    work: &mut Work,
) -> Option<Vec<Case>> {
    let invariants = invariants(program, ranges, work)?;
    let mut cases: Vec<Case> = Vec::new();
    for (id, action) in program.actions().iter().enumerate() {
        let first = cases.len();
        let runs = Run::all(program, action, ranges, &invariants);
        work.followed(action, runs.len())?;
        for run in runs {
            let case = run.case(id, action);
            if !cases[first..].contains(&case) {
                cases.push(case);
            }
        }
    }
    while prune(program, &mut cases) {}
    Some(cases)
}

/// Leaves out cases that need a value which a slot never gets. Says whether there were any.
///
/// An interval may contain values that are never stored. Where all jumps of a slot are known, so are its values.
fn prune(program: &Program, cases: &mut Vec<Case>) -> bool {
    let before = cases.len();
    let changed = cases.iter().flat_map(|case| case.changes.keys());
    for slot in changed.copied().collect::<BTreeSet<_>>() {
        if cases.iter().all(|case| case.is_known(slot)) {
            let reached = reached(program, slot, cases);
            let jump = |case: &Case| case.jumps.iter().find(|jump| jump.slot == slot).copied();
            cases.retain(|case| jump(case).is_none_or(|jump| reached.contains(&jump.source)));
        }
    }
    cases.len() < before
}

/// The values of a slot whose jumps are known.
fn reached(program: &Program, slot: SlotId, cases: &[Case]) -> BTreeSet<usize> {
    let declared = program.slot(slot);
    let first = i128::from(declared.initial) - i128::from(declared.kind.least);
    let mut reached: BTreeSet<usize> = usize::try_from(first).into_iter().collect();
    let jumps = cases.iter().flat_map(|case| &case.jumps);
    let jumps: Vec<_> = jumps.filter(|jump| jump.slot == slot).collect();
    let mut grown = true;
    while grown {
        let count = reached.len();
        for jump in &jumps {
            if reached.contains(&jump.source) {
                reached.insert(jump.target);
            }
        }
        grown = reached.len() > count;
    }
    reached
}

impl Case {
    /// Whether the values of a slot before and after are known, or it does not change.
    pub(super) fn is_known(&self, slot: SlotId) -> bool {
        let changes = self.changes.contains_key(&slot) || self.wild.contains(&slot);
        !changes || self.jumps.iter().any(|jump| jump.slot == slot)
    }

    /// By how much a slot changes at least and at most; nothing where there is no limit.
    pub(super) fn change(&self, slot: SlotId) -> (Option<i128>, Option<i128>) {
        let weighted = |weight: i64| self.least(&[Term::Slot { slot, weight }]);
        (weighted(1), weighted(-1).map(|least| -least))
    }

    /// By how much a sum changes at least; nothing if there is no limit or numbers become too large.
    pub(super) fn least(&self, sum: &[Term]) -> Option<i128> {
        let mut constant: i128 = 0;
        let mut factors = vec![0_i128; self.unknowns.len()];
        for term in sum {
            match term {
                Term::Table { slot, values } => {
                    constant = constant.checked_add(self.moved(*slot, values)?)?;
                }
                Term::Slot { slot, .. } if self.wild.contains(slot) => return None,
                Term::Slot { slot, weight } => {
                    let change = self.changes.get(slot).copied().unwrap_or_default();
                    let weight = i128::from(*weight);
                    let own = change.constant.checked_add(self.distance(*slot))?;
                    constant = constant.checked_add(own.checked_mul(weight)?)?;
                    if let Some((unknown, factor)) = change.unknown {
                        let more = factor.checked_mul(weight)?;
                        factors[unknown] = factors[unknown].checked_add(more)?;
                    }
                }
            }
        }
        let ends = factors.iter().zip(&self.unknowns);
        ends.filter(|(factor, _)| **factor != 0).try_fold(
            constant,
            |sum, (factor, (least, greatest))| {
                let end = if *factor > 0 { *least } else { *greatest };
                sum.checked_add(factor.checked_mul(end?.into())?)
            },
        )
    }

    /// By how much the location of a process changes as a number.
    fn distance(&self, slot: SlotId) -> i128 {
        let step = self.moves.iter().find(|step| step.slot == slot);
        step.map_or(0, |step| step.target as i128 - step.source as i128)
    }

    /// By how much a table of values changes, if that is known.
    fn moved(&self, slot: SlotId, values: &[i64]) -> Option<i128> {
        let mut steps = self.moves.iter().chain(&self.jumps);
        let Some(step) = steps.find(|step| step.slot == slot) else {
            return self.is_known(slot).then_some(0);
        };
        let value = |index: usize| Some(i128::from(*values.get(index)?));
        Some(value(step.target)? - value(step.source)?)
    }
}

/// Whether no action lowers a coordinate: the check that everything must pass before it is returned.
pub(super) fn is_monotone(coordinate: &Coordinate, cases: &[Case]) -> bool {
    let least = |case: &Case| case.least(&coordinate.terms);
    cases
        .iter()
        .all(|case| least(case).is_some_and(|least| least >= 0))
}
