//! Paths through a system.

use crate::{ActionId, Word};

/// A path from an initial state. Only replay makes one, so every trace is a path of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The state it starts in.
    pub initial: Box<[Word]>,
    /// Its steps in order.
    pub steps: Vec<TraceStep>,
    /// For an infinite path: how many steps come before the part that repeats for ever. If these are all, the run is finite,
    /// and stays in its last state.
    pub loop_start: Option<usize>,
}

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// Position of the step among those leaving its source.
    pub ordinal: usize,
    /// The action taken.
    pub action: ActionId,
    /// The state it leads to.
    pub state: Box<[Word]>,
}

impl Trace {
    /// The state the trace ends in.
    pub fn last(&self) -> &[Word] {
        self.steps.last().map_or(&self.initial, |step| &step.state)
    }

    /// Every state with the step that leaves it.
    pub fn moves(&self) -> impl Iterator<Item = (&[Word], &TraceStep)> {
        let sources =
            std::iter::once(&*self.initial).chain(self.steps.iter().map(|step| &*step.state));
        sources.zip(&self.steps)
    }
}
