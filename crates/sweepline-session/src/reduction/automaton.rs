//! A safety automaton asked with all steps, and with fewer where that seems to pay.

use std::sync::Arc;

use sweepline_logic::SafetyAutomaton;
use sweepline_reduce::Aim;

use super::beside::{Attempts, Beside};
use super::known::{
    Known, at_last, budget, budget_at_last, cut_off, dropped, first_attempt, is_decided,
    is_hopeless,
};
use super::pilot::{Pilot, TRIAL};
use crate::adapter::Watched;
use crate::error::Error;
use crate::model::Model;
use crate::order::Order;
use crate::questions::Questions;
use crate::run::Run;
use crate::verify::{Monitor, Options, explore};

/// Whether a safety automaton accepts something.
pub(super) fn watch(
    model: &Model,
    automaton: &SafetyAutomaton,
    questions: &Questions,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Run, Error> {
    let watched = Watched {
        automaton,
        questions,
    };
    if is_hopeless(model, questions) || !automaton.is_stutter_invariant() {
        return explore(model, &watched, order, options, monitor);
    }
    let known = Known::new(model, questions, order, options);
    let one = OneAutomaton { automaton, known };
    let words = model.system.layout().width().unwrap_or(1);
    let mut beside = Beside::new(one, first_attempt(model), words);
    let watching = &mut (&mut beside, &mut *monitor);
    let whole = explore(model, &watched, order, options, watching);
    let known = beside.attempts.known;
    let Some(aim) = beside.outcome.transpose()? else {
        return conclude(whole?, automaton, known, monitor);
    };
    let asked = known.asked.expect("there is an aim");
    let mut run = asked.watch(automaton, &aim, options, monitor)?;
    run.notes.extend(whole.ok().as_ref().map(dropped));
    run.notes.extend(known.note);
    Ok(run)
}

/// What was found with all steps. If a limit has ended that and nothing is decided, fewer steps are taken in the end, but not for long.
fn conclude(
    whole: Run,
    automaton: &SafetyAutomaton,
    mut known: Known<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Run, Error> {
    let Some(limit) = cut_off(&whole).filter(|_| !whole.answers.iter().any(is_decided)) else {
        return Ok(whole);
    };
    let Some(asked) = known.find_out() else {
        return Ok(whole);
    };
    let Ok(aim) = asked.aim_of_automaton(automaton) else {
        return Ok(whole);
    };
    let options = known.bounded(budget_at_last(whole.statistics.explored));
    let mut run = asked.watch(automaton, &aim, &options, monitor)?;
    if run.failure.is_none() && !run.answers.iter().any(is_decided) {
        return Ok(whole);
    }
    run.notes
        .extend([at_last(limit)].into_iter().chain(known.note));
    Ok(run)
}

struct OneAutomaton<'s> {
    automaton: &'s SafetyAutomaton,
    known: Known<'s>,
}

impl Attempts for OneAutomaton<'_> {
    type Outcome = Arc<Aim>;

    fn attempt(&mut self, explored: u64) -> Result<Option<Arc<Aim>>, Error> {
        let Some(asked) = self.known.find_out() else {
            return Ok(None);
        };
        let aim = asked.aim_of_automaton(self.automaton).ok();
        let states = budget(asked.model, explored).max(TRIAL);
        let pilot = Pilot::new(asked.model, &asked.options.limits);
        Ok(aim.filter(|aim| pilot.pays(aim, states)))
    }
}
