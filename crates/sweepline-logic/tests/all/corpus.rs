//! Automata of others: whether they accept anything is known.
//!
//! `SWEEPLINE_CORPUS` names the corpus if it is not beside the project.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sweepline_logic::Source;
use sweepline_logic::omega::{accepts, read_omega};

/// The corpus, or nothing and a word about it.
fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("SWEEPLINE_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    if !folder.join("index.json").is_file() {
        eprintln!(
            "skipped: no corpus at {}; set SWEEPLINE_CORPUS",
            folder.display()
        );
        return None;
    }
    Some(folder)
}

#[test]
fn automata_are_empty_where_it_is_known() {
    let Some(corpus) = corpus() else { return };
    let index = std::fs::read_to_string(corpus.join("index.json")).expect("there is an index");
    let index: Value = serde_json::from_str(&index).expect("the index is JSON");
    let (mut known, mut refused) = (0, 0);
    for case in index.as_array().expect("the index is a list") {
        if case["format"] != "hoa" {
            continue;
        }
        let name = case["name"].as_str().expect("cases have names");
        let path = corpus.join(case["files"][0].as_str().expect("a file name"));
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let read = read_omega(&Source::new(name, text.as_str()));
        if case["extra"]["alternating"] == true {
            let errors = read.expect_err("alternation is refused").to_string();
            assert!(errors.contains("alternating"), "{name}: {errors}");
            refused += 1;
            continue;
        }
        let automaton = read.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        assert_eq!(
            Some(automaton.edges.len() as u64),
            case["states"].as_u64(),
            "{name}"
        );
        let word = automaton.accepted_word();
        let expected = &case["properties"][0]["expected"];
        assert_eq!(Some(word.is_none()), expected.as_bool(), "{name}");
        if let Some(word) = word {
            assert!(accepts(&automaton, &word.stem, &word.repeated), "{name}");
        }
        // What is written is the same automaton.
        let again = read_omega(&automaton.to_hoa().as_str().into()).expect("it was written by us");
        assert_eq!(again.to_hoa(), automaton.to_hoa(), "{name}");
        known += 1;
    }
    assert_eq!((known, refused), (22, 1));
}
