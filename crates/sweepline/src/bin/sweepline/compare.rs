//! `sweepline compare`: methods and measures side by side.

use std::fmt::Write;
use std::path::Path;

use miette::{Report, miette};
use serde::Serialize;
use sweepline_core::Limits;
use sweepline_explore::{LogPlace, Options};

use crate::args::{CompareArgs, TableFormat};
use crate::check::pretty;
use crate::files::Files;
use crate::load::{self, Loaded};
use crate::measure::{Cache, Spec};
use crate::output::{self, Exit, Output};
use crate::picture;
use crate::plain::plain_lines;
use crate::properties::Asked;
use crate::reading::Reading;
use crate::record::Figures;
use crate::search;
use crate::table;
use crate::ticker::Ticker;
use crate::units;

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
struct Row {
    model: String,
    window: u64,
    coarsen: u64,
    #[serde(flatten)]
    figures: Figures,
    #[serde(skip)]
    label: &'static str,
    #[serde(skip)]
    measure: String,
    /// Peak of stored states as a share of all states, where both are known.
    peak_share: Option<f64>,
}

/// Explores every model by every method and prints one table.
pub fn compare(args: &CompareArgs) -> Result<Exit, Report> {
    let mut files = Files::reading(&args.models.models);
    let mut output = Output::open(&args.common, &mut files)?;
    let chart = match &args.chart {
        Some(file) => Some(files.target(file)?),
        None => None,
    };
    let (mut rows, mut all) = (Vec::new(), true);
    for path in &args.models.models {
        match compare_model(args, path)? {
            Some(of_model) => rows.extend(of_model),
            None => all = false,
        }
    }
    let text = match args.format {
        TableFormat::Human => plain_lines(&human_table(&rows)).into_owned(),
        TableFormat::Json => pretty(&rows)?,
        TableFormat::Csv => csv(&rows),
        TableFormat::Markdown => plain_lines(&markdown(&rows)).into_owned(),
    };
    let written = output.write(text.as_bytes());
    if let Some(target) = chart {
        let chart = picture::chart(&rows.iter().map(Row::point).collect::<Vec<_>>());
        target.write(chart.as_bytes())?;
    }
    written?;
    let complete = all && rows.iter().all(|row| row.figures.complete);
    Ok(output.finish(if complete {
        Exit::Holds
    } else {
        Exit::Inconclusive
    }))
}

impl Row {
    /// Where the row lies in the picture.
    fn point(&self) -> picture::Run {
        picture::Run {
            model: self.model.clone(),
            method: self.label,
            seconds: self.figures.seconds,
            bytes: self.figures.peak_bytes,
            complete: self.figures.complete,
            share: self.peak_share,
        }
    }
}

/// Nothing if a limit was reached while the model was read.
fn compare_model(args: &CompareArgs, path: &Path) -> Result<Option<Vec<Row>>, Report> {
    let limits = output::limits(&args.limits);
    let model = match load::load(path, &args.models, &limits)? {
        Reading::Loaded(model) => model,
        Reading::Stopped(stopped) => {
            output::print_error(&stopped.into());
            return Ok(None);
        }
    };
    let mut rows = Vec::new();
    for spec in specs(args, &model, &limits)? {
        rows.push(explore(args, &model, &spec)?);
    }
    let states = rows.iter().find_map(|row| row.figures.states);
    for spec in caches(args, states)? {
        rows.push(explore(args, &model, &spec)?);
    }
    for row in &mut rows {
        #[expect(clippy::cast_precision_loss, reason = "a share with a few digits")]
        let share = states.map(|states| row.figures.peak_states as f64 / states as f64);
        row.peak_share = share.filter(|_| row.figures.complete);
    }
    Ok(Some(rows))
}

fn explore(args: &CompareArgs, model: &Loaded, spec: &Spec) -> Result<Row, Report> {
    let mut ticker = Ticker::new(args.common.quiet);
    let options = Options {
        limits: output::limits(&args.limits), // every method has the same time
        window: spec.window,
        log: LogPlace::Off,
    };
    let run = search::explore(model, spec, &Asked::default(), options, &mut ticker);
    ticker.clear();
    let (label, measure) = match (&spec.cache, spec.is_constant()) {
        (Some(cache), _) => (
            "cache",
            format!("cache of {} states", units::grouped(cache.capacity as u64)),
        ),
        (None, true) => ("full", "full search".into()),
        (None, false) => ("sweep", spec.describe()),
    };
    Ok(Row {
        model: model.name.clone(),
        window: spec.window,
        coarsen: spec.measure.coarsen,
        figures: Figures::new(&run?, model),
        label,
        measure,
        peak_share: None,
    })
}

/// State space caching with every size of the cache that is asked for.
fn caches(args: &CompareArgs, states: Option<u64>) -> Result<Vec<Spec>, Report> {
    let mut specs = Vec::new();
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
        specs.push(Spec {
            cache: Some(Cache {
                capacity,
                replacement: args.replace.into(),
            }),
            ..Spec::default()
        });
    }
    Ok(specs)
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
fn specs(args: &CompareArgs, model: &Loaded, limits: &Limits) -> Result<Vec<Spec>, Report> {
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
    let mut specs = vec![Spec::default()];
    if measures.is_empty() {
        measures.extend(model.format.own_progress().map(|own| (None, Some(own))));
    }
    if measures.is_empty() && args.measures.is_empty() {
        let found = Spec::found(&model.find_measure(limits), true);
        specs.extend((!found.is_constant()).then_some(found));
    }
    for &rule in &args.measures {
        specs.push(Spec::of_rule(
            rule.into(),
            crate::args::Linearise::Lexicographic,
            1,
            model,
        )?);
    }
    for (columns, rows) in measures {
        for &coarsen in &args.coarsen {
            for &window in &args.window {
                let mut spec = Spec::parse(columns, rows, coarsen, window)?;
                spec.use_ids(model);
                specs.push(spec);
            }
        }
    }
    Ok(specs)
}

/// The columns behind the measure, in tables for reading.
const HEADINGS: [&str; 8] = [
    "explored", "layers", "sweeps", "kept", "peak", "share", "memory", "time",
];

fn cells(row: &Row) -> Vec<String> {
    let figures = &row.figures;
    vec![
        units::grouped(figures.explored),
        units::grouped(figures.layers),
        units::grouped(figures.sweeps),
        units::grouped(figures.persistent),
        units::grouped(figures.peak_states),
        row.peak_share
            .map_or_else(|| "–".into(), |share| format!("{:.1} %", share * 100.0)),
        units::bytes(figures.peak_bytes),
        format!("{:.3} s", figures.seconds),
    ]
}

/// A table per model; measures are numbered and listed below, because they are long.
fn human_table(rows: &[Row]) -> String {
    let mut text = String::new();
    for (index, rows) in rows.chunk_by(|a, b| a.model == b.model).enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let states = rows[0]
            .figures
            .states
            .map_or_else(|| "unknown number of".into(), units::grouped);
        let _ = writeln!(text, "{}  {states} states", rows[0].model);
        let mut table = vec![[vec![String::new()], HEADINGS.map(str::to_owned).to_vec()].concat()];
        for (number, row) in rows.iter().enumerate() {
            let mut label = match (row.label, number) {
                ("full", _) => "full".to_owned(),
                (label, number) => format!("{label} {number}"),
            };
            if !row.figures.complete {
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
            .figures
            .states
            .map_or_else(|| "–".into(), units::grouped);
        let measure = if row.figures.complete {
            row.measure.clone()
        } else {
            format!("{} (incomplete)", row.measure)
        };
        let cells = [vec![measure, states], cells(row)].concat().join(" | ");
        let _ = writeln!(text, "| {} | {} |", row.model, cells.replace('\n', " "));
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
        let f = &row.figures;
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            table::quoted(&row.model),
            f.method,
            table::quoted(&f.progress.measure.columns),
            table::quoted(&f.progress.measure.rows),
            row.window,
            row.coarsen,
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
