//! `sweepline check`

use std::path::{Path, PathBuf};

use miette::{Report, miette};
use serde_json::Value;
use sweepline_core::Verdict;

use crate::args::{CheckArgs, Format, TraceFormat};
use crate::files::{Files, Target};
use crate::human::{self, Heading};
use crate::load::{self, Loaded};
use crate::measure::Spec;
use crate::output::{self, Exit, Output};
use crate::product;
use crate::properties::{self, Asked};
use crate::reading::{Reading, Stopped};
use crate::record::{CheckRecord, Figures, PropertyRecord, SCHEMA, ShownTrace, StoppedRecord};
use crate::search::{self, Assertions, Run, Shown, Trouble};
use crate::steer::Steering;
use crate::ticker::Patience;
use crate::units;

/// Checks every model; a mistake in one does not keep the others from being checked.
pub fn check(args: &CheckArgs) -> Result<Exit, Report> {
    let mut files = Files::reading(inputs(args));
    let mut session = Session {
        output: Output::open(&args.output.common, &mut files)?,
        trace: match &args.traces.trace_out {
            Some(path) => Some(files.target(path)?),
            None => None,
        },
    };
    let mut worst = Exit::Holds;
    for path in &args.models.models {
        let exit = check_model(args, path, &mut session).unwrap_or_else(|report| {
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
    /// For the first trace.
    trace: Option<Target>,
}

/// The files that are read because somebody named them.
fn inputs(args: &CheckArgs) -> impl Iterator<Item = PathBuf> {
    let named = args.models.models.iter();
    let named = named.chain(&args.properties.safety_automaton).cloned();
    let properties = args.properties.property.iter();
    named.chain(properties.map(|argument| properties::split_name(argument).0))
}

fn check_model(args: &CheckArgs, path: &Path, session: &mut Session) -> Result<Exit, Report> {
    let limits = output::limits(&args.search.limits);
    let options = output::options(&args.search, args.measure.window, &limits)?;
    let model = match load::load(path, &args.models, &limits)? {
        Reading::Loaded(model) => model,
        Reading::Stopped(stopped) => return stop(args, &stopped, session),
    };
    output::print_warnings(&model.warnings, args.output.common.quiet);
    let asked = Asked::gather(&args.properties, &model, path)?;
    let spec = Spec::of(&args.measure, &model, path, &limits)?;
    let steering = Steering {
        options,
        quiet: args.output.common.quiet,
        patience: Patience::default(),
    };
    let runs = search_all(&model, &spec, &asked, &steering)?;
    let text = match args.output.format {
        Format::Human => human_report(args, &model, &spec, &asked, &runs),
        _ => json(args, &record(args, &model, &runs))?,
    };
    // The verdict comes first: a trace that cannot be written does not lose it.
    let written = session.output.write(text.as_bytes());
    write_trace(args, &runs, session)?;
    written?;
    Ok(runs.iter().map(exit_of).min().unwrap_or(Exit::Holds))
}

/// One exploration for all properties of states, one more for each automaton.
fn search_all(
    model: &Loaded,
    spec: &Spec,
    asked: &Asked,
    steering: &Steering,
) -> Result<Vec<Run>, Report> {
    let mut runs = Vec::new();
    if !asked.properties.is_empty() {
        runs.push(search::explore_guarded(model, spec, asked, steering)?);
    }
    for automaton in &asked.automata {
        runs.push(product::explore(model, automaton, spec, asked, steering)?);
    }
    Ok(runs)
}

/// A limit was reached before there was a model to ask.
fn stop(args: &CheckArgs, stopped: &Stopped, session: &mut Session) -> Result<Exit, Report> {
    let asked = properties::named(&args.properties);
    let text = if args.output.format == Format::Human {
        let names = asked.iter().map(|named| named.name.as_str());
        human::stopped(output::style(&args.output.common), stopped, names)
    } else {
        let unknown = asked.into_iter().map(|named| PropertyRecord {
            name: named.name,
            kind: named.kind.to_string(),
            formula: named.text,
            verdict: "inconclusive",
            value: None,
            reason: Some(stopped.reason.to_string()),
            trace: None,
            statistics: None,
        });
        json(args, &StoppedRecord::new(stopped, unknown.collect()))?
    };
    session.output.write(text.as_bytes())?;
    Ok(Exit::Inconclusive)
}

fn json(args: &CheckArgs, record: &impl serde::Serialize) -> Result<String, Report> {
    if args.output.format == Format::Json && args.models.models.len() == 1 {
        pretty(record)
    } else {
        line(record)
    }
}

fn exit_of(run: &Run) -> Exit {
    let trouble = match run.trouble {
        None => Exit::Holds,
        Some(Trouble::Model { .. }) => Exit::Violated,
        Some(Trouble::Bug(_)) => Exit::Bug,
    };
    let verdicts = run.answers.iter().map(|answer| match answer.verdict {
        Verdict::Holds => Exit::Holds,
        Verdict::Violated => Exit::Violated,
        Verdict::Inconclusive(_) => Exit::Inconclusive,
    });
    verdicts.chain([trouble]).min().unwrap_or(Exit::Holds)
}

fn human_report(
    args: &CheckArgs,
    model: &Loaded,
    spec: &Spec,
    asked: &Asked,
    runs: &[Run],
) -> String {
    let style = output::style(&args.output.common);
    let mut notes = vec![("measure", spec.describe())];
    notes.extend(asked.note.iter().map(|note| ("asked", note.clone())));
    if args.search.limits.memory.is_none()
        && let Some(memory) = crate::machine::default_memory()
    {
        notes.push((
            "memory",
            format!("up to {} (--memory)", units::bytes(memory)),
        ));
    }
    notes.push(human::preparation(model, spec));
    let mut text = String::new();
    let heading = Heading {
        model: &model.name,
        summary: &model.summary,
        notes,
    };
    human::heading(&mut text, style, &heading);
    for (index, run) in runs.iter().enumerate() {
        if index > 0 && !style.quiet {
            text.push('\n');
        }
        human::run(&mut text, style, run);
    }
    human::unseen(&mut text, style, model, runs);
    text
}

fn record(args: &CheckArgs, model: &Loaded, runs: &[Run]) -> CheckRecord {
    let properties = runs.iter().flat_map(|run| {
        let figures = Figures::new(run, model);
        run.answers
            .iter()
            .map(move |answer| property(args, answer, figures.clone()))
    });
    CheckRecord {
        schema: SCHEMA,
        model: model.name.clone(),
        format: model.format.name(),
        assertions: search::assertions(model, runs).map(Assertions::name),
        properties: properties.collect(),
    }
}

fn property(args: &CheckArgs, answer: &Shown, statistics: Figures) -> PropertyRecord {
    let (verdict, reason) = match &answer.verdict {
        Verdict::Holds => ("holds", None),
        Verdict::Violated => ("violated", None),
        Verdict::Inconclusive(reason) => ("inconclusive", Some(reason.to_string())),
    };
    PropertyRecord {
        name: answer.name.clone(),
        kind: answer.kind.to_string(),
        formula: answer.text.clone(),
        verdict,
        value: answer.value,
        reason: reason.or_else(|| answer.lost_trace.clone()),
        trace: answer.trace.as_ref().map(|trace| json_trace(args, trace)),
        statistics: Some(statistics),
    }
}

fn json_trace(args: &CheckArgs, trace: &ShownTrace) -> Value {
    match args.traces.trace_format {
        TraceFormat::Json => trace.to_json(),
        TraceFormat::Itf => trace.to_itf(),
    }
}

/// Writes the first trace where the user wants it.
fn write_trace(args: &CheckArgs, runs: &[Run], session: &mut Session) -> Result<(), Report> {
    let first = runs
        .iter()
        .flat_map(|run| &run.answers)
        .find_map(|answer| answer.trace.as_ref());
    let Some(trace) = first else { return Ok(()) };
    match session.trace.take() {
        Some(target) => target.write(pretty(&json_trace(args, trace))?.as_bytes()),
        None => Ok(()),
    }
}

pub fn pretty(record: &impl serde::Serialize) -> Result<String, Report> {
    let text = serde_json::to_string_pretty(record).map_err(|error| miette!("{error}"))?;
    Ok(text + "\n")
}

pub fn line(record: &impl serde::Serialize) -> Result<String, Report> {
    let text = serde_json::to_string(record).map_err(|error| miette!("{error}"))?;
    Ok(text + "\n")
}
