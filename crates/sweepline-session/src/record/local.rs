//! Local graphs as data.

use serde::Serialize;
use sweepline_check::QuestionKind;
use sweepline_reduce::local::{LocalGraph, LocalGraphs};

use super::{Figures, PropertyRecord, SCHEMA, TraceFormat};
use crate::local::LocalAnalysis;
use crate::model::Model;

/// Result of `local`.
#[derive(Clone, Debug, Serialize)]
pub struct LocalRecord {
    /// Version of the contract.
    pub schema: u32,
    /// The name of the model.
    pub model: String,
    /// What it is written in.
    pub format: &'static str,
    /// `ls3`, `modular` or `mono`.
    pub method: &'static str,
    /// Whether the graphs were completed.
    pub complete: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why it is not known which local states can be reached, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unexplored: Option<String>,
    /// The processes with their graphs, in the order of the model.
    pub processes: Vec<LocalGraphRecord>,
    /// Pairs of local states that were followed; zero for methods without pairs.
    pub pairs: Option<usize>,
    /// For making the graphs.
    pub seconds: f64,
    /// What is claimed of single processes, and behind that what the model itself does wrong.
    pub properties: Vec<LocalPropertyRecord>,
    /// The exploration of the whole model that decided what local graphs leave open.
    pub statistics: Option<Figures>,
}

/// One local graph.
#[derive(Clone, Debug, Serialize)]
pub struct LocalGraphRecord {
    /// The process.
    pub name: String,
    /// The slots that it sees.
    pub slots: Vec<String>,
    /// Local states.
    pub states: usize,
    /// Steps, those of others included.
    pub transitions: usize,
    /// Local states that can be reached, if the whole model was explored.
    pub reachable_states: Option<usize>,
    /// Steps that can be taken, if the whole model was explored.
    pub reachable_transitions: Option<usize>,
}

/// Something that is claimed of one process, or an error of the model.
#[derive(Clone, Debug, Serialize)]
pub struct LocalPropertyRecord {
    /// The process; nothing for errors of the model.
    pub process: Option<String>,
    /// What the local graph says: `holds`, `potential` (some local state violates it, which may be unreachable) or
    /// `unknown`.
    pub local: &'static str,
    /// The local states that violate it, if there are local graphs.
    pub violating_states: Option<usize>,
    /// The local states in which it has no value, if there are local graphs.
    pub valueless_states: Option<usize>,
    /// What is known in the end.
    #[serde(flatten)]
    pub property: PropertyRecord,
}

impl LocalRecord {
    /// What there is to say of local graphs.
    pub fn new(
        model: &Model,
        analysis: &LocalAnalysis,
        traces: TraceFormat,
        process_peak_bytes: Option<usize>,
    ) -> Self {
        let claims = analysis.claims.iter().map(|claim| LocalPropertyRecord {
            process: Some(claim.process.clone()),
            local: claim.locally(),
            violating_states: claim.violating,
            valueless_states: claim.valueless,
            property: PropertyRecord::new(&claim.answer, None, traces),
        });
        let run = analysis.run.as_ref();
        // An assertion that is violated is a claim already.
        let answers = run.into_iter().flat_map(|run| &run.answers);
        let errors = answers.filter(|answer| answer.kind == QuestionKind::ModelError);
        let errors = errors.map(|answer| LocalPropertyRecord {
            process: None,
            local: "unknown",
            violating_states: None,
            valueless_states: None,
            property: PropertyRecord::new(answer, None, traces),
        });
        Self {
            schema: SCHEMA,
            model: model.name.clone(),
            format: model.format.name(),
            method: analysis.method.name(),
            complete: analysis.graphs.is_ok(),
            reason: analysis.graphs.as_ref().err().map(ToString::to_string),
            unexplored: analysis.unexplored.as_ref().map(ToString::to_string),
            processes: processes(analysis),
            pairs: analysis.graphs.as_ref().ok().map(LocalGraphs::pairs),
            seconds: analysis.elapsed.as_secs_f64(),
            properties: claims.chain(errors).collect(),
            statistics: run.map(|run| Figures::new(run, model, process_peak_bytes)),
        }
    }
}

fn processes(analysis: &LocalAnalysis) -> Vec<LocalGraphRecord> {
    let Ok(graphs) = &analysis.graphs else {
        return Vec::new();
    };
    let program = graphs.views().program();
    let processes = analysis.processes.iter().enumerate();
    let records = processes.map(|(process, name)| {
        let graph = graphs.of(process);
        let exact = analysis.exact().map(|exact| exact.of(process));
        let slots = graphs.views().slots(process).iter();
        LocalGraphRecord {
            name: name.clone(),
            slots: slots.map(|slot| program.slot(*slot).name.clone()).collect(),
            states: graph.states(),
            transitions: graph.transitions(),
            reachable_states: exact.map(LocalGraph::states),
            reachable_transitions: exact.map(LocalGraph::transitions),
        }
    });
    records.collect()
}
