//! Verdicts with stubborn sets and without.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use sweepline_bench::corpus;
use sweepline_bench::preserved::{self, Tally};

use crate::store;

/// Models with more states are not asked in both ways.
const MOST_ASKED: u64 = 200_000;
/// How long a model is asked.
const PER_MODEL: Duration = Duration::from_secs(5);

/// Compares answers with and without stubborn sets.
pub(crate) fn verdicts(directory: &Path, part: Option<&str>) -> ExitCode {
    let mut tally = Tally::default();
    let mut models = 0;
    let mut table = String::from("model,states,counts,answers,refused,undecided\n");
    let cases = ["dve", "pnml"].map(|format| corpus::cases(directory, format));
    for case in cases.concat() {
        let small = case.states.is_some_and(|states| states <= MOST_ASKED);
        if !small || part.is_some_and(|part| !case.name.contains(part)) {
            continue;
        }
        models += 1;
        let mut own = Tally::default();
        preserved::compare(directory, &case, PER_MODEL, &mut own);
        println!(
            "{:40} {:>4} answers, {:>3} refused, {:>3} undecided",
            case.name, own.answers, own.refused, own.undecided
        );
        for wrong in &own.wrong {
            println!("WRONG {wrong}");
        }
        let _ = writeln!(
            table,
            "{},{},{},{},{},{}",
            case.name,
            case.states.unwrap_or_default(),
            own.counts,
            own.answers,
            own.refused,
            own.undecided
        );
        tally.add(own);
    }
    if part.is_none() {
        store("reduction-verdicts.csv", &table);
    }
    println!(
        "{models} models: {} counts of deadlocks and {} answers compared, {} questions refused, {} not decided in time; {} states with stubborn sets and {} without; {} wrong",
        tally.counts,
        tally.answers,
        tally.refused,
        tally.undecided,
        tally.states[1],
        tally.states[0],
        tally.wrong.len()
    );
    if tally.wrong.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
