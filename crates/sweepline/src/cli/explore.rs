//! `sweepline explore`

use std::path::{Path, PathBuf};
use std::slice;

use miette::{Report, miette};
use sweepline_check::Failure;
use sweepline_core::Limits;
use sweepline_session::record::{ExploreRecord, TraceFormat};
use sweepline_session::{
    Model, Options, Order, Plain, Questions, Reading, Reduce, Run, build_graph, explore_reduced,
    machine, open_graph, record_graph,
};

use super::args::{ExploreArgs, OutputFormat};
use super::check::{json, mistake, stopped_text};
use super::export::{Export, unwritten};
use super::human::{self, Heading};
use super::models::{ModelSource, Models};
use super::output::{self, Exit, Output, announce, announce_kept};
use super::ticker::Ticker;
use sweepline_report::files::{Belongs, Files, Target};

/// Explores every model; a mistake in one does not keep the others from being explored. If a file is named for it, the graph of
/// the only model is written there.
pub fn explore(args: &ExploreArgs, models: &Models, graph: Option<&Path>) -> Result<Exit, Report> {
    if (args.export.is_some() || graph.is_some()) && args.models.models.len() > 1 {
        return Err(miette!(
            help = "explore one model at a time",
            "--export and `graph build` write one state space"
        ));
    }
    if (args.export.is_some() || graph.is_some()) && args.search.reduce == Reduce::Stubborn {
        return Err(miette!(
            help = "leave --reduce stubborn out",
            "--export and `graph build` write all steps, and a reduction leaves some out"
        ));
    }
    let mut files = Files::reading(&args.models.models);
    let mut results = Results {
        output: Output::open(&args.output.common, &mut files)?,
        export: match &args.export {
            Some(path) => Some(Export::open(path, &mut files)?),
            None => None,
        },
        graph: graph
            .map(|path| GraphTarget::open(path, &mut files))
            .transpose()?,
    };
    let worst = models.worst(&args.models, |place| {
        let name = place.name();
        explore_model(args, place, &mut results).or_else(|report| {
            let record = mistake(&args.output, &args.models, name, &report);
            Ok(results.output.refuse(&report, record))
        })
    });
    Ok(results.output.finish(worst))
}

/// Where results go.
struct Results {
    output: Output,
    export: Option<Export>,
    graph: Option<GraphTarget>,
}

fn explore_model(
    args: &ExploreArgs,
    place: ModelSource<'_>,
    results: &mut Results,
) -> Result<Exit, Report> {
    let limits = output::limits(&args.search.limits);
    let options = output::options(&args.search, &limits)?.for_exploration()?;
    let model = match place.load(&args.models, &limits)? {
        Reading::Loaded(model) => model,
        Reading::Stopped(stopped) => {
            let text = stopped_text(&args.output, &args.models, &stopped, Vec::new())?;
            results.output.write(text.as_bytes())?;
            return Ok(Exit::Inconclusive);
        }
    };
    output::print_warnings(&model, &args.output.common);
    if args.report {
        let (report, complete) = sweepline_session::state_space_report(&model, &limits)?;
        results.output.write(report.as_bytes())?;
        return Ok(if complete {
            Exit::Holds
        } else {
            Exit::Inconclusive
        });
    }
    let order = Order::of(&(&args.measure).into(), &model, &limits)?;
    let is_human = args.output.format == OutputFormat::Human;
    let mut ticker = Ticker::new(args.output.common.quiet);
    if is_human {
        ticker = ticker.with_heading(&mut results.output, heading(args, &model, &order));
    }
    let run = match results.graph.take() {
        None if args.search.reduce == Reduce::Stubborn => {
            explore_reduced(&model, &order, &options, &mut ticker)?
        }
        None => {
            let plain = Plain(&Questions::default());
            sweepline_session::explore(&model, &plain, &order, &options, &mut ticker)?
        }
        Some(target) => build(args, &model, &order, &options, target, &mut ticker)?,
    };
    let text = if is_human {
        human_report(args, &model, &run)
    } else {
        let peak = machine::process_peak();
        json(
            &args.output,
            &args.models,
            &ExploreRecord::new(&model, &run, TraceFormat::default(), peak),
        )?
    };
    // The figures come first: a file that cannot be written does not lose them.
    let written = results.output.write(text.as_bytes());
    if let Some(to) = results.export.take() {
        // The result has been written, so nothing more is said to programs.
        let graph = record_graph(
            &model,
            &run,
            &limits,
            &args.propositions,
            args.export_states,
        );
        let quiet = args.output.common.quiet;
        let graph = graph.map_err(Report::from);
        if let Err(report) = graph.and_then(|graph| to.write(&graph, "state", quiet)) {
            return Ok(results.output.refuse(&report, None));
        }
    }
    written?;
    Ok(exit_of(&run))
}

/// A file for a graph.
struct GraphTarget {
    path: PathBuf,
    target: Target,
    /// Where a graph goes that is not complete if the file has one that is.
    spare: Option<Target>,
}

impl GraphTarget {
    fn open(path: &Path, files: &mut Files) -> Result<Self, Report> {
        let target = files.target(path)?;
        let spare = path.with_extension("incomplete.swg");
        let replaceable = !is_complete(&spare);
        let spare = replaceable.then(|| files.target(&spare).ok()).flatten();
        Ok(Self {
            path: path.to_owned(),
            target,
            spare,
        })
    }
}

/// Whether a file is a graph of everything.
fn is_complete(path: &Path) -> bool {
    let graph = path
        .is_file()
        .then(|| open_graph(path, &Limits::default()).ok());
    graph
        .flatten()
        .is_some_and(|graph| graph.figures().complete)
}

/// Explores and writes the graph meanwhile. One that is not complete replaces none that is.
fn build(
    args: &ExploreArgs,
    model: &Model,
    order: &Order,
    options: &Options,
    to: GraphTarget,
    ticker: &mut Ticker<'_>,
) -> Result<Run, Report> {
    let GraphTarget {
        path,
        target,
        spare,
    } = to;
    let mut built = None;
    let mut belongs = Belongs::Here;
    let written = target.write_or(spare, |out| {
        let run = build_graph(model, order, options, &args.propositions, out, ticker);
        let run = run.map_err(unwritten)?;
        if !run.statistics.complete && is_complete(&path) {
            belongs = Belongs::Elsewhere;
        }
        built = Some(run);
        Ok(belongs)
    })?;
    let run = built.ok_or_else(|| miette!("the graph was not written"))?;
    let quiet = args.output.common.quiet;
    match &written {
        Some(written) if run.statistics.complete => announce(written, "the graph", quiet),
        Some(written) => announce(written, "a graph that is not complete", quiet),
        None => {}
    }
    if belongs == Belongs::Elsewhere {
        let why = match written {
            Some(_) => "the graph in it is complete",
            None => "the graph in it is complete; the other was not written",
        };
        announce_kept(&path, why, quiet);
    }
    Ok(run)
}

/// What is explored, and how: it is shown when the run starts.
fn heading(args: &ExploreArgs, model: &Model, order: &Order) -> String {
    let style = output::style(&args.output.common);
    let mut text = String::new();
    let heading = Heading {
        model: &model.name,
        several: false,
        summary: &model.summary,
        notes: vec![
            human::measure(style, order),
            human::preparation(model, order),
        ],
    };
    human::heading(&mut text, style, &heading);
    text
}

fn human_report(args: &ExploreArgs, model: &Model, run: &Run) -> String {
    let mut text = String::new();
    // Figures are all there is.
    let style = human::Style {
        quiet: false,
        ..output::style(&args.output.common)
    };
    human::run(&mut text, style, run);
    human::unseen(&mut text, style, model, slice::from_ref(run));
    text
}

fn exit_of(run: &Run) -> Exit {
    match (&run.failure, run.statistics.complete) {
        (Some(Failure::Bug(_) | Failure::WrongColumn { .. }), _) => Exit::Bug,
        (Some(Failure::Model { .. } | Failure::Assertion { .. }), _) => Exit::Violated,
        (None, false) => Exit::Inconclusive,
        (None, true) => Exit::Holds,
    }
}
