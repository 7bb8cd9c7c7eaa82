//! Going on in a wider encoding.

use sweepline_core::{Steps, StopReason, System};

use super::{Caching, Phase};
use crate::sweep::{broken, reason, rewriting};

impl<S: System> Caching<S> {
    /// Goes on with the same system in a wider encoding, after [`End::Outgrown`](crate::End::Outgrown).
    ///
    /// The wider system must have the same slots in the same order and the same steps. Everything stored is
    /// rewritten; numbers, the stack and the trace log stay valid.
    pub fn recode(&mut self, wider: S) -> Result<(), StopReason> {
        if !self.intact {
            return Err(broken());
        }
        let (Some(from), Some(to)) = (self.system.layout().width(), wider.layout().width()) else {
            return Err(StopReason::Other(
                "states of variable size cannot be encoded wider".into(),
            ));
        };
        self.intact = false;
        let recoding = self.system.layout().recoding(wider.layout());
        let (pace, limits) = (&mut self.pace, &self.options.limits);
        self.store
            .recode(
                (from, to),
                &mut self.budget,
                &mut rewriting(&recoding, pace, limits),
            )
            .map_err(|halt| reason(*halt))?;
        self.system = wider;
        self.generate_again();
        self.intact = true;
        Ok(())
    }

    /// Drops all steps, which are in the old encoding.
    fn generate_again(&mut self) {
        self.steps = Steps::for_layout(self.system.layout());
        // A state that is still to be expanded has no steps yet.
        self.kept_from = self.stack.len() - usize::from(self.phase == Phase::Expand);
        self.initial = Steps::for_layout(self.system.layout());
        if self.phase != Phase::Start {
            self.system.initial(&mut self.initial);
        }
    }
}
