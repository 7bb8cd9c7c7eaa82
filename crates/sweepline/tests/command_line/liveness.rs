//! What infinite runs satisfy.

use insta::assert_snapshot;
use serde_json::Value;

use crate::{command, directory, shown_in, text};

/// A client that is served once the server is ready, and somebody who does nothing all the time.
const SERVICE: &str = "byte ready;
process Client {
  state idle, wait, served;
  init idle;
  trans
    idle -> wait {},
    wait -> served { guard ready == 1; effect ready = 0; },
    served -> idle {};
}
process Server {
  state s;
  init s;
  trans s -> s { guard ready == 0; effect ready = 1; };
}
process Idler {
  state q;
  init q;
  trans q -> q {};
}
";

/// The same with a property process: the client waits for ever.
const PROPERTY: &str = "process Waits {
  state all, waiting;
  init all;
  accept waiting;
  trans
    all -> all {},
    all -> waiting { guard Client.wait; },
    waiting -> waiting { guard not Client.served; };
}
";

const AUTOMATON: &str = r#"HOA: v1
States: 2
Start: 0
AP: 2 "Client.wait" "Client.served"
acc-name: Buchi
Acceptance: 1 Inf(0)
--BODY--
State: 0
[t] 0
[0 & !1] 1
State: 1 {0}
[!1] 1
--END--
"#;

const FAMILY: &str = "<model>
  <ap><ap-name>waits</ap-name><ap-expression>Client.wait</ap-expression></ap>
  <ap><ap-name>served</ap-name><ap-expression>Client.served</ap-expression></ap>
  <property id='1' prop-type='reachability'><formula>served</formula></property>
  <property id='2' prop-type='LTL'><formula>G(waits->F served)</formula></property>
  <property id='3' prop-type='LTL'><formula>!servedW waits</formula></property>
  <instance id='3'><parameters></parameters></instance>
</model>
";

const RESPONSE: &str = "G (Client.wait -> F Client.served)";

fn service() -> tempfile::TempDir {
    directory(&[
        ("service.3.dve", &format!("{SERVICE}system async;\n")),
        (
            "watched.dve",
            &format!("{SERVICE}{PROPERTY}system async property Waits;\n"),
        ),
        ("waits.hoa", AUTOMATON),
        ("service.xml", FAMILY),
        (
            "formulas.txt",
            "responds: G (Client.wait -> F Client.served)\nready: EF (ready == 1)\n",
        ),
    ])
}

/// Exit code and the verdicts with their names.
fn verdicts(args: &[&str]) -> (Option<i32>, Vec<(String, String)>) {
    let (code, record) = record(args);
    let properties = record["properties"].as_array().expect("there are some");
    let field = |property: &Value, name: &str| property[name].as_str().unwrap_or("").to_owned();
    let verdicts = properties.iter();
    let verdicts = verdicts.map(|property| (field(property, "name"), field(property, "verdict")));
    (code, verdicts.collect())
}

fn record(args: &[&str]) -> (Option<i32>, Value) {
    let directory = service();
    let args = [&["check"], args, &["--format", "json"]].concat();
    let output = command(&args).current_dir(directory.path()).output();
    let output = output.expect("it runs");
    let record = serde_json::from_slice(&output.stdout);
    let record = record.unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    (output.status.code(), record)
}

#[test]
fn a_violation_is_a_run_that_goes_on_for_ever() {
    let args = [
        "check",
        "service.3.dve",
        "--progress",
        "none",
        "--ltl",
        RESPONSE,
    ];
    assert_snapshot!(shown_in(&service(), &args));
}

#[test]
fn fair_runs_may_satisfy_more() {
    let ask = |more: &[&str]| verdicts(&[&["service.3.dve", "--ltl", RESPONSE], more].concat()).0;
    assert_eq!(ask(&[]), Some(1));
    assert_eq!(ask(&["--weak-fair", "Client*"]), Some(1), "the server");
    let both = ["--weak-fair", "Client*", "--weak-fair", "Server*"];
    assert_eq!(ask(&both), Some(0));
    assert_eq!(
        ask(&["--strong-fair", "*: *"]),
        Some(1),
        "the idler is one of them"
    );
    assert_eq!(ask(&["--fair", "Client.served"]), Some(0));
}

#[test]
fn every_search_gives_the_same_verdict() {
    for search in ["links", "product", "thesis"] {
        for measure in ["none", "auto", "ready", "Client"] {
            for (formula, expected) in [
                (RESPONSE, "violated"),
                ("G (Client.served -> ready == 0)", "violated"),
                ("(not Client.served) W Client.wait", "holds"),
                ("G (ready <= 1)", "holds"),
                ("F Client.wait", "violated"),
            ] {
                let args = ["service.3.dve", "--ltl", formula, "--emptiness", search];
                let (code, found) = verdicts(&[&args[..], &["--progress", measure]].concat());
                assert_eq!(found[0].1, expected, "{formula} by {search}, {measure}");
                assert_eq!(code, Some(i32::from(expected == "violated")));
            }
        }
    }
}

#[test]
fn loops_are_told_to_programs() {
    let (_, record) = record(&["service.3.dve", "--ltl", RESPONSE]);
    let trace = &record["properties"][0]["trace"];
    let steps = trace["steps"].as_array().expect("it has steps").len();
    let start = trace["loop"].as_u64().expect("it has a loop");
    assert!(usize::try_from(start).unwrap() < steps, "{trace}");
    assert_eq!(record["properties"][0]["kind"], "ltl");
    let directory = service();
    let itf = directory.path().join("run.itf.json");
    let itf = itf.to_str().expect("it is text");
    let args = [
        "check",
        "service.3.dve",
        "--ltl",
        RESPONSE,
        "--trace-format",
        "itf",
        "--trace-out",
        itf,
    ];
    let status = command(&args).current_dir(directory.path()).status();
    assert_eq!(status.expect("it runs").code(), Some(1));
    let itf: Value = serde_json::from_slice(&std::fs::read(itf).unwrap()).unwrap();
    assert!(itf["loop"].is_u64(), "{itf}");
}

#[test]
fn automata_and_properties_of_files_are_asked() {
    let violated = |name: &str| (name.to_owned(), "violated".to_owned());
    let holds = |name: &str| (name.to_owned(), "holds".to_owned());
    let (code, found) = verdicts(&["service.3.dve", "--automaton", "waits.hoa"]);
    assert_eq!((code, found), (Some(1), vec![violated("waits.hoa")]));
    let (code, found) = verdicts(&["watched.dve"]);
    assert_eq!((code, found), (Some(1), vec![violated("Waits")]));
    let (code, found) = verdicts(&["service.3.dve", "--property", "service.xml"]);
    assert_eq!(
        (code, found),
        (Some(1), vec![holds("1"), violated("2"), holds("3")])
    );
    let (code, found) = verdicts(&["service.3.dve", "--property", "service.xml#3"]);
    assert_eq!((code, found), (Some(0), vec![holds("3")]));
    let (code, found) = verdicts(&["service.3.dve", "--property", "formulas.txt"]);
    assert_eq!(
        (code, found),
        (Some(1), vec![violated("responds"), holds("ready")])
    );
}

#[test]
fn a_run_that_ends_stays_where_it_is() {
    let ending = "process P { state a, b; init a; trans a -> b {}; } system async;";
    let directory = directory(&[("ending.dve", ending)]);
    let args = [
        "check",
        "ending.dve",
        "--progress",
        "none",
        "--ltl",
        "G F P.a",
        "--ltl",
        "F G P.b",
    ];
    assert_snapshot!(shown_in(&directory, &args));
}

#[test]
fn what_holds_vacuously_says_so() {
    let args = [
        "check",
        "service.3.dve",
        "--progress",
        "none",
        "--ltl",
        "G (ready > 1 -> F Client.served)",
        "--ltl",
        "(not Client.served) W Client.wait",
    ];
    assert_snapshot!(shown_in(&service(), &args));
    let (code, record) = record(&args[1..]);
    assert_eq!(code, Some(0));
    let vacuous = |property: usize| &record["properties"][property]["vacuous"];
    let served =
        serde_json::json!([{ "atom": "Client.served", "occurrence": 1, "occurrences": 1 }]);
    assert_eq!(*vacuous(0), served);
    assert!(vacuous(1).is_null(), "{}", vacuous(1));
}

/// What is recorded of runs does not fit, so each question is swept.
#[test]
fn little_memory_is_enough_to_sweep() {
    let args = [
        "go-back-n.dve",
        "--set",
        "K=60",
        "--columns",
        "Sender.b + Receiver.r",
    ];
    let ask = |more: &[&str]| {
        let args = [&["check"], &args[..], more, &["--format", "json"]].concat();
        let output = command(&args).output().expect("it runs");
        let record: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        record["properties"][0]["verdict"]
            .as_str()
            .unwrap_or("")
            .to_owned()
    };
    let formula = ["--ltl", "G (Receiver.r > 3 -> F Receiver.r > 3)"];
    assert_eq!(ask(&formula), "holds");
    assert_eq!(ask(&[&formula[..], &["--memory", "8M"]].concat()), "holds");
}

#[test]
fn mistakes_are_pointed_at() {
    let directory = service();
    let shown = |args: &[&str]| shown_in(&directory, &[&["check", "service.3.dve"], args].concat());
    assert_snapshot!("syntax", shown(&["--ltl", "G (Client.wait -> F"]));
    assert_snapshot!("unknown", shown(&["--ltl", "G (Client.wiat -> F ready)"]));
    assert_snapshot!(
        "pattern",
        shown(&["--ltl", "F ready", "--weak-fair", "Cleint*"])
    );
    assert_snapshot!(
        "caching",
        shown(&["--ltl", "F ready", "--method", "caching"])
    );
}
