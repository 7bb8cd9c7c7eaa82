//! Models of others: columns never fall on the edges of their first states.
//!
//! `SWEEPLINE_CORPUS` names the corpus if it is not beside the project; `SWEEPLINE_CORPUS_STATES` is how many states
//! are looked at, 5,000 unless told otherwise.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sweepline_dve::{LoadOptions, read_dve};
use sweepline_logic::Source;
use sweepline_program::Program;
use sweepline_progress::linear::Budget;

use crate::program::{explore, measures};

fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("SWEEPLINE_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    let folder = folder.join("dve");
    if !folder.is_dir() {
        eprintln!("skipped: no corpus at {}", folder.display());
        return None;
    }
    Some(folder)
}

/// The models, without those that have a property of their own.
fn models(corpus: &Path) -> Vec<(String, Program)> {
    let mut names: Vec<_> = corpus.read_dir().unwrap().flatten().collect();
    names.sort_by_key(std::fs::DirEntry::file_name);
    let model = |folder: std::fs::DirEntry| {
        let name = folder.file_name().into_string().unwrap();
        let path = folder.path().join(format!("{name}.dve"));
        let source = Source::new(name.clone(), std::fs::read_to_string(path).ok()?);
        let model = read_dve(&source, &LoadOptions::default()).unwrap();
        Some((name, Program::clone(&model.program())))
    };
    names.into_iter().filter_map(model).collect()
}

#[test]
fn columns_never_fall() {
    let Some(corpus) = corpus() else { return };
    let states = std::env::var("SWEEPLINE_CORPUS_STATES").ok();
    let states = states.map_or(5_000, |states| states.parse().unwrap());
    let (mut with, mut acyclic) = (Vec::new(), BTreeSet::new());
    for (name, program) in models(&corpus) {
        let found = measures(&program, &[], &Budget::of(30_000 * Budget::MILLISECOND));
        explore(&program, &found, states).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        if found.strict.iter().all(|strict| *strict) {
            acyclic.insert(name.split('.').next().unwrap().to_string());
        }
        if !found.columns.is_empty() {
            with.push(name);
        }
    }
    assert!(
        with.len() >= 67,
        "{} models have a column: {with:?}",
        with.len()
    );
    let expected = ["bridge", "exit", "extinction", "frogs", "needham"];
    assert!(
        acyclic.iter().eq(expected),
        "every action progresses in {acyclic:?}"
    );
}
