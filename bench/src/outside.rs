//! Programs measured from outside: time on the wall, and the most memory the kernel has seen.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// What somebody outside sees of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Seen {
    /// Nothing if a signal ended it.
    pub exit: Option<i32>,
    /// How long it took.
    pub wall: Duration,
    /// Resident memory at its peak.
    pub peak_bytes: u64,
    /// What it printed.
    pub output: String,
}

/// The flag that turns a benchmark into the parent of one process.
const WATCH: &str = "--watch";

/// Runs a program in a process whose only child it is, because the kernel tells the peak of all children together.
pub fn run(program: &Path, arguments: &[&str]) -> io::Result<Seen> {
    let output = Command::new(std::env::current_exe()?)
        .arg(WATCH)
        .arg(program)
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()?;
    serde_json::from_slice(&output.stdout).map_err(io::Error::other)
}

/// Does the work of the process that [`run`] starts, if this is it.
#[expect(clippy::print_stdout, reason = "this is how the parent is told")]
pub fn serve() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != WATCH {
        return None;
    }
    let started = Instant::now();
    let output = Command::new(arguments.next()?)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let seen = Seen {
        exit: output.status.code(),
        wall: started.elapsed(),
        peak_bytes: peak_of_children(),
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
    };
    println!("{}", serde_json::to_string(&seen).ok()?);
    Some(ExitCode::SUCCESS)
}

fn peak_of_children() -> u64 {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN);
    usage.map_or(0, |usage| {
        u64::try_from(usage.max_rss()).unwrap_or(0) * 1024
    })
}

/// The command line, which lies beside the benchmarks once it is built.
pub fn sweepline() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok()?.with_file_name("sweepline");
    beside.exists().then_some(beside)
}
