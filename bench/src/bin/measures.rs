//! What automatic measures save, and that they never lose: `cargo run --release -p sweepline-bench --bin measures`
//!
//! Explores every P/T net and every program of the corpus with 1,000 to 1,000,000 states in full and with the measure
//! that is found, and for models suited to the method with a measure written by hand (`bench/measures.txt`). What a
//! user waits for is measured from outside: the processor's time of `sweepline explore MODEL` against the same with
//! `--method full`, so `cargo build --release` first. Prints what is broken of what is promised and stores the table in
//! `bench/runs/measures.csv`. A part of a name behind it
//! runs the models of that name only, without storing anything; `--larger` runs the models with up to 10,000,000 states,
//! some of ours among them, and stores `bench/runs/measures-larger.csv`. There, how often states are explored is shown but
//! not promised; that the command takes at most 1.25 times the time of plain search is. A command that seems to break
//! that is timed again, in turns with plain search, before it counts as broken.

#![expect(clippy::print_stdout, reason = "a command prints its results")]

use std::collections::BTreeMap;
use std::fmt::{self, Write};
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
/// How many times as long as plain search the command may take.
const LONGER: f64 = 1.25;
/// Pairs of runs that decide, and how many more there are before a promise counts as broken.
const PAIRS: usize = 7;
const MORE_PAIRS: usize = 12;
/// Models of ours that are large if their constants are.
const OURS: [(&str, &str); 4] = [
    ("go-back-n.dve", "K=100"),
    ("go-back-n.dve", "K=300"),
    ("stop-and-wait.dve", "N=5000"),
    ("database.dve", "D=9"),
];

/// A model with what is known of it.
struct Model {
    structure: Structure,
    system: Arc<dyn AnySystem>,
    ranges: Ranges,
}

/// The command in the default way, and with full search.
#[derive(Clone, Copy)]
struct Command {
    default: Best,
    full: Best,
}

/// The least CPU time of some runs, and the least of what they held at their peaks.
#[derive(Clone, Copy)]
struct Best {
    seconds: f64,
    peak_bytes: u64,
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
        "model,states,explored,peak,peak_share,reference_peak,full_seconds,auto_seconds,finding_seconds,command_full_seconds,command_seconds,command_full_mib,command_mib,columns,rows\n",
    );
    let mut broken = Vec::new();
    for format in ["pnml", "dve"] {
        for case in corpus::cases(&directory, format) {
            let size = case.states.is_some_and(|states| sizes.contains(&states));
            if size && name.is_none_or(|name| case.name.contains(name.as_str())) {
                let model = load(&directory, &case);
                let reference = references.get(&case.name);
                let command = Some(time_case(&program, &directory, &case));
                let (line, ..) = run(&model, &case, reference, command, &mut broken);
                print!("{line}");
                table += &line;
            }
        }
    }
    if name.is_none() && !larger {
        table += &families(&mut broken);
    }
    if larger {
        let wanted = |model: &str| name.is_none_or(|name| model.contains(name.as_str()));
        for (model, constant) in OURS.iter().filter(|(model, _)| wanted(model)) {
            let line = time_ours(&program, model, constant, &mut broken);
            print!("{line}");
            table += &line;
        }
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
    if let Some(command) = &command {
        check(command.is_kept(), command.to_string());
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
        command.map_or_else(|| ",,,".into(), Command::cells),
        text(|chosen| &chosen.columns),
        text(|chosen| &chosen.rows),
    );
    (line, share, auto.seconds <= full.seconds)
}

impl Command {
    /// Whether it takes no longer than is promised.
    fn is_kept(&self) -> bool {
        self.full.seconds < SHORT || self.default.seconds <= LONGER * self.full.seconds
    }

    fn cells(self) -> String {
        let Self { default, full } = self;
        let mib = |best: Best| best.peak_bytes >> 20;
        let times = format!("{:.3},{:.3}", full.seconds, default.seconds);
        format!("{times},{},{}", mib(full), mib(default))
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (default, full) = (self.default.seconds, self.full.seconds);
        let ratio = default / full;
        write!(
            f,
            "{ratio:.2} x the CPU time of plain search: {full:.3} s, by default {default:.3} s"
        )
    }
}

/// The command on a model of the corpus.
fn time_case(program: &Path, directory: &Path, case: &Case) -> Command {
    let file = directory.join(&case.files[0]);
    let file = file.to_string_lossy();
    let errors: &[&str] = match case.format.as_str() {
        "dve" => &["--errors", "count"],
        _ => &[],
    };
    time_command(program, &[&[&*file], errors].concat())
}

/// The command on a model of ours, as a line of the table.
fn time_ours(program: &Path, model: &str, constant: &str, broken: &mut Vec<String>) -> String {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let file = models.join(model);
    let command = time_command(program, &[&file.to_string_lossy(), "--set", constant]);
    let name = format!("{model} {constant}");
    if !command.is_kept() {
        broken.push(format!("{name}: {command}"));
    }
    format!("{name},,,,,,,,,{},,\n", command.cells())
}

/// The best of some runs of the command, in turns.
fn time_command(program: &Path, model: &[&str]) -> Command {
    let run = |best: &mut Best, more: &[&str]| {
        let arguments = [&["explore", "--quiet"], model, more].concat();
        let seen = outside::run(program, &arguments).expect("the command can be run");
        assert_eq!(seen.exit, Some(0), "{arguments:?}: {}", seen.output);
        best.seconds = best.seconds.min(seen.cpu.as_secs_f64());
        best.peak_bytes = best.peak_bytes.min(seen.peak_bytes);
    };
    let none = Best {
        seconds: f64::INFINITY,
        peak_bytes: u64::MAX,
    };
    let mut best = Command {
        default: none,
        full: none,
    };
    for pair in 0..PAIRS + MORE_PAIRS {
        let enough = match best.full.seconds {
            // Nothing is promised of these.
            full if full < SHORT / 2.0 => pair > 0,
            full if full > 1.0 => pair > 2,
            _ => pair >= PAIRS,
        };
        // Noise only ever makes runs longer, so what seems broken may be kept.
        if enough && best.is_kept() {
            break;
        }
        run(&mut best.default, &[]);
        run(&mut best.full, &["--method", "full"]);
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
