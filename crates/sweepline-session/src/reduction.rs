//! Exploring fewer interleavings: which questions allow it, and what comes of it.

use std::sync::Arc;

use sweepline_core::{AnySystem, Limits, NoProgress, Statistics, Trace, Verdict};
use sweepline_explore::{LogPlace, Sweep, replay_projected};
use sweepline_logic::{Definition, Formula, Pred, Property, PropertyKind};
use sweepline_progress::Structure;
use sweepline_reduce::{
    Aim, Failures, Irreducible, NetTransitions, NetworkTransitions, ProgramTransitions, Stubborn,
    Transitions,
};

use crate::adapter::{Adapted, Adapter, Plain};
use crate::error::Error;
use crate::model::Model;
use crate::order::Order;
use crate::questions::Questions;
use crate::run::{Answer, Run};
use crate::verify::{Monitor, Options, explore, search_runs};

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
    inner: Plain<'q>,
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

    /// Not all states are seen, but whatever can fail is.
    fn covers_model(&self) -> bool {
        true
    }

    fn preserves(&self) -> Option<Preserved> {
        Some(self.preserved)
    }
}

/// How the actions of a model depend on each other.
fn transitions(model: &Model) -> Result<Arc<dyn Transitions>, Irreducible> {
    Ok(match &model.structure {
        Structure::Net(net) => Arc::new(NetTransitions::new(Arc::clone(net))?),
        Structure::Program(program) => Arc::new(ProgramTransitions::new(program.program())?),
        Structure::Components(network) => Arc::new(NetworkTransitions::new(network)?),
        Structure::Unknown => return Err(Irreducible::Unknown),
    })
}

/// Explores a model without questions and leaves out what makes no difference to deadlocks.
pub fn explore_reduced(
    model: &Model,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Run, Error> {
    let aim = for_deadlocks(
        model,
        &transitions(model).map_err(|why| refused(model, why))?,
    );
    let nothing = Questions::default();
    let adapter = Reduced {
        inner: Plain(&nothing),
        aim,
        preserved: Preserved::Deadlocks,
    };
    explore(model, &adapter, order, options, monitor)
}

fn refused(model: &Model, why: Irreducible) -> Error {
    Error::NotReduced {
        what: model.name.clone(),
        why: why.to_string(),
    }
}

/// States that are expanded to find out what a reduction is worth.
const TRIAL: u64 = 300;
/// States of a reduced exploration for one question that may not pay.
const ATTEMPT: u64 = 10_000;
/// A reduction pays if it keeps fewer steps than this share of them: finding out which takes longer than generating them.
const WORTH: f64 = 0.45;

/// To look at more actions in pairs takes too long if nobody asks for it.
const MOST_ACTIONS: usize = 2000;

/// What a trial of a reduction said.
struct Trial {
    /// Whether everything was explored.
    complete: bool,
    /// The share of steps that were kept.
    kept: f64,
}

fn try_out(model: &Model, aim: &Arc<Aim>) -> Trial {
    let system = Stubborn::new(Arc::clone(&model.system), Arc::clone(aim));
    let options = sweepline_explore::Options {
        limits: Limits {
            states: Some(TRIAL),
            ..Limits::default()
        },
        log: LogPlace::Off,
        ..sweepline_explore::Options::default()
    };
    let mut sweep = Sweep::new(&system, NoProgress, options);
    // However it ends, what it has seen by then is a sample.
    let _ = sweep.run(&mut ());
    let complete = sweep.statistics().complete;
    let effort = system.effort();
    #[expect(clippy::cast_precision_loss, reason = "it is a share")]
    let kept = effort.kept as f64 / effort.steps.max(1) as f64;
    Trial { complete, kept }
}

/// Whether it seems to take less time to leave steps out than to explore everything.
fn pays(model: &Model, aim: &Arc<Aim>) -> bool {
    let trial = try_out(model, aim);
    trial.complete || trial.kept < WORTH
}

/// The aim that preserves deadlocks, with the better of two ways to keep failures from being missed.
fn for_deadlocks(model: &Model, transitions: &Arc<dyn Transitions>) -> Arc<Aim> {
    let aim = |failures| {
        let aim = Aim::deadlocks(Arc::clone(transitions));
        Arc::new(aim.with_failures(failures))
    };
    let pursued = aim(Failures::Pursued);
    if !pursued.has_failures() {
        return pursued;
    }
    let other = aim(Failures::NotIgnored);
    if try_out(model, &other).kept < try_out(model, &pursued).kept {
        other
    } else {
        pursued
    }
}

/// What a question allows.
enum Wish {
    /// Nothing but deadlocks matters.
    Deadlocks,
    /// These predicates with these values can be reached or not.
    Goals(Vec<(Pred, bool)>),
    /// It is about runs and these atoms, and cannot tell how often a state is repeated.
    Runs(Vec<Pred>),
    /// It is about more than stubborn sets preserve.
    Refused(String),
}

/// Answers questions with fewer steps where that is allowed. Nothing if everything is to be explored.
pub(crate) fn verify_reduced(
    model: &Model,
    questions: &Questions,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Option<Vec<Run>>, Error> {
    let forced = match options.reduce {
        Reduce::None => return Ok(None),
        Reduce::Auto => false,
        Reduce::Stubborn => true,
    };
    if let Some((what, why)) = about_more(questions) {
        return if forced {
            Err(Error::NotReduced { what, why })
        } else {
            Ok(None)
        };
    }
    if !forced && model.system.actions().len() > MOST_ACTIONS {
        return Ok(None);
    }
    let transitions = match transitions(model) {
        Ok(transitions) => transitions,
        Err(why) if forced => return Err(refused(model, why)),
        Err(_) => return Ok(None),
    };
    let mut reducer = Reducer {
        model,
        questions,
        order,
        options,
        transitions,
        forced,
        answers: vec![None; questions.properties.len()],
        own: Vec::new(),
        run: None,
    };
    reducer.run(monitor)?;
    reducer.finish(monitor)
}

/// The first question that is not about states alone, and why it is in the way.
fn about_more(questions: &Questions) -> Option<(String, String)> {
    let bound = questions
        .bound
        .first()
        .map(|question| question.name.clone());
    let automaton = questions.automata.first();
    let automaton = automaton.map(|automaton| automaton.text().name().to_owned());
    let asserted = questions.assertions.first().map(|it| it.name().to_owned());
    let fair = questions.fairness.first().map(|_| "fairness".to_owned());
    let what = bound.or(automaton).or(asserted).or(fair)?;
    Some((what, AUTOMATA.to_owned()))
}

/// Why automata and whatever else watches single steps are explored in full.
const AUTOMATA: &str = "automata, fluents and fairness see every single step";

/// What there is to know of one question.
fn wish(property: &Property) -> Wish {
    match &property.kind {
        PropertyKind::Formula(formula) => {
            let (mut goals, mut deadlocks) = (Vec::new(), 0);
            gather(formula, &mut goals, &mut deadlocks);
            match (deadlocks, goals.is_empty()) {
                (0, _) => Wish::Goals(goals),
                (_, true) => Wish::Deadlocks,
                _ => Wish::Refused("it is about deadlocks and about other states too".into()),
            }
        }
        PropertyKind::Bound(_) => Wish::Refused("it asks for the largest value of all".into()),
        PropertyKind::AllRuns(ltl) | PropertyKind::SomeRun(ltl) => {
            if matches!(ltl.is_stutter_invariant(), Ok(true)) {
                Wish::Runs(ltl.atoms.clone())
            } else {
                Wish::Refused("it can tell how often a state is repeated".into())
            }
        }
        PropertyKind::NoRun(_) => Wish::Refused(AUTOMATA.into()),
        PropertyKind::Ctl(_) | PropertyKind::Live(_) | PropertyKind::HomeState => {
            Wish::Refused("branching time is not preserved by stubborn sets".into())
        }
    }
}

/// The predicates that states are looked for by, with the value they are to have, and how many of them are deadlocks.
fn gather(formula: &Formula, goals: &mut Vec<(Pred, bool)>, deadlocks: &mut usize) {
    match formula {
        // It is decided before anything is left out, but it must not ask for steps.
        Formula::Initially(pred) => goals.push((pred.clone(), true)),
        Formula::Reachable(pred) | Formula::Invariant(pred) => {
            let truth = matches!(formula, Formula::Reachable(_));
            let mut inner = pred;
            while let Pred::Not(operand) = inner {
                inner = operand;
            }
            if *inner == Pred::Deadlock {
                *deadlocks += 1;
            } else {
                goals.push((pred.clone(), truth));
            }
        }
        Formula::Not(inner) => gather(inner, goals, deadlocks),
        Formula::And(parts) | Formula::Or(parts) => {
            for part in parts {
                gather(part, goals, deadlocks);
            }
        }
    }
}

struct Reducer<'s> {
    model: &'s Model,
    questions: &'s Questions,
    order: &'s Order,
    options: &'s Options,
    transitions: Arc<dyn Transitions>,
    forced: bool,
    /// What is known of each question.
    answers: Vec<Option<Answer>>,
    /// What the model itself does wrong.
    own: Vec<Answer>,
    /// Everything that was done.
    run: Option<Run>,
}

impl Reducer<'_> {
    fn run(&mut self, monitor: &mut dyn Monitor) -> Result<(), Error> {
        let mut deadlocks = Vec::new();
        for (index, (property, _)) in self.questions.properties.iter().enumerate() {
            match wish(property) {
                Wish::Deadlocks => deadlocks.push(index),
                Wish::Goals(goals) => self.reach(index, &goals, monitor)?,
                Wish::Runs(atoms) => self.follow(index, &atoms, monitor)?,
                Wish::Refused(why) if self.forced => {
                    let what = property.name.clone();
                    return Err(Error::NotReduced { what, why });
                }
                Wish::Refused(_) => {}
            }
        }
        if !deadlocks.is_empty() {
            let hope = || Arc::new(Aim::deadlocks(Arc::clone(&self.transitions)).at_best());
            // To find out how failures are best kept from being missed takes longer than many a run.
            if !self.forced && !pays(self.model, &hope()) {
                return Ok(());
            }
            let aim = for_deadlocks(self.model, &self.transitions);
            if self.forced || !aim.has_failures() || pays(self.model, &aim) {
                self.explore(
                    &deadlocks,
                    (aim, Preserved::Deadlocks),
                    self.options,
                    monitor,
                )?;
            }
        }
        Ok(())
    }

    /// One question about what can be reached.
    fn reach(
        &mut self,
        index: usize,
        goals: &[(Pred, bool)],
        monitor: &mut dyn Monitor,
    ) -> Result<(), Error> {
        let definitions = self.definitions();
        let mut goals = goals.to_vec();
        for (pred, _) in &mut goals {
            self.spell_out(pred);
        }
        let transitions = Arc::clone(&self.transitions);
        let aim = Aim::reaching(transitions, &*self.model.system, &goals, &definitions);
        self.attempt(index, aim, Preserved::Goals, monitor)
    }

    /// One question about runs.
    fn follow(
        &mut self,
        index: usize,
        atoms: &[Pred],
        monitor: &mut dyn Monitor,
    ) -> Result<(), Error> {
        if self.order.cache.is_some() {
            return Err(Error::CachedAutomaton);
        }
        let mut atoms = atoms.to_vec();
        for atom in &mut atoms {
            self.spell_out(atom);
        }
        let transitions = Arc::clone(&self.transitions);
        let definitions = self.definitions();
        let aim = Aim::runs(transitions, &*self.model.system, &atoms, &definitions);
        self.attempt(index, aim, Preserved::Runs, monitor)
    }

    fn definitions(&self) -> Vec<Definition> {
        let definitions = self.questions.definitions.iter().cloned();
        let spelled_out = definitions.map(|mut definition| {
            self.spell_out(&mut definition.pred);
            definition
        });
        spelled_out.collect()
    }

    /// Explores for one question if it can be reduced; not for too long if nobody insists on it.
    fn attempt(
        &mut self,
        index: usize,
        aim: Result<Aim, Irreducible>,
        preserved: Preserved,
        monitor: &mut dyn Monitor,
    ) -> Result<(), Error> {
        let aim = match aim {
            Ok(aim) => Arc::new(aim),
            Err(why) if self.forced => {
                let what = self.questions.properties[index].0.name.clone();
                return Err(Error::NotReduced {
                    what,
                    why: why.to_string(),
                });
            }
            Err(_) => return Ok(()),
        };
        let mut options = self.options.clone();
        if !self.forced {
            let states = &mut options.limits.states;
            *states = Some(states.unwrap_or(ATTEMPT).min(ATTEMPT));
        }
        self.explore(&[index], (aim, preserved), &options, monitor)
    }

    /// Explores for these questions and keeps what is decided.
    fn explore(
        &mut self,
        asked: &[usize],
        (aim, preserved): (Arc<Aim>, Preserved),
        options: &Options,
        monitor: &mut dyn Monitor,
    ) -> Result<(), Error> {
        let mut part = Questions {
            properties: Vec::new(),
            unanswered: Vec::new(),
            ..self.questions.clone()
        };
        part.definitions = self.definitions();
        for &index in asked {
            let (mut property, source) = self.questions.properties[index].clone();
            match &mut property.kind {
                PropertyKind::Formula(formula) => self.spell_out_all(formula),
                PropertyKind::AllRuns(ltl) | PropertyKind::SomeRun(ltl) => {
                    for atom in &mut ltl.atoms {
                        self.spell_out(atom);
                    }
                }
                _ => {}
            }
            part.properties.push((property, source));
        }
        let adapter = Reduced {
            inner: Plain(&part),
            aim,
            preserved,
        };
        let mut run = match preserved {
            Preserved::Runs => search_runs(self.model, &adapter, self.order, options, monitor)?,
            _ => explore(self.model, &adapter, self.order, options, monitor)?,
        };
        let own = run.answers.split_off(asked.len().min(run.answers.len()));
        if self.own.is_empty() {
            self.own = own;
        }
        let bounded = run.failure.is_none() && !self.forced;
        for (&index, mut answer) in asked.iter().zip(run.answers.drain(..)) {
            if bounded && matches!(answer.verdict, Verdict::Inconclusive(_)) {
                continue; // it is asked again
            }
            answer.text = match &self.questions.properties[index].0.kind {
                PropertyKind::Formula(formula) => formula.to_string(),
                kind => kind.to_string(),
            };
            self.answers[index] = Some(answer);
        }
        self.run = Some(match self.run.take() {
            None => run,
            Some(before) => merged(before, run),
        });
        Ok(())
    }

    /// What is enabled is told by slots where that is possible, since not all steps are there to be seen.
    fn spell_out(&self, pred: &mut Pred) {
        if let Some(net) = self.model.net() {
            sweepline_net::spell_out_fireable(net, pred);
        }
    }

    fn spell_out_all(&self, formula: &mut Formula) {
        match formula {
            Formula::Initially(pred) | Formula::Reachable(pred) | Formula::Invariant(pred) => {
                self.spell_out(pred);
            }
            Formula::Not(inner) => self.spell_out_all(inner),
            Formula::And(parts) | Formula::Or(parts) => {
                for part in parts {
                    self.spell_out_all(part);
                }
            }
        }
    }

    /// One run with all answers in the order of the questions; whatever is open gets an exploration of everything.
    fn finish(mut self, monitor: &mut dyn Monitor) -> Result<Option<Vec<Run>>, Error> {
        let Some(reduced) = self.run.take() else {
            return Ok(None);
        };
        let open = self.answers.iter().any(Option::is_none);
        let run = if open || !self.questions.unanswered.is_empty() {
            let mut rest = self.questions.clone();
            let mut kept = Vec::new();
            for (index, property) in self.questions.properties.iter().enumerate() {
                if self.answers[index].is_none() {
                    kept.push(property.clone());
                }
            }
            rest.properties = kept;
            // They come behind everything else.
            for unanswered in &mut rest.unanswered {
                unanswered.after = rest.properties.len();
            }
            let runs =
                crate::verify::verify_whole(self.model, &rest, self.order, self.options, monitor)?;
            let mut runs = runs.into_iter();
            let Some(mut run) = runs.next() else {
                return Ok(None);
            };
            for slot in self.answers.iter_mut().filter(|answer| answer.is_none()) {
                if !run.answers.is_empty() {
                    *slot = Some(run.answers.remove(0));
                }
            }
            let behind = std::mem::take(&mut run.answers);
            let mut run = merged(reduced, run);
            run.answers = behind;
            run
        } else {
            reduced
        };
        let behind = run.answers;
        let own = if run.failure.is_some() && behind.is_empty() {
            self.own
        } else {
            Vec::new()
        };
        let answers = self.answers.into_iter().flatten();
        Ok(Some(vec![Run {
            answers: answers.chain(behind).chain(own).collect(),
            ..run
        }]))
    }
}

/// Two explorations as one, with the answers of neither.
fn merged(before: Run, mut after: Run) -> Run {
    let complete = before.statistics.complete && after.statistics.complete;
    let mut statistics: Statistics = before.statistics;
    statistics.add(&after.statistics);
    statistics.complete = complete;
    after.statistics = statistics;
    after.states = None;
    after.deadlocks = None;
    after.changes.splice(0..0, before.changes);
    after.covers_model &= before.covers_model;
    after.failure = before.failure.or(after.failure);
    after.stopped = before.stopped.or(after.stopped);
    after.preserved = before.preserved.or(after.preserved);
    after.answers = Vec::new();
    after
}
