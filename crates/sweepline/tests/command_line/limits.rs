//! Limits: from the first moment on, and over everything that is done.

use serde_json::Value;

use crate::{exit_code, json, sweepline, text};

/// Plain search has no room here, and neither have the measures after it.
const LITTLE: [&str; 7] = [
    "explore",
    "stop-and-wait.lts",
    "--set",
    "N=500",
    "--memory",
    "300K",
    "--format=json",
];

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// What was explored before a restart was explored.
#[test]
fn figures_are_of_everything_that_was_done() {
    let record = json(&LITTLE);
    let changes = record["progress"]["changes"].as_array().expect("a list");
    let explored: Vec<u64> = changes
        .iter()
        .map(|change| number(&change["explored"]))
        .collect();
    assert!(explored.is_sorted_by(|a, b| a < b), "{explored:?}");
    let restarts = changes.iter().filter(|change| change["restarted"] == true);
    assert!(restarts.count() >= 2, "{changes:?}");
    assert!(number(&record["explored"]) > explored[explored.len() - 1]);
    assert!(number(&record["edges"]) > number(&record["explored"]));
    assert_eq!(changes[0]["from"]["source"], "none");
    assert_eq!(changes[0]["why"], "memory ran out");
    for (change, next) in changes.iter().zip(&changes[1..]) {
        assert_eq!(change["to"], next["from"]);
    }
    let last = &changes[changes.len() - 1]["to"];
    assert_eq!(last["rows"], record["progress"]["rows"]);
    for seconds in ["seconds", "load_seconds", "find_seconds"] {
        assert!(record[seconds].as_f64().expect("a time") > 0.0, "{seconds}");
    }
}

#[test]
fn a_restart_does_not_begin_to_count_again() {
    for states in [100, 20_000, 35_000, 60_000] {
        let limit = states.to_string();
        let record = json(&[&LITTLE[..], &["--states", &limit]].concat());
        assert_eq!(record["explored"], states);
        let reason = format!("the limit of {limit} states was reached");
        assert_eq!(record["reason"], reason.as_str());
    }
}

/// The second run is over at once; what the first one went through is not its measure.
#[test]
fn every_run_has_its_own_measure() {
    let directory = tempfile::tempdir().expect("a directory");
    let automaton = directory.path().join("automaton");
    std::fs::write(&automaton, "q\nbad\nq true r\nr\nbad\n").expect("it can be written");
    let record = json(&[
        "check",
        "stop-and-wait.lts",
        "--set",
        "N=500",
        "--memory",
        "1500K",
        "--invariant",
        "true or deadlock",
        "--safety-automaton",
        automaton.to_str().expect("a text"),
        "--format=json",
    ]);
    let progress = |index: usize| &record["properties"][index]["statistics"]["progress"];
    assert_eq!(progress(0)["source"], "auto");
    assert_eq!(progress(0)["changes"].as_array().map(Vec::len), Some(1));
    assert_eq!(progress(1)["source"], "none");
    assert_eq!(progress(1)["changes"], Value::Array(Vec::new()));
    assert_eq!(record["properties"][1]["statistics"]["method"], "full");
}

/// The same with no time at all.
fn late<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [args, &["--time", "0"]].concat()
}

/// No model is read when the time is over, and what was asked is not decided.
#[test]
fn time_includes_reading_the_model() {
    for model in [
        "philosophers.pnml",
        "peterson.dve",
        "philosophers.lts",
        "packet.ss",
    ] {
        let record = json(&late(&["explore", model, "--format", "json"]));
        assert_eq!(record["complete"], false, "{record}");
        assert_eq!(record["stopped"], "while reading the model");
        assert_eq!(record["reason"], "the time limit of 0 s was reached");
        for command in ["check", "explore", "compare", "progress"] {
            assert_eq!(exit_code(&late(&[command, model])), 3, "{command} {model}");
        }
    }
    let asked = [
        "check",
        "philosophers.pnml",
        "--deadlock",
        "--reach",
        "e_0 = 1",
    ];
    let record = json(&late(&[&asked[..], &["--format", "json"]].concat()));
    let verdicts: Vec<_> = record["properties"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|property| (&property["name"], &property["verdict"]))
        .collect();
    let unknown = Value::from("inconclusive");
    let (deadlock, reach) = ("deadlock".into(), "e_0 = 1".into());
    assert_eq!(verdicts, [(&deadlock, &unknown), (&reach, &unknown)]);
    let out = text(&sweepline(&late(&asked)).stdout);
    let message = "stopped while reading the model: the time limit of 0 s was reached";
    assert!(
        out.contains(message) && out.contains("unknown   deadlock"),
        "{out}"
    );
}

/// A question may be answered long before an assertion fails. Then nobody claims that it holds.
#[test]
fn assertions_that_were_not_checked_are_not_said_to_hold() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("late.dve");
    let path = file.to_str().expect("a text");
    let write = |limit: u32| {
        let program = format!(
            "byte n; process P {{ state a; init a; assert a: n < {limit}; \
             trans a -> a {{ guard n < 250; effect n = n + 1; }}; }} system async;"
        );
        std::fs::write(&file, program).expect("it can be written");
    };
    let asked = |goal: &str| {
        let record = json(&["check", path, "--reach", goal, "--format", "json"]);
        record["assertions"].clone()
    };
    write(200);
    assert_eq!(asked("n == 3"), "not fully checked");
    assert_eq!(asked("n == 225"), "violated");
    let out = text(&sweepline(&["check", path, "--reach", "n == 3"]).stdout);
    assert!(
        out.contains("assertions and run-time errors were not fully checked"),
        "{out}"
    );
    write(255);
    assert_eq!(asked("n == 300"), "hold");
    let out = text(&sweepline(&["explore", path]).stdout);
    assert!(!out.contains("not fully checked"), "{out}");
    let record = json(&["check", "philosophers.pnml", "--format", "json"]);
    assert_eq!(
        record["assertions"],
        Value::Null,
        "nothing of a net can fail"
    );
}

/// The verdict about an automaton that accepts when this holds, and its statistics.
fn watched(model: &[&str], bad: &str) -> (Value, Value) {
    let directory = tempfile::tempdir().expect("a directory");
    let automaton = directory.path().join("automaton");
    let text = format!("q\nbad\nq true q \"{bad}\" bad\nbad\n");
    std::fs::write(&automaton, text).expect("it can be written");
    let path = automaton.to_str().expect("a text");
    let flags = ["--safety-automaton", path, "--format", "json"];
    let record = json(&[&["check"], model, &flags].concat());
    let property = record["properties"][0].clone();
    (property["verdict"].clone(), property)
}

/// The place needs one bit at first and nine in the end.
#[test]
fn automata_follow_a_net_that_outgrows_its_bits() {
    let directory = tempfile::tempdir().expect("a directory");
    let net = directory.path().join("count.pnml");
    let text = "<pnml><net id='n' type='P/T net'><page id='g'><place id='p'/><transition id='t'/>\
                <place id='q'><initialMarking><text>300</text></initialMarking></place>\
                <arc id='a' source='q' target='t'/><arc id='b' source='t' target='p'/>\
                </page></net></pnml>";
    std::fs::write(&net, text).expect("it can be written");
    let path = net.to_str().expect("a text");
    for progress in ["none", "auto", "p"] {
        let model = [path, "--progress", progress];
        let (verdict, property) = watched(&model, "p >= 250");
        assert_eq!(verdict, "violated", "{progress}");
        let steps = property["trace"]["steps"].as_array().expect("a list");
        assert_eq!(steps.len(), 250, "{progress}");
        assert_eq!(steps[249]["state"]["p"], 250, "{progress}");
        assert_eq!(watched(&model, "p > 300").0, "holds", "{progress}");
    }
}

/// Memory runs out, and the product goes on with a measure or gives up; it is never wrong.
#[test]
fn automata_go_on_when_memory_runs_out() {
    for (memory, bad, expected) in [
        ("300K", "SENDER == 5000", "inconclusive"),
        ("1500K", "SENDER == 5000", "holds"),
        ("1500K", "SENDER == 1999", "violated"),
    ] {
        let model = ["stop-and-wait.lts", "--set", "N=500", "--memory", memory];
        let (verdict, property) = watched(&model, bad);
        assert_eq!(verdict, expected, "{memory} {bad}");
        let changes = &property["statistics"]["progress"]["changes"];
        assert_ne!(changes, &Value::Array(Vec::new()), "{memory} {bad}");
        assert_eq!(property["trace"].is_null(), verdict != "violated");
    }
}

/// Where not even the first state fits, nothing is known: neither of states nor of runs.
#[test]
fn nothing_is_concluded_from_nothing() {
    for memory in ["1", "64", "300"] {
        for asked in [
            &["--ltl", "G th_0 == 1"][..],
            &["--ltl", "F th_0 == 0"],
            &["--ctl", "AG th_0 == 1"],
            &["--examination", "Liveness"],
            &["--home-state"],
            &["--deadlock"],
        ] {
            let args = [&["check", "philosophers.pnml", "--memory", memory], asked].concat();
            assert_eq!(exit_code(&args), 3, "{args:?}");
        }
    }
}
