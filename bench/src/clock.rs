//! CPU time, because machines are shared.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// CPU time of this process so far.
#[expect(clippy::cast_precision_loss, reason = "seconds with a few digits")]
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The system's part of the CPU time of this process so far.
#[expect(clippy::cast_precision_loss, reason = "seconds with a few digits")]
pub fn system_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF);
    usage.map_or(0.0, |usage| {
        usage.system_time().num_microseconds() as f64 / 1e6
    })
}
