//! Every model of the corpus: all can be read, and those with known answers have them.

mod common;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use sweepline_cpn::{LoadOptions, TimeMode, read_cpn};

/// Models that call random functions, with the name of one.
const RANDOM: [(&str, &str); 3] = [
    ("QueueSystem", "exponential"),
    ("TimedProtocol", "NetDelay.ran"),
    ("cpnbook-12-1PerformanceProtocol", "discrete"),
];

/// States, edges and dead markings, where they are known.
const KNOWN: [(&str, usize, usize, usize); 11] = [
    ("DiningPhilosophers", 11, 30, 0),
    ("DistributedDataBase", 109, 224, 0),
    ("ResourceAllocation_OG", 13, 20, 0),
    ("SimpleProtocol_OG", 428, 1130, 1),
    ("access-database", 110, 225, 0),
    ("access-philosophers", 15128, 167_241, 0),
    ("cpnbook-7-2-LimitProtocol", 13215, 52784, 1),
    ("cpncourse-two-phase-commit-W5", 23497, 52192, 32),
    ("lab10-philosophers", 11, 30, 0),
    ("lab9-feed-students", 4, 3, 1),
    ("sweepflow-bloodtestmri", 18, 20, 1),
];

fn corpus() -> Option<PathBuf> {
    let root = match std::env::var_os("SWEEPLINE_CORPUS") {
        Some(root) => PathBuf::from(root),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    let folder = root.join("cpn");
    if !folder.is_dir() {
        eprintln!("skipped: no corpus at {}", folder.display());
        return None;
    }
    Some(folder)
}

/// The file of a model.
fn file(folder: &PathBuf) -> PathBuf {
    let mut files = fs::read_dir(folder)
        .expect("what the test uses is right")
        .map(|entry| entry.expect("what the test uses is right").path());
    let is_model = |path: &PathBuf| {
        path.extension()
            .is_some_and(|end| end == "cpn" || end == "zip")
    };
    files.find(is_model).expect("what the test uses is right")
}

#[test]
fn known_models_have_known_counts() {
    let Some(corpus) = corpus() else { return };
    for (name, states, edges, deadlocks) in KNOWN {
        let path = file(&corpus.join(name));
        let cpn = read_cpn(
            name,
            &fs::read(path).expect("what the test uses is right"),
            &LoadOptions::default(),
        );
        let cpn = cpn.unwrap_or_else(|errors| panic!("{name}: {:?}", errors.errors()));
        let found =
            common::explore(Arc::new(cpn.system), usize::MAX).expect("what the test uses is right");
        assert_eq!(
            (found.states, found.edges, found.deadlocks),
            (states, edges, deadlocks),
            "{name}"
        );
    }
}

#[test]
fn all_models_can_be_read_and_explored() {
    let Some(corpus) = corpus() else { return };
    let mut names: Vec<PathBuf> = fs::read_dir(&corpus)
        .expect("what the test uses is right")
        .map(|entry| entry.expect("what the test uses is right").path())
        .collect();
    names.sort();
    assert_eq!(names.len(), 40);
    let mut wrong = Vec::new();
    for folder in names {
        let name = folder
            .file_name()
            .expect("what the test uses is right")
            .to_str()
            .expect("what the test uses is right")
            .to_owned();
        let bytes = fs::read(file(&folder)).expect("what the test uses is right");
        let read = read_cpn(&name, &bytes, &LoadOptions::default());
        let random = RANDOM.iter().find(|(model, _)| *model == name);
        match (read, random) {
            (Ok(cpn), None) => match common::explore(Arc::new(cpn.system), 2000) {
                Ok(_) => {}
                Err(fault) => wrong.push(format!("{name}: {fault:?}")),
            },
            (Ok(_), Some((_, function))) => {
                wrong.push(format!("{name}: calls `{function}` unnoticed"));
            }
            (Err(errors), None) => wrong.push(format!("{name}: {:#?}", errors.errors())),
            (Err(errors), Some((_, function))) => {
                let all: Vec<String> = errors.errors().iter().map(ToString::to_string).collect();
                if !all.iter().any(|message| message.contains(function)) {
                    wrong.push(format!("{name}: {all:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The figures of a hand translation.
#[test]
fn relative_time_makes_the_timed_protocol_finite() {
    let Some(corpus) = corpus() else { return };
    let name = "cpnbook-10-19TimedStateSpaces";
    let text = fs::read_to_string(file(&corpus.join(name))).expect("what the test uses is right");
    let options = LoadOptions {
        time: TimeMode::Relative,
        ..LoadOptions::default()
    };
    for (limit, states, edges) in [(1, 199, 396), (2, 40_346, 87_532)] {
        let text = text.replace("3`()", &format!("{limit}`()"));
        let found = common::count(&text, &options);
        assert_eq!(
            (found.states, found.edges),
            (states, edges),
            "limit {limit}"
        );
    }
    // With absolute time every round is something new.
    let found = common::explore(
        Arc::new(common::read(&text, &LoadOptions::default()).system),
        5000,
    );
    assert!(!found.expect("what the test uses is right").complete);
}
