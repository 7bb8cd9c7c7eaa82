//! What the command line prints, where it prints it, and how it exits.

mod assertions;
mod branching;
mod coloured;
mod deadlocks;
mod fair_choice;
mod fluents;
mod graphs;
mod hostile;
mod inputs;
mod limits;
mod liveness;
mod local;
mod lost;
mod measures;
mod names;
mod outputs;
mod reduction;
mod terminal;
mod traces;
mod unanswered;
mod verdicts;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn sweepline(args: &[&str]) -> Output {
    let output = command(args).output();
    output.expect("the command line runs")
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sweepline"));
    command
        .current_dir(models())
        .args(args)
        .env_remove("NO_COLOR")
        .stdin(Stdio::null());
    command
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// Exit code, standard output and standard error as one text, with what differs from run to run blanked.
fn shown(args: &[&str]) -> String {
    shown_by(&mut command(args), args)
}

fn shown_by(command: &mut Command, args: &[&str]) -> String {
    let output = command.output().expect("the command line runs");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let code = output
        .status
        .code()
        .map_or_else(|| "signal".into(), |code| code.to_string());
    let mut shown = format!("$ sweepline {}\n{}", args.join(" "), redacted(&out));
    if !err.is_empty() {
        shown.push_str("--- stderr\n");
        shown.push_str(&err);
    }
    shown + &format!("--- exit {code}\n")
}

/// What is printed on a terminal of so many columns. `script` makes the terminal.
fn on_terminal(columns: usize, directory: &Path, args: &[&str]) -> String {
    let quoted = |arg: &str| format!("'{}'", arg.replace('\'', "'\\''"));
    let args: Vec<String> = args.iter().map(|arg| quoted(arg)).collect();
    let binary = quoted(env!("CARGO_BIN_EXE_sweepline"));
    let run = format!(
        "stty cols {columns}; {binary} {} 2> /dev/null",
        args.join(" ")
    );
    let output = Command::new("script")
        .current_dir(directory)
        .args(["-qec", &run, "/dev/null"])
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .expect("`script` is there");
    redacted(&text(&output.stdout).replace('\r', ""))
}

/// A directory with these files, which must be kept.
fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).expect("it can be written");
    }
    directory
}

/// Like [`shown`], in another directory.
fn shown_in(directory: &tempfile::TempDir, args: &[&str]) -> String {
    shown_by(command(args).current_dir(directory.path()), args)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Blanks times, rates and sizes of memory.
fn redacted(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        for field in ["time ", "rate ", "peak memory ", "  memory  ", "prepared "] {
            if let Some(at) = line.find(field) {
                line.truncate(at + field.len());
                line += "[…]";
            }
        }
        // This figure stands above those, which are as wide as they are.
        if let Some((before, peak)) = line.split_once("peak states ") {
            line = format!("{before}peak states {}", peak.trim_start());
        }
        out += &line;
        out.push('\n');
    }
    out
}

/// Whether interrupts are ignored here, as shells have it for what runs in the background, and so by all programs that are started.
fn ignores_interrupts() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    ignored.is_some_and(|bits| bits & 1 << 1 != 0)
}

fn exit_code(args: &[&str]) -> i32 {
    sweepline(args).status.code().expect("it exits")
}

fn json(args: &[&str]) -> Value {
    let output = sweepline(args);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stdout)))
}

/// The figures of an exploration.
fn figures(args: &[&str], names: [&str; 3]) -> [Option<u64>; 3] {
    let record = json(&[&["explore"], args, &["--format", "json"]].concat());
    names.map(|name| record[name].as_u64())
}
