//! Looking at the limits now and then.

use sweepline_core::{Limits, StopReason};

/// Steps between two looks.
const STEPS: u32 = 1 << 16;

/// Counts steps.
pub(super) struct Pace<'l> {
    limits: &'l Limits,
    steps: u32,
}

impl<'l> Pace<'l> {
    pub(super) fn new(limits: &'l Limits) -> Self {
        Self { limits, steps: 0 }
    }

    /// Another step, unless it is time to stop.
    #[inline]
    pub(super) fn step(&mut self) -> Result<(), StopReason> {
        self.steps += 1;
        if self.steps == STEPS {
            self.steps = 0;
            self.limits.allow(0)?;
        }
        Ok(())
    }
}
