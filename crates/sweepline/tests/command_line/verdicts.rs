//! Verdicts, limits and exit codes.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{command, exit_code, figures, ignores_interrupts, json, shown, sweepline, text};

#[test]
fn a_violation_comes_with_its_trace() {
    insta::assert_snapshot!(shown(&["check", "philosophers.pnml", "--deadlock"]));
}

#[test]
fn properties_beside_the_model_are_found() {
    insta::assert_snapshot!(shown(&["check", "stop-and-wait.pnml"]));
}

#[test]
fn explore_counts() {
    insta::assert_snapshot!(shown(&["explore", "packet.ss", "--progress", "progress"]));
}

#[test]
fn usage_errors_exit_with_2() {
    for args in [
        &["check"][..],
        &["chek"],
        &["check", "packet.ss", "--memory", "lots"],
        &["explore", "packet.ss", "--coarsen", "0"],
    ] {
        assert_eq!(exit_code(args), 2, "{args:?}");
    }
}

#[test]
fn exit_codes_tell_the_verdict() {
    assert_eq!(
        exit_code(&["check", "philosophers.pnml", "--reach", "e_0 = 1"]),
        0
    );
    assert_eq!(exit_code(&["check", "philosophers.pnml", "--deadlock"]), 1);
    assert_eq!(
        exit_code(&[
            "check",
            "philosophers.pnml",
            "--invariant",
            "e_0 <= 1",
            "--states",
            "10"
        ]),
        3
    );
    assert_eq!(
        exit_code(&["check", "philosophers.pnml", "packet.ss", "--deadlock"]),
        1
    );
    assert_eq!(
        exit_code(&["check", "philosophers.pnml", "missing.pnml", "--deadlock"]),
        2
    );
    assert_eq!(
        exit_code(&["explore", "stop-and-wait.pnml", "--states", "10"]),
        3
    );
    assert_eq!(exit_code(&["explore", "stop-and-wait.pnml"]), 0);
}

#[test]
fn limits_give_the_figures_so_far() {
    let record = json(&[
        "explore",
        "stop-and-wait.pnml",
        "--states",
        "100",
        "--format",
        "json",
    ]);
    assert_eq!(record["complete"], false);
    assert_eq!(record["explored"], 100);
    assert_eq!(record["states"], Value::Null);
    assert_eq!(record["deadlocks"], Value::Null);
    assert_eq!(record["reason"], "the limit of 100 states was reached");
    let record = json(&[
        "explore",
        "stop-and-wait.pnml",
        "--memory",
        "200K",
        "--format",
        "json",
    ]);
    assert_eq!(record["complete"], false);
    assert!(record["explored"].as_u64().expect("a number") > 100);
}

#[test]
fn caching_finds_what_full_search_finds() {
    let all = figures(&["philosophers.lts"], ["states", "edges", "deadlocks"]);
    assert_eq!(all, [Some(2623), Some(10_795), Some(1)]);
    let cached = [
        "check",
        "philosophers.lts",
        "--method",
        "caching",
        "--cache",
        "2000",
    ];
    assert_eq!(exit_code(&cached), 1);
    let directory = tempfile::tempdir().unwrap();
    let chart = directory.path().join("chart.svg");
    let compared = [
        "compare",
        "philosophers.lts",
        "--cache",
        "100%,90%",
        "--chart",
    ];
    let table = json(
        &[
            &compared[..],
            &[chart.to_str().unwrap(), "--format", "json"],
        ]
        .concat(),
    );
    let methods: Vec<_> = table["explorations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["method"].as_str().unwrap())
        .collect();
    assert_eq!(methods[0], "full");
    assert_eq!(
        methods
            .iter()
            .filter(|method| **method == "caching")
            .count(),
        2
    );
    assert!(std::fs::read_to_string(chart).unwrap().starts_with("<svg"));
}

#[test]
fn a_lost_trace_does_not_lose_the_verdict() {
    // Long enough for the log to be written, and the directory for temporary files does not exist.
    let asked = ["--set", "K=60", "--invariant", "Sender.b < 60"];
    let output = command(&[&["check", "go-back-n.dve"], &asked[..]].concat())
        .env("TMPDIR", "no/such/directory")
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let out = text(&output.stdout);
    assert!(
        out.contains("VIOLATED") && out.contains("the trace is lost"),
        "{out}"
    );
    assert_eq!(
        exit_code(&["check", "philosophers.pnml", "--deadlock", "--no-trace"]),
        1
    );
    let out = text(&sweepline(&["check", "philosophers.pnml", "--deadlock", "--no-trace"]).stdout);
    assert!(
        out.contains("no trace for deadlock: the trace log is switched off"),
        "{out}"
    );
}

/// Ctrl-C ends the run with what is known so far.
#[cfg(unix)]
#[test]
fn an_interrupt_gives_the_figures_so_far() {
    let directory = tempfile::tempdir().expect("a directory");
    let net = directory.path().join("endless.pnml");
    let place = |id: &str| {
        format!(
            "<place id='{id}'/><transition id='t{id}'/><arc id='a{id}' source='t{id}' target='{id}'/>"
        )
    };
    let places: String = ["a", "b", "c", "d", "e"].into_iter().map(place).collect();
    std::fs::write(
        &net,
        format!("<pnml><net id='n' type='P/T net'><page id='g'>{places}</page></net></pnml>"),
    )
    .expect("it can be written");
    let child = command(&[
        "explore",
        net.to_str().expect("a text"),
        "--format",
        "json",
        "--memory",
        "1G",
    ])
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .expect("it starts");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let signal = if ignores_interrupts() {
        "-TERM"
    } else {
        "-INT"
    };
    let status = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .expect("kill is there");
    assert!(status.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let record: Value = serde_json::from_slice(&output.stdout).expect("figures");
    assert_eq!(record["complete"], false);
    let reason = record["reason"].as_str().expect("a reason");
    assert!(
        reason == "interrupted" || reason.contains("memory limit"),
        "{reason}"
    );
}
