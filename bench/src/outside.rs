//! Programs measured from outside: time on the wall and of the processor, and the most memory the kernel has seen.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use serde::{Deserialize, Serialize};

/// What somebody outside sees of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Seen {
    /// Nothing if a signal ended it.
    pub exit: Option<i32>,
    /// How long it took.
    pub wall: Duration,
    /// The processor's time, of the user and of the system.
    pub cpu: Duration,
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
    let wall = started.elapsed();
    let (cpu, peak_bytes) = usage_of_children();
    let seen = Seen {
        exit: output.status.code(),
        wall,
        cpu,
        peak_bytes,
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
    };
    println!("{}", serde_json::to_string(&seen).ok()?);
    Some(ExitCode::SUCCESS)
}

fn usage_of_children() -> (Duration, u64) {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else {
        return (Duration::ZERO, 0);
    };
    let seconds =
        |time: TimeVal| Duration::from_micros(u64::try_from(time.num_microseconds()).unwrap_or(0));
    let cpu = seconds(usage.user_time()) + seconds(usage.system_time());
    (cpu, u64::try_from(usage.max_rss()).unwrap_or(0) * 1024)
}

/// The command line, which lies beside the benchmarks once it is built.
pub fn sweepline() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok()?.with_file_name("sweepline");
    beside.exists().then_some(beside)
}
