//! Changing the measure of an exploration while it runs.

use std::time::Instant;

use sweepline_core::{Statistics, StopReason, Verdict};
use sweepline_explore::End;

use crate::error::Error;
use crate::exploration::{Adaptation, Changed, Exploration, Kept};
use crate::guard::{Complaint, Guard};
use crate::lookout::Lookout;
use crate::order::{ChosenBy, Order};
use crate::run::{Answer, Change, Run};
use crate::verify::{Beginning, Monitor, Options};

/// Explores to the end. A measure that was found and turns out to lose is given up, and one that stores less is used
/// when memory runs out; the exploration goes on from where it is, or begins again if there is no room for that.
///
/// The run owns the measure it ends with, and its figures are those of everything that was done.
pub(crate) fn steer(
    adaptation: &Adaptation<'_>,
    order: &Order,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Run, Error> {
    let started = Instant::now();
    let mut course = Course::new(order.clone());
    let mut exploration = adaptation.start(order, course.options(options))?;
    let mut known = Vec::new();
    loop {
        let (end, turn) = course.follow(&mut exploration, adaptation, options, monitor);
        let steered = options.patience.is_some();
        if steered && is_full(&end) {
            let limits = &options.limits;
            course.order.look_for_saving(adaptation.model, limits);
        }
        let kept = match &turn {
            Some(Turn::To(_)) => Kept::Everything,
            _ => Kept::Little,
        };
        if !steered || !course.turns(&end, turn, exploration.statistics()) {
            let elapsed = started.elapsed();
            let mut run = exploration.finish(end, &course.order)?;
            fill_in(&mut run.answers, known);
            run.statistics.elapsed = elapsed;
            return Ok(course.concluded(run, options));
        }
        let mut answers = exploration.answers();
        fill_in(&mut answers, known);
        known = answers;
        let done = exploration.statistics().clone();
        let going_on = match course.saving {
            Saving::No | Saving::GoingOn => {
                let order = &course.order;
                exploration.remeasured(Changed { order, kept }, monitor)
            }
            Saving::FromStart => {
                drop(exploration); // its memory is needed
                None
            }
        };
        exploration = if let Some(exploration) = going_on {
            exploration
        } else {
            course.restart(&done);
            adaptation.start(&course.order, course.options(options))?
        };
    }
}

/// Where a run has come to.
struct Course {
    order: Order,
    saving: Saving,
    changes: Vec<Change>,
    /// What was done before the last restart.
    earlier: Option<Statistics>,
    /// The work of plain search after which a measure is looked for again.
    look_again: Option<u64>,
}

/// Why the measure should change.
enum Turn {
    /// It loses.
    From(Complaint),
    /// There was none, and this one was found when the run had become long.
    To(Box<Order>),
}

/// What is done when memory runs out: go on with a measure that stores less, and if what plain search has left behind is
/// too much for that, start again with it, and then with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Saving {
    No,
    GoingOn,
    FromStart,
}

impl Course {
    fn new(order: Order) -> Self {
        Self {
            look_again: order.look_again,
            order,
            saving: Saving::No,
            changes: Vec::new(),
            earlier: None,
        }
    }

    /// Runs until something ends it, the measure is complained about, or one is found that was missing.
    fn follow(
        &mut self,
        exploration: &mut Exploration<'_>,
        adaptation: &Adaptation<'_>,
        options: &Options,
        monitor: &mut dyn Monitor,
    ) -> (End, Option<Turn>) {
        let guarded = self.order.origin == ChosenBy::Auto && self.saving == Saving::No;
        let mut guard = match &options.patience {
            Some(patience) if guarded => Guard::new(patience.clone(), self.order.again),
            _ => Guard::idle(),
        };
        monitor.begins(Beginning {
            goal: self.order.goal(adaptation.model),
            change: self.changes.last(),
            earlier: self.explored_earlier(),
        });
        // For who cannot follow, everything would begin again.
        let linked = exploration.wants_links() || monitor.wants().links;
        let looks = options.patience.is_some() && (!linked || monitor.can_follow());
        let (end, found) = loop {
            let look = self.look_again.filter(|_| looks);
            let mut lookout = Lookout::new(&*adaptation.model.system, look, linked);
            let watching = &mut (&mut lookout, (&mut guard, &mut *monitor));
            let end = exploration.run(&self.order, watching);
            let done = lookout.reached().filter(|_| !exploration.is_decided());
            match done.map(|done| self.look(adaptation, options, done)) {
                Some(None) => {} // there is nothing, so it goes on
                Some(Some(found)) => break (end, Some(found)),
                None => break (end, None),
            }
        };
        monitor.ends();
        let complaint = guard.complaint().filter(|_| !exploration.is_decided());
        let complaint = complaint.map(Turn::From);
        (end, found.map(Turn::To).or(complaint))
    }

    /// Looks for a measure after so much work.
    fn look(
        &mut self,
        adaptation: &Adaptation<'_>,
        options: &Options,
        done: u64,
    ) -> Option<Box<Order>> {
        let found = self
            .order
            .looking_again(adaptation.model, &options.limits, done);
        self.look_again = found.as_ref().err().copied().flatten();
        found.ok().map(Box::new)
    }

    /// Decides how to go on. False if there is nothing more to do.
    fn turns(&mut self, end: &End, turn: Option<Turn>, done: &Statistics) -> bool {
        let is_full = is_full(end);
        let next = match (turn, self.saving) {
            (Some(Turn::To(found)), _) => {
                let why = "the run is long enough to look for a measure with care".into();
                Some((*found, why))
            }
            (Some(Turn::From(complaint)), _) => {
                let why = complaint.to_string();
                Some((self.order.giving_up(complaint), why))
            }
            (None, Saving::GoingOn) if is_full => {
                self.saving = Saving::FromStart;
                Some((self.order.clone(), "memory ran out again".into()))
            }
            (None, Saving::No | Saving::FromStart) if is_full => {
                let next = self.order.saving_memory();
                if next.is_some() && self.saving == Saving::No {
                    self.saving = Saving::GoingOn;
                }
                next.map(|next| (next, "memory ran out".into()))
            }
            (None, _) => None,
        };
        let Some((to, why)) = next else { return false };
        let earlier = self.explored_earlier();
        self.changes.push(Change {
            from: std::mem::replace(&mut self.order, to.clone()),
            to,
            why,
            explored: earlier + done.explored,
            restarted: self.saving == Saving::FromStart,
        });
        true
    }

    /// Expansions before the last restart.
    fn explored_earlier(&self) -> u64 {
        self.earlier.as_ref().map_or(0, |earlier| earlier.explored)
    }

    /// The exploration begins again.
    fn restart(&mut self, done: &Statistics) {
        if self.saving == Saving::GoingOn {
            self.saving = Saving::FromStart; // there is no room even for the change
        }
        if let Some(change) = self.changes.last_mut() {
            change.restarted = true;
        }
        let mut all = done.clone();
        if let Some(earlier) = &self.earlier {
            all.add(earlier);
        }
        self.earlier = Some(all);
    }

    /// How the next attempt is limited: by what is left of the states that may be expanded.
    fn options(&self, options: &Options) -> sweepline_explore::Options {
        let mut limits = options.limits.clone();
        if let (Some(states), Some(earlier)) = (&mut limits.states, &self.earlier) {
            *states = states.saturating_sub(earlier.explored);
        }
        sweepline_explore::Options {
            limits,
            window: self.order.window,
            log: options.log.clone(),
        }
    }

    /// The run with everything that was done for it.
    fn concluded(self, mut run: Run, options: &Options) -> Run {
        if let Some(earlier) = &self.earlier {
            let elapsed = run.statistics.elapsed;
            run.statistics.add(earlier);
            run.statistics.elapsed = elapsed;
            name_limit(&mut run, options);
        }
        run.changes = self.changes;
        run
    }
}

/// Whether there is no memory left.
fn is_full(end: &End) -> bool {
    matches!(
        end,
        End::Limit(StopReason::Memory { .. } | StopReason::OutOfMemory)
    )
}

/// The last attempt was allowed what the others had left; what was reached is the limit that was given.
fn name_limit(run: &mut Run, options: &Options) {
    let reasons = run.answers.iter_mut().map(|answer| &mut answer.verdict);
    let reasons = reasons.filter_map(|verdict| match verdict {
        Verdict::Inconclusive(reason) => Some(reason),
        Verdict::Holds | Verdict::Violated => None,
    });
    for reason in reasons.chain(&mut run.stopped) {
        if let (StopReason::States { limit }, Some(given)) = (reason, options.limits.states) {
            *limit = given;
        }
    }
}

/// What was decided before an exploration started again stays decided.
fn fill_in(answers: &mut [Answer], known: Vec<Answer>) {
    for (answer, known) in answers.iter_mut().zip(known) {
        let open = |verdict: &Verdict| matches!(verdict, Verdict::Inconclusive(_));
        if open(&answer.verdict) && !open(&known.verdict) {
            *answer = known;
        }
    }
}

#[cfg(test)]
mod tests;
