//! How far a run has come, and whether it may go on.

use sweepline_core::{Control, Observer, Progress, StopReason, System, Watch};

use super::end::{End, Halt};
use super::{Phase, Sweep};

impl<S: System, P: Progress> Sweep<S, P> {
    /// States stored at this moment.
    pub(super) fn stored(&self) -> u64 {
        (self.open.len() + self.windowed + self.front.len() + self.persistent.len()) as u64
    }

    /// Within a layer the stores only grow, so reading them when it closes gives the peak.
    pub(super) fn note_peak(&mut self) {
        if self.phase == Phase::Open {
            self.statistics.peak_states = self.statistics.peak_states.max(self.stored());
        }
        let bytes = self.budget.peak() + self.log.bytes();
        self.statistics.peak_bytes = self.statistics.peak_bytes.max(bytes);
    }

    /// Whether the limits allow to go on. They are looked at by work done.
    #[inline]
    pub(super) fn check_limits(&mut self) -> Result<(), Halt> {
        let limits = &self.options.limits;
        if self.pace.is_due() {
            self.pace.look(limits).map_err(End::Limit)?;
        }
        match limits.states {
            Some(limit) if self.statistics.explored >= limit => {
                Err(End::Limit(StopReason::States { limit }).into())
            }
            _ => Ok(()),
        }
    }

    /// Tells the observer how far the run has come.
    #[cold]
    pub(super) fn tick<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<(), Halt> {
        let waiting = self.roots.len() + self.open.len() - self.cursor;
        let watch = Watch {
            key: self.key,
            front: (self.front.len() + waiting) as u64,
            stored: self.stored(),
            bytes: self.budget.held() + self.log.bytes(),
            statistics: &self.statistics,
        };
        match observer.tick(watch) {
            Control::Continue => Ok(()),
            Control::Stop => Err(End::Stopped.into()),
        }
    }
}
