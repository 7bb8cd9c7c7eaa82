//! The way from a model and questions to answers.

use sweepline_core::{Limits, Observer};
use sweepline_explore::LogPlace;

use crate::adapter::{Adapter, Plain, Watched};
use crate::asserted::WithFluents;
use crate::error::Error;
use crate::exploration::Adaptation;
use crate::guard::Patience;
use crate::local::verify_via_local;
use crate::model::Model;
use crate::order::{Goal, Order};
use crate::questions::Questions;
use crate::reduction::{Dependency, Reduce, Via, verify_reduced};
use crate::run::{Change, Run};
use crate::runs::{Emptiness, StatesOnly, search_alone};
use crate::steer::steer;

/// How explorations are limited and steered.
#[derive(Clone, Debug)]
pub struct Options {
    /// What may end them.
    pub limits: Limits,
    /// Where the trace log goes.
    pub log: LogPlace,
    /// When a measure that was found is given up, and one that stores less is used if memory runs out. Without it, the order
    /// stays as it is.
    pub patience: Option<Patience>,
    /// How runs that decide a question are looked for.
    pub emptiness: Emptiness,
    /// Whether steps are left out that make no difference to what is asked.
    pub reduce: Reduce,
    /// How it is found out which actions depend on each other; nothing if nobody has said so.
    pub dependency: Option<Dependency>,
    /// Whether local graphs are asked first.
    pub via: Via,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            log: LogPlace::default(),
            patience: Some(Patience::default()),
            emptiness: Emptiness::default(),
            reduce: Reduce::default(),
            dependency: None,
            via: Via::default(),
        }
    }
}

/// Watches explorations, for a progress line or the like.
pub trait Monitor: Observer {
    /// An exploration starts, or goes on with another measure.
    fn begins(&mut self, beginning: Beginning<'_>) {
        let _ = beginning;
    }

    /// It has come to an end for now.
    fn ends(&mut self) {}
}

/// How an exploration begins.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// How far its first column can go, if that is known.
    pub goal: Option<Goal>,
    /// The change of the measure it goes on after, or begins again after; nothing if it starts.
    pub change: Option<&'a Change>,
    /// Expansions of earlier attempts, which the statistics of this one do not have.
    pub earlier: u64,
}

impl Monitor for () {}

/// Something that observes, beside a monitor.
impl<A: Observer, M: Monitor + ?Sized> Monitor for (A, &mut M) {
    fn begins(&mut self, beginning: Beginning<'_>) {
        self.1.begins(beginning);
    }

    fn ends(&mut self) {
        self.1.ends();
    }
}

/// Answers all questions about a model: one exploration for what is asked about states, and one for each automaton and for each
/// formula over fluents. Without
/// questions everything is explored.
pub fn verify(
    model: &Model,
    questions: &Questions,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Run>, Error> {
    if options.via == Via::Local {
        return verify_via_local(model, questions, order, options, monitor);
    }
    match verify_reduced(model, questions, order, options, monitor)? {
        Some(runs) => Ok(runs),
        None => verify_whole(model, questions, order, options, monitor),
    }
}

/// The same without leaving anything out.
pub(crate) fn verify_whole(
    model: &Model,
    questions: &Questions,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Run>, Error> {
    let questions = questions.decided_by_equation(model, &options.limits);
    let questions = &questions.with_queries(model, &options.limits);
    let asks_runs = questions.is_about_runs();
    let is_watched = !(questions.automata.is_empty() && questions.assertions.is_empty());
    if (asks_runs || is_watched) && order.cache.is_some() {
        return Err(Error::CachedAutomaton);
    }
    let mut runs = Vec::new();
    if questions.is_about_states() || !is_watched {
        runs.push(search_runs(
            model,
            &Plain(questions),
            order,
            options,
            monitor,
        )?);
    }
    for automaton in &questions.automata {
        let adapter = Watched {
            automaton,
            questions,
        };
        runs.push(explore(model, &adapter, order, options, monitor)?);
    }
    for asserted in &questions.assertions {
        let adapter = WithFluents::new(asserted, questions, &*model.system);
        runs.push(search_runs(model, &adapter, order, options, monitor)?);
    }
    Ok(runs)
}

/// Answers questions some of which are about runs.
pub(crate) fn search_runs(
    model: &Model,
    adapter: &dyn Adapter,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Run, Error> {
    let mut run = match options.emptiness {
        Emptiness::Links => explore(model, adapter, order, options, monitor)?,
        Emptiness::Product | Emptiness::Thesis => {
            explore(model, &StatesOnly(adapter), order, options, monitor)?
        }
    };
    search_alone(model, adapter, options, monitor, &mut run)?;
    Ok(run)
}

/// Explores a model, adapted to what is asked, and answers what is asked.
pub fn explore(
    model: &Model,
    adapter: &dyn Adapter,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Run, Error> {
    steer(&Adaptation::new(model, adapter), order, options, monitor)
}
