//! A program with a model of its own has the whole command line.
//!
//! There is no harness: the program that is tested is this one, started again with arguments.

#![expect(clippy::unwrap_used, reason = "a test without a harness")]

use std::process::{Command, ExitCode};

use sweepline::model::zoo::stop_and_wait::StopAndWait;

/// The arguments that make this program the one that is tested.
const COMMANDS: [&str; 5] = ["check", "explore", "compare", "progress", "man"];

fn main() -> ExitCode {
    let first = std::env::args().nth(1);
    if first.is_some_and(|first| COMMANDS.contains(&first.as_str())) {
        return sweepline::main(StopAndWait { packets: 20 });
    }
    explores();
    checks_slots();
    finds_measures();
    refuses_what_it_cannot_read();
    ExitCode::SUCCESS
}

/// Runs this program; says how it ended, and what it printed on both channels.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).args(arguments).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn explores() {
    let (code, text, _) = run(&["explore", "--method", "full", "--format", "json"]);
    assert_eq!(code, Some(0), "{text}");
    let figures: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(figures["states"], 271 * 20 - 134);
    assert_eq!(figures["model"], "StopAndWait");
    assert_eq!(figures["format"], "rust");
}

fn checks_slots() {
    let (code, text, _) = run(&["check", "--invariant", "current <= 21"]);
    assert_eq!(code, Some(0), "{text}");
    let (code, text, _) = run(&["check", "--invariant", "expected < 3"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("Accept"), "actions have names: {text}");
    let (code, ..) = run(&["check"]);
    assert_eq!(
        code,
        Some(1),
        "the protocol ends, and says nowhere that it may"
    );
}

fn finds_measures() {
    let (code, text, _) = run(&["progress"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("current + expected"), "{text}");
    let (code, text, _) = run(&["compare"]);
    assert_eq!(code, Some(0), "{text}");
}

fn refuses_what_it_cannot_read() {
    let (code, _, trouble) = run(&["check", "--invariant", "curent <= 21"]);
    assert_eq!(code, Some(2), "{trouble}");
    assert!(trouble.contains("did you mean `current`"), "{trouble}");
}
