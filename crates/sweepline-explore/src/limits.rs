//! Limits that are looked at now and then.

use std::time::Duration;

use sweepline_core::{Limits, StopReason};

use crate::sweep::{End, Halt};

/// Expansions between two looks at the clock.
const CHECK_EVERY: u64 = 4096;

/// After how many expansions to look again, unless a limit is reached after this many and this much time.
pub(crate) fn check(limits: &Limits, explored: u64, elapsed: Duration) -> Result<u64, Halt> {
    match reached(limits, explored, elapsed) {
        Some(reason) => Err(End::Limit(reason).into()),
        None => Ok((explored + CHECK_EVERY).min(limits.states.unwrap_or(u64::MAX))),
    }
}

/// The limit that is reached after this many expansions and this much time, if any.
fn reached(limits: &Limits, explored: u64, elapsed: Duration) -> Option<StopReason> {
    if limits.cancel.is_cancelled() {
        return Some(StopReason::Interrupted);
    }
    if let Some(limit) = limits.states
        && explored >= limit
    {
        return Some(StopReason::States { limit });
    }
    let limit = limits.time.filter(|&limit| elapsed >= limit)?;
    Some(StopReason::Time { limit })
}
