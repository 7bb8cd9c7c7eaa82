//! Coloured nets of CPN Tools.

use std::fmt;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, Severity, SourceCode};
use sweepline_check::{Question, QuestionKind, Truth};
use sweepline_core::{Limits, StopReason};
use sweepline_cpn::{Answer, Cpn, CpnError, Note, Told, read_cpn};

use crate::error::Error;
use crate::load::{LoadOptions, shared};
use crate::model::{Format, Model};
use crate::reading::Within;
use crate::units;

/// What is in a file but is not looked at.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
#[error("{what}")]
#[diagnostic(severity(Warning))]
struct LeftOut {
    what: String,
    #[help]
    help: Option<String>,
}

/// Something that is wrong where nothing depends on it, with the text that it points into.
#[derive(Clone, Debug)]
struct Unused {
    what: CpnError,
    text: NamedSource<Arc<str>>,
}

impl fmt::Display for Unused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.fmt(f)
    }
}

impl std::error::Error for Unused {}

impl Diagnostic for Unused {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.what.code()
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity::Warning)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.what.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.text)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.what.labels()
    }
}

/// Reads a model of CPN Tools.
pub(crate) fn load(
    name: String,
    bytes: &[u8],
    options: &LoadOptions,
    within: &Within<'_>,
) -> Result<Model, Error> {
    let settings = sweepline_cpn::LoadOptions {
        constants: options.constants.clone(),
        time: options.time,
        horizon: options.horizon,
        random: options.random,
    };
    let cpn = read_cpn(&name, bytes, &settings)?;
    within.allow(bytes.len())?;
    let summary = summary(&cpn);
    let mut warnings = shared(&unused(&name, &cpn));
    warnings.extend(shared(&left_out(&cpn)));
    let columns = cpn.system.has_clock().then_some("time");
    let system = Arc::new(cpn.system);
    Ok(Model {
        columns,
        coloured: Some(Arc::clone(&system)),
        constants: cpn.constants,
        text: cpn.text,
        notes: cpn.texts,
        can_fail: Some(true),
        warnings,
        ..Model::new(name, Format::Cpn, system, summary)
    })
}

/// The state space report of a coloured net, as CPN Tools has it, and whether everything was explored.
pub fn state_space_report(model: &Model, limits: &Limits) -> Result<(String, bool), Error> {
    let Some(coloured) = &model.coloured else {
        return Err(Error::Misplaced {
            about: "--report is about coloured nets".to_owned(),
            model: model.name.clone(),
            help: "leave --report out".to_owned(),
        });
    };
    let report = coloured
        .report(&model.notes, limits)
        .map_err(|why| Error::NoReport {
            model: model.name.clone(),
            why,
        })?;
    Ok((report.to_string(), report.stopped.is_none()))
}

fn summary(cpn: &Cpn) -> String {
    let pages = units::counted(cpn.pages as u64, "page");
    let places = units::counted(cpn.system.place_count() as u64, "place");
    let transitions = units::counted(cpn.system.transition_count() as u64, "transition");
    let timed = if cpn.system.has_clock() { "timed " } else { "" };
    format!("{timed}coloured net, {pages}, {places}, {transitions}")
}

fn unused(name: &str, cpn: &Cpn) -> Vec<Unused> {
    if cpn.unused.is_empty() {
        return Vec::new();
    }
    let text = NamedSource::new(name, Arc::from(&*cpn.text));
    let unused = cpn.unused.iter().map(|what| Unused {
        what: what.clone(),
        text: text.clone(),
    });
    unused.collect()
}

fn left_out(cpn: &Cpn) -> Vec<LeftOut> {
    let mut left_out = Vec::new();
    if cpn.monitors > 0 {
        let monitors = units::counted(cpn.monitors as u64, "monitor");
        left_out.push(LeftOut {
            what: format!("{monitors} of the model: state spaces have none"),
            help: None,
        });
    }
    for note in cpn.texts.iter().filter(|note| note.uses_files()) {
        let text: Vec<&str> = note.text.split_whitespace().collect();
        let text = sweepline_text::shortened_to(&text.join(" "), 120);
        left_out.push(LeftOut {
            what: format!("a text on page {} is never executed: {text}", note.page),
            help: None,
        });
    }
    left_out
}

/// What the queries of a model say, as questions that are answered already. Those that are not understood are inconclusive.
pub(crate) fn asked(model: &Model, limits: &Limits) -> Vec<Question> {
    let Some(coloured) = &model.coloured else {
        return Vec::new();
    };
    let told = coloured.ask(&model.notes, limits);
    let told = told.unwrap_or_else(|why| {
        let queries = model.notes.iter().filter(|note| note.is_query());
        let unknown = |note: &Note| Told {
            page: note.page.clone(),
            text: note.text.split_whitespace().collect::<Vec<_>>().join(" "),
            answer: Err(why.clone()),
        };
        queries.map(unknown).collect()
    });
    let questions = told
        .into_iter()
        .zip(1..)
        .map(|(told, number): (Told, usize)| {
            let kind = if told.text.contains("eval_node") {
                QuestionKind::Ctl
            } else {
                QuestionKind::Formula
            };
            let (text, truth) = match told.answer {
                Ok(Answer::Truth(true)) => (told.text, Truth::And(Vec::new())),
                Ok(Answer::Truth(false)) => (told.text, Truth::Or(Vec::new())),
                Ok(Answer::Value(value)) => {
                    (format!("{} = {value}", told.text), Truth::And(Vec::new()))
                }
                Err(why) => {
                    let shown = sweepline_text::shortened(&told.text);
                    let why = format!("`{shown}` is not answered: {why}");
                    (told.text, Truth::Unknown(StopReason::Other(why)))
                }
            };
            Question {
                name: format!("query {number} (page {})", told.page),
                kind,
                text,
                truth,
            }
        });
    questions.collect()
}
