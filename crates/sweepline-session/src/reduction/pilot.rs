//! Whether a reduction pays, found out before the run.

use std::sync::Arc;

use sweepline_core::{Limits, NoProgress};
use sweepline_explore::{LogPlace, Sweep};
use sweepline_reduce::{Aim, Failures, Stubborn, Transitions};

use crate::model::Model;

/// States that are expanded to find out what a reduction is worth.
const TRIAL: u64 = 300;
/// States of a reduced exploration for one question that may not pay.
pub(super) const ATTEMPT: u64 = 10_000;
/// A reduction pays if it keeps fewer steps than this share of them: finding out which takes longer than generating them.
const WORTH: f64 = 0.45;

/// To look at more actions in pairs takes too long if nobody asks for it.
pub(super) const MOST_ACTIONS: usize = 2000;

/// What a trial of a reduction said.
struct Trial {
    /// Whether everything was explored.
    complete: bool,
    /// The share of steps that were kept.
    kept: f64,
}

fn try_out(model: &Model, aim: &Arc<Aim>) -> Trial {
    let system = Stubborn::new(Arc::clone(&model.system), Arc::clone(aim));
    let options = sweepline_explore::Options {
        limits: Limits {
            states: Some(TRIAL),
            ..Limits::default()
        },
        log: LogPlace::Off,
        ..sweepline_explore::Options::default()
    };
    let mut sweep = Sweep::new(&system, NoProgress, options);
    // However it ends, what it has seen by then is a sample.
    let _ = sweep.run(&mut ());
    let complete = sweep.statistics().complete;
    let effort = system.effort();
    #[expect(clippy::cast_precision_loss, reason = "it is a share")]
    let kept = effort.kept as f64 / effort.steps.max(1) as f64;
    Trial { complete, kept }
}

/// Whether it seems to take less time to leave steps out than to explore everything.
pub(super) fn pays(model: &Model, aim: &Arc<Aim>) -> bool {
    let trial = try_out(model, aim);
    trial.complete || trial.kept < WORTH
}

/// The aim that preserves deadlocks, with the better of two ways to keep failures from being missed.
pub(super) fn for_deadlocks(model: &Model, transitions: &Arc<dyn Transitions>) -> Arc<Aim> {
    let aim = |failures| {
        let aim = Aim::deadlocks(Arc::clone(transitions));
        Arc::new(aim.with_failures(failures))
    };
    let pursued = aim(Failures::Pursued);
    if !pursued.has_failures() {
        return pursued;
    }
    let other = aim(Failures::NotIgnored);
    if try_out(model, &other).kept < try_out(model, &pursued).kept {
        other
    } else {
        pursued
    }
}
