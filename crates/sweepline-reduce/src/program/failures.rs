//! What can go wrong.

use sweepline_program::{Expr, Failing, LocationId, ProcessId, Program, ValueRanges};

use super::conjuncts::{Conjunct, Conjuncts};
use super::footprint::Footprint;
use crate::lists::Lists;
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
}

/// Actions that fail and assertions that do not hold, as far as that cannot be ruled out.
pub(super) fn failures(
    program: &Program,
    ranges: &ValueRanges<'_>,
    conjuncts: &mut Conjuncts<'_>,
    guards: &Lists,
) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (action, id) in program.actions().iter().zip(0..) {
        let Some(failing) = ranges.may_fail(action) else {
            continue;
        };
        let mut known = match failing {
            // It is asked wherever the processes are at their places.
            Failing::Guard => conjuncts.locations_of(action),
            Failing::Effects => guards.get(id).to_vec(),
        };
        conjuncts.list.push(Conjunct::of_failure(program, action));
        let subject = number(conjuncts.list.len() - 1);
        known.push(subject);
        let moves = action.moves.iter();
        failures.push(Failure {
            guards: known,
            subject,
            at: moves.map(|step| (step.process, step.source)).collect(),
            waits: true,
        });
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
            });
        }
    }
    failures
}

impl Failure {
    /// Whether an action can be in the way of this: it changes what goes wrong, or moves a process away.
    pub(super) fn depends_on(
        &self,
        action: &sweepline_program::Action,
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
            || (self.waits && footprint.commits)
            || written.any(|slot| subject.reads.contains(slot))
            || used.any(|channel| subject.channels.contains_key(channel))
    }
}
