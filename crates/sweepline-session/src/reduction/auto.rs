//! Questions asked with all steps, and with fewer where that seems to pay.

use std::sync::Arc;

use sweepline_reduce::Aim;

use super::Preserved;
use super::asked::{Aimed, Asked, Part};
use super::beside::{Attempts, Beside};
use super::known::{
    Known, at_last, budget, budget_at_last, cut_off, dropped, first_attempt, is_decided,
    is_hopeless,
};
use super::pilot::{Pilot, TRIAL};
use super::reducer::merged;
use super::wish::{Wish, wish};
use crate::error::Error;
use crate::model::Model;
use crate::order::Order;
use crate::questions::Questions;
use crate::run::{Answer, Run};
use crate::verify::{Monitor, Options, verify_whole};

/// Answers questions about states and runs, none of which may be an automaton. Nothing if everything is to be explored.
pub(super) fn answer(
    model: &Model,
    questions: &Questions,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Run>, Error> {
    let definitions = &questions.definitions;
    let may_be_reduced = |it: &(_, _)| !matches!(wish(&it.0, definitions), Wish::Refused(_));
    if !questions.properties.iter().any(may_be_reduced) || is_hopeless(model, questions) {
        return verify_whole(model, questions, order, options, monitor);
    }
    let known = Known::new(model, questions, order, options);
    let auto = Auto {
        answers: vec![None; questions.properties.len()],
        known,
        turn: 0,
        run: None,
        own: Vec::new(),
        dropped: None,
    };
    let words = model.system.layout().width().unwrap_or(1);
    let mut beside = Beside::new(auto, first_attempt(model), words);
    let watched = &mut (&mut beside, &mut *monitor);
    let whole = verify_whole(model, questions, order, options, watched);
    let Beside {
        attempts: mut auto,
        outcome,
        ..
    } = beside;
    match outcome.transpose()? {
        None => auto.conclude(whole?, monitor),
        Some(outcome) => {
            auto.dropped = whole.ok().and_then(|runs| runs.first().map(dropped));
            if let Outcome::Reduce(indices, aim) = outcome {
                auto.reduce(&indices, &aim, monitor)?;
            }
            Ok(auto.finish(Vec::new()))
        }
    }
}

struct Auto<'s> {
    known: Known<'s>,
    /// What attempts have decided.
    answers: Vec<Option<Answer>>,
    /// The question that comes first next time.
    turn: usize,
    /// The explorations that have decided something.
    run: Option<Run>,
    /// What the model itself does wrong, if that has ended one.
    own: Vec<Answer>,
    /// What is to be said of an exploration with all steps whose figures nobody sees.
    dropped: Option<String>,
}

/// How it goes on.
enum Outcome {
    /// Everything is answered.
    Decided,
    /// Nothing but these questions is open, and it pays to leave out steps for them.
    Reduce(Vec<usize>, Aimed),
}

impl Attempts for Auto<'_> {
    type Outcome = Outcome;

    fn attempt(&mut self, explored: u64) -> Result<Option<Outcome>, Error> {
        let Some(asked) = self.known.find_out() else {
            return Ok(None);
        };
        let open = (0..self.answers.len()).filter(|it| self.answers[*it].is_none());
        let open: Vec<usize> = open.collect();
        let (deadlocks, mut others) = sorted(&asked, &open);
        let budget = budget(asked.model, explored);
        // Those that must wait come first next time.
        let most = usize::try_from(budget / TRIAL).unwrap_or(usize::MAX).max(4);
        let first = self.turn.checked_rem(others.len()).unwrap_or(0);
        others.rotate_left(first);
        self.turn += most.min(others.len());
        others.truncate(most);
        let groups = others.iter().map(|it| vec![*it]);
        let groups = groups.chain((!deadlocks.is_empty()).then_some(deadlocks));
        let groups: Vec<Vec<usize>> = groups.collect();
        let states = (budget / groups.len().max(1) as u64).max(TRIAL);
        for group in groups {
            let alone = group.len() == open.len();
            if let Some(aim) = self.try_group(&asked, &group, states, alone)? {
                return Ok(Some(Outcome::Reduce(group, aim)));
            }
        }
        Ok(self.is_decided().then_some(Outcome::Decided))
    }
}

/// Those of some questions that are about deadlocks, and the others that may be asked with fewer steps.
fn sorted(asked: &Asked<'_>, open: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let (mut deadlocks, mut others) = (Vec::new(), Vec::new());
    for &index in open {
        match asked.wish(index) {
            Wish::Deadlocks => deadlocks.push(index),
            Wish::Runs(_) if asked.order.cache.is_some() => {}
            Wish::Goals(_) | Wish::Runs(_) => others.push(index),
            Wish::Refused(_) => {}
        }
    }
    (deadlocks, others)
}

/// What some questions about deadlocks, or one that is not about them, need to be preserved.
fn aim_at(asked: &Asked<'_>, group: &[usize]) -> Option<Aimed> {
    if !matches!(asked.wish(group[0]), Wish::Deadlocks) {
        return asked.aim(group[0]).ok();
    }
    let pilot = Pilot::new(asked.model, &asked.options.limits);
    let aim = pilot.for_deadlocks(&asked.transitions, TRIAL);
    Some((aim, Preserved::Deadlocks))
}

impl Auto<'_> {
    /// Asks some questions with fewer steps, but not for long. If nothing else is open and it pays to go on with them, says how.
    fn try_group(
        &mut self,
        asked: &Asked<'_>,
        group: &[usize],
        states: u64,
        alone: bool,
    ) -> Result<Option<Aimed>, Error> {
        let pilot = Pilot::new(asked.model, &asked.options.limits);
        let is_deadlock = matches!(asked.wish(group[0]), Wish::Deadlocks);
        let hope = || Aim::deadlocks(Arc::clone(&asked.transitions)).at_best();
        // To find out how failures are best kept from being missed takes longer than many a run.
        if is_deadlock && !pilot.pays(&Arc::new(hope()), TRIAL) {
            return Ok(None);
        }
        let Some(aim) = aim_at(asked, group) else {
            return Ok(None);
        };
        if alone && pilot.pays(&aim.0, states) {
            return Ok(Some(aim));
        }
        if alone && is_deadlock {
            return Ok(None); // the trial has shown that it takes longer
        }
        let options = self.known.bounded(states);
        let part = asked.explore(group, &aim, &options, &mut ())?;
        // What the model does wrong is found with all steps, too, and perhaps more is answered before.
        if part.run.failure.is_none() && part.answers.iter().any(is_decided) {
            self.note(group, part, is_decided);
        }
        Ok(None)
    }

    /// Asks some questions with fewer steps, however long it takes.
    fn reduce(
        &mut self,
        group: &[usize],
        aim: &Aimed,
        monitor: &mut dyn Monitor,
    ) -> Result<(), Error> {
        let asked = self.known.asked.clone().expect("there is an aim");
        let part = asked.explore(group, aim, self.known.options, monitor)?;
        self.note(group, part, |_| true);
        Ok(())
    }

    fn note(&mut self, group: &[usize], part: Part, keep: impl Fn(&Answer) -> bool) {
        for (&index, answer) in group.iter().zip(part.answers) {
            self.answers[index] = Some(answer).filter(&keep);
        }
        self.own = part.own;
        self.run = Some(match self.run.take() {
            None => part.run,
            Some(before) => merged(before, part.run),
        });
    }

    fn is_decided(&self) -> bool {
        self.answers.iter().all(Option::is_some)
    }

    /// What was found with all steps, and where that is nothing, what was found with fewer.
    fn fill_in(self, mut whole: Vec<Run>) -> Vec<Run> {
        let Some(run) = whole.first_mut() else {
            return whole;
        };
        let mut filled = 0_u64;
        for (answer, known) in run.answers.iter_mut().zip(self.answers) {
            if let Some(known) = known
                && !is_decided(answer)
            {
                *answer = known;
                filled += 1;
            }
        }
        if filled > 0 {
            let questions = crate::units::counted(filled, "question");
            let note = format!("{questions} answered with fewer steps: the rest needs all of them");
            run.notes.push(note);
            run.notes.extend(self.known.note);
        }
        whole
    }

    /// What was found with all steps. If a limit has ended that and left something open, it is asked with fewer steps in the end, but not for
    /// long.
    fn conclude(mut self, whole: Vec<Run>, monitor: &mut dyn Monitor) -> Result<Vec<Run>, Error> {
        let Some((run, limit)) = whole.first().and_then(|run| Some((run, cut_off(run)?))) else {
            return Ok(self.fill_in(whole));
        };
        let answered = |it: &usize| self.answers[*it].is_some() || is_decided(&run.answers[*it]);
        let (answered, open): (Vec<_>, _) = (0..self.answers.len()).partition(answered);
        self.ask_at_last(&open, budget_at_last(run.statistics.explored), monitor)?;
        let failed = self.run.as_ref().is_some_and(|run| run.failure.is_some());
        if failed || (answered.is_empty() && self.is_decided()) {
            self.dropped = Some(at_last(limit));
            let answers = whole.into_iter().next().map(|run| run.answers);
            return Ok(self.finish(answers.unwrap_or_default()));
        }
        Ok(self.fill_in(whole))
    }

    /// Asks these questions with fewer steps; of all of them together no more states are explored than so many.
    fn ask_at_last(
        &mut self,
        open: &[usize],
        states: u64,
        monitor: &mut dyn Monitor,
    ) -> Result<(), Error> {
        let Some(asked) = self.known.find_out().filter(|_| !open.is_empty()) else {
            return Ok(());
        };
        let (deadlocks, others) = sorted(&asked, open);
        let mut groups: Vec<Vec<usize>> = others.iter().map(|it| vec![*it]).collect();
        groups.extend((!deadlocks.is_empty()).then_some(deadlocks));
        let states = (states / groups.len().max(1) as u64).max(TRIAL);
        let options = self.known.bounded(states);
        for group in groups {
            let Some(aim) = aim_at(&asked, &group) else {
                continue;
            };
            let part = asked.explore(&group, &aim, &options, monitor)?;
            if part.run.failure.is_some() {
                self.note(&group, part, |_| true);
                break;
            }
            if part.answers.iter().any(is_decided) {
                self.note(&group, part, is_decided);
            }
        }
        Ok(())
    }

    /// One run with all answers in the order of the questions, and what is still open as it was before.
    fn finish(self, before: Vec<Answer>) -> Vec<Run> {
        let run = self.run.expect("something has been decided");
        let mut before = before
            .into_iter()
            .map(Some)
            .chain(std::iter::repeat_with(|| None));
        let answers = self.answers.into_iter().zip(&mut before);
        let answers = answers.filter_map(|(answer, before)| answer.or(before));
        let own = if run.failure.is_some() {
            self.own
        } else {
            Vec::new()
        };
        let mut notes = run.notes;
        notes.extend(self.dropped);
        notes.extend(self.known.note);
        vec![Run {
            answers: answers.chain(own).collect(),
            notes,
            ..run
        }]
    }
}
