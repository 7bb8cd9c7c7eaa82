//! Table 8.1 of the thesis, with figures: `cargo run --release -p sweepline-bench --bin thesis`
//!
//! What comes out is stored in `bench/runs/thesis-table-8-1.csv`.

#![expect(clippy::print_stdout, reason = "a command prints its results")]

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use sweepline_bench::thesis::cases;

fn main() -> ExitCode {
    let mut lines = String::from(
        "case,measure,search,expected,trace,states,explored,peak_states,persistent,length,loop_layers,seconds\n",
    );
    let mut right = true;
    for case in cases() {
        for (search, emptiness) in case.searches() {
            let found = case.run(*emptiness);
            right &= found.trace == Some(case.trace);
            let word = |trace: Option<bool>| match trace {
                Some(true) => "yes",
                Some(false) => "no",
                None => "unknown",
            };
            let _ = writeln!(
                lines,
                "{},{},{search},{},{},{},{},{},{},{},{},{:.3}",
                case.name,
                case.measure_text(),
                word(Some(case.trace)),
                word(found.trace),
                found.states,
                found.explored,
                found.peak_states,
                found.persistent,
                found.length,
                found.loop_layers,
                found.seconds
            );
        }
    }
    print!("{lines}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("runs/thesis-table-8-1.csv");
    if let Err(error) = std::fs::write(&file, lines) {
        eprintln!("cannot store the results: {error}");
    }
    if right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
