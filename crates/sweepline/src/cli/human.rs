//! Output for reading: verdicts first, then figures, then traces.

use std::fmt::Write;

use sweepline_check::{Failure, QuestionKind, Vacuous};
use sweepline_core::{StopReason, Verdict};
use sweepline_report::listing::{self, Entry, Row, Width, shorten};
use sweepline_report::plain::plain;
use sweepline_report::{lines, table};
use sweepline_session::{
    Answer, Assertions, Model, Order, Run, ShowWitness, ShownTrace, ShownWitness, Stopped, units,
};

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// How much room verdicts have.
    pub list: Width,
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

const INCOMPLETE: &str = "incomplete:";

/// Characters of a message.
const LONG: usize = 2000;

/// What the figures of a run say besides numbers.
pub struct Heading<'a> {
    pub model: &'a str,
    /// There are others, so it says its name in any case.
    pub several: bool,
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
        if heading.several {
            let _ = writeln!(out, "{}", plain(heading.model));
        }
        return;
    }
    let (model, summary) = (plain(heading.model), plain(heading.summary));
    let length = model.chars().count() + 2 + summary.chars().count();
    let gap = if length <= style.width { "  " } else { "\n  " };
    let summary = lines::hanging("  ", &summary, style.width);
    let _ = writeln!(out, "{model}{gap}{}", style.paint(DIM, summary.trim()));
    for (name, text) in &heading.notes {
        *out += &lines::hanging(&format!("  {name:<9} "), text, style.width);
    }
    out.push('\n');
}

/// Verdicts, figures and traces of one run.
pub fn run(out: &mut String, style: Style, run: &Run) {
    let entries: Vec<Entry> = run.answers.iter().map(|a| entry(style, a)).collect();
    listing::entries(out, &entries, style.list);
    if let Some(failure) = &run.failure {
        failure_line(out, style, failure);
    }
    if style.quiet || nothing_was_asked(run) {
        return;
    }
    if !run.answers.is_empty() {
        out.push('\n');
    }
    figures(out, style, run);
    changes(out, style, run);
    if let Some(reason) = &run.stopped {
        out.push('\n');
        let text = format!("{reason}; the figures are what was seen until then");
        *out += &incomplete(style, &text);
    }
    let several = run
        .answers
        .iter()
        .filter(|answer| answer.evidence.is_some())
        .count()
        > 1;
    let is_shown = |a: &Answer| !several || style.verbose || a.verdict == Verdict::Violated;
    for (place, remark) in run.remarks(is_shown).enumerate() {
        out.push_str(if place == 0 { "\n" } else { "" });
        *out += &lines::hanging("  ", &remark, style.width);
    }
    for answer in &run.answers {
        if let Some(evidence) = answer.evidence.as_ref().filter(|_| is_shown(answer)) {
            let trace = evidence.shown();
            trace_lines(out, style, &title(answer, &trace), &trace);
            if let Some(remark) = &answer.remark {
                *out += &style.paint(DIM, &lines::hanging("  ", remark, style.width));
            }
            for line in answer.shown_witness().iter().flat_map(ShownWitness::lines) {
                let text = line.trim_start();
                let head = " ".repeat(2 + line.len() - text.len());
                *out += &lines::hanging(&head, text, style.width);
            }
        }
        if let Some(why) = &answer.lost_evidence {
            let _ = writeln!(out, "\n  no trace for {}: {why}", plain(&answer.name));
        }
    }
}

/// Whether there are questions, but none that could be answered by exploring anything.
fn nothing_was_asked(run: &Run) -> bool {
    let not_checked = |answer: &Answer| {
        matches!(
            answer.verdict,
            Verdict::Inconclusive(StopReason::NotChecked(_))
        )
    };
    !run.answers.is_empty() && run.answers.iter().all(not_checked)
}

/// What stands before something that local graphs say.
pub fn mark(style: Style, word: &str) -> String {
    let color = if word == "holds" { GREEN } else { YELLOW };
    format!("  {}  ", style.paint(color, &format!("{word:<9}")))
}

/// What is said of a question.
fn entry(style: Style, answer: &Answer) -> Entry {
    let (color, word) = match &answer.verdict {
        Verdict::Holds if answer.value.is_some() => (GREEN, "value"),
        Verdict::Holds => (GREEN, "holds"),
        Verdict::Violated if answer.kind == QuestionKind::ModelError => (RED, "ERROR"),
        Verdict::Violated => (RED, "VIOLATED"),
        Verdict::Inconclusive(_) => (YELLOW, "unknown"),
    };
    let text = match (answer.why_unknown(), answer.value) {
        (Some(why), _) => format!("inconclusive: {why}"),
        _ if answer.kind == QuestionKind::ModelError => {
            format!("error of the model: {}", answer.text)
        }
        (_, Some(value)) => format!("{value}  {}", answer.text),
        (_, None) => match Vacuous::words(&answer.vacuous) {
            Some(words) => format!("holds, but {words}"),
            None if answer.text == answer.name => String::new(),
            None => answer.text.clone(),
        },
    };
    let own = [QuestionKind::Assertion, QuestionKind::ModelError].contains(&answer.kind);
    Entry {
        mark: format!("  {}  ", style.paint(color, &format!("{word:<8}"))),
        name: answer.name.clone(),
        text,
        may_cut: !own
            && answer.vacuous.is_empty()
            && !matches!(answer.verdict, Verdict::Inconclusive(_)),
    }
}

fn failure_line(out: &mut String, style: Style, failure: &Failure) {
    let text = match failure {
        // They are answers of their own.
        Failure::Model { .. } | Failure::Assertion { .. } => return,
        Failure::Bug(message) => format!("{message}; please report this"),
        Failure::WrongColumn { from, to, .. } => {
            format!("a column decreases: {from}, then {to}")
        }
    };
    let text = lines::hanging(&" ".repeat(12), &shorten(&text, LONG), style.width);
    let word = style.paint(RED, "BUG     ");
    let _ = write!(out, "  {word}  {}", text.trim_start());
}

/// A grid of figures, three pairs a line where there is room.
fn figures(out: &mut String, style: Style, run: &Run) {
    for line in table::grid(&run.grid(), style.width) {
        let _ = writeln!(out, "{line}");
    }
    let notes = run.uncounted().into_iter();
    for note in notes.chain(run.notes.iter().map(String::as_str)) {
        *out += &lines::hanging("  ", note, style.width);
    }
    if run.statistics.probed > 0 {
        let looked = units::counted(run.statistics.probed, "state");
        let _ = writeln!(out, "  {looked} looked at first, for infinite runs");
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
        let _ = writeln!(out, "  {word}  {}", plain(name));
    }
    out + &incomplete(style, &stopped.to_string())
}

/// Why not everything was seen.
fn incomplete(style: Style, why: &str) -> String {
    let text = lines::hanging("  ", &format!("{INCOMPLETE} {why}"), style.width);
    text.replacen(INCOMPLETE, &style.paint(YELLOW, INCOMPLETE), 1)
}

fn title(answer: &Answer, trace: &ShownTrace) -> String {
    let what = match answer.verdict {
        _ if answer.kind == QuestionKind::ModelError => "the way to the error at",
        Verdict::Violated => "counterexample for",
        _ => "witness for",
    };
    let steps = trace.steps.len();
    format!(
        "{what} {}, {steps} step{}",
        plain(&answer.name),
        if steps == 1 { "" } else { "s" }
    )
}

/// The initial state, then one line per step with what it changes.
fn trace_lines(out: &mut String, style: Style, title: &str, trace: &ShownTrace) {
    let _ = writeln!(out, "\n  {title}");
    let rows = trace.rows(style.verbose).into_iter();
    let rows: Vec<_> = rows.map(|(name, values)| Row { name, values }).collect();
    listing::rows(out, &rows, style.width);
    if let Some(goes_on) = trace.for_ever() {
        let _ = writeln!(out, "  {}", style.paint(DIM, &goes_on));
    }
}
