//! Running explorations and turning their reports into records.

use std::rc::Rc;

use miette::{Report, miette};
use sweepline_check::{
    Answer, Failure, Inquiry, Plan, Question, QuestionKind, answer, answer_by_caching,
};
use sweepline_core::{
    Describe, NoProgress, Observer, Progress, SlotId, Statistics, StopReason, Verdict, Widen,
};
use sweepline_explore::{CachingOptions, End, Options, replay_projected};
use sweepline_logic::{Product, SafetyAutomaton};
use sweepline_progress::{Bound, Changes};

use crate::load::Loaded;
use crate::measure::{Origin, Spec};
use crate::properties::Asked;
use crate::record::ShownTrace;
use crate::ticker::{Guard, Ticker};

/// One exploration and what it answered.
pub struct Run {
    /// The system in the encoding it ended up with.
    pub system: Rc<dyn Widen>,
    pub statistics: Statistics,
    pub answers: Vec<Shown>,
    pub stopped: Option<StopReason>,
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

/// Explores a model once for all properties. A measure that was found and turns out to lose is given up, and one that
/// stores less is used when memory runs out; the exploration goes on from where it is.
pub fn explore_guarded(
    model: &Loaded,
    spec: &mut Spec,
    asked: &Asked,
    options: &Options,
    quiet: bool,
) -> Result<Run, Report> {
    if spec.cache.is_some() {
        let mut ticker = Ticker::new(quiet);
        let run = explore(model, spec, asked, options.clone(), &mut ticker);
        ticker.clear();
        return run;
    }
    let subject = Subject::new(model, asked);
    let mut running = subject.start(spec, options)?;
    let mut saving = Saving::No;
    loop {
        let guarded = spec.source == Origin::Auto && saving == Saving::No;
        let guard = guarded.then(|| Guard::new(spec.again));
        let mut ticker = Ticker::new(quiet).towards(spec.goal(model)).guarded(guard);
        let end = running.run(&subject, spec, &mut ticker);
        ticker.clear();
        let is_full = matches!(end, End::Limit(StopReason::Memory { .. }));
        match ticker.complaint().filter(|_| !running.is_decided()) {
            Some(complaint) => spec.give_up(complaint),
            None if is_full && saving == Saving::No && spec.save_memory() => {
                saving = Saving::GoingOn;
            }
            None if is_full && saving == Saving::GoingOn => saving = Saving::FromStart,
            None if is_full && saving == Saving::FromStart && spec.save_memory() => {}
            None => return finish(running.report(end), spec),
        }
        let going_on = match saving {
            Saving::FromStart => None,
            Saving::No | Saving::GoingOn => running.remeasured(&subject, spec).ok(),
        };
        if going_on.is_none() && saving == Saving::GoingOn {
            saving = Saving::FromStart; // there is no room even for the change
        }
        running = match going_on {
            Some(running) => running,
            None => subject.start(spec, options)?,
        };
    }
}

/// What is done when memory runs out: go on with a measure that stores less, and if what plain search has left behind is
/// too much for that, start again with it, and then with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Saving {
    No,
    GoingOn,
    FromStart,
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
        let mut running = subject.start(spec, &options)?;
        let end = running.run(&subject, spec, observer);
        return finish(running.report(end), spec);
    };
    let options = CachingOptions {
        capacity: cache.capacity,
        replacement: cache.replacement,
        limits: options.limits,
        log: options.log,
        ..CachingOptions::default()
    };
    let first = plan(Rc::clone(&model.system), (), asked.bind(&model.system)?);
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

/// An exploration under way. A constant measure has its own type: it costs nothing.
enum Running {
    Plain(Inquiry<Rc<dyn Widen>, NoProgress>),
    Measured(Inquiry<Rc<dyn Widen>, Bound>),
}

impl<'m> Subject<'m> {
    fn new(model: &'m Loaded, asked: &'m Asked) -> Self {
        Self {
            model,
            asked,
            changes: model.structure.changes(),
        }
    }

    fn bind(&self, spec: &Spec, system: &Rc<dyn Widen>) -> Result<Bound, Report> {
        spec.bind(system, self.model.format.ranges(), self.changes.as_ref())
    }

    fn start(&self, spec: &Spec, options: &Options) -> Result<Running, Report> {
        let system = Rc::clone(&self.model.system);
        let questions = self.asked.bind(&system)?;
        let options = options.clone();
        Ok(if spec.is_constant() {
            Running::Plain(Inquiry::new(plan(system, NoProgress, questions), options))
        } else {
            let progress = self.bind(spec, &system)?;
            Running::Measured(Inquiry::new(plan(system, progress, questions), options))
        })
    }

    /// The same system in a wider encoding, and the questions to it.
    fn widened(
        &self,
        system: &Rc<dyn Widen>,
        slot: SlotId,
    ) -> Option<(Rc<dyn Widen>, Vec<Question>)> {
        let wider = system.widened(slot)?;
        let questions = self.asked.bind(&wider).ok()?;
        Some((wider, questions))
    }
}

impl Running {
    fn run(&mut self, subject: &Subject<'_>, spec: &Spec, observer: &mut dyn Observer) -> End {
        match self {
            Self::Plain(inquiry) => {
                let widen = |system: &_, slot| {
                    let (wider, questions) = subject.widened(system, slot)?;
                    Some(plan(wider, NoProgress, questions))
                };
                inquiry.run(widen, observer)
            }
            Self::Measured(inquiry) => {
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
        match self {
            Self::Plain(inquiry) => inquiry.is_decided(),
            Self::Measured(inquiry) => inquiry.is_decided(),
        }
    }

    /// Goes on with another measure.
    fn remeasured(self, subject: &Subject<'_>, spec: &Spec) -> Result<Self, Report> {
        match self {
            Self::Plain(inquiry) => remeasured(inquiry, subject, spec),
            Self::Measured(inquiry) => remeasured(inquiry, subject, spec),
        }
    }

    fn report(self, end: End) -> sweepline_check::Report<Rc<dyn Widen>> {
        match self {
            Self::Plain(inquiry) => inquiry.report(end),
            Self::Measured(inquiry) => inquiry.report(end),
        }
    }
}

fn remeasured<P: Progress>(
    inquiry: Inquiry<Rc<dyn Widen>, P>,
    subject: &Subject<'_>,
    spec: &Spec,
) -> Result<Running, Report> {
    let failed = |reason: StopReason| miette!("{reason}");
    Ok(if spec.is_constant() {
        Running::Plain(inquiry.remeasured(NoProgress).map_err(failed)?)
    } else {
        let progress = subject.bind(spec, inquiry.system())?;
        Running::Measured(inquiry.remeasured(progress).map_err(failed)?)
    })
}

fn plan<S, P>(system: S, progress: P, questions: Vec<Question>) -> Plan<S, P> {
    Plan {
        system,
        progress,
        questions,
    }
}

type Watched = Rc<Product<Rc<dyn Widen>>>;

/// Explores the product of a model with a safety automaton.
pub fn explore_product(
    model: &Loaded,
    automaton: &SafetyAutomaton,
    spec: &Spec,
    asked: &Asked,
    options: Options,
    observer: &mut dyn Observer,
) -> Result<Run, Report> {
    if spec.cache.is_some() {
        return Err(miette!(
            help = "use --method sweep or --method full",
            "--method caching cannot follow an automaton"
        ));
    }
    let ranges = model.format.ranges();
    let plan = |system: Rc<dyn Widen>| -> Result<Plan<Watched, Box<dyn Progress>>, Report> {
        let product = Rc::new(Product::new(system, automaton, &asked.definitions)?);
        let progress: Box<dyn Progress> = if spec.is_constant() {
            Box::new(NoProgress)
        } else {
            Box::new(spec.bind(&product, ranges, None)?)
        };
        let questions = vec![never_accepted(&product, automaton)];
        Ok(Plan {
            system: product,
            progress,
            questions,
        })
    };
    let widen = |product: &Watched, slot| plan(product.inner().widened(slot)?).ok();
    let mut report = answer(plan(Rc::clone(&model.system))?, widen, options, observer);
    let product = Rc::clone(&report.system);
    for answer in &mut report.answers {
        if let Some(trace) = answer.evidence.take() {
            // The evidence is shown as a path of the model, looked up there step by step.
            match replay_projected(product.inner(), &trace, |state| product.project(state)) {
                Ok(projected) => answer.evidence = Some(projected),
                Err(error) => report.failure = Some(Failure::Bug(error.to_string())),
            }
        }
    }
    let model = Rc::clone(product.inner());
    conclude(report, model, spec)
}

fn never_accepted(product: &Watched, automaton: &SafetyAutomaton) -> Question {
    let watched = Rc::clone(product);
    let name = automaton.text().name().to_owned();
    Question {
        kind: QuestionKind::SafetyAutomaton,
        ..Question::invariant(name, "no run is accepted", move |seen| {
            Ok(!watched.accepting(seen.state))
        })
    }
}

fn finish(report: sweepline_check::Report<Rc<dyn Widen>>, spec: &Spec) -> Result<Run, Report> {
    let system = Rc::clone(&report.system);
    conclude(report, system, spec)
}

/// Puts the report of a run into words. Traces are of `model`, which is the system explored or what it adapts.
fn conclude<S: Describe>(
    mut report: sweepline_check::Report<S>,
    model: Rc<dyn Widen>,
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
        statistics: report.statistics,
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
    fn new(answer: Answer, system: &dyn Describe) -> Self {
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
