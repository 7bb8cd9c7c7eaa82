//! How far a run has come, and whether it may go on.

use sweepline_core::{Observer, Progress, System, Watch};

use super::end::{End, Halt};
use super::{Phase, Sweep, go_on};

impl<S: System, P: Progress> Sweep<S, P> {
    /// Within a layer the stores only grow, so reading them when it closes gives the peak.
    pub(super) fn note_peak(&mut self) {
        if self.phase == Phase::Open {
            self.statistics.peak_states = self.statistics.peak_states.max(self.stores.len());
        }
        let bytes = self.stores.budget.peak() + self.log.bytes();
        self.statistics.peak_bytes = self.statistics.peak_bytes.max(bytes);
    }

    /// What the log and the observer have on disk.
    pub(super) fn note_disk(&mut self, observer: u64) {
        let bytes = self.log.disk_bytes() + observer;
        self.statistics.disk_bytes = self.statistics.disk_bytes.max(bytes);
    }

    /// Whether the limits allow to go on. They are looked at by work done.
    #[inline]
    pub(super) fn check_limits(&mut self) -> Result<(), Halt> {
        let limits = &self.options.limits;
        let allowed = self.pace.check(limits, self.statistics.explored);
        Ok(allowed.map_err(End::Limit)?)
    }

    /// Tells the observer how far the run has come.
    #[cold]
    pub(super) fn tick<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<(), Halt> {
        let bytes = observer.bytes();
        self.observer.set(bytes, &mut self.stores.budget)?;
        let waiting = self.stores.open_len() - self.cursor;
        let watch = Watch {
            key: self.stores.key(),
            front: (self.stores.front.len() + waiting) as u64,
            stored: self.stores.len(),
            bytes: self.stores.budget.held() + self.log.bytes(),
            statistics: &self.statistics,
        };
        go_on(observer.tick(watch))
    }
}
