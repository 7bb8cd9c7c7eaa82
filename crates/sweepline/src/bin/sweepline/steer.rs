//! Changing the measure of an exploration while it runs.

use std::time::Instant;

use miette::Report;
use sweepline_core::{Observer, Statistics, StopReason, Verdict};
use sweepline_explore::{End, Options};

use crate::load::Loaded;
use crate::measure::{Origin, Spec};
use crate::search::{Run, Shown};
use crate::ticker::{Complaint, Guard, Patience, Ticker};

/// An exploration that can go on with another measure.
pub trait Steered: Sized {
    fn run(&mut self, spec: &Spec, observer: &mut dyn Observer) -> End;
    fn is_decided(&self) -> bool;
    /// The figures so far.
    fn statistics(&self) -> &Statistics;
    /// What is known so far.
    fn answers(&mut self) -> Vec<Shown>;
    /// Nothing if there is no room, or if the measure has no value somewhere.
    fn remeasured(self, spec: &Spec) -> Option<Self>;
    fn finish(self, end: End, spec: &Spec) -> Result<Run, Report>;
}

/// How a run is limited and watched.
#[derive(Clone, Debug)]
pub struct Steering {
    pub options: Options,
    /// No progress line.
    pub quiet: bool,
    /// When a measure that was found is given up.
    pub patience: Patience,
}

/// A change of the measure on the way.
pub struct Change {
    pub from: Spec,
    pub to: Spec,
    pub why: String,
    /// Expansions until then, those before a restart included.
    pub explored: u64,
    /// Whether the exploration began again from the initial states.
    pub restarted: bool,
}

/// Explores to the end. A measure that was found and turns out to lose is given up, and one that stores less is used
/// when memory runs out; the exploration goes on from where it is, or begins again if there is no room for that.
///
/// The run owns the measure it ends with, and its figures are those of everything that was done.
pub fn steer<R: Steered>(
    start: impl Fn(&Spec, Options) -> Result<R, Report>,
    model: &Loaded,
    spec: &Spec,
    steering: &Steering,
) -> Result<Run, Report> {
    let started = Instant::now();
    let mut course = Course::new(spec.clone());
    let mut running = start(&course.spec, steering.options.clone())?;
    let mut known = Vec::new();
    loop {
        let (end, complaint) = course.follow(&mut running, model, steering);
        if !course.turns(&end, complaint, running.statistics()) {
            let elapsed = started.elapsed();
            let mut run = running.finish(end, &course.spec)?;
            fill_in(&mut run.answers, known);
            run.statistics.elapsed = elapsed;
            return Ok(course.concluded(run, &steering.options));
        }
        let mut answers = running.answers();
        fill_in(&mut answers, known);
        known = answers;
        let done = running.statistics().clone();
        let going_on = match course.saving {
            Saving::No | Saving::GoingOn => running.remeasured(&course.spec),
            Saving::FromStart => {
                drop(running); // its memory is needed
                None
            }
        };
        running = if let Some(running) = going_on {
            running
        } else {
            let options = course.restarted(&done, steering.options.clone());
            start(&course.spec, options)?
        };
    }
}

/// Where a run has come to.
struct Course {
    spec: Spec,
    saving: Saving,
    changes: Vec<Change>,
    /// What was done before the last restart.
    earlier: Option<Statistics>,
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
    fn new(spec: Spec) -> Self {
        Self {
            spec,
            saving: Saving::No,
            changes: Vec::new(),
            earlier: None,
        }
    }

    /// Runs until something ends it or the measure is complained about.
    fn follow<R: Steered>(
        &self,
        running: &mut R,
        model: &Loaded,
        steering: &Steering,
    ) -> (End, Option<Complaint>) {
        let guarded = self.spec.source == Origin::Auto && self.saving == Saving::No;
        let guard = guarded.then(|| Guard::new(steering.patience.clone(), self.spec.again));
        let mut ticker = Ticker::new(steering.quiet)
            .towards(self.spec.goal(model))
            .guarded(guard);
        let end = running.run(&self.spec, &mut ticker);
        ticker.clear();
        let complaint = ticker.complaint().filter(|_| !running.is_decided());
        (end, complaint)
    }

    /// Decides how to go on. False if there is nothing more to do.
    fn turns(&mut self, end: &End, complaint: Option<Complaint>, done: &Statistics) -> bool {
        let is_full = matches!(
            end,
            End::Limit(StopReason::Memory { .. } | StopReason::OutOfMemory)
        );
        let next = match (complaint, self.saving) {
            (Some(complaint), _) => {
                let why = complaint.to_string();
                Some((self.spec.giving_up(complaint), why))
            }
            (None, Saving::GoingOn) if is_full => {
                self.saving = Saving::FromStart;
                Some((self.spec.clone(), "memory ran out again".into()))
            }
            (None, Saving::No | Saving::FromStart) if is_full => {
                let next = self.spec.saving_memory();
                if next.is_some() && self.saving == Saving::No {
                    self.saving = Saving::GoingOn;
                }
                next.map(|next| (next, "memory ran out".into()))
            }
            (None, _) => None,
        };
        let Some((to, why)) = next else { return false };
        let earlier = self.earlier.as_ref().map_or(0, |earlier| earlier.explored);
        self.changes.push(Change {
            from: std::mem::replace(&mut self.spec, to.clone()),
            to,
            why,
            explored: earlier + done.explored,
            restarted: self.saving == Saving::FromStart,
        });
        true
    }

    /// The exploration begins again, with what is left of the states it may expand.
    fn restarted(&mut self, done: &Statistics, mut options: Options) -> Options {
        if self.saving == Saving::GoingOn {
            self.saving = Saving::FromStart; // there is no room even for the change
        }
        if let Some(change) = self.changes.last_mut() {
            change.restarted = true;
        }
        let mut all = done.clone();
        if let Some(earlier) = &self.earlier {
            add(&mut all, earlier);
        }
        if let Some(states) = &mut options.limits.states {
            *states = states.saturating_sub(all.explored);
        }
        self.earlier = Some(all);
        options
    }

    /// The run with everything that was done for it.
    fn concluded(self, mut run: Run, options: &Options) -> Run {
        if let Some(earlier) = &self.earlier {
            let elapsed = run.statistics.elapsed;
            add(&mut run.statistics, earlier);
            run.statistics.elapsed = elapsed;
            name_limit(&mut run, options);
        }
        run.changes = self.changes;
        run
    }
}

/// Adds what was done in an earlier attempt.
fn add(all: &mut Statistics, earlier: &Statistics) {
    all.repeated = true;
    all.explored += earlier.explored;
    all.edges += earlier.edges;
    all.deadlock_expansions += earlier.deadlock_expansions;
    all.layers += earlier.layers;
    all.columns += earlier.columns;
    all.sweeps = all.sweeps.max(earlier.sweeps);
    all.column_sweeps += earlier.column_sweeps;
    all.regress_edges += earlier.regress_edges;
    all.persistent += earlier.persistent;
    all.peak_states = all.peak_states.max(earlier.peak_states);
    all.peak_bytes = all.peak_bytes.max(earlier.peak_bytes);
    all.elapsed += earlier.elapsed;
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
fn fill_in(answers: &mut [Shown], known: Vec<Shown>) {
    for (answer, known) in answers.iter_mut().zip(known) {
        let open = |verdict: &Verdict| matches!(verdict, Verdict::Inconclusive(_));
        if open(&answer.verdict) && !open(&known.verdict) {
            *answer = known;
        }
    }
}

#[cfg(test)]
mod tests;
