//! Spin as the yardstick: the same models in Promela, compiled by its own compiler and gcc.

use std::path::Path;
use std::process::Command;

use sweepline_bench::measure::Sample;

/// A model with the flags that were best for it.
struct Peer {
    name: &'static str,
    text: &'static str,
    translate: &'static str,
    run: &'static str,
}

/// The depths they reach are 33,290 and 210,051; the sizes of the hash tables were the best of several.
const PEERS: [Peer; 2] = [
    Peer {
        name: "go-back-n narrow/spin",
        text: include_str!("../peers/go-back-n.pml"),
        translate: "",
        run: "-m50000 -w25",
    },
    Peer {
        name: "peterson 4/spin",
        text: include_str!("../peers/peterson.pml"),
        translate: "-o1 -o2 -o3",
        run: "-m300000 -w23",
    },
];

/// Runs Spin on the peers of the cases that are wanted, if Spin and gcc are installed.
pub fn all(wanted: impl Fn(&str) -> bool) -> Vec<Sample> {
    PEERS
        .iter()
        .filter(|peer| wanted(peer.name))
        .filter_map(run)
        .collect()
}

fn run(peer: &Peer) -> Option<Sample> {
    let directory = tempfile::tempdir().ok()?;
    let at = directory.path();
    std::fs::write(at.join("model.pml"), peer.text).ok()?;
    let build = format!(
        "spin {} -a model.pml && gcc -O2 -DSAFETY -DNOREDUCE -o pan pan.c",
        peer.translate
    );
    if shell(at, &build).is_none() {
        eprintln!("spin or gcc is not installed: no yardstick (install the packages spin and gcc)");
        return None;
    }
    let text = shell(at, &format!("./pan {}; times", peer.run))?;
    let sample = read(&text)?;
    Some(Sample {
        name: peer.name.to_owned(),
        ..sample
    })
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
    let (user, system) = text.lines().last()?.split_once(' ')?;
    let (user, system) = (seconds(user)?, seconds(system.trim())?);
    let cpu_seconds = user + system;
    Some(Sample {
        name: String::new(),
        states: Some(states),
        explored: states,
        edges: whole(number("transitions (=")?),
        layers: 1,
        persistent: 0,
        peak_states: states,
        peak_bytes: usize::try_from(bytes).ok()?,
        process_bytes: usize::try_from(bytes).ok()?,
        anonymous_bytes: usize::try_from(bytes).ok()?,
        cpu_seconds,
        system_seconds: system,
        wall_seconds: cpu_seconds,
        rounds: Vec::new(),
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
