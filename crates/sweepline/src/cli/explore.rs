//! `sweepline explore`

use std::path::Path;
use std::slice;

use miette::{Report, miette};
use sweepline_check::Failure;
use sweepline_session::record::{ExploreRecord, TraceFormat};
use sweepline_session::{
    Model, Options, Order, Plain, Questions, Reading, Reduce, Run, build_graph, explore_reduced,
    machine, record_graph,
};

use super::args::{ExploreArgs, OutputFormat};
use super::check::{json, mistake, stopped_text};
use super::export::{Export, unwritten};
use super::human::{self, Heading};
use super::models::{ModelSource, Models};
use super::output::{self, Exit, Output, announce};
use super::ticker::Ticker;
use sweepline_report::files::{Files, Target};

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
        graph: graph.map(|path| files.target(path)).transpose()?,
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
    graph: Option<Target>,
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
    output::print_warnings(&model, args.output.common.quiet);
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

/// Explores and writes the graph meanwhile.
fn build(
    args: &ExploreArgs,
    model: &Model,
    order: &Order,
    options: &Options,
    target: Target,
    ticker: &mut Ticker<'_>,
) -> Result<Run, Report> {
    let mut built = None;
    let written = target.write_with(|out| {
        let run = build_graph(model, order, options, &args.propositions, out, ticker);
        built = Some(run.map_err(unwritten)?);
        Ok(())
    })?;
    let run = built.ok_or_else(|| miette!("the graph was not written"))?;
    let what = if run.statistics.complete {
        "the graph"
    } else {
        "a graph that is not complete"
    };
    announce(&written, what, args.output.common.quiet);
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
