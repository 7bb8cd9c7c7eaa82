//! How fast networks are explored, files read and components minimised:
//! `cargo run --release -p sweepline-bench --bin networks`
//!
//! Prints each figure and whether what is promised is kept, and stores the same in `bench/runs/networks.txt`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use sweepline::core::{Limits, System, Widen};
use sweepline::fsp::{LoadOptions, read_fsp};
use sweepline::logic::Ranges;
use sweepline::process::measure::Ranking;
use sweepline::process::{
    Equivalence, Network, NetworkSystem, compose, minimise, read_aut, write_lts_aut,
};
use sweepline::progress::{Candidate, Subject, by_rule};
use sweepline_bench::clock::cpu_seconds;

/// The figures, and whether all promises are kept.
struct Results {
    text: String,
    kept: bool,
}

fn main() -> ExitCode {
    let mut results = Results {
        text: String::new(),
        kept: true,
    };
    commit(&mut results);
    files(&mut results);
    smaller(&mut results);
    print!("{}", results.text);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("runs/networks.txt");
    if let Err(error) = std::fs::write(&file, &results.text) {
        eprintln!("cannot store the figures: {error}");
    }
    ExitCode::from(u8::from(!results.kept))
}

impl Results {
    fn promise(&mut self, kept: bool, figure: &str) {
        let word = if kept { "kept  " } else { "BROKEN" };
        let _ = writeln!(self.text, "{word}  {figure}");
        self.kept &= kept;
    }
}

fn two_phase_commit(voters: i64) -> Network {
    let options = LoadOptions {
        constants: vec![("N".into(), voters)],
        ..LoadOptions::default()
    };
    let text = include_str!("../../../models/two-phase-commit.lts");
    let model = read_fsp(&text.into(), &options).expect("the model is well-formed");
    model.network().clone()
}

/// Two-phase commit with nine voters, in full and as in the published table.
fn commit(results: &mut Results) {
    let network = two_phase_commit(9);
    let system = NetworkSystem::new(&network);
    let ranked = by_rule(&network, system.layout(), Ranking::SccOrTree, false);
    let subject = Subject {
        system: Rc::new(system) as Rc<dyn Widen>,
        ranges: Ranges::Known,
        changes: None,
    };
    let explore =
        |measure: Option<&Candidate>| subject.explore(measure, u64::MAX, &Limits::default());
    for (name, measure) in [("full search", None), ("sweep", Some(&ranked))] {
        let started = cpu_seconds();
        let found = explore(measure);
        let seconds = cpu_seconds() - started;
        let figure = format!(
            "two-phase commit, 9 voters, {name}: {} states, {} edges, peak {}, {seconds:.2} s CPU (promised: under 5 s)",
            found.explored, found.edges, found.peak_states,
        );
        let peak = if measure.is_some() {
            488_285
        } else {
            2_051_029
        };
        let right =
            (found.states(), found.edges, found.peak_states) == (Some(2_051_029), 11_213_795, peak);
        results.promise(right && seconds < 5.0, &figure);
    }
}

/// Reading and writing five million edges.
#[expect(clippy::cast_precision_loss, reason = "rates have few digits")]
fn files(results: &mut Results) {
    let mut file = String::from("des (0,5000000,1000000)\n");
    for edge in 0..5_000_000_u64 {
        let (source, target) = (edge / 5, edge * 7919 % 1_000_000);
        let _ = writeln!(
            file,
            "({source},\"send({}, true)\",{target})",
            edge * 31 % 1000
        );
    }
    let rate = |bytes: usize, started: f64| bytes as f64 / 1e6 / (cpu_seconds() - started);
    let started = cpu_seconds();
    let lts = read_aut("large.aut", file.as_bytes()).expect("the file is well-formed");
    let read = rate(file.len(), started);
    let figure = format!("reading 5,000,000 edges of .aut: {read:.0} MB/s (promised: 50 MB/s)");
    results.promise(read >= 50.0 && lts.edge_count() == 5_000_000, &figure);
    let mut written = Vec::new();
    let started = cpu_seconds();
    write_lts_aut(&lts, &mut written).expect("memory takes everything");
    let _ = writeln!(
        results.text,
        "        writing them: {:.0} MB/s",
        rate(written.len(), started)
    );
}

/// Minimising a large component.
fn smaller(results: &mut Results) {
    let network = two_phase_commit(8);
    let lts = Arc::new(compose(&network, 10_000_000).expect("it is not that large"));
    for how in [Equivalence::Strong, Equivalence::Branching] {
        let started = cpu_seconds();
        let small = minimise(&lts, how);
        let (seconds, edges) = (cpu_seconds() - started, lts.edge_count());
        let _ = writeln!(
            results.text,
            "        {how:?} minimisation of {edges} edges: {} states, {seconds:.2} s",
            small.len()
        );
    }
}
