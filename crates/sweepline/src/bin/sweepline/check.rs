//! `sweepline check`

use std::path::Path;

use miette::{Report, miette};
use serde_json::Value;
use sweepline_core::Verdict;

use crate::args::{CheckArgs, Format, TraceFormat};
use crate::human::{self, Heading};
use crate::load::{self, Loaded};
use crate::measure::Spec;
use crate::output::{self, Exit, Output};
use crate::product;
use crate::properties::Asked;
use crate::record::{CheckRecord, Figures, PropertyRecord, SCHEMA, ShownTrace};
use crate::search::{self, Run, Shown, Trouble};
use crate::units;

/// Checks every model; a mistake in one does not keep the others from being checked.
pub fn check(args: &CheckArgs) -> Result<Exit, Report> {
    let mut output = Output::open(&args.output.common)?;
    let mut worst = Exit::Holds;
    for path in &args.models.models {
        let exit = check_model(args, path, &mut output).unwrap_or_else(|report| {
            output::print_error(&report);
            Exit::BadInput
        });
        worst = worst.min(exit);
    }
    Ok(worst)
}

fn check_model(args: &CheckArgs, path: &Path, output: &mut Output) -> Result<Exit, Report> {
    let model = load::load(path, &args.models)?;
    output::print_warnings(&model.warnings, args.output.common.quiet);
    let asked = Asked::gather(&args.properties, &model, path)?;
    let limits = output::limits(&args.search.limits);
    let mut spec = Spec::of(&args.measure, &model, path, &limits)?;
    let runs = search_all(args, &model, &mut spec, &asked)?;
    write_trace(args, &runs)?;
    let text = match args.output.format {
        Format::Human => human_report(args, &model, &spec, &asked, &runs),
        Format::Json if args.models.models.len() == 1 => {
            pretty(&record(args, &model, &spec, &runs))?
        }
        Format::Json | Format::Jsonl => line(&record(args, &model, &spec, &runs))?,
    };
    output.write(text.as_bytes())?;
    Ok(runs.iter().map(exit_of).min().unwrap_or(Exit::Holds))
}

/// One exploration for all properties of states, one more for each automaton.
fn search_all(
    args: &CheckArgs,
    model: &Loaded,
    spec: &mut Spec,
    asked: &Asked,
) -> Result<Vec<Run>, Report> {
    let mut runs = Vec::new();
    let (window, quiet) = (spec.window, args.output.common.quiet);
    let options = || output::options(&args.search, window);
    if !asked.properties.is_empty() {
        runs.push(search::explore_guarded(
            model,
            spec,
            asked,
            &options(),
            quiet,
        )?);
    }
    for automaton in &asked.automata {
        runs.push(product::explore(
            model,
            automaton,
            spec,
            asked,
            &options(),
            quiet,
        )?);
    }
    Ok(runs)
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
    text
}

fn record(args: &CheckArgs, model: &Loaded, spec: &Spec, runs: &[Run]) -> CheckRecord {
    let properties = runs.iter().flat_map(|run| {
        let figures = Figures::new(&run.statistics, spec);
        run.answers
            .iter()
            .map(move |answer| property(args, answer, figures.clone()))
    });
    CheckRecord {
        schema: SCHEMA,
        model: model.name.clone(),
        format: model.format.name(),
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
        statistics,
    }
}

fn json_trace(args: &CheckArgs, trace: &ShownTrace) -> Value {
    match args.traces.trace_format {
        TraceFormat::Json => trace.to_json(),
        TraceFormat::Itf => trace.to_itf(),
    }
}

/// Writes the first trace where the user wants it.
fn write_trace(args: &CheckArgs, runs: &[Run]) -> Result<(), Report> {
    let Some(path) = &args.traces.trace_out else {
        return Ok(());
    };
    let first = runs
        .iter()
        .flat_map(|run| &run.answers)
        .find_map(|answer| answer.trace.as_ref());
    let Some(trace) = first else { return Ok(()) };
    let file = output::create(path)?;
    serde_json::to_writer_pretty(file, &json_trace(args, trace))
        .map_err(|error| miette!("cannot write `{}`: {error}", path.display()))
}

pub fn pretty(record: &impl serde::Serialize) -> Result<String, Report> {
    let text = serde_json::to_string_pretty(record).map_err(|error| miette!("{error}"))?;
    Ok(text + "\n")
}

pub fn line(record: &impl serde::Serialize) -> Result<String, Report> {
    let text = serde_json::to_string(record).map_err(|error| miette!("{error}"))?;
    Ok(text + "\n")
}
