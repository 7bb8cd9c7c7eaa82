//! Input that is meant for the terminal, or for nobody.

use std::path::PathBuf;

use crate::{sweepline, text};

/// A file with this text, in a directory that must be kept.
fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join(name);
    std::fs::write(&file, text).expect("it can be written");
    (directory, file)
}

/// One diagnostic of a reasonable size, exit 2, no panic.
fn refused(name: &str, contents: &str) -> String {
    let (_directory, file) = file(name, contents);
    let output = sweepline(&["explore", file.to_str().expect("a text")]);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{name}: {err}");
    assert!(!err.contains("panicked"), "{name}: {err}");
    assert!(err.len() < 6000, "{name}: {} bytes", err.len());
    let widest = err.lines().map(|line| line.chars().count()).max();
    assert!(widest < Some(400), "{name}: {err}");
    err
}

#[test]
fn long_lines_are_shown_in_part() {
    for columns in [150, 1000, 65_400, 65_600, 1_000_000] {
        let spaces = " ".repeat(columns);
        let end = format!("byte x;{spaces}byt y; process P {{ state a; init a; }} system async;");
        let err = refused("model.dve", &end);
        assert!(err.contains("byt y;"), "{err}");
        assert!(
            err.contains(&format!("model.dve:1:{}", columns + 8)),
            "{err}"
        );
        let before =
            format!("byte x; // {spaces}\nbyt y; process P {{ state a; init a; }} system async;\n");
        let err = refused("model.dve", &before);
        assert!(
            err.contains("byt y;") && err.contains("model.dve:2:1"),
            "{err}"
        );
        let name = "n".repeat(columns);
        refused("model.lts", &format!("P = (a -> {name})."));
        refused(
            "model.lts",
            &format!("P = (a -> {name}), Q = (b -> P), Q = (c -> P)."),
        );
        refused("model.aut", &format!("des (0, 1, 2)\n(0, \"{name}\", 1"));
        refused("model.ss", &format!("1 0 0 {name} 2"));
    }
}

#[test]
fn many_mistakes_are_shown_in_part() {
    let lines = "byt x;\n".repeat(1000);
    let (_directory, file) = file("model.dve", &lines);
    let output = sweepline(&["explore", file.to_str().expect("a text")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        output.stderr.len() < 60_000,
        "{} bytes",
        output.stderr.len()
    );
}

/// Escape sequences that clear the screen, colour, and turn the direction of text.
const EVIL: &str = "a\u{1b}[2J\u{9b}31m\u{202e}b";

fn is_harmless(shown: &str) -> bool {
    !shown.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\r', '\u{7}'])
}

#[test]
fn names_do_not_reach_the_terminal_as_they_are() {
    let model = format!("des (0, 2, 2)\n(0, \"{EVIL}\", 1)\n(0, \"c\", 0)\n");
    let (_directory, model) = file("model.aut", &model);
    let path = model.to_str().expect("a text");
    for args in [
        vec!["check", path],
        vec!["check", path, "-v"],
        vec![
            "check",
            path,
            "--invariant",
            &format!("not fireable(\"{EVIL}\")"),
        ],
        vec!["explore", path],
        vec!["progress", path],
        vec!["progress", path, "--explain", EVIL],
        vec!["compare", path],
        vec!["check", path, "--reach", EVIL],
        vec!["check", &format!("{path}{EVIL}")],
    ] {
        let output = sweepline(&args);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(
            is_harmless(&out) && is_harmless(&err),
            "{args:?}: {out}{err}"
        );
    }
    let out = text(&sweepline(&["check", path]).stdout);
    assert!(out.contains("a\\u{1b}[2J\\u{9b}31m"), "{out}");
}

#[test]
fn sources_do_not_reach_the_terminal_as_they_are() {
    for (name, contents) in [
        ("model.dve", format!("byte x; // {EVIL}\rhidden\nbyt y;")),
        ("model.lts", format!("P = (a -> \"{EVIL}\" -> ).")),
        ("model.aut", format!("des (0, 1, 2)\n(0, \"{EVIL}\", 1\n")),
        ("model.ss", format!("1 0 0 {EVIL} 2\n")),
        (
            "model.pnml",
            format!("<pnml><net id='n' type='{EVIL}'/></pnml>"),
        ),
    ] {
        let err = refused(name, &contents);
        assert!(is_harmless(&err), "{name}: {err:?}");
    }
}

/// What is longer than any column may be is printed all the same.
#[test]
fn formulas_of_any_length_are_listed() {
    let formula = format!("th_0{} >= 0", " ".repeat(70_000));
    let output = sweepline(&["check", "philosophers.pnml", "--invariant", &formula]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("holds"));
}
