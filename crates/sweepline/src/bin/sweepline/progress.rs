//! `sweepline progress`: measures of a model, and what they would save.

use std::fmt::Write;

use miette::{Report, miette};
use serde::Serialize;
use sweepline_core::{Control, LayerClosed, Limits, Observer, Statistics, Watch};
use sweepline_progress::{Assessment, Candidate, Choice, Outcome};

use crate::args::{ProgressArgs, TableFormat};
use crate::check::pretty;
use crate::files::Files;
use crate::load::{self, Loaded};
use crate::measure::Spec;
use crate::output::{self, Exit, Output};
use crate::plain::plain_lines;
use crate::properties::Asked;
use crate::reading::Reading;
use crate::search;
use crate::table;
use crate::ticker::Ticker;
use crate::units;

/// A candidate and its figures.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    columns: String,
    rows: String,
    monotone: bool,
    chosen: bool,
    predicted: Predicted,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<Actual>,
}

/// How it did among the states nearest to the initial ones.
#[derive(Debug, Default, Serialize)]
struct Predicted {
    /// How many states that were.
    states: usize,
    layers: u64,
    largest_layer_share: f64,
    peak_share: f64,
    regress_share: f64,
    /// How often each state was explored on average.
    explored_share: f64,
    sweeps: u64,
}

fn predicted(outcome: &Outcome) -> Predicted {
    Predicted {
        states: outcome.states,
        layers: outcome.statistics.layers,
        largest_layer_share: outcome.largest_layer(),
        peak_share: outcome.peak(),
        regress_share: outcome.regress(),
        explored_share: outcome.again(),
        sweeps: outcome.statistics.sweeps,
    }
}

#[derive(Debug, Serialize)]
struct Actual {
    complete: bool,
    explored: u64,
    layers: u64,
    /// Known if it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_layer: Option<u64>,
    edges: u64,
    peak_states: u64,
    regress_edges: u64,
    sweeps: u64,
}

#[derive(Debug, Serialize)]
struct ModelRecord {
    model: String,
    states: Option<u64>,
    flags: String,
    candidates: Vec<Row>,
}

/// Shows the measures of every model.
pub fn progress(args: &ProgressArgs) -> Result<Exit, Report> {
    let mut files = Files::reading(&args.models.models);
    let mut output = Output::open(&args.common, &mut files)?;
    let mut worst = Exit::Holds;
    for path in &args.models.models {
        let limits = output::limits(&args.limits);
        let model = match load::load(path, &args.models, &limits)? {
            Reading::Loaded(model) => model,
            Reading::Stopped(stopped) => {
                output::print_error(&stopped.into());
                worst = Exit::Inconclusive;
                continue;
            }
        };
        let text = match &args.explain {
            Some(action) => plain_lines(&explain(&model, action)?).into_owned(),
            None => show(args, &model, &limits)?,
        };
        output.write(text.as_bytes())?;
    }
    Ok(output.finish(worst))
}

fn show(args: &ProgressArgs, model: &Loaded, limits: &Limits) -> Result<String, Report> {
    let mut findings = model.find_measure(limits);
    let largest = if args.measure {
        measure(args, model, &mut findings.choice)?
    } else {
        Vec::new()
    };
    let spec = Spec::found(&findings, false);
    let record = ModelRecord {
        model: model.name.clone(),
        states: findings.choice.states,
        flags: flags(&spec),
        candidates: rows(&findings.choice, &largest),
    };
    Ok(match args.format {
        TableFormat::Json => pretty(&record)?,
        TableFormat::Csv => csv(&record),
        TableFormat::Human | TableFormat::Markdown => {
            plain_lines(&human(&record, &spec, args.format)).into_owned()
        }
    })
}

/// Shows the progress line, and notes the largest layer.
struct Watcher {
    ticker: Ticker,
    largest: u64,
}

impl Observer for Watcher {
    fn layer_closed(&mut self, event: LayerClosed<'_>) -> Control {
        self.largest = self.largest.max(event.expanded);
        self.ticker.layer_closed(event)
    }

    fn tick(&mut self, watch: Watch<'_>) -> Control {
        self.ticker.tick(watch)
    }
}

/// Explores by every candidate, and returns their largest layers.
fn measure(args: &ProgressArgs, model: &Loaded, choice: &mut Choice) -> Result<Vec<u64>, Report> {
    let explore = |candidate: Option<&Candidate>| -> Result<(Statistics, u64), Report> {
        let mut spec = Spec::default();
        if let Some(candidate) = candidate {
            spec.measure = candidate.clone();
            spec.source = crate::measure::Origin::Auto;
        }
        let mut watcher = Watcher {
            ticker: Ticker::new(args.common.quiet),
            largest: 0,
        };
        let options = sweepline_explore::Options {
            limits: output::limits(&args.limits),
            log: sweepline_explore::LogPlace::Off,
            ..sweepline_explore::Options::default()
        };
        let run = search::explore(model, &spec, &Asked::default(), options, &mut watcher);
        watcher.ticker.clear();
        Ok((run?.statistics, watcher.largest))
    };
    choice.states = explore(None)?.0.states();
    let mut largest = Vec::new();
    for assessment in &mut choice.assessed {
        let (statistics, layer) = explore(Some(&assessment.candidate))?;
        assessment.trial = Some(statistics);
        largest.push(layer);
    }
    Ok(largest)
}

fn rows(choice: &Choice, largest: &[u64]) -> Vec<Row> {
    let chosen = choice.chosen.as_ref();
    let is_chosen = |candidate: &Candidate| {
        chosen.is_some_and(|chosen| {
            Candidate::text(&chosen.columns) == Candidate::text(&candidate.columns)
                && Candidate::text(&chosen.rows) == Candidate::text(&candidate.rows)
        })
    };
    let row = |(index, assessment): (usize, &Assessment)| Row {
        name: assessment.candidate.name.clone(),
        columns: Candidate::text(&assessment.candidate.columns),
        rows: Candidate::text(&assessment.candidate.rows),
        monotone: assessment.candidate.rows.is_empty(),
        chosen: is_chosen(&assessment.candidate),
        predicted: assessment
            .outcomes
            .last()
            .map_or_else(Predicted::default, predicted),
        actual: assessment.trial.as_ref().map(|trial| Actual {
            complete: trial.complete,
            explored: trial.explored,
            layers: trial.layers,
            largest_layer: largest.get(index).copied(),
            edges: trial.edges,
            peak_states: trial.peak_states,
            regress_edges: trial.regress_edges,
            sweeps: trial.sweeps,
        }),
    };
    choice.assessed.iter().enumerate().map(row).collect()
}

/// The flags that ask for a measure.
fn flags(spec: &Spec) -> String {
    let mut flags = Vec::new();
    let quoted = |text: String| text.replace('\'', "'\\''");
    if !spec.measure.columns.is_empty() {
        flags.push(format!("--columns '{}'", quoted(spec.columns_text())));
    }
    if !spec.measure.rows.is_empty() {
        flags.push(format!("--progress '{}'", quoted(spec.rows_text())));
    }
    if spec.measure.coarsen > 1 {
        flags.push(format!("--coarsen {}", spec.measure.coarsen));
    }
    if flags.is_empty() {
        flags.push("--progress none".into());
    }
    flags.join(" ")
}

const HEADINGS: [&str; 10] = [
    "", "monotone", "layers", "largest", "peak", "regress", "again", "explored", "stored", "sweeps",
];

fn human(record: &ModelRecord, spec: &Spec, format: TableFormat) -> String {
    let mut text = match record.states {
        Some(states) => format!("{}  {} states\n", record.model, units::grouped(states)),
        None => format!("{}\n", record.model),
    };
    let cells = record
        .candidates
        .iter()
        .enumerate()
        .map(|(index, row)| cells(index, row, record.states));
    let cells: Vec<Vec<String>> = cells.collect();
    if cells.is_empty() {
        text += "  no candidates: every action lies on a cycle that changes nothing, or nothing is known of the model\n";
    } else {
        text += &match format {
            TableFormat::Markdown => table::markdown(&HEADINGS, &cells),
            _ => table::aligned(&HEADINGS, &cells),
        };
        for (index, row) in record.candidates.iter().enumerate() {
            let _ = writeln!(text, "  {}: {}", index + 1, in_words(row));
        }
    }
    let _ = writeln!(text, "\n  measure   {}", spec.describe());
    let _ = writeln!(text, "  flags     {}", record.flags);
    text
}

/// Figures of a candidate: measured ones where there are any.
#[expect(clippy::cast_precision_loss, reason = "shares with a few digits")]
fn cells(index: usize, row: &Row, states: Option<u64>) -> Vec<String> {
    let per_cent = |share: f64| format!("{:.1} %", share * 100.0);
    let mut cells = vec![
        format!("{}{}", index + 1, if row.chosen { " *" } else { "" }),
        if row.monotone { "yes" } else { "no" }.into(),
    ];
    let predicted = &row.predicted;
    let complete = row.actual.as_ref().filter(|actual| actual.complete);
    match (complete, states) {
        (Some(actual), Some(states)) => {
            let largest = actual
                .largest_layer
                .map(|layer| units::share(layer, states));
            let regress = actual.regress_edges as f64 / actual.edges.max(1) as f64;
            cells.extend([
                units::grouped(actual.layers),
                largest.unwrap_or_else(|| per_cent(predicted.largest_layer_share)),
                units::share(actual.peak_states, states),
                per_cent(regress),
                format!("{:.2} x", actual.explored as f64 / states as f64),
            ]);
        }
        _ => cells.extend([
            units::grouped(predicted.layers),
            per_cent(predicted.largest_layer_share),
            per_cent(predicted.peak_share),
            per_cent(predicted.regress_share),
            format!("{:.2} x", predicted.explored_share),
        ]),
    }
    match &row.actual {
        Some(actual) => cells.extend([
            format!(
                "{}{}",
                units::grouped(actual.explored),
                if actual.complete { "" } else { "…" }
            ),
            units::grouped(actual.peak_states),
            units::grouped(actual.sweeps),
        ]),
        None => cells.extend(["–", "–", "–"].map(String::from)),
    }
    cells
}

fn in_words(row: &Row) -> String {
    let mut parts = vec![format!("{}:", row.name)];
    if !row.columns.is_empty() {
        parts.push(format!("columns {}", row.columns));
    }
    if !row.rows.is_empty() {
        parts.push(format!("rows {}", row.rows));
    }
    parts.join(" ")
}

fn csv(record: &ModelRecord) -> String {
    let mut text = String::from(
        "model,columns,rows,monotone,chosen,layers,peak_share,regress_share,explored_share,explored,peak_states\n",
    );
    for row in &record.candidates {
        let actual = |of: fn(&Actual) -> u64| {
            row.actual
                .as_ref()
                .map_or_else(String::new, |actual| of(actual).to_string())
        };
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{}",
            table::quoted(&record.model),
            table::quoted(&row.columns),
            table::quoted(&row.rows),
            row.monotone,
            row.chosen,
            row.predicted.layers,
            row.predicted.peak_share,
            row.predicted.regress_share,
            row.predicted.explored_share,
            actual(|actual| actual.explored),
            actual(|actual| actual.peak_states),
        );
    }
    text
}

/// Why an action cannot always progress: the cycle it lies on.
fn explain(model: &Loaded, action: &str) -> Result<String, Report> {
    let names = model.system.actions();
    let found = names.iter().position(|name| name == action);
    let by_name = || {
        model
            .net
            .as_ref()?
            .find_transition(action)
            .ok()
            .map(sweepline_net::TransitionId::index)
    };
    let Some(index) = found.or_else(by_name) else {
        let help = match sweepline_logic::nearest(action, names.iter().map(String::as_str)) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`sweepline explore --export FILE.aut` shows the names of actions".into(),
        };
        return Err(miette!(
            help = help,
            "`{}` has no action `{action}`",
            model.name
        ));
    };
    let Some(cycle) = model.structure.why_not(index) else {
        return Ok(format!(
            "`{action}` lies on no cycle that can be seen in the model: a measure can grow whenever it happens\n"
        ));
    };
    let mut text = format!(
        "`{action}` lies on a cycle: these together lead back to where they started, so no measure can grow by all of them\n"
    );
    for (index, times) in cycle {
        let times = if times == 1 {
            String::new()
        } else {
            format!("  {times} times")
        };
        let _ = writeln!(text, "  {}{times}", names[index]);
    }
    Ok(text)
}
