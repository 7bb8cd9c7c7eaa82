//! Explorations with fewer steps, question by question.

use std::sync::Arc;

use sweepline_core::{Statistics, Verdict};
use sweepline_logic::{Definition, Formula, Pred, PropertyKind, SafetyAutomaton};
use sweepline_reduce::{Aim, Irreducible, Transitions};

use super::pilot::{ATTEMPT, for_deadlocks, pays};
use super::wish::{Wish, wish};
use super::{Preserved, Reduced};
use crate::adapter::{Plain, Watched};
use crate::error::Error;
use crate::model::Model;
use crate::order::Order;
use crate::questions::Questions;
use crate::run::{Answer, Run};
use crate::verify::{Monitor, Options, explore, search_runs};

pub(super) struct Reducer<'s> {
    pub(super) model: &'s Model,
    pub(super) questions: &'s Questions,
    pub(super) order: &'s Order,
    pub(super) options: &'s Options,
    pub(super) transitions: Arc<dyn Transitions>,
    pub(super) forced: bool,
    /// What is known of each question.
    pub(super) answers: Vec<Option<Answer>>,
    /// What the model itself does wrong.
    pub(super) own: Vec<Answer>,
    /// Everything that was done.
    pub(super) run: Option<Run>,
}

impl Reducer<'_> {
    pub(super) fn run(&mut self, monitor: &mut dyn Monitor) -> Result<(), Error> {
        let mut deadlocks = Vec::new();
        for (index, (property, _)) in self.questions.properties.iter().enumerate() {
            match wish(property, &self.questions.definitions) {
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

    /// Whether a safety automaton accepts something. It is explored for itself, as without reduction.
    pub(super) fn watch(
        &self,
        automaton: &SafetyAutomaton,
        monitor: &mut dyn Monitor,
    ) -> Result<Run, Error> {
        let definitions = self.definitions();
        let questions = Questions {
            definitions: definitions.clone(),
            ..self.questions.clone()
        };
        let watched = Watched {
            automaton,
            questions: &questions,
        };
        let mut atoms = automaton.atoms();
        for atom in &mut atoms {
            self.spell_out(atom);
        }
        let transitions = Arc::clone(&self.transitions);
        let aim = if automaton.is_stutter_invariant() {
            let aim = Aim::runs(transitions, &*self.model.system, &atoms, &definitions);
            aim.map_err(|why| why.to_string())
        } else {
            Err("it can tell how often a state is repeated".to_owned())
        };
        let what = || automaton.text().name().to_owned();
        let before = match aim {
            Err(why) if self.forced => return Err(Error::NotReduced { what: what(), why }),
            Err(_) => None,
            Ok(aim) => {
                let adapter = Reduced {
                    inner: &watched,
                    aim: Arc::new(aim),
                    preserved: Preserved::Runs,
                };
                let options = self.bounded();
                let run = explore(self.model, &adapter, self.order, &options, monitor)?;
                if self.forced || run.failure.is_some() || run.answers.iter().all(is_decided) {
                    return Ok(run);
                }
                Some(run)
            }
        };
        let run = explore(self.model, &watched, self.order, self.options, monitor)?;
        Ok(match before {
            None => run,
            Some(before) => {
                let answers = run.answers.clone();
                Run {
                    answers,
                    ..merged(before, run)
                }
            }
        })
    }

    /// Options for one question, which is not looked at for too long if nobody insists on it.
    fn bounded(&self) -> Options {
        let mut options = self.options.clone();
        if !self.forced {
            let states = &mut options.limits.states;
            *states = Some(states.unwrap_or(ATTEMPT).min(ATTEMPT));
        }
        options
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
        let options = self.bounded();
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
            inner: &Plain(&part),
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
    pub(super) fn finish(mut self, monitor: &mut dyn Monitor) -> Result<Option<Vec<Run>>, Error> {
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

fn is_decided(answer: &Answer) -> bool {
    !matches!(answer.verdict, Verdict::Inconclusive(_))
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
    after.notes.splice(0..0, before.notes);
    after.covers_model &= before.covers_model;
    after.failure = before.failure.or(after.failure);
    after.stopped = before.stopped.or(after.stopped);
    after.preserved = before.preserved.or(after.preserved);
    after.answers = Vec::new();
    after
}
