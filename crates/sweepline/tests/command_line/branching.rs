//! Formulas of branching time.

use serde_json::Value;

use crate::{command, directory, shown_in, text};

/// Counts to three, and may stop or go round on the way.
const MODEL: &str = "byte n;
process P {
  state run, stop;
  init run;
  trans run -> run { guard n < 3; effect n = n + 1; },
        run -> run { guard n == 3; effect n = 0; },
        run -> stop { guard n == 2; };
}
system async;
";

fn model() -> tempfile::TempDir {
    directory(&[
        ("m.dve", MODEL),
        (
            "f.txt",
            "EFAG n == 2\nhome: AGEF n == 0\nE[n < 2 U n == 2 and EX P.stop]\n",
        ),
    ])
}

fn ask(args: &[&str]) -> (Option<i32>, Value) {
    let args = [&["check", "m.dve", "--format", "json"], args].concat();
    let output = command(&args).current_dir(model().path()).output();
    let output = output.expect("it runs");
    let out = text(&output.stdout);
    let record = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
    (output.status.code(), record)
}

#[test]
fn reasons_are_shown_as_a_tree() {
    let home = shown_in(&model(), &["check", "m.dve", "--home", "n == 0"]);
    insta::assert_snapshot!(home);
    let formula = "AG n < 9 and EG (n < 3 or EX n == 0) and E[n < 2 U AX P.stop or EX P.stop]";
    insta::assert_snapshot!(shown_in(&model(), &["check", "m.dve", "--ctl", formula]));
}

#[test]
fn reasons_are_data() {
    let (code, record) = ask(&["--ctl", "AG EF n == 0"]);
    assert_eq!(code, Some(1));
    let property = &record["properties"][0];
    assert_eq!(
        (&property["kind"], &property["verdict"]),
        (&"ctl".into(), &"violated".into())
    );
    let witness = &property["witness"];
    assert_eq!(
        (&witness["by"], &witness["truth"]),
        (&"path".into(), &false.into())
    );
    let reason = &witness["because"][0];
    assert_eq!(
        (&reason["by"], &reason["states"]),
        (&"reachable".into(), &1.into())
    );
    let (_, record) = ask(&["--ctl", "EG n < 4", "--trace-format", "dot"]);
    let dot = record["properties"][0]["witness"].as_str().expect("a text");
    assert!(dot.starts_with("digraph witness {"), "{dot}");
}

/// Where links are forgotten with their layer, the way to the state that decides comes from the trace log.
#[test]
fn the_way_to_a_deciding_layer_is_shown() {
    let nets = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/stop-and-wait.pnml"
    );
    for (flag, formula, verdict, last) in [
        ("--home", "s_0_1 >= 1", "violated", "EF (s_0_1 >= 1)"),
        ("--ctl", "EF AG s_0_20 >= 1", "holds", "AG (s_0_20 >= 1)"),
    ] {
        let output = command(&["check", nets, flag, formula, "--format", "json"]).output();
        let out = text(&output.expect("it runs").stdout);
        let record: Value = serde_json::from_str(&out).expect("it is JSON");
        let property = &record["properties"][0];
        assert_eq!(property["verdict"], verdict, "{formula}");
        assert_eq!(
            property["statistics"]["layers"], 41,
            "it is not decided at first sight"
        );
        let steps = property["trace"]["steps"]
            .as_array()
            .expect("there are steps");
        // Nineteen packets are sent, received and acknowledged on the way.
        assert!(steps.len() >= 57, "{} steps", steps.len());
        let reason = &property["witness"]["because"][0];
        assert_eq!(reason["formula"], last);
        assert_eq!(reason["after"], steps.len());
    }
}

#[test]
fn files_may_hold_such_formulas() {
    let (code, record) = ask(&["--property", "f.txt"]);
    let properties = record["properties"].as_array().expect("a list");
    let verdicts: Vec<&str> = properties
        .iter()
        .map(|property| property["verdict"].as_str().expect("a word"))
        .collect();
    assert_eq!(
        (code, &verdicts[..]),
        (Some(1), &["holds", "violated", "holds"][..])
    );
}

/// `EF` and `AG` are questions about states. Where nothing decreases, `AG EF` and `EF AG` are about the terminal components of a layer.
/// Nothing has to be written for either.
#[test]
fn links_are_spilled_only_for_what_needs_them() {
    let net = crate::models().join("stop-and-wait.pnml");
    let net = net.to_str().expect("a path");
    let asked = |flag: &str, formula: &str| -> Value {
        let args = ["check", net, flag, formula, "--format", "json"];
        let output = command(&args).output().expect("it runs");
        let record: Value = serde_json::from_str(&text(&output.stdout)).expect("it is JSON");
        let property = &record["properties"][0];
        assert_ne!(property["verdict"], "inconclusive", "{formula}");
        property["statistics"].clone()
    };
    let written = |statistics: &Value| statistics["disk_bytes"].as_u64().expect("a number");
    let (state, formula) = (
        asked("--reach", "s_0_20 >= 1"),
        asked("--ctl", "EF s_0_20 >= 1"),
    );
    for figure in ["explored", "peak_states", "peak_bytes", "disk_bytes"] {
        assert_eq!(state[figure], formula[figure], "{figure}");
    }
    for formula in ["EF AG s_0_20 >= 1", "AG EF s_0_20 >= 1", "AG EF s_0_1 >= 1"] {
        let statistics = asked("--ctl", formula);
        assert_eq!(statistics["explored"], 27741, "{formula}");
        assert_eq!(written(&statistics), 0, "{formula}");
    }
    let other = asked("--ctl", "E[true U s_0_20 >= 1 and EX true]");
    assert!(written(&other) > 0);
}

/// A program that counts to 3,000 and begins again, beside one that counts to 5.
const LONG: &str = "int n; int m;
process P { state s; init s;
  trans s -> s { guard n < 3000; effect n = n + 1; },
        s -> s { guard n == 3000; effect n = 0; }; }
process Q { state s; init s;
  trans s -> s { guard m < 5; effect m = m + 1; },
        s -> s { guard m == 5; effect m = 0; }; }
system async;
";

fn ask_long(args: &[&str]) -> Value {
    let args = [&["check", "l.dve", "--format", "json"], args].concat();
    let directory = directory(&[("l.dve", LONG)]);
    let output = command(&args).current_dir(directory.path()).output();
    let out = text(&output.expect("it runs").stdout);
    let record: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
    record["properties"][0].clone()
}

/// The smallest parts are named that are not decided where it matters, however a formula is asked.
#[test]
fn what_is_not_decided_is_named() {
    let whole = "AG ((n < 2900) or EF AG (m == 1))";
    for (formula, parts) in [
        ("AG EF n == 0", &["EF (n == 0)"][..]),
        (whole, &[whole]),
        ("E[m < 9 U AG EF n == 0]", &["EF (n == 0)"]),
        ("EX AX EF n == 2900", &["EF (n == 2900)"]),
        (
            "AG (EF n == 0 and EF n == 2900)",
            &["EF (n == 0)", "EF (n == 2900)"],
        ),
        ("AG m < 9 and EF n == 2", &["AG (m < 9)"]),
        ("EF n == 3 -> EF n == 2900", &["EF (n == 2900)"]),
        ("EX true and AG EF n == 0", &["EF (n == 0)"]),
    ] {
        let property = ask_long(&["--ctl", formula, "--states", "500"]);
        assert_eq!(property["verdict"], "inconclusive", "{formula}");
        assert_eq!(property["undecided"], Value::from(parts), "{formula}");
    }
    let property = ask_long(&["--ctl", "AG EF n == 0", "--memory", "300K"]);
    assert_eq!(property["undecided"], Value::from(&["EF (n == 0)"][..]));
    // Layer by layer, where nothing is labelled.
    let property = ask_long(&["--home", "n == 0", "--columns", "0", "--states", "500"]);
    assert_eq!(property["undecided"], Value::from(&["EF (n == 0)"][..]));
    let files = directory(&[("l.dve", LONG)]);
    let args = [
        "check",
        "l.dve",
        "--ctl",
        "AG EF n == 0",
        "--states",
        "500",
        "-q",
    ];
    insta::assert_snapshot!(shown_in(&files, &args));
}

/// Why a path may be taken is said at all of its states, unless that is too much; then it is said how much is left out.
#[test]
fn reasons_are_given_all_along_a_path() {
    fn size(witness: &Value) -> usize {
        let because = witness["because"].as_array().expect("a list");
        1 + because.iter().map(size).sum::<usize>()
    }
    let witness = |formula| ask_long(&["--ctl", formula])["witness"].clone();
    let all = |witness: &Value| witness["because"].as_array().expect("a list").len();
    let short = witness("E[EX m < 9 U n == 50]");
    let steps = short["path"]["steps"].as_array().expect("a list").len();
    assert!(steps >= 50);
    assert_eq!(all(&short), steps + 1);
    for (at, reason) in short["because"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        assert_eq!(reason["after"], at);
        assert_eq!(reason["because"][0]["formula"] == "(m < 9)", at < steps);
    }
    assert!(short.get("left_out").is_none());
    let long = witness("E[EX m < 9 U n == 2900 and EX true]");
    let steps = long["path"]["steps"].as_array().expect("a list").len();
    let left_out = long["left_out"].as_u64().expect("a number");
    assert_eq!(all(&long) as u64 + left_out, steps as u64 + 1);
    assert_eq!(size(&long), 1000);
    // What stands at the end of the path is there.
    let last = long["because"].as_array().and_then(|all| all.last());
    assert_eq!(last.expect("there is one")["after"], steps);
}

/// There are figures of every exploration, so here of one: every state is expanded once, whatever is asked together.
#[test]
fn linear_and_branching_time_share_an_exploration() {
    let long = "int n; process P { state s; init s;
        trans s -> s { guard n < 3000; effect n = n + 1; },
              s -> s { guard n == 3000; effect n = 1000; }; } system async;";
    let directory = directory(&[("long.dve", long)]);
    let asked = [
        ["--ltl", "G (n == 2999 -> F n == 1000)"],
        ["--ctl", "AG AF n == 3000"],
        ["--ctl", "EF AG (n < 1000 or EX n > 0)"],
        ["--invariant", "n <= 3000"],
    ];
    let args = [
        &["check", "long.dve", "--method", "full"],
        asked.as_flattened(),
    ]
    .concat();
    let output = command(&args).current_dir(directory.path()).output();
    let shown = text(&output.expect("it runs").stdout);
    assert_eq!(shown.matches("\n  holds ").count(), 4, "{shown}");
    assert_eq!(shown.matches("\n  explored ").count(), 1, "{shown}");
    assert!(shown.contains("explored   3,001"), "{shown}");
}

/// A run that ends in `stop` is fair only if what is to recur holds there; all others go round for ever.
#[test]
fn only_fair_runs_count() {
    for (formula, fair, expected) in [
        ("AF n == 3", None, "violated"),
        ("AF n == 3", Some("n == 3"), "holds"),
        ("AG AF n == 0", Some("n == 3"), "holds"),
        ("EF P.stop", Some("n == 3"), "violated"),
        ("AF n == 3", Some("n == 2"), "violated"),
        ("EF AX false", Some("n == 2"), "holds"),
    ] {
        let mut args = vec!["--ctl", formula];
        args.extend(fair.into_iter().flat_map(|fair| ["--fair", fair]));
        let (_, record) = ask(&args);
        let verdict = &record["properties"][0]["verdict"];
        assert_eq!(verdict, expected, "{formula} {fair:?}");
    }
    // The run that never gets there goes round, or ends.
    let args = ["check", "m.dve", "--ctl", "AF n == 3", "--fair", "n == 2"];
    insta::assert_snapshot!(shown_in(&model(), &args));
    let args = [
        "check",
        "m.dve",
        "--ctl",
        "EX EF n == 2",
        "--fair",
        "n == 1",
    ];
    insta::assert_snapshot!(shown_in(&model(), &args));
}

#[test]
fn other_shapes_are_named() {
    let output = command(&["check", "m.dve", "--ctl", "E[F G n == 0]"])
        .current_dir(model().path())
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("`E F G`"));
}

#[test]
fn live_transitions_are_found() {
    let net = crate::models().join("philosophers.pnml");
    let net = net.to_str().expect("a path");
    let output = command(&[
        "check",
        net,
        "--examination",
        "Liveness",
        "--format",
        "json",
    ])
    .output();
    let output = output.expect("it runs");
    let record: Value = serde_json::from_str(&text(&output.stdout)).expect("data");
    // They all may take their left fork.
    assert_eq!(record["properties"][0]["verdict"], "violated");
    assert!(!record["properties"][0]["trace"].is_null());
}

#[test]
fn home_states_are_found() {
    // From n == 2 it may stop, and then nothing is possible any more.
    let (code, record) = ask(&["--home-state"]);
    assert_eq!(code, Some(0));
    let property = &record["properties"][0];
    assert_eq!(property["verdict"], "holds");
    assert_eq!(property["remark"], "its last state is the only home state");
    let shown = shown_in(&model(), &["check", "m.dve", "--home-state"]);
    assert!(shown.contains("witness for home state, 3 steps"), "{shown}");
    // They all may have taken their left forks, or their right ones.
    let net = crate::models().join("philosophers.pnml");
    let net = net.to_str().expect("a path");
    let args = ["check", net, "--home-state", "--format", "json"];
    let output = command(&args).output().expect("it runs");
    let record: Value = serde_json::from_str(&text(&output.stdout)).expect("data");
    let property = &record["properties"][0];
    assert_eq!(property["verdict"], "violated");
    let steps = property["trace"]["steps"].as_array();
    assert_eq!(steps.map(Vec::len), Some(5));
    let remark = property["remark"].as_str().expect("it is told");
    assert!(remark.contains("another one, of one state"), "{remark}");
}

#[test]
fn examinations_of_coloured_nets_are_answered() {
    let net = crate::models().join("philosophers-coloured.pnml");
    let net = net.to_str().expect("a path");
    // All may take their left fork, and then nothing happens any more.
    for (examination, code) in [
        ("ReachabilityDeadlock", 0),
        ("OneSafe", 1),
        ("StableMarking", 1),
        ("QuasiLiveness", 0),
        ("Liveness", 1),
    ] {
        let args = ["check", net, "-q", "--examination", examination];
        let output = command(&args).output().expect("it runs");
        assert_eq!(output.status.code(), Some(code), "{examination}");
    }
}

/// A file of links, or a graph, that the disk has no room for.
#[test]
fn a_full_disk_is_told() {
    let directory = directory(&[]);
    let model = crate::models().join("go-back-n.dve");
    let model = model.to_str().expect("a path");
    let large = ["--set", "K=5", "--method", "full", "-q"];
    let run = |args: &[&str]| {
        let program = env!("CARGO_BIN_EXE_sweepline");
        let script = "ulimit -f 64; exec \"$@\"";
        let mut command = std::process::Command::new("sh");
        command
            .args(["-c", script, "sh", program])
            .args(args)
            .args(large);
        let output = command.current_dir(directory.path()).output();
        output.expect("there is a shell")
    };
    let formula = "AG EF E[Sender.b < 4 U Sender.b > 4]";
    let output = run(&["check", model, "--ctl", formula]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("disk"),
        "{}",
        text(&output.stdout)
    );
    let output = run(&["graph", "build", model, "-o", "g.swg"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let cut = command(&["graph", "info", "g.swg"])
        .current_dir(directory.path())
        .output();
    assert_eq!(cut.expect("it runs").status.code(), Some(2));
}

/// Formulas of linear time are asked with what the message proposes.
#[test]
fn formulas_of_linear_time_are_proposed_as_such() {
    let model = model();
    for (formula, proposed) in [
        ("A G F n == 0", "G F n == 0"),
        ("AF G n == 0", "F G n == 0"),
    ] {
        let refused = shown_in(&model, &["check", "m.dve", "--ctl", formula]);
        assert!(refused.contains("is a formula of linear time"), "{refused}");
        let proposal = format!("--ltl '{proposed}'");
        assert!(refused.contains(&proposal), "{refused}");
        let asked = ["check", "m.dve", "-q", "--ltl"];
        let shown = |formula: &str| {
            let args = [&asked[..], &[formula]].concat();
            let output = command(&args).current_dir(model.path()).output();
            output.expect("it runs").status.code()
        };
        assert_eq!(shown(proposed), Some(1), "{proposed}");
        // The same as it is printed.
        assert_eq!(shown(&format!("A {proposed}")), Some(1), "{proposed}");
    }
    let never = shown_in(&model, &["check", "m.dve", "--ctl", "never n == 0"]);
    assert!(never.contains("`never n == 0`"), "{never}");
}

#[test]
fn files_are_told_the_same_about_branching_time() {
    let deep = "E[".repeat(300) + "n == 0" + &" U n == 1]".repeat(300);
    for (formula, expected) in [
        ("E[F G n == 0]", "is a shape of CTL*"),
        (
            "E[n == 0 U n == 1 U n == 2]",
            "expected an operator such as `U`",
        ),
        (&deep, "nested more than 256 levels deep"),
    ] {
        let directory = directory(&[("m.dve", MODEL), ("wrong.txt", formula)]);
        let shown = shown_in(&directory, &["check", "m.dve", "--property", "wrong.txt"]);
        assert!(shown.contains(expected), "{shown}");
        assert!(!shown.contains("means nothing here"), "{shown}");
        assert!(!shown.contains(" errors"), "{shown}");
    }
}
