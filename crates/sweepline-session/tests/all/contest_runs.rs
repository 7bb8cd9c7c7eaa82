//! Formulas of linear time about nets: those of the contest have the answers that are known.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sweepline_core::{Limits, Verdict};
use sweepline_session::{
    LoadOptions, Model, Options, Order, QuestionOptions, Questions, Reading, Run, load, verify,
};

/// States up to which all formulas are decided.
const SMALL: u64 = 30_000;

fn corpus() -> Option<(PathBuf, Vec<Value>)> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("SWEEPLINE_CORPUS").map_or_else(beside, PathBuf::from);
    let index = std::fs::read(folder.join("index.json")).ok()?;
    let entries: Vec<Value> = serde_json::from_slice(&index).expect("the index is JSON");
    Some((folder, entries))
}

fn read(path: &Path) -> Model {
    let reading = load(path, &LoadOptions::default(), &Limits::default());
    let Ok(Reading::Loaded(model)) = reading else {
        panic!("{} is read", path.display());
    };
    *model
}

fn ask(model: &Model, asked: &QuestionOptions) -> Vec<Run> {
    let questions = Questions::gather(asked, model).expect("the questions are read");
    let (order, options) = (Order::default(), Options::default());
    let runs = verify(model, &questions, &order, &options, &mut ());
    runs.unwrap_or_else(|error| panic!("{}: {error}", model.name))
}

/// The answers to a file of formulas, by name.
fn answers(model: &Model, file: &Path) -> Vec<(String, Verdict)> {
    let asked = QuestionOptions {
        files: vec![file.display().to_string()],
        ..QuestionOptions::default()
    };
    let answers = ask(model, &asked).into_iter().flat_map(|run| run.answers);
    answers
        .map(|answer| (answer.name, answer.verdict))
        .collect()
}

#[test]
fn formulas_about_small_nets_are_decided_as_is_known() {
    let Some((folder, entries)) = corpus() else {
        return;
    };
    let small = |entry: &&Value| {
        entry["states"]
            .as_u64()
            .is_some_and(|states| states <= SMALL)
    };
    let mut checked = 0;
    for entry in entries.iter().filter(small) {
        let of_net = folder
            .join("pnml")
            .join(entry["name"].as_str().unwrap_or(""));
        for file in ["LTLCardinality.xml", "LTLFireability.xml"] {
            if !of_net.join(file).is_file() {
                continue;
            }
            let model = read(&of_net.join("model.pnml"));
            for (name, verdict) in answers(&model, &of_net.join(file)) {
                let known = entry["properties"].as_array().expect("a list");
                let known = known
                    .iter()
                    .find(|one| one["id"] == name.as_str() && one["file"] == file);
                if let Some(expected) = known.and_then(|one| one["expected"].as_bool()) {
                    assert_eq!(verdict, Verdict::of(expected), "{name}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 150, "{checked}");
}

const HANDOVER: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="handover" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
  <place id="here"><initialMarking><text>1</text></initialMarking></place>
  <place id="there"/>
  <transition id="move"/>
  <arc id="take" source="here" target="move"/>
  <arc id="put" source="move" target="there"/>
</page></net></pnml>
"#;

/// The state equation says that there is never more than one token, so nothing has to be looked at.
#[test]
fn what_the_state_equation_decides_needs_no_state() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("handover.pnml");
    std::fs::write(&file, HANDOVER).expect("it is written");
    let model = read(&file);
    let run = |formula: &str| {
        let asked = QuestionOptions {
            ltl: vec![formula.to_owned()],
            ..QuestionOptions::default()
        };
        let mut runs = ask(&model, &asked);
        assert_eq!(runs.len(), 1);
        runs.remove(0)
    };
    let response = run("G (here > 5 -> F (there > 5))");
    let (answer, looked_at) = (&response.answers[0], response.statistics.probed);
    assert_eq!((&answer.verdict, looked_at), (&Verdict::Holds, 0));
    let vacuous: Vec<&str> = answer.vacuous.iter().map(|one| one.atom.as_str()).collect();
    assert_eq!(vacuous, ["(there > 5)"]);
    let arrival = run("F (there > 0)");
    assert_eq!(arrival.answers[0].verdict, Verdict::Holds);
    assert!(arrival.statistics.probed > 0);
    let never = run("F (there > 1)");
    assert_eq!(never.answers[0].verdict, Verdict::Violated);
    let trace = never.answers[0].evidence.as_ref().expect("a run");
    assert!(trace.trace.loop_start.is_some());
}
