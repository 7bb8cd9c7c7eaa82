//! Nets whose tokens have colours.

use serde_json::Value;

use crate::{command, directory, sweepline, text};

fn json(args: &[&str]) -> (Option<i32>, Value) {
    let output = sweepline(&[args, &["--format", "json"]].concat());
    let out = text(&output.stdout);
    let record = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
    (output.status.code(), record)
}

#[test]
fn time_is_a_limit_and_what_states_know_of_it() {
    let model = [
        "explore",
        "key-lock.cpn",
        "--set",
        "ROUNDS=2",
        "--method",
        "full",
    ];
    for (args, states) in [
        (&["--time", "600", "--time", "relative"][..], 622),
        (&["--time=ready", "--time=600"], 8534),
        (&["--clock", "relative"], 622),
        (&["--time", "absolute"], 14987),
    ] {
        let (code, record) = json(&[&model, args].concat());
        assert_eq!(
            (code, &record["states"]),
            (Some(0), &Value::from(states)),
            "{args:?}"
        );
    }
    let wrong = sweepline(&[&model[..], &["--time", "later"]].concat());
    let why = text(&wrong.stderr);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(why.contains("how long a run may take"), "{why}");
    assert!(why.contains("absolute, ready, relative"), "{why}");
    let misplaced = sweepline(&["explore", "pipeline.pnml", "--time", "ready"]);
    assert_eq!(misplaced.status.code(), Some(2));
}

#[test]
fn properties_speak_of_the_coloured_net() {
    let (code, record) = json(&[
        "check",
        "philosophers-coloured.pnml",
        "--invariant",
        "fork <= 5",
        "--reach",
        "not fireable(take_left)",
    ]);
    assert_eq!(code, Some(0), "{record}");
    let shown = |at: usize| {
        record["properties"][at]["formula"]
            .as_str()
            .unwrap_or("")
            .to_owned()
    };
    assert_eq!(shown(0), "AG (fork <= 5)");
    assert_eq!(shown(1), "EF (not fireable(take_left))");
}

const NET: &str = "<workspaceElements><generator tool='CPN Tools' version='4.0.1' format='6'/><cpnet><globbox>\
    <color id='c'><id>I</id><int/></color><ml id='d'>var n : I;</ml></globbox>\
    <page id='p'><pageattr name='Top'/>\
    <place id='a'><text>A</text><type id='at'><text>I</text></type><initmark id='ai'><text>0</text></initmark></place>\
    <trans id='t'><text>Step</text><cond id='tg'><text>[n &lt; 3]</text></cond></trans>\
    <arc id='x' orientation='PtoT'><transend idref='t'/><placeend idref='a'/><annot id='xa'><text>n</text></annot></arc>\
    <arc id='y' orientation='TtoP'><transend idref='t'/><placeend idref='a'/><annot id='ya'><text>n + 1</text></annot></arc>\
    NOTES</page></cpnet></workspaceElements>";

/// Queries in the texts of a model are answered, or it is said why not.
#[test]
fn queries_of_a_model_are_asked() {
    let notes = [
        "Steps of a counter",
        "fun three n = Mark.Top'A 1 n = 1`3; eval_node (POS (NF (\"three\", three))) InitNode",
        "eval_node (INV (MODAL TT)) InitNode",
        "UpperInteger (fn n => Mark.Top'A 1 n)",
        "eval_node TT 2",
        "use \"other.sml\"",
    ];
    let notes = notes.map(|note| {
        let note = note.replace('<', "&lt;");
        format!("<Aux id='n'><label/><text>{note}</text></Aux>")
    });
    let files = directory(&[("counter.cpn", &NET.replace("NOTES", &notes.concat()))]);
    let run = |args: &[&str]| {
        let output = command(args).current_dir(files.path()).output();
        let output = output.expect("it runs");
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let (code, out, err) = run(&["check", "counter.cpn", "--format", "json"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(
        err.contains("is never executed: use \"other.sml\""),
        "{err}"
    );
    let record: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
    let field = |name: &str| -> Vec<String> {
        let properties = record["properties"].as_array().into_iter().flatten();
        properties
            .map(|one| one[name].as_str().unwrap_or("").to_owned())
            .collect()
    };
    assert_eq!(
        field("verdict"),
        ["violated", "holds", "violated", "holds", "inconclusive"]
    );
    assert_eq!(field("name")[1], "query 1 (page Top)");
    assert!(field("formula")[3].ends_with(" = 1"), "{out}");
    assert!(
        field("reason")[4].starts_with("`eval_node TT 2` is not answered: a text on page Top"),
        "{out}"
    );
    let (code, out, _) = run(&["explore", "counter.cpn", "--report"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("Queries of the Model"), "{out}");
    // Whoever asks something else gets that.
    let (code, out, _) = run(&[
        "check",
        "counter.cpn",
        "--reach",
        "A == 3",
        "--format",
        "json",
    ]);
    assert_eq!((code, out.contains("query")), (Some(0), false), "{out}");
}

/// What is wrong with something that nothing uses is a warning, and says where that is.
#[test]
fn warnings_say_where() {
    let declared = "<ml id='e'>fun twice x = x ^ 2;</ml></globbox>";
    let net = NET.replace("NOTES", "").replace("</globbox>", declared);
    let files = directory(&[("counter.cpn", &net)]);
    let output = command(&["explore", "counter.cpn"])
        .current_dir(files.path())
        .output()
        .expect("it runs");
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    for part in [
        "expected string, found int",
        "counter.cpn:1:",
        "this is int",
    ] {
        assert!(err.contains(part), "{part}: {err}");
    }
}

/// What a sweep forgets, the tables of a net forget too, in products with automata as well. What was found is followed afterwards.
#[test]
fn products_forget_what_they_have_passed() {
    let asked = |requests: &str, formula: &str| {
        let set = format!("REQUESTS={requests}");
        let asked = ["check", "journal.cpn", "--columns", "Answered"];
        let how = ["--set", &set, "--emptiness", "product", "--ltl", formula];
        let (code, record) = json(&[&asked[..], &how].concat());
        (code, record["properties"][0].clone())
    };
    let peak = |requests| {
        let (code, answer) = asked(requests, "G F Answered > 0");
        assert_eq!((code, &answer["verdict"]), (Some(0), &Value::from("holds")));
        let peak = answer["statistics"]["peak_bytes"].as_u64();
        peak.unwrap_or_else(|| panic!("{answer}"))
    };
    let (few, many) = (peak("8000"), peak("32000"));
    assert!(many < few + few / 4, "{few} and {many} bytes");
    let (code, answer) = asked("8000", "F G Answered > 8000");
    assert_eq!(
        (code, &answer["verdict"]),
        (Some(1), &Value::from("violated"))
    );
    let steps = answer["trace"]["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 16_000);
    let last = &steps[steps.len() - 1]["state"]["Server.Journal"];
    assert!(
        last.as_str()
            .unwrap()
            .starts_with("1`[(8000,\"request 8000\")"),
        "{last}"
    );
}

/// Propositions of a graph may ask for anything that other predicates ask for, while the net's encoding changes.
#[test]
fn propositions_of_graphs_are_about_tokens() {
    let directory = directory(&[]);
    let file = directory.path().join("journal.swg");
    let file = file.to_str().unwrap();
    let build = [
        "graph",
        "build",
        "journal.cpn",
        "--columns",
        "Answered",
        "-q",
        "-o",
        file,
    ];
    let props = [
        "asked = count(Requests, (7, _)) > 0",
        "first = ml(List.exists (fn (n, _) => n = 1) (ms_to_col Journal))",
    ];
    let props = [
        "--set",
        "REQUESTS=8000",
        "--prop",
        props[0],
        "--prop",
        props[1],
    ];
    let built = sweepline(&[&build[..], &props].concat());
    assert_eq!(built.status.code(), Some(0), "{}", text(&built.stderr));
    for (formula, holds) in [
        ("EF asked", true),
        ("AG (first -> not E[not asked U deadlock])", false),
        ("A[not first U asked]", false),
        ("EF (asked and first)", true),
        ("AG AF not first", true),
        ("AG not first", false),
    ] {
        let asked = json(&["graph", "check", file, "--ctl", formula]);
        let model = formula
            .replace("asked", "count(Requests, (7, _)) > 0")
            .replace(
                "first",
                "ml(List.exists (fn (n, _) => n = 1) (ms_to_col Journal))",
            );
        let set = ["--set", "REQUESTS=8000", "--ctl", &model];
        let direct = json(&[&["check", "journal.cpn"][..], &set].concat());
        let verdict = |record: &Value| record["properties"][0]["verdict"].clone();
        assert_eq!(verdict(&asked.1), verdict(&direct.1), "{formula}");
        let expected = if holds { "holds" } else { "violated" };
        assert_eq!(verdict(&asked.1), Value::from(expected), "{formula}");
    }
}
