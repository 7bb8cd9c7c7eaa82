//! `sweepline compare`: methods and measures side by side.

use std::fmt::Write;
use std::path::Path;

use miette::{Report, miette};
use sweepline_explore::LogPlace;
#[cfg(feature = "png")]
use sweepline_report::chart::png;
use sweepline_report::chart::{Chart, svg};
use sweepline_report::plain::plain_lines;
use sweepline_report::{lines, picture, table};
use sweepline_session::record::{ComparedRecord, ComparisonRecord};
use sweepline_session::{
    Comparison, Model, Options, Order, Plain, Questions, Reading, explore, machine, units,
};

use super::args::{CompareArgs, TableFormat};
use super::check::{mistake_in_table, object};
use super::models::{ModelSource, Models};
use super::output::{self, Exit, Output};
use super::searches::searches;
use super::ticker::Ticker;
use sweepline_report::files::Files;

/// One line of the table.
#[derive(Clone, Debug)]
struct Row {
    record: ComparedRecord,
    label: &'static str,
    measure: String,
}

/// Explores every model by every method and prints one table.
pub fn compare(args: &CompareArgs, models: &Models) -> Result<Exit, Report> {
    let mut files = Files::reading(&args.models.models);
    let mut output = Output::open(&args.common, &mut files)?;
    let chart = match &args.chart {
        Some(file) => Some((painter_for(file)?, files.target(file)?)),
        None => None,
    };
    let (mut rows, mut searched) = (Vec::new(), String::new());
    let worst = models.worst(&args.models, |place| {
        let name = place.name();
        let compared = match compare_model(args, place) {
            Ok(compared) => compared,
            Err(report) => {
                let record = mistake_in_table(args.format, &args.models, name, &report);
                return Ok(output.refuse(&report, record));
            }
        };
        let of_model = match compared {
            None => return Ok(Exit::Inconclusive),
            Some(Compared::Orders(rows)) => rows,
            Some(Compared::Searches(text, exit)) => {
                searched += &text;
                return Ok(exit);
            }
        };
        let complete = of_model.iter().all(|row| row.record.figures.complete);
        rows.extend(of_model);
        Ok(if complete {
            Exit::Holds
        } else {
            Exit::Inconclusive
        })
    });
    let text = match args.format {
        _ if !(args.ltl.is_empty() && args.property.is_empty()) => searched,
        TableFormat::Human => {
            let width = output::terminal_width(&args.common);
            plain_lines(&human_table(&rows, width)).into_owned()
        }
        TableFormat::Json | TableFormat::Jsonl => {
            let is_alone = args.format == TableFormat::Json && args.models.models.len() <= 1;
            let of_model = |rows: &[Row]| {
                object(
                    is_alone,
                    &ComparisonRecord::new(rows.iter().map(|row| &row.record)),
                )
            };
            by_model(&rows)
                .map(of_model)
                .collect::<Result<String, Report>>()?
        }
        TableFormat::Csv => {
            let raw: Vec<_> = rows.iter().map(|row| row.record.raw()).collect();
            table::comma_separated(&ComparedRecord::RAW_HEADINGS, &raw)
        }
        TableFormat::Markdown => plain_lines(&markdown(&rows)).into_owned(),
    };
    let written = output.write(text.as_bytes());
    if let Some((paint, target)) = chart {
        let chart = picture::chart(&rows.iter().map(Row::point).collect::<Vec<_>>());
        let what = units::counted(rows.len() as u64, "exploration");
        let what = format!("the chart of {what}");
        let written = target.write(&paint(&chart)?)?;
        output::announce(&written, &what, args.common.quiet);
    }
    written?;
    Ok(output.finish(worst))
}

/// The rows of one model after the other.
fn by_model(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|a, b| a.record.model == b.record.model)
}

type Painter = fn(&Chart) -> Result<Vec<u8>, Report>;

/// How the picture is drawn in a file of this name.
fn painter_for(file: &Path) -> Result<Painter, Report> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(|chart| Ok(svg(chart).into_bytes())),
        #[cfg(feature = "png")]
        Some("png") => Ok(|chart| png(chart, 2).map_err(|error| miette!("{error}"))),
        #[cfg(not(feature = "png"))]
        Some("png") => Err(miette!(
            help = "end the name in .svg, or build sweepline with the feature `png`",
            "this sweepline was built without PNG files"
        )),
        _ => Err(miette!(
            help = "end the name in .svg or .png",
            "cannot tell from its name in which format to draw `{}`",
            file.display()
        )),
    }
}

impl Row {
    /// Where the row lies in the picture.
    fn point(&self) -> picture::Drawn {
        picture::Drawn {
            model: self.record.model.clone(),
            method: self.label,
            seconds: self.record.figures.seconds,
            bytes: self.record.figures.peak_bytes,
            complete: self.record.figures.complete,
            share: self.record.peak_share,
        }
    }
}

/// What is put side by side.
enum Compared {
    Orders(Vec<Row>),
    /// Searches for runs, as text.
    Searches(String, Exit),
}

/// Nothing if a limit was reached while the model was read.
fn compare_model(args: &CompareArgs, place: ModelSource<'_>) -> Result<Option<Compared>, Report> {
    let limits = output::limits(&args.limits);
    let model = match place.load(&args.models, &limits)? {
        Reading::Loaded(model) => model,
        Reading::Stopped(stopped) => {
            output::print_error(&stopped);
            return Ok(None);
        }
    };
    if !(args.ltl.is_empty() && args.property.is_empty()) {
        let (text, exit) = searches(args, &model)?;
        return Ok(Some(Compared::Searches(text, exit)));
    }
    let mut rows = Vec::new();
    let wanted = Comparison::from(args);
    for order in wanted.orders(&model, &limits)? {
        rows.push(row(args, &model, &order, None)?);
    }
    let states = rows.iter().find_map(|row| row.record.figures.states);
    for order in wanted.caches(states)? {
        let enough = states.map(|states| states.saturating_mul(ENOUGH).max(ENOUGH * 1000));
        rows.push(row(args, &model, &order, enough)?);
    }
    for row in &mut rows {
        #[expect(clippy::cast_precision_loss, reason = "a share with a few digits")]
        let share = states.map(|states| row.record.figures.peak_states as f64 / states as f64);
        row.record.peak_share = share.filter(|_| row.record.figures.complete);
    }
    Ok(Some(Compared::Orders(rows)))
}

/// How often each state is expanded by state space caching before it is enough: a small cache may never come to an end.
const ENOUGH: u64 = 30;

/// Explores in one order, up to a number of expansions unless the user limits them.
fn row(
    args: &CompareArgs,
    model: &Model,
    order: &Order,
    enough: Option<u64>,
) -> Result<Row, Report> {
    let mut limits = output::limits(&args.limits); // every method has the same time
    if args.limits.time.is_none() {
        limits.states = limits.states.or(enough);
    }
    let options = Options {
        limits,
        log: LogPlace::Off,
        patience: None,
        ..Options::default()
    };
    let mut ticker = Ticker::new(args.common.quiet);
    let nothing = Questions::default();
    let run = explore(model, &Plain(&nothing), order, &options, &mut ticker)?;
    let (label, measure) = match (&order.cache, order.is_constant()) {
        (Some(cache), _) => (
            "cache",
            format!("cache of {} states", units::grouped(cache.capacity as u64)),
        ),
        (None, true) => ("full", "full search".into()),
        (None, false) => ("sweep", order.describe()),
    };
    Ok(Row {
        record: ComparedRecord::new(model, order, &run, machine::process_peak()),
        label,
        measure,
    })
}

/// A table per model; measures are numbered and listed below, because they are long.
fn human_table(rows: &[Row], width: Option<usize>) -> String {
    let width = width.unwrap_or(usize::MAX);
    let mut text = String::new();
    for (index, rows) in by_model(rows).enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let states = rows[0].record.figures.states;
        let states = states.map_or_else(
            || "unknown number of states".into(),
            |states| units::counted(states, "state"),
        );
        let _ = writeln!(text, "{}  {states}", rows[0].record.model);
        let mut table = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let mut label = match (row.label, number) {
                ("full", _) => "full".to_owned(),
                (label, number) => format!("{label} {number}"),
            };
            if !row.record.figures.complete {
                label += " (incomplete)";
            }
            table.push([vec![label], row.record.cells()].concat());
        }
        text += &table::fitting(
            &[&[""], &ComparedRecord::HEADINGS[..]].concat(),
            &table,
            width,
        );
        for (number, row) in rows.iter().enumerate().skip(1) {
            let head = format!("  {} {number}: ", row.label);
            text += &lines::hanging(&head, &row.measure, width);
        }
    }
    text
}

fn markdown(rows: &[Row]) -> String {
    let mut text = format!(
        "| model | measure | states | {} |\n",
        ComparedRecord::HEADINGS.join(" | ")
    );
    let _ = writeln!(
        text,
        "| --- | --- |{}",
        " ---: |".repeat(ComparedRecord::HEADINGS.len() + 1)
    );
    for row in rows {
        let states = row
            .record
            .figures
            .states
            .map_or_else(|| "–".into(), units::grouped);
        let measure = if row.record.figures.complete {
            row.measure.clone()
        } else {
            format!("{} (incomplete)", row.measure)
        };
        let cells = [vec![measure, states], row.record.cells()]
            .concat()
            .join(" | ");
        let _ = writeln!(
            text,
            "| {} | {} |",
            row.record.model,
            cells.replace('\n', " ")
        );
    }
    text
}
