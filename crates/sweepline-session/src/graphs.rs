//! Condensed graphs: built while a model is explored, looked at and walked through afterwards.

mod fingerprint;
mod info;
mod record;
mod walk;

use std::io::Write;
use std::path::Path;

use sweepline_core::Describe;
use sweepline_graph::{
    About, Graph, GraphWriter, Propositions, StoredGraph, WriteError, write_aut, write_dot,
    write_graphml, write_ss,
};
use sweepline_logic::{Definition, Predicate, Scope};

use crate::adapter::Plain;
use crate::error::Error;
use crate::load::open;
use crate::model::Model;
use crate::order::Order;
use crate::questions::{Questions, define};
use crate::run::Run;
use crate::verify::{Monitor, Options, explore};

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
    let run = explore(model, &Plain(&nothing), order, options, watching)?;
    writer.set_measure(run.order.text());
    writer.finish(&run.statistics)?;
    Ok(run)
}

/// Propositions in the terms of a model.
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
    predicates(&*model.system, &definitions)?;
    let texts = definitions.iter().map(|definition| {
        let text = definition.source.text();
        let defined = text.split_once('=').map_or(text, |(_, defined)| defined);
        (definition.name.text.clone(), defined.trim().to_owned())
    });
    let names = texts.collect();
    let bind = move |system: &dyn Describe| predicates(system, &definitions).ok();
    let bound = Propositions::new(names, &model.system, bind);
    Ok(bound.expect("they were made once already"))
}

fn predicates<S: Describe + ?Sized>(
    system: &S,
    definitions: &[Definition],
) -> Result<Vec<Predicate>, Error> {
    let scope = Scope::of(system).with(definitions)?;
    let resolve = |definition: &Definition| {
        Ok(Predicate::resolve(
            &definition.pred,
            &scope,
            &definition.source,
        )?)
    };
    definitions.iter().map(resolve).collect()
}

/// Opens a graph file.
pub fn open_graph(path: &Path) -> Result<StoredGraph, Error> {
    StoredGraph::open(open(path)?).map_err(|why| Error::GraphFile {
        path: path.to_owned(),
        why,
    })
}

/// Writes a graph in a format.
pub type GraphExport = fn(&Graph, &mut dyn Write) -> Result<(), WriteError>;

/// How to write a graph to a file of this name.
pub fn export_for(file: &Path) -> Result<GraphExport, Error> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("ss") => Ok(|graph, mut out| write_ss(graph, &mut out)),
        Some("aut") => Ok(|graph, mut out| write_aut(graph, &mut out)),
        Some("dot" | "gv") => Ok(|graph, mut out| write_dot(graph, &mut out)),
        Some("graphml") => Ok(|graph, mut out| write_graphml(graph, &mut out)),
        _ => Err(Error::UnknownExport {
            path: file.to_owned(),
        }),
    }
}
