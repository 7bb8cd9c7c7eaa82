//! Our own models have the figures that stand beside them.

use std::path::Path;

use crate::naive::{Figures, search};
use sweepline_fsp::{FspModel, LoadOptions, read_fsp};
use sweepline_process::Lts;
use sweepline_text::Source;

fn read(name: &str, constants: &[(&str, i64)]) -> FspModel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../models")
        .join(name);
    let text = std::fs::read_to_string(path).expect("the model is there");
    let options = LoadOptions {
        constants: constants.iter().map(|(n, v)| ((*n).into(), *v)).collect(),
        ..LoadOptions::default()
    };
    let model = read_fsp(&Source::new(name, text), &options).expect("the model is right");
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    model
}

fn check(name: &str, constants: &[(&str, i64)], states: usize, edges: usize) -> Figures {
    let figures = search(read(name, constants).network());
    let found = (figures.states, figures.edges, figures.errors);
    assert_eq!(found, (states, edges, 0), "{name} {constants:?}");
    figures
}

#[test]
fn master_and_slaves() {
    let small = [("JOBS", 6), ("SLAVES", 4)];
    check("master-slave.lts", &small, 48, 224);
    check("master-slave.lts", &[], 126_976, 1_646_592);
    let small = [("JOBS", 2), ("SLAVES", 2)];
    check("master-slave-assign.lts", &small, 20, 34);
    check("master-slave-assign.lts", &[], 126_976, 1_179_648);
}

#[test]
fn two_phase_commit() {
    let states = [11, 46, 199, 880, 3985, 18478, 87475];
    for (n, states) in (1..).zip(states) {
        let figures = search(read("two-phase-commit.lts", &[("N", n)]).network());
        assert_eq!((figures.states, figures.deadlocks), (states, 0), "{n}");
    }
    check("two-phase-commit.lts", &[], 18_478, 69_668);
    let model = read("two-phase-commit.lts", &[]);
    assert_eq!(
        names(&model.network().components[0].lts),
        ["ASK", "COLLECT", "COMMITTED", "REFUSED", "ABORTED"]
    );
    assert_eq!(
        names(&model.network().components[1].lts),
        [
            "WAIT",
            "UNDECIDED",
            "YES",
            "NO",
            "TOLD",
            "COMMIT0",
            "COMMIT1",
            "COMMITTED",
            "UNASKED",
            "UNDO",
            "GIVE_UP",
            "CLEAN_UP",
            "ABORTED"
        ]
    );
}

fn names(lts: &Lts) -> Vec<String> {
    lts.states().map(|state| lts.state_name(state)).collect()
}

#[test]
fn stop_and_wait() {
    for n in [2, 3, 4, 10, 20] {
        let size = usize::try_from(n).unwrap();
        check("stop-and-wait.lts", &[("N", n)], 182 * size, 486 * size);
    }
}

#[test]
fn stop_and_wait_is_numbered_by_sequence_number() {
    let model = read("stop-and-wait.lts", &[("N", 3)]);
    let components = &model.network().components;
    let component_names: Vec<&str> = components.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        component_names,
        ["SENDER", "RECEIVER", "data:CHANNEL", "ack:CHANNEL"]
    );
    let first = |component: usize| names(&components[component].lts)[..6].join(" ");
    assert_eq!(first(0), "S[0][0] S[0][1] S[0][2] S[0][3] S[1][0] S[1][1]");
    assert_eq!(first(1), "R[0][0] R[0][1] R[0][2] R[0][3] R[0][4] R[1][0]");
    assert_eq!(
        first(2),
        "CHANNEL FULL[0][0] FULL[0][1] FULL[1][0] FULL[1][1] FULL[2][0]"
    );
    for component in components {
        assert_eq!(component.lts.initial().0, 0, "{}", component.name);
    }
}

#[test]
fn philosophers_starve_unless_one_is_left_handed() {
    let name = "philosophers.lts";
    assert_eq!(check(name, &[], 2623, 10_795).deadlocks, 1);
    let left = [("LEFT_HANDED", 1)];
    assert_eq!(check(name, &left, 2431, 9947).deadlocks, 0);
    let progress = read(name, &[]).progress().to_vec();
    assert_eq!(progress.len(), 5);
    assert_eq!(progress[4].name, "FED[4]");
    assert!(progress[4].labels.contains("phil[4].eat"));
}

#[test]
fn the_classic_examples_are_safe_and_live() {
    for (name, constants, states, edges) in [
        ("readers-writers.lts", &[][..], 13, 24),
        ("readers-writers.lts", &[("READERS", 4)], 85, 330),
        ("bounded-buffer.lts", &[], 96, 352),
        ("bounded-buffer.lts", &[("SIZE", 10)], 176, 672),
        ("single-lane-bridge.lts", &[], 20, 32),
        ("single-lane-bridge.lts", &[("N", 3)], 63, 108),
    ] {
        let figures = check(name, constants, states, edges);
        assert_eq!(figures.deadlocks, 0, "{name}");
    }
    let progress = read("bounded-buffer.lts", &[]).progress().to_vec();
    assert_eq!(progress[0].condition.as_ref().unwrap().len(), 2);
    assert_eq!(progress[0].labels.len(), 2);
}

/// Without the process that keeps order, the property finds the fault.
#[test]
fn a_safety_property_can_be_violated() {
    let text = "LOOSE = (red.enter -> LOOSE | blue.enter -> LOOSE).
        property ONE = (red.enter -> red.exit -> ONE | blue.enter -> blue.exit -> ONE).
        ||BAD = (LOOSE || ONE).";
    let model = read_fsp(&Source::from(text), &LoadOptions::default()).unwrap();
    assert!(search(model.network()).errors > 0);
}

#[test]
fn two_phase_commit_with_many_voters() {
    check("two-phase-commit.lts", &[("N", 7)], 87_475, 378_709);
    check("two-phase-commit.lts", &[("N", 8)], 420_988, 2_060_602);
}

/// `cargo test --release -p sweepline-fsp -- --ignored the_largest`
#[test]
#[ignore = "two million states; run by name"]
fn the_largest_published_two_phase_commit() {
    check("two-phase-commit.lts", &[("N", 9)], 2_051_029, 11_213_795);
}
