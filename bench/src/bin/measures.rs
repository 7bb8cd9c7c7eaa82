//! What automatic measures save, and that they never lose: `cargo run --release -p sweepline-bench --bin measures`
//!
//! Explores every P/T net and every program of the corpus with 1,000 to 1,000,000 states in full and with the measure
//! that is found, and for models suited to the method with a measure written by hand (`bench/measures.txt`). What a
//! user waits for is measured from outside: the processor's time of `sweepline explore MODEL` against the same with
//! `--method full`, so `cargo build --release` first. Prints what is broken of what is promised and stores the table in
//! `bench/runs/measures.csv`. A part of a name behind it
//! runs the models of that name only, without storing anything; `--larger` runs the models with up to 10,000,000 states
//! and stores `bench/runs/measures-larger.csv`. There, how often states are explored is shown but not promised.

#![expect(clippy::print_stdout, reason = "a command prints its results")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use sweepline::core::{AnySystem, Limits, Statistics};
use sweepline::logic::{Coordinate, Ranges};
use sweepline::net::{NetSystem, PetriNet, family};
use sweepline::program::Program;
use sweepline::progress::program::Behaviour;
use sweepline::progress::{Candidate, Structure, Subject, Thrift};
use sweepline_bench::clock::cpu_seconds;
use sweepline_bench::corpus::{self, Case};
use sweepline_bench::outside;

/// States up to which something is promised of how often they are explored.
const PROMISED: u64 = 1_000_000;
/// Seconds of plain search from which on the command takes at most 1.25 times as long, finding a measure included.
const SHORT: f64 = 0.05;
/// Seconds from which on something is promised of the time.
const LONG: f64 = 0.5;

/// A model with what is known of it.
struct Model {
    structure: Structure,
    system: Arc<dyn AnySystem>,
    ranges: Ranges,
}

/// The CPU time of the command in the default way, and with full search.
#[derive(Clone, Copy)]
struct Command {
    default: f64,
    full: f64,
}

/// An exploration and the CPU time it took.
struct Timed {
    statistics: Statistics,
    seconds: f64,
}

fn main() -> ExitCode {
    if let Some(code) = outside::serve() {
        return code;
    }
    let Some(program) = outside::sweepline() else {
        eprintln!("no command line beside this program: cargo build --release");
        return ExitCode::from(2);
    };
    let Some(directory) = corpus::directory() else {
        eprintln!("no corpus: set SWEEPLINE_CORPUS to its directory");
        return ExitCode::from(2);
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let larger = arguments.iter().any(|argument| argument == "--larger");
    let name = arguments
        .iter()
        .find(|argument| !argument.starts_with("--"));
    let sizes = if larger {
        PROMISED + 1..=10_000_000
    } else {
        1_000..=PROMISED
    };
    let references = references();
    let mut table = String::from(
        "model,states,explored,peak,peak_share,reference_peak,full_seconds,auto_seconds,finding_seconds,command_full_seconds,command_seconds,columns,rows\n",
    );
    let mut broken = Vec::new();
    for format in ["pnml", "dve"] {
        for case in corpus::cases(&directory, format) {
            let size = case.states.is_some_and(|states| sizes.contains(&states));
            if size && name.is_none_or(|name| case.name.contains(name.as_str())) {
                let model = load(&directory, &case);
                let reference = references.get(&case.name);
                let command = Some(time_command(&program, &directory, &case));
                let (line, ..) = run(&model, &case, reference, command, &mut broken);
                print!("{line}");
                table += &line;
            }
        }
    }
    if name.is_none() && !larger {
        table += &families(&mut broken);
    }
    for broken in &broken {
        println!("BROKEN {broken}");
    }
    println!("{} broken", broken.len());
    if name.is_none() {
        let file = if larger {
            "measures-larger.csv"
        } else {
            "measures.csv"
        };
        let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("runs");
        let file = runs.join(file);
        if let Err(error) = std::fs::write(&file, table) {
            eprintln!("cannot store the table: {error}");
        }
    }
    ExitCode::from(u8::from(!broken.is_empty()))
}

/// Nets that are generated: what must be stored at most, and how long finding the measure may take.
fn families(broken: &mut Vec<String>) -> String {
    let mut table = String::new();
    let nets = [
        ("stop-and-wait(6;2;2)", family::stop_and_wait(6, 2, 2), 0.15),
        ("pipe(8;8;2)", family::pipe(8, 8, 2), 0.055),
    ];
    for (name, net, most) in nets {
        let case = Case {
            format: "pnml".into(),
            name: name.into(),
            files: Vec::new(),
            states: None,
            transitions: None,
            deadlock_states: None,
            properties: Vec::new(),
        };
        let model = net_model(Arc::new(net));
        let (line, share, faster) = run(&model, &case, None, None, broken);
        print!("{line}");
        table += &line;
        if share > most {
            broken.push(format!("{name}: {share:.3} of the states stored"));
        }
        if !faster && name.starts_with("stop") {
            broken.push(format!("{name}: slower than full search"));
        }
    }
    let model = net_model(Arc::new(family::pipe(4, 500, 2)));
    let started = Instant::now();
    model
        .structure
        .find(&model.system, model.ranges, &Limits::default());
    let seconds = started.elapsed().as_secs_f64();
    println!("a net with 1,000 transitions: {seconds:.2} s to find a measure");
    if seconds > 1.0 {
        broken.push(format!(
            "{seconds:.2} s to find a measure of a net with 1,000 transitions"
        ));
    }
    table
}

/// Measures written by hand, one per line: model, columns, and rows behind a bar.
fn references() -> BTreeMap<String, String> {
    let lines = include_str!("../../measures.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once(char::is_whitespace));
    pairs
        .map(|(model, measure)| (model.to_owned(), measure.trim().to_owned()))
        .collect()
}

fn load(directory: &Path, case: &Case) -> Model {
    if case.format == "pnml" {
        return net_model(corpus::net(directory, case));
    }
    let program = corpus::program(directory, case);
    let model = program_model(program.clone());
    if explore(&model, None).statistics.complete {
        return model;
    }
    // Published counts are of tools that go on after errors.
    program_model(program.with_error_states())
}

fn net_model(net: Arc<PetriNet>) -> Model {
    Model {
        system: Arc::new(NetSystem::new(Arc::clone(&net))),
        structure: Structure::Net(net),
        ranges: Ranges::Open,
    }
}

fn program_model(program: Program) -> Model {
    Model {
        structure: Structure::Program(Arc::new(Behaviour::new(Arc::new(program.clone())))),
        system: Arc::new(corpus::compiled(program)),
        ranges: Ranges::Known,
    }
}

#[expect(clippy::cast_precision_loss, reason = "shares with a few digits")]
fn run(
    model: &Model,
    case: &Case,
    reference: Option<&String>,
    command: Option<Command>,
    broken: &mut Vec<String>,
) -> (String, f64, bool) {
    let started = Instant::now();
    let findings = model.structure.find_saving(
        Thrift::Memory,
        &model.system,
        model.ranges,
        &Limits::default(),
    );
    let (chosen, finding) = (findings.choice.chosen, started.elapsed().as_secs_f64());
    let full = fastest(model, None);
    let auto = fastest(model, chosen.as_ref());
    let (states, explored, peak) = (
        full.statistics.explored,
        auto.statistics.explored,
        auto.statistics.peak_states,
    );
    let share = peak as f64 / states as f64;
    let mut check = |holds: bool, what: String| {
        if !holds {
            broken.push(format!("{}: {what}", case.name));
        }
    };
    check(auto.statistics.complete, "not complete".into());
    check(
        case.states.is_none_or(|known| known == states),
        format!("{states} states"),
    );
    let again = explored as f64 / states as f64;
    if states <= PROMISED {
        check(
            again <= 1.5 || (again <= 2.0 && share < 0.35),
            format!("explored {again:.2} x"),
        );
        check(
            full.seconds <= LONG || auto.seconds <= 1.3 * full.seconds,
            format!("{:.2} x the time", auto.seconds / full.seconds),
        );
    }
    if let Some(Command { default, full }) = command {
        check(
            full < SHORT || default <= 1.25 * full,
            format!(
                "{:.2} x the CPU time of plain search: {full:.3} s, by default {default:.3} s",
                default / full
            ),
        );
    }
    let run = finding + auto.seconds;
    check(
        run <= LONG || finding <= 0.1 * run,
        format!("{finding:.3} s of {run:.3} s to find the measure"),
    );
    let by_hand = reference.map(|text| {
        let (columns, rows) = text.split_once('|').unwrap_or((text, ""));
        let parse = |text: &str| match text.trim() {
            "" => Vec::new(),
            text => Coordinate::parse(text).expect("the measure is well-formed"),
        };
        let candidate = Candidate {
            name: "by hand".into(),
            columns: parse(columns),
            rows: parse(rows),
            coarsen: 1,
        };
        let statistics = explore(model, Some(&candidate)).statistics;
        assert!(
            statistics.complete,
            "{}: the measure by hand is wrong",
            case.name
        );
        check(
            peak as f64 <= 1.25 * statistics.peak_states as f64,
            format!("peak {peak}, by hand {}", statistics.peak_states),
        );
        statistics.peak_states
    });
    let text = |of: fn(&Candidate) -> &[Coordinate]| {
        chosen
            .as_ref()
            .map_or_else(String::new, |chosen| Candidate::text(of(chosen)))
    };
    let mut line = String::new();
    let _ = writeln!(
        line,
        "{},{states},{explored},{peak},{share:.3},{},{:.3},{:.3},{finding:.3},{},\"{}\",\"{}\"",
        case.name,
        by_hand.map_or_else(String::new, |peak| peak.to_string()),
        full.seconds,
        auto.seconds,
        command.map_or_else(
            || ",".into(),
            |Command { default, full }| format!("{full:.3},{default:.3}")
        ),
        text(|chosen| &chosen.columns),
        text(|chosen| &chosen.rows),
    );
    (line, share, auto.seconds <= full.seconds)
}

/// The fastest of some runs of the command, in turns.
fn time_command(program: &Path, directory: &Path, case: &Case) -> Command {
    let file = directory.join(&case.files[0]);
    let file = file.to_string_lossy();
    let seconds = |more: &[&str]| {
        let errors: &[&str] = match case.format.as_str() {
            "dve" => &["--errors", "count"],
            _ => &[],
        };
        let arguments = [&["explore", &*file, "--quiet"], errors, more].concat();
        let seen = outside::run(program, &arguments).expect("the command can be run");
        assert_eq!(seen.exit, Some(0), "{arguments:?}: {}", seen.output);
        seen.cpu.as_secs_f64()
    };
    let mut best = Command {
        default: f64::INFINITY,
        full: f64::INFINITY,
    };
    let mut rounds = 7;
    while rounds > 0 {
        best.default = best.default.min(seconds(&[]));
        best.full = best.full.min(seconds(&["--method", "full"]));
        rounds = match best.full {
            // Nothing is promised of these.
            full if full < SHORT / 2.0 => 0,
            full if full > 1.0 => rounds.min(4) - 1,
            _ => rounds - 1,
        };
    }
    best
}

/// The fastest of some explorations, fewer if they take long.
fn fastest(model: &Model, measure: Option<&Candidate>) -> Timed {
    let mut best = explore(model, measure);
    // Others use the machine, too: the shorter a run is, the more it differs.
    let rounds = match best.seconds {
        seconds if seconds > 0.3 => 2,
        seconds if seconds > 0.02 => 5,
        _ => 1,
    };
    for _ in 1..rounds {
        let again = explore(model, measure);
        if again.seconds < best.seconds {
            best = again;
        }
    }
    best
}

fn explore(model: &Model, measure: Option<&Candidate>) -> Timed {
    let subject = Subject {
        system: Arc::clone(&model.system),
        ranges: model.ranges,
        changes: model.structure.changes(),
    };
    let started = cpu_seconds();
    let statistics = subject.explore(measure, u64::MAX, &Limits::default());
    Timed {
        statistics,
        seconds: cpu_seconds() - started,
    }
}
