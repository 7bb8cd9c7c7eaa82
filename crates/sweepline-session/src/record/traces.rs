//! Traces as data.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::trace::ShownTrace;
use crate::witness::ShownWitness;

/// How traces are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceFormat {
    /// Our own: the initial state, then actions and what they change.
    #[default]
    Json,
    /// The Informal Trace Format: whole states.
    Itf,
    /// Graphs for Graphviz, as texts.
    Dot,
}

impl TraceFormat {
    /// A trace as data.
    pub fn write(self, trace: &ShownTrace) -> Value {
        match self {
            Self::Json => trace.to_json(),
            Self::Itf => trace.to_itf(),
            Self::Dot => trace.to_dot().into(),
        }
    }

    /// A trace as the contents of a file: what is a text by itself is not written as a string of JSON.
    pub fn text(self, trace: &ShownTrace) -> String {
        match self.write(trace) {
            Value::String(text) => text,
            data => format!("{data:#}\n"),
        }
    }

    /// A tree of evidence as data.
    pub fn witness(self, witness: &ShownWitness) -> Value {
        match self {
            Self::Json | Self::Itf => witness.to_json(),
            Self::Dot => witness.to_dot().into(),
        }
    }
}

impl ShownTrace {
    /// Our own format: the initial state, then actions and what they change.
    pub fn to_json(&self) -> Value {
        let steps = self.steps.iter().map(|step| {
            let mut shown = Map::new();
            shown.insert("action".into(), step.action.as_str().into());
            if !step.lines.is_empty() {
                shown.insert("lines".into(), step.lines.clone().into());
            }
            shown.insert("state".into(), object(step.changes()).into());
            shown
        });
        serde_json::json!({
            "initial": object(self.initial.iter()),
            "steps": steps.collect::<Vec<_>>(),
            "loop": self.loop_start,
        })
    }

    /// The Informal Trace Format of Apalache (ADR-015): whole states.
    pub fn to_itf(&self) -> Value {
        let names: Vec<&str> = self.initial.iter().map(|(name, _)| name.as_str()).collect();
        let first = std::iter::once((self.initial.clone(), None));
        let rest = self
            .states()
            .map(|(step, state)| (state, Some(&step.action)));
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

impl ShownTrace {
    /// A graph for Graphviz: one node for each state, with what is different there.
    pub fn to_dot(&self) -> String {
        let label = |values: Vec<String>| {
            let text = values.join("\n");
            text.replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n")
        };
        let equation = |(name, value): &(String, String)| format!("{name} = {value}");
        let mut dot = "digraph trace {\n  node [shape=box];\n".to_owned();
        let initial = self.initial.iter().map(equation).collect();
        let _ = writeln!(dot, "  s0 [label=\"{}\"];", label(initial));
        for (at, step) in (1..).zip(&self.steps) {
            let closes = at == self.steps.len();
            let target = self.loop_start.filter(|_| closes).unwrap_or(at);
            if target == at {
                let changes = step.changes().map(equation).collect();
                let _ = writeln!(dot, "  s{at} [label=\"{}\"];", label(changes));
            }
            let action = label(vec![step.action.clone()]);
            let _ = writeln!(dot, "  s{} -> s{target} [label=\"{action}\"];", at - 1);
        }
        dot + "}\n"
    }
}

fn object<'a>(values: impl Iterator<Item = &'a (String, String)>) -> Map<String, Value> {
    values
        .map(|(name, value)| (name.clone(), json_value(value)))
        .collect()
}

/// Numbers, truth values and what a channel holds as such, everything else as text.
fn json_value(text: &str) -> Value {
    match text {
        _ if text.starts_with('[') => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
        }
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
