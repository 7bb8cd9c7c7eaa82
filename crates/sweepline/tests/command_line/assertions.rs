//! Assertions and run-time errors are answers like others: with a name, a trace, in JSON and in files.

use serde_json::Value;

use crate::{command, directory, shown_in, text};

/// A message goes round, and the third one breaks an assertion.
const RING: &str = "byte n;
channel {byte, int} c[2];
channel {byte} d;
process P {
  state idle, busy;
  init idle;
  assert idle: n < 3,
         busy: n < 9;
  trans
    idle -> busy { guard n < 5; sync c!{n, 7}; effect n = n + 1; },
    busy -> idle { sync d!n + 1; };
}
process Q {
  byte x, y;
  state q, r;
  init q;
  trans
    q -> r { sync c?{x, y}; },
    r -> q { sync d?x; };
}
system async;
";

/// Counts until a byte is too small.
const COUNTER: &str = "byte n;
process P {
  state s;
  init s;
  trans
    s -> s { effect n = n + 100; };
}
system async;
";

fn json_in(directory: &tempfile::TempDir, args: &[&str]) -> Value {
    let output = command(args).current_dir(directory.path()).output();
    let output = output.expect("it runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stdout)))
}

/// The name, kind, verdict and reason of every property.
fn verdicts(record: &Value) -> Vec<[String; 4]> {
    let properties = record["properties"].as_array().expect("a list");
    let field = |property: &Value, name: &str| property[name].as_str().unwrap_or("").to_owned();
    properties
        .iter()
        .map(|property| ["name", "kind", "verdict", "reason"].map(|name| field(property, name)))
        .collect()
}

#[test]
fn a_violated_assertion_is_a_violated_property() {
    let directory = directory(&[("ring.dve", RING)]);
    insta::assert_snapshot!(shown_in(
        &directory,
        &["check", "ring.dve", "--method", "full"]
    ));
}

#[test]
fn it_is_one_in_json_and_its_trace_is_written() {
    let directory = directory(&[("ring.dve", RING)]);
    let args = [
        "check",
        "ring.dve",
        "--format",
        "json",
        "--trace-out",
        "trace.json",
    ];
    let record = json_in(&directory, &args);
    let ended = "the search ended at a violated assertion: ring.dve:7";
    assert_eq!(
        verdicts(&record),
        [
            ["deadlock", "deadlock", "inconclusive", ended],
            ["ring.dve:7", "assertion", "violated", ""],
        ]
    );
    assert_eq!(record["assertions"], "violated");
    let violated = &record["properties"][1];
    assert_eq!(violated["formula"], "assert P.idle: n < 3");
    let steps = violated["trace"]["steps"].as_array().expect("a list");
    assert_eq!(steps.len(), 9);
    assert_eq!(steps[8]["action"], "P: busy -> idle, d!4, Q: r -> q");
    assert_eq!(steps[8]["lines"], serde_json::json!([11, 19]));
    assert_eq!(steps[0]["state"]["c"], serde_json::json!([[0, 7]]));
    let written = std::fs::read_to_string(directory.path().join("trace.json"));
    let written: Value = serde_json::from_str(&written.expect("it is written")).expect("JSON");
    assert_eq!(&written, &violated["trace"]);
}

/// What is violated where an assertion is violated, too, is said to be. What is open stays open.
#[test]
fn the_last_state_of_the_trace_is_asked_too() {
    let directory = directory(&[("ring.dve", RING)]);
    let args = [
        "check",
        "ring.dve",
        "--format",
        "json",
        "--invariant",
        "n < 3 or P.busy",
        "--invariant",
        "n < 9",
        "--invariant",
        "not deadlock",
        "--reach",
        "Q.x == 4",
        "--reach",
        "n == 2",
    ];
    for method in ["full", "caching", "sweep"] {
        let record = json_in(&directory, &[&args[..], &["--method", method]].concat());
        let found: Vec<String> = verdicts(&record)
            .into_iter()
            .map(|[_, _, verdict, _]| verdict)
            .collect();
        let expected = [
            "violated",
            "inconclusive",
            "inconclusive",
            "holds",
            "holds",
            "violated",
        ];
        assert_eq!(found, expected, "{method}");
        for shown in [0, 3] {
            let trace = &record["properties"][shown]["trace"]["steps"];
            assert_eq!(trace.as_array().map(Vec::len), Some(9), "{method}");
        }
    }
}

/// A state whose steps are not known is no deadlock.
#[test]
fn where_an_assertion_is_violated_nothing_is_said_of_deadlocks() {
    let stuck = "byte n; process P { state s; init s; assert s: n == 1; } system async;";
    let directory = directory(&[("stuck.dve", stuck), ("now.txt", "deadlock\n")]);
    let asked = ["--deadlock", "--reach", "deadlock", "--property", "now.txt"];
    let args = [&["check", "stuck.dve", "--format", "json"], &asked[..]].concat();
    for [name, _, verdict, _] in &verdicts(&json_in(&directory, &args))[..3] {
        assert_eq!(verdict, "inconclusive", "{name}");
    }
}

#[test]
fn errors_of_the_model_are_called_that() {
    let directory = directory(&[("counter.dve", COUNTER)]);
    let args = ["check", "counter.dve", "--method", "full"];
    insta::assert_snapshot!(shown_in(&directory, &args));
    let record = json_in(&directory, &[&args[..], &["--format", "json"]].concat());
    let [_, [name, kind, verdict, _]] = &verdicts(&record)[..] else {
        panic!("{record}");
    };
    assert_eq!(
        [name, kind, verdict],
        ["counter.dve:6", "error", "violated"]
    );
    assert_eq!(
        record["properties"][1]["trace"]["steps"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

/// The line of an assertion that has no value is that of the assertion.
#[test]
fn an_assertion_without_a_value_is_an_error_of_the_model() {
    let program = "byte n;\nprocess P { state s; init s;\nassert s: 1 / n == 1;\n} system async;";
    let directory = directory(&[("zero.dve", program)]);
    let record = json_in(&directory, &["check", "zero.dve", "--format", "json"]);
    let [_, [name, kind, verdict, _]] = &verdicts(&record)[..] else {
        panic!("{record}");
    };
    assert_eq!([name, kind, verdict], ["zero.dve:3", "error", "violated"]);
    assert_eq!(
        record["properties"][1]["formula"],
        "division by zero in assert P.s: 1 / n == 1"
    );
}

#[test]
fn explorations_tell_them_too() {
    let directory = directory(&[("ring.dve", RING)]);
    let record = json_in(&directory, &["explore", "ring.dve", "--format", "json"]);
    assert_eq!(record["complete"], false);
    let [[name, kind, verdict, _]] = &verdicts(&record)[..] else {
        panic!("{record}");
    };
    assert_eq!(
        [name, kind, verdict],
        ["ring.dve:7", "assertion", "violated"]
    );
    assert!(record["properties"][0]["trace"]["steps"].is_array());
}

#[test]
fn what_is_not_exported_has_a_true_reason() {
    let directory = directory(&[("ring.dve", RING), ("counter.dve", COUNTER)]);
    let refused = |model: &str| {
        let args = ["explore", model, "--export", "out.aut"];
        let output = command(&args).current_dir(directory.path()).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(!directory.path().join("out.aut").exists());
        let words: Vec<String> = text(&output.stderr)
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        words.join(" ").replace("│ ", "")
    };
    let reason = refused("ring.dve");
    assert!(
        reason.contains("the search ended at a violated assertion: ring.dve:7"),
        "{reason}"
    );
    assert!(!reason.contains("raise the limits"), "{reason}");
    let reason = refused("counter.dve");
    assert!(reason.contains("`n` would become 300"), "{reason}");
    assert!(reason.contains("--errors count"), "{reason}");
    // What it recommends works.
    let args = [
        "explore",
        "counter.dve",
        "--export",
        "out.aut",
        "--errors",
        "count",
    ];
    let shown = shown_in(&directory, &args);
    assert!(shown.ends_with("--- exit 0\n"), "{shown}");
    assert!(shown.contains("count one error state more"), "{shown}");
}

/// Whether runs are looked at one way or another: an assertion that does not hold on the way is told, and nothing is made of the
/// state in which it does not.
#[test]
fn assertions_are_told_whatever_is_asked_about_runs() {
    let waits = "byte x;
process P { state a, b; init a; assert b: x == 1; trans a -> b {}, b -> a {}; }
process Q { state c, d; init c; trans c -> d {}, d -> c {}; }
system async;
";
    let directory = directory(&[("waits.dve", waits)]);
    for emptiness in ["links", "product", "thesis"] {
        for reduce in ["none", "stubborn"] {
            for formula in ["G (x == 0)", "G F P.a"] {
                let args = [
                    "check",
                    "waits.dve",
                    "--ltl",
                    formula,
                    "--emptiness",
                    emptiness,
                    "--reduce",
                    reduce,
                    "--format=json",
                ];
                let output = command(&args).current_dir(directory.path()).output();
                let output = output.expect("it runs");
                let said = text(&output.stderr) + &text(&output.stdout);
                let record: Value = serde_json::from_slice(&output.stdout).expect(&said);
                let verdicts = verdicts(&record);
                let [name, kind, verdict, reason] = &verdicts[0];
                assert_eq!([name, kind], [formula, "ltl"], "{args:?}");
                if verdict == "inconclusive" {
                    let told = ["assert P.b: x == 1", "waits.dve:2"];
                    let is_told = told.iter().any(|it| reason.contains(it));
                    assert!(is_told, "{args:?}: {reason}");
                    let own = verdicts.get(1).expect("the assertion is told");
                    assert_eq!(own[..3], ["waits.dve:2", "assertion", "violated"]);
                } else {
                    // A run that never gets there decides it.
                    assert_eq!([&**verdict, formula], ["violated", "G F P.a"], "{args:?}");
                }
                assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
            }
        }
    }
}
