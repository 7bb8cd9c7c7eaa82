//! Traces in the words of the model, however long they are.

use serde_json::Value;

use crate::{command, directory, on_terminal, shown_in, text};

/// Messages with values through a buffer and between two processes.
const POST: &str = "channel {byte} box[3];
channel {byte, byte} counter;
process Customer_with_a_long_name {
  byte letter = 1;
  state home, post_office;
  init home;
  trans
    home -> home { guard letter < 3; sync box!letter; effect letter = letter + 1; },
    home -> post_office { guard letter == 3; sync counter!{letter, 9}; };
}
process Clerk_with_a_long_name {
  byte taken, weight;
  state waiting, busy;
  init waiting;
  trans
    waiting -> busy { sync counter?{taken, weight}; },
    busy -> busy { sync box?taken; };
}
system async;
";

const ASK: [&str; 6] = [
    "check",
    "post.dve",
    "--progress",
    "none",
    "--reach",
    "Clerk_with_a_long_name.taken == 2",
];

fn trace(out: &str) -> &str {
    out.find("witness").map_or(out, |at| &out[at..])
}

#[test]
fn traces_at_60_columns() {
    let directory = directory(&[("post.dve", POST)]);
    insta::assert_snapshot!(trace(&on_terminal(60, directory.path(), &ASK)));
}

#[test]
fn traces_at_80_columns() {
    let directory = directory(&[("post.dve", POST)]);
    insta::assert_snapshot!(trace(&on_terminal(80, directory.path(), &ASK)));
    // On a pipe it is the same.
    assert!(
        shown_in(&directory, &ASK)
            .contains(trace(&on_terminal(80, directory.path(), &ASK)).trim_end())
    );
}

#[test]
fn traces_at_120_columns() {
    let directory = directory(&[("post.dve", POST)]);
    insta::assert_snapshot!(trace(&on_terminal(120, directory.path(), &ASK)));
}

/// A trace of 10,000 steps over 300 slots.
#[test]
fn long_traces_of_large_states_stay_small() {
    let model = "int n; byte a[299];
process P { state s; init s; trans s -> s { guard n < 10000; effect a[n % 299] = n % 256, n = n + 1; }; }
system async;";
    let directory = directory(&[("long.dve", model)]);
    let run = |more: &[&str]| {
        let asked = [
            "check",
            "long.dve",
            "--invariant",
            "n < 10000",
            "--trace-out",
            "t.json",
        ];
        let args = [&asked[..], more].concat();
        let output = command(&args).current_dir(directory.path()).output();
        text(&output.expect("it runs").stdout)
    };
    let out = run(&[]);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines.len() < 10_100, "{} lines", lines.len());
    assert!(lines.iter().all(|line| line.len() <= 90), "{}", lines.len());
    let last = lines.last().expect("a line");
    assert!(
        last.contains("10000") && last.contains("n = 10000"),
        "{last}"
    );
    let written = std::fs::read_to_string(directory.path().join("t.json"));
    let written = written.expect("it is written");
    assert!(written.len() < 4_000_000, "{}", written.len());
    let record: Value = serde_json::from_str(&run(&["--format", "json"])).expect("JSON");
    let trace = &record["properties"][0]["trace"];
    let steps = trace["steps"].as_array().expect("a list");
    assert_eq!(steps.len(), 10_000);
    assert_eq!(
        trace["initial"].as_object().map(serde_json::Map::len),
        Some(301)
    );
    let changed = |step: &Value| step["state"].as_object().map_or(0, serde_json::Map::len);
    assert!(steps.iter().all(|step| changed(step) <= 2));
}

/// Parameters of compositions are set by name or by position, and instances are called as they are written.
#[test]
fn fsp_parameters_and_instances() {
    let diners = "FORK = (get -> put -> FORK).
PHIL = (sit -> right.get -> left.get -> left.put -> right.put -> PHIL).
||DINERS(N = 2) = forall[i:0..N-1] (phil[i]:PHIL || {phil[i].left, phil[((i-1)+N)%N].right}::FORK).
||ONE(N = 1, M = 2) = forall[i:0..N*M-1] phil[i]:PHIL.
";
    let directory = directory(&[("diners.lts", diners)]);
    let states = |more: &[&str]| {
        let args = [&["explore", "diners.lts", "--format", "json"], more].concat();
        let output = command(&args).current_dir(directory.path()).output();
        let output = output.expect("it runs");
        let record: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        record["states"].as_u64()
    };
    let three = states(&["--composition", "DINERS(3)"]);
    assert!(three > states(&["--composition", "DINERS"]));
    assert_eq!(states(&["--composition", "DINERS", "--set", "N=3"]), three);
    assert_eq!(states(&["--composition", "ONE"]), Some(25));
    assert_eq!(states(&["--set", "M=3"]), Some(125));
    assert_eq!(
        states(&["--composition", "ONE(2)", "--set", "M=1"]),
        Some(25)
    );
    assert_eq!(
        states(&["--composition", "ONE(2, 1)", "--set", "M=9"]),
        Some(25)
    );
    for wrong in ["ONE(1, 2, 3)", "ONE(", "ONE(x)", "TWO(1)"] {
        assert_eq!(states(&["--composition", wrong]), None, "{wrong}");
    }
    assert_eq!(states(&["--composition", "DINERS", "--set", "M=3"]), None);
    let out = shown_in(
        &directory,
        &["check", "diners.lts", "--composition", "DINERS(2)"],
    );
    assert!(
        out.contains("{phil[0].left,phil[1].right}::FORK = FORK"),
        "{out}"
    );
    assert!(!out.contains('#'), "{out}");
}

/// Comments mark proper ends; other tools skip them.
#[test]
fn proper_ends_of_programs_are_no_deadlocks() {
    let model = |comment: &str| {
        format!(
            "const byte N = 3; byte n;\nprocess P {{ state s, t; init s; trans s -> s {{ guard n < N; effect n = n + 1; }}, \
             s -> t {{ guard n == 1; }}; }}\n{comment}\nsystem async;"
        )
    };
    let check = |comment: &str| {
        let directory = directory(&[("m.dve", &model(comment))]);
        let args = ["check", "m.dve", "-q"];
        let output = command(&args).current_dir(directory.path()).output();
        output.expect("it runs").status.code()
    };
    assert_eq!(check(""), Some(1));
    assert_eq!(check("// sweepline: end n == N"), Some(1));
    assert_eq!(check("// sweepline: end P.t or n == N"), Some(0));
    assert_eq!(
        check("/* sweepline: end n == N */ // sweepline: end P.t"),
        Some(1)
    );
    assert_eq!(
        check("// sweepline: end n == N\n// sweepline: end P.t"),
        Some(0)
    );
    assert_eq!(
        check("// sweepline: progress n\n// sweepline: end true"),
        Some(0)
    );
    for wrong in ["end m == N", "end", "end n ==", "ends n"] {
        assert_eq!(check(&format!("// sweepline: {wrong}")), Some(2), "{wrong}");
    }
}
