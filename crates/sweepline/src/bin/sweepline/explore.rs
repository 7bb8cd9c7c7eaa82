//! `sweepline explore`

use std::path::Path;
use std::slice;

use miette::{Report, miette};

use crate::args::{ExploreArgs, Format};
use crate::check::{line, pretty};
use crate::export::{self, Export};
use crate::files::Files;
use crate::human::{self, Heading};
use crate::load::{self, Loaded};
use crate::measure::Spec;
use crate::output::{self, Exit, Output};
use crate::properties::Asked;
use crate::reading::Reading;
use crate::record::{ExploreRecord, Figures, SCHEMA, StoppedRecord};
use crate::search::{self, Assertions, Run, Trouble};
use crate::steer::Steering;
use crate::ticker::Patience;

/// Explores every model; a mistake in one does not keep the others from being explored.
pub fn explore(args: &ExploreArgs) -> Result<Exit, Report> {
    if args.export.is_some() && args.models.models.len() > 1 {
        return Err(miette!(
            help = "explore one model at a time",
            "--export writes one state space"
        ));
    }
    let mut files = Files::reading(&args.models.models);
    let mut session = Session {
        output: Output::open(&args.output.common, &mut files)?,
        export: match &args.export {
            Some(path) => Some(Export::open(path, &mut files)?),
            None => None,
        },
    };
    let mut worst = Exit::Holds;
    for path in &args.models.models {
        let exit = explore_model(args, path, &mut session).unwrap_or_else(|report| {
            output::print_error(&report);
            Exit::BadInput
        });
        worst = worst.min(exit);
    }
    Ok(session.output.finish(worst))
}

/// Where results go.
struct Session {
    output: Output,
    export: Option<Export>,
}

fn explore_model(args: &ExploreArgs, path: &Path, session: &mut Session) -> Result<Exit, Report> {
    let limits = output::limits(&args.search.limits);
    let options = output::options(&args.search, args.measure.window, &limits)?;
    let model = match load::load(path, &args.models, &limits)? {
        Reading::Loaded(model) => model,
        Reading::Stopped(stopped) => {
            let text = match args.output.format {
                Format::Human => human::stopped(output::style(&args.output.common), &stopped, []),
                _ => json(args, &StoppedRecord::new(&stopped, Vec::new()))?,
            };
            session.output.write(text.as_bytes())?;
            return Ok(Exit::Inconclusive);
        }
    };
    output::print_warnings(&model.warnings, args.output.common.quiet);
    let spec = Spec::of(&args.measure, &model, path, &limits)?;
    let steering = Steering {
        options,
        quiet: args.output.common.quiet,
        patience: Patience::default(),
    };
    let run = search::explore_guarded(&model, &spec, &Asked::default(), &steering)?;
    let text = match args.output.format {
        Format::Human => human_report(args, &model, &spec, &run),
        _ => json(args, &record(&model, &run))?,
    };
    // The figures come first: a file that cannot be written does not lose them.
    let written = session.output.write(text.as_bytes());
    if let (Some(to), Some(file)) = (session.export.take(), &args.export) {
        export::export(to, file, &model, &run, &limits, args)?;
    }
    written?;
    Ok(exit_of(&run))
}

fn record(model: &Loaded, run: &Run) -> ExploreRecord {
    ExploreRecord {
        schema: SCHEMA,
        model: model.name.clone(),
        format: model.format.name(),
        figures: Figures::new(run, model),
        reason: run.stopped.as_ref().map(ToString::to_string),
        assertions: search::assertions(model, slice::from_ref(run)).map(Assertions::name),
    }
}

fn human_report(args: &ExploreArgs, model: &Loaded, spec: &Spec, run: &Run) -> String {
    let style = output::style(&args.output.common);
    let mut text = String::new();
    let heading = Heading {
        model: &model.name,
        summary: &model.summary,
        notes: vec![
            ("measure", spec.describe()),
            human::preparation(model, spec),
        ],
    };
    human::heading(&mut text, style, &heading);
    // Figures are all there is.
    let style = human::Style {
        quiet: false,
        ..style
    };
    human::run(&mut text, style, run);
    human::unseen(&mut text, style, model, slice::from_ref(run));
    text
}

fn json(args: &ExploreArgs, record: &impl serde::Serialize) -> Result<String, Report> {
    if args.output.format == Format::Json && args.models.models.len() == 1 {
        pretty(record)
    } else {
        line(record)
    }
}

fn exit_of(run: &Run) -> Exit {
    match (&run.trouble, run.statistics.complete) {
        (Some(Trouble::Bug(_)), _) => Exit::Bug,
        (Some(Trouble::Model { .. }), _) => Exit::Violated,
        (None, false) => Exit::Inconclusive,
        (None, true) => Exit::Holds,
    }
}
