//! Running explorations and turning their reports into records.

use std::sync::Arc;

use miette::{Report, miette};
use sweepline_check::{Answer, Failure, Inquiry, Plan, Question, QuestionKind, answer_by_caching};
use sweepline_core::{
    AnySystem, Describe, NoProgress, Observer, Progress, SlotId, Statistics, StopReason, Verdict,
};
use sweepline_explore::{CachingOptions, End, Options};
use sweepline_progress::{Bound, Changes};

use crate::load::Loaded;
use crate::measure::{Origin, Spec};
use crate::properties::Asked;
use crate::record::ShownTrace;
use crate::steer::{Change, Steered, Steering, steer};
use crate::ticker::Ticker;

/// One exploration and what it answered.
pub struct Run {
    /// The system in the encoding it ended up with.
    pub system: Arc<dyn AnySystem>,
    /// The measure it ended with.
    pub measure: Spec,
    /// How it came to that.
    pub changes: Vec<Change>,
    /// What was done in all attempts.
    pub statistics: Statistics,
    /// Distinct states, if they are known.
    pub states: Option<u64>,
    /// Distinct deadlocks, if they are known.
    pub deadlocks: Option<u64>,
    pub answers: Vec<Shown>,
    pub stopped: Option<StopReason>,
    /// Whether all states of the model are seen when it is complete. An automaton may end a path before the model does.
    pub covers_model: bool,
    /// Something is wrong with the model or with us; the figures are what is known all the same.
    pub trouble: Option<Trouble>,
}

/// An answer in words.
pub struct Shown {
    pub name: String,
    pub kind: QuestionKind,
    pub text: String,
    pub verdict: Verdict,
    pub value: Option<i64>,
    pub trace: Option<ShownTrace>,
    pub lost_trace: Option<String>,
}

/// What a run could not get over.
pub enum Trouble {
    /// A step of the model cannot be taken.
    Model {
        action: String,
        message: String,
        trace: Option<ShownTrace>,
    },
    /// A bug of ours.
    Bug(String),
}

/// What is known of assertions and of what may fail at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assertions {
    Hold,
    Violated,
    /// Nothing failed, but not every state was looked at.
    NotFullyChecked,
}

impl Assertions {
    /// The words in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Violated => "violated",
            Self::NotFullyChecked => "not fully checked",
        }
    }
}

/// What explorations of a model say about its assertions; nothing if it is no program. A question may be answered
/// long before the whole model has been seen.
pub fn assertions(model: &Loaded, runs: &[Run]) -> Option<Assertions> {
    let can_fail = model.can_fail?;
    let failed = |run: &Run| matches!(run.trouble, Some(Trouble::Model { .. }));
    let covered = |run: &Run| run.statistics.complete && run.covers_model;
    Some(if runs.iter().any(failed) {
        Assertions::Violated
    } else if !can_fail || runs.iter().any(covered) {
        Assertions::Hold
    } else {
        Assertions::NotFullyChecked
    })
}

/// Explores a model once for all properties.
pub fn explore_guarded(
    model: &Loaded,
    spec: &Spec,
    asked: &Asked,
    steering: &Steering,
) -> Result<Run, Report> {
    if spec.cache.is_some() {
        let mut ticker = Ticker::new(steering.quiet);
        let options = steering.options.clone();
        let run = explore(model, spec, asked, options, &mut ticker);
        ticker.clear();
        return run;
    }
    let subject = Subject::new(model, asked);
    let start = |spec: &Spec, options| subject.start(spec, options);
    steer(start, model, spec, steering)
}

/// Explores a model once for all properties.
pub fn explore(
    model: &Loaded,
    spec: &Spec,
    asked: &Asked,
    options: Options,
    observer: &mut dyn Observer,
) -> Result<Run, Report> {
    let subject = Subject::new(model, asked);
    let Some(cache) = spec.cache else {
        let mut running = subject.start(spec, options)?;
        let end = running.run(spec, observer);
        return running.finish(end, spec);
    };
    let options = CachingOptions {
        capacity: cache.capacity,
        replacement: cache.replacement,
        limits: options.limits,
        log: options.log,
        ..CachingOptions::default()
    };
    let first = plan(Arc::clone(&model.system), (), asked.bind(&model.system)?);
    let widen = |system: &_, slot| {
        let (wider, questions) = subject.widened(system, slot)?;
        Some(plan(wider, (), questions))
    };
    finish(answer_by_caching(first, widen, options, observer), spec)
}

/// What is explored, and what is asked of it.
struct Subject<'m> {
    model: &'m Loaded,
    asked: &'m Asked,
    changes: Option<Changes>,
}

/// An exploration under way.
struct Running<'s> {
    subject: &'s Subject<'s>,
    inquiry: Either,
}

/// A constant measure has its own type: it costs nothing.
enum Either {
    Plain(Inquiry<Arc<dyn AnySystem>, NoProgress>),
    Measured(Inquiry<Arc<dyn AnySystem>, Bound>),
}

impl<'m> Subject<'m> {
    fn new(model: &'m Loaded, asked: &'m Asked) -> Self {
        Self {
            model,
            asked,
            changes: model.structure.changes(),
        }
    }

    fn bind(&self, spec: &Spec, system: &Arc<dyn AnySystem>) -> Result<Bound, Report> {
        spec.bind(system, self.model.format.ranges(), self.changes.as_ref())
    }

    fn start(&self, spec: &Spec, options: Options) -> Result<Running<'_>, Report> {
        let system = Arc::clone(&self.model.system);
        let questions = self.asked.bind(&system)?;
        let inquiry = if spec.is_constant() {
            Either::Plain(Inquiry::new(plan(system, NoProgress, questions), options))
        } else {
            let progress = self.bind(spec, &system)?;
            Either::Measured(Inquiry::new(plan(system, progress, questions), options))
        };
        Ok(Running {
            subject: self,
            inquiry,
        })
    }

    /// The same system in a wider encoding, and the questions to it.
    fn widened(
        &self,
        system: &Arc<dyn AnySystem>,
        slot: SlotId,
    ) -> Option<(Arc<dyn AnySystem>, Vec<Question>)> {
        let wider = system.widened(slot)?;
        let questions = self.asked.bind(&wider).ok()?;
        Some((wider, questions))
    }
}

impl Steered for Running<'_> {
    fn run(&mut self, spec: &Spec, observer: &mut dyn Observer) -> End {
        let subject = self.subject;
        match &mut self.inquiry {
            Either::Plain(inquiry) => {
                let widen = |system: &_, slot| {
                    let (wider, questions) = subject.widened(system, slot)?;
                    Some(plan(wider, NoProgress, questions))
                };
                inquiry.run(widen, observer)
            }
            Either::Measured(inquiry) => {
                let widen = |system: &_, slot| {
                    let (wider, questions) = subject.widened(system, slot)?;
                    let progress = subject.bind(spec, &wider).ok()?;
                    Some(plan(wider, progress, questions))
                };
                inquiry.run(widen, observer)
            }
        }
    }

    fn is_decided(&self) -> bool {
        match &self.inquiry {
            Either::Plain(inquiry) => inquiry.is_decided(),
            Either::Measured(inquiry) => inquiry.is_decided(),
        }
    }

    fn statistics(&self) -> &Statistics {
        match &self.inquiry {
            Either::Plain(inquiry) => inquiry.statistics(),
            Either::Measured(inquiry) => inquiry.statistics(),
        }
    }

    fn answers(&mut self) -> Vec<Shown> {
        let (answers, system) = match &mut self.inquiry {
            Either::Plain(inquiry) => (inquiry.answers(), inquiry.system()),
            Either::Measured(inquiry) => (inquiry.answers(), inquiry.system()),
        };
        let shown = |answer| Shown::new(answer, system);
        answers.into_iter().map(shown).collect()
    }

    fn finish(self, end: End, spec: &Spec) -> Result<Run, Report> {
        let report = match self.inquiry {
            Either::Plain(inquiry) => inquiry.report(end),
            Either::Measured(inquiry) => inquiry.report(end),
        };
        finish(report, spec)
    }

    fn remeasured(self, spec: &Spec) -> Option<Self> {
        let inquiry = match self.inquiry {
            Either::Plain(inquiry) => self.subject.remeasured(inquiry, spec),
            Either::Measured(inquiry) => self.subject.remeasured(inquiry, spec),
        };
        Some(Self {
            inquiry: inquiry?,
            ..self
        })
    }
}

impl Subject<'_> {
    fn remeasured<P: Progress>(
        &self,
        inquiry: Inquiry<Arc<dyn AnySystem>, P>,
        spec: &Spec,
    ) -> Option<Either> {
        Some(if spec.is_constant() {
            Either::Plain(inquiry.remeasured(NoProgress).ok()?)
        } else {
            let progress = self.bind(spec, inquiry.system()).ok()?;
            Either::Measured(inquiry.remeasured(progress).ok()?)
        })
    }
}

fn plan<S, P>(system: S, progress: P, questions: Vec<Question>) -> Plan<S, P> {
    Plan {
        system,
        progress,
        questions,
    }
}

fn finish(report: sweepline_check::Report<Arc<dyn AnySystem>>, spec: &Spec) -> Result<Run, Report> {
    let system = Arc::clone(&report.system);
    conclude(report, system, spec)
}

/// Puts the report of a run into words. Traces are of `model`, which is the system explored or what it adapts.
pub fn conclude<S: Describe>(
    mut report: sweepline_check::Report<S>,
    model: Arc<dyn AnySystem>,
    spec: &Spec,
) -> Result<Run, Report> {
    let trouble = match report.failure.take() {
        None => None,
        Some(Failure::Bug(message)) => Some(Trouble::Bug(message)),
        Some(Failure::Model {
            action,
            message,
            trace,
        }) => {
            let source = trace.as_ref().map_or(&[][..], |trace| trace.last());
            Some(Trouble::Model {
                action: report.system.step_name(source, 0, action),
                message,
                trace: trace.map(|trace| ShownTrace::new(&trace, &report.system)),
            })
        }
        Some(Failure::WrongColumn { edge, from, to }) => {
            let wrong = wrong_column(&report.system, &edge, &from, &to, spec);
            if spec.source != Origin::Auto {
                return Err(wrong);
            }
            Some(Trouble::Bug(format!(
                "an automatic measure was wrong: {wrong}"
            )))
        }
    };
    Ok(Run {
        answers: report
            .answers
            .into_iter()
            .map(|answer| Shown::new(answer, &model))
            .collect(),
        states: report.statistics.states(),
        deadlocks: report.statistics.deadlocks(),
        statistics: report.statistics,
        measure: spec.clone(),
        changes: Vec::new(),
        covers_model: true,
        stopped: report.stopped,
        trouble,
        system: model,
    })
}

/// A claim of the user is wrong: shows the edge and what to do about it.
fn wrong_column(
    system: &dyn Describe,
    edge: &sweepline_explore::Regress,
    from: &str,
    to: &str,
    spec: &Spec,
) -> Report {
    let action = system.step_name(&edge.source, edge.ordinal, edge.action);
    let (before, after) = (system.show(&edge.source), system.show(&edge.target));
    let changes: Vec<String> = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before != after)
        .map(|(before, after)| format!("{}: {} -> {}", before.0, before.1, after.1))
        .collect();
    let columns = spec.columns_text();
    let rows = if spec.measure.rows.is_empty() {
        columns.clone()
    } else {
        format!("{columns}, {}", spec.rows_text())
    };
    miette!(
        help = format!("give it as rows, which may decrease: --progress '{rows}'"),
        "the columns `{columns}` decrease along an edge, so they are no monotone measure\n\
         \n  action  {action}\n  before  {from}\n  after   {to}\n  change  {}",
        changes.join(", ")
    )
}

impl Shown {
    pub fn new(answer: Answer, system: &dyn Describe) -> Self {
        Self {
            name: answer.name,
            kind: answer.kind,
            text: answer.text,
            verdict: answer.verdict,
            value: answer.value,
            trace: answer.evidence.map(|trace| ShownTrace::new(&trace, system)),
            lost_trace: answer.lost_evidence,
        }
    }
}
