//! The command with `--reduce auto` and with `--reduce none`.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use sweepline_bench::{corpus, outside};

use crate::store;

/// Programs that are compared have at most so many states, but for the one that must be much quicker.
const MOST_STATES: u64 = 1_000_000;

/// The model on which the reduction must pay, and how many times as fast it must be.
const PAYS: (&str, f64) = ("leader_election.5", 20.0);

/// How many times as long `auto` may take.
const AT_MOST: f64 = 1.3;

/// What is asked of some models besides deadlocks: what a state satisfies, and what runs do. Some of it holds and some does not.
const ASKED: [(&str, &str, &str); 15] = [
    (
        "at.2",
        "not (P_0.CS and P_1.CS)",
        "G (P_0.p2 -> F (P_0.CS or P_1.CS))",
    ),
    ("mcs.3", "not (P_0.CS and P_3.CS)", "G F P_0.NCS"),
    (
        "peterson.3",
        "not (P_0.CS and P_1.CS)",
        "G (P_0.wait -> F P_0.CS)",
    ),
    (
        "lamport.1",
        "not (P_0.CS and P_1.CS)",
        "G (P_0.q1 -> F P_0.NCS)",
    ),
    (
        "anderson.4",
        "not (P_0.CS and P_1.CS)",
        "G (P_0.CS -> F P_0.NCS)",
    ),
    (
        "elevator.3",
        "not (Person_0.in_elevator and Person_1.in_elevator and Person_2.in_elevator)",
        "G (Person_0.waiting -> F Person_0.in_elevator)",
    ),
    ("blocks.3", "not Hand.done", "G F Hand.emptyhand"),
    (
        "needham.3",
        "not (initiator_0.corrupted and initiator_1.corrupted)",
        "F (initiator_0.finished or initiator_0.corrupted)",
    ),
    (
        "sorter.5",
        "not (ArmControler.AC1 and Belt2Controler.B2C1 and LightControler.LC1)",
        "G (ArmControler.AC1 -> F ArmControler.AC0)",
    ),
    ("rushhour.4", "not Red_car.out", "F Red_car.out"),
    (
        "protocols.5",
        "not (Sender.failed and Consumer.consume1)",
        "G (Sender.sending -> F Sender.ready)",
    ),
    (
        "lup.2",
        "not (lup0.comp and lup1.comp and lup2.comp)",
        "G (lup0.load_data -> F lup0.comp)",
    ),
    (
        "leader_election.3",
        "not (Node_0.qw and Node_1.qw)",
        "F (Node_0.qw or Node_0.qwcheck)",
    ),
    (
        "extinction.3",
        "not (Node_0.leader and Node_1.leader)",
        "F (Node_0.leader or Node_0.lost)",
    ),
    (
        "phils.5",
        "not (phil_0.eat and phil_1.eat)",
        "G (phil_0.one -> F phil_0.eat)",
    ),
];

/// Compares the command with and without reduction.
pub(crate) fn auto(directory: &Path, part: Option<&str>) -> ExitCode {
    let Some(program) = outside::sweepline() else {
        eprintln!("no command line beside this program: cargo build --release");
        return ExitCode::from(2);
    };
    let cases = corpus::cases(directory, "dve");
    let small = |case: &corpus::Case| case.states.is_some_and(|states| states <= MOST_STATES);
    let wanted = |case: &&corpus::Case| match part {
        None => small(case) || case.name == PAYS.0,
        Some(part) => case.name.contains(part),
    };
    let mut compared = Compared::new(&program, directory);
    for case in cases.iter().filter(wanted) {
        compared.add(case, &["--deadlock"]);
    }
    if part.is_none() {
        store("reduction-auto.csv", &compared.table);
    }
    let mut asked = Compared::new(&program, directory);
    for (name, invariant, formula) in ASKED {
        let known = cases.iter().filter(wanted).find(|case| case.name == name);
        if let Some(case) = known {
            asked.add(case, &["--invariant", invariant]);
            asked.add(case, &["--ltl", formula]);
        }
    }
    if part.is_none() {
        store("reduction-auto-asked.csv", &asked.table);
    }
    let all = compared.all + asked.all;
    let broken = compared.broken + asked.broken;
    println!(
        "{all} questions; {broken} take with `--reduce auto` more than {AT_MOST} times as long as with `none`, answer something else, or are not {} times as fast ({})",
        PAYS.1, PAYS.0
    );
    if broken == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Questions asked in both ways.
struct Compared<'a> {
    program: &'a Path,
    directory: &'a Path,
    table: String,
    all: u32,
    broken: u32,
}

impl<'a> Compared<'a> {
    fn new(program: &'a Path, directory: &'a Path) -> Self {
        Self {
            program,
            directory,
            table: "model,asked,states,verdict,cpu s,cpu s with auto,ratio,explored,explored with auto,reduced\n"
                .into(),
            all: 0,
            broken: 0,
        }
    }

    fn add(&mut self, case: &corpus::Case, question: &[&str]) {
        self.all += 1;
        let file = self.directory.join(&case.files[0]);
        let Some([plain, reduced]) = both(self.program, question, &file.to_string_lossy()) else {
            println!("{:28} was not explored", case.name);
            self.broken += 1;
            return;
        };
        let ratio = reduced.cpu / plain.cpu;
        let kept = if case.name == PAYS.0 {
            ratio * PAYS.1 <= 1.0
        } else {
            ratio <= AT_MOST
        };
        let kept = kept && plain.verdict == reduced.verdict;
        self.broken += u32::from(!kept);
        let mark = if kept { "" } else { " broken" };
        let states = case.states.unwrap_or_default();
        let how = if reduced.is_reduced { "reduced" } else { "" };
        let asked = question[0].trim_start_matches('-');
        let verdict = plain.verdict.trim_matches('"');
        println!(
            "{:28} {asked:9} {verdict:9} {states:>9} {:>7.3} {:>7.3} {ratio:>5.2} {:>9} {how}{mark}",
            case.name, plain.cpu, reduced.cpu, reduced.explored
        );
        let _ = writeln!(
            self.table,
            "{},{asked},{states},{verdict},{:.3},{:.3},{ratio:.3},{},{},{how}",
            case.name, plain.cpu, reduced.cpu, plain.explored, reduced.explored
        );
    }
}

/// What a run of the command came to.
struct Timed {
    cpu: f64,
    explored: u64,
    is_reduced: bool,
    verdict: String,
}

/// How often a question is asked, and how often if `auto` seems to take too long: other programs disturb short runs.
const RUNS: usize = 3;
const MORE_RUNS: usize = 25;

/// The least time of a few runs with all steps and with `auto`, one after the other.
fn both(program: &Path, question: &[&str], file: &str) -> Option<[Timed; 2]> {
    let mut best: [Option<Timed>; 2] = [None, None];
    for run in 0..MORE_RUNS {
        if let [Some(plain), Some(reduced)] = &best
            && run >= RUNS
            && reduced.cpu <= AT_MOST * plain.cpu
        {
            break;
        }
        for (reduce, best) in ["none", "auto"].into_iter().zip(&mut best) {
            let how = ["--format", "json", "--reduce", reduce, file];
            let arguments = [&["check"], question, &how].concat();
            let seen = outside::run(program, &arguments).ok()?;
            let json: serde_json::Value = serde_json::from_str(&seen.output).ok()?;
            let cpu = seen.cpu.as_secs_f64();
            if best.as_ref().is_some_and(|best| best.cpu <= cpu) {
                continue;
            }
            let figures = json.pointer("/properties/0/statistics")?;
            *best = Some(Timed {
                cpu,
                explored: figures["explored"].as_u64()?,
                is_reduced: figures.get("reduced").is_some(),
                verdict: json.pointer("/properties/0/verdict")?.to_string(),
            });
        }
    }
    let [plain, reduced] = best;
    Some([plain?, reduced?])
}
