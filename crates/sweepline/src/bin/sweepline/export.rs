//! Writing the state space of a small model to a file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use miette::{Report, miette};
use sweepline_explore::{End, LogPlace, Options, Sweep};
use sweepline_logic::{Definition, Predicate, Scope};
use sweepline_process::{Graph, Recorder, WriteError, write_aut, write_dot, write_ss};

use crate::args::ExploreArgs;
use crate::load::Loaded;
use crate::measure::Spec;
use crate::output;
use crate::properties::definitions;
use crate::search::Run;

/// Explores a model once more, in the encoding that has turned out to be wide enough, and writes what it sees.
pub fn export(
    file: &Path,
    model: &Loaded,
    run: &Run,
    spec: &Spec,
    args: &ExploreArgs,
) -> Result<(), Report> {
    let write = writer_for(file)?;
    if !run.statistics.complete {
        return Err(miette!(
            help = "a part of a state space would show deadlocks that are none; raise the limits",
            "`{}` is not written, because the exploration is incomplete",
            file.display()
        ));
    }
    let mut definitions = definitions(&args.propositions)?;
    if let Some(net) = &model.net {
        for definition in &mut definitions {
            sweepline_net::resolve_predicate(net, &mut definition.pred);
        }
    }
    let graph = record(model, run, spec, &definitions, args)?;
    let mut out = BufWriter::new(output::create(file)?);
    write(&graph, &mut out)?;
    out.flush()
        .map_err(|error| miette!("cannot write `{}`: {error}", file.display()))
}

type Writer = fn(&Graph, &mut BufWriter<File>) -> Result<(), WriteError>;

fn writer_for(file: &Path) -> Result<Writer, Report> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("ss") => Ok(write_ss),
        Some("aut") => Ok(write_aut),
        Some("dot" | "gv") => Ok(write_dot),
        _ => Err(miette!(
            help = "end the name in .ss, .aut or .dot",
            "cannot tell from its name in which format to write `{}`",
            file.display()
        )),
    }
}

fn record(
    model: &Loaded,
    run: &Run,
    spec: &Spec,
    definitions: &[Definition],
    args: &ExploreArgs,
) -> Result<Graph, Report> {
    let system = &*run.system;
    let scope = Scope::of(system).with(definitions)?;
    let mut recorder = Recorder::new(system, args.export_states);
    for definition in definitions {
        let predicate = Predicate::resolve(&definition.pred, &scope, &definition.source)?;
        recorder = recorder.with_proposition(&definition.name.text, predicate);
    }
    let options = Options {
        limits: output::limits(&args.search.limits),
        window: spec.window,
        log: LogPlace::Off,
    };
    let mut sweep = Sweep::new(
        system,
        spec.bind(system, model.format.ranges(), None)?,
        options,
    );
    let end = sweep.run(&mut recorder);
    let graph = recorder.finish()?;
    if end == End::Complete {
        Ok(graph)
    } else {
        Err(miette!("the state space could not be recorded: {end:?}"))
    }
}
