//! How much is left of real models, and that their deadlocks are all there.
//!
//! `SWEEPLINE_CORPUS` names the corpus if it is not beside the project.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]
#![expect(
    clippy::print_stderr,
    reason = "somebody should know why nothing was tested"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use sweepline_core::{AnySystem, Limits, NoProgress};
use sweepline_explore::{End, LogPlace, Options, Sweep};
use sweepline_net::{NetSystem, PnmlOptions, read_pnml};
use sweepline_program::ProgramSystem;
use sweepline_reduce::{Aim, NetTransitions, ProgramTransitions, Stubborn, Transitions};

/// A model, its states and deadlocks if they are known, and the most states that may be explored.
struct Case(&'static str, Option<u64>, Option<u64>, u64);

/// These take seconds. What is promised is a share of the states, and two points more are allowed.
const SMALL: [Case; 17] = [
    Case("dve/brp.1", Some(18_928), Some(72), 8_870),
    Case("dve/anderson.4", Some(29_641), Some(0), 14_200),
    Case("dve/at.1", Some(39_354), Some(0), 34_400),
    Case("dve/bakery.3", Some(32_919), Some(51), 20_800),
    Case("dve/protocols.2", Some(11_286), Some(0), 1_640),
    Case("dve/firewire_link.2", Some(55_887), Some(246), 11_800),
    Case("dve/leader_election.3", Some(101_360), Some(1), 7_800),
    Case("dve/mcs.4", Some(16_384), Some(24), 3_000),
    Case("dve/cyclic_scheduler.3", Some(229_374), Some(0), 100),
    Case("dve/cyclic_scheduler.2", Some(3_302), Some(80), 790),
    Case("dve/phils.5", Some(531_440), Some(1), 398),
    Case("pnml/BART-PT-002", Some(17_424), None, 200),
    Case(
        "pnml/ClientsAndServers-PT-N0005P0",
        Some(125_510_607_915),
        None,
        5_000,
    ),
    Case("pnml/JoinFreeModules-PT-0005", None, None, 15_000),
    Case("pnml/FlexibleBarrier-PT-08a", None, None, 8_000),
    Case("pnml/RobotManipulation-PT-00010", None, None, 600),
    Case("pnml/DLCround-PT-03a", None, None, 1_000),
];

/// These take a minute.
const LARGE: [Case; 7] = [
    Case("dve/iprotocol.3", Some(1_013_456), Some(0), 130_000),
    Case(
        "dve/public_subscribe.4",
        Some(1_846_603),
        Some(720),
        243_000,
    ),
    Case("dve/mcs.3", Some(571_459), Some(0), 446_000),
    Case("dve/szymanski.3", Some(1_128_424), Some(0), 392_000),
    Case("dve/peterson.4", Some(1_119_560), Some(0), 747_000),
    Case("dve/lamport.5", Some(1_066_800), Some(0), 897_000),
    Case("dve/leader_election.5", Some(4_803_952), Some(1), 158_000),
];

/// The corpus, or nothing and a word about it.
fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("SWEEPLINE_CORPUS").map_or(beside, PathBuf::from);
    if !corpus.is_dir() {
        eprintln!(
            "skipped: no corpus at {}; set SWEEPLINE_CORPUS",
            corpus.display()
        );
        return None;
    }
    Some(corpus)
}

fn load(corpus: &Path, name: &str) -> (Arc<dyn AnySystem>, Arc<dyn Transitions>) {
    let folder = corpus.join(name);
    if let Some(model) = name.strip_prefix("dve/") {
        let file = folder.join(format!("{model}.dve"));
        let source = sweepline_text::decode(name, std::fs::read(file).unwrap()).unwrap();
        let options = sweepline_dve::LoadOptions::default();
        let program = sweepline_dve::read_dve(&source, &options)
            .unwrap()
            .program();
        let transitions = ProgramTransitions::new(&program).unwrap();
        let system = ProgramSystem::new((*program).clone());
        return (Arc::new(system), Arc::new(transitions));
    }
    let bytes = std::fs::read(folder.join("model.pnml")).unwrap();
    let net = Arc::new(read_pnml(name, &bytes, &PnmlOptions::default()).unwrap());
    let transitions = NetTransitions::new(Arc::clone(&net)).unwrap();
    (Arc::new(NetSystem::new(net)), Arc::new(transitions))
}

/// States and deadlocks of what is left.
fn explore(mut system: Arc<dyn AnySystem>, most: u64) -> (u64, Option<u64>) {
    loop {
        let options = Options {
            limits: Limits {
                states: Some(most + 1),
                ..Limits::default()
            },
            log: LogPlace::Off,
            ..Options::default()
        };
        let mut sweep = Sweep::new(Arc::clone(&system), NoProgress, options);
        if let End::Outgrown(slot) = sweep.run(&mut ()) {
            system = system.widened(slot).unwrap();
            continue;
        }
        let statistics = sweep.statistics();
        let complete = statistics.complete;
        let deadlocks = statistics.deadlocks().filter(|_| complete);
        return (statistics.explored, deadlocks);
    }
}

/// Explores and compares.
fn check(corpus: &Path, case: &Case) {
    let Case(name, states, deadlocks, most) = case;
    let started = Instant::now();
    let (system, transitions) = load(corpus, name);
    let loaded = started.elapsed().as_secs_f64();
    let aim = Aim::deadlocks_tried_on(transitions, &system, &Limits::default());
    let (explored, found) = explore(Arc::new(Stubborn::new(system, Arc::new(aim))), *most);
    let seconds = started.elapsed().as_secs_f64();
    eprintln!("{name} {explored} of {states:?}: {loaded:.2} s, {seconds:.2} s");
    assert!(explored <= *most, "{name}: more than {most}");
    let found = found.expect("everything is explored");
    assert!(
        deadlocks.is_none_or(|known| known == found),
        "{name}: {found}"
    );
}

#[test]
fn little_is_left_of_small_models() {
    let Some(corpus) = corpus() else { return };
    for case in &SMALL {
        check(&corpus, case);
    }
}

/// Where runs are preserved: a model and the most states that may be explored.
const RUNS: [(&str, u64); 7] = [
    ("dve/leader_election.3", 8_800),
    ("dve/protocols.2", 2_340),
    ("dve/firewire_link.2", 15_800),
    ("dve/brp.1", 13_100),
    ("dve/leader_election.5", 168_000),
    ("dve/iprotocol.3", 410_000),
    ("dve/public_subscribe.4", 382_000),
];

fn check_runs(corpus: &Path, (name, most): (&str, u64)) {
    let (system, transitions) = load(corpus, name);
    let aim = Aim::runs(transitions, &*system, &[], &[]).unwrap();
    let reduced = Stubborn::new(system, Arc::new(aim));
    let (explored, _) = explore(Arc::new(reduced), most);
    eprintln!("{name} runs {explored}");
    assert!(explored <= most, "{name}: more than {most}");
}

#[test]
fn little_is_left_of_runs_of_small_models() {
    let Some(corpus) = corpus() else { return };
    for case in RUNS.into_iter().take(4) {
        check_runs(&corpus, case);
    }
}

/// All of them: `cargo test --release -p sweepline-reduce --test all corpus -- --ignored`. The benchmark `reduction` stores figures.
#[test]
#[ignore = "takes minutes"]
fn little_is_left_of_large_models() {
    let Some(corpus) = corpus() else { return };
    for case in &LARGE {
        check(&corpus, case);
    }
    for case in RUNS.into_iter().skip(4) {
        check_runs(&corpus, case);
    }
}
