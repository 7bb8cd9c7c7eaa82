//! Exploring fewer interleavings: which questions allow it, and what comes of it.

mod asked;
mod auto;
mod beside;
mod pilot;
mod reducer;
mod wish;

use std::sync::Arc;

use sweepline_core::{AnySystem, Trace};
use sweepline_explore::replay_projected;
use sweepline_progress::Structure;
use sweepline_reduce::{
    Aim, Irreducible, NetTransitions, NetworkTransitions, ProgramTransitions, Stubborn, Transitions,
};

use crate::adapter::{Adapted, Adapter, Plain};
use crate::error::Error;
use crate::local::local_graphs;
use crate::model::Model;
use crate::order::Order;
use crate::questions::Questions;
use crate::run::Run;
use crate::verify::{Monitor, Options, explore, verify_whole};
use asked::Asked;
use pilot::Pilot;
use reducer::Reducer;
use wish::about_more;

/// Whether steps are left out that make no difference to what is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduce {
    /// Where a short trial shows that it pays.
    Auto,
    /// Never.
    #[default]
    None,
    /// Always, by stubborn sets; what they do not preserve is refused.
    Stubborn,
}

/// How it is found out which actions depend on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dependency {
    /// By the text of the model.
    #[default]
    Static,
    /// By local graphs of processes.
    Local,
}

/// Whom questions are put to first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Via {
    /// The whole model.
    #[default]
    Whole,
    /// Local graphs of processes.
    Local,
}

/// What was preserved when steps were left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preserved {
    /// All deadlocks.
    Deadlocks,
    /// Whether what is asked for can be reached.
    Goals,
    /// Runs, but for how often a state is repeated.
    Runs,
}

impl Preserved {
    /// The word in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deadlocks => "deadlocks",
            Self::Goals => "goals",
            Self::Runs => "runs",
        }
    }
}

/// A model with fewer steps, adapted to what is asked. Evidence is looked up in the model itself, step by step.
pub(crate) struct Reduced<'q> {
    inner: &'q dyn Adapter,
    aim: Arc<Aim>,
    preserved: Preserved,
}

impl Reduced<'_> {
    fn stubborn(&self, system: &Arc<dyn AnySystem>) -> Arc<dyn AnySystem> {
        Arc::new(Stubborn::new(Arc::clone(system), Arc::clone(&self.aim)))
    }
}

impl Adapter for Reduced<'_> {
    fn adapt(&self, system: &Arc<dyn AnySystem>) -> Result<Adapted, Error> {
        self.inner.adapt(&self.stubborn(system))
    }

    fn project(&self, system: &Arc<dyn AnySystem>, trace: Trace) -> Result<Trace, Error> {
        let trace = self.inner.project(&self.stubborn(system), trace)?;
        Ok(replay_projected(system, &trace, |state| state)?)
    }

    fn confirms(&self, system: &Arc<dyn AnySystem>, trace: &Trace) -> Result<bool, Error> {
        self.inner.confirms(system, trace)
    }

    /// Not all states are seen, but whatever can fail is, unless an automaton ends a path before.
    fn covers_model(&self) -> bool {
        self.inner.covers_model()
    }

    fn preserves(&self) -> Option<Preserved> {
        Some(self.preserved)
    }
}

/// How the actions of a model depend on each other. The note says why it is not known as well as was wanted.
type Known = (Arc<dyn Transitions>, Option<String>);

fn transitions(model: &Model, options: &Options) -> Result<Known, Irreducible> {
    Ok(match &model.structure {
        Structure::Net(net) => (
            Arc::new(NetTransitions::new(Arc::clone(net))?),
            not_local(options),
        ),
        Structure::Program(program) => {
            let mut known = ProgramTransitions::new(program.program())?;
            if !model.is_compiled {
                known = known.interpreted();
            }
            match options.dependency {
                Dependency::Static => (Arc::new(known), None),
                Dependency::Local => look_closer(model, known, options),
            }
        }
        Structure::Components(network) => (
            Arc::new(NetworkTransitions::new(network)?),
            not_local(options),
        ),
        Structure::Unknown => return Err(Irreducible::Unknown),
    })
}

fn not_local(options: &Options) -> Option<String> {
    let wanted = options.dependency == Dependency::Local;
    wanted.then(|| {
        "only programs have local graphs, so what depends on what is told by the text".into()
    })
}

/// What local graphs tell of a program. If they cannot be made, the text has to do.
fn look_closer(model: &Model, mut known: ProgramTransitions, options: &Options) -> Known {
    let limits = &options.limits;
    let refined = local_graphs(model, limits).map_err(|error| error.to_string());
    let refined = refined.and_then(|graphs| {
        let refined = known.refine(&graphs, limits);
        refined.map_err(|why| why.to_string())
    });
    let note = refined.err();
    let note = note.map(|why| format!("what depends on what is told by the text: {why}"));
    (Arc::new(known), note)
}

/// Explores a model without questions and leaves out what makes no difference to deadlocks.
pub fn explore_reduced(
    model: &Model,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Run, Error> {
    let known = transitions(model, options);
    let (transitions, note) = known.map_err(|why| refused(model, why))?;
    let aim = Pilot::new(model, &options.limits).tried_for_deadlocks(&transitions);
    let nothing = Questions::default();
    let adapter = Reduced {
        inner: &Plain(&nothing),
        aim,
        preserved: Preserved::Deadlocks,
    };
    let mut run = explore(model, &adapter, order, options, monitor)?;
    run.notes.extend(note);
    Ok(run)
}

fn refused(model: &Model, why: Irreducible) -> Error {
    Error::NotReduced {
        what: model.name.clone(),
        why: why.to_string(),
    }
}

/// Answers questions with fewer steps where that is allowed. Nothing if everything is to be explored.
pub(crate) fn verify_reduced(
    model: &Model,
    questions: &Questions,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Option<Vec<Run>>, Error> {
    let more = about_more(questions);
    match (options.reduce, more) {
        (Reduce::None, _) | (Reduce::Auto, Some(_)) => Ok(None),
        (Reduce::Auto, None) => verify_auto(model, questions, order, options, monitor).map(Some),
        (Reduce::Stubborn, Some((what, why))) => Err(Error::NotReduced { what, why }),
        (Reduce::Stubborn, None) => verify_stubborn(model, questions, order, options, monitor),
    }
}

/// The questions that are not automata.
fn without_automata(questions: &Questions) -> Questions {
    Questions {
        automata: Vec::new(),
        ..questions.clone()
    }
}

/// Leaves out steps where it seems to pay.
fn verify_auto(
    model: &Model,
    questions: &Questions,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Run>, Error> {
    if !questions.automata.is_empty() && order.cache.is_some() {
        return Err(Error::CachedAutomaton);
    }
    let states = without_automata(questions);
    let mut runs = Vec::new();
    if questions.is_about_states() || questions.automata.is_empty() {
        runs = auto::answer(model, &states, order, options, monitor)?;
    }
    for automaton in &questions.automata {
        let run = auto::watch(model, automaton, &states, order, options, monitor)?;
        runs.push(run);
    }
    Ok(runs)
}

/// Leaves out steps, and refuses what cannot be asked then.
fn verify_stubborn(
    model: &Model,
    questions: &Questions,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Option<Vec<Run>>, Error> {
    let known = transitions(model, options);
    let (transitions, note) = known.map_err(|why| refused(model, why))?;
    let states = without_automata(questions);
    let mut reducer = Reducer::new(Asked {
        model,
        questions: &states,
        order,
        options,
        transitions,
    });
    let mut watched = Vec::new();
    for automaton in &questions.automata {
        watched.push(reducer.watch(automaton, monitor)?);
    }
    reducer.run(monitor)?;
    let mut runs = match reducer.finish(monitor)? {
        Some(runs) => runs,
        // Nothing else is asked.
        None if !watched.is_empty() && !states.is_about_states() => Vec::new(),
        None if watched.is_empty() => return Ok(None),
        None => verify_whole(model, &states, order, options, monitor)?,
    };
    runs.append(&mut watched);
    if let Some(run) = runs.first_mut() {
        run.notes.extend(note);
    }
    Ok(Some(runs))
}
