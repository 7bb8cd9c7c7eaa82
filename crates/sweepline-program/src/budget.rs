//! Work that asks now and then whether it may go on.

use sweepline_core::{Limits, StopReason};

/// Work between two questions; asking costs a look at the clock.
const MUCH: usize = 1 << 14;

/// Limits that are asked by work done.
pub(crate) struct Budget<'l> {
    limits: &'l Limits,
    /// Bytes that are held all the time.
    held: usize,
    work: usize,
}

impl<'l> Budget<'l> {
    pub(crate) fn new(limits: &'l Limits, held: usize) -> Self {
        let work = MUCH;
        Self { limits, held, work }
    }

    /// Takes note of some work.
    #[inline]
    pub(crate) fn spend(&mut self, work: usize) -> Result<(), StopReason> {
        self.work = self.work.saturating_add(work);
        if self.work < MUCH {
            return Ok(());
        }
        self.work = 0;
        self.limits.allow(self.held)
    }
}
