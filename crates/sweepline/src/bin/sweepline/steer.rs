//! Changing the measure of an exploration while it runs.

use miette::Report;
use sweepline_core::{Observer, StopReason};
use sweepline_explore::End;

use crate::load::Loaded;
use crate::measure::{Origin, Spec};
use crate::ticker::{Guard, Ticker};

/// An exploration that can go on with another measure.
pub trait Steered: Sized {
    fn run(&mut self, spec: &Spec, observer: &mut dyn Observer) -> End;
    fn is_decided(&self) -> bool;
    /// Nothing if there is no room, or if the measure has no value somewhere.
    fn remeasured(self, spec: &Spec) -> Option<Self>;
}

/// Explores to the end. A measure that was found and turns out to lose is given up, and one that stores less is used
/// when memory runs out; the exploration goes on from where it is.
pub fn steer<R: Steered>(
    start: impl Fn(&Spec) -> Result<R, Report>,
    model: &Loaded,
    spec: &mut Spec,
    quiet: bool,
) -> Result<(R, End), Report> {
    let mut running = start(spec)?;
    let mut saving = Saving::No;
    loop {
        let guarded = spec.source == Origin::Auto && saving == Saving::No;
        let guard = guarded.then(|| Guard::new(spec.again));
        let mut ticker = Ticker::new(quiet).towards(spec.goal(model)).guarded(guard);
        let end = running.run(spec, &mut ticker);
        ticker.clear();
        let is_full = matches!(end, End::Limit(StopReason::Memory { .. }));
        match ticker.complaint().filter(|_| !running.is_decided()) {
            Some(complaint) => spec.give_up(complaint),
            None if is_full && saving == Saving::No && spec.save_memory() => {
                saving = Saving::GoingOn;
            }
            None if is_full && saving == Saving::GoingOn => saving = Saving::FromStart,
            None if is_full && saving == Saving::FromStart && spec.save_memory() => {}
            None => return Ok((running, end)),
        }
        let going_on = match saving {
            Saving::FromStart => None,
            Saving::No | Saving::GoingOn => running.remeasured(spec),
        };
        if going_on.is_none() && saving == Saving::GoingOn {
            saving = Saving::FromStart; // there is no room even for the change
        }
        running = match going_on {
            Some(running) => running,
            None => start(spec)?,
        };
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
