//! Same command, same output, whatever else the machine does:
//! `cargo build --release -p sweepline && cargo run --release -p sweepline-bench --bin determinism`
//!
//! Runs the command line on every model of the corpus with up to 300,000 states and on the models of the project, twice:
//! alone, and with four busy processes beside it. Exit codes, messages and JSON must be the same, except times and the
//! memory of the process. Prints one line for each difference and how many models were looked at; ends with 1 if
//! anything differs. The binary is the one beside this command unless `--binary PATH` names another one, and a part of a
//! name runs the models of that name only.

#![expect(clippy::print_stdout, reason = "a command prints its results")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use serde_json::Value;
use sweepline_bench::corpus;

/// Larger models take longer than they tell.
const MOST_STATES: u64 = 300_000;
/// Processes that keep the machine busy.
const BUSY: usize = 4;
/// What this command is called with to be one of them.
const BE_BUSY: &str = "--be-busy";
/// What each model is asked.
const COMMANDS: [&[&str]; 3] = [&["explore"], &["check"], &["explore", "--states", "5000"]];
/// Formats of the corpus that the command line reads.
const FORMATS: [&str; 3] = ["pnml", "dve", "aut"];
/// Endings of models of the project.
const ENDINGS: [&str; 5] = ["pnml", "dve", "lts", "ss", "network"];

/// What a command gave.
#[derive(PartialEq)]
struct Outcome {
    code: Option<i32>,
    record: Value,
    messages: String,
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == BE_BUSY) {
        be_busy();
    }
    let named = arguments.iter().position(|argument| argument == "--binary");
    let binary = match named {
        Some(at) if at + 1 < arguments.len() => {
            let path = arguments.remove(at + 1);
            arguments.remove(at);
            PathBuf::from(path)
        }
        _ => beside_this("sweepline"),
    };
    if !binary.is_file() {
        eprintln!(
            "no command line at {}: cargo build --release -p sweepline",
            binary.display()
        );
        return ExitCode::from(2);
    }
    let wanted = |path: &PathBuf| {
        let path = path.display().to_string();
        arguments.iter().all(|name| path.contains(name.as_str()))
    };
    let models: Vec<PathBuf> = models().into_iter().filter(wanted).collect();
    let alone = outcomes(&binary, &models);
    let busy = Busy::start();
    let beside = outcomes(&binary, &models);
    drop(busy);
    let mut differ = 0;
    for ((what, alone), (_, beside)) in alone.iter().zip(&beside) {
        if alone != beside {
            differ += 1;
            println!("{what}: {}", difference(alone, beside));
        }
    }
    println!(
        "{} models, {} commands each, {differ} differences",
        models.len(),
        COMMANDS.len()
    );
    ExitCode::from(u8::from(differ > 0))
}

/// An executable that was built into the same directory.
fn beside_this(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The models of the project and those of the corpus that are not too large.
fn models() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let files = std::fs::read_dir(own).into_iter().flatten().flatten();
    let readable = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ENDINGS.contains(&ending))
    };
    let mut models: Vec<PathBuf> = files.map(|file| file.path()).filter(readable).collect();
    models.sort();
    let Some(directory) = corpus::directory() else {
        eprintln!("no corpus: set SWEEPLINE_CORPUS to its directory");
        return models;
    };
    for format in FORMATS {
        let small = |case: &corpus::Case| case.states.is_some_and(|states| states <= MOST_STATES);
        let cases = corpus::cases(&directory, format).into_iter().filter(small);
        models.extend(cases.map(|case| directory.join(&case.files[0])));
    }
    models
}

/// What every command gives for every model.
fn outcomes(binary: &Path, models: &[PathBuf]) -> Vec<(String, Outcome)> {
    let pairs = models
        .iter()
        .flat_map(|model| COMMANDS.map(|command| (model, command)));
    let run = |(model, command): (&PathBuf, &[&str])| {
        let what = format!("{} {}", command.join(" "), model.display());
        (what, outcome(binary, command, model))
    };
    pairs.map(run).collect()
}

fn outcome(binary: &Path, command: &[&str], model: &Path) -> Outcome {
    let output = Command::new(binary)
        .args(command)
        .arg(model)
        .args(["--format", "json"])
        .stdin(Stdio::null())
        .output()
        .expect("the command line can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut record = serde_json::from_str(&text).unwrap_or_else(|_| text.into_owned().into());
    leave_out_times(&mut record);
    Outcome {
        code: output.status.code(),
        record,
        messages: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Removes what depends on the machine.
fn leave_out_times(record: &mut Value) {
    match record {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.ends_with("seconds") && name != "process_peak_bytes");
            fields.values_mut().for_each(leave_out_times);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_times),
        _ => {}
    }
}

/// The first thing in which two outcomes differ.
fn difference(alone: &Outcome, beside: &Outcome) -> String {
    if alone.code != beside.code {
        return format!("exit {:?} and {:?}", alone.code, beside.code);
    }
    if let (Value::Object(one), Value::Object(other)) = (&alone.record, &beside.record) {
        let differs = one
            .iter()
            .find(|(name, value)| other.get(*name) != Some(value));
        if let Some((name, value)) = differs {
            return format!(
                "{name}: {value} and {}",
                other.get(name).unwrap_or(&Value::Null)
            );
        }
    }
    if alone.messages == beside.messages {
        "other fields".into()
    } else {
        format!("messages: {} and {}", alone.messages, beside.messages)
    }
}

/// Processes that keep the machine busy until this is dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn start() -> Self {
        let own = std::env::current_exe().expect("this command is somewhere");
        let start = |_| {
            let mut command = Command::new(&own);
            let command = command.arg(BE_BUSY).stdin(Stdio::piped());
            command.spawn().expect("this command can be started again")
        };
        Self((0..BUSY).map(start).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Keeps a processor busy until standard input ends: also if whoever started this is killed.
fn be_busy() -> ! {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    loop {
        std::hint::spin_loop();
    }
}
