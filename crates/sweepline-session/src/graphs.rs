//! Condensed graphs: built while a model is explored, looked at and walked through afterwards.

mod export;
mod fingerprint;
mod info;
mod record;
mod walk;

use std::io::Write;
use std::path::Path;

use sweepline_core::{Describe, Limits};
use sweepline_explore::LogPlace;
use sweepline_graph::{About, GraphWriter, Propositions, StoredGraph};
use sweepline_logic::{Definition, Predicate, Scope};

use crate::adapter::Plain;
use crate::error::Error;
use crate::load::open;
use crate::model::Model;
use crate::order::Order;
use crate::questions::{Questions, define};
use crate::run::Run;
use crate::verify::{Monitor, Options, explore};

pub use export::{GraphExport, export_for, exported, write_graph};
pub use fingerprint::fingerprint;
pub use info::GraphInfo;
pub use record::record_graph;
pub use walk::{Visit, visit};

/// Explores a model and writes its graph, with the values of propositions such as `full = n == 3`.
///
/// The graph is complete if the run is; what was written of one that is not says so.
pub fn build_graph(
    model: &Model,
    order: &Order,
    options: &Options,
    propositions: &[String],
    out: &mut dyn Write,
    monitor: &mut dyn Monitor,
) -> Result<Run, Error> {
    if order.cache.is_some() {
        return Err(Error::CachedGraph);
    }
    let definitions = definitions(model, propositions)?;
    let actions = model.system.actions().to_vec();
    let internal = (0..).take(actions.len()).map(sweepline_core::ActionId);
    let about = About {
        model: model.name.clone(),
        fingerprint: fingerprint(model),
        measure: order.text(),
        internal: internal
            .filter(|&action| model.system.is_internal(action))
            .collect(),
        actions,
        propositions: Vec::new(),
    };
    let mut writer = GraphWriter::new(out, about, bound(model, definitions)?);
    let nothing = Questions::default();
    let watching = &mut (&mut writer, &mut *monitor);
    // The graph tells how nodes are reached, so nobody else has to take note of it.
    let unlogged = Options {
        log: LogPlace::Off,
        ..options.clone()
    };
    let mut run = explore(model, &Plain(&nothing), order, &unlogged, watching)?;
    if run.failure.is_some() {
        // It has an end that is to be shown with the way to it, and the same is explored once more.
        let again = explore(model, &Plain(&nothing), order, options, monitor)?;
        (run.answers, run.failure) = (again.answers, again.failure);
    }
    writer.set_measure(run.order.text());
    writer.finish(&run.statistics)?;
    Ok(run)
}

/// Propositions that are written, in the terms of a model.
pub fn definitions(model: &Model, texts: &[String]) -> Result<Vec<Definition>, Error> {
    let mut definitions = define(texts)?;
    if let Some(net) = model.net() {
        for definition in &mut definitions {
            sweepline_net::resolve_predicate(net, &mut definition.pred);
        }
    }
    Ok(definitions)
}

/// Names and definitions of propositions, bound to the model in whatever encoding.
fn bound(model: &Model, definitions: Vec<Definition>) -> Result<Propositions, Error> {
    let known = model.definitions.clone();
    predicates(&*model.system, &known, &definitions)?;
    let texts = definitions.iter().map(|definition| {
        let text = definition.source.text();
        let defined = text.split_once('=').map_or(text, |(_, defined)| defined);
        (definition.name.text.clone(), defined.trim().to_owned())
    });
    let names = texts.collect();
    let bind = move |system: &dyn Describe| predicates(system, &known, &definitions).ok();
    let bound = Propositions::new(names, &model.system, bind);
    Ok(bound.expect("they were made once already"))
}

/// What definitions mean for the states of a system. They may use what the model itself defines, such as the states of its
/// processes.
fn predicates<S: Describe + ?Sized>(
    system: &S,
    known: &[Definition],
    definitions: &[Definition],
) -> Result<Vec<Predicate>, Error> {
    let all = [known, definitions].concat();
    let scope = Scope::of(system).with(&all)?;
    let resolve = |definition: &Definition| {
        Ok(Predicate::resolve(
            &definition.pred,
            &scope,
            &definition.source,
        )?)
    };
    definitions.iter().map(resolve).collect()
}

/// Opens a graph file. Whatever goes through all of it keeps to the limits.
pub fn open_graph(path: &Path, limits: &Limits) -> Result<StoredGraph, Error> {
    let opened = StoredGraph::open(open(path)?).map_err(|why| Error::GraphFile {
        path: path.to_owned(),
        why,
    });
    Ok(opened?.within(limits))
}
