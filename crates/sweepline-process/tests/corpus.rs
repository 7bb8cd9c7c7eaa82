//! LTSs of others: every one can be read, and has the published numbers of states, transitions and deadlocks.
//!
//! `SWEEPLINE_CORPUS` names the corpus if it is not beside the project.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sweepline_process::{Lts, read_aut, write_lts_aut};

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

/// Every case, read.
fn cases() -> Vec<(Value, Lts)> {
    let Some(corpus) = corpus() else {
        return Vec::new();
    };
    let index = std::fs::read_to_string(corpus.join("index.json")).expect("there is an index");
    let index: Value = serde_json::from_str(&index).expect("the index is JSON");
    let mut cases = Vec::new();
    for case in index.as_array().expect("the index is a list") {
        if case["format"] == "aut" {
            let path = corpus.join(case["files"][0].as_str().expect("a file name"));
            let file = BufReader::new(File::open(&path).expect("the file can be read"));
            let lts = read_aut(&path.to_string_lossy(), file);
            cases.push((
                case.clone(),
                lts.unwrap_or_else(|error| panic!("{}: {error}", path.display())),
            ));
        }
    }
    assert!(cases.len() >= 16, "{} cases", cases.len());
    cases
}

#[test]
fn figures_are_as_published() {
    for (case, lts) in cases() {
        let deadlocks = lts
            .states()
            .filter(|&state| lts.edges_from(state).is_empty());
        let found = [
            ("states", lts.len()),
            ("transitions", lts.edge_count()),
            ("deadlock_states", deadlocks.count()),
        ];
        for (name, found) in found {
            if let Some(published) = case[name].as_u64() {
                assert_eq!(found as u64, published, "{name} of {}", case["name"]);
            }
        }
    }
}

#[test]
fn what_is_written_reads_back_to_the_same() {
    for (case, lts) in cases() {
        let mut file = Vec::new();
        write_lts_aut(&lts, &mut file).unwrap();
        let again = read_aut("again.aut", &file[..]).unwrap();
        let mut rewritten = Vec::new();
        write_lts_aut(&again, &mut rewritten).unwrap();
        assert!(rewritten == file, "{}", case["name"]);
    }
}
