//! The invariants of `ARCHITECTURE.md` that can be read off the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// The sources of all crates, without their tests.
fn sources() -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut waiting: Vec<PathBuf> = entries(&crates)
        .map(|directory| directory.join("src"))
        .collect();
    let mut sources = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(entries(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source is text");
            sources.push((path, text));
        }
    }
    assert!(sources.len() > 200, "there are many sources");
    sources
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(directory).expect("a directory of the project");
    entries.map(|entry| entry.expect("an entry").path())
}

/// The lines of code with one of these words, outside the files that may have them. Code ends where unit tests begin.
fn lines_with(words: &[&str], allowed: &[&str]) -> Vec<String> {
    let is_allowed = |path: &Path| {
        let path = path.to_string_lossy();
        allowed.iter().any(|part| path.contains(part)) || path.ends_with("tests.rs")
    };
    let mut found = Vec::new();
    for (path, text) in sources().iter().filter(|(path, _)| !is_allowed(path)) {
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
        let lines = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let lines = lines.filter(|line| words.iter().any(|word| line.contains(word)));
        found.extend(lines.map(|line| format!("{}: {line}", path.display())));
    }
    found
}

const COMMAND_LINE: &str = "/sweepline/src/";

#[test]
fn nothing_below_the_command_line_prints_exits_or_reads_the_environment() {
    let words = [
        "println!(",
        "print!(",
        "dbg!(",
        "process::exit",
        "env::var",
        "env::args",
        "io::stdout()",
        "io::stderr()",
    ];
    assert_eq!(lines_with(&words, &[COMMAND_LINE]), [""; 0]);
    assert!(!lines_with(&words, &[]).is_empty(), "the command line does");
}

#[test]
fn serialised_formats_lie_in_one_place() {
    let record = "/sweepline-session/src/record";
    assert_eq!(
        lines_with(&["Serialize)]", "serde_json::json!"], &[record]),
        [""; 0]
    );
    assert!(!lines_with(&["Serialize)]"], &[]).is_empty());
}

#[test]
fn unsafe_code_lies_in_two_files() {
    let allowed = [
        "sweepline-explore/src/memory.rs",
        "sweepline-program/src/jit/native.rs",
    ];
    let words = ["unsafe {", "unsafe fn", "unsafe impl"];
    assert_eq!(lines_with(&words, &allowed), [""; 0]);
}
