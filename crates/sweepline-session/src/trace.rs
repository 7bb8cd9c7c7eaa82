//! Evidence: paths of the model, and how they are shown.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};
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

    /// Our own format: the initial state, then actions and what they change.
    pub fn to_json(&self) -> Value {
        let steps = self.steps.iter().map(
            |step| serde_json::json!({ "action": step.action, "state": object(step.changes()) }),
        );
        serde_json::json!({
            "initial": object(self.initial.iter()),
            "steps": steps.collect::<Vec<_>>(),
            "loop": self.loop_start,
        })
    }

    /// The Informal Trace Format of Apalache (ADR-015): whole states.
    pub fn to_itf(&self) -> Value {
        let names: Vec<&str> = self.initial.iter().map(|(name, _)| name.as_str()).collect();
        let first = std::iter::once((&self.initial, None));
        let rest = self
            .steps
            .iter()
            .map(|step| (&step.state, Some(&step.action)));
        let states = first
            .chain(rest)
            .enumerate()
            .map(|(index, (values, action))| {
                let mut meta = Map::new();
                meta.insert("index".into(), index.into());
                if let Some(action) = action {
                    meta.insert("action".into(), action.as_str().into());
                }
                let mut state = Map::new();
                state.insert("#meta".into(), meta.into());
                state.extend(
                    values
                        .iter()
                        .map(|(name, value)| (name.clone(), itf_value(value))),
                );
                Value::Object(state)
            });
        let mut trace = Map::new();
        trace.insert(
            "#meta".into(),
            serde_json::json!({ "format": "ITF", "source": "sweepline" }),
        );
        trace.insert("vars".into(), names.into());
        trace.insert("states".into(), states.collect());
        if let Some(start) = self.loop_start {
            trace.insert("loop".into(), start.into());
        }
        trace.into()
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

fn object<'a>(values: impl Iterator<Item = &'a (String, String)>) -> Map<String, Value> {
    values
        .map(|(name, value)| (name.clone(), json_value(value)))
        .collect()
}

/// Numbers and truth values as such, everything else as text.
fn json_value(text: &str) -> Value {
    match text {
        "true" => true.into(),
        "false" => false.into(),
        _ => text
            .parse::<i64>()
            .map_or_else(|_| text.into(), Value::from),
    }
}

/// ITF keeps numbers outside the range that JSON readers agree on in a wrapper.
fn itf_value(text: &str) -> Value {
    const SAFE: u64 = 1 << 53;
    match json_value(text) {
        Value::Number(number) if number.as_i64().is_some_and(|n| n.unsigned_abs() >= SAFE) => {
            serde_json::json!({ "#bigint": text })
        }
        value => value,
    }
}
