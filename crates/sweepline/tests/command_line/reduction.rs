//! Fewer steps, same answers.

use serde_json::Value;

use crate::{command, directory, exit_code, json, sweepline, text};

const FIGURES: &str = "/properties/0/statistics";

#[test]
fn states_are_not_counted_where_steps_are_left_out() {
    let deadlock = [
        "check",
        "philosophers.lts",
        "--deadlock",
        "--format",
        "json",
    ];
    let full = json(&deadlock);
    let reduced = json(&[&deadlock[..], &["--reduce", "stubborn"]].concat());
    let verdict = |record: &Value| record["properties"][0]["verdict"].clone();
    assert_eq!(verdict(&full), verdict(&reduced));
    let figures = reduced.pointer(FIGURES).expect("figures");
    assert_eq!(figures["states"], Value::Null);
    assert_eq!(figures["reduced"], "deadlocks");
    let explored = |record: &Value| record.pointer(FIGURES).expect("figures")["explored"].as_u64();
    assert!(explored(&reduced) < explored(&full));
    assert_eq!(full.pointer(FIGURES).expect("figures").get("reduced"), None);
}

#[test]
fn deadlocks_are_counted_where_steps_are_left_out() {
    let explore = ["explore", "philosophers.lts", "--format", "json"];
    let full = json(&explore);
    let reduced = json(&[&explore[..], &["--reduce", "stubborn"]].concat());
    assert_eq!(full["deadlocks"], reduced["deadlocks"]);
    assert_eq!(reduced["states"], Value::Null);
}

#[test]
fn what_is_not_preserved_is_refused() {
    let ctl = ["check", "peterson.dve", "--ctl", "AG EF true"];
    assert_eq!(exit_code(&ctl), 0);
    for (reduce, code) in [("none", 0), ("auto", 0), ("stubborn", 2)] {
        assert_eq!(exit_code(&[&ctl[..], &["--reduce", reduce]].concat()), code);
    }
    let export = ["explore", "peterson.dve", "--export", "never.aut"];
    assert_eq!(
        exit_code(&[&export[..], &["--reduce", "stubborn"]].concat()),
        2
    );
}

/// Five processes that count to nine, each for itself: 100,000 states, the last of which is a deadlock.
fn counters(effect: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let processes = (0..5).map(|number| {
        format!(
            "process P{number} {{ byte x = 0; byte b[8]; state a; init a; \
             trans a -> a {{ guard x < 9; effect {effect}; }}; }}\n"
        )
    });
    let text = processes.collect::<String>() + "system async;\n";
    let file = directory.path().join("counters.dve");
    std::fs::write(&file, text).expect("a file");
    let file = file.to_string_lossy().into_owned();
    (directory, file)
}

#[test]
fn steps_are_left_out_unasked_where_that_pays() {
    let (_directory, file) = counters("x = x + 1");
    let ask = |more: &[&str]| {
        let question = ["check", &file, "--deadlock", "--format", "json"];
        json(&[&question[..], more].concat())
    };
    let (full, auto) = (ask(&["--reduce", "none"]), ask(&[]));
    assert_eq!(auto["properties"][0]["verdict"], "violated");
    let trace = |record: &Value| record.pointer("/properties/0/trace/steps").cloned();
    let length = |record| trace(record).expect("a trace").as_array().map(Vec::len);
    assert_eq!(length(&full), Some(45));
    assert_eq!(length(&auto), Some(45));
    let (full, auto) = (full.pointer(FIGURES), auto.pointer(FIGURES));
    let (full, auto) = (full.expect("figures"), auto.expect("figures"));
    // The only deadlock comes last, or nearly so.
    assert!(full["explored"].as_u64() > Some(99_000), "{full}");
    assert_eq!(auto["states"], Value::Null);
    assert_eq!(auto["reduced"], "deadlocks");
    assert_eq!(auto["explored"], 46);
    // Whoever explores wants to know how much there is.
    let explored = json(&["explore", &file, "--format", "json"]);
    assert_eq!(explored["states"], 100_000);
}

#[test]
fn several_questions_are_answered_as_without() {
    let (_directory, file) = counters("x = x + 1");
    let ask = |reduce: &str| {
        let questions = [
            "check",
            &file,
            "--reach",
            "P0.x == 9 and P1.x == 9",
            "--invariant",
            "P2.x <= 9",
            "--reach",
            "P3.x == 10",
            "--deadlock",
            "--ltl",
            "F P4.x == 9",
            "--ctl",
            "AF P4.x == 9",
            "--format",
            "json",
            "--reduce",
            reduce,
        ];
        let record = json(&questions);
        let properties = record["properties"].as_array().expect("properties").clone();
        let answer = |it: &Value| {
            (
                it["name"].clone(),
                it["verdict"].clone(),
                it["value"].clone(),
            )
        };
        properties.iter().map(answer).collect::<Vec<_>>()
    };
    let full = ask("none");
    assert_eq!(full.len(), 6);
    assert_eq!(ask("auto"), full);
}

/// What fails is found whatever is left out, and errors that are counted are counted.
#[test]
fn failures_are_found_unasked() {
    let (_directory, file) = counters("b[x] = 1, x = x + 1");
    let ask = |more: &[&str]| {
        let question = ["check", &file, "--deadlock", "--format", "json"];
        json(&[&question[..], more].concat())
    };
    for reduce in ["none", "auto", "stubborn"] {
        let answers = ask(&["--reduce", reduce]);
        let [deadlock, own] = &answers["properties"].as_array().expect("properties")[..] else {
            panic!("{answers}");
        };
        assert_eq!(deadlock["verdict"], "inconclusive", "{reduce}");
        assert_eq!(
            (&own["kind"], &own["verdict"]),
            (&"error".into(), &"violated".into())
        );
    }
    let counted = |reduce| ask(&["--errors", "count", "--reduce", reduce]);
    let (none, auto) = (counted("none"), counted("auto"));
    assert_eq!(
        none.pointer(FIGURES).expect("figures")["explored"],
        auto.pointer(FIGURES).expect("figures")["explored"]
    );
}

/// Who sweeps against regress edges sees deadlocks again and cannot count them; who keeps all states can.
#[test]
fn what_counts_deadlocks_is_said() {
    let args = ["explore", "database.dve", "--reduce", "stubborn"];
    let said = |more: &[&str]| {
        let output = sweepline(&[&args[..], more].concat());
        let words = text(&output.stdout);
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let hint = "--method full counts them";
    assert!(said(&[]).contains(hint), "{}", said(&[]));
    assert!(!said(&["--method", "full"]).contains(hint));
}

/// Tables of many actions that are in each other's way are memory like any other: they are part of the peak, and where there is no room for them all
/// steps are taken.
#[test]
fn tables_count_as_memory() {
    let process = |number: usize| {
        let moves = (0..8).map(|it| format!("s{it} -> s{} {{ effect x = {it}; }}", (it + 1) % 8));
        let moves = moves.collect::<Vec<_>>().join(", ");
        let states = (0..8).map(|it| format!("s{it}")).collect::<Vec<_>>();
        let states = states.join(", ");
        format!("process P{number} {{ state {states}; init s0; trans {moves}; }}\n")
    };
    let processes: String = (0..40).map(process).collect();
    let files = directory(&[("busy.dve", &format!("byte x;\n{processes}system async;\n"))]);
    let peak = |more: &[&str]| {
        let asked = ["explore", "busy.dve", "--format", "json", "--states", "10"];
        let mut asked = command(&[&asked, more].concat());
        let output = asked.current_dir(files.path()).output().expect("it runs");
        let figures: Value = serde_json::from_slice(&output.stdout).expect("one object");
        let peak = figures["peak_bytes"].as_u64().expect("it is counted");
        (peak, figures.to_string().contains("no steps were left out"))
    };
    let (whole, _) = peak(&["--reduce", "none"]);
    let (reduced, given_up) = peak(&["--reduce", "stubborn"]);
    assert!(reduced > whole + 400_000 && !given_up, "{whole} {reduced}");
    let (_, given_up) = peak(&["--reduce", "stubborn", "--memory", "1M"]);
    assert!(given_up);
}
