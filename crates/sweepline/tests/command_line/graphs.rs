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
