//! Turns what the log knows into a path of the model. Nothing else makes traces.

use sweepline_core::{ActionId, Limits, Steps, StopReason, System, Trace, TraceStep, Word};

use crate::log::Path;

/// Why there is no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// A path cannot be followed in the system. This is a bug of ours, or a system that is not deterministic.
    #[error("the trace cannot be replayed: {what} at step {at}")]
    Wrong {
        /// What is not as it should be.
        what: &'static str,
        /// After so many steps.
        at: usize,
    },
    /// There was no time to follow it to its end.
    #[error("the trace was not replayed to its end: {0}")]
    Stopped(StopReason),
}

/// A look at limits now and then. Whoever takes few steps is never stopped: what was found when the time was over is to be shown.
#[derive(Debug)]
pub struct Patience<'l> {
    limits: &'l Limits,
    steps: u32,
}

/// Steps between two looks.
const BETWEEN: u32 = 1 << 16;

impl<'l> Patience<'l> {
    /// Nothing has been done yet.
    pub fn new(limits: &'l Limits) -> Self {
        Self { limits, steps: 0 }
    }

    /// A step more.
    pub fn step(&mut self) -> Result<(), StopReason> {
        self.steps += 1;
        if self.steps < BETWEEN {
            return Ok(());
        }
        self.steps = 0;
        // Memory is no matter of traces.
        self.limits.allow(0)
    }
}

/// Follows a path through the system, regenerating its states.
pub fn replay<S: System + ?Sized>(system: &S, path: &Path) -> Result<Trace, ReplayError> {
    replay_within(system, path, &Limits::default())
}

/// The same unless it takes too long.
pub fn replay_within<S: System + ?Sized>(
    system: &S,
    path: &Path,
    limits: &Limits,
) -> Result<Trace, ReplayError> {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    if path.initial >= steps.len() {
        return Err(ReplayError::Wrong {
            what: "no such initial state",
            at: 0,
        });
    }
    let initial = steps.target(path.initial);
    let patience = &mut Patience::new(limits);
    replay_from(system, initial, &path.steps, path.loop_start, patience)
}

/// Follows steps, given by their ordinals, from a state on.
pub fn replay_from<S: System + ?Sized>(
    system: &S,
    state: &[Word],
    ordinals: &[usize],
    loop_start: Option<usize>,
    patience: &mut Patience<'_>,
) -> Result<Trace, ReplayError> {
    let mut steps = Steps::for_layout(system.layout());
    let mut trace = Trace {
        initial: state.into(),
        steps: Vec::new(),
        loop_start,
    };
    for (at, &ordinal) in ordinals.iter().enumerate() {
        patience.step().map_err(ReplayError::Stopped)?;
        steps.clear();
        system.successors(trace.last(), &mut steps);
        if ordinal >= steps.len() {
            return Err(ReplayError::Wrong {
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
    closed(system, trace)
}

/// The trace, if the part of it that repeats leads back to where it starts. Nothing repeats only at the end of a finite run,
/// which stays in its last state for ever.
fn closed<S: System + ?Sized>(system: &S, trace: Trace) -> Result<Trace, ReplayError> {
    let Some(start) = trace.loop_start else {
        return Ok(trace);
    };
    let at = trace.steps.len();
    if start == at {
        let mut steps = Steps::for_layout(system.layout());
        system.successors(trace.last(), &mut steps);
        if steps.is_empty() && steps.fault().is_none() {
            return Ok(trace);
        }
    }
    let entry = match start.checked_sub(1) {
        None => Some(&trace.initial),
        Some(before) => trace.steps.get(before).map(|step| &step.state),
    };
    if start < at && entry.is_some_and(|entry| **entry == *trace.last()) {
        return Ok(trace);
    }
    Err(ReplayError::Wrong {
        what: "the loop does not close",
        at,
    })
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
        return Err(ReplayError::Wrong {
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
        let ordinal = position_of(&steps, step.action, target).ok_or(ReplayError::Wrong {
            what: "no such step",
            at: at + 1,
        })?;
        projected.steps.push(TraceStep {
            ordinal,
            action: step.action,
            state: target.into(),
        });
    }
    closed(inner, projected)
}

fn position_of(steps: &Steps, action: ActionId, target: &[Word]) -> Option<usize> {
    (0..steps.len())
        .find(|&index| steps.actions()[index] == action && steps.target(index) == target)
}

#[cfg(test)]
mod tests {
    use sweepline_core::{Layout, Records};

    use super::*;

    /// A counter from 0 to 4 that goes back to 2 from 4, or up to 9, where it ends.
    struct Counter(Layout);

    impl System for Counter {
        fn layout(&self) -> &Layout {
            &self.0
        }
        fn initial(&self, out: &mut Steps) {
            out.push(ActionId(0), &[0]);
        }
        fn successors(&self, state: &[Word], out: &mut Steps) {
            match state[0] {
                4 => {
                    out.push(ActionId(1), &[2]);
                    out.push(ActionId(1), &[9]);
                }
                9 => {}
                number => out.push(ActionId(0), &[number + 1]),
            }
        }
    }

    fn run(before: usize, repeated: usize) -> Result<Trace, ReplayError> {
        let path = Path {
            initial: 0,
            steps: vec![0; before],
            loop_start: None,
        };
        let system = Counter(Layout::opaque(Records::Fixed(1)));
        let trace = replay(&system, &path.repeating(vec![0; repeated]))?;
        let projected = replay_projected(&system, &trace, |state| state)?;
        assert_eq!(projected, trace);
        Ok(trace)
    }

    #[test]
    fn a_finite_run_stays_in_its_last_state() {
        let system = Counter(Layout::opaque(Records::Fixed(1)));
        let path = Path {
            initial: 0,
            steps: vec![0, 0, 0, 0, 1],
            loop_start: Some(5),
        };
        let trace = replay(&system, &path).unwrap();
        assert_eq!((trace.last(), trace.loop_start), (&[9][..], Some(5)));
        assert_eq!(replay_projected(&system, &trace, |state| state), Ok(trace));
    }

    /// A few steps are followed although the time is over, but not many.
    #[test]
    fn long_paths_are_followed_within_limits() {
        let system = Counter(Layout::opaque(Records::Fixed(1)));
        let limits = Limits::default();
        limits.cancel.cancel();
        let follow = |steps: usize| {
            let path = Path {
                initial: 0,
                steps: vec![0; steps],
                loop_start: None,
            };
            replay_within(&system, &path, &limits).map(|trace| trace.steps.len())
        };
        assert_eq!(follow(1000), Ok(1000));
        let stopped = ReplayError::Stopped(StopReason::Interrupted);
        assert_eq!(follow(1_000_000), Err(stopped));
    }

    #[test]
    fn a_loop_leads_back_to_where_it_starts() {
        let trace = run(2, 3).unwrap();
        assert_eq!((trace.loop_start, trace.last()), (Some(2), &[2][..]));
        assert_eq!(run(3, 6).unwrap().last(), [3]);
        for (before, repeated) in [(2, 2), (1, 3), (0, 5), (2, 0)] {
            let error = run(before, repeated).unwrap_err().to_string();
            assert!(error.contains("the loop does not close"), "{error}");
        }
    }
}
