//! What is printed, as data. These types are the JSON contract; field names never change within a schema version.

use serde::Serialize;
use serde_json::{Map, Value};
use sweepline_core::{Describe, Trace};

use crate::load::Loaded;
use crate::machine;
use crate::measure::Spec;
use crate::reading::Stopped;
use crate::search::Run;
use crate::steer::Change;

/// Version of the JSON contract.
pub const SCHEMA: u32 = 1;

/// Result of `explore`.
#[derive(Clone, Debug, Serialize)]
pub struct ExploreRecord {
    pub schema: u32,
    pub model: String,
    pub format: &'static str,
    #[serde(flatten)]
    pub figures: Figures,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub assertions: Option<&'static str>,
}

/// Result of any command when a limit was reached while the model was read.
#[derive(Clone, Debug, Serialize)]
pub struct StoppedRecord {
    pub schema: u32,
    pub model: String,
    pub format: &'static str,
    pub complete: bool,
    pub stopped: &'static str,
    pub reason: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<PropertyRecord>,
}

impl StoppedRecord {
    pub fn new(stopped: &Stopped, properties: Vec<PropertyRecord>) -> Self {
        Self {
            schema: SCHEMA,
            model: stopped.name.clone(),
            format: stopped.format.name(),
            complete: false,
            stopped: "while reading the model",
            reason: stopped.reason.to_string(),
            properties,
        }
    }
}

/// Figures of an exploration.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    pub method: &'static str,
    pub complete: bool,
    pub progress: ProgressRecord,
    pub states: Option<u64>,
    pub explored: u64,
    pub edges: u64,
    pub deadlocks: Option<u64>,
    pub layers: u64,
    pub columns: u64,
    pub sweeps: u64,
    pub column_sweeps: u64,
    pub regress_edges: u64,
    pub persistent: u64,
    pub peak_states: u64,
    pub peak_bytes: usize,
    pub process_peak_bytes: Option<usize>,
    /// For the exploration, all attempts included.
    pub seconds: f64,
    /// For reading the model.
    pub load_seconds: f64,
    /// For finding a measure.
    pub find_seconds: f64,
}

/// The measure a run ended with, and how it came to it.
#[derive(Clone, Debug, Serialize)]
pub struct ProgressRecord {
    #[serde(flatten)]
    pub measure: MeasureRecord,
    pub changes: Vec<ChangeRecord>,
}

/// A measure.
#[derive(Clone, Debug, Serialize)]
pub struct MeasureRecord {
    pub source: &'static str,
    pub columns: String,
    pub rows: String,
    pub coarsen: u64,
}

/// A change of the measure during a run.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeRecord {
    pub from: MeasureRecord,
    pub to: MeasureRecord,
    pub why: String,
    /// Expansions until then.
    pub explored: u64,
    /// Whether the exploration began again.
    pub restarted: bool,
}

impl From<&Spec> for MeasureRecord {
    fn from(spec: &Spec) -> Self {
        Self {
            source: spec.source.name(),
            columns: spec.columns_text(),
            rows: spec.rows_text(),
            coarsen: spec.measure.coarsen,
        }
    }
}

impl From<&Change> for ChangeRecord {
    fn from(change: &Change) -> Self {
        Self {
            from: (&change.from).into(),
            to: (&change.to).into(),
            why: change.why.clone(),
            explored: change.explored,
            restarted: change.restarted,
        }
    }
}

/// Result of `check`.
#[derive(Clone, Debug, Serialize)]
pub struct CheckRecord {
    pub schema: u32,
    pub model: String,
    pub format: &'static str,
    /// Whether assertions hold and nothing fails at run time; nothing for models that are no programs.
    pub assertions: Option<&'static str>,
    pub properties: Vec<PropertyRecord>,
}

/// One property.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyRecord {
    pub name: String,
    pub kind: String,
    pub formula: String,
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub trace: Option<Value>,
    /// Nothing if there was no exploration.
    pub statistics: Option<Figures>,
}

impl Figures {
    pub fn new(run: &Run, model: &Loaded) -> Self {
        let (statistics, measure) = (&run.statistics, &run.measure);
        Self {
            method: match (&measure.cache, measure.is_constant()) {
                (Some(_), _) => "caching",
                (None, true) => "full",
                (None, false) => "sweep",
            },
            complete: statistics.complete,
            progress: ProgressRecord {
                measure: measure.into(),
                changes: run.changes.iter().map(ChangeRecord::from).collect(),
            },
            states: run.states,
            explored: statistics.explored,
            edges: statistics.edges,
            deadlocks: run.deadlocks,
            layers: statistics.layers,
            columns: statistics.columns,
            sweeps: statistics.sweeps,
            column_sweeps: statistics.column_sweeps,
            regress_edges: statistics.regress_edges,
            persistent: statistics.persistent,
            peak_states: statistics.peak_states,
            peak_bytes: statistics.peak_bytes,
            process_peak_bytes: machine::process_peak(),
            seconds: statistics.elapsed.as_secs_f64(),
            load_seconds: model.loading.as_secs_f64(),
            find_seconds: measure.finding.as_secs_f64(),
        }
    }
}

/// A trace in words.
#[derive(Clone, Debug)]
pub struct ShownTrace {
    pub initial: Vec<(String, String)>,
    pub steps: Vec<ShownStep>,
    pub loop_start: Option<usize>,
}

/// A step in words.
#[derive(Clone, Debug)]
pub struct ShownStep {
    pub action: String,
    /// Every value after the step.
    pub state: Vec<(String, String)>,
    /// Which of them the step changed.
    pub changed: Vec<bool>,
}

impl ShownTrace {
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
