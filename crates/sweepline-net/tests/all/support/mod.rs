//! Plain searches, for comparing.

#![allow(dead_code, reason = "every test file uses some of it")]
#![allow(clippy::allow_attributes, reason = "see above")]

use std::collections::HashSet;
use std::path::PathBuf;

use sweepline_core::{Fault, Steps, System};
use sweepline_net::{NetSystem, PetriNet, PnmlOptions, read_pnml};

/// What a search counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub states: u64,
    pub edges: u64,
    pub deadlocks: u64,
}

/// All reachable markings, by the definition of firing.
pub fn reachable_markings(net: &PetriNet) -> (Vec<Vec<u64>>, Counts) {
    let mut markings = vec![net.initial_marking()];
    let mut seen: HashSet<_> = markings.iter().cloned().collect();
    let mut counts = Counts::default();
    for index in 0.. {
        let Some(marking) = markings.get(index).cloned() else {
            break;
        };
        let before = counts.edges;
        for target in net.transition_ids().filter_map(|t| net.fire(&marking, t)) {
            counts.edges += 1;
            if seen.insert(target.clone()) {
                markings.push(target);
            }
        }
        counts.states += 1;
        counts.deadlocks += u64::from(counts.edges == before);
    }
    (markings, counts)
}

/// The same on packed words. When a place outgrows its slot, starts again with a wider one.
pub fn count_packed(mut system: NetSystem) -> Counts {
    loop {
        match try_count(&system) {
            Ok(counts) => return counts,
            Err(Fault::Outgrown { slot }) => {
                system = system.widened(slot).expect("the net is bounded");
            }
            Err(fault) => panic!("{fault:?}"),
        }
    }
}

fn try_count(system: &NetSystem) -> Result<Counts, Fault> {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut states = vec![steps.target(0).to_vec()];
    let mut seen: HashSet<_> = states.iter().cloned().collect();
    let mut counts = Counts::default();
    let mut next = 0;
    while next < states.len() {
        steps.clear();
        system.successors(&states[next], &mut steps);
        next += 1;
        if let Some(fault) = steps.fault() {
            return Err(fault.clone());
        }
        for step in 0..steps.len() {
            if seen.insert(steps.target(step).to_vec()) {
                states.push(steps.target(step).to_vec());
            }
        }
        counts.states += 1;
        counts.edges += steps.len() as u64;
        counts.deadlocks += u64::from(steps.is_empty());
    }
    Ok(counts)
}

/// The folder of the corpus and its entries for P/T nets, or nothing (with a note) if it is not there.
pub fn corpus() -> Option<(PathBuf, Vec<serde_json::Value>)> {
    corpus_of("pnml")
}

/// The same for entries of another format.
pub fn corpus_of(format: &str) -> Option<(PathBuf, Vec<serde_json::Value>)> {
    let folder = std::env::var_os("SWEEPLINE_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    let Ok(index) = std::fs::read_to_string(folder.join("index.json")) else {
        eprintln!(
            "skipped: no corpus at {}; set SWEEPLINE_CORPUS",
            folder.display()
        );
        return None;
    };
    let index: Vec<serde_json::Value> = serde_json::from_str(&index).unwrap();
    let nets = index
        .into_iter()
        .filter(|entry| entry["format"] == format)
        .collect();
    Some((folder, nets))
}

/// The net of a corpus entry.
pub fn corpus_net(folder: &std::path::Path, entry: &serde_json::Value) -> PetriNet {
    let path = folder
        .join(entry["format"].as_str().unwrap())
        .join(entry["name"].as_str().unwrap())
        .join("model.pnml");
    let bytes = std::fs::read(&path).unwrap();
    read_pnml("model.pnml", &bytes, &PnmlOptions::default()).unwrap()
}
