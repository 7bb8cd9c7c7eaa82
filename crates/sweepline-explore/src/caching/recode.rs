//! Going on in a wider encoding.

use sweepline_core::{Steps, StopReason, System, Word};

use super::{Caching, Phase};
use crate::record::Dynamic;

impl<S: System> Caching<S> {
    /// Goes on with the same system in a wider encoding, after [`End::Outgrown`](crate::End::Outgrown).
    ///
    /// The wider system must have the same slots in the same order and the same steps. Everything stored is
    /// rewritten; numbers, the stack and the trace log stay valid.
    pub fn recode(&mut self, wider: S) -> Result<(), StopReason> {
        let (Some(from), Some(to)) = (self.system.layout().width(), wider.layout().width()) else {
            return Err(StopReason::Other(
                "states of variable size cannot be encoded wider".into(),
            ));
        };
        let mut misfit = None;
        let mut rewrite = |state: &[Word], out: &mut Vec<Word>| {
            out.resize(to, 0);
            if let Err(error) = self.system.layout().recode(state, wider.layout(), out) {
                misfit.get_or_insert(error);
            }
        };
        self.store
            .recode(Dynamic(from), Dynamic(to), &mut self.budget, &mut rewrite)?;
        if let Some(error) = misfit {
            return Err(StopReason::Other(error.to_string()));
        }
        self.system = wider;
        self.generate_again();
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
