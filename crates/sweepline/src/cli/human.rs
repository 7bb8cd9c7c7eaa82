//! Output for reading: verdicts first, then figures, then traces.

use std::fmt::Write;

use sweepline_check::Failure;
use sweepline_core::{Statistics, Verdict};
use sweepline_report::plain::plain;
use sweepline_report::{lines, table};
use sweepline_session::{Answer, Assertions, Model, Order, Run, ShownTrace, Stopped, units};

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// Only verdicts.
    pub quiet: bool,
    /// Whole states in traces.
    pub verbose: bool,
}

/// Colours of the verdicts, as escape sequences.
const GREEN: &str = "\x1b[1;32m";
const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[1;33m";
const DIM: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";

/// Characters of a message.
const LONG: usize = 2000;

/// What the figures of a run say besides numbers.
pub struct Heading<'a> {
    pub model: &'a str,
    pub summary: &'a str,
    pub notes: Vec<(&'static str, String)>,
}

impl Style {
    fn paint(self, color: &str, text: &str) -> String {
        if self.color {
            format!("{color}{text}{RESET}")
        } else {
            text.to_owned()
        }
    }
}

/// The model and every choice that was made for the user.
pub fn heading(out: &mut String, style: Style, heading: &Heading<'_>) {
    if style.quiet {
        return;
    }
    let (model, summary) = (plain(heading.model), plain(heading.summary));
    let length = model.chars().count() + 2 + summary.chars().count();
    let gap = if length <= style.width { "  " } else { "\n  " };
    let _ = writeln!(out, "{model}{gap}{}", style.paint(DIM, &summary));
    for (name, text) in &heading.notes {
        *out += &lines::hanging(&format!("  {name:<9} "), text, style.width);
    }
    out.push('\n');
}

/// Verdicts, figures and traces of one run.
pub fn run(out: &mut String, style: Style, run: &Run) {
    let width = run
        .answers
        .iter()
        .map(|answer| plain(&answer.name).chars().count())
        .max()
        .unwrap_or(0)
        .min(28);
    for answer in &run.answers {
        verdict_line(out, style, answer, width);
    }
    if let Some(failure) = &run.failure {
        failure_line(out, style, run, failure);
    }
    if style.quiet {
        return;
    }
    if !run.answers.is_empty() {
        out.push('\n');
    }
    figures(out, style, run);
    changes(out, style, run);
    if let Some(reason) = &run.stopped {
        let _ = writeln!(
            out,
            "\n  {} {}; the figures are what was seen until then",
            style.paint(YELLOW, "incomplete:"),
            plain(&reason.to_string())
        );
    }
    let several = run
        .answers
        .iter()
        .filter(|answer| answer.evidence.is_some())
        .count()
        > 1;
    for answer in &run.answers {
        if let Some(evidence) = &answer.evidence
            && (!several || style.verbose || answer.verdict == Verdict::Violated)
        {
            let trace = evidence.shown();
            trace_lines(out, style, &title(answer, &trace), &trace);
        }
        if let Some(why) = &answer.lost_evidence {
            let _ = writeln!(out, "\n  no trace for {}: {why}", plain(&answer.name));
        }
    }
    if let Some(Failure::Model {
        trace: Some(trace), ..
    }) = &run.failure
    {
        let trace = ShownTrace::new(trace, &run.system);
        let title = "trace to the state in which the model fails";
        trace_lines(out, style, title, &trace);
    }
}

fn verdict_line(out: &mut String, style: Style, answer: &Answer, width: usize) {
    let (color, word) = match &answer.verdict {
        Verdict::Holds if answer.value.is_some() => (GREEN, "value"),
        Verdict::Holds => (GREEN, "holds"),
        Verdict::Violated => (RED, "VIOLATED"),
        Verdict::Inconclusive(_) => (YELLOW, "unknown"),
    };
    let word = style.paint(color, &format!("{word:<8}"));
    let mut rest = match answer.value {
        Some(value) => format!("{value}  {}", answer.text),
        None => answer.text.clone(),
    };
    if let Verdict::Inconclusive(reason) = &answer.verdict {
        rest = format!("{reason}");
    }
    if rest == answer.name {
        rest = String::new();
    }
    let room = style.width.saturating_sub(width + 14).max(20);
    let _ = writeln!(
        out,
        "  {word}  {:<width$}  {}",
        shorten(&answer.name, width),
        shorten(&rest, room)
    );
}

fn failure_line(out: &mut String, style: Style, run: &Run, failure: &Failure) {
    let (word, text) = match failure {
        Failure::Model {
            action,
            message,
            trace,
        } => {
            let action = run.failed_action(*action, trace.as_ref());
            ("FAILED", format!("`{action}` cannot be taken: {message}"))
        }
        Failure::Bug(message) => ("BUG", format!("{message}; please report this")),
        Failure::WrongColumn { from, to, .. } => {
            ("BUG", format!("a column decreases: {from}, then {to}"))
        }
    };
    let text = lines::hanging(&" ".repeat(12), &shorten(&text, LONG), style.width);
    let word = style.paint(RED, &format!("{word:<8}"));
    let _ = write!(out, "  {word}  {}", text.trim_start());
}

/// A grid of figures, three pairs a line where there is room.
fn figures(out: &mut String, style: Style, run: &Run) {
    let statistics = &run.statistics;
    let known = |number: Option<u64>| number.map_or_else(|| "not counted".into(), units::grouped);
    let grid = [
        ("states", known(run.states)),
        ("layers", units::grouped(statistics.layers)),
        ("peak states", peak(run)),
        ("explored", units::grouped(statistics.explored)),
        ("sweeps", sweeps(statistics)),
        ("peak memory", units::bytes(statistics.peak_bytes)),
        ("edges", units::grouped(statistics.edges)),
        ("regress edges", units::grouped(statistics.regress_edges)),
        ("time", units::duration(statistics.elapsed)),
        ("deadlocks", known(run.deadlocks)),
        ("persistent", units::grouped(statistics.persistent)),
        ("rate", units::rate(statistics.explored, statistics.elapsed)),
    ];
    for line in table::grid(&grid, style.width) {
        let _ = writeln!(out, "{line}");
    }
    if run.states.is_none() && statistics.complete {
        let note = "states were explored again after regress edges; --method full counts them";
        *out += &lines::hanging("  ", note, style.width);
    }
}

/// What became of the measure on the way.
fn changes(out: &mut String, style: Style, run: &Run) {
    for change in &run.changes {
        let text = shorten(&change.to_string(), if style.verbose { LONG } else { 240 });
        *out += &lines::hanging("  ", &text, style.width);
    }
}

/// The measure, in at most two lines; `progress` and -v show all of it.
pub fn measure(style: Style, order: &Order) -> (&'static str, String) {
    let fits = |text: &str| lines::height("  measure   ", text, style.width) <= 2;
    let text = if style.verbose {
        order.describe()
    } else {
        order.summary(fits)
    };
    ("measure", text)
}

/// The time before the runs.
pub fn preparation(model: &Model, order: &Order) -> (&'static str, String) {
    let mut text = format!("{} to read the model", units::duration(model.loading));
    if !order.finding.is_zero() {
        let finding = units::duration(order.finding);
        let _ = write!(text, ", {finding} to find a measure");
    }
    ("prepared", text)
}

/// What the runs did not see.
pub fn unseen(out: &mut String, style: Style, model: &Model, runs: &[Run]) {
    if !style.quiet && Assertions::of(model, runs) == Some(Assertions::NotFullyChecked) {
        let note =
            "assertions and run-time errors were not fully checked: not every state was explored";
        *out += "\n";
        *out += &lines::hanging("  ", note, style.width);
    }
}

/// A limit was reached while the model was read.
pub fn stopped<'n>(
    style: Style,
    stopped: &Stopped,
    asked: impl IntoIterator<Item = &'n str>,
) -> String {
    let mut out = String::new();
    if !style.quiet {
        let _ = writeln!(out, "{}\n", plain(&stopped.name));
    }
    let word = style.paint(YELLOW, &format!("{:<8}", "unknown"));
    for name in asked {
        let _ = writeln!(out, "  {word}  {}", shorten(name, style.width));
    }
    let _ = writeln!(out, "  {} {stopped}", style.paint(YELLOW, "incomplete:"));
    out
}

fn peak(run: &Run) -> String {
    let peak = run.statistics.peak_states;
    match run.states {
        Some(states) if states > 0 => {
            #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
            let share = peak as f64 * 100.0 / states as f64;
            format!("{} ({share:.1} %)", units::grouped(peak))
        }
        _ => units::grouped(peak),
    }
}

/// Sweeps in the column that needed most.
fn sweeps(statistics: &Statistics) -> String {
    let sweeps = units::grouped(statistics.sweeps);
    match statistics.columns {
        0 | 1 => sweeps,
        columns => format!("{sweeps} ({} columns)", units::grouped(columns)),
    }
}

fn title(answer: &Answer, trace: &ShownTrace) -> String {
    let what = match answer.verdict {
        Verdict::Violated => "counterexample",
        _ => "witness",
    };
    let steps = trace.steps.len();
    format!(
        "{what} for {}, {steps} step{}",
        shorten(&answer.name, 40),
        if steps == 1 { "" } else { "s" }
    )
}

/// The initial state, then one line per step with what it changes.
fn trace_lines(out: &mut String, style: Style, title: &str, trace: &ShownTrace) {
    let _ = writeln!(out, "\n  {title}");
    let numbers = trace.steps.len().to_string().len();
    let actions = trace
        .steps
        .iter()
        .map(|step| plain(&step.action).chars().count())
        .max()
        .unwrap_or(0)
        .min(24);
    let mut line = |number: usize, action: &str, values: &[String]| {
        let head = format!(
            "  {number:>numbers$}  {:<actions$}",
            shorten(action, actions)
        );
        wrap(out, &head, values, style.width);
    };
    line(0, "", &initial_values(trace, style));
    for (index, step) in trace.steps.iter().enumerate() {
        let values: Vec<String> = if style.verbose {
            step.state.iter().map(equation).collect()
        } else {
            step.changes().map(equation).collect()
        };
        line(index + 1, &step.action, &values);
    }
}

/// States of nets are mostly zeros, which say little.
fn initial_values(trace: &ShownTrace, style: Style) -> Vec<String> {
    let all = style.verbose || trace.initial.len() <= 12;
    let mut values: Vec<String> = trace
        .initial
        .iter()
        .filter(|(_, value)| all || (value != "0" && value != "false"))
        .map(equation)
        .collect();
    if values.len() < trace.initial.len() {
        values.push("all others 0".into());
    }
    values
}

fn equation((name, value): &(String, String)) -> String {
    format!("{} = {}", plain(name), plain(value))
}

/// Writes values behind a head, going on below where the line is full.
fn wrap(out: &mut String, head: &str, values: &[String], width: usize) {
    let indent = head.chars().count() + 2;
    let mut line = format!("{head}  ");
    let mut used = indent;
    for (index, value) in values.iter().enumerate() {
        let comma = if index + 1 < values.len() { "," } else { "" };
        let length = value.chars().count() + comma.len();
        if used > indent && used + 1 + length > width {
            let _ = writeln!(out, "{}", line.trim_end());
            line = " ".repeat(indent);
            used = indent;
        }
        if used > indent {
            line.push(' ');
            used += 1;
        }
        line += value;
        line += comma;
        used += length;
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

/// The text as it can be shown, or its beginning if it is longer than this.
pub fn shorten(text: &str, length: usize) -> String {
    let text = plain(text);
    let Some((cut, _)) = text.char_indices().nth(length) else {
        return text.into_owned();
    };
    let last = text[..cut].char_indices().next_back();
    format!("{}…", &text[..last.map_or(0, |(at, _)| at)])
}
