//! Benchmarks: our models by full search and by the sweep, and Spin as the yardstick where it is installed.
//!
//! `cargo run --release -p sweepline-bench` runs everything, prints a table and stores the raw figures under
//! `bench/runs/`. `-- --rounds N` sets how often each case is run (the fastest counts; cases of broken promises are run
//! up to eight times more), `-- --only TEXT` picks cases and stores nothing.
//!
//! Every case runs in a process of its own, one after the other, so that its peak memory is its own. Times are CPU
//! times (user and system), because machines are shared.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

mod cases;
mod links;
mod spin;
mod store;
mod table;

use std::process::ExitCode;

use sweepline_bench::measure::{self, Sample};
use sweepline_bench::promises;

/// How often the cases of broken promises are run again: the same run takes half as long again on a virtual machine when others are busy.
const PATIENCE: usize = 8;

/// What the command line asks for.
struct Request {
    rounds: usize,
    only: Option<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, case] = &arguments[..]
        && flag == "--case"
    {
        return run_here(case);
    }
    match parse(&arguments) {
        Ok(request) => run_all(&request),
        Err(message) => {
            eprintln!("{message}\nusage: sweepline-bench [--rounds N] [--only TEXT]");
            ExitCode::from(2)
        }
    }
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let mut request = Request {
        rounds: 3,
        only: None,
    };
    for pair in arguments.chunks(2) {
        match pair {
            [flag, value] if flag == "--rounds" => {
                request.rounds = value
                    .parse()
                    .map_err(|_| format!("`{value}` is no number of rounds"))?;
            }
            [flag, value] if flag == "--only" => request.only = Some(value.clone()),
            other => return Err(format!("cannot read `{}`", other.join(" "))),
        }
    }
    Ok(request)
}

/// Runs one case in this process and prints its figures as JSON.
fn run_here(name: &str) -> ExitCode {
    let Some(case) = cases::all().into_iter().find(|case| case.name() == name) else {
        eprintln!("no case is called `{name}`");
        return ExitCode::from(2);
    };
    let sample = measure::here(|| (case.run)());
    println!(
        "{}",
        serde_json::to_string(&sample).expect("figures are plain numbers")
    );
    ExitCode::SUCCESS
}

fn run_all(request: &Request) -> ExitCode {
    let wanted = |name: &str| {
        request
            .only
            .as_ref()
            .is_none_or(|only| name.contains(only.as_str()))
    };
    let mut samples: Vec<Sample> = Vec::new();
    for round in 1..=request.rounds {
        run_round(round, &mut samples, &wanted);
    }
    let mut promises = promises::check(&samples, &wanted);
    // The fastest run counts, so noise only ever breaks a promise: what is broken is measured again, all its cases alike.
    for round in request.rounds + 1..=request.rounds + PATIENCE {
        let broken: Vec<String> = promises
            .iter()
            .filter(|promise| !promise.kept)
            .flat_map(|promise| promise.cases.clone())
            .collect();
        if broken.is_empty() {
            break;
        }
        let again = |name: &str| wanted(name) && broken.iter().any(|case| case == name);
        run_round(round, &mut samples, &again);
        promises = promises::check(&samples, &wanted);
    }
    print!("{}", table::render(&samples));
    print!("\n{}", promises::render(&promises));
    if request.only.is_none() {
        match store::save(&samples, &promises) {
            Ok(directory) => println!("\nstored in {}", directory.display()),
            Err(error) => eprintln!("cannot store the run: {error}"),
        }
    }
    if promises.iter().all(|promise| promise.kept) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs every wanted case once, one after the other, and every second time the other way round: whoever comes first to memory that
/// nobody has used for a while waits for it.
fn run_round(round: usize, samples: &mut Vec<Sample>, wanted: &dyn Fn(&str) -> bool) {
    let mut cases = cases::all();
    if round.is_multiple_of(2) {
        cases.reverse();
    }
    for case in cases.into_iter().filter(|case| wanted(&case.name())) {
        eprintln!("round {round}: {}", case.name());
        measure::keep_fastest(samples, measure::in_child(&case.name()), round);
    }
    for sample in spin::all(wanted) {
        eprintln!("round {round}: {}", sample.name);
        measure::keep_fastest(samples, Some(sample), round);
    }
}
