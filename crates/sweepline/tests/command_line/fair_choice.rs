//! Progress properties of FSP models.

use crate::{command, directory, shown_in, text};

/// Readers that never let a writer in, if writers give way to everybody else.
const DATABASE: &str = "READER = (read -> rest -> READER).
WRITER = (write -> WRITER).
LOCK = (read -> LOCK | write -> LOCK).
||DATABASE = (READER || WRITER || LOCK)GIVING.
progress READ = {read}
progress WRITE = {write}
progress IF = if {read} then {write}
";

#[test]
fn who_gives_way_starves() {
    let polite = DATABASE.replace("GIVING", " >> {write}");
    let files = [
        ("polite.lts", polite),
        ("equal.lts", DATABASE.replace("GIVING", "")),
    ];
    let directory = directory(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    insta::assert_snapshot!(shown_in(&directory, &["check", "polite.lts", "-q"]));
    insta::assert_snapshot!(shown_in(&directory, &["check", "equal.lts", "-q"]));
    let args = ["check", "polite.lts", "--format", "json"];
    let output = command(&args).current_dir(directory.path()).output();
    let record: serde_json::Value =
        serde_json::from_str(&text(&output.expect("it runs").stdout)).expect("it is JSON");
    let write = &record["properties"][2];
    assert_eq!(write["kind"], "progress");
    assert_eq!(
        write["remark"],
        "the 2 states of the terminal component do {read, rest}"
    );
    assert_eq!(write["trace"]["loop"], 0);
}

#[test]
fn a_deadlock_violates_what_should_recur() {
    let processes = "P = (a -> b -> STOP | c -> P).
Q = (hidden -> Q)\\{hidden}.
||S = P.
||T = (P || Q).
progress C = {c}
progress IF = if {c} then {a}
";
    let directory = directory(&[("p.lts", processes)]);
    let args = ["check", "p.lts", "--composition", "S", "-q"];
    insta::assert_snapshot!(shown_in(&directory, &args));
    // Internal steps are possible for ever, and have no label.
    insta::assert_snapshot!(shown_in(&directory, &["check", "p.lts", "-q"]));
    let args = ["check", "p.lts", "-q", "--method", "caching"];
    insta::assert_snapshot!(shown_in(&directory, &args));
}
