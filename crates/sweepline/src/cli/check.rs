//! `sweepline check`

use std::path::PathBuf;

use miette::{Report, miette};
use sweepline_check::Failure;
use sweepline_core::Verdict;
use sweepline_report::plain::plain;
use sweepline_session::record::{CheckRecord, StoppedRecord, TraceFormat};
use sweepline_session::{
    Model, Order, QuestionOptions, Questions, Reading, Run, Stopped, machine, split_name, units,
    verify,
};

use super::args::{CheckArgs, ModelArgs, OutputArgs, OutputFormat};
use super::files::{Files, Target};
use super::human::{self, Heading};
use super::models::{ModelSource, Models};
use super::output::{self, Exit, Output};
use super::ticker::Ticker;

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
    let worst = models.worst(&args.models, |place| check_model(args, place, &mut results));
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
    let options = output::options(&args.search, &limits)?;
    let wanted = QuestionOptions::from(&args.properties);
    let model = match place.load(&args.models, &limits)? {
        Reading::Loaded(model) => model,
        Reading::Stopped(stopped) => return stop(args, &stopped, &wanted, results),
    };
    output::print_warnings(&model, args.output.common.quiet);
    let questions = Questions::gather(&wanted, &model)?;
    let order = Order::of(&(&args.measure).into(), &model, &limits)?;
    let is_human = args.output.format == OutputFormat::Human;
    let mut ticker = Ticker::new(args.output.common.quiet);
    if is_human {
        let heading = heading(args, &model, &order, &questions);
        ticker = ticker.with_heading(&mut results.output, heading);
    }
    let runs = verify(&model, &questions, &order, &options, &mut ticker)?;
    let traces = args.traces.trace_format.into();
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
    write_trace(args, traces, &runs, results)?;
    written?;
    Ok(runs.iter().map(exit_of).min().unwrap_or(Exit::Holds))
}

/// A limit was reached before there was a model to ask.
fn stop(
    args: &CheckArgs,
    stopped: &Stopped,
    wanted: &QuestionOptions,
    results: &mut Results,
) -> Result<Exit, Report> {
    let asked = wanted.named();
    let text = if args.output.format == OutputFormat::Human {
        let names = asked.iter().map(|named| named.name.as_str());
        human::stopped(output::style(&args.output.common), stopped, names)
    } else {
        json(
            &args.output,
            &args.models,
            &StoppedRecord::new(stopped, asked),
        )?
    };
    results.output.write(text.as_bytes())?;
    Ok(Exit::Inconclusive)
}

fn exit_of(run: &Run) -> Exit {
    let failure = match run.failure {
        None => Exit::Holds,
        Some(Failure::Model { .. }) => Exit::Violated,
        Some(Failure::Bug(_) | Failure::WrongColumn { .. }) => Exit::Bug,
    };
    let verdicts = run.answers.iter().map(|answer| match answer.verdict {
        Verdict::Holds => Exit::Holds,
        Verdict::Violated => Exit::Violated,
        Verdict::Inconclusive(_) => Exit::Inconclusive,
    });
    verdicts.chain([failure]).min().unwrap_or(Exit::Holds)
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

/// Writes the first trace where the user wants it.
fn write_trace(
    args: &CheckArgs,
    traces: TraceFormat,
    runs: &[Run],
    results: &mut Results,
) -> Result<(), Report> {
    let mut answers = runs.iter().flat_map(|run| &run.answers);
    let first = answers.find_map(|answer| Some((answer, answer.evidence.as_ref()?.shown())));
    if let Some((answer, trace)) = first
        && let Some(target) = results.trace.take()
    {
        let written = target.write(pretty(&traces.write(&trace))?.as_bytes())?;
        let steps = units::counted(trace.steps.len() as u64, "step");
        let what = format!("the trace for {}, {steps},", plain(&answer.name));
        written.announce(&what, args.output.common.quiet);
    }
    Ok(())
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
