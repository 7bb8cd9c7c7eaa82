//! Going on in a wider encoding.

use sweepline_core::{Progress, StopReason, System, Word};

use super::expand::Batch;
use super::{Sweep, broken};
use crate::layer::Layer;
use crate::memory::{Budget, Full};
use crate::record::Dynamic;

impl<S: System, P: Progress> Sweep<S, P> {
    /// Goes on with the same system in a wider encoding, after [`End::Outgrown`](super::End::Outgrown).
    ///
    /// The wider system must have the same slots in the same order and the same steps; the measure must give the
    /// same keys. Everything stored is rewritten; numbers and the trace log stay valid.
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
        let mut misfit = None;
        let mut rewrite = |state: &[Word], out: &mut Vec<Word>| {
            out.resize(to, 0);
            if let Err(error) = self.system.layout().recode(state, wider.layout(), out) {
                misfit.get_or_insert(error);
            }
        };
        let (from, to, budget) = (Dynamic(from), Dynamic(to), &mut self.budget);
        let mut rewrite_layer = |layer: &mut Layer, budget: &mut Budget| -> Result<(), Full> {
            let recoded = layer.recoded(from, to, budget, &mut rewrite)?;
            layer.release(budget);
            *layer = recoded;
            Ok(())
        };
        rewrite_layer(&mut self.open, budget)?;
        rewrite_layer(&mut self.persistent.states, budget)?;
        for (_, layer) in &mut self.window {
            rewrite_layer(layer, budget)?;
        }
        let front = std::mem::take(&mut self.front);
        self.front = front.recoded(from, to, budget, &mut rewrite)?;
        if let Some(error) = misfit {
            return Err(StopReason::Other(error.to_string()));
        }
        self.batch = Batch::for_system(&wider);
        self.system = wider;
        self.progress = progress;
        self.intact = true;
        Ok(())
    }
}
