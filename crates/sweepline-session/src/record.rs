//! What is printed, as data. These types are the JSON contract; field names never change within a schema version.

mod graphs;
mod local;
mod measures;
mod mistakes;
mod searches;
mod traces;

use serde::Serialize;
use serde_json::Value;
use sweepline_check::Vacuous;
use sweepline_core::Verdict;

use crate::model::Model;
use crate::order::Order;
use crate::questions::NamedQuestion;
use crate::reading::Stopped;
use crate::reduction::Preserved;
use crate::run::{Answer, Assertions, Change, Run, ShowWitness};

pub use graphs::GraphRecord;
pub use local::{LocalGraphRecord, LocalPropertyRecord, LocalRecord};
pub use measures::{
    Actual, CandidateRecord, ComparedRecord, ComparisonRecord, MeasuresRecord, Predicted,
};
pub use mistakes::{ErrorRecord, Mistake, MistakePlace};
pub use searches::{SearchRecord, SearchesRecord};
pub use traces::TraceFormat;

/// Version of the JSON contract.
pub const SCHEMA: u32 = 1;

/// Result of `explore`.
#[derive(Clone, Debug, Serialize)]
pub struct ExploreRecord {
    /// Version of the contract.
    pub schema: u32,
    /// The name of the model.
    pub model: String,
    /// What it is written in.
    pub format: &'static str,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// Why not everything is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether assertions hold and nothing fails at run time; nothing for models that are no programs.
    pub assertions: Option<&'static str>,
    /// The assertion that is violated, or the error of the model, if that ended the exploration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<PropertyRecord>,
}

/// Result of any command when a limit was reached while the model was read.
#[derive(Clone, Debug, Serialize)]
pub struct StoppedRecord {
    /// Version of the contract.
    pub schema: u32,
    /// The name of the model.
    pub model: String,
    /// What it is written in.
    pub format: &'static str,
    /// Whether everything was explored.
    pub complete: bool,
    /// When it was stopped.
    pub stopped: &'static str,
    /// Why not everything is known.
    pub reason: String,
    /// The properties, in the order they were asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<PropertyRecord>,
}

impl StoppedRecord {
    /// What there is to say of a model that was not read, and of what was asked about it.
    pub fn new(stopped: &Stopped, asked: Vec<NamedQuestion>) -> Self {
        let reason = stopped.reason.to_string();
        let unknown = asked.into_iter().map(|question| PropertyRecord {
            name: question.name,
            kind: question.kind.to_string(),
            formula: question.text,
            verdict: "inconclusive",
            value: None,
            reason: Some(reason.clone()),
            undecided: Vec::new(),
            remark: None,
            vacuous: Vec::new(),
            trace: None,
            witness: None,
            statistics: None,
        });
        Self {
            schema: SCHEMA,
            model: stopped.name.clone(),
            format: stopped.format.name(),
            complete: false,
            stopped: "while reading the model",
            properties: unknown.collect(),
            reason,
        }
    }
}

/// Figures of an exploration.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// `sweep`, `full` or `caching`.
    pub method: &'static str,
    /// Whether everything was explored.
    pub complete: bool,
    /// The measure.
    pub progress: ProgressRecord,
    /// Distinct states, if they are known.
    pub states: Option<u64>,
    /// Expansions.
    pub explored: u64,
    /// States that were looked at before the exploration, for infinite runs.
    #[serde(skip_serializing_if = "is_zero")]
    pub probed: u64,
    /// What is preserved, if steps were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduced: Option<&'static str>,
    /// What else is to be said of how it was done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Edges of all expansions.
    pub edges: u64,
    /// Distinct deadlocks, if they are known.
    pub deadlocks: Option<u64>,
    /// Distinct keys.
    pub layers: u64,
    /// Distinct columns, or the columns of the measure.
    pub columns: u64,
    /// Sweeps in the column that needed most.
    pub sweeps: u64,
    /// Sweeps in all columns.
    pub column_sweeps: u64,
    /// Edges that lose progress.
    pub regress_edges: u64,
    /// States ever made persistent.
    pub persistent: u64,
    /// States stored at most.
    pub peak_states: u64,
    /// Bytes the stores held at most.
    pub peak_bytes: usize,
    /// Bytes the process had at most.
    pub process_peak_bytes: Option<usize>,
    /// Bytes the trace log and observers had on disk at most.
    pub disk_bytes: u64,
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
    /// The measure it ended with.
    #[serde(flatten)]
    pub measure: MeasureRecord,
    /// How it came to that.
    pub changes: Vec<ChangeRecord>,
}

/// A measure.
#[derive(Clone, Debug, Serialize)]
pub struct MeasureRecord {
    /// `given`, `auto` or `none`.
    pub source: &'static str,
    /// Distinct columns, or the columns of the measure.
    pub columns: String,
    /// The rows of the measure.
    pub rows: String,
    /// What its values are divided by.
    pub coarsen: u64,
}

/// A change of the measure during a run.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeRecord {
    /// The measure until then.
    pub from: MeasureRecord,
    /// The measure from then on.
    pub to: MeasureRecord,
    /// Why, in words.
    pub why: String,
    /// Expansions until then.
    pub explored: u64,
    /// Whether the exploration began again.
    pub restarted: bool,
}

impl From<&Order> for MeasureRecord {
    fn from(order: &Order) -> Self {
        Self {
            source: order.origin.name(),
            columns: order.columns_text(),
            rows: order.rows_text(),
            coarsen: order.measure.coarsen,
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
    /// Version of the contract.
    pub schema: u32,
    /// The name of the model.
    pub model: String,
    /// What it is written in.
    pub format: &'static str,
    /// Whether assertions hold and nothing fails at run time; nothing for models that are no programs.
    pub assertions: Option<&'static str>,
    /// The properties, in the order they were asked.
    pub properties: Vec<PropertyRecord>,
}

/// One property.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyRecord {
    /// What it is called.
    pub name: String,
    /// What sort of question it is.
    pub kind: String,
    /// How it is written.
    pub formula: String,
    /// `holds`, `violated` or `inconclusive`.
    pub verdict: &'static str,
    /// The largest value, for bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i64>,
    /// Why not everything is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The smallest parts of a formula of branching time that leave it undecided. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<String>,
    /// What else is to be said of the evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// For a formula that holds: the occurrences of atoms that do not matter to it, as far as that is known without exploring
    /// anything on their account. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vacuous: Vec<VacuousRecord>,
    /// The evidence.
    pub trace: Option<Value>,
    /// Why the verdict is so, part by part, for formulas of branching time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Value>,
    /// Nothing if there was no exploration.
    pub statistics: Option<Figures>,
}

/// An occurrence of an atom that does not matter.
#[derive(Clone, Debug, Serialize)]
pub struct VacuousRecord {
    /// The atom, as it is written.
    pub atom: String,
    /// Which of its occurrences it is, from left to right, from 1 on.
    pub occurrence: usize,
    /// How many it has in the formula.
    pub occurrences: usize,
}

impl From<&Vacuous> for VacuousRecord {
    fn from(vacuous: &Vacuous) -> Self {
        Self {
            atom: vacuous.atom.clone(),
            occurrence: vacuous.occurrence,
            occurrences: vacuous.occurrences,
        }
    }
}

impl Figures {
    /// The figures of a run. What the process has needed in all is known outside.
    pub fn new(run: &Run, model: &Model, process_peak_bytes: Option<usize>) -> Self {
        let (statistics, order) = (&run.statistics, &run.order);
        Self {
            method: match (&order.cache, order.is_constant()) {
                (Some(_), _) => "caching",
                (None, true) => "full",
                (None, false) => "sweep",
            },
            complete: statistics.complete,
            progress: ProgressRecord {
                measure: order.into(),
                changes: run.changes.iter().map(ChangeRecord::from).collect(),
            },
            states: run.states,
            explored: statistics.explored,
            probed: statistics.probed,
            reduced: run.preserved.map(Preserved::name),
            notes: run.notes.clone(),
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
            process_peak_bytes,
            disk_bytes: statistics.disk_bytes,
            seconds: statistics.elapsed.as_secs_f64(),
            load_seconds: model.loading.as_secs_f64(),
            find_seconds: order.finding.as_secs_f64(),
        }
    }
}

impl ExploreRecord {
    /// What an exploration without questions says.
    pub fn new(
        model: &Model,
        run: &Run,
        traces: TraceFormat,
        process_peak_bytes: Option<usize>,
    ) -> Self {
        let assertions = Assertions::of(model, std::slice::from_ref(run));
        let properties = run.answers.iter();
        Self {
            schema: SCHEMA,
            model: model.name.clone(),
            format: model.format.name(),
            figures: Figures::new(run, model, process_peak_bytes),
            reason: run.stopped.as_ref().map(ToString::to_string),
            assertions: assertions.map(Assertions::name),
            properties: properties
                .map(|answer| PropertyRecord::new(answer, None, traces))
                .collect(),
        }
    }
}

impl CheckRecord {
    /// What explorations answer.
    pub fn new(
        model: &Model,
        runs: &[Run],
        traces: TraceFormat,
        process_peak_bytes: Option<usize>,
    ) -> Self {
        let properties = runs.iter().flat_map(|run| {
            let figures = Figures::new(run, model, process_peak_bytes);
            let property = move |answer| PropertyRecord::new(answer, Some(figures.clone()), traces);
            run.answers.iter().map(property)
        });
        Self {
            schema: SCHEMA,
            model: model.name.clone(),
            format: model.format.name(),
            assertions: Assertions::of(model, runs).map(Assertions::name),
            properties: properties.collect(),
        }
    }
}

impl PropertyRecord {
    fn new(answer: &Answer, statistics: Option<Figures>, traces: TraceFormat) -> Self {
        let (verdict, reason) = match &answer.verdict {
            Verdict::Holds => ("holds", None),
            Verdict::Violated => ("violated", None),
            Verdict::Inconclusive(reason) => ("inconclusive", Some(reason.to_string())),
        };
        let trace = answer.evidence.as_ref();
        Self {
            name: answer.name.clone(),
            kind: answer.kind.to_string(),
            formula: answer.text.clone(),
            verdict,
            value: answer.value,
            reason: reason.or_else(|| answer.lost_evidence.clone()),
            undecided: answer.undecided.clone(),
            remark: answer.remark.clone(),
            vacuous: answer.vacuous.iter().map(VacuousRecord::from).collect(),
            trace: trace.map(|evidence| traces.write(&evidence.shown())),
            witness: answer.shown_witness().map(|shown| traces.witness(&shown)),
            statistics,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "that is how it is called"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
