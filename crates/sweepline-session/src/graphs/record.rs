//! The state space of a small model as a graph in main memory.

use sweepline_check::Failure;
use sweepline_core::Limits;
use sweepline_explore::{End, LogPlace, Sweep};
use sweepline_graph::{Graph, Recorder};

use super::{definitions, predicates};
use crate::error::Error;
use crate::model::{Format, Model};
use crate::run::Run;

/// Explores a model once more, in the encoding that has turned out to be wide enough, and keeps what it sees: up to so many
/// states, with the values of propositions.
pub fn record_graph(
    model: &Model,
    run: &Run,
    limits: &Limits,
    propositions: &[String],
    states: usize,
) -> Result<Graph, Error> {
    whole(model, run)?;
    let definitions = definitions(model, propositions)?;
    let system = &*run.system;
    let mut recorder = Recorder::new(system, states);
    let predicates = predicates(system, &model.definitions, &definitions)?;
    for (definition, predicate) in definitions.iter().zip(predicates) {
        recorder = recorder.with_proposition(&definition.name.text, predicate);
    }
    let options = sweepline_explore::Options {
        limits: limits.clone(),
        window: run.order.window,
        log: LogPlace::Off,
    };
    let mut sweep = Sweep::new(system, run.order.bind(system, model.ranges, None)?, options);
    let end = sweep.run(&mut recorder);
    let graph = recorder.finish()?;
    if end == End::Complete {
        Ok(graph)
    } else {
        Err(Error::NotRecorded {
            why: format!("exploring once more did not come to an end: {end:?}"),
            help: "raise the limits".into(),
        })
    }
}

/// A part of a state space is not recorded.
fn whole(model: &Model, run: &Run) -> Result<(), Error> {
    let help = match &run.failure {
        Some(Failure::Model { .. }) if model.format == Format::Dve => {
            Some("--errors count leaves out steps that fail")
        }
        Some(Failure::Model { .. } | Failure::Assertion { .. }) => Some(
            "a part of a state space would show deadlocks that are none; correct the model first",
        ),
        _ => None,
    };
    let (why, help) = match (help, &run.stopped) {
        (Some(help), Some(reason)) => (reason.to_string(), help),
        _ if run.statistics.complete => return Ok(()),
        _ => (
            "the exploration is incomplete".into(),
            "a part of a state space would show deadlocks that are none; raise the limits",
        ),
    };
    let help = help.into();
    Err(Error::NotRecorded { why, help })
}
