//! Work that asks now and then whether it may go on.

use std::cell::Cell;

use sweepline_core::{Limits, StopReason};

/// Pieces of work between two looks at the clock. To compare two actions case by case may take a millisecond.
const MUCH: usize = 64;

/// Limits that are looked at by work done, the first time before anything is done.
pub(crate) struct Pace<'l> {
    limits: &'l Limits,
    work: Cell<usize>,
}

impl<'l> Pace<'l> {
    pub(crate) fn new(limits: &'l Limits) -> Self {
        Self {
            limits,
            work: Cell::new(MUCH),
        }
    }

    /// Takes note of a piece of work.
    #[inline]
    pub(crate) fn spend(&self) -> Result<(), StopReason> {
        let work = self.work.get() + 1;
        if work < MUCH {
            self.work.set(work);
            return Ok(());
        }
        self.work.set(0);
        self.limits.allow(0)
    }
}
