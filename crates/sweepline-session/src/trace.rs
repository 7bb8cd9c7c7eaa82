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

/// A trace in words. Steps keep what they change, so that long paths of large states stay small.
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
    /// The lines of the model's text that say so, one for each process that takes part; none if there is no text.
    pub lines: Vec<usize>,
    /// What is different after the step: the positions in a state, and what stands there.
    changed: Vec<(usize, (String, String))>,
    /// How many values there are after the step.
    values: usize,
}

impl ShownTrace {
    /// Puts a path of a system into words.
    pub fn new(trace: &Trace, system: &dyn Describe) -> Self {
        let initial = system.show(&trace.initial);
        let mut before = initial.clone();
        let mut steps = Vec::with_capacity(trace.steps.len());
        for (source, step) in trace.moves() {
            let state = system.show(&step.state);
            let differs = |(index, value): &(usize, &(String, String))| {
                before.get(*index).is_none_or(|before| before != *value)
            };
            let changed = state.iter().enumerate().filter(differs);
            let changed = changed.map(|(index, value)| (index, value.clone()));
            steps.push(ShownStep {
                action: system.step_name(source, step.ordinal, step.action),
                lines: system.lines(step.action),
                changed: changed.collect(),
                values: state.len(),
            });
            before = state;
        }
        Self {
            initial,
            steps,
            loop_start: trace.loop_start,
        }
    }

    /// The initial state and every step, each with its name and its values as equations: those that changed, or all of them.
    pub fn rows(&self, whole: bool) -> Vec<(String, Vec<String>)> {
        let mut rows = vec![(String::new(), self.first_values(whole))];
        if whole {
            let states = self.states();
            rows.extend(states.map(|(step, state)| (step.name(), equations(&state))));
        } else {
            let steps = self.steps.iter();
            rows.extend(steps.map(|step| (step.name(), equations(step.changes()))));
        }
        rows
    }

    /// States of nets are mostly zeros, which say little.
    fn first_values(&self, whole: bool) -> Vec<String> {
        let all = whole || self.initial.len() <= 12;
        let told = self.initial.iter();
        let told = told.filter(|(_, value)| all || (value != "0" && value != "false"));
        let mut values = equations(told);
        if values.len() < self.initial.len() {
            values.push("all others 0".into());
        }
        values
    }

    /// How an infinite run goes on.
    pub fn for_ever(&self) -> Option<String> {
        let (before, steps) = (self.loop_start?, self.steps.len());
        Some(match steps - before {
            0 => "and stays there for ever".into(),
            1 => format!("and so on: step {steps} repeats for ever"),
            _ => format!("and so on: steps {} to {steps} repeat for ever", before + 1),
        })
    }

    /// Every step with all values after it.
    pub fn states(&self) -> impl Iterator<Item = (&ShownStep, Vec<(String, String)>)> {
        self.steps.iter().scan(self.initial.clone(), |state, step| {
            state.truncate(step.values);
            for (index, value) in &step.changed {
                match state.get_mut(*index) {
                    Some(known) => known.clone_from(value),
                    None => state.push(value.clone()),
                }
            }
            Some((step, state.clone()))
        })
    }
}

impl ShownStep {
    /// A step that changes nothing.
    #[cfg(test)]
    pub(crate) fn named(action: &str) -> Self {
        Self {
            action: action.to_owned(),
            lines: Vec::new(),
            changed: Vec::new(),
            values: 0,
        }
    }

    /// What happens, and where the model says so.
    fn name(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(ToString::to_string).collect();
        match &lines[..] {
            [] => self.action.clone(),
            [line] => format!("{} (line {line})", self.action),
            lines => format!("{} (lines {})", self.action, lines.join(",")),
        }
    }

    /// The values the step changed.
    pub fn changes(&self) -> impl Iterator<Item = &(String, String)> {
        self.changed.iter().map(|(_, value)| value)
    }
}

fn equations<'v>(values: impl IntoIterator<Item = &'v (String, String)>) -> Vec<String> {
    let values = values.into_iter();
    values
        .map(|(name, value)| format!("{name} = {value}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use sweepline_core::{ActionId, Layout, Steps, System, TraceStep, Word};

    use super::*;

    /// Shows as many values as the first word says.
    struct Varying(Layout);

    impl System for Varying {
        fn layout(&self) -> &Layout {
            &self.0
        }
        fn initial(&self, _: &mut Steps) {}
        fn successors(&self, _: &[Word], _: &mut Steps) {}
    }

    impl Describe for Varying {
        fn actions(&self) -> &[String] {
            &[]
        }
        fn show(&self, state: &[Word]) -> Vec<(String, String)> {
            let values = (0..state[0]).map(|index| (index.to_string(), state[1].to_string()));
            values.collect()
        }
    }

    #[test]
    fn states_are_rebuilt_from_what_changes() {
        let states: [[Word; 2]; 6] = [[2, 7], [2, 7], [3, 7], [1, 7], [3, 8], [0, 8]];
        let steps = states[1..].iter().map(|state| TraceStep {
            ordinal: 0,
            action: ActionId(0),
            state: (*state).into(),
        });
        let trace = Trace {
            initial: states[0].into(),
            steps: steps.collect(),
            loop_start: None,
        };
        let system = Varying(Layout::builder().integer("n", 0, 9).build());
        let shown = ShownTrace::new(&trace, &system);
        let rebuilt: Vec<_> = shown.states().map(|(_, state)| state).collect();
        let expected: Vec<_> = states[1..].iter().map(|state| system.show(state)).collect();
        assert_eq!(rebuilt, expected);
        let changes: Vec<usize> = shown
            .steps
            .iter()
            .map(|step| step.changes().count())
            .collect();
        assert_eq!(changes, [0, 1, 0, 3, 0]);
    }
}
