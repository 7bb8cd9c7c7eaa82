//! Changing the measure of an exploration while it runs.

use miette::Report;
use sweepline_core::{Observer, StopReason, Verdict};
use sweepline_explore::{End, Options};

use crate::load::Loaded;
use crate::measure::{Origin, Spec};
use crate::search::{Run, Shown};
use crate::ticker::{Guard, Ticker};

/// An exploration that can go on with another measure.
pub trait Steered: Sized {
    fn run(&mut self, spec: &Spec, observer: &mut dyn Observer) -> End;
    fn is_decided(&self) -> bool;
    /// What is known so far.
    fn answers(&mut self) -> Vec<Shown>;
    /// Nothing if there is no room, or if the measure has no value somewhere.
    fn remeasured(self, spec: &Spec) -> Option<Self>;
    fn finish(self, end: End, spec: &Spec) -> Result<Run, Report>;
}

/// Explores to the end. A measure that was found and turns out to lose is given up, and one that stores less is used
/// when memory runs out; the exploration goes on from where it is.
pub fn steer<R: Steered>(
    start: impl Fn(&Spec, Options) -> Result<R, Report>,
    model: &Loaded,
    spec: &mut Spec,
    options: &Options,
    quiet: bool,
) -> Result<Run, Report> {
    let mut running = start(spec, options.clone())?;
    let mut saving = Saving::No;
    let mut known = Vec::new();
    loop {
        let guarded = spec.source == Origin::Auto && saving == Saving::No;
        let guard = guarded.then(|| Guard::new(spec.again));
        let mut ticker = Ticker::new(quiet).towards(spec.goal(model)).guarded(guard);
        let end = running.run(spec, &mut ticker);
        ticker.clear();
        let is_full = matches!(
            end,
            End::Limit(StopReason::Memory { .. } | StopReason::OutOfMemory)
        );
        match ticker.complaint().filter(|_| !running.is_decided()) {
            Some(complaint) => spec.give_up(complaint),
            None if is_full && saving == Saving::No && spec.save_memory() => {
                saving = Saving::GoingOn;
            }
            None if is_full && saving == Saving::GoingOn => saving = Saving::FromStart,
            None if is_full && saving == Saving::FromStart && spec.save_memory() => {}
            None => {
                let mut run = running.finish(end, spec)?;
                fill_in(&mut run.answers, known);
                return Ok(run);
            }
        }
        let mut answers = running.answers();
        fill_in(&mut answers, known);
        known = answers;
        let going_on = match saving {
            Saving::No | Saving::GoingOn => running.remeasured(spec),
            Saving::FromStart => {
                drop(running); // its memory is needed
                None
            }
        };
        if going_on.is_none() && saving == Saving::GoingOn {
            saving = Saving::FromStart; // there is no room even for the change
        }
        running = match going_on {
            Some(running) => running,
            None => start(spec, options.clone())?,
        };
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

/// What is done when memory runs out: go on with a measure that stores less, and if what plain search has left behind is
/// too much for that, start again with it, and then with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Saving {
    No,
    GoingOn,
    FromStart,
}

#[cfg(test)]
mod tests {
    use sweepline_check::QuestionKind;

    use super::*;

    fn shown(verdict: Verdict) -> Shown {
        Shown {
            name: "p".into(),
            kind: QuestionKind::Invariant,
            text: "AG p".into(),
            verdict,
            value: None,
            trace: None,
            lost_trace: None,
        }
    }

    #[test]
    fn what_is_decided_stays_decided() {
        let open = || Verdict::Inconclusive(StopReason::OutOfMemory);
        let now = [open(), Verdict::Holds, open()];
        let before = [Verdict::Violated, open(), open()];
        let mut answers = now.map(shown);
        fill_in(&mut answers, before.map(shown).into());
        let verdicts = answers.map(|answer| answer.verdict);
        assert_eq!(verdicts, [Verdict::Violated, Verdict::Holds, open()]);
    }
}
