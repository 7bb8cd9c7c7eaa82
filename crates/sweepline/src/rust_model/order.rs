//! In which order a check explores.

use std::sync::Arc;

use sweepline_check::{Answer, Failure, Plan, Question, Runs, Truth, answer};
use sweepline_core::{AnySystem, NoProgress, Progress, Statistics, StopReason, Verdict};
use sweepline_explore::{LogPlace, Options, replay_projected};
use sweepline_model::Model;
use sweepline_progress::{Candidate, Saving};
use sweepline_reduce::Stubborn;
use sweepline_session::{self as session, Change, Order, Questions};

use super::boundary::Bounded;

/// What an exploration came to.
pub struct Explored {
    pub(crate) answers: Vec<Answer>,
    pub(crate) statistics: Statistics,
    pub(crate) stopped: Option<StopReason>,
    pub(crate) failure: Option<Failure>,
    pub(crate) changes: Vec<Change>,
}

/// How a check explores: in the order of any measure, or of one that was found.
pub trait InOrder<M: Model> {
    /// Explores and answers.
    #[doc(hidden)]
    fn explore(
        self,
        system: &Arc<Bounded<M>>,
        reduced: Option<Arc<Stubborn>>,
        questions: Vec<Question>,
        options: Options,
    ) -> Explored;
}

impl<M: Model + 'static, P: Progress> InOrder<M> for P {
    fn explore(
        self,
        system: &Arc<Bounded<M>>,
        reduced: Option<Arc<Stubborn>>,
        questions: Vec<Question>,
        options: Options,
    ) -> Explored {
        let whole: Arc<dyn AnySystem> = Arc::clone(system) as _;
        explore_erased(&whole, reduced, &self, &questions, &options)
    }
}

/// Explores a model, or the part of it that matters, and answers.
///
/// This is not compiled with each model and measure again, which would take seconds for each: a call per state for its steps and
/// one per step for its key cost little beside what they do.
fn explore_erased(
    whole: &Arc<dyn AnySystem>,
    reduced: Option<Arc<Stubborn>>,
    progress: &dyn Progress,
    questions: &[Question],
    options: &Options,
) -> Explored {
    if progress.is_constant() {
        explore_in_order(whole, reduced, NoProgress, questions, options)
    } else {
        explore_in_order(whole, reduced, progress, questions, options)
    }
}

fn explore_in_order<P: Progress + Copy>(
    whole: &Arc<dyn AnySystem>,
    reduced: Option<Arc<Stubborn>>,
    progress: P,
    questions: &[Question],
    options: &Options,
) -> Explored {
    let is_reduced = reduced.is_some();
    let plan = Plan {
        system: reduced.map_or_else(|| Arc::clone(whole), |reduced| reduced as _),
        progress,
        questions: questions.to_vec(),
    };
    let report = answer(plan, |_, _| None, options.clone(), &mut ());
    let mut explored = Explored {
        answers: report.answers,
        statistics: report.statistics,
        stopped: report.stopped,
        failure: report.failure,
        changes: Vec::new(),
    };
    if is_reduced {
        explored.look_up(whole);
        return explored;
    }
    for (index, question) in questions.iter().enumerate() {
        if let Truth::Runs(runs) = &question.truth
            && explored.answers[index].lacks_memory()
        {
            explored.sweep(index, runs, whole, progress, options);
        }
    }
    explored
}

impl Explored {
    /// Evidence is a path of the model itself: every step is looked up there.
    fn look_up(&mut self, system: &Arc<dyn AnySystem>) {
        for answer in &mut self.answers {
            let Some(trace) = &answer.evidence else {
                continue;
            };
            match replay_projected(system, trace, |state| state) {
                Ok(trace) => answer.evidence = Some(trace),
                Err(error) => {
                    answer.evidence = None;
                    answer.verdict = Verdict::Inconclusive(StopReason::Other(error.to_string()));
                    self.failure = Some(Failure::Bug(error.to_string()));
                }
            }
        }
        let Some(Failure::Model { trace, .. } | Failure::Assertion { trace, .. }) =
            &mut self.failure
        else {
            return;
        };
        if let Some(known) = trace.take() {
            *trace = replay_projected(system, &known, |state| state).ok();
        }
    }

    /// Answers a question about runs, for which there was not enough memory, by a sweep of the product with its automaton. Half of
    /// the memory is for links, the other half for states.
    fn sweep<P: Progress>(
        &mut self,
        index: usize,
        runs: &Runs,
        system: &Arc<dyn AnySystem>,
        progress: P,
        options: &Options,
    ) {
        let mut options = options.clone();
        if options.log == LogPlace::Off {
            // The way to a cycle is needed to tell that it is there.
            options.log = LogPlace::default();
        }
        let memory = options.limits.memory.map_or(usize::MAX, |all| all / 2);
        // A question that cannot be asked in this way stays open.
        let Ok(found) = runs.swept(system, progress, (options, memory), &mut ()) else {
            return;
        };
        self.statistics.add(&found.statistics);
        let failure = found.settle(&mut self.answers[index], |trace| trace);
        self.failure = failure.or(self.failure.take());
    }
}

/// A measure that was found, or plain search if there is no good one. It is watched while it is used, as for a model file.
pub struct FoundMeasure {
    model: session::Model,
    pub(crate) order: Order,
    /// The measure in words.
    pub(crate) text: Option<String>,
}

impl FoundMeasure {
    /// Finds a measure. From now on the states of the system have the numbers it is made of.
    pub(crate) fn of<M: Model + 'static>(system: &mut Arc<Bounded<M>>, options: &Options) -> Self {
        if let Some(system) = Arc::get_mut(system) {
            system.typed_mut().learn_numbers();
        }
        let erased = |system: &Arc<Bounded<M>>| {
            let erased: Arc<dyn AnySystem> = Arc::clone(system) as _;
            session::Model::of_system(super::name_of::<M>(), erased)
        };
        let found = erased(system).find_measure(&options.limits);
        let mut order = Order::found(&found, false);
        if order.is_constant() {
            order.fallback = Saving::Known(Vec::new());
        }
        // Numbers nobody needs would only take memory.
        let is_used = |name: &str| {
            let others = order.fallback.known().iter();
            let mut measures = others.chain([&order.measure]);
            measures.any(|measure| {
                let coordinates = [&measure.columns[..], &measure.rows].concat();
                Candidate::text(&coordinates).contains(name)
            })
        };
        if let Some(system) = Arc::get_mut(system) {
            system.typed_mut().keep_numbers(is_used);
        }
        let text = (!order.is_constant()).then(|| order.rows_text());
        Self {
            model: erased(system),
            order,
            text,
        }
    }
}

impl<M: Model + 'static> InOrder<M> for FoundMeasure {
    fn explore(
        self,
        system: &Arc<Bounded<M>>,
        reduced: Option<Arc<Stubborn>>,
        questions: Vec<Question>,
        options: Options,
    ) -> Explored {
        let is_reduced = reduced.is_some();
        let model = match reduced {
            None => self.model,
            Some(reduced) => session::Model {
                system: reduced,
                ..self.model
            },
        };
        let order = Order {
            window: options.window,
            ..self.order
        };
        let options = session::Options {
            limits: options.limits,
            log: options.log,
            ..session::Options::default()
        };
        // What the model does wrong is told as a failure.
        let asked = questions.len();
        let questions = Questions::of(questions);
        let runs = session::verify(&model, &questions, &order, &options, &mut ());
        let run = runs.ok().and_then(|runs| runs.into_iter().next());
        let run = run.expect("a measure that was found fits the model it was found for");
        let mut explored = Explored {
            answers: run
                .answers
                .into_iter()
                .take(asked)
                .map(|answer| answer.map_evidence(|evidence| evidence.trace))
                .collect(),
            statistics: run.statistics,
            stopped: run.stopped,
            failure: run.failure,
            changes: run.changes,
        };
        if is_reduced {
            explored.look_up(&(Arc::clone(system) as _));
        }
        explored
    }
}
