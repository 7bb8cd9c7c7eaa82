//! What can go wrong.

use sweepline_core::StopReason;
use sweepline_program::{Action, Expr, Failing, LocationId, ProcessId, Program, ValueRanges};

use super::at_locations::Given;
use super::causes::causes;
use super::conjuncts::{Conjunct, Conjuncts};
use super::footprint::Footprint;
use super::instances::Instance;
use crate::lists::Lists;
use crate::pace::Pace;
use crate::tables::number;

/// Something that can go wrong, as an action: wherever it is enabled, the exploration ends.
pub(super) struct Failure {
    /// When it is enabled.
    pub(super) guards: Vec<u32>,
    /// The conjunct that is about what goes wrong.
    subject: u32,
    /// Where processes are then.
    at: Vec<(ProcessId, LocationId)>,
    /// Whether it has to wait while others are in committed locations.
    waits: bool,
    /// Whether all its conjuncts can be asked.
    pub(super) told: bool,
}

/// Actions that fail and assertions that do not hold, as far as that cannot be ruled out.
pub(super) fn failures(
    program: &Program,
    ranges: &ValueRanges<'_>,
    conjuncts: &mut Conjuncts<'_>,
    guards: &Lists,
    instances: &[Instance],
    pace: &Pace<'_>,
) -> Result<Vec<Failure>, StopReason> {
    let mut failures = Vec::new();
    let mut by_guard = Vec::new();
    for action in program.actions() {
        pace.spend()?;
        let failing = ranges.may_fail(action);
        by_guard.push(failing == Some(Failing::Guard));
        if failing == Some(Failing::Guard) {
            // It is asked wherever the processes are at their places.
            let known = conjuncts.locations_of(action);
            failures.push(Failure::of_action(program, conjuncts, action, known));
        }
    }
    for (instance, id) in instances.iter().zip(0..) {
        pace.spend()?;
        let action = &instance.action;
        // If the guard can fail, whatever the action does is looked at together with it.
        if !by_guard[instance.origin as usize] && ranges.may_fail(action).is_some() {
            let known = guards.get(id).to_vec();
            match causes(program, ranges, action) {
                Some(causes) => failures.extend(causes.into_iter().map(|cause| {
                    let subject = conjuncts.number(cause);
                    Failure::told(action, subject, known.clone())
                })),
                None => failures.push(Failure::of_action(program, conjuncts, action, known)),
            }
        }
    }
    for (process, location, assertion) in program.assertions() {
        if ranges.may_violate(process, location, assertion) {
            let at = conjuncts.number(Expr::At(process, location));
            let violated = conjuncts.number(assertion.condition.clone().negated());
            failures.push(Failure {
                guards: vec![at, violated],
                subject: violated,
                at: vec![(process, location)],
                waits: false,
                told: true,
            });
        }
    }
    possible(failures, conjuncts, program, instances, pace)
}

/// Leaves out failures that cannot happen: while a process is where it would have to be, some slot has no value for it.
fn possible(
    failures: Vec<Failure>,
    conjuncts: &Conjuncts<'_>,
    program: &Program,
    instances: &[Instance],
    pace: &Pace<'_>,
) -> Result<Vec<Failure>, StopReason> {
    if !failures.iter().any(|it| it.told) {
        return Ok(failures); // nothing could be said
    }
    let mut given = Given::new(program, instances.iter().map(|it| &it.action), pace)?;
    let mut kept = Vec::new();
    for failure in failures {
        let asked = failure.guards.iter();
        let asked = asked.map(|it| &conjuncts.list[*it as usize].expr);
        let asked: Vec<&Expr> = asked.filter(|it| !matches!(it, Expr::At(..))).collect();
        let mut impossible = false;
        for (process, location) in failure.at.iter().filter(|_| failure.told) {
            impossible = impossible || given.is_impossible(*process, *location, &asked, pace)?;
        }
        if !impossible {
            kept.push(failure);
        }
    }
    Ok(kept)
}

impl Failure {
    /// That an action fails where some conjuncts hold.
    fn of_action(
        program: &Program,
        conjuncts: &mut Conjuncts<'_>,
        action: &Action,
        mut known: Vec<u32>,
    ) -> Self {
        conjuncts.list.push(Conjunct::of_failure(program, action));
        let subject = number(conjuncts.list.len() - 1);
        known.push(subject);
        Self {
            told: false,
            ..Self::told(action, subject, known)
        }
    }

    /// That an action fails where some conjuncts hold and one more, which tells what goes wrong.
    fn told(action: &Action, subject: u32, mut known: Vec<u32>) -> Self {
        if known.last() != Some(&subject) {
            known.push(subject);
        }
        let moves = action.moves.iter();
        Self {
            guards: known,
            subject,
            at: moves.map(|step| (step.process, step.source)).collect(),
            waits: true,
            told: true,
        }
    }

    /// Whether an action can be enabled where this is, as far as locations tell.
    pub(super) fn meets(&self, action: &Action) -> bool {
        let mut moves = action.moves.iter();
        moves.all(|step| {
            let mut at = self.at.iter();
            at.all(|(process, location)| step.process != *process || step.source == *location)
        })
    }

    /// Whether an action that commits holds it up.
    pub(super) fn is_held_up_by(&self, footprint: &Footprint) -> bool {
        self.waits && footprint.commits
    }

    /// Whether an action can be in the way of this: it changes what goes wrong, or moves a process away.
    pub(super) fn depends_on(
        &self,
        action: &Action,
        footprint: &Footprint,
        conjuncts: &[Conjunct],
    ) -> bool {
        let subject = &conjuncts[self.subject as usize];
        let step_of = |process| action.moves.iter().find(|step| step.process == process);
        let mut involved = false;
        for &(process, location) in &self.at {
            match step_of(process) {
                Some(step) if step.source != location => return false,
                Some(_) => involved = true,
                None => {}
            }
        }
        let mut written = footprint.writes.keys();
        let mut used = footprint.traffic.keys();
        involved
            || self.is_held_up_by(footprint)
            || written.any(|slot| subject.reads.contains(slot))
            || used.any(|channel| subject.channels.contains_key(channel))
    }
}
