//! Exploring fewer interleavings: which questions allow it, and what comes of it.

mod asked;
mod auto;
mod automaton;
mod beside;
mod known;
mod pilot;
mod reducer;
mod wish;

use std::sync::Arc;

use sweepline_core::{AnySystem, Observer, Trace};
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

    /// What is told to an exploration of it: tables of many actions count as what is stored does.
    fn tables(&self) -> Held {
        Held(self.aim.bytes())
    }
}

/// Bytes that are there all the time.
struct Held(usize);

impl Observer for Held {
    fn bytes(&self) -> usize {
        self.0
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
    let limits = &options.limits;
    Ok(match &model.structure {
        Structure::Net(net) => (
            Arc::new(NetTransitions::within(Arc::clone(net), limits)?),
            not_local(options),
        ),
        Structure::Program(program) => {
            let mut known = ProgramTransitions::within(program.program(), limits)?;
            if !model.is_compiled {
                known = known.interpreted();
            }
            match options.dependency.unwrap_or_default() {
                Dependency::Static => (Arc::new(known), None),
                Dependency::Local => look_closer(model, known, options),
            }
        }
        Structure::Components(network) => (
            Arc::new(NetworkTransitions::within(network, limits)?),
            not_local(options),
        ),
        Structure::Unknown => return Err(Irreducible::Unknown),
    })
}

fn not_local(options: &Options) -> Option<String> {
    let wanted = options.dependency == Some(Dependency::Local);
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
    match transitions(model, options) {
        Ok(known) => explore_knowing(known, model, order, options, monitor),
        Err(why) => {
            let note = stopped(model, &why)?;
            let mut run = explore_whole(model, order, options, monitor)?;
            run.notes.push(note);
            Ok(run)
        }
    }
}

/// The same where it is known how actions depend on each other.
fn explore_knowing(
    (transitions, note): Known,
    model: &Model,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Run, Error> {
    let aim = Pilot::new(model, &options.limits).tried_for_deadlocks(&transitions);
    let nothing = Questions::default();
    let adapter = Reduced {
        inner: &Plain(&nothing),
        aim,
        preserved: Preserved::Deadlocks,
    };
    let monitor = &mut (adapter.tables(), monitor);
    let mut run = explore(model, &adapter, order, options, monitor)?;
    run.notes.extend(note);
    Ok(run)
}

fn explore_whole(
    model: &Model,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Run, Error> {
    let nothing = Questions::default();
    explore(model, &Plain(&nothing), order, options, monitor)
}

/// Looks for what the model itself says or does wrong, unless that is known to be impossible: then there is no run.
pub(crate) fn look_for_failures(
    model: &Model,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Option<Run>, Error> {
    if model.can_fail == Some(false) {
        return Ok(None);
    }
    let known = transitions(model, options);
    let safe = known.as_ref();
    if safe.is_ok_and(|(transitions, _)| transitions.tables().failures() == 0) {
        return Ok(None);
    }
    let run = match known {
        Ok(known) if options.reduce != Reduce::None => {
            explore_knowing(known, model, order, options, monitor)
        }
        _ => explore_whole(model, order, options, monitor),
    };
    run.map(Some)
}

/// What is to be said if a limit was reached before it was known how actions depend on each other: nothing is left out then, and the
/// exploration ends at once for the same reason. Whatever else is in the way is an error.
fn stopped(model: &Model, why: &Irreducible) -> Result<String, Error> {
    match why {
        Irreducible::Stopped(reason) => Ok(format!("no steps were left out: {reason}")),
        why => Err(Error::NotReduced {
            what: model.name.clone(),
            why: why.to_string(),
        }),
    }
}

impl Run {
    /// Why states or deadlocks are not counted, and what counts them.
    pub fn uncounted(&self) -> Vec<&'static str> {
        let again = self.statistics.complete && self.statistics.repeated;
        let mut why = Vec::new();
        match self.preserved {
            Some(preserved) => {
                why.push(
                    "reduced: steps that make no difference were left out, so states are not counted",
                );
                if again && self.deadlocks.is_none() && preserved == Preserved::Deadlocks {
                    why.push(
                        "deadlocks were explored again after regress edges; --method full counts them",
                    );
                }
            }
            None if again && self.states.is_none() => {
                why.push(
                    "states were explored again after regress edges; --method full counts them",
                );
            }
            None => {}
        }
        why
    }
}

impl Options {
    /// The same with steps left out.
    pub fn reducing(self, reduce: Reduce, dependency: Option<Dependency>) -> Result<Self, Error> {
        if (reduce, dependency) == (Reduce::None, Some(Dependency::Local)) {
            return Err(Error::Contradiction {
                what: "--dependency is about steps that --reduce leaves out",
                help: "add --reduce stubborn",
            });
        }
        Ok(Self {
            reduce,
            dependency,
            ..self
        })
    }

    /// The same for an exploration without questions, where steps are left out only if somebody says so.
    pub fn for_exploration(self) -> Result<Self, Error> {
        if self.dependency == Some(Dependency::Local) && self.reduce != Reduce::Stubborn {
            return Err(Error::Contradiction {
                what: "--dependency is about steps that are left out, and `explore` leaves none out unless it is told to",
                help: "add --reduce stubborn",
            });
        }
        Ok(self)
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
        let run = automaton::watch(model, automaton, &states, order, options, monitor)?;
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
    let (transitions, note) = match transitions(model, options) {
        Ok(known) => known,
        Err(why) => {
            let note = stopped(model, &why)?;
            let mut runs = verify_whole(model, questions, order, options, monitor)?;
            if let Some(run) = runs.first_mut() {
                run.notes.push(note);
            }
            return Ok(Some(runs));
        }
    };
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
