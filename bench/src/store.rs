//! Storing a run: raw figures, commit, command and hardware, under `bench/runs/DATE-MACHINE/`.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs, io};

use sweepline_bench::measure::Sample;
use sweepline_bench::promises::{self, Promise};

use crate::table;

/// Writes the run and returns its directory.
pub fn save(samples: &[Sample], kept: &[Promise]) -> io::Result<PathBuf> {
    let bench = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    // Seconds are part of the name, so that no run replaces another one.
    let directory = bench.join("runs").join(format!(
        "{}-{}",
        line_of("date", &["-u", "+%Y-%m-%dT%H%M%S"]),
        machine()
    ));
    fs::create_dir_all(&directory)?;
    fs::write(directory.join("samples.csv"), csv(samples))?;
    let about = format!(
        "command   cargo run --release -p sweepline-bench -- {}\ncommit    {}\nmachine   {}\ncompiler  {}\npeer      {}\n\n{}\n{}",
        env::args().skip(1).collect::<Vec<_>>().join(" "),
        line_of("git", &["describe", "--always", "--dirty", "--abbrev=12"]),
        cpu(),
        line_of("rustc", &["--version"]),
        line_of("spin", &["-V"]),
        table::render(samples),
        promises::render(kept),
    );
    fs::write(directory.join("run.txt"), about)?;
    Ok(directory)
}

fn csv(samples: &[Sample]) -> String {
    let mut text = String::from(
        "case,states,explored,edges,layers,persistent,peak_states,peak_bytes,process_bytes,anonymous_bytes,cpu_seconds,system_seconds,wall_seconds,rounds\n",
    );
    for s in samples {
        let states = s
            .states
            .map_or_else(String::new, |states| states.to_string());
        let name = format!("\"{}\"", s.name);
        let rounds = s.rounds.iter();
        let rounds = rounds.map(|(round, seconds)| format!("{round}:{seconds:.3}"));
        let rounds = rounds.collect::<Vec<_>>().join(" ");
        let _ = writeln!(
            text,
            "{name},{states},{},{},{},{},{},{},{},{},{},{},{},{rounds}",
            s.explored,
            s.edges,
            s.layers,
            s.persistent,
            s.peak_states,
            s.peak_bytes,
            s.process_bytes,
            s.anonymous_bytes,
            s.cpu_seconds,
            s.system_seconds,
            s.wall_seconds
        );
    }
    text
}

/// The first line a program prints, or a dash.
fn line_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    text.lines()
        .find(|line| !line.trim().is_empty())
        .map_or_else(|| "-".into(), |line| line.trim().to_owned())
}

fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .unwrap_or(" : unknown");
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    format!(
        "{}, {cores} cores",
        model.trim_start_matches([' ', '\t', ':'])
    )
}

/// A short name of the machine for the directory.
fn machine() -> String {
    let words: String = cpu()
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let parts: Vec<&str> = words
        .split('-')
        .filter(|part| !part.is_empty())
        .take(4)
        .collect();
    parts.join("-")
}
