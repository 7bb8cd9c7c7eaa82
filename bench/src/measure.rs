//! Measuring a case: CPU time and peak memory of a process of its own.

use std::process::Command;

use serde::{Deserialize, Serialize};
use sweepline::core::Statistics;
use sweepline_bench::clock::cpu_seconds;

/// The figures of one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sample {
    #[serde(default)]
    pub name: String,
    pub states: Option<u64>,
    pub explored: u64,
    pub edges: u64,
    pub layers: u64,
    pub persistent: u64,
    pub peak_states: u64,
    pub peak_bytes: usize,
    /// Peak memory of the process.
    pub process_bytes: usize,
    pub cpu_seconds: f64,
    pub wall_seconds: f64,
}

impl Sample {
    #[expect(clippy::cast_precision_loss, reason = "rates have few digits")]
    pub fn explored_per_second(&self) -> f64 {
        self.explored as f64 / self.cpu_seconds
    }

    #[expect(clippy::cast_precision_loss, reason = "rates have few digits")]
    pub fn edges_per_second(&self) -> f64 {
        self.edges as f64 / self.cpu_seconds
    }

    #[expect(clippy::cast_precision_loss, reason = "sizes have few digits")]
    pub fn bytes_per_stored_state(&self) -> f64 {
        self.peak_bytes as f64 / self.peak_states as f64
    }
}

/// Runs a case in this process.
pub fn here(run: impl FnOnce() -> Statistics) -> Sample {
    let before = cpu_seconds();
    let statistics = run();
    let cpu_seconds = cpu_seconds() - before;
    Sample {
        name: String::new(),
        states: statistics.states(),
        explored: statistics.explored,
        edges: statistics.edges,
        layers: statistics.layers,
        persistent: statistics.persistent,
        peak_states: statistics.peak_states,
        peak_bytes: statistics.peak_bytes,
        process_bytes: process_peak(),
        cpu_seconds,
        wall_seconds: statistics.elapsed.as_secs_f64(),
    }
}

/// Runs a case in a child process.
pub fn in_child(name: &str) -> Option<Sample> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program).args(["--case", name]).output().ok()?;
    if !output.status.success() {
        eprintln!("{name} failed: {}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    let sample: Sample = serde_json::from_slice(&output.stdout).ok()?;
    Some(Sample {
        name: name.to_owned(),
        ..sample
    })
}

/// Keeps the fastest sample of each case.
pub fn keep_fastest(samples: &mut Vec<Sample>, sample: Option<Sample>) {
    let Some(sample) = sample else { return };
    match samples.iter_mut().find(|known| known.name == sample.name) {
        None => samples.push(sample),
        Some(known) if sample.cpu_seconds < known.cpu_seconds => *known = sample,
        Some(_) => {}
    }
}

fn process_peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok())
        .map_or(0, |kib| kib * 1024)
}
