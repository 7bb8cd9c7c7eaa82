//! Names can be told apart on every terminal, and are whole everywhere else.

use std::fmt::Write;

use crate::{command, directory, on_terminal, shown_in, text};

/// Three reachability formulas whose names differ in the end only.
fn contest() -> tempfile::TempDir {
    let mut properties = String::new();
    for number in 0..3 {
        let _ = write!(
            properties,
            "<property><id>Philosophers-PT-000005-ReachabilityCardinality-2024-0{number}</id><formula>\
             <all-paths><globally><integer-le><tokens-count><place>e_{number}</place></tokens-count>\
             <integer-constant>1</integer-constant></integer-le></globally></all-paths></formula></property>"
        );
    }
    let net = std::fs::read_to_string(crate::models().join("philosophers.pnml"));
    directory(&[
        ("philosophers.pnml", &net.expect("it is there")),
        (
            "p.xml",
            &format!("<property-set>{properties}</property-set>"),
        ),
    ])
}

const ASK: [&str; 6] = [
    "check",
    "philosophers.pnml",
    "--property",
    "p.xml",
    "--progress",
    "none",
];

/// The lines with verdicts, and those that belong to them.
fn verdicts(out: &str) -> String {
    let lines = out.lines().skip_while(|line| !line.is_empty()).skip(1);
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join("\n")
}

#[test]
fn names_at_60_columns() {
    let directory = contest();
    insta::assert_snapshot!(verdicts(&on_terminal(60, directory.path(), &ASK)));
}

#[test]
fn names_at_80_columns() {
    let directory = contest();
    insta::assert_snapshot!(verdicts(&on_terminal(80, directory.path(), &ASK)));
}

#[test]
fn names_at_120_columns() {
    let directory = contest();
    insta::assert_snapshot!(verdicts(&on_terminal(120, directory.path(), &ASK)));
}

#[test]
fn names_are_whole_elsewhere() {
    let directory = contest();
    let whole = |out: &str| {
        for number in 0..3 {
            let name = format!("Philosophers-PT-000005-ReachabilityCardinality-2024-0{number}");
            assert!(out.contains(&name), "{out}");
        }
        assert!(!out.contains('…'), "{out}");
    };
    whole(&verdicts(&shown_in(&directory, &ASK)));
    let quiet = on_terminal(60, directory.path(), &[&ASK[..], &["-q"]].concat());
    assert_eq!(quiet.lines().count(), 3, "{quiet}");
    whole(&quiet);
    on_terminal(
        60,
        directory.path(),
        &[&ASK[..], &["-o", "out.txt"]].concat(),
    );
    let written = std::fs::read_to_string(directory.path().join("out.txt"));
    whole(&verdicts(&written.expect("it is written")));
}

/// Without headings, verdicts about several models would look alike.
#[test]
fn several_models_name_themselves() {
    let output = command(&[
        "check",
        "-q",
        "philosophers.pnml",
        "peterson.dve",
        "--deadlock",
    ]);
    let mut output = output;
    let out = text(&output.output().expect("it runs").stdout);
    assert_eq!(
        out,
        "philosophers.pnml\n  VIOLATED  deadlock  AG (not deadlock)\n\
         peterson.dve\n  holds     deadlock  AG (not deadlock)\n"
    );
}
