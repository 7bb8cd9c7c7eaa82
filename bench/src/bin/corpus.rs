//! The whole corpus: `cargo run --release -p sweepline-bench --bin corpus`
//!
//! Counts every DVE program, every P/T net, every symmetric net and every net of CPN Tools, checks every property file of a net, each
//! within 60 seconds, formulas of branching time about symmetric nets and what is known of the runs of programs, each within 120
//! seconds, and stores what came out under `bench/runs/`. Larger models may stay undecided; nothing may be wrong. `-- pnml`,
//! `-- hlpn`, `-- cpn` or `-- dve` runs one format only, and a part of a name behind it only the models of that name, without storing anything.
//!
//! `-- reduction` asks the property files about reachability and deadlocks of all P/T nets with all steps and with `--reduce auto`, each within 60
//! seconds and 4 GiB, and tells how many verdicts are given before and after. A part of a name behind it, or several, runs the nets of these names only.
//!
//! `-- ltl` asks all models, the large ones too, what is known of their runs, and nothing else: 120 seconds and 6 GiB for each program and
//! property, and for each property file of a net. `-- ctl` does the same with the formulas of branching time of all nets, which takes most
//! of an hour. Behind both, and behind a format, `small` leaves out models with more than a million states.

#![expect(clippy::print_stdout, reason = "a command prints its results")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use sweepline::core::{Deadline, Limits};
use sweepline::session::Reduce;
use sweepline_bench::corpus::{self, Case, Order};

/// Time per exploration.
const TIME: Duration = Duration::from_mins(1);

/// Time per property of a program's runs.
const TIME_FOR_RUNS: Duration = Duration::from_mins(2);

/// Bytes per exploration.
const MEMORY: usize = 8 << 30;

/// Bytes per property of a program's runs, or file of them.
const MEMORY_FOR_RUNS: usize = 6 << 30;

/// Up to this many states, a net counts as one that must be answered.
const SMALL: u64 = 1_000_000;

/// States of a coloured net that are looked at if nobody knows how many there are.
const UNKNOWN: u64 = 100_000;

#[derive(Default)]
struct Tally {
    wrong: Vec<String>,
    asked: usize,
    answered: usize,
    small_asked: usize,
    small_answered: usize,
    lines: String,
}

fn main() -> ExitCode {
    let Some(directory) = corpus::directory() else {
        eprintln!("no corpus: set SWEEPLINE_CORPUS to its directory");
        return ExitCode::from(2);
    };
    let mut arguments = std::env::args().skip(1);
    let (format, name) = (arguments.next(), arguments.next());
    let mut right = true;
    if format.as_deref() == Some("reduction") {
        let names: Vec<String> = name.into_iter().chain(arguments).collect();
        return code(before_and_after(&directory, &names));
    }
    if format.as_deref() == Some("ltl") {
        let formats = [
            ("dve", ask_program as Run),
            ("pnml", ask_net),
            ("hlpn", ask_net),
        ];
        for (known, run) in formats {
            right &= run_format(&directory, (known, "ltl-"), run, name.as_deref());
        }
        return code(right);
    }
    if format.as_deref() == Some("ctl") {
        for known in ["pnml", "hlpn"] {
            let run = ask_net_branching as Run;
            right &= run_format(&directory, (known, "ctl-"), run, name.as_deref());
        }
        return code(right);
    }
    let formats = [
        ("dve", run_program as Run),
        ("pnml", run_net),
        ("hlpn", run_symmetric),
        ("cpn", run_coloured),
    ];
    for (known, run) in formats {
        if format.as_deref().is_none_or(|format| format == known) {
            right &= run_format(&directory, (known, ""), run, name.as_deref());
        }
    }
    code(right)
}

/// Bytes per file of reachability properties.
const MEMORY_FOR_REACHABILITY: usize = 4 << 30;

/// Asks what nets can reach with all steps and with fewer; whether nothing was wrong.
fn before_and_after(directory: &Path, names: &[String]) -> bool {
    let mut table = String::from("model,file,asked");
    for how in ["none", "auto"] {
        let _ = write!(table, ",answered with {how},wrong,explored,seconds");
    }
    table.push('\n');
    let (mut asked, mut answered, mut wrong) = (0, [0, 0], Vec::new());
    for case in corpus::cases(directory, "pnml") {
        if !names.is_empty() && !names.iter().any(|name| case.name.contains(name)) {
            continue;
        }
        for file in corpus::files_about_reachability(&case) {
            let mut line = format!("{},{file}", case.name);
            for (position, reduce) in [Reduce::None, Reduce::Auto].into_iter().enumerate() {
                let limits = Limits {
                    deadline: Some(Deadline::after(TIME)),
                    memory: Some(MEMORY_FOR_REACHABILITY),
                    ..Limits::default()
                };
                let outcome = corpus::verify_file(directory, &case, &file, reduce, &limits);
                if position == 0 {
                    asked += outcome.asked;
                    let _ = write!(line, ",{}", outcome.asked);
                }
                answered[position] += outcome.answered;
                let _ = write!(
                    line,
                    ",{},{},{},{:.3}",
                    outcome.answered,
                    outcome.wrong.len(),
                    outcome.statistics.explored,
                    outcome.elapsed.as_secs_f64()
                );
                wrong.extend(outcome.wrong);
            }
            println!("{line}");
            table.push_str(&line);
            table.push('\n');
        }
    }
    let [none, auto] = answered;
    println!(
        "{asked} verdicts are known: {none} given with all steps, {auto} with `--reduce auto`, {} wrong",
        wrong.len()
    );
    for wrong in &wrong {
        println!("WRONG {wrong}");
    }
    match save("reduction", &table) {
        Ok(file) => println!("stored in {}", file.display()),
        Err(error) => eprintln!("cannot store the results: {error}"),
    }
    wrong.is_empty()
}

fn code(right: bool) -> ExitCode {
    if right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

type Run = fn(&Path, &Case, &mut Tally);

/// Runs all models of a format, or those of a name; whether nothing was wrong.
fn run_format(
    directory: &Path,
    (format, what): (&str, &str),
    run: Run,
    name: Option<&str>,
) -> bool {
    let mut tally = Tally::default();
    tally
        .lines
        .push_str("model,file,states,explored,complete,asked,answered,wrong,seconds\n");
    for case in corpus::cases(directory, format) {
        let is_chosen = match name {
            None => true,
            Some("small") => is_small(&case),
            Some(name) => case.name.contains(name),
        };
        if is_chosen {
            run(directory, &case, &mut tally);
            for id in corpus::contradicted(&case) {
                println!(
                    "{id}: not compared, what the corpus says contradicts the counts of the net"
                );
                let _ = writeln!(
                    tally.lines,
                    "{},{id} not compared,,0,false,0,0,0,0",
                    case.name
                );
            }
        }
    }
    println!(
        "{format}: {} of {} verdicts given, {} of {} on models with up to {SMALL} states, {} of {} on larger ones, {} wrong",
        tally.answered,
        tally.asked,
        tally.small_answered,
        tally.small_asked,
        tally.answered - tally.small_answered,
        tally.asked - tally.small_asked,
        tally.wrong.len()
    );
    for wrong in &tally.wrong {
        println!("WRONG {wrong}");
    }
    if name.is_none() {
        match save(&format!("{what}{format}"), &tally.lines) {
            Ok(file) => println!("stored in {}", file.display()),
            Err(error) => eprintln!("cannot store the results: {error}"),
        }
    }
    tally.wrong.is_empty()
}

/// Counts a program, compiled, up to the size the promise is about, and checks what is known of its runs.
fn run_program(directory: &Path, case: &Case, tally: &mut Tally) {
    ask_program(directory, case, tally);
    if case.states.is_none_or(|states| states > 2_000_000) {
        return;
    }
    let limits = Limits {
        deadline: Some(Deadline::after(TIME)),
        memory: Some(MEMORY),
        ..Limits::default()
    };
    let program = corpus::program(directory, case);
    let outcome = corpus::count_program(program, corpus::compiled, case, limits);
    record(tally, case, "StateSpace", true, &outcome);
}

fn for_runs() -> Limits {
    Limits {
        deadline: Some(Deadline::after(TIME_FOR_RUNS)),
        memory: Some(MEMORY_FOR_RUNS),
        ..Limits::default()
    }
}

fn is_small(case: &Case) -> bool {
    case.states.is_some_and(|states| states <= SMALL)
}

/// What is known of the runs of a program.
fn ask_program(directory: &Path, case: &Case, tally: &mut Tally) {
    for known in corpus::about_runs(case) {
        let outcome = corpus::verify_runs(directory, case, known, &for_runs());
        record(tally, case, &known.id, is_small(case), &outcome);
    }
}

/// What is known of the runs of a net.
fn ask_net(directory: &Path, case: &Case, tally: &mut Tally) {
    ask_files(directory, case, corpus::files_about_runs(case), tally);
}

/// What is known of a net in branching time.
fn ask_net_branching(directory: &Path, case: &Case, tally: &mut Tally) {
    ask_files(directory, case, corpus::branching_files(case), tally);
}

fn ask_files(directory: &Path, case: &Case, files: Vec<String>, tally: &mut Tally) {
    for file in files {
        let outcome = corpus::verify_file(directory, case, &file, Reduce::None, &for_runs());
        record(tally, case, &file, is_small(case), &outcome);
    }
}

fn run_net(directory: &Path, case: &Case, tally: &mut Tally) {
    let limits = || Limits {
        deadline: Some(Deadline::after(TIME)),
        memory: Some(MEMORY),
        ..Limits::default()
    };
    let net = corpus::net(directory, case);
    let small = is_small(case);
    // A net that is too large to count is not counted for a minute first.
    if case.states.is_some_and(|states| states <= 30_000_000) {
        record(
            tally,
            case,
            "StateSpace",
            small,
            &corpus::count(&net, case, Order::Full, limits()),
        );
    }
    for file in corpus::property_files(case) {
        let outcome = corpus::verify(directory, &net, case, &file, Order::Full, limits());
        record(tally, case, &file, small, &outcome);
    }
}

/// The same for a symmetric net, and its formulas of branching time.
fn run_symmetric(directory: &Path, case: &Case, tally: &mut Tally) {
    run_net(directory, case, tally);
    ask_net_branching(directory, case, tally);
}

/// Counts a coloured net of CPN Tools: all of it if its size is known, otherwise so far that it is seen to work.
fn run_coloured(directory: &Path, case: &Case, tally: &mut Tally) {
    let limits = Limits {
        deadline: Some(Deadline::after(TIME)),
        memory: Some(MEMORY),
        states: case.states.is_none().then_some(UNKNOWN),
        ..Limits::default()
    };
    match corpus::count_coloured(directory, case, &limits) {
        Ok(mut outcome) => {
            if case.states.is_some() && !outcome.statistics.complete {
                let name = &case.name;
                outcome
                    .wrong
                    .push(format!("{name}: not everything was explored"));
            }
            record(tally, case, "StateSpace", true, &outcome);
        }
        Err(why) => {
            println!("{}: {why}", case.name);
            let _ = writeln!(tally.lines, "{},refused,,0,false,0,0,0,0", case.name);
            if case.states.is_some() {
                tally.wrong.push(format!("{}: {why}", case.name));
            }
        }
    }
}

fn record(tally: &mut Tally, case: &Case, file: &str, small: bool, outcome: &corpus::Outcome) {
    tally.asked += outcome.asked;
    tally.answered += outcome.answered;
    if small {
        tally.small_asked += outcome.asked;
        tally.small_answered += outcome.answered;
    }
    tally.wrong.extend(outcome.wrong.iter().cloned());
    let states = case
        .states
        .map_or_else(String::new, |states| states.to_string());
    let line = format!(
        "{},{file},{states},{},{},{},{},{},{:.3}",
        case.name,
        outcome.statistics.explored,
        outcome.statistics.complete,
        outcome.asked,
        outcome.answered,
        outcome.wrong.len(),
        outcome.elapsed.as_secs_f64()
    );
    println!("{line}");
    let _ = writeln!(tally.lines, "{line}");
}

fn save(format: &str, lines: &str) -> std::io::Result<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("runs/corpus-{format}.csv"));
    std::fs::create_dir_all(file.parent().expect("it is in a directory"))?;
    std::fs::write(&file, lines)?;
    Ok(file)
}
