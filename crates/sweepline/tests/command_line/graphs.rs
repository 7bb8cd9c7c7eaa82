//! Condensed graphs: built, looked at, asked, walked through, written in other formats.

use std::fs;

use serde_json::Value;

use crate::{command, directory, models, shown_in, text};

/// A directory with a model and its graph.
fn built(model: &str, args: &[&str]) -> tempfile::TempDir {
    let directory = directory(&[]);
    let target = directory.path().join(model);
    fs::copy(models().join(model), target).expect("the model is there");
    let build = [&["graph", "build", model, "-q", "-o", "g.swg"], args].concat();
    let output = command(&build).current_dir(directory.path()).output();
    let output = output.expect("the command line runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    directory
}

/// Standard output, where nothing may be wrong.
fn printed(directory: &tempfile::TempDir, args: &[&str]) -> String {
    let output = command(args).current_dir(directory.path()).output();
    let output = output.expect("the command line runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_graph_is_built_and_looked_at() {
    let directory = built(
        "stop-and-wait.dve",
        &[
            "--columns",
            "Receiver.r",
            "--prop",
            "done = Receiver.r == 11",
        ],
    );
    insta::assert_snapshot!(printed(&directory, &["graph", "info", "g.swg"]));
    let record = printed(&directory, &["graph", "info", "g.swg", "--format", "json"]);
    let record: Value = serde_json::from_str(&record).expect("it is JSON");
    assert_eq!(record["states"], 2576);
    assert_eq!(record["edges"], 6950);
    assert_eq!(record["peak_states"], 287);
    assert_eq!(record["propositions"][0], "done");
}

#[test]
fn graphs_are_asked_like_models() {
    let props = ["--prop", "done = Receiver.r == 11"];
    let directory = built("stop-and-wait.dve", &props);
    let questions = [
        &["--reach", "done"][..],
        &["--ltl", "F done"],
        &["--ltl", "G (done -> G done)"],
        &["--ctl", "AG EF done"],
        &["--ctl", "AF done"],
        &["--ctl", "E[!done U AG done] and EG !done"],
        &["--home", "done"],
        &["--deadlock"],
        &["--invariant", "node < 2576"],
    ];
    for question in questions {
        let asked = |args: &[&str]| {
            let args = [args, question, &["-q"]].concat();
            let output = command(&args).current_dir(directory.path()).output();
            output.expect("the command line runs").status.code()
        };
        let model = [&["check", "stop-and-wait.dve"], &props[..]].concat();
        let of_graph = asked(&["graph", "check", "g.swg"]);
        if question[0] != "--invariant" {
            assert_eq!(of_graph, asked(&model), "{question:?}");
        }
        assert!(of_graph < Some(2), "{question:?}");
        assert_eq!(of_graph, asked(&["check", "g.swg"]), "{question:?}");
    }
}

#[test]
fn labels_of_graphs_are_certified() {
    let props = ["--prop", "done = Receiver.r == 11"];
    let directory = built("stop-and-wait.dve", &props);
    let formula = "AG EF done and !AF done and E[!done U AG done or EX done]";
    let asked = ["graph", "check", "g.swg", "--ctl", formula];
    let certified = [&asked[..], &["--certify"]].concat();
    insta::assert_snapshot!(shown_in(&directory, &certified));
    // Formulas that could be asked of every state have labels as well.
    let plain = ["check", "g.swg", "--ctl", "EF done", "--certify"];
    assert!(printed(&directory, &plain).contains("certified"));
    // Where there is nothing to show, and where several formulas hold, it is told of each.
    let formulas = [
        "--ctl",
        "AX true",
        "--ctl",
        "EF done",
        "--ctl",
        "EG !done",
        "--ctl",
        "!EF node == 2576",
    ];
    let several = [&["check", "g.swg", "--certify"], &formulas[..]].concat();
    let shown = printed(&directory, &several);
    assert_eq!(shown.matches("certified: ").count(), 4, "{shown}");
    assert!(shown.contains("  AX true: certified: "), "{shown}");
    let fair = [&certified[..], &["--fair", "done"]].concat();
    let output = command(&fair).current_dir(directory.path()).output();
    assert_eq!(output.expect("it runs").status.code(), Some(2));
}

#[test]
fn fair_runs_of_graphs_count() {
    let props = ["--prop", "done = Receiver.r == 11"];
    let directory = built("stop-and-wait.dve", &props);
    for (fair, expected) in [(&[][..], 1), (&["--fair", "done"], 0)] {
        let args = [&["graph", "check", "g.swg", "--ctl", "AF done", "-q"], fair].concat();
        let output = command(&args).current_dir(directory.path()).output();
        assert_eq!(
            output.expect("it runs").status.code(),
            Some(expected),
            "{fair:?}"
        );
    }
}

#[test]
fn walking_regenerates_states() {
    let directory = built("philosophers.pnml", &[]);
    let walk = ["graph", "walk", "g.swg", "philosophers.pnml", "--node"];
    let args = [&walk[..], &["7", "--back"]].concat();
    insta::assert_snapshot!(printed(&directory, &args));
    insta::assert_snapshot!(shown_in(&directory, &[&walk[..], &["100000"]].concat()));
    fs::copy(
        models().join("pipeline.pnml"),
        directory.path().join("other.pnml"),
    )
    .expect("copied");
    let other = ["graph", "walk", "g.swg", "other.pnml"];
    insta::assert_snapshot!(shown_in(&directory, &other));
}

#[test]
fn graphs_are_written_in_other_formats() {
    let directory = built(
        "packet.ss",
        &["--method", "full", "--prop", "even = state % 2 == 0"],
    );
    for file in ["g.aut", "g.ss", "g.dot"] {
        printed(&directory, &["graph", "export", "g.swg", file]);
    }
    printed(&directory, &["graph", "export", "g.swg", "-o", "g.graphml"]);
    assert!(directory.path().join("g.graphml").exists());
    let read = |file| fs::read_to_string(directory.path().join(file)).expect("it was written");
    insta::assert_snapshot!(read("g.aut") + &read("g.ss"));
    let counted = |file| {
        let json = printed(
            &directory,
            &["explore", file, "--method", "full", "--format", "json"],
        );
        let record: Value = serde_json::from_str(&json).expect("it is JSON");
        (record["states"].as_u64(), record["edges"].as_u64())
    };
    assert_eq!(counted("g.ss"), counted("packet.ss"));
    assert_eq!(counted("g.aut"), counted("packet.ss"));
    assert_eq!(counted("g.swg"), counted("packet.ss"));
    insta::assert_snapshot!(shown_in(&directory, &["graph", "export", "g.swg", "g.txt"]));
}

#[test]
fn what_is_no_whole_graph_is_refused() {
    let directory = built("philosophers.pnml", &[]);
    let whole = fs::read(directory.path().join("g.swg")).expect("it was written");
    let mut newer = whole.clone();
    newer[8] = 9;
    let mut damaged = whole.clone();
    damaged[30] ^= 4;
    for (file, bytes) in [
        ("cut.swg", &whole[..whole.len() / 2]),
        ("newer.swg", &newer),
        ("damaged.swg", &damaged),
        ("foreign.swg", b"des (0, 0, 1)\n"),
        ("empty.swg", b""),
    ] {
        fs::write(directory.path().join(file), bytes).expect("it can be written");
        insta::assert_snapshot!(file, shown_in(&directory, &["graph", "info", file]));
        let checked = shown_in(&directory, &["check", file]);
        assert!(checked.ends_with("--- exit 2\n"), "{checked}");
    }
    let partial = [
        "graph",
        "build",
        "philosophers.pnml",
        "--states",
        "40",
        "-q",
        "-o",
        "p.swg",
    ];
    let output = command(&partial).current_dir(directory.path()).output();
    assert_eq!(output.expect("it runs").status.code(), Some(3));
    insta::assert_snapshot!(shown_in(&directory, &["graph", "info", "p.swg"]));
    insta::assert_snapshot!(shown_in(&directory, &["graph", "check", "p.swg"]));
    let nowhere = ["graph", "build", "philosophers.pnml"];
    insta::assert_snapshot!(shown_in(&directory, &nowhere));
}

/// Two nodes of this graph are the same deadlock, which no question may tell apart.
#[test]
fn nodes_that_are_the_same_state_are_not_told_apart() {
    let directory = directory(&[("two.ss", "0 0 0 a 1 b 2\n1 3 0 a 2\n2 1 0\n")]);
    printed(&directory, &["graph", "build", "two.ss", "-o", "two.swg"]);
    let info = printed(&directory, &["graph", "info", "two.swg"]);
    assert!(
        info.contains("not known"),
        "the example does repeat a state: {info}"
    );
    let output = command(&["check", "two.swg", "--home-state", "--format=json"])
        .current_dir(directory.path())
        .output()
        .expect("the command line runs");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    let record: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(record["properties"][0]["verdict"], "inconclusive");
    let explored = printed(&directory, &["explore", "two.swg", "--format=json"]);
    let record: Value = serde_json::from_str(&explored).expect("it is JSON");
    assert_eq!(record["explored"], 4);
    assert_eq!([&record["states"], &record["deadlocks"]], [&Value::Null; 2]);
    printed(&directory, &["check", "two.ss", "--home-state"]);
}

/// A process that can fail, and whose states have names.
const PROGRAM: &str = "byte g = 1;
process P { state s0, s1; init s0; trans s0 -> s1 { effect g = g - 1; }, s1 -> s0 {}; }
system async;
";

/// Exit code, standard output and standard error.
fn ended(directory: &tempfile::TempDir, args: &[&str]) -> (Option<i32>, String, String) {
    let output = command(args).current_dir(directory.path()).output();
    let output = output.expect("the command line runs");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    // Messages are broken into lines anywhere.
    let err = err.split_whitespace().filter(|word| *word != "│");
    (output.status.code(), out, err.collect::<Vec<_>>().join(" "))
}

#[test]
fn propositions_use_what_the_model_defines() {
    let directory = directory(&[("p.dve", PROGRAM)]);
    let program = ["p.dve", "--errors", "count", "-q", "--prop", "x = P.s1"];
    let build = [&["graph", "build"], &program[..], &["-o", "p.swg"]].concat();
    printed(&directory, &build);
    for (formula, expected) in [("EF x", 0), ("AG !x", 1), ("!x and EX x", 0)] {
        let (code, ..) = ended(&directory, &["graph", "check", "p.swg", "--ctl", formula]);
        assert_eq!(code, Some(expected), "{formula}");
    }
    let export = [&["explore"], &program[..], &["--export", "p.ss"]].concat();
    printed(&directory, &export);
    let exported = fs::read_to_string(directory.path().join("p.ss")).expect("it was written");
    let (first, second) = exported.split_once('\n').expect("it has two states");
    assert!(
        first.contains(" !x ") && second.contains(" x"),
        "{exported}"
    );
}

#[test]
fn walking_is_told_what_is_wrong_with_the_model() {
    let directory = directory(&[("p.dve", PROGRAM)]);
    let build = ["graph", "build", "p.dve", "-q", "-o", "p.swg"];
    printed(&directory, &[&build[..], &["--errors", "count"]].concat());
    let walk = ["graph", "walk", "p.swg", "p.dve"];
    printed(&directory, &[&walk[..], &["--errors", "count"]].concat());
    let (code, _, err) = ended(&directory, &walk);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("flags such as --errors and --set must be the same"),
        "{err}"
    );
    assert!(!err.contains("`p.dve` is another model"), "{err}");
    let several = [&walk[..], &["p.dve", "--errors", "count"]].concat();
    let (code, out, err) = ended(&directory, &several);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("walked with one model"), "{err}");
}

#[test]
fn a_graph_without_nodes_has_none() {
    let directory = directory(&[("p.dve", PROGRAM)]);
    let build = [
        "graph", "build", "p.dve", "-q", "--states", "0", "-o", "p.swg",
    ];
    assert_eq!(ended(&directory, &build).0, Some(3));
    let (code, _, err) = ended(&directory, &["graph", "walk", "p.swg", "p.dve"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("it has no nodes"), "{err}");
}

#[test]
fn a_graph_that_cannot_be_written_says_why_and_where() {
    let directory = directory(&[("p.dve", PROGRAM)]);
    let build = [
        "graph",
        "build",
        "p.dve",
        "--errors",
        "count",
        "-o",
        "/dev/full",
    ];
    let (code, out, _) = ended(&directory, &[&build[..], &["--format", "json"]].concat());
    assert_eq!(code, Some(2));
    let record: Value = serde_json::from_str(&out).expect("it is JSON");
    let message = record["error"]["message"].as_str().expect("a text");
    for part in ["/dev/full", "No space left"] {
        assert!(message.contains(part), "{message}");
    }
}

/// What a limit cuts short stands beside the graph of everything, which stays.
#[test]
fn a_complete_graph_is_not_replaced_by_a_part() {
    let directory = built("philosophers.pnml", &[]);
    let read = |file: &str| fs::read(directory.path().join(file)).ok();
    let whole = read("g.swg").expect("it was written");
    let part = ["graph", "build", "philosophers.pnml", "--states", "40"];
    let build = |to: &[&str]| ended(&directory, &[&part[..], to].concat());
    let (code, _, err) = build(&["-o", "g.swg"]);
    assert_eq!(code, Some(3));
    assert!(err.contains("not complete to g.incomplete.swg"), "{err}");
    assert!(err.contains("kept g.swg as it was"), "{err}");
    assert_eq!(read("g.swg").as_ref(), Some(&whole));
    let beside = read("g.incomplete.swg").expect("it was written");
    // A part may be replaced, by a part and by everything.
    let (_, _, err) = build(&["-o", "g.incomplete.swg"]);
    assert!(!err.contains("kept"), "{err}");
    assert_eq!(read("g.incomplete.swg"), Some(beside));
    fs::write(directory.path().join("g.incomplete.swg"), &whole).expect("it can be written");
    let (code, _, err) = build(&["-o", "g.swg"]);
    assert_eq!(code, Some(3));
    assert!(err.contains("the other was not written"), "{err}");
    assert_eq!(read("g.incomplete.swg").as_ref(), Some(&whole));
}

#[test]
fn bytes_that_are_always_zero_are_looked_at() {
    let directory = built("philosophers.pnml", &[]);
    let file = directory.path().join("g.swg");
    let mut bytes = fs::read(&file).expect("it was written");
    bytes[13] = 1;
    fs::write(&file, bytes).expect("it can be written");
    let (code, _, err) = ended(&directory, &["graph", "info", "g.swg"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("damaged"), "{err}");
}

/// No log is kept beside a graph; what ends it is shown all the same.
#[test]
fn a_graph_that_ends_at_an_error_shows_the_way() {
    let fails = "byte x;
process P { state a, b; init a; assert b: x == 1; trans a -> b {}; }
process Q { state c; init c; trans c -> c { effect x = 1 - x; }; }
system async;
";
    let directory = directory(&[("fails.dve", fails)]);
    let output = command(&["graph", "build", "fails.dve", "-o", "g.swg"])
        .current_dir(directory.path())
        .output()
        .expect("the command line runs");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(
        shown.contains("counterexample for fails.dve:2, 1 step"),
        "{shown}"
    );
}
