//! Nothing that is asked is dropped: what cannot be answered is listed with the reason, while the rest is answered.

use serde_json::Value;

use crate::{command, directory, shown_in, text};

/// Two reachability formulas, one of LTL, one of CTL* and one about a place that does not exist.
fn contest() -> String {
    let property = |id: &str, formula: &str| {
        format!("<property><id>{id}</id><formula>{formula}</formula></property>\n")
    };
    let tokens = |place: &str| {
        format!(
            "<integer-le><tokens-count><place>{place}</place></tokens-count>\
             <integer-constant>1</integer-constant></integer-le>"
        )
    };
    let always = |inner: &str| format!("<all-paths><globally>{inner}</globally></all-paths>");
    let ltl = "<all-paths><finally><globally><deadlock/></globally></finally></all-paths>";
    let star = "<exists-path><globally><finally><exists-path><next><deadlock/></next></exists-path></finally></globally></exists-path>";
    let all = [
        property("Philosophers-PT-5-Contest-2024-00", &always(&tokens("e_0"))),
        property("Philosophers-PT-5-Contest-2024-01", ltl),
        property("Philosophers-PT-5-Contest-2024-02", &always(&tokens("f_0"))),
        property("Philosophers-PT-5-Contest-2024-03", star),
        property("Philosophers-PT-5-Contest-2024-04", &always(&tokens("e_9"))),
    ];
    format!("<property-set>{}</property-set>", all.concat())
}

fn philosophers() -> tempfile::TempDir {
    let net = std::fs::read_to_string(crate::models().join("philosophers.pnml"));
    directory(&[
        ("philosophers.pnml", &net.expect("it is there")),
        ("contest.xml", &contest()),
    ])
}

/// Exit code and output.
fn run(directory: &tempfile::TempDir, args: &[&str]) -> (Option<i32>, String) {
    let output = command(args).current_dir(directory.path()).output();
    let output = output.expect("it runs");
    (output.status.code(), text(&output.stdout))
}

fn run_json(directory: &tempfile::TempDir, args: &[&str]) -> (Option<i32>, Value) {
    let (code, out) = run(directory, &[args, &["--format", "json"]].concat());
    let record = serde_json::from_str(&out);
    (
        code,
        record.unwrap_or_else(|error| panic!("{error}: {out}")),
    )
}

fn field(property: &Value, name: &str) -> String {
    property[name].as_str().unwrap_or("").to_owned()
}

#[test]
fn one_formula_does_not_sink_its_file() {
    let directory = philosophers();
    let args = ["check", "philosophers.pnml", "--property", "contest.xml"];
    insta::assert_snapshot!(shown_in(&directory, &args));
    let (code, record) = run_json(&directory, &args);
    assert_eq!(code, Some(1));
    let properties = record["properties"].as_array().expect("a list");
    let found: Vec<_> = properties
        .iter()
        .map(|property| ["kind", "verdict", "reason"].map(|name| field(property, name)))
        .collect();
    let not_checked = "not checked by this version: a formula of";
    let unknown = "property `Philosophers-PT-5-Contest-2024-04`: unknown place `e_9`";
    assert_eq!(
        found,
        [
            ["invariant", "holds", ""],
            ["ltl", "violated", ""],
            ["invariant", "holds", ""],
            ["ctl", "inconclusive", &format!("{not_checked} CTL*")],
            ["formula", "inconclusive", unknown],
        ]
    );
    let asked = field(&properties[3], "formula");
    assert!(asked.starts_with("<exists-path><globally>"), "{asked}");
}

#[test]
fn one_is_picked_by_name_or_number() {
    let directory = philosophers();
    let ask = |which: &str| {
        let file = format!("contest.xml#{which}");
        let args = ["check", "philosophers.pnml", "--property", &file];
        let (code, record) = run_json(&directory, &args);
        (code, field(&record["properties"][0], "name"))
    };
    let name = |number: u32| format!("Philosophers-PT-5-Contest-2024-0{number}");
    assert_eq!(ask("3"), (Some(0), name(2)));
    assert_eq!(ask(&name(2)), (Some(0), name(2)));
    assert_eq!(ask("2"), (Some(1), name(1)));
    assert_eq!(ask("4"), (Some(3), name(3)));
    // The one that is wrong is an error if it is the one that is wanted.
    assert_eq!(ask("5"), (Some(2), String::new()));
    assert_eq!(ask("6"), (Some(2), String::new()));
    assert_eq!(ask("0"), (Some(2), String::new()));
}

#[test]
fn formulas_as_text_are_read_one_by_one() {
    let model = "byte n; process P { state s; init s; trans s -> s { guard n < 3; effect n = n + 1; }; } system async;";
    let formulas = "# four\nsmall: AG n < 9\nagain: AG (EF n == 0)\nmissing: AG m < 9\nbroken: AG (n <\nlive: G F n == 3\n";
    let directory = directory(&[
        ("m.dve", model),
        ("f.txt", formulas),
        ("bad.txt", "a: AG (\nb: EF (\n"),
    ]);
    let (code, record) = run_json(&directory, &["check", "m.dve", "--property", "f.txt"]);
    assert_eq!(code, Some(1));
    let properties = record["properties"].as_array().expect("a list");
    let found: Vec<_> = properties
        .iter()
        .map(|property| ["name", "kind", "verdict"].map(|name| field(property, name)))
        .collect();
    assert_eq!(
        found,
        [
            ["small", "invariant", "holds"],
            ["again", "ctl", "violated"],
            ["missing", "formula", "inconclusive"],
            ["broken", "formula", "inconclusive"],
            ["live", "ltl", "holds"],
        ]
    );
    let ask = |which: &str| run(&directory, &["check", "m.dve", "--property", which]).0;
    assert_eq!((ask("f.txt#small"), ask("f.txt#1")), (Some(0), Some(0)));
    assert_eq!(
        (ask("f.txt#again"), ask("f.txt#missing")),
        (Some(1), Some(2))
    );
    assert_eq!(ask("bad.txt"), Some(2));
}

/// Nothing is explored for what cannot be checked, and no figures pretend that it was.
#[test]
fn only_unanswered_questions() {
    let directory = philosophers();
    let args = ["check", "philosophers.pnml", "--property", "contest.xml#4"];
    insta::assert_snapshot!(shown_in(&directory, &args));
}

#[test]
fn a_property_process_is_asked() {
    let program = "byte n;
process P { state s; init s; trans s -> s { effect n = 1 - n; }; }
process LTL {
  state a, b;
  init a;
  accept b;
  trans a -> a {}, a -> b { guard n == 1; }, b -> b { guard n == 1; };
}
system async property LTL;
";
    let directory = directory(&[("m.prop1.dve", program)]);
    insta::assert_snapshot!(shown_in(&directory, &["check", "m.prop1.dve", "-q"]));
    // Who asks for something else gets that.
    let args = ["check", "m.prop1.dve", "-q", "--deadlock"];
    assert_eq!(run(&directory, &args).0, Some(0));
}

#[test]
fn progress_properties_and_fluents_are_asked() {
    let processes = "P = (a -> b -> P).
progress BOTH = {a, b}
progress IF = if {a} then {b}
fluent A = <a, b>
assert EVENTUALLY = []<>A
";
    let directory = directory(&[("p.lts", processes)]);
    insta::assert_snapshot!(shown_in(&directory, &["check", "p.lts", "-q"]));
    let warned = shown_in(&directory, &["check", "p.lts"]);
    assert!(!warned.contains("`progress` property"), "{warned}");
}

#[test]
fn bad_input_is_an_object_in_json() {
    let directory = directory(&[
        (
            "good.dve",
            "process P { state s; init s; trans s -> s {}; } system async;",
        ),
        (
            "bad.dve",
            "byte n;\nprocess P { state s; init t; }\nsystem async;",
        ),
    ]);
    let (code, record) = run_json(&directory, &["check", "bad.dve"]);
    assert_eq!(code, Some(2));
    assert_eq!(
        (&record["schema"], &record["model"]),
        (&1.into(), &"bad.dve".into())
    );
    let error = &record["error"];
    assert!(field(error, "message").contains("`t`"), "{record}");
    assert_eq!(
        (&error["places"][0]["file"], &error["places"][0]["line"]),
        (&"bad.dve".into(), &2.into()),
        "{record}"
    );
    // Each model has its line.
    let args = ["check", "bad.dve", "good.dve", "--format", "json"];
    let (code, lines) = run(&directory, &args);
    assert_eq!(code, Some(2));
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["model"], "bad.dve");
    assert_eq!(lines[1]["properties"][0]["verdict"], "holds");
    for command in ["explore", "compare", "progress"] {
        let (code, record) = run_json(&directory, &[command, "missing.dve"]);
        assert_eq!(code, Some(2), "{command}");
        let message = field(&record["error"], "message");
        assert!(message.contains("missing.dve"), "{command}: {message}");
    }
}
