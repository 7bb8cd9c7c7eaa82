//! What single processes see, and what is told by that.

use serde_json::Value;

use crate::{directory, exit_code, json, models, on_terminal, shown_in, sweepline, text};

fn sum(record: &Value, figure: &str) -> u64 {
    let processes = record["processes"].as_array().expect("processes");
    let figures = processes.iter().map(|it| it[figure].as_u64());
    figures.map(|it| it.expect("a number")).sum()
}

#[test]
fn who_knows_more_finds_less() {
    let of = |method| {
        json(&[
            "local",
            "peterson.dve",
            "--method",
            method,
            "--format",
            "json",
        ])
    };
    let [mono, ls3, modular] = ["mono", "ls3", "modular"].map(of);
    assert_eq!(ls3["schema"], 1);
    assert_eq!(ls3["complete"], true);
    assert_eq!(sum(&mono, "states"), sum(&ls3, "reachable_states"));
    assert_eq!(sum(&mono, "states"), sum(&mono, "reachable_states"));
    assert!(sum(&mono, "states") <= sum(&ls3, "states"));
    assert!(sum(&ls3, "states") < sum(&modular, "states"));
    assert!(ls3["pairs"].as_u64() > Some(0));
    assert_eq!(ls3["processes"][0]["name"], "P_0");
}

#[test]
fn what_holds_locally_holds() {
    let args = [
        "local",
        "peterson.dve",
        "--local",
        "P_0: CS -> j == 3",
        "--local",
        "P_1: pos[1] <= 2",
        "--format",
        "json",
    ];
    let record = json(&args);
    for property in record["properties"].as_array().expect("properties") {
        assert_eq!(property["local"], "holds");
        assert_eq!(property["verdict"], "holds");
        assert_eq!(property["violating_states"], 0);
    }
    // Nothing was left to be asked.
    assert_eq!(record["statistics"], Value::Null);
    assert_eq!(exit_code(&args), 0);
}

#[test]
fn what_is_violated_locally_is_asked_globally() {
    let args = [
        "local",
        "peterson.dve",
        "--local",
        "P_0: not CS",
        "--format",
        "json",
    ];
    let record = json(&args);
    let property = &record["properties"][0];
    assert_eq!(property["local"], "potential");
    assert_eq!(property["verdict"], "violated");
    let steps = property["trace"]["steps"].as_array();
    assert!(steps.is_some_and(|steps| !steps.is_empty()), "{property}");
    assert_eq!(exit_code(&args), 1);
}

/// `x` is never 2 when R looks: thread-modular graphs do not know that P goes before Q.
const ORDERED: &str = "byte x, turn;
process P { state a, b; init a; trans a -> b { guard turn == 0; effect turn = 1; }; }
process Q { state a, b, c; init a; trans
  a -> b { guard turn == 1; effect x = 1; },
  b -> c { guard turn == 1; effect x = 0, turn = 2; }; }
process R { byte y; state a, b; init a; trans a -> b { guard turn == 0 and x == 1; effect y = 1; }; assert b: y == 0; }
system async;
";

#[test]
fn assertions_are_looked_at_too() {
    let files = directory(&[("ordered.dve", ORDERED)]);
    let path = files.path().join("ordered.dve");
    let path = path.to_str().expect("a path");
    let record = json(&["local", path, "--format", "json"]);
    let property = &record["properties"][0];
    assert_eq!(property["name"], "assert R.b");
    assert_eq!(
        (&property["local"], &property["verdict"]),
        (&"holds".into(), &"holds".into())
    );
    let record = json(&["local", path, "--method", "modular", "--format", "json"]);
    let property = &record["properties"][0];
    // Whatever the weaker graphs say, it holds in the end.
    assert_eq!(property["verdict"], "holds");
}

#[test]
fn mistakes_are_explained() {
    let files = directory(&[
        (
            "alone.dve",
            "process P { state a; init a; }\nsystem async;\n",
        ),
        ("ordered.dve", ORDERED),
    ]);
    for (args, words) in [
        (&["local", "alone.dve"][..], "a single process"),
        (
            &["local", "ordered.dve", "--local", "P: Q == b"],
            "it is about `Q` too",
        ),
        (
            &["local", "ordered.dve", "--local", "x < 3"],
            "does not say which process",
        ),
        (
            &["local", "ordered.dve", "--local", "p: x < 3"],
            "did you mean `P`?",
        ),
        (&["local", "ordered.dve", "--local", "P: x <"], "--local"),
        (
            &["local", "ordered.dve", "--local", "P: not deadlock"],
            "what is enabled depends on all",
        ),
        (
            &[
                "local",
                "ordered.dve",
                "--export",
                "x.dot",
                "--process",
                "X",
            ],
            "no process is called `X`",
        ),
    ] {
        let shown = shown_in(&files, args);
        assert!(shown.contains(words), "{shown}");
        assert!(shown.ends_with("--- exit 2\n"), "{shown}");
    }
    for model in ["philosophers.pnml", "philosophers.lts", "packet.ss"] {
        let output = sweepline(&["local", model]);
        assert_eq!(output.status.code(), Some(2), "{model}");
        let said = text(&output.stderr);
        assert!(said.contains("has no local graphs"), "{said}");
    }
}

#[test]
fn local_graphs_are_written_to_files() {
    let files = directory(&[("ordered.dve", ORDERED)]);
    for (name, start) in [("r.aut", "des ("), ("r.dot", "digraph")] {
        let args = ["local", "ordered.dve", "--export", name, "--process", "R"];
        let shown = shown_in(&files, &args);
        assert!(shown.contains("local state"), "{shown}");
        let written = std::fs::read_to_string(files.path().join(name)).expect("it is there");
        assert!(written.starts_with(start), "{written}");
    }
}

#[test]
fn lines_fit_terminals() {
    for columns in [60, 80, 120] {
        let args = ["local", "peterson.dve", "--local", "P_0: pos[0] <= 1"];
        let shown = on_terminal(columns, &models(), &args);
        assert!(shown.contains("P_0"), "{shown}");
        for line in shown.lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
}

#[test]
fn limits_hold() {
    let args = [
        "local",
        "peterson.dve",
        "--memory",
        "100K",
        "--format",
        "json",
    ];
    let record = json(&args);
    assert_eq!(record["complete"], false);
    assert_eq!(exit_code(&args), 3);
}

#[test]
fn local_graphs_come_first() {
    let args = [
        "check",
        "peterson.dve",
        "--via",
        "local",
        "--invariant",
        "P_0 == CS -> P_0.j == 3",
        "--deadlock",
        "--invariant",
        "not (P_0 == CS and P_1 == CS)",
        "--invariant",
        "P_2 != CS",
        "--format",
        "json",
    ];
    let record = json(&args);
    let of = |name: &str| {
        let properties = record["properties"].as_array().expect("properties");
        let mut found = properties.iter().filter(|it| it["name"] == name);
        found.next().expect("it was asked").clone()
    };
    let local = of("P_0 == CS -> P_0.j == 3");
    assert_eq!(local["verdict"], "holds");
    assert_eq!(local["remark"], "in all local states of P_0");
    assert_eq!(of("not (P_0 == CS and P_1 == CS)")["verdict"], "holds");
    let violated = of("P_2 != CS");
    assert_eq!(violated["verdict"], "violated");
    assert!(violated["trace"]["steps"].is_array(), "{violated}");
    assert_eq!(exit_code(&args), 1);
    // Everything is told by local graphs.
    let args = [&args[..6], &["--format", "json"]].concat();
    let record = json(&args);
    assert_eq!(record["properties"][0]["statistics"]["explored"], 0);
    assert_eq!(exit_code(&args), 0);
    // Branching time is not preserved, so nothing is left out.
    let ctl = [
        "check",
        "peterson.dve",
        "--via",
        "local",
        "--ctl",
        "AG EF true",
    ];
    assert_eq!(exit_code(&ctl), 0);
    assert_eq!(
        exit_code(&["check", "philosophers.pnml", "--via", "local"]),
        2
    );
}

#[test]
fn dependencies_by_local_graphs() {
    let args = [
        "check",
        "peterson.dve",
        "--deadlock",
        "--reduce",
        "stubborn",
    ];
    let explored = |more: &[&str]| {
        let record = json(&[&args[..], &["--format", "json"], more].concat());
        assert_eq!(record["properties"][0]["verdict"], "holds");
        let explored = &record["properties"][0]["statistics"]["explored"];
        explored.as_u64().expect("a number")
    };
    assert!(explored(&["--dependency", "local"]) <= explored(&[]));
    let alone = ["check", "peterson.dve", "--dependency", "local"];
    let none = [&alone[..], &["--reduce", "none"]].concat();
    assert_eq!(exit_code(&none), 2, "it is about --reduce");
    // Nets have no local graphs; the text has to do, and that is said.
    let net = ["explore", "philosophers.pnml", "--reduce", "stubborn"];
    let output = sweepline(&[&net[..], &["--dependency", "local"]].concat());
    let said = text(&output.stdout)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(said.contains("only programs have local graphs"), "{said}");
}

/// A guard divides by zero before anything happens, so the model is wrong whatever is claimed.
const WRONG: &str = "byte g;
process P { byte n; state a, b; init a; trans a -> b { guard 2 % g == 1; }; }
process Q { state a; init a; trans a -> a { guard g < 2; effect g = 1 - g; }; }
system async;
";

#[test]
fn errors_of_the_model_are_told_to_programs_too() {
    let files = directory(&[("wrong.dve", WRONG)]);
    let path = files.path().join("wrong.dve");
    let path = path.to_str().expect("a path");
    let args = ["local", path, "--local", "Q: g == 0", "--format", "json"];
    let record = json(&args);
    let properties = record["properties"].as_array().expect("properties");
    let errors = properties.iter().filter(|it| it["kind"] == "error");
    let errors: Vec<&Value> = errors.collect();
    assert_eq!(errors.len(), 1, "{record}");
    assert_eq!(errors[0]["verdict"], "violated");
    assert_eq!(errors[0]["process"], Value::Null);
    assert!(errors[0]["trace"].is_object(), "{record}");
    assert_eq!(exit_code(&args), 1);
    // Nothing is claimed, or only what holds locally: still somebody should know of the error, and why so little is known.
    for claimed in [&[][..], &["--local", "Q: g <= 1"], &["--method", "mono"]] {
        let args = [&["local", path, "--format", "json"], claimed].concat();
        let record = json(&args);
        let mut kinds = record["properties"].as_array().expect("properties").iter();
        assert!(kinds.any(|it| it["kind"] == "error" && it["trace"].is_object()));
        let why = record["unexplored"].as_str().or(record["reason"].as_str());
        assert!(why.is_some_and(|why| why.contains("error of the model")));
        assert_eq!(exit_code(&args), 1, "{record}");
    }
    let shown = shown_in(&files, &["local", "wrong.dve"]);
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "it is not known which local states are reachable: the search ended at an error";
    assert!(shown.contains(expected), "{shown}");
    assert!(!shown.contains("too large"), "{shown}");
}

#[test]
fn a_model_that_is_too_large_is_said_to_be() {
    let shown = sweepline(&["local", "peterson.dve", "--states", "10"]);
    let shown = text(&shown.stdout);
    assert!(shown.contains("the whole model is too large"), "{shown}");
}

#[test]
fn states_without_a_value_are_told_apart() {
    let claim = ["local", "peterson.dve", "--local", "P_0: j / k == 1"];
    let record = json(&[&claim[..], &["--format", "json"]].concat());
    let property = &record["properties"][0];
    let count = |name: &str| property[name].as_u64().expect("a number");
    assert!(count("violating_states") > 0 && count("valueless_states") > 0);
    assert_eq!(property["local"], "potential");
    let shown = text(&sweepline(&claim).stdout);
    let words = format!("without a value in {}", count("valueless_states"));
    assert!(shown.contains(&words), "{shown}");
}

/// Whoever decides it, it is the same formula.
#[test]
fn formulas_are_written_in_full() {
    let args = [
        "local",
        "peterson.dve",
        "--local",
        "P_0: j <= 3",
        "--local",
        "P_0: j <= 2",
        "--format",
        "json",
    ];
    let record = json(&args);
    for (number, formula) in ["AG (P_0.j <= 3)", "AG (P_0.j <= 2)"].iter().enumerate() {
        assert_eq!(record["properties"][number]["formula"], *formula);
    }
    assert_eq!(record["properties"][0]["local"], "holds");
    assert_eq!(record["properties"][1]["local"], "potential");
}

#[test]
fn wishes_that_contradict_each_other_are_refused() {
    let files = directory(&[("a.dve", ORDERED), ("b.dve", ORDERED)]);
    for (args, words) in [
        (
            &[
                "local",
                "a.dve",
                "b.dve",
                "--export",
                "x.dot",
                "--process",
                "P",
            ][..],
            "--export writes one local graph",
        ),
        (
            &["local", "a.dve", "--export", "x.dot", "--process", "p"],
            "did you mean `P`?",
        ),
        (
            &[
                "check",
                "a.dve",
                "--deadlock",
                "--via",
                "local",
                "--dependency",
                "static",
            ],
            "leave one of the two out",
        ),
        (
            &["explore", "a.dve", "--dependency", "local"],
            "add --reduce stubborn",
        ),
    ] {
        let shown = shown_in(&files, args);
        assert!(shown.contains(words), "{shown}");
        assert!(shown.ends_with("--- exit 2\n"), "{shown}");
        assert!(!shown.contains("is no local property"), "{shown}");
        assert!(!files.path().join("x.dot").exists());
    }
    let free = ["check", "a.dve", "--deadlock", "--via", "local"];
    let shown = shown_in(&files, &[&free[..], &["--reduce", "none"]].concat());
    assert!(!shown.contains("reduced"), "{shown}");
}
