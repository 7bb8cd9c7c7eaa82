//! Fewer steps, same answers.

use serde_json::Value;

use crate::{exit_code, json};

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
