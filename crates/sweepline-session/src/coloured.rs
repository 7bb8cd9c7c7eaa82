//! Coloured nets of CPN Tools.

use std::sync::Arc;

use miette::Diagnostic;
use sweepline_core::Limits;
use sweepline_cpn::{Cpn, read_cpn};

use crate::error::Error;
use crate::load::{LoadOptions, shared};
use crate::model::{Format, Model};
use crate::reading::Within;
use crate::units;

/// What is in a file but is not looked at.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
#[error("{what}")]
#[diagnostic(severity(Warning))]
struct LeftOut {
    what: String,
    #[help]
    help: Option<String>,
}

/// Reads a model of CPN Tools.
pub(crate) fn load(
    name: String,
    bytes: &[u8],
    options: &LoadOptions,
    within: &Within<'_>,
) -> Result<Model, Error> {
    let settings = sweepline_cpn::LoadOptions {
        constants: options.constants.clone(),
        time: options.time,
        horizon: options.horizon,
        random: options.random,
    };
    let cpn = read_cpn(&name, bytes, &settings)?;
    within.allow(bytes.len())?;
    let summary = summary(&cpn);
    let mut warnings = shared(&cpn.unused);
    warnings.extend(shared(&left_out(&cpn)));
    let columns = cpn.system.has_clock().then_some("time");
    let system = Arc::new(cpn.system);
    Ok(Model {
        columns,
        coloured: Some(Arc::clone(&system)),
        constants: cpn.constants,
        text: cpn.text,
        can_fail: Some(true),
        warnings,
        ..Model::new(name, Format::Cpn, system, summary)
    })
}

/// The state space report of a coloured net, as CPN Tools has it, and whether everything was explored.
pub fn state_space_report(model: &Model, limits: &Limits) -> Result<(String, bool), Error> {
    let Some(coloured) = &model.coloured else {
        return Err(Error::Misplaced {
            about: "--report is about coloured nets".to_owned(),
            model: model.name.clone(),
            help: "leave --report out".to_owned(),
        });
    };
    let report = coloured.report(limits).map_err(|why| Error::NoReport {
        model: model.name.clone(),
        why,
    })?;
    Ok((report.to_string(), report.stopped.is_none()))
}

fn summary(cpn: &Cpn) -> String {
    let pages = units::counted(cpn.pages as u64, "page");
    let places = units::counted(cpn.system.place_count() as u64, "place");
    let transitions = units::counted(cpn.system.transition_count() as u64, "transition");
    let timed = if cpn.system.has_clock() { "timed " } else { "" };
    format!("{timed}coloured net, {pages}, {places}, {transitions}")
}

/// Words of queries to the state space tool of CPN Tools.
const QUERIES: [&str; 23] = [
    "eval_node",
    "eval_arc",
    "EvalNodes",
    "EvalAllNodes",
    "EvalArcs",
    "EvalAllArcs",
    "PredNodes",
    "PredAllNodes",
    "PredArcs",
    "PredAllArcs",
    "SearchNodes",
    "SearchAllNodes",
    "SearchArcs",
    "UpperInteger",
    "LowerInteger",
    "MultiSet",
    "BEs",
    "TIs",
    "Mark.",
    "Bind.",
    "InitNode",
    "NoOfNodes",
    "InPath",
];

fn left_out(cpn: &Cpn) -> Vec<LeftOut> {
    let mut left_out = Vec::new();
    if cpn.monitors > 0 {
        let monitors = units::counted(cpn.monitors as u64, "monitor");
        left_out.push(LeftOut {
            what: format!("{monitors} of the model: state spaces have none"),
            help: None,
        });
    }
    for text in &cpn.texts {
        if QUERIES.iter().any(|word| text.contains(word)) {
            let text: Vec<&str> = text.split_whitespace().collect();
            let text = sweepline_text::shortened_to(&text.join(" "), 120);
            left_out.push(LeftOut {
                what: format!("a query of the model is not understood: {text}"),
                help: Some(
                    "ask with --invariant, --ltl, --ctl and the like; `explore --report` has what reports of CPN Tools have"
                        .to_owned(),
                ),
            });
        }
    }
    left_out
}
