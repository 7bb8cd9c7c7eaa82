//! What automatic reduction knows of a model, and how much it may do.

use sweepline_core::{StopReason, Verdict};
use sweepline_progress::Structure;

use super::asked::Asked;
use super::pilot::{MOST_ACTIONS, TRIAL};
use super::transitions;
use crate::model::Model;
use crate::order::Order;
use crate::questions::Questions;
use crate::run::{Answer, Run};
use crate::units;
use crate::verify::Options;

/// The share of what has been explored that an attempt may explore, as a divisor. In nets a state with fewer steps takes two or three
/// times as long as one with all, in compiled programs up to five times.
const SHARE_OF_NETS: u64 = 16;
const SHARE: u64 = 64;

/// How many states are explored for each action before it is found out how actions depend on each other, which takes up to a
/// millisecond for each action of a program. Of nets it is told by their arcs.
const STATES_PER_ACTION: u64 = 600;
const STATES_PER_TRANSITION: u64 = 30;

/// Models with fewer states are explored with all steps: that takes a few milliseconds.
const FEW_STATES: u64 = 3000;

/// As many states are explored in a moment.
const FEW_AT_LAST: u64 = 100_000;

/// How many states are explored before anything is tried.
pub(super) fn first_attempt(model: &Model) -> u64 {
    let actions = model.system.actions().len() as u64;
    let per_action = match model.net() {
        Some(_) => STATES_PER_TRANSITION,
        None => STATES_PER_ACTION,
    };
    (actions * per_action).max(FEW_STATES)
}

/// How many states may be explored with fewer steps where so many have been explored with all.
pub(super) fn budget(model: &Model, explored: u64) -> u64 {
    let share = match model.net() {
        Some(_) => SHARE_OF_NETS,
        None => SHARE,
    };
    explored / share
}

/// How many states may be explored with fewer steps in the end, where a limit has ended an exploration of so many: so many again, and of large
/// numbers a quarter, which takes about as long again.
pub(super) fn budget_at_last(explored: u64) -> u64 {
    explored.min(FEW_AT_LAST).max(explored / 4).max(TRIAL)
}

/// Whether there is nothing to gain, as far as that can be told without looking at what depends on what.
pub(super) fn is_hopeless(model: &Model, questions: &Questions) -> bool {
    !questions.unanswered.is_empty()
        || model.system.actions().len() > MOST_ACTIONS
        || is_alone(model)
}

/// Whether a program has a single process, whose actions are in each other's way wherever they leave a location.
fn is_alone(model: &Model) -> bool {
    match &model.structure {
        Structure::Program(program) => program.program().processes().len() == 1,
        _ => false,
    }
}

/// How actions depend on each other, as far as somebody has found out.
pub(super) struct Known<'s> {
    model: &'s Model,
    questions: &'s Questions,
    order: &'s Order,
    pub(super) options: &'s Options,
    pub(super) asked: Option<Asked<'s>>,
    /// Whether somebody has tried to find out.
    tried: bool,
    pub(super) note: Option<String>,
}

impl<'s> Known<'s> {
    pub(super) fn new(
        model: &'s Model,
        questions: &'s Questions,
        order: &'s Order,
        options: &'s Options,
    ) -> Self {
        Self {
            model,
            questions,
            order,
            options,
            asked: None,
            tried: false,
            note: None,
        }
    }

    /// Finds out, once.
    pub(super) fn find_out(&mut self) -> Option<Asked<'s>> {
        if !self.tried {
            self.tried = true;
            let (transitions, note) = transitions(self.model, self.options).ok()?;
            self.asked = Some(Asked {
                model: self.model,
                questions: self.questions,
                order: self.order,
                options: self.options,
                transitions,
            });
            self.note = note;
        }
        self.asked.clone()
    }

    pub(super) fn bounded(&self, states: u64) -> Options {
        let mut options = self.options.clone();
        let most = &mut options.limits.states;
        *most = Some(most.unwrap_or(states).min(states));
        options
    }
}

pub(super) fn is_decided(answer: &Answer) -> bool {
    !matches!(answer.verdict, Verdict::Inconclusive(_))
}

/// The limit of states or memory that has ended an exploration. With fewer steps there may be enough of both; of time there is not.
pub(super) fn cut_off(run: &Run) -> Option<&StopReason> {
    let limit = run.stopped.as_ref().filter(|_| run.failure.is_none());
    limit.filter(|reason| {
        matches!(
            reason,
            StopReason::States { .. } | StopReason::Memory { .. } | StopReason::OutOfMemory
        )
    })
}

/// What is to be said where such a limit is the reason for leaving out steps.
pub(super) fn at_last(limit: &StopReason) -> String {
    format!("{limit} with all steps; what was open then was asked with fewer")
}

/// What is to be said of an exploration with all steps that was given up.
pub(super) fn dropped(run: &Run) -> String {
    let states = units::counted(run.statistics.explored, "state");
    format!("{states} explored with all steps before that, which these figures leave out")
}
