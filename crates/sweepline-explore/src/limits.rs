//! Limits that are looked at now and then.

use sweepline_core::{Limits, StopReason};

use crate::sweep::{End, Halt};

/// Expansions between two looks at the clock.
const CHECK_EVERY: u64 = 4096;

/// After how many expansions to look again, unless a limit is reached after this many.
pub(crate) fn check(limits: &Limits, explored: u64) -> Result<u64, Halt> {
    let reached = |reason| Halt::from(End::Limit(reason));
    limits.allow(0).map_err(reached)?; // the stores have a budget of their own
    match limits.states {
        Some(limit) if explored >= limit => Err(reached(StopReason::States { limit })),
        limit => Ok((explored + CHECK_EVERY).min(limit.unwrap_or(u64::MAX))),
    }
}
