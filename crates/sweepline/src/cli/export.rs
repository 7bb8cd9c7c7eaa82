//! Writing the state space of a small model to a file.

use std::io::Write;
use std::path::Path;

use miette::{Report, miette};
use sweepline_check::Failure;
use sweepline_core::Limits;
use sweepline_explore::{End, LogPlace, Options, Sweep};
use sweepline_graph::{Graph, Recorder, WriteError, write_aut, write_dot, write_ss};
use sweepline_logic::{Definition, Predicate, Scope};
use sweepline_session::{Format, Model, Run, define, units};

use super::args::ExploreArgs;
use super::output::announce;
use sweepline_report::files::{self, Files, Target};

/// A file for a state space, in the format its name says.
pub struct Export {
    target: Target,
    write: Writer,
}

impl Export {
    /// Whether it can be written is found out now.
    pub fn open(file: &Path, files: &mut Files) -> Result<Self, Report> {
        Ok(Self {
            write: writer_for(file)?,
            target: files.target(file)?,
        })
    }
}

/// Explores a model once more, in the encoding that has turned out to be wide enough, and writes what it sees.
pub fn export(
    to: Export,
    file: &Path,
    model: &Model,
    run: &Run,
    limits: &Limits,
    args: &ExploreArgs,
) -> Result<(), Report> {
    let help = match &run.failure {
        Some(Failure::Model { .. }) if model.format == Format::Dve => {
            Some("--errors count leaves out steps that fail")
        }
        Some(Failure::Model { .. } | Failure::Assertion { .. }) => Some(
            "a part of a state space would show deadlocks that are none; correct the model first",
        ),
        _ => None,
    };
    if let (Some(help), Some(reason)) = (help, &run.stopped) {
        return Err(miette!(
            help = help,
            "`{}` is not written: {reason}",
            file.display()
        ));
    }
    if !run.statistics.complete {
        return Err(miette!(
            help = "a part of a state space would show deadlocks that are none; raise the limits",
            "`{}` is not written, because the exploration is incomplete",
            file.display()
        ));
    }
    let mut definitions = define(&args.propositions)?;
    if let Some(net) = model.net() {
        for definition in &mut definitions {
            sweepline_net::resolve_predicate(net, &mut definition.pred);
        }
    }
    let graph = record(model, run, limits, &definitions, args)?;
    let write = to.write;
    let written = to.target.write_with(|out| {
        write(&graph, out).map_err(|error| match error {
            WriteError::Io(error) => files::WriteError::Io(error),
            other => files::WriteError::Other(other.into()),
        })
    })?;
    let states = units::counted(graph.states().len() as u64, "state");
    let edges = units::counted(graph.edges().len() as u64, "edge");
    let what = format!("{states} and {edges}");
    announce(&written, &what, args.output.common.quiet);
    Ok(())
}

type Writer = fn(&Graph, &mut dyn Write) -> Result<(), WriteError>;

fn writer_for(file: &Path) -> Result<Writer, Report> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("ss") => Ok(|graph, mut out| write_ss(graph, &mut out)),
        Some("aut") => Ok(|graph, mut out| write_aut(graph, &mut out)),
        Some("dot" | "gv") => Ok(|graph, mut out| write_dot(graph, &mut out)),
        _ => Err(miette!(
            help = "end the name in .ss, .aut or .dot",
            "cannot tell from its name in which format to write `{}`",
            file.display()
        )),
    }
}

fn record(
    model: &Model,
    run: &Run,
    limits: &Limits,
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
        Err(miette!("the state space could not be recorded: {end:?}"))
    }
}
