//! What is left of models by stubborn sets: `cargo run --release -p sweepline-bench --bin reduction [NAME]`
//!
//! Explores models of the corpus, and nets of families, with what preserves deadlocks (by the text of the model, and by local graphs of its
//! processes) and with what preserves runs, each in a process of its own. Prints the share of states against what is promised, the processor's
//! time, what the search for sets takes per action it looks at (from the actions of a state's steps to the set), what a state takes longer
//! than with all its steps, and the most memory; stores the table in `bench/runs/reduction.csv`. A part of a name behind it runs the models
//! of that name only, without storing anything.
//!
//! `--verdicts [NAME]` asks every program and every net of the corpus with up to 200,000 states, with stubborn sets and without: how many
//! deadlocks there are, and every property of its files that is about states or runs. Nothing may be different. Each model has five
//! seconds; what is not decided then is counted and not compared. The table is stored in `bench/runs/reduction-verdicts.csv`.
//!
//! `--auto [NAME]` compares `sweepline check --deadlock --reduce auto` with `--reduce none` from outside, for every program of the
//! corpus with up to 1,000,000 states and for one that must be much quicker, and then invariants and formulas of linear time about some of
//! them; build the command before (`cargo build --release`). Times are the processor's, the least of three runs each. The tables are
//! stored in `bench/runs/reduction-auto.csv` and `bench/runs/reduction-auto-asked.csv`.

#![expect(clippy::print_stdout, reason = "a command prints its results")]
#![expect(clippy::cast_precision_loss, reason = "a few digits are printed")]

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use sweepline::core::{ActionId, AnySystem, Limits, NoProgress, Steps, System, Word};
use sweepline::explore::{End, LogPlace, Options, Sweep};
use sweepline::net::{NetSystem, PetriNet, family};
use sweepline::program::ProgramSystem;
use sweepline::progress::Structure;
use sweepline::reduce::local::{Views, ls3};
use sweepline::reduce::{Aim, NetTransitions, ProgramTransitions, Stubborn, Transitions};
use sweepline::session::{LoadOptions, Reading, load};
use sweepline_bench::clock::cpu_seconds;
use sweepline_bench::preserved::{self, Tally};
use sweepline_bench::{corpus, outside};

/// What is preserved, and how it is known what depends on what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Deadlocks,
    /// Deadlocks, by local graphs (`--dependency local`).
    Local,
    Runs,
    /// Everything: nothing is left out.
    Full,
}

impl Mode {
    const ALL: [Self; 4] = [Deadlocks, Local, Runs, Full];

    fn word(self) -> &'static str {
        match self {
            Deadlocks => "deadlocks",
            Local => "local",
            Runs => "runs",
            Full => "full",
        }
    }
}

/// What is promised: a share of states in per cent (two points more are allowed), or a number of states.
#[derive(Clone, Copy, Debug)]
enum Promise {
    Share(f64),
    States(u64),
}

use Mode::{Deadlocks, Full, Local, Runs};
use Promise::{Share, States};

/// A model, its states and deadlocks if they are known, what is preserved, and what is promised.
type Row = (&'static str, Option<u64>, Option<u64>, Mode, Promise);

/// Where indices are split, the figure with split indices is promised. A share of unknown states is judged by counting them all.
const ROWS: [Row; 40] = [
    (
        "dve/leader_election.3",
        Some(101_360),
        Some(1),
        Deadlocks,
        Share(5.7),
    ),
    (
        "dve/leader_election.3",
        Some(101_360),
        None,
        Runs,
        Share(6.7),
    ),
    (
        "dve/leader_election.5",
        Some(4_803_952),
        Some(1),
        Deadlocks,
        Share(1.3),
    ),
    (
        "dve/leader_election.5",
        Some(4_803_952),
        None,
        Runs,
        Share(1.5),
    ),
    (
        "dve/iprotocol.3",
        Some(1_013_456),
        Some(0),
        Deadlocks,
        Share(10.9),
    ),
    ("dve/iprotocol.3", Some(1_013_456), None, Runs, Share(38.5)),
    (
        "dve/public_subscribe.4",
        Some(1_846_603),
        Some(720),
        Deadlocks,
        Share(11.2),
    ),
    (
        "dve/public_subscribe.4",
        Some(1_846_603),
        None,
        Runs,
        Share(18.7),
    ),
    (
        "dve/protocols.2",
        Some(11_286),
        Some(0),
        Deadlocks,
        Share(12.6),
    ),
    ("dve/protocols.2", Some(11_286), None, Runs, Share(18.8)),
    (
        "dve/firewire_link.2",
        Some(55_887),
        Some(246),
        Deadlocks,
        Share(19.2),
    ),
    ("dve/firewire_link.2", Some(55_887), None, Runs, Share(26.4)),
    ("dve/brp.1", Some(18_928), Some(72), Deadlocks, Share(44.9)),
    ("dve/brp.1", Some(18_928), None, Runs, Share(67.3)),
    (
        "dve/anderson.4",
        Some(29_641),
        Some(0),
        Deadlocks,
        Share(46.2),
    ),
    (
        "dve/szymanski.3",
        Some(1_128_424),
        Some(0),
        Deadlocks,
        Share(32.8),
    ),
    ("dve/mcs.3", Some(571_459), Some(0), Deadlocks, Share(76.1)),
    ("dve/mcs.4", Some(16_384), Some(24), Deadlocks, Share(16.4)),
    (
        "dve/lamport.5",
        Some(1_066_800),
        Some(0),
        Deadlocks,
        Share(82.1),
    ),
    ("dve/at.1", Some(39_354), Some(0), Deadlocks, Share(95.4)),
    (
        "dve/bakery.3",
        Some(32_919),
        Some(51),
        Deadlocks,
        Share(61.3),
    ),
    (
        "dve/peterson.4",
        Some(1_119_560),
        Some(0),
        Deadlocks,
        Share(64.8),
    ),
    ("dve/mcs.3", Some(571_459), Some(0), Local, Share(4.8)),
    ("dve/mcs.4", Some(16_384), Some(24), Local, Share(3.9)),
    (
        "dve/lamport.5",
        Some(1_066_800),
        Some(0),
        Local,
        Share(48.9),
    ),
    ("dve/at.1", Some(39_354), Some(0), Local, Share(54.4)),
    ("dve/bakery.3", Some(32_919), Some(51), Local, Share(43.8)),
    (
        "dve/peterson.4",
        Some(1_119_560),
        Some(0),
        Local,
        Share(61.6),
    ),
    (
        "dve/phils.5",
        Some(531_440),
        Some(1),
        Deadlocks,
        States(398),
    ),
    (
        "dve/cyclic_scheduler.3",
        Some(229_374),
        Some(0),
        Deadlocks,
        States(100),
    ),
    (
        "pnml/ClientsAndServers-PT-N0005P0",
        Some(125_510_607_915),
        None,
        Deadlocks,
        States(5_000),
    ),
    (
        "pnml/JoinFreeModules-PT-0005",
        None,
        None,
        Deadlocks,
        States(15_000),
    ),
    (
        "pnml/FlexibleBarrier-PT-08a",
        None,
        None,
        Deadlocks,
        States(8_000),
    ),
    (
        "pnml/RobotManipulation-PT-00010",
        None,
        None,
        Deadlocks,
        States(600),
    ),
    ("pnml/DLCround-PT-03a", None, None, Deadlocks, States(1_000)),
    (
        "pnml/BART-PT-002",
        Some(17_424),
        None,
        Deadlocks,
        States(200),
    ),
    ("family/kanban", Some(454_475), None, Deadlocks, States(100)),
    ("family/fms", Some(438_600), None, Deadlocks, States(100)),
    ("family/philosophers", None, None, Deadlocks, Share(28.0)),
    ("family/kanban", Some(454_475), None, Runs, States(454_475)),
];

/// States that the search for sets is timed on.
const SAMPLE: usize = 20_000;

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
            println!("{}", one(&directory, name, mode));
            ExitCode::SUCCESS
        }
        ["--verdicts", ref name @ ..] => verdicts(&directory, name.first().copied()),
        ["--auto", ref name @ ..] => auto(&directory, name.first().copied()),
        ref name => shares(name.first().copied()),
    }
}

/// Prints the shares of all models, or of those whose name has a part.
fn shares(part: Option<&str>) -> ExitCode {
    let mut table = String::from(
        "model,preserved,states,explored,share %,at most,deadlocks,cpu s,ns per action,ns per state,peak MiB\n",
    );
    println!(
        "{:34} {:9} {:>12} {:>10} {:>7} {:>9} {:>9} {:>7} {:>7} {:>8} {:>6}",
        "",
        "preserves",
        "states",
        "explored",
        "share",
        "at most",
        "deadlocks",
        "cpu s",
        "ns/act",
        "ns/state",
        "MiB"
    );
    let mut broken = 0;
    let chosen = |row: &&Row| part.is_none_or(|part| row.0.contains(part));
    for row in ROWS.iter().filter(chosen) {
        match line(row) {
            Some((text, kept)) => {
                table.push_str(&text);
                broken += u32::from(!kept);
            }
            None => println!("{:34} was not explored", row.0),
        }
    }
    if part.is_none() {
        store("reduction.csv", &table);
    }
    println!("{broken} promises are broken");
    if broken == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn store(name: &str, table: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("runs")
        .join(name);
    std::fs::write(file, table).expect("the table can be stored");
}

/// Explores one model in a process of its own. A line of the table, and whether the promise is kept.
fn line(&(name, states, deadlocks, mode, promise): &Row) -> Option<(String, bool)> {
    let word = mode.word();
    let (seen, [explored, found, per_action, per_state]) = explored_outside(name, mode)?;
    let counted = matches!(promise, Share(_)) && states.is_none();
    let full = counted.then(|| explored_outside(name, Full)).flatten();
    let full = full.map(|(_, [states, deadlocks, ..])| (states, deadlocks));
    let states = states.map(|it| it as f64).or(full.map(|(it, _)| it));
    let deadlocks = deadlocks.map(|it| it as f64).or(full.map(|(_, it)| it));
    let share = states.map(|states| 100.0 * explored / states);
    let right = mode == Runs || deadlocks.is_none_or(|known| (known - found).abs() < 0.5);
    let (kept, at_most) = match promise {
        Share(most) => (
            share.is_some_and(|share| share <= most + 2.0),
            format!("{most} %"),
        ),
        States(most) => (explored <= most as f64, most.to_string()),
    };
    let mark = match (right, kept) {
        (false, _) => " WRONG",
        (_, false) => " broken",
        _ => "",
    };
    let known = |number: Option<f64>| number.map(|it| it.to_string()).unwrap_or_default();
    let shown = share.map(|share| format!("{share:.2}")).unwrap_or_default();
    let found = if mode == Runs {
        String::new()
    } else {
        format!("{found}")
    };
    let (cpu, peak) = (
        seen.cpu.as_secs_f64(),
        seen.peak_bytes as f64 / f64::from(1 << 20),
    );
    println!(
        "{name:34} {word:9} {:>12} {explored:>10} {shown:>7} {at_most:>9} {found:>9} {cpu:>7.2} {per_action:>7.1} {per_state:>8.0} {peak:>6.0}{mark}",
        known(states)
    );
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{name},{word},{},{explored},{shown},{at_most},{found},{cpu:.2},{per_action:.1},{per_state:.0},{peak:.0}",
        known(states)
    );
    Some((text, kept && right))
}

/// Explores one model in a process of its own: what it took, and states, deadlocks, nanoseconds per action and per state.
fn explored_outside(name: &str, mode: Mode) -> Option<(outside::Seen, [f64; 4])> {
    let own = std::env::current_exe().ok()?;
    let seen = outside::run(&own, &["--one", name, mode.word()]).ok()?;
    let numbers = seen.output.split_whitespace();
    let numbers: Vec<f64> = numbers.filter_map(|word| word.parse().ok()).collect();
    let numbers = numbers.try_into().ok()?;
    Some((seen, numbers))
}

/// A system and how its actions depend on each other.
type Parts = (Arc<dyn AnySystem>, Arc<dyn Transitions>);

fn parts(directory: &Path, name: &str, mode: Mode) -> Parts {
    let (format, model) = name.split_once('/').expect("a format and a name");
    match (format, model) {
        ("family", "kanban") => net_parts(family::kanban(4)),
        ("family", "fms") => net_parts(family::fms(4)),
        ("family", _) => net_parts(family::philosophers(12)),
        ("dve", model) => loaded(&directory.join(format!("dve/{model}/{model}.dve")), mode),
        _ => loaded(&directory.join(name).join("model.pnml"), mode),
    }
}

fn net_parts(net: PetriNet) -> Parts {
    let net = Arc::new(net);
    let transitions = NetTransitions::new(Arc::clone(&net)).expect("it can be reduced");
    (Arc::new(NetSystem::new(net)), Arc::new(transitions))
}

fn loaded(path: &Path, mode: Mode) -> Parts {
    let Ok(Reading::Loaded(model)) = load(path, &LoadOptions::default(), &Limits::default()) else {
        panic!("{} is well-formed", path.display());
    };
    let transitions: Arc<dyn Transitions> = match &model.structure {
        Structure::Net(net) => {
            Arc::new(NetTransitions::new(Arc::clone(net)).expect("it can be reduced"))
        }
        Structure::Program(program) => {
            let program = program.program();
            let mut known = ProgramTransitions::new(program).expect("it can be reduced");
            if mode == Local {
                look_closer(&mut known);
            }
            Arc::new(known)
        }
        _ => panic!("a net or a program"),
    };
    (model.system, transitions)
}

/// Takes over what local graphs tell.
fn look_closer(known: &mut ProgramTransitions) {
    let system = ProgramSystem::new((**known.program()).clone());
    let views = Views::new(&system, &[]).expect("it has several processes");
    let limits = Limits::default();
    let graphs = ls3(&Arc::new(views), &limits).expect("its local graphs are small");
    known.refine(&graphs, &limits).expect("there are no limits");
}

/// States, deadlocks, nanoseconds per action that is looked at, and per state.
fn one(directory: &Path, name: &str, mode: &str) -> String {
    let mode = Mode::ALL.into_iter().find(|it| it.word() == mode);
    let mode = mode.expect("the word of a mode");
    let (system, transitions) = parts(directory, name, mode);
    let aim = match mode {
        Full => {
            let (explored, deadlocks) = explore(&system, |system| Arc::clone(system));
            return format!("{explored} {deadlocks} 0 0");
        }
        Runs => Aim::runs(transitions, &*system, &[], &[]).expect("it can be reduced"),
        Deadlocks | Local => Aim::deadlocks_tried_on(transitions, &system),
    };
    let aim = Arc::new(aim);
    let stubborn = |system: &Arc<dyn AnySystem>| -> Arc<dyn AnySystem> {
        Arc::new(Stubborn::new(Arc::clone(system), Arc::clone(&aim)))
    };
    let (explored, deadlocks) = explore(&system, stubborn);
    let Cost {
        per_action,
        per_state,
    } = cost(&system, &aim);
    format!("{explored} {deadlocks} {per_action:.2} {per_state:.2}")
}

fn explore(
    system: &Arc<dyn AnySystem>,
    adapted: impl Fn(&Arc<dyn AnySystem>) -> Arc<dyn AnySystem>,
) -> (u64, u64) {
    let mut system = Arc::clone(system);
    loop {
        let options = Options {
            log: LogPlace::Off,
            ..Options::default()
        };
        let mut sweep = Sweep::new(adapted(&system), NoProgress, options);
        if let End::Outgrown(slot) = sweep.run(&mut ()) {
            system = system.widened(slot).expect("it can be widened");
            continue;
        }
        let statistics = sweep.statistics();
        assert!(statistics.complete, "everything is explored");
        return (statistics.explored, statistics.deadlocks().unwrap_or(0));
    }
}

/// The first states of a system.
fn sample(system: &dyn System, most: usize) -> Vec<Vec<Word>> {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut states: Vec<Vec<Word>> = vec![steps.target(0).to_vec()];
    let mut known: HashSet<Vec<Word>> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && states.len() < most {
        steps.clear();
        system.successors(&states[next], &mut steps);
        next += 1;
        for index in 0..steps.len() {
            let target = steps.target(index).to_vec();
            if known.insert(target.clone()) {
                states.push(target);
            }
        }
    }
    states
}

/// Nanoseconds that the search for sets takes, and nanoseconds that a state with fewer steps takes longer than one with all.
struct Cost {
    /// From the actions of a state's steps to the set, per action that is looked at.
    per_action: f64,
    /// The search, and leaving steps out.
    per_state: f64,
}

fn cost(system: &Arc<dyn AnySystem>, aim: &Arc<Aim>) -> Cost {
    let stubborn = Stubborn::new(Arc::clone(system), Arc::clone(aim));
    let states = sample(&stubborn, SAMPLE);
    let mut steps = Steps::for_layout(system.layout());
    let actions = states.iter().map(|state| {
        steps.clear();
        system.successors(state, &mut steps);
        steps.actions().to_vec()
    });
    let actions: Vec<Vec<ActionId>> = actions.collect();
    // A few states are looked at again and again, so that there is something to measure.
    let rounds = (SAMPLE / states.len()).max(1);
    let timed = |work: &mut dyn FnMut(usize)| {
        let started = cpu_seconds();
        for _ in 0..rounds {
            (0..states.len()).for_each(&mut *work);
        }
        1e9 * (cpu_seconds() - started)
    };
    let mut steps = Steps::for_layout(system.layout());
    let mut generate = |system: &dyn System, state: usize| {
        steps.clear();
        system.successors(&states[state], &mut steps);
    };
    let mut best = Cost {
        per_action: f64::INFINITY,
        per_state: f64::INFINITY,
    };
    for _ in 0..7 {
        let before = stubborn.effort().visited;
        let search = timed(&mut |state| {
            stubborn.leaves_out(&states[state], &actions[state]);
        });
        let visited = stubborn.effort().visited - before;
        best.per_action = best.per_action.min(search / visited.max(1) as f64);
        let reduced = timed(&mut |state| generate(&stubborn, state));
        let full = timed(&mut |state| generate(system, state));
        let more = (reduced - full) / (rounds * states.len()) as f64;
        best.per_state = best.per_state.min(more);
    }
    best
}

/// Models with more states are not asked in both ways.
const MOST_ASKED: u64 = 200_000;
/// How long a model is asked.
const PER_MODEL: Duration = Duration::from_secs(5);

/// Compares answers with and without stubborn sets.
fn verdicts(directory: &Path, part: Option<&str>) -> ExitCode {
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

/// Programs that are compared have at most so many states, but for the one that must be much quicker.
const MOST_STATES: u64 = 1_000_000;

/// The model on which the reduction must pay, and how many times as fast it must be.
const PAYS: (&str, f64) = ("leader_election.5", 20.0);

/// How many times as long `auto` may take, and the seconds below which nobody cares.
const AT_MOST: f64 = 1.3;
const SHORT: f64 = 0.05;

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
fn auto(directory: &Path, part: Option<&str>) -> ExitCode {
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
    let short = compared.short + asked.short;
    let broken = compared.broken + asked.broken;
    println!(
        "{all} questions, {short} of which take less than {SHORT} s with `--reduce auto`; {broken} take more than {AT_MOST} times as long as with `none`, answer something else, or are not {} times as fast ({})",
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
    short: u32,
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
            short: 0,
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
        let is_short = reduced.cpu < SHORT;
        let kept = if case.name == PAYS.0 {
            ratio * PAYS.1 <= 1.0
        } else {
            is_short || ratio <= AT_MOST
        };
        let kept = kept && plain.verdict == reduced.verdict;
        self.broken += u32::from(!kept);
        self.short += u32::from(is_short);
        let mark = match (kept, is_short) {
            (false, _) => " broken",
            (true, true) => " short",
            (true, false) => "",
        };
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

/// The least time of a few runs with all steps and with `auto`, one after the other.
fn both(program: &Path, question: &[&str], file: &str) -> Option<[Timed; 2]> {
    let mut best: [Option<Timed>; 2] = [None, None];
    for _ in 0..3 {
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
