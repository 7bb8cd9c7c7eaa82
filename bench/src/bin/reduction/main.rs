//! What is left of models by stubborn sets: `cargo run --release -p sweepline-bench --bin reduction [NAME]`
//!
//! Explores models of the corpus, and nets of families, with what preserves deadlocks (by the text of the model, and by local graphs of its
//! processes) and with what preserves runs, each in a process of its own. Prints the share of states against what is promised, the processor's
//! time, what closing sets takes per action that is looked at, what the search takes apart from that (to find out what holds in a state, to begin
//! and to end), what a state takes longer than with all its steps, and the most memory; stores the table in `bench/runs/reduction.csv`. A part
//! of a name behind it runs the models of that name only, without storing anything.
//!
//! `--verdicts [NAME]` asks every program and every net of the corpus with up to 200,000 states, with stubborn sets and without: how many
//! deadlocks there are, and every property of its files that is about states or runs. Nothing may be different. Each model has five
//! seconds; what is not decided then is counted and not compared. The table is stored in `bench/runs/reduction-verdicts.csv`.
//!
//! `--auto [NAME]` compares `sweepline check --deadlock --reduce auto` with `--reduce none` from outside, for every program of the
//! corpus with up to 1,000,000 states and for one that must be much quicker, and then invariants and formulas of linear time about some of
//! them; build the command before (`cargo build --release`). Times are the processor's, the least of three runs each, and of up to 25 where
//! `auto` seems to take too long. The tables are stored in `bench/runs/reduction-auto.csv` and `bench/runs/reduction-auto-asked.csv`.

#![expect(clippy::print_stdout, reason = "a command prints its results")]
#![expect(clippy::cast_precision_loss, reason = "a few digits are printed")]

mod auto;
mod cost;
mod models;
mod promised;
mod shares;
mod verdicts;

use std::path::Path;
use std::process::ExitCode;

use sweepline_bench::{corpus, outside};

fn main() -> ExitCode {
    if let Some(code) = outside::serve() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(directory) = corpus::directory() else {
        eprintln!("no corpus: set SWEEPLINE_CORPUS to its directory");
        return ExitCode::from(2);
    };
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *words {
        ["--one", name, mode] => {
            println!("{}", shares::one(&directory, name, mode));
            ExitCode::SUCCESS
        }
        ["--verdicts", ref name @ ..] => verdicts::verdicts(&directory, name.first().copied()),
        ["--auto", ref name @ ..] => auto::auto(&directory, name.first().copied()),
        ref name => shares::shares(name.first().copied()),
    }
}

/// Stores a table with the others of this program.
fn store(name: &str, table: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("runs")
        .join(name);
    std::fs::write(file, table).expect("the table can be stored");
}
