//! Going on in a wider encoding, or with a system that has begun again.

use sweepline_core::{
    Limits, OutOfRange, Progress, Recoding, Renumbering, StopReason, System, Word,
};

use super::end::{End, Halt};
use super::expand::Batch;
use super::{Sweep, broken};
use crate::limits::Pace;

impl<S: System, P: Progress> Sweep<S, P> {
    /// Goes on with the same system in a wider encoding, after [`End::Outgrown`].
    ///
    /// The wider system must have the same slots in the same order and the same steps; the measure must give the
    /// same keys. Everything stored is rewritten in place; numbers and the trace log stay valid. Limits are kept to: if
    /// one is reached on the way, the run cannot go on.
    pub fn recode(&mut self, wider: S, progress: P) -> Result<(), StopReason> {
        self.rewrite(wider, progress, &Renumbering::default())
    }

    /// From now on the run ends with [`End::Crowded`] when a layer is closed and the system holds
    /// ([`Steps::hold`](sweepline_core::Steps::hold)) more than `least` bytes, more than twice what it held when it began again,
    /// and so much more that a pass over everything stored is worth while.
    pub fn expect_renewal(&mut self, least: usize) {
        self.renewal = Some(Crowd { least, held: 0 });
    }

    /// The run does not end so any more.
    pub fn expect_no_renewal(&mut self) {
        self.renewal = None;
    }

    /// Shows every record that [`Sweep::renew`] would rewrite. Some of them are what is left of states that are forgotten.
    pub fn each_record(&self, visit: &mut dyn FnMut(&[Word])) {
        if let Some(width) = self.system.layout().width() {
            self.stores.each_record(width, visit);
        }
    }

    /// Goes on with the same system when it has begun again with the [records](Sweep::each_record) of this run, after
    /// [`End::Crowded`]. It holds so many bytes now.
    ///
    /// It has the same slots in the same order, and the same steps for the same contents; the measure must give the same keys. As with
    /// [`Sweep::recode`], numbers and the trace log stay valid.
    pub fn renew(
        &mut self,
        system: S,
        progress: P,
        numbers: &Renumbering,
        held: usize,
    ) -> Result<(), StopReason> {
        self.rewrite(system, progress, numbers)?;
        if let Some(crowd) = &mut self.renewal {
            crowd.held = held;
        }
        Ok(())
    }

    /// Whether the system should begin again. Rewriting what is stored must cost less than has gone into what is held.
    pub(super) fn is_crowded(&self) -> bool {
        self.renewal.is_some_and(|Crowd { least, held }| {
            let stored = self.stores.budget.held();
            let now = self.batch.steps.held();
            now > least + 2 * held && now - held > stored.saturating_sub(now) / 4
        })
    }

    fn rewrite(&mut self, wider: S, progress: P, numbers: &Renumbering) -> Result<(), StopReason> {
        if !self.intact {
            return Err(broken());
        }
        let (Some(from), Some(to)) = (self.system.layout().width(), wider.layout().width()) else {
            return Err(StopReason::Other(
                "states of variable size cannot be encoded wider".into(),
            ));
        };
        self.intact = false;
        self.batch.release(&mut self.stores.budget);
        self.rewrite_all((from, to), &wider, numbers)
            .map_err(|halt| reason(*halt))?;
        self.batch = Batch::for_system(&wider);
        self.system = wider;
        self.progress = progress;
        self.intact = true;
        Ok(())
    }

    fn rewrite_all(
        &mut self,
        widths: (usize, usize),
        wider: &S,
        numbers: &Renumbering,
    ) -> Result<(), Halt> {
        let recoding = self.system.layout().renumbering(wider.layout(), numbers);
        let (pace, limits) = (&mut self.pace, &self.options.limits);
        let mut rewrite = rewriting(&recoding, pace, limits);
        self.stores.recode(widths, &mut rewrite)
    }
}

/// When a run ends so that its system can begin again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowd {
    /// Less than this is never worth it.
    least: usize,
    /// What the system held when it began.
    held: usize,
}

/// Writes states in a new encoding and keeps to the limits.
pub(crate) fn rewriting(
    recoding: &Recoding,
    pace: &mut Pace,
    limits: &Limits,
) -> impl FnMut(&[Word], &mut [Word]) -> Result<(), Halt> {
    move |state, out| {
        if pace.add(out.len()) {
            pace.look(limits).map_err(End::Limit)?;
        }
        let misfit = |error: OutOfRange| End::Limit(StopReason::Other(error.to_string()));
        Ok(recoding.apply(state, out).map_err(misfit)?)
    }
}

/// Why rewriting ended.
pub(crate) fn reason(end: End) -> StopReason {
    match end {
        End::Limit(reason) => reason,
        end => StopReason::Other(format!("rewriting ended with {end:?}")),
    }
}
