//! Whether a reduction pays, found out by trying.

use std::sync::Arc;

use sweepline_core::{AnySystem, Limits, NoProgress};
use sweepline_explore::{LogPlace, Sweep};
use sweepline_reduce::{Aim, Failures, Stubborn, Transitions};

use crate::model::Model;

/// States that are expanded at least to find out what a reduction is worth.
pub(super) const TRIAL: u64 = 300;
/// A reduction pays if it keeps fewer steps than this share of them: finding out which takes longer than generating them.
const WORTH: f64 = 0.45;

/// Taking out actions one by one takes longer than closing small sets, so it must leave fewer steps than this share of theirs.
const DELETION: f64 = 0.8;

/// To look at more actions in pairs takes too long if nobody asks for it.
pub(super) const MOST_ACTIONS: usize = 2000;

/// What a trial of a reduction said.
struct Trial {
    /// Whether everything was explored.
    complete: bool,
    /// The share of steps that were kept.
    kept: f64,
}

/// Bytes that a look at some states may take: a state of a wide net may have more steps than there is memory for.
const MEMORY: usize = 256 << 20;

/// Looks at the first states of a system. Says whether these are all.
fn look_at(system: &dyn AnySystem, states: u64) -> bool {
    let options = sweepline_explore::Options {
        limits: Limits {
            states: Some(states),
            memory: Some(MEMORY),
            ..Limits::default()
        },
        log: LogPlace::Off,
        ..sweepline_explore::Options::default()
    };
    let mut sweep = Sweep::new(system, NoProgress, options);
    // However it ends, what it has seen by then is a sample.
    let _ = sweep.run(&mut ());
    sweep.statistics().complete
}

fn try_out(model: &Model, aim: &Arc<Aim>, states: u64) -> Trial {
    let system = Stubborn::new(Arc::clone(&model.system), Arc::clone(aim));
    let complete = look_at(&system, states);
    let effort = system.effort();
    #[expect(clippy::cast_precision_loss, reason = "it is a share")]
    let kept = effort.kept as f64 / effort.steps.max(1) as f64;
    Trial { complete, kept }
}

/// Whether it seems to take less time to leave steps out than to explore everything, as far as so many states tell.
pub(super) fn pays(model: &Model, aim: &Arc<Aim>, states: u64) -> bool {
    let trial = try_out(model, aim, states);
    trial.complete || trial.kept < WORTH
}

/// The aim that preserves deadlocks and seems to leave the fewest states, where there is time to find out.
pub(super) fn tried_for_deadlocks(model: &Model, transitions: &Arc<dyn Transitions>) -> Arc<Aim> {
    if model.net().is_some() {
        return for_deadlocks(model, transitions, TRIAL);
    }
    Arc::new(Aim::deadlocks_tried_on(
        Arc::clone(transitions),
        &model.system,
    ))
}

/// The aim that preserves deadlocks, with the better of two ways to keep failures from being missed and, for nets, the better of two
/// ways to find sets, as far as so many states tell.
pub(super) fn for_deadlocks(
    model: &Model,
    transitions: &Arc<dyn Transitions>,
    states: u64,
) -> Arc<Aim> {
    let aim = || Aim::deadlocks(Arc::clone(transitions));
    let first = Arc::new(aim());
    let (other, worth) = if first.has_failures() {
        (aim().with_failures(Failures::NotIgnored), 1.0)
    } else if model.net().is_some() {
        (aim().by_deletion(), DELETION)
    } else {
        return first;
    };
    let other = Arc::new(other);
    if try_out(model, &other, states).kept < worth * try_out(model, &first, states).kept {
        other
    } else {
        first
    }
}
