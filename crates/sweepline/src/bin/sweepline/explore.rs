//! `sweepline explore`

use std::path::Path;

use miette::{Report, miette};

use crate::args::{ExploreArgs, Format};
use crate::check::{line, pretty};
use crate::export;
use crate::human::{self, Heading};
use crate::load;
use crate::measure::Spec;
use crate::output::{self, Exit, Output};
use crate::properties::Asked;
use crate::record::{ExploreRecord, Figures, SCHEMA};
use crate::search::{self, Run, Trouble};

/// Explores every model; a mistake in one does not keep the others from being explored.
pub fn explore(args: &ExploreArgs) -> Result<Exit, Report> {
    if args.export.is_some() && args.models.models.len() > 1 {
        return Err(miette!(
            help = "explore one model at a time",
            "--export writes one state space"
        ));
    }
    let mut output = Output::open(&args.output.common)?;
    let mut worst = Exit::Holds;
    for path in &args.models.models {
        let exit = explore_model(args, path, &mut output).unwrap_or_else(|report| {
            output::print_error(&report);
            Exit::BadInput
        });
        worst = worst.min(exit);
    }
    Ok(worst)
}

fn explore_model(args: &ExploreArgs, path: &Path, output: &mut Output) -> Result<Exit, Report> {
    let model = load::load(path, &args.models)?;
    output::print_warnings(&model.warnings, args.output.common.quiet);
    let limits = output::limits(&args.search.limits);
    let mut spec = Spec::of(&args.measure, &model, path, &limits)?;
    let options = output::options(&args.search, spec.window);
    let quiet = args.output.common.quiet;
    let run = search::explore_guarded(&model, &mut spec, &Asked::default(), &options, quiet)?;
    if let Some(file) = &args.export {
        export::export(file, &model, &run, &spec, args)?;
    }
    let record = || ExploreRecord {
        schema: SCHEMA,
        model: model.name.clone(),
        format: model.format.name(),
        figures: Figures::new(&run.statistics, &spec),
        reason: run.stopped.as_ref().map(ToString::to_string),
    };
    let text = match args.output.format {
        Format::Human => {
            let style = output::style(&args.output.common);
            let mut text = String::new();
            let notes = vec![("measure", spec.describe())];
            human::heading(
                &mut text,
                style,
                &Heading {
                    model: &model.name,
                    summary: &model.summary,
                    notes,
                },
            );
            human::run(
                &mut text,
                human::Style {
                    quiet: false,
                    ..style
                },
                &run,
            );
            text
        }
        Format::Json if args.models.models.len() == 1 => pretty(&record())?,
        Format::Json | Format::Jsonl => line(&record())?,
    };
    output.write(text.as_bytes())?;
    Ok(exit_of(&run))
}

fn exit_of(run: &Run) -> Exit {
    match (&run.trouble, run.statistics.complete) {
        (Some(Trouble::Bug(_)), _) => Exit::Bug,
        (Some(Trouble::Model { .. }), _) => Exit::Violated,
        (None, false) => Exit::Inconclusive,
        (None, true) => Exit::Holds,
    }
}
