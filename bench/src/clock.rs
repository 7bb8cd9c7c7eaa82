//! CPU time, because machines are shared.

/// CPU time of this process so far.
#[expect(clippy::cast_precision_loss, reason = "seconds with a few digits")]
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
