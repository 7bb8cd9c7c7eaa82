//! Spin as the yardstick: the same go-back-N in Promela, compiled by its own compiler and gcc.

use std::path::Path;
use std::process::Command;

use crate::measure::Sample;

const MODEL: &str = include_str!("../peers/go-back-n.pml");

/// Runs Spin on go-back-N "narrow", if Spin and gcc are installed.
pub fn go_back_n() -> Option<Sample> {
    let directory = tempfile::tempdir().ok()?;
    let at = directory.path();
    std::fs::write(at.join("model.pml"), MODEL).ok()?;
    if shell(
        at,
        "spin -a model.pml && gcc -O2 -DSAFETY -DNOREDUCE -o pan pan.c",
    )
    .is_none()
    {
        eprintln!("spin or gcc is not installed: no yardstick (install the packages spin and gcc)");
        return None;
    }
    // The table size that was best on this model; the depth it reaches is 33,290.
    let text = shell(at, "./pan -m50000 -w25; times")?;
    read(&text)
}

fn shell(directory: &Path, script: &str) -> Option<String> {
    let output = Command::new("bash")
        .args(["-c", script])
        .current_dir(directory)
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Reads what `pan` says, and behind it the times of the shell's children.
fn read(text: &str) -> Option<Sample> {
    let number = |marker: &str| -> Option<f64> {
        let line = text.lines().find(|line| line.contains(marker))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let states = whole(number("states, stored")?);
    let bytes = whole(number("total actual memory usage")? * 1024.0 * 1024.0);
    let cpu_seconds = text
        .lines()
        .last()?
        .split_whitespace()
        .map(seconds)
        .sum::<Option<f64>>()?;
    Some(Sample {
        name: "go-back-n narrow/spin".into(),
        states: Some(states),
        explored: states,
        edges: whole(number("transitions (=")?),
        layers: 1,
        persistent: 0,
        peak_states: states,
        peak_bytes: usize::try_from(bytes).ok()?,
        process_bytes: usize::try_from(bytes).ok()?,
        cpu_seconds,
        wall_seconds: cpu_seconds,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts are printed as decimals"
)]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

/// `0m5.382s`
fn seconds(text: &str) -> Option<f64> {
    let (minutes, rest) = text.split_once('m')?;
    Some(minutes.parse::<f64>().ok()? * 60.0 + rest.trim_end_matches('s').parse::<f64>().ok()?)
}
