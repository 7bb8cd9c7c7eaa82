//! Work that asks now and then whether it may go on, and holds more and more memory.

use std::cell::Cell;

use sweepline_core::{Limits, StopReason};

/// Pieces of work between two looks at the clock. To compare two actions case by case may take a millisecond.
const MUCH: usize = 64;

/// Bytes of an entry in all places where it is.
const BYTES_PER_ENTRY: usize = 32;

/// Limits that are looked at by work done, the first time before anything is done.
pub(crate) struct Pace<'l> {
    limits: &'l Limits,
    work: Cell<usize>,
    held: Cell<usize>,
}

impl<'l> Pace<'l> {
    pub(crate) fn new(limits: &'l Limits) -> Self {
        Self {
            limits,
            work: Cell::new(MUCH),
            held: Cell::new(0),
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
        self.limits.allow(self.held.get())
    }

    /// Takes note of so many entries of tables, which stay: in lists, in those of an aim, and in the rows that are looked up.
    #[inline]
    pub(crate) fn hold(&self, entries: usize) {
        self.held.set(self.held.get() + entries * BYTES_PER_ENTRY);
    }
}
