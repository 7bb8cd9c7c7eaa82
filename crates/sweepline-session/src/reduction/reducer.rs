//! Everything with fewer steps, and what cannot be is refused.

use sweepline_core::Statistics;
use sweepline_logic::SafetyAutomaton;

use super::Preserved;
use super::asked::{Aimed, Asked, Part};
use super::pilot::Pilot;
use super::wish::{Wish, wish};
use crate::error::Error;
use crate::run::{Answer, Run};
use crate::verify::{Monitor, verify_whole};

pub(super) struct Reducer<'s> {
    pub(super) asked: Asked<'s>,
    /// What is known of each question.
    answers: Vec<Option<Answer>>,
    /// What the model itself does wrong.
    own: Vec<Answer>,
    /// Everything that was done.
    run: Option<Run>,
}

impl<'s> Reducer<'s> {
    pub(super) fn new(asked: Asked<'s>) -> Self {
        Self {
            answers: vec![None; asked.questions.properties.len()],
            asked,
            own: Vec::new(),
            run: None,
        }
    }

    pub(super) fn run(&mut self, monitor: &mut dyn Monitor) -> Result<(), Error> {
        let asked = self.asked.clone();
        let mut deadlocks = Vec::new();
        for (index, (property, _)) in asked.questions.properties.iter().enumerate() {
            let wish = wish(property, &asked.questions.definitions);
            if matches!(wish, Wish::Deadlocks) {
                deadlocks.push(index);
                continue;
            }
            if matches!(wish, Wish::Runs(_)) && asked.order.cache.is_some() {
                return Err(Error::CachedAutomaton);
            }
            let what = || property.name.clone();
            let aim = asked.aim(index);
            let aim = aim.map_err(|why| Error::NotReduced { what: what(), why })?;
            self.explore(&[index], &aim, monitor)?;
        }
        if !deadlocks.is_empty() {
            let pilot = Pilot::new(asked.model, &asked.options.limits);
            let aim = pilot.tried_for_deadlocks(&asked.transitions);
            self.explore(&deadlocks, &(aim, Preserved::Deadlocks), monitor)?;
        }
        Ok(())
    }

    /// Explores for these questions.
    fn explore(
        &mut self,
        indices: &[usize],
        aim: &Aimed,
        monitor: &mut dyn Monitor,
    ) -> Result<(), Error> {
        let options = self.asked.options;
        let Part { answers, own, run } = self.asked.explore(indices, aim, options, monitor)?;
        if self.own.is_empty() {
            self.own = own;
        }
        for (&index, answer) in indices.iter().zip(answers) {
            self.answers[index] = Some(answer);
        }
        self.run = Some(match self.run.take() {
            None => run,
            Some(before) => merged(before, run),
        });
        Ok(())
    }

    /// Whether a safety automaton accepts something. It is explored for itself, as without reduction.
    pub(super) fn watch(
        &self,
        automaton: &SafetyAutomaton,
        monitor: &mut dyn Monitor,
    ) -> Result<Run, Error> {
        let what = || automaton.text().name().to_owned();
        let aim = self.asked.aim_of_automaton(automaton);
        let aim = aim.map_err(|why| Error::NotReduced { what: what(), why })?;
        let options = self.asked.options;
        self.asked.watch(automaton, &aim, options, monitor)
    }

    /// One run with all answers in the order of the questions; whatever nobody can answer comes behind them.
    pub(super) fn finish(mut self, monitor: &mut dyn Monitor) -> Result<Option<Vec<Run>>, Error> {
        let Some(reduced) = self.run.take() else {
            return Ok(None);
        };
        let questions = self.asked.questions;
        let run = if questions.unanswered.is_empty() {
            reduced
        } else {
            let mut rest = questions.clone();
            rest.properties.clear();
            for unanswered in &mut rest.unanswered {
                unanswered.after = 0;
            }
            let (model, order) = (self.asked.model, self.asked.order);
            let runs = verify_whole(model, &rest, order, self.asked.options, monitor)?;
            let Some(mut run) = runs.into_iter().next() else {
                return Ok(None);
            };
            let behind = std::mem::take(&mut run.answers);
            let mut run = merged(reduced, run);
            run.answers = behind;
            run
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
pub(super) fn merged(before: Run, mut after: Run) -> Run {
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
