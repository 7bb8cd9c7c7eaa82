//! Measures side by side, as data.

use serde::Serialize;
use sweepline_progress::{Assessment, Candidate, Choice, Outcome};

use super::{Figures, SCHEMA};
use crate::model::Model;
use crate::order::Order;
use crate::run::Run;
use crate::units;

/// One exploration among several of `compare`.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedRecord {
    /// The name of the model.
    pub model: String,
    /// How many rows closed layers are kept.
    pub window: u64,
    /// What its values are divided by.
    pub coarsen: u64,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// Peak of stored states as a share of all states, where both are known.
    pub peak_share: Option<f64>,
}

/// Result of `compare` for a model.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonRecord<'a> {
    /// Version of the contract.
    pub schema: u32,
    /// The name of the model.
    pub model: &'a str,
    /// The explorations, full search first.
    pub explorations: Vec<&'a ComparedRecord>,
}

impl<'a> ComparisonRecord<'a> {
    /// Explorations of one model.
    pub fn new(explorations: impl IntoIterator<Item = &'a ComparedRecord>) -> Self {
        let explorations: Vec<_> = explorations.into_iter().collect();
        Self {
            schema: SCHEMA,
            model: explorations.first().map_or("", |first| &first.model),
            explorations,
        }
    }
}

impl ComparedRecord {
    /// What is above [raw](Self::raw) numbers.
    pub const RAW_HEADINGS: [&'static str; 19] = [
        "model",
        "method",
        "columns",
        "rows",
        "window",
        "coarsen",
        "complete",
        "states",
        "explored",
        "edges",
        "deadlocks",
        "layers",
        "sweeps",
        "column_sweeps",
        "regress_edges",
        "persistent",
        "peak_states",
        "peak_bytes",
        "seconds",
    ];

    /// Its row in a table for spreadsheets.
    pub fn raw(&self) -> Vec<String> {
        let optional =
            |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
        let figures = &self.figures;
        vec![
            self.model.clone(),
            figures.method.to_string(),
            figures.progress.measure.columns.clone(),
            figures.progress.measure.rows.clone(),
            self.window.to_string(),
            self.coarsen.to_string(),
            figures.complete.to_string(),
            optional(figures.states),
            figures.explored.to_string(),
            figures.edges.to_string(),
            optional(figures.deadlocks),
            figures.layers.to_string(),
            figures.sweeps.to_string(),
            figures.column_sweeps.to_string(),
            figures.regress_edges.to_string(),
            figures.persistent.to_string(),
            figures.peak_states.to_string(),
            figures.peak_bytes.to_string(),
            figures.seconds.to_string(),
        ]
    }

    /// What a run in this order gave.
    pub fn new(model: &Model, order: &Order, run: &Run, process_peak_bytes: Option<usize>) -> Self {
        Self {
            model: model.name.clone(),
            window: order.window,
            coarsen: order.measure.coarsen,
            figures: Figures::new(run, model, process_peak_bytes),
            peak_share: None,
        }
    }
}

/// Result of `progress`.
#[derive(Debug, Serialize)]
pub struct MeasuresRecord {
    /// Version of the contract.
    pub schema: u32,
    /// The name of the model.
    pub model: String,
    /// Distinct states, if they are known.
    pub states: Option<u64>,
    /// The flags that ask for the measure that was chosen.
    pub flags: String,
    /// Everything that was considered.
    pub candidates: Vec<CandidateRecord>,
}

impl MeasuresRecord {
    /// What is above [raw](Self::raw) numbers.
    pub const RAW_HEADINGS: [&'static str; 11] = [
        "model",
        "columns",
        "rows",
        "monotone",
        "chosen",
        "layers",
        "peak_share",
        "regress_share",
        "explored_share",
        "explored",
        "peak_states",
    ];

    /// The rows of a table for spreadsheets.
    pub fn raw(&self) -> Vec<Vec<String>> {
        let row = |row: &CandidateRecord| {
            let actual = |of: fn(&Actual) -> u64| {
                let actual = row.actual.as_ref();
                actual.map_or_else(String::new, |actual| of(actual).to_string())
            };
            vec![
                self.model.clone(),
                row.columns.clone(),
                row.rows.clone(),
                row.monotone.to_string(),
                row.chosen.to_string(),
                row.predicted.layers.to_string(),
                row.predicted.peak_share.to_string(),
                row.predicted.regress_share.to_string(),
                row.predicted.explored_share.to_string(),
                actual(|actual| actual.explored),
                actual(|actual| actual.peak_states),
            ]
        };
        self.candidates.iter().map(row).collect()
    }
}

/// A candidate and its figures.
#[derive(Debug, Serialize)]
pub struct CandidateRecord {
    /// What it is called.
    pub name: String,
    /// Distinct columns, or the columns of the measure.
    pub columns: String,
    /// The rows of the measure.
    pub rows: String,
    /// Whether it never decreases.
    pub monotone: bool,
    /// Whether it was chosen.
    pub chosen: bool,
    /// How it did nearby.
    pub predicted: Predicted,
    /// How it did in the whole model, where that was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<Actual>,
}

/// How a candidate did among the states nearest to the initial ones.
#[derive(Debug, Default, Serialize)]
pub struct Predicted {
    /// How many states that were.
    pub states: usize,
    /// Distinct keys.
    pub layers: u64,
    /// The largest layer, as a share of the states.
    pub largest_layer_share: f64,
    /// The states stored at most, as a share of them.
    pub peak_share: f64,
    /// The share of edges that lose progress.
    pub regress_share: f64,
    /// How often each state was explored on average.
    pub explored_share: f64,
    /// Sweeps in the column that needed most.
    pub sweeps: u64,
}

/// How a candidate did when the model was explored by it.
#[derive(Debug, Serialize)]
pub struct Actual {
    /// Whether everything was explored.
    pub complete: bool,
    /// Expansions.
    pub explored: u64,
    /// Distinct keys.
    pub layers: u64,
    /// Known if it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_layer: Option<u64>,
    /// Edges of all expansions.
    pub edges: u64,
    /// States stored at most.
    pub peak_states: u64,
    /// Edges that lose progress.
    pub regress_edges: u64,
    /// Sweeps in the column that needed most.
    pub sweeps: u64,
}

impl From<&Outcome> for Predicted {
    fn from(outcome: &Outcome) -> Self {
        Self {
            states: outcome.states,
            layers: outcome.statistics.layers,
            largest_layer_share: outcome.largest_layer(),
            peak_share: outcome.peak(),
            regress_share: outcome.regress(),
            explored_share: outcome.again(),
            sweeps: outcome.statistics.sweeps,
        }
    }
}

impl CandidateRecord {
    /// All candidates that were considered, with their largest layers where these were measured.
    pub fn all(choice: &Choice, largest: &[u64]) -> Vec<Self> {
        let all = choice.assessed.iter().enumerate();
        all.map(|(index, assessment)| Self::new(choice, assessment, largest.get(index).copied()))
            .collect()
    }

    fn new(choice: &Choice, assessment: &Assessment, largest_layer: Option<u64>) -> Self {
        let candidate = &assessment.candidate;
        let texts = |candidate: &Candidate| {
            let text = Candidate::text;
            (text(&candidate.columns), text(&candidate.rows))
        };
        let (columns, rows) = texts(candidate);
        let chosen = choice.chosen.as_ref().map(texts);
        Self {
            name: candidate.name.clone(),
            monotone: candidate.rows.is_empty(),
            chosen: chosen.is_some_and(|chosen| chosen == (columns.clone(), rows.clone())),
            columns,
            rows,
            predicted: assessment
                .outcomes
                .last()
                .map(Into::into)
                .unwrap_or_default(),
            actual: assessment.trial.as_ref().map(|trial| Actual {
                complete: trial.complete,
                explored: trial.explored,
                layers: trial.layers,
                largest_layer,
                edges: trial.edges,
                peak_states: trial.peak_states,
                regress_edges: trial.regress_edges,
                sweeps: trial.sweeps,
            }),
        }
    }
}

impl CandidateRecord {
    /// What is above its figures.
    pub const HEADINGS: [&'static str; 10] = [
        "", "monotone", "layers", "largest", "peak", "regress", "again", "explored", "stored",
        "sweeps",
    ];

    /// Its row in a table for reading: measured figures where there are any.
    #[expect(clippy::cast_precision_loss, reason = "shares with a few digits")]
    pub fn cells(&self, index: usize, states: Option<u64>) -> Vec<String> {
        let per_cent = |share: f64| format!("{:.1} %", share * 100.0);
        let mut cells = vec![
            format!("{}{}", index + 1, if self.chosen { " *" } else { "" }),
            if self.monotone { "yes" } else { "no" }.into(),
        ];
        let predicted = &self.predicted;
        let complete = self.actual.as_ref().filter(|actual| actual.complete);
        match (complete, states) {
            (Some(actual), Some(states)) => {
                let largest = actual
                    .largest_layer
                    .map(|layer| units::share(layer, states));
                let regress = actual.regress_edges as f64 / actual.edges.max(1) as f64;
                cells.extend([
                    units::grouped(actual.layers),
                    largest.unwrap_or_else(|| per_cent(predicted.largest_layer_share)),
                    units::share(actual.peak_states, states),
                    per_cent(regress),
                    format!("{:.2} x", actual.explored as f64 / states as f64),
                ]);
            }
            _ => cells.extend([
                units::grouped(predicted.layers),
                per_cent(predicted.largest_layer_share),
                per_cent(predicted.peak_share),
                per_cent(predicted.regress_share),
                format!("{:.2} x", predicted.explored_share),
            ]),
        }
        match &self.actual {
            Some(actual) => cells.extend([
                format!(
                    "{}{}",
                    units::grouped(actual.explored),
                    if actual.complete { "" } else { "…" }
                ),
                units::grouped(actual.peak_states),
                units::grouped(actual.sweeps),
            ]),
            None => cells.extend(["–", "–", "–"].map(String::from)),
        }
        cells
    }

    /// The measure in words.
    pub fn in_words(&self) -> String {
        let mut parts = vec![format!("{}:", self.name)];
        if !self.columns.is_empty() {
            parts.push(format!("columns {}", self.columns));
        }
        if !self.rows.is_empty() {
            parts.push(format!("rows {}", self.rows));
        }
        parts.join(" ")
    }
}

impl ComparedRecord {
    /// The columns behind the measure, in tables for reading.
    pub const HEADINGS: [&'static str; 8] = [
        "explored", "layers", "sweeps", "kept", "peak", "share", "memory", "time",
    ];

    /// Its row behind the measure, in tables for reading.
    pub fn cells(&self) -> Vec<String> {
        let figures = &self.figures;
        let share = self.peak_share;
        vec![
            units::grouped(figures.explored),
            units::grouped(figures.layers),
            units::grouped(figures.sweeps),
            units::grouped(figures.persistent),
            units::grouped(figures.peak_states),
            share.map_or_else(|| "–".into(), |share| format!("{:.1} %", share * 100.0)),
            units::bytes(figures.peak_bytes),
            format!("{:.3} s", figures.seconds),
        ]
    }
}
