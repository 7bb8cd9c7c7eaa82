//! Paths of typed states and actions.

use std::fmt;

use sweepline_core::{Describe, Trace, Word};
use sweepline_model::Model;
use sweepline_session::ShownTrace;

use super::boundary::Bounded;
use super::difference;

/// A path through the model.
pub struct TypedTrace<'a, M: Model> {
    trace: &'a Trace,
    system: &'a Bounded<M>,
}

/// A step of a path.
#[non_exhaustive]
pub struct TypedStep<M: Model> {
    /// What happens.
    pub action: M::Action,
    /// The state it leads to.
    pub state: M::State,
    /// The fields that it changes, with their new values as people see them.
    pub changes: Vec<(String, String)>,
}

impl<'a, M: Model> TypedTrace<'a, M> {
    pub(crate) fn new(trace: &'a Trace, system: &'a Bounded<M>) -> Self {
        Self { trace, system }
    }

    /// Every state on the path, the initial one first.
    pub fn states(&self) -> Vec<M::State> {
        let decode = |state: &[Word]| self.system.typed().decode(state);
        std::iter::once(&self.trace.initial)
            .chain(self.trace.steps.iter().map(|step| &step.state))
            .map(|s| decode(s))
            .collect()
    }

    /// The state the path starts in.
    pub fn first(&self) -> M::State {
        self.system.typed().decode(&self.trace.initial)
    }

    /// The state the path ends in.
    pub fn last(&self) -> M::State {
        self.system.typed().decode(self.trace.last())
    }

    /// The steps: actions, states and what they change.
    ///
    /// ```
    /// use sweepline::check;
    /// use sweepline::model::zoo::stop_and_wait::StopAndWait;
    ///
    /// let report = check(StopAndWait { packets: 1 })
    ///     .reachable("accepted", |_, state| state.expected == 2)
    ///     .run();
    /// let trace = report.trace("accepted").unwrap();
    /// let last = trace.steps().pop().unwrap();
    /// assert!(last.changes.iter().any(|(field, value)| field == "expected" && value == "2"));
    /// ```
    pub fn steps(&self) -> Vec<TypedStep<M>> {
        let typed = self.system.typed();
        let shown = self.shown();
        let steps = self.trace.moves().zip(&shown.steps);
        steps
            .map(|((source, step), shown)| TypedStep {
                action: typed
                    .action(source, step.ordinal)
                    .expect("the path was replayed"),
                state: typed.decode(&step.state),
                changes: shown.changes().cloned().collect(),
            })
            .collect()
    }

    /// For an infinite run: how many steps come before those that repeat for ever. If these are all, the run stays in its last
    /// state. Nothing if the path ends: whatever comes next, it shows what was asked.
    pub fn loop_start(&self) -> Option<usize> {
        self.trace.loop_start
    }

    /// The actions on the path, as the model shows them.
    pub fn actions(&self) -> Vec<String> {
        self.trace
            .moves()
            .map(|(source, step)| self.system.step_name(source, step.ordinal, step.action))
            .collect()
    }

    /// The path in words, as the command line has it.
    pub fn shown(&self) -> ShownTrace {
        ShownTrace::new(self.trace, self.system)
    }

    /// The path in JSON: the initial state, then actions and what they change.
    pub fn to_json(&self) -> String {
        self.shown().to_json().to_string()
    }

    /// The path in the Informal Trace Format of Apalache, for viewers: whole states.
    pub fn to_itf(&self) -> String {
        self.shown().to_itf().to_string()
    }
}

impl<M: Model> fmt::Debug for TypedTrace<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedTrace")
            .field("first", &self.first())
            .field("steps", &self.steps())
            .finish()
    }
}

impl<M: Model> fmt::Debug for TypedStep<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedStep")
            .field("action", &self.action)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// The initial state, and then one line per step: the action, and what it changes. In the end, which of them repeat.
impl<M: Model> fmt::Display for TypedTrace<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  0  {:?}", self.first())?;
        let shown = self.shown();
        let mut before = shown.initial.clone();
        for (index, (step, state)) in (1..).zip(shown.states()) {
            let mut changes = Vec::new();
            for (field, value) in step.changes() {
                let earlier = before.iter().find(|(name, _)| name == field);
                let earlier = earlier.map_or("", |(_, earlier)| earlier.as_str());
                difference::list(field, earlier, value, &mut changes);
            }
            writeln!(f, "  {index}  {}  {}", step.action, changes.join(", "))?;
            before = state;
        }
        if let Some(goes_on) = shown.for_ever() {
            writeln!(f, "  {goes_on}")?;
        }
        Ok(())
    }
}
