//! Formulas of linear time of the contest have the answers that are known.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sweepline_core::{Limits, Verdict};
use sweepline_session::{
    LoadOptions, Model, Options, Order, QuestionOptions, Questions, Reading, load, verify,
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

/// The answers to a file of formulas, by name.
fn answers(model: &Model, file: &Path) -> Vec<(String, Verdict)> {
    let asked = QuestionOptions {
        files: vec![file.display().to_string()],
        ..QuestionOptions::default()
    };
    let questions = Questions::gather(&asked, model).expect("the file is read");
    let runs = verify(
        model,
        &questions,
        &Order::default(),
        &Options::default(),
        &mut (),
    );
    let runs = runs.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let answers = runs.into_iter().flat_map(|run| run.answers);
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
