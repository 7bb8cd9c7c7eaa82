//! An exploration under way, by whatever engine and of whatever adapted system.

use std::sync::Arc;

use sweepline_check::{Again, EachState, Encodings, Failure, Inquiry, Plan, QuestionKind, Report};
use sweepline_core::{
    AnySystem, BrokenAssertion, Describe, NoProgress, Observer, Progress, Renewed, SlotId,
    Statistics, Steps, StopReason, System, Trace, Verdict, Word,
};
use sweepline_explore::{Caching, CachingOptions, End, Regress, Sweep};
use sweepline_progress::{Bound, Changes};

use crate::adapter::{Adapted, Adapter};
use crate::error::{Error, WrongColumn};
use crate::model::Model;
use crate::order::{ChosenBy, Order};
use crate::reduction::Preserved;
use crate::run::{Answer, Run};
use crate::trace::Evidence;

pub(crate) type Erased = Arc<dyn AnySystem>;

/// A model and how it is adapted.
pub(crate) struct Adaptation<'s> {
    pub(crate) model: &'s Model,
    adapter: &'s dyn Adapter,
    changes: Option<Changes>,
}

/// An exploration that can go on with another measure.
pub(crate) struct Exploration<'s> {
    adaptation: &'s Adaptation<'s>,
    /// The model's system, in its present encoding.
    system: Erased,
    engine: Engine,
}

/// The order that an exploration goes on with.
#[derive(Clone, Copy)]
pub(crate) struct Changed<'o> {
    pub(crate) order: &'o Order,
    pub(crate) kept: Kept,
}

/// What is kept of the states that have been expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// What needs no room.
    Little,
    /// Everything, each until the sweep-line passes it, so that all states are counted.
    Everything,
}

/// A constant measure has its own type: it costs nothing.
enum Engine {
    Plain(Inquiry<Sweep<Erased, NoProgress>>),
    Measured(Inquiry<Sweep<Erased, Bound>>),
    Caching(Inquiry<Caching<Erased>>),
}

/// The same for every engine.
macro_rules! each {
    ($engine:expr, $inquiry:ident => $what:expr) => {
        match $engine {
            Engine::Plain($inquiry) => $what,
            Engine::Measured($inquiry) => $what,
            Engine::Caching($inquiry) => $what,
        }
    };
}

impl<'s> Adaptation<'s> {
    pub(crate) fn new(model: &'s Model, adapter: &'s dyn Adapter) -> Self {
        Self {
            model,
            adapter,
            changes: model.structure.changes(),
        }
    }

    pub(crate) fn start(
        &'s self,
        order: &Order,
        options: sweepline_explore::Options,
    ) -> Result<Exploration<'s>, Error> {
        let system = Arc::clone(&self.model.system);
        let adapted = self.adapter.adapt(&system)?;
        let engine = if let Some(cache) = order.cache {
            let options = CachingOptions {
                capacity: cache.capacity,
                replacement: cache.replacement,
                limits: options.limits,
                log: options.log,
                ..CachingOptions::default()
            };
            Engine::Caching(Inquiry::caching(plan(adapted, ()), options))
        } else if order.is_constant() {
            Engine::Plain(Inquiry::new(plan(adapted, NoProgress), options))
        } else {
            let progress = self.bind(order, &system, &adapted.system)?;
            Engine::Measured(Inquiry::new(plan(adapted, progress), options))
        };
        Ok(Exploration {
            adaptation: self,
            system,
            engine,
        })
    }

    /// The measure on the states of the adapted system.
    ///
    /// The model's slots stay where they are, so a measure of them is bound to the model, where keys can be carried along: the
    /// rest of an adapted state has no part in them. Only a measure that speaks of the rest is computed from every state.
    fn bind(&self, order: &Order, system: &Erased, adapted: &Erased) -> Result<Bound, Error> {
        let ranges = self.model.ranges;
        match order.bind(system, ranges, self.changes.as_ref()) {
            Ok(bound) => Ok(bound),
            Err(_) => order.bind(adapted, ranges, None),
        }
    }

    fn remeasured<P: Progress>(
        &self,
        inquiry: Inquiry<Sweep<Erased, P>>,
        to: Changed<'_>,
        system: &Erased,
        observer: &mut dyn Observer,
    ) -> Option<Engine> {
        if to.order.is_constant() {
            let inquiry = inquiry.remeasured(NoProgress, observer);
            return Some(Engine::Plain(inquiry.ok()?));
        }
        let progress = self.bind(to.order, system, inquiry.system()).ok()?;
        let inquiry = match to.kept {
            Kept::Little => inquiry.remeasured(progress, observer),
            Kept::Everything => inquiry.remeasured_keeping(progress, observer),
        };
        Some(Engine::Measured(inquiry.ok()?))
    }

    /// Makes the evidence a path of the model, looked up there step by step and confirmed.
    fn projected(
        &self,
        answer: sweepline_check::Answer,
        system: &Erased,
    ) -> Result<Answer, String> {
        let Some(trace) = answer.evidence.clone() else {
            return Ok(answer.map_evidence(|trace| evidence(trace, system)));
        };
        let projected = self.adapter.project(system, trace);
        let trace = projected.map_err(|error| error.to_string())?;
        let confirmed = self.adapter.confirms(system, &trace);
        let is_end = answer.kind != QuestionKind::Deadlock || is_deadlock(system, trace.last());
        match confirmed {
            Ok(true) if is_end => Ok(answer.map_evidence(|_| evidence(trace, system))),
            _ => Err(format!(
                "the evidence for `{}` does not hold up in the model",
                answer.name
            )),
        }
    }
}

/// Whether a state of the model is a deadlock, whatever was explored instead of the model.
fn is_deadlock(system: &Erased, state: &[Word]) -> bool {
    let mut steps = Steps::for_layout(system.layout());
    system.successors(state, &mut steps);
    steps.is_empty() && steps.fault().is_none() && !system.is_end(state)
}

fn evidence(trace: Trace, system: &Erased) -> Evidence {
    Evidence {
        trace,
        system: Arc::clone(system),
    }
}

fn plan<P>(adapted: Adapted, progress: P) -> Plan<Erased, P> {
    Plan {
        system: adapted.system,
        progress,
        questions: adapted.questions,
    }
}

/// What is said of figures that are no figures of states.
const NODES: &str =
    "nodes of the graph were explored, some of which are the same state, so states are not counted";

/// A system holding less than this does not begin again.
pub(crate) const LITTLE: usize = 1 << 20;

/// The system with the contents of these states only, if it can begin again.
pub(crate) fn renewed(system: &Erased, each: &EachState<'_>) -> Option<Renewed> {
    let mut renewal = system.renewal()?;
    each(&mut |state| renewal.keep(state));
    Some(renewal.finish())
}

/// The present encoding of the model's system, and the measure on what is adapted of it.
struct Present<'e, F> {
    adaptation: &'e Adaptation<'e>,
    system: &'e mut Erased,
    progress: F,
}

impl<'e, P, F: Fn(&Erased, &Erased) -> Option<P>> Present<'e, F> {
    fn new(adaptation: &'e Adaptation<'e>, system: &'e mut Erased, progress: F) -> Self {
        Self {
            adaptation,
            system,
            progress,
        }
    }

    /// The plan for another system of the model.
    fn plan(&mut self, system: Erased) -> Option<Plan<Erased, P>> {
        let adapted = self.adaptation.adapter.adapt(&system).ok()?;
        let progress = (self.progress)(&system, &adapted.system)?;
        *self.system = system;
        Some(plan(adapted, progress))
    }
}

impl<P, F: Fn(&Erased, &Erased) -> Option<P>> Encodings<Erased, P> for Present<'_, F> {
    fn wider(&mut self, _: &Erased, slot: SlotId) -> Option<Plan<Erased, P>> {
        let wider = self.system.widened(slot)?;
        self.plan(wider)
    }

    fn least(&self) -> Option<usize> {
        Some(LITTLE)
    }

    fn renewed(&mut self, each: &EachState<'_>) -> Option<Again<Erased, P>> {
        let Renewed {
            system,
            numbers,
            held,
        } = renewed(self.system, each)?;
        Some(Again {
            plan: self.plan(system)?,
            numbers,
            held,
        })
    }
}

impl Exploration<'_> {
    /// Explores until something ends it. `order` is the one it has.
    pub(crate) fn run(&mut self, order: &Order, observer: &mut dyn Observer) -> End {
        let Self {
            adaptation,
            system,
            engine,
        } = self;
        match engine {
            Engine::Plain(inquiry) => {
                let constant = |_: &_, _: &_| Some(NoProgress);
                inquiry.run_with(Present::new(adaptation, system, constant), observer)
            }
            Engine::Measured(inquiry) => {
                let bound = |system: &_, adapted: &_| adaptation.bind(order, system, adapted).ok();
                inquiry.run_with(Present::new(adaptation, system, bound), observer)
            }
            Engine::Caching(inquiry) => {
                let none = |_: &_, _: &_| Some(());
                inquiry.run_with(Present::new(adaptation, system, none), observer)
            }
        }
    }

    pub(crate) fn is_decided(&self) -> bool {
        each!(&self.engine, inquiry => inquiry.is_decided())
    }

    /// Whether the questions want links.
    pub(crate) fn wants_links(&self) -> bool {
        each!(&self.engine, inquiry => inquiry.wants_links())
    }

    /// The figures so far.
    pub(crate) fn statistics(&self) -> &Statistics {
        each!(&self.engine, inquiry => inquiry.statistics())
    }

    /// What is known so far. Evidence that does not hold up is looked for again.
    pub(crate) fn answers(&mut self) -> Vec<Answer> {
        let answers = each!(&mut self.engine, inquiry => inquiry.answers());
        let known = answers.into_iter().map(|answer| {
            let open = open(&answer);
            let projected = self.adaptation.projected(answer, &self.system);
            projected.unwrap_or(open)
        });
        known.collect()
    }

    /// Goes on with another measure. Nothing if there is no room, if the measure has no value somewhere, or if the observer
    /// cannot follow.
    pub(crate) fn remeasured(self, to: Changed<'_>, observer: &mut dyn Observer) -> Option<Self> {
        let (adaptation, system) = (self.adaptation, &self.system);
        let engine = match self.engine {
            Engine::Plain(inquiry) => adaptation.remeasured(inquiry, to, system, observer),
            Engine::Measured(inquiry) => adaptation.remeasured(inquiry, to, system, observer),
            Engine::Caching(_) => None,
        };
        Some(Self {
            engine: engine?,
            ..self
        })
    }

    /// What came out.
    pub(crate) fn finish(self, end: End, order: &Order) -> Result<Run, Error> {
        let Report {
            system: adapted,
            answers,
            statistics,
            stopped,
            failure,
        } = each!(self.engine, inquiry => inquiry.report(end));
        let (adaptation, system) = (self.adaptation, self.system);
        let mut failure = match failure {
            None => None,
            Some(failure) => Some(adaptation.judged(failure, &adapted, &system, order)?),
        };
        let answers = answers.into_iter().map(|answer| {
            let open = open(&answer);
            adaptation.projected(answer, &system).unwrap_or_else(|bug| {
                failure = Some(Failure::Bug(bug));
                open
            })
        });
        let mut answers: Vec<Answer> = answers.collect();
        answers.extend(
            failure
                .as_ref()
                .and_then(|failure| adaptation.own_answer(failure, &system)),
        );
        let preserved = adaptation.adapter.preserves();
        let is_unfolded = adaptation.model.is_unfolded;
        Ok(Run {
            notes: is_unfolded.then(|| NODES.to_owned()).into_iter().collect(),
            answers,
            states: statistics
                .states()
                .filter(|_| preserved.is_none() && !is_unfolded),
            deadlocks: statistics
                .deadlocks()
                .filter(|_| preserved.is_none_or(|it| it == Preserved::Deadlocks) && !is_unfolded),
            preserved,
            statistics,
            order: order.clone(),
            changes: Vec::new(),
            covers_model: adaptation.adapter.covers_model(),
            stopped,
            failure,
            system,
        })
    }
}

impl Adaptation<'_> {
    /// What went wrong, in terms of the model. A column that somebody claimed is an error of theirs.
    fn judged(
        &self,
        failure: Failure,
        adapted: &Erased,
        system: &Erased,
        order: &Order,
    ) -> Result<Failure, Error> {
        Ok(match failure {
            Failure::Bug(message) => Failure::Bug(message),
            Failure::Model {
                action,
                message,
                trace,
            } => match trace.map(|trace| self.adapter.project(system, trace)) {
                Some(Err(error)) => Failure::Bug(error.to_string()),
                projected => Failure::Model {
                    action,
                    message,
                    trace: projected.and_then(Result::ok),
                },
            },
            Failure::Assertion { assertion, trace } => {
                match trace.map(|trace| self.adapter.project(system, trace)) {
                    Some(Err(error)) => Failure::Bug(error.to_string()),
                    projected => Failure::Assertion {
                        assertion,
                        trace: projected.and_then(Result::ok),
                    },
                }
            }
            Failure::WrongColumn { edge, from, to } => {
                let wrong = Box::new(wrong_column(adapted, &edge, from, to, order));
                if order.origin != ChosenBy::Auto {
                    return Err(wrong.into());
                }
                Failure::Bug(format!("an automatic measure was wrong: {wrong}"))
            }
        })
    }
}

impl Adaptation<'_> {
    /// What a model says or does wrong, as the answer to a question that is always asked.
    fn own_answer(&self, failure: &Failure, system: &Erased) -> Option<Answer> {
        let (name, kind, text, trace) = match failure {
            Failure::Assertion { assertion, trace } => {
                let BrokenAssertion {
                    place,
                    condition,
                    error,
                } = &**assertion;
                match error {
                    None => (
                        place.clone(),
                        QuestionKind::Assertion,
                        condition.clone(),
                        trace,
                    ),
                    Some(error) => {
                        let text = format!("{error} in {condition}");
                        (place.clone(), QuestionKind::ModelError, text, trace)
                    }
                }
            }
            Failure::Model {
                action,
                message,
                trace,
            } => {
                let lines = system.lines(*action).into_iter().next();
                let name = match lines {
                    Some(line) => format!("{}:{line}", self.model.name),
                    None => self.model.name.clone(),
                };
                (name, QuestionKind::ModelError, message.clone(), trace)
            }
            Failure::Bug(_) | Failure::WrongColumn { .. } => return None,
        };
        Some(Answer {
            name,
            kind,
            text,
            verdict: Verdict::Violated,
            value: None,
            evidence: trace.clone().map(|trace| evidence(trace, system)),
            witness: None,
            undecided: Vec::new(),
            remark: None,
            lost_evidence: trace
                .is_none()
                .then(|| "the way to it was not kept".to_owned()),
            vacuous: Vec::new(),
        })
    }
}

/// The same question without an answer, should its evidence not hold up.
fn open(answer: &sweepline_check::Answer) -> Answer {
    let reason = "its evidence does not hold up in the model".to_owned();
    Answer {
        name: answer.name.clone(),
        kind: answer.kind,
        text: answer.text.clone(),
        verdict: Verdict::Inconclusive(StopReason::Other(reason)),
        value: None,
        evidence: None,
        witness: None,
        undecided: Vec::new(),
        remark: None,
        lost_evidence: None,
        vacuous: Vec::new(),
    }
}

/// A claim of the user is wrong: the edge that shows it.
fn wrong_column(
    system: &dyn Describe,
    edge: &Regress,
    before: String,
    after: String,
    order: &Order,
) -> WrongColumn {
    let (source, target) = (system.show(&edge.source), system.show(&edge.target));
    let pairs = source.iter().zip(&target);
    let changes = pairs
        .filter(|(source, target)| source != target)
        .map(|(source, target)| format!("{}: {} -> {}", source.0, source.1, target.1));
    let columns = order.columns_text();
    WrongColumn {
        action: system.step_name(&edge.source, edge.ordinal, edge.action),
        before,
        after,
        changes: changes.collect::<Vec<_>>().join(", "),
        as_rows: match order.rows_text() {
            rows if rows.is_empty() => columns.clone(),
            rows => format!("{columns}, {rows}"),
        },
        columns,
    }
}
