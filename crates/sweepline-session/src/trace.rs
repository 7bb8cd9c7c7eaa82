//! Evidence: paths of the model, and how they are shown.

use std::fmt;
use std::sync::Arc;

use sweepline_core::{AnySystem, Describe, Trace};

/// A path of the unadapted system that shows a verdict, and the system in the encoding the path is in.
#[derive(Clone)]
pub struct Evidence {
    /// The path, replayed.
    pub trace: Trace,
    /// The system.
    pub system: Arc<dyn AnySystem>,
}

impl Evidence {
    /// The path in words.
    pub fn shown(&self) -> ShownTrace {
        ShownTrace::new(&self.trace, &self.system)
    }
}

impl fmt::Debug for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.trace.fmt(f)
    }
}

/// A trace in words.
#[derive(Clone, Debug)]
pub struct ShownTrace {
    /// Every slot and its value at the start.
    pub initial: Vec<(String, String)>,
    /// The steps.
    pub steps: Vec<ShownStep>,
    /// Where the last state goes on, if the path goes round in a circle.
    pub loop_start: Option<usize>,
}

/// A step in words.
#[derive(Clone, Debug)]
pub struct ShownStep {
    /// What happens.
    pub action: String,
    /// Every value after the step.
    pub state: Vec<(String, String)>,
    /// Which of them the step changed.
    pub changed: Vec<bool>,
}

impl ShownTrace {
    /// Puts a path of a system into words.
    pub fn new(trace: &Trace, system: &dyn Describe) -> Self {
        let initial = system.show(&trace.initial);
        let mut before = initial.clone();
        let mut steps = Vec::with_capacity(trace.steps.len());
        for (source, step) in trace.moves() {
            let state = system.show(&step.state);
            let changed = state
                .iter()
                .enumerate()
                .map(|(index, value)| before.get(index) != Some(value))
                .collect();
            let action = system.step_name(source, step.ordinal, step.action);
            before.clone_from(&state);
            steps.push(ShownStep {
                action,
                state,
                changed,
            });
        }
        Self {
            initial,
            steps,
            loop_start: trace.loop_start,
        }
    }
}

impl ShownStep {
    /// The values the step changed.
    pub fn changes(&self) -> impl Iterator<Item = &(String, String)> {
        self.state
            .iter()
            .zip(&self.changed)
            .filter(|(_, changed)| **changed)
            .map(|(value, _)| value)
    }
}
