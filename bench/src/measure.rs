//! Measuring a case: CPU time and peak memory of a process of its own.

use std::process::Command;

use serde::{Deserialize, Serialize};
use sweepline::core::Statistics;

use crate::clock::{cpu_seconds, system_seconds};

/// The figures of one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// What was run.
    #[serde(default)]
    pub name: String,
    /// Distinct states, if they were counted.
    pub states: Option<u64>,
    /// Expansions.
    pub explored: u64,
    /// Steps of all expansions.
    pub edges: u64,
    /// Distinct keys.
    pub layers: u64,
    /// States ever made persistent.
    pub persistent: u64,
    /// States stored at most.
    pub peak_states: u64,
    /// Bytes of the stores at most.
    pub peak_bytes: usize,
    /// Peak memory of the process.
    pub process_bytes: usize,
    /// The same without pages of files, such as those of the program itself.
    pub anonymous_bytes: usize,
    /// The processor's time of the user and of the system.
    pub cpu_seconds: f64,
    /// The system's part of it, most of which is handing out memory.
    pub system_seconds: f64,
    /// The time that passed.
    pub wall_seconds: f64,
    /// The processor's time of each round.
    #[serde(default)]
    pub rounds: Vec<(usize, f64)>,
}

impl Sample {
    fn user_seconds(&self) -> f64 {
        self.cpu_seconds - self.system_seconds
    }

    /// How many times as long this takes as another case. Machines are quick and slow by turns, so the two are compared round by round, and
    /// the ratio in the middle counts.
    pub fn times(&self, other: &Self) -> f64 {
        let ratio = |(round, ours): &(usize, f64)| {
            let theirs = other.rounds.iter().find(|(it, _)| it == round)?;
            Some(ours / theirs.1)
        };
        let mut ratios: Vec<f64> = self.rounds.iter().filter_map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        match ratios.len() {
            0 => self.cpu_seconds / other.cpu_seconds,
            count => f64::midpoint(ratios[(count - 1) / 2], ratios[count / 2]),
        }
    }

    /// Expansions in a second of the processor.
    #[expect(clippy::cast_precision_loss, reason = "rates have few digits")]
    pub fn explored_per_second(&self) -> f64 {
        self.explored as f64 / self.cpu_seconds
    }

    /// Steps in a second of the processor.
    #[expect(clippy::cast_precision_loss, reason = "rates have few digits")]
    pub fn edges_per_second(&self) -> f64 {
        self.edges as f64 / self.cpu_seconds
    }

    /// What a stored state takes.
    #[expect(clippy::cast_precision_loss, reason = "sizes have few digits")]
    pub fn bytes_per_stored_state(&self) -> f64 {
        self.peak_bytes as f64 / self.peak_states as f64
    }
}

/// Runs a case in this process.
pub fn here(run: impl FnOnce() -> Statistics) -> Sample {
    let before = (cpu_seconds(), system_seconds());
    let statistics = run();
    let (cpu_seconds, system_seconds) = (cpu_seconds() - before.0, system_seconds() - before.1);
    let process_bytes = process_memory("VmHWM:");
    Sample {
        name: String::new(),
        states: statistics.states(),
        explored: statistics.explored,
        edges: statistics.edges,
        layers: statistics.layers,
        persistent: statistics.persistent,
        peak_states: statistics.peak_states,
        peak_bytes: statistics.peak_bytes,
        process_bytes,
        // Once a page of the program is there, it stays.
        anonymous_bytes: process_bytes.saturating_sub(process_memory("RssFile:")),
        cpu_seconds,
        system_seconds,
        wall_seconds: statistics.elapsed.as_secs_f64(),
        rounds: Vec::new(),
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

/// Keeps the fastest sample of each case, with the least time of the user, the least of the system and the least memory: on a virtual
/// machine the same pages are handed out in 0.1 s in one run and in 0.9 s in the next, and the peaks of equal runs are a huge page apart.
/// Every round is noted.
pub fn keep_fastest(samples: &mut Vec<Sample>, sample: Option<Sample>, round: usize) {
    let Some(mut sample) = sample else { return };
    sample.rounds = vec![(round, sample.cpu_seconds)];
    let Some(known) = samples.iter_mut().find(|known| known.name == sample.name) else {
        samples.push(sample);
        return;
    };
    let user = known.user_seconds().min(sample.user_seconds());
    let system = known.system_seconds.min(sample.system_seconds);
    let bytes = known.process_bytes.min(sample.process_bytes);
    let anonymous = known.anonymous_bytes.min(sample.anonymous_bytes);
    let mut rounds = std::mem::take(&mut known.rounds);
    rounds.append(&mut sample.rounds);
    if sample.cpu_seconds < known.cpu_seconds {
        *known = sample;
    }
    known.rounds = rounds;
    known.cpu_seconds = user + system;
    known.system_seconds = system;
    known.process_bytes = bytes;
    known.anonymous_bytes = anonymous;
}

/// A figure that the kernel has of this process, in bytes.
fn process_memory(figure: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(figure));
    line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok())
        .map_or(0, |kib| kib * 1024)
}
