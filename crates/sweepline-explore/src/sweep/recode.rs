//! Going on in a wider encoding.

use sweepline_core::{Limits, OutOfRange, Progress, Recoding, StopReason, System, Word};

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
        self.rewrite_all((from, to), &wider)
            .map_err(|halt| reason(*halt))?;
        self.batch = Batch::for_system(&wider);
        self.system = wider;
        self.progress = progress;
        self.intact = true;
        Ok(())
    }

    fn rewrite_all(&mut self, widths: (usize, usize), wider: &S) -> Result<(), Halt> {
        let recoding = self.system.layout().recoding(wider.layout());
        let (pace, limits) = (&mut self.pace, &self.options.limits);
        let mut rewrite = rewriting(&recoding, pace, limits);
        self.stores.recode(widths, &mut rewrite)
    }
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
