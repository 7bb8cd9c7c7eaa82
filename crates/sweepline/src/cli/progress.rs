//! `sweepline progress`: measures of a model, and what they would save.

use std::fmt::Write;

use miette::Report;
use sweepline_core::Limits;
use sweepline_report::plain::plain_lines;
use sweepline_report::{lines, table};
use sweepline_session::record::{CandidateRecord, MeasuresRecord, SCHEMA};
use sweepline_session::{Model, Order, Reading, try_out, units};

use super::args::{ProgressArgs, TableFormat};
use super::check::{mistake_in_table, object};
use super::models::{ModelSource, Models};
use super::output::{self, Exit, Output};
use super::ticker::Ticker;
use sweepline_report::files::Files;

/// Shows the measures of every model.
pub fn progress(args: &ProgressArgs, models: &Models) -> Result<Exit, Report> {
    let mut files = Files::reading(&args.models.models);
    let mut output = Output::open(&args.common, &mut files)?;
    let worst = models.worst(&args.models, |place| {
        let name = place.name();
        of_model(args, place, &mut output).or_else(|report| {
            let record = mistake_in_table(args.format, &args.models, name, &report);
            Ok(output.refuse(&report, record))
        })
    });
    Ok(output.finish(worst))
}

fn of_model(
    args: &ProgressArgs,
    place: ModelSource<'_>,
    output: &mut Output,
) -> Result<Exit, Report> {
    let limits = output::limits(&args.limits);
    let model = match place.load(&args.models, &limits)? {
        Reading::Loaded(model) => model,
        Reading::Stopped(stopped) => {
            output::print_error(&stopped);
            return Ok(Exit::Inconclusive);
        }
    };
    let text = match &args.explain {
        Some(action) => plain_lines(&model.explain(action)?).into_owned(),
        None => show(args, &model, &limits)?,
    };
    output.write(text.as_bytes())?;
    Ok(Exit::Holds)
}

fn show(args: &ProgressArgs, model: &Model, limits: &Limits) -> Result<String, Report> {
    let mut findings = model.find_measure(limits);
    let largest = if args.measure {
        let limits = || output::limits(&args.limits); // every measure has the same time
        let mut ticker = Ticker::new(args.common.quiet);
        try_out(model, &mut findings.choice, limits, &mut ticker)?
    } else {
        Vec::new()
    };
    let order = Order::found(&findings, false);
    let record = MeasuresRecord {
        schema: SCHEMA,
        model: model.name.clone(),
        states: findings.choice.states,
        flags: order.flags(),
        candidates: CandidateRecord::all(&findings.choice, &largest),
    };
    Ok(match args.format {
        TableFormat::Json | TableFormat::Jsonl => {
            let is_alone = args.format == TableFormat::Json && args.models.models.len() <= 1;
            object(is_alone, &record)?
        }
        TableFormat::Csv => table::comma_separated(&MeasuresRecord::RAW_HEADINGS, &record.raw()),
        TableFormat::Human | TableFormat::Markdown => {
            let width = output::terminal_width(&args.common);
            plain_lines(&human(&record, &order, args.format, width)).into_owned()
        }
    })
}

fn human(
    record: &MeasuresRecord,
    order: &Order,
    format: TableFormat,
    width: Option<usize>,
) -> String {
    let width = width.unwrap_or(usize::MAX);
    let mut text = match record.states {
        Some(states) => format!("{}  {}\n", record.model, units::counted(states, "state")),
        None => format!("{}\n", record.model),
    };
    let cells = record
        .candidates
        .iter()
        .enumerate()
        .map(|(index, row)| row.cells(index, record.states));
    let cells: Vec<Vec<String>> = cells.collect();
    if cells.is_empty() {
        text += "  no candidates: every action lies on a cycle that changes nothing, or nothing is known of the model\n";
    } else {
        text += &match format {
            TableFormat::Markdown => table::markdown(&CandidateRecord::HEADINGS, &cells),
            _ => table::fitting(&CandidateRecord::HEADINGS, &cells, width),
        };
        for (index, row) in record.candidates.iter().enumerate() {
            text += &lines::hanging(&format!("  {}: ", index + 1), &row.in_words(), width);
        }
    }
    text.push('\n');
    text += &lines::hanging("  measure   ", &order.describe(), width);
    // Not broken: it is meant to be copied.
    let _ = writeln!(text, "  flags     {}", record.flags);
    text
}
