//! `sweepline check`

use std::path::PathBuf;

use miette::{Report, miette};
use sweepline_check::Failure;
use sweepline_core::Verdict;
use sweepline_report::plain::plain;
use sweepline_session::record::{CheckRecord, ErrorRecord, StoppedRecord, TraceFormat};
use sweepline_session::{
    Answer, Model, NamedQuestion, Options, Order, QuestionOptions, Questions, Reading, Run,
    Stopped, machine, split_name, units, verify,
};

use super::args::{CheckArgs, ModelArgs, OutputArgs, OutputFormat, TableFormat};
use super::human::{self, Heading};
use super::models::{ModelSource, Models};
use super::output::{self, Exit, Output};
use super::ticker::Ticker;
use sweepline_report::files::{Files, Target};

/// Checks every model; a mistake in one does not keep the others from being checked.
pub fn check(args: &CheckArgs, models: &Models) -> Result<Exit, Report> {
    let mut files = Files::reading(inputs(args));
    let mut results = Results {
        output: Output::open(&args.output.common, &mut files)?,
        trace: match &args.traces.trace_out {
            Some(path) => Some(files.target(path)?),
            None => None,
        },
    };
    let worst = models.worst(&args.models, |place| {
        let name = place.name();
        check_model(args, place, &mut results).or_else(|report| {
            let record = mistake(&args.output, &args.models, name, &report);
            Ok(results.output.refuse(&report, record))
        })
    });
    Ok(results.output.finish(worst))
}

/// Where results go.
struct Results {
    output: Output,
    /// For the first trace.
    trace: Option<Target>,
}

/// The files that are read because somebody named them.
fn inputs(args: &CheckArgs) -> impl Iterator<Item = PathBuf> {
    let named = args.models.models.iter();
    let named = named.chain(&args.properties.safety_automaton).cloned();
    let properties = args.properties.property.iter();
    named.chain(properties.map(|argument| split_name(argument).0))
}

fn check_model(
    args: &CheckArgs,
    place: ModelSource<'_>,
    results: &mut Results,
) -> Result<Exit, Report> {
    let limits = output::limits(&args.search.limits);
    let options = Options {
        via: args.via,
        ..output::options(&args.search, &limits)?
    };
    let wanted = QuestionOptions::from(&args.properties);
    let model = match place.load(&args.models, &limits)? {
        Reading::Loaded(model) => model,
        Reading::Stopped(stopped) => {
            let text = stopped_text(&args.output, &args.models, &stopped, wanted.named())?;
            results.output.write(text.as_bytes())?;
            return Ok(Exit::Inconclusive);
        }
    };
    output::print_warnings(&model, &args.output.common);
    let questions = Questions::gather(&wanted, &model)?;
    for wrong in &questions.warnings {
        output::print_error(wrong.as_ref());
    }
    let order = Order::of(&(&args.measure).into(), &model, &limits)?;
    let is_human = args.output.format == OutputFormat::Human;
    let mut ticker = Ticker::new(args.output.common.quiet);
    if is_human {
        let heading = heading(args, &model, &order, &questions);
        ticker = ticker.with_heading(&mut results.output, heading);
    }
    let runs = verify(&model, &questions, &order, &options, &mut ticker)?;
    let traces = args.traces.trace_format;
    let text = if is_human {
        human_report(args, &model, &runs)
    } else {
        let peak = machine::process_peak();
        json(
            &args.output,
            &args.models,
            &CheckRecord::new(&model, &runs, traces, peak),
        )?
    };
    // The verdict comes first: a trace that cannot be written does not lose it.
    let written = results.output.write(text.as_bytes());
    if let Err(report) = write_trace(args, traces, &runs, results) {
        return Ok(results.output.refuse(&report, None));
    }
    written?;
    Ok(runs.iter().map(exit_of).min().unwrap_or(Exit::Holds))
}

/// What is printed if a limit was reached before there was a model to ask.
pub fn stopped_text(
    output: &OutputArgs,
    models: &ModelArgs,
    stopped: &Stopped,
    asked: Vec<NamedQuestion>,
) -> Result<String, Report> {
    if output.format != OutputFormat::Human {
        return json(output, models, &StoppedRecord::new(stopped, asked));
    }
    let names = asked.iter().map(|named| named.name.as_str());
    Ok(human::stopped(
        output::style(&output.common),
        stopped,
        names,
    ))
}

pub fn exit_of(run: &Run) -> Exit {
    let failure = match run.failure {
        None => Exit::Holds,
        Some(Failure::Model { .. } | Failure::Assertion { .. }) => Exit::Violated,
        Some(Failure::Bug(_) | Failure::WrongColumn { .. }) => Exit::Bug,
    };
    let answers = run.answers.iter();
    let verdicts = answers.map(|answer| verdict_exit(&answer.verdict));
    verdicts.chain([failure]).min().unwrap_or(Exit::Holds)
}

pub fn verdict_exit(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Holds => Exit::Holds,
        Verdict::Violated => Exit::Violated,
        Verdict::Inconclusive(_) => Exit::Inconclusive,
    }
}

/// What is explored, and how: it is shown when the run starts.
fn heading(args: &CheckArgs, model: &Model, order: &Order, questions: &Questions) -> String {
    let style = output::style(&args.output.common);
    let mut notes = vec![human::measure(style, order)];
    notes.extend(questions.note.iter().map(|note| ("asked", note.clone())));
    if args.search.limits.memory.is_none()
        && let Some(memory) = machine::default_memory()
    {
        notes.push((
            "memory",
            format!("up to {} (--memory)", units::bytes(memory)),
        ));
    }
    notes.push(human::preparation(model, order));
    let mut text = String::new();
    let heading = Heading {
        model: &model.name,
        several: args.models.models.len() > 1,
        summary: &model.summary,
        notes,
    };
    human::heading(&mut text, style, &heading);
    text
}

fn human_report(args: &CheckArgs, model: &Model, runs: &[Run]) -> String {
    let style = output::style(&args.output.common);
    let mut text = String::new();
    for (index, run) in runs.iter().enumerate() {
        if index > 0 && !style.quiet {
            text.push('\n');
        }
        human::run(&mut text, style, run);
    }
    human::unseen(&mut text, style, model, runs);
    text
}

/// Writes the first trace where the user wants it: that of a violation, if there is one.
fn write_trace(
    args: &CheckArgs,
    traces: TraceFormat,
    runs: &[Run],
    results: &mut Results,
) -> Result<(), Report> {
    if results.trace.is_none() {
        return Ok(()); // to put a long path into words takes long
    }
    let answers = || runs.iter().flat_map(|run| &run.answers);
    let shown = |answer: &'_ Answer| Some((answer.name.clone(), answer.evidence.as_ref()?.shown()));
    let mut violated = answers().filter(|answer| answer.verdict == Verdict::Violated);
    let first = violated.find_map(shown);
    let any = || answers().find_map(shown);
    if let Some((name, trace)) = first.or_else(any)
        && let Some(target) = results.trace.take()
    {
        let written = target.write(traces.text(&trace).as_bytes())?;
        let steps = units::counted(trace.steps.len() as u64, "step");
        let what = format!("the trace for {}, {steps},", plain(&name));
        output::announce(&written, &what, args.output.common.quiet);
    }
    Ok(())
}

/// What is wrong with a model, for programs.
pub fn mistake(
    output: &OutputArgs,
    models: &ModelArgs,
    name: String,
    report: &Report,
) -> Option<Result<String, Report>> {
    let wanted = output.format != OutputFormat::Human;
    wanted.then(|| {
        json(
            output,
            models,
            &ErrorRecord::new(Some(name), report.as_ref()),
        )
    })
}

/// The same for commands that print tables.
pub fn mistake_in_table(
    format: TableFormat,
    models: &ModelArgs,
    name: String,
    report: &Report,
) -> Option<Result<String, Report>> {
    let is_alone = match format {
        TableFormat::Json => models.models.len() <= 1,
        TableFormat::Jsonl => false,
        TableFormat::Human | TableFormat::Csv | TableFormat::Markdown => return None,
    };
    let record = ErrorRecord::new(Some(name), report.as_ref());
    Some(object(is_alone, &record))
}

pub fn pretty(record: &impl serde::Serialize) -> Result<String, Report> {
    let text = serde_json::to_string_pretty(record).map_err(|error| miette!("{error}"))?;
    Ok(text + "\n")
}

/// Several models are told apart by lines.
pub fn json(
    output: &OutputArgs,
    models: &ModelArgs,
    record: &impl serde::Serialize,
) -> Result<String, Report> {
    let is_alone = output.format == OutputFormat::Json && models.models.len() <= 1;
    object(is_alone, record)
}

/// An object in several lines if it is alone, and otherwise in one.
pub fn object(is_alone: bool, record: &impl serde::Serialize) -> Result<String, Report> {
    if is_alone {
        return pretty(record);
    }
    let text = serde_json::to_string(record).map_err(|error| miette!("{error}"))?;
    Ok(text + "\n")
}
