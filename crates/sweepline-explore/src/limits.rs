//! Limits that are looked at now and then.

use std::time::Duration;

use sweepline_core::{Limits, StopReason};

/// Expansions between two looks at the clock.
const CHECK_EVERY: u64 = 4096;

/// The limit that is reached after this many expansions and this much time, if any.
pub(crate) fn reached(limits: &Limits, explored: u64, elapsed: Duration) -> Option<StopReason> {
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

/// After how many expansions to look again.
pub(crate) fn next_check(limits: &Limits, explored: u64) -> u64 {
    (explored + CHECK_EVERY).min(limits.states.unwrap_or(u64::MAX))
}
