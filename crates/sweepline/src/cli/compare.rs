//! `sweepline compare`: methods and measures side by side.

use std::fmt::Write;

use miette::{Report, miette};
use sweepline_core::Limits;
use sweepline_explore::LogPlace;
use sweepline_report::plain::plain_lines;
use sweepline_report::{picture, table};
use sweepline_session::record::ComparedRecord;
use sweepline_session::{
    Cache, Linearise, Model, Options, Order, Plain, Questions, Reading, explore, units,
};

use super::args::{CompareArgs, TableFormat};
use super::check::pretty;
use super::files::Files;
use super::machine;
use super::models::{ModelSource, Models};
use super::output::{self, Exit, Output};
use super::ticker::Ticker;

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
        Some(file) => Some(files.target(file)?),
        None => None,
    };
    let (mut rows, mut all) = (Vec::new(), true);
    for place in models.of(&args.models) {
        match compare_model(args, place)? {
            Some(of_model) => rows.extend(of_model),
            None => all = false,
        }
    }
    let text = match args.format {
        TableFormat::Human => plain_lines(&human_table(&rows)).into_owned(),
        TableFormat::Json => pretty(&rows.iter().map(|row| &row.record).collect::<Vec<_>>())?,
        TableFormat::Csv => csv(&rows),
        TableFormat::Markdown => plain_lines(&markdown(&rows)).into_owned(),
    };
    let written = output.write(text.as_bytes());
    if let Some(target) = chart {
        let chart = picture::chart(&rows.iter().map(Row::point).collect::<Vec<_>>());
        target.write(chart.as_bytes())?;
    }
    written?;
    let complete = all && rows.iter().all(|row| row.record.figures.complete);
    Ok(output.finish(if complete {
        Exit::Holds
    } else {
        Exit::Inconclusive
    }))
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

/// Nothing if a limit was reached while the model was read.
fn compare_model(args: &CompareArgs, place: ModelSource<'_>) -> Result<Option<Vec<Row>>, Report> {
    let limits = output::limits(&args.limits);
    let model = match place.load(&args.models, &limits)? {
        Reading::Loaded(model) => model,
        Reading::Stopped(stopped) => {
            output::print_error(&stopped);
            return Ok(None);
        }
    };
    let mut rows = Vec::new();
    for order in orders(args, &model, &limits)? {
        rows.push(row(args, &model, &order)?);
    }
    let states = rows.iter().find_map(|row| row.record.figures.states);
    for order in caches(args, states)? {
        rows.push(row(args, &model, &order)?);
    }
    for row in &mut rows {
        #[expect(clippy::cast_precision_loss, reason = "a share with a few digits")]
        let share = states.map(|states| row.record.figures.peak_states as f64 / states as f64);
        row.record.peak_share = share.filter(|_| row.record.figures.complete);
    }
    Ok(Some(rows))
}

fn row(args: &CompareArgs, model: &Model, order: &Order) -> Result<Row, Report> {
    let options = Options {
        limits: output::limits(&args.limits), // every method has the same time
        log: LogPlace::Off,
        patience: None,
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

/// State space caching with every size of the cache that is asked for.
fn caches(args: &CompareArgs, states: Option<u64>) -> Result<Vec<Order>, Report> {
    let mut orders = Vec::new();
    for size in &args.cache {
        let capacity = match (size.strip_suffix('%'), states) {
            (None, _) => size.parse().ok(),
            (Some(part), Some(states)) => {
                part.parse::<f64>().ok().map(|part| part_of(states, part))
            }
            (Some(_), None) => {
                return Err(miette!(
                    help = "give numbers of states: --cache 10000,5000",
                    "how many states there are is not known, so there are no parts of them"
                ));
            }
        };
        let capacity = capacity
            .ok_or_else(|| miette!(help = "write 5000 or 10%", "`{size}` is no size of a cache"))?;
        orders.push(Order {
            cache: Some(Cache {
                capacity,
                replacement: args.replace.into(),
            }),
            ..Order::default()
        });
    }
    Ok(orders)
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a number of states need not be exact"
)]
fn part_of(states: u64, part: f64) -> usize {
    (states as f64 * part.clamp(0.0, 1e6) / 100.0) as usize
}

/// Full search, then every measure in every variant.
fn orders(args: &CompareArgs, model: &Model, limits: &Limits) -> Result<Vec<Order>, Report> {
    let mut measures: Vec<(Option<&str>, Option<&str>)> = Vec::new();
    measures.extend(
        args.columns
            .iter()
            .map(|columns| (Some(columns.as_str()), None)),
    );
    measures.extend(args.progress.iter().map(|rows| (None, Some(rows.as_str()))));
    for columns in &args.columns {
        measures.extend(
            args.progress
                .iter()
                .map(|rows| (Some(columns.as_str()), Some(rows.as_str()))),
        );
    }
    let mut orders = vec![Order::default()];
    if measures.is_empty() {
        measures.extend(model.format.own_progress().map(|own| (None, Some(own))));
    }
    if measures.is_empty() && args.measures.is_empty() {
        let found = Order::found(&model.find_measure(limits), true);
        orders.extend((!found.is_constant()).then_some(found));
    }
    for &rule in &args.measures {
        orders.push(Order::by_ranking(
            rule.into(),
            Linearise::Lexicographic,
            1,
            model,
        )?);
    }
    for (columns, rows) in measures {
        for &coarsen in &args.coarsen {
            for &window in &args.window {
                let mut order = Order::parse(columns, rows, coarsen, window)?;
                order.use_ids(model);
                orders.push(order);
            }
        }
    }
    Ok(orders)
}

/// The columns behind the measure, in tables for reading.
const HEADINGS: [&str; 8] = [
    "explored", "layers", "sweeps", "kept", "peak", "share", "memory", "time",
];

fn cells(row: &Row) -> Vec<String> {
    let figures = &row.record.figures;
    vec![
        units::grouped(figures.explored),
        units::grouped(figures.layers),
        units::grouped(figures.sweeps),
        units::grouped(figures.persistent),
        units::grouped(figures.peak_states),
        row.record
            .peak_share
            .map_or_else(|| "–".into(), |share| format!("{:.1} %", share * 100.0)),
        units::bytes(figures.peak_bytes),
        format!("{:.3} s", figures.seconds),
    ]
}

/// A table per model; measures are numbered and listed below, because they are long.
fn human_table(rows: &[Row]) -> String {
    let mut text = String::new();
    for (index, rows) in rows
        .chunk_by(|a, b| a.record.model == b.record.model)
        .enumerate()
    {
        if index > 0 {
            text.push('\n');
        }
        let states = rows[0]
            .record
            .figures
            .states
            .map_or_else(|| "unknown number of".into(), units::grouped);
        let _ = writeln!(text, "{}  {states} states", rows[0].record.model);
        let mut table = vec![[vec![String::new()], HEADINGS.map(str::to_owned).to_vec()].concat()];
        for (number, row) in rows.iter().enumerate() {
            let mut label = match (row.label, number) {
                ("full", _) => "full".to_owned(),
                (label, number) => format!("{label} {number}"),
            };
            if !row.record.figures.complete {
                label += " (incomplete)";
            }
            table.push([vec![label], cells(row)].concat());
        }
        text += &table::align(&table);
        for (number, row) in rows.iter().enumerate().skip(1) {
            let _ = writeln!(text, "  {} {number}: {}", row.label, row.measure);
        }
    }
    text
}

fn markdown(rows: &[Row]) -> String {
    let mut text = format!("| model | measure | states | {} |\n", HEADINGS.join(" | "));
    let _ = writeln!(
        text,
        "| --- | --- |{}",
        " ---: |".repeat(HEADINGS.len() + 1)
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
        let cells = [vec![measure, states], cells(row)].concat().join(" | ");
        let _ = writeln!(
            text,
            "| {} | {} |",
            row.record.model,
            cells.replace('\n', " ")
        );
    }
    text
}

/// Raw numbers, for spreadsheets.
fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "model,method,columns,rows,window,coarsen,complete,states,explored,edges,deadlocks,layers,sweeps,\
         column_sweeps,regress_edges,persistent,peak_states,peak_bytes,seconds\n",
    );
    let optional =
        |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
    for row in rows {
        let f = &row.record.figures;
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            table::quoted(&row.record.model),
            f.method,
            table::quoted(&f.progress.measure.columns),
            table::quoted(&f.progress.measure.rows),
            row.record.window,
            row.record.coarsen,
            f.complete,
            optional(f.states),
            f.explored,
            f.edges,
            optional(f.deadlocks),
            f.layers,
            f.sweeps,
            f.column_sweeps,
            f.regress_edges,
            f.persistent,
            f.peak_states,
            f.peak_bytes,
            f.seconds
        );
    }
    text
}
