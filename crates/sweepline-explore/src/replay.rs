//! Turns what the log knows into a path of the model. Nothing else makes traces.

use sweepline_core::{ActionId, Steps, System, Trace, TraceStep, Word};

use crate::log::Path;

/// A path cannot be followed in the system. This is a bug of ours, or a system that is not deterministic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the trace cannot be replayed: {what} at step {at}")]
pub struct ReplayError {
    what: &'static str,
    at: usize,
}

/// Follows a path through the system, regenerating its states.
pub fn replay<S: System + ?Sized>(system: &S, path: &Path) -> Result<Trace, ReplayError> {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    if path.initial >= steps.len() {
        return Err(ReplayError {
            what: "no such initial state",
            at: 0,
        });
    }
    let mut trace = Trace {
        initial: steps.target(path.initial).into(),
        steps: Vec::new(),
        loop_start: None,
    };
    for (at, &ordinal) in path.steps.iter().enumerate() {
        steps.clear();
        system.successors(trace.last(), &mut steps);
        if ordinal >= steps.len() {
            return Err(ReplayError {
                what: "no such step",
                at: at + 1,
            });
        }
        let (action, state) = (steps.actions()[ordinal], steps.target(ordinal).into());
        trace.steps.push(TraceStep {
            ordinal,
            action,
            state,
        });
    }
    Ok(trace)
}

/// Maps a trace of an adapted system to one of the system it adapts: `project` cuts a state of the former down to
/// one of the latter. Every step is looked up in the inner system again.
pub fn replay_projected<S: System + ?Sized>(
    inner: &S,
    trace: &Trace,
    project: impl Fn(&[Word]) -> &[Word],
) -> Result<Trace, ReplayError> {
    let mut steps = Steps::for_layout(inner.layout());
    inner.initial(&mut steps);
    let initial: Box<[Word]> = project(&trace.initial).into();
    if !(0..steps.len()).any(|index| *steps.target(index) == *initial) {
        return Err(ReplayError {
            what: "no such initial state",
            at: 0,
        });
    }
    let mut projected = Trace {
        initial,
        steps: Vec::new(),
        loop_start: trace.loop_start,
    };
    for (at, step) in trace.steps.iter().enumerate() {
        let target = project(&step.state);
        steps.clear();
        inner.successors(projected.last(), &mut steps);
        let ordinal = position_of(&steps, step.action, target).ok_or(ReplayError {
            what: "no such step",
            at: at + 1,
        })?;
        projected.steps.push(TraceStep {
            ordinal,
            action: step.action,
            state: target.into(),
        });
    }
    Ok(projected)
}

fn position_of(steps: &Steps, action: ActionId, target: &[Word]) -> Option<usize> {
    (0..steps.len())
        .find(|&index| steps.actions()[index] == action && steps.target(index) == target)
}
