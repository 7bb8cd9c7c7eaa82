//! A deadlock is a state without steps that is no proper end, whoever asks.

use serde_json::Value;

use crate::{exit_code, json};

/// An FSP file with this text, in a directory that must be kept.
fn fsp(text: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("model.lts");
    std::fs::write(&file, text).expect("it can be written");
    let path = file.to_str().expect("a text").to_owned();
    (directory, path)
}

/// Everything that can be asked about deadlocks says whether there is one.
fn check(text: &str, deadlocks: u64) {
    let (_directory, path) = fsp(text);
    let violated = i32::from(deadlocks > 0);
    for method in [&["--method", "full"][..], &["--method", "caching"], &[]] {
        let ask = |question: &[&str]| exit_code(&[&["check", &path], question, method].concat());
        assert_eq!(ask(&["--deadlock"]), violated, "{text} {method:?}");
        assert_eq!(
            ask(&["--invariant", "not deadlock"]),
            violated,
            "{text} {method:?}"
        );
        let reachable = 1 - violated;
        assert_eq!(
            ask(&["--reach", "deadlock"]),
            reachable,
            "{text} {method:?}"
        );
        let record = json(&[&["explore", &path, "--format", "json"], method].concat());
        assert_eq!(record["deadlocks"], deadlocks, "{text} {method:?}");
    }
    let formula = std::path::Path::new(&path).with_file_name("formula");
    std::fs::write(&formula, "AG not deadlock").expect("it can be written");
    let formula = formula.to_str().expect("a text");
    assert_eq!(
        exit_code(&["check", &path, "--property", formula]),
        violated
    );
}

#[test]
fn an_end_is_no_deadlock_for_anybody() {
    check("P = (a -> END).", 0);
    check("P = (a -> STOP).", 1);
    check("P = (a -> END | b -> STOP).", 1);
    check("P = (a -> END). Q = (b -> STOP). ||S = (P || Q).", 1);
    check("P = (a -> END). Q = (b -> END). ||S = (P || Q).", 0);
}

/// An error is an error, and not a deadlock too.
#[test]
fn an_error_is_no_deadlock() {
    check("P = (a -> ERROR).", 0);
    let (_directory, path) = fsp("P = (a -> ERROR).");
    assert_eq!(exit_code(&["check", &path]), 1);
}

#[test]
fn names_play_no_part() {
    for name in ["END", "ERROR"] {
        let proposition = format!("{name} = f_0 == 0");
        let args = ["check", "philosophers.pnml", "--prop", &proposition];
        assert_eq!(
            exit_code(&[&args[..], &["--deadlock"]].concat()),
            1,
            "{name}"
        );
        let record = json(&[&args[..], &["--format", "json"]].concat());
        let names: Vec<&Value> = record["properties"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|property| &property["name"])
            .collect();
        assert_eq!(names, ["deadlock"], "nobody asked for {name}");
    }
    for (examination, code) in [("ReachabilityDeadlock", 0), ("OneSafe", 0)] {
        let args = ["check", "philosophers.pnml", "--examination", examination];
        assert_eq!(exit_code(&args), code, "{examination}");
    }
}

/// Deadlocks of the product of a state space with an automaton that never accepts.
fn deadlocks_beside(automaton: &str, states: &str) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let file = directory.path().join(name);
        std::fs::write(&file, text).expect("it can be written");
        file.to_str().expect("a text").to_owned()
    };
    let (model, automaton) = (write("model.ss", states), write("automaton", automaton));
    let watched = ["check", &model, "--safety-automaton", &automaton];
    let record = json(&[&watched[..], &["--format", "json"]].concat());
    assert_eq!(record["properties"][0]["verdict"], "holds");
    record["properties"][0]["statistics"]["deadlocks"].clone()
}

#[test]
fn deadlocks_beside_an_automaton_are_the_models() {
    let round = "1 0 1 p a 2\n2 0 1 !p b 1\n";
    let stops = "1 0 1 p a 2\n2 0 1 !p\n";
    let follows = "q\nbad\nq true q\nbad\n";
    assert_eq!(deadlocks_beside(follows, round), 0);
    assert_eq!(deadlocks_beside(follows, stops), 1);
    // It has no move where `p` does not hold, and there the model goes on, or has not come yet.
    let gives_up = "q\nbad\nq p q\nbad\n";
    assert_eq!(deadlocks_beside(gives_up, round), 0);
    assert_eq!(deadlocks_beside(gives_up, stops), 0);
}

/// Two to the power of 64 ways to go on are no deadlock, although that number is zero in 64 bits.
#[test]
fn more_steps_than_can_be_counted_are_no_deadlock() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let file = directory.path().join(name);
        std::fs::write(&file, text).expect("it can be written");
        file.to_str().expect("a text").to_owned()
    };
    let component = "des (0,3,2)\n(0,\"a\",0)\n(0,\"a\",1)\n(1,\"a\",1)\n";
    write("c.aut", component);
    for (components, exit) in [(12, 0), (64, 3), (65, 3), (66, 3)] {
        let lines = (0..components).map(|i| format!("c{i} = c.aut\n"));
        let network = write("many.network", &lines.collect::<String>());
        let arguments = ["check", &network, "--deadlock", "--format", "json"];
        assert_eq!(exit_code(&arguments), exit, "{components}");
        let verdict = &json(&arguments)["properties"][0]["verdict"];
        let expected = if exit == 0 { "holds" } else { "inconclusive" };
        assert_eq!(verdict, expected, "{components}");
    }
}
