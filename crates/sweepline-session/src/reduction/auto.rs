//! Questions asked with all steps, and with fewer where that seems to pay.

use std::sync::Arc;

use sweepline_core::Verdict;
use sweepline_logic::SafetyAutomaton;
use sweepline_progress::Structure;
use sweepline_reduce::Aim;

use super::asked::{Aimed, Asked, Part};
use super::beside::{Attempts, Beside};
use super::pilot::{MOST_ACTIONS, Pilot, TRIAL};
use super::reducer::merged;
use super::wish::{Wish, wish};
use super::{Preserved, transitions};
use crate::adapter::Watched;
use crate::error::Error;
use crate::model::Model;
use crate::order::Order;
use crate::questions::Questions;
use crate::run::{Answer, Run};
use crate::verify::{Monitor, Options, explore, verify_whole};

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

/// How many states are explored before anything is tried.
fn first_attempt(model: &Model) -> u64 {
    let actions = model.system.actions().len() as u64;
    let per_action = match model.net() {
        Some(_) => STATES_PER_TRANSITION,
        None => STATES_PER_ACTION,
    };
    (actions * per_action).max(FEW_STATES)
}

/// How many states may be explored with fewer steps where so many have been explored with all.
fn budget(model: &Model, explored: u64) -> u64 {
    let share = match model.net() {
        Some(_) => SHARE_OF_NETS,
        None => SHARE,
    };
    explored / share
}

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
        None => Ok(auto.fill_in(whole?)),
        Some(outcome) => {
            if let Outcome::Reduce(indices, aim) = outcome {
                auto.reduce(&indices, &aim, monitor)?;
            }
            Ok(auto.finish())
        }
    }
}

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
    match beside.outcome.transpose()? {
        None => whole,
        Some(aim) => {
            let asked = known.asked.expect("there is an aim");
            let mut run = asked.watch(automaton, &aim, options, monitor)?;
            run.notes.extend(known.note);
            Ok(run)
        }
    }
}

/// Whether there is nothing to gain, as far as that can be told without looking at what depends on what.
fn is_hopeless(model: &Model, questions: &Questions) -> bool {
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
struct Known<'s> {
    model: &'s Model,
    questions: &'s Questions,
    order: &'s Order,
    options: &'s Options,
    asked: Option<Asked<'s>>,
    /// Whether somebody has tried to find out.
    tried: bool,
    note: Option<String>,
}

impl<'s> Known<'s> {
    fn new(
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
    fn find_out(&mut self) -> Option<Asked<'s>> {
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

    fn bounded(&self, states: u64) -> Options {
        let mut options = self.options.clone();
        let most = &mut options.limits.states;
        *most = Some(most.unwrap_or(states).min(states));
        options
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
        let wishes = open.iter().map(|it| (*it, asked.wish(*it)));
        let (mut deadlocks, mut others) = (Vec::new(), Vec::new());
        for (index, wish) in wishes {
            match wish {
                Wish::Deadlocks => deadlocks.push(index),
                Wish::Runs(_) if asked.order.cache.is_some() => {}
                Wish::Goals(_) | Wish::Runs(_) => others.push(index),
                Wish::Refused(_) => {}
            }
        }
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
        let aim = if is_deadlock {
            let hope = Aim::deadlocks(Arc::clone(&asked.transitions)).at_best();
            // To find out how failures are best kept from being missed takes longer than many a run.
            if !pilot.pays(&Arc::new(hope), TRIAL) {
                return Ok(None);
            }
            let aim = pilot.for_deadlocks(&asked.transitions, TRIAL);
            Ok((aim, Preserved::Deadlocks))
        } else {
            asked.aim(group[0])
        };
        let Ok(aim) = aim else {
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

    /// One run with all answers in the order of the questions.
    fn finish(self) -> Vec<Run> {
        let run = self.run.expect("something has been decided");
        let answers = self.answers.into_iter().flatten();
        let own = if run.failure.is_some() {
            self.own
        } else {
            Vec::new()
        };
        let mut notes = run.notes;
        notes.extend(self.known.note);
        vec![Run {
            answers: answers.chain(own).collect(),
            notes,
            ..run
        }]
    }
}

fn is_decided(answer: &Answer) -> bool {
    !matches!(answer.verdict, Verdict::Inconclusive(_))
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
