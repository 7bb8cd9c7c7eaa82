//! The validation corpus: real models by other people with known answers. It lives outside the project.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use sweepline::Verdict;
use sweepline::core::{Limits, NoProgress, Statistics, System};
use sweepline::dve::{LoadOptions, read_dve};
use sweepline::explore::{End, Options, Sweep};
use sweepline::logic::{Coordinate, Expr, Name, Property, Source};
use sweepline::net::{PetriNet, PnmlOptions, read_pnml, read_properties};
use sweepline::program::{CompiledSystem, Program, ProgramSystem};
use sweepline::session::{
    self, Answer, ChosenBy, Model, OnError, OrderOptions, QuestionOptions, Questions, Reading,
    Reduce, Run,
};

/// A model of the corpus with what is known about it.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// `pnml`, `dve`, …
    pub format: String,
    /// Name of the model.
    pub name: String,
    /// Its files, the model first.
    pub files: Vec<String>,
    /// Reachable states, if known.
    pub states: Option<u64>,
    /// Edges, if known.
    pub transitions: Option<u64>,
    /// States without successors, if known.
    pub deadlock_states: Option<u64>,
    /// Properties with known verdicts.
    pub properties: Vec<Known>,
}

/// A property with its known verdict.
#[derive(Clone, Debug, Deserialize)]
pub struct Known {
    /// Name of the property.
    pub id: String,
    /// The file it is in.
    pub file: String,
    /// The examination it belongs to.
    pub kind: String,
    /// A truth value or a number; null if not known.
    pub expected: Value,
}

/// Where the corpus is: `$SWEEPLINE_CORPUS`, or beside the project.
pub fn directory() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let directory = std::env::var_os("SWEEPLINE_CORPUS").map_or(beside, PathBuf::from);
    directory.join("index.json").is_file().then_some(directory)
}

/// All cases of a format.
pub fn cases(directory: &Path, format: &str) -> Vec<Case> {
    let index = fs::read(directory.join("index.json")).expect("the index can be read");
    let mut cases: Vec<Case> = serde_json::from_slice(&index).expect("the index is well-formed");
    cases.retain(|case| case.format == format);
    for case in &mut cases {
        case.properties
            .retain(|known| !CONTRADICTED.contains(&&*known.id));
    }
    cases
}

/// Which verdicts about a case are not compared with ours, and why is said at `CONTRADICTED`. Who runs the corpus lists them.
pub fn contradicted(case: &Case) -> impl Iterator<Item = &'static str> {
    let all = CONTRADICTED.into_iter();
    all.filter(|id| {
        let rest = id.strip_prefix(&*case.name);
        rest.is_some_and(|rest| rest.starts_with('-'))
    })
}

/// Verdicts that contradict the counts of their net, which are of another source. They want a deadlock to be reachable.
///
/// The counts of `BART-COL-002` (17,424 states, 53,328 steps) are those of `BART-PT-002`, its unfolding by its authors, which the
/// corpus counts again and finds without a deadlock. A search of the coloured file itself that shares nothing with this project (a
/// script that matches tokens with the terms of arcs, evaluates guards and unfolds nothing) has the same counts, uses 404
/// bindings, finds no deadlock, and has our verdicts for all sixteen formulas of `CTLFireability.xml`; `EF EG not TrainStop` (10),
/// for one, needs a run that ends. The other verdicts of the net are ours too.
const CONTRADICTED: [&str; 7] = [
    "BART-COL-002-ReachabilityDeadlock-0",
    "BART-COL-002-CTLFireability-3",
    "BART-COL-002-CTLFireability-4",
    "BART-COL-002-CTLFireability-5",
    "BART-COL-002-CTLFireability-10",
    "BART-COL-002-CTLFireability-12",
    "BART-COL-002-CTLFireability-14",
];

/// In which order a net is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All in one layer.
    Full,
    /// By the tokens on every third place, which regresses now and then.
    Rows,
    /// The same with a window.
    Window,
    /// By the measure that is found.
    Auto,
}

/// What an exploration of a case gave.
#[derive(Debug)]
pub struct Outcome {
    /// Figures of the exploration.
    pub statistics: Statistics,
    /// What disagrees with the corpus.
    pub wrong: Vec<String>,
    /// How many verdicts are known.
    pub asked: usize,
    /// How many verdicts were given.
    pub answered: usize,
    /// Wall-clock time, reading included.
    pub elapsed: Duration,
}

/// Reads the net of a case.
pub fn net(directory: &Path, case: &Case) -> Arc<PetriNet> {
    let file = &case.files[0];
    let bytes = fs::read(directory.join(file)).expect("the corpus is complete");
    let net = read_pnml(file, &bytes, &PnmlOptions::default());
    Arc::new(net.unwrap_or_else(|errors| panic!("{file}: {errors:?}")))
}

/// Reads the program of a case.
pub fn program(directory: &Path, case: &Case) -> Program {
    let file = &case.files[0];
    let text = fs::read_to_string(directory.join(file)).expect("the corpus is complete");
    let model = read_dve(&Source::new(file.as_str(), text), &LoadOptions::default());
    let model = model.unwrap_or_else(|errors| panic!("{file}: {errors:?}"));
    (*model.program()).clone()
}

/// A program as native code.
pub fn compiled(program: Program) -> CompiledSystem {
    CompiledSystem::new(&ProgramSystem::new(program)).expect("this machine runs compiled code")
}

/// Counts the states of a program and compares them with what is known.
///
/// Published counts are of tools that go on after errors, so that is what is counted if there are any.
pub fn count_program<S: System>(
    program: Program,
    prepare: impl Fn(Program) -> S,
    case: &Case,
    limits: Limits,
) -> Outcome {
    let started = Instant::now();
    let options = Options {
        limits,
        ..Options::default()
    };
    let mut sweep = Sweep::new(prepare(program.clone()), NoProgress, options.clone());
    if matches!(sweep.run(&mut ()), End::Fault { .. }) {
        sweep = Sweep::new(prepare(program.with_error_states()), NoProgress, options);
        sweep.run(&mut ());
    }
    compared(case, sweep.statistics().clone(), started)
}

/// Counts states, edges and deadlocks of a net and compares them with what is known.
pub fn count(net: &Arc<PetriNet>, case: &Case, order: Order, limits: Limits) -> Outcome {
    let started = Instant::now();
    let run = explore(net, order, limits, &[]);
    compared(case, run.statistics, started)
}

fn compared(case: &Case, statistics: Statistics, started: Instant) -> Outcome {
    let mut wrong = Vec::new();
    let mut compare = |what: &str, known: Option<u64>, counted: Option<u64>| {
        if let (Some(known), Some(counted)) = (known, counted)
            && known != counted
        {
            wrong.push(format!(
                "{}: {counted} {what} instead of {known}",
                case.name
            ));
        }
    };
    compare("states", case.states, statistics.states());
    compare(
        "edges",
        case.transitions,
        statistics.states().map(|_| statistics.edges),
    );
    compare("deadlocks", case.deadlock_states, statistics.deadlocks());
    if let Some(known) = case.states
        && statistics.complete
        && statistics.explored < known
    {
        wrong.push(format!(
            "{}: {} of {known} states were explored",
            case.name, statistics.explored
        ));
    }
    Outcome {
        statistics,
        wrong,
        asked: 0,
        answered: 0,
        elapsed: started.elapsed(),
    }
}

/// Property files of a case that this version can check.
pub fn property_files(case: &Case) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for known in &case.properties {
        if !known.kind.starts_with("CTL") && !files.contains(&known.file) {
            files.push(known.file.clone());
        }
    }
    files
}

/// Checks all properties of a file in one exploration and compares the verdicts with what is known.
pub fn verify(
    directory: &Path,
    net: &Arc<PetriNet>,
    case: &Case,
    file: &str,
    order: Order,
    limits: Limits,
) -> Outcome {
    let started = Instant::now();
    let path = Path::new(&case.files[0]).with_file_name(file);
    let bytes = fs::read(directory.join(&path)).expect("the corpus is complete");
    let set = read_properties(file, &bytes, net)
        .unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()));
    let properties = set
        .complete()
        .unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()));
    let run = explore(net, order, limits, &properties);
    assert!(run.failure.is_none(), "{}: {:?}", case.name, run.failure);
    told(case, file, &run, started)
}

/// What a run said of the properties of a file, and what of that is wrong.
fn told(case: &Case, file: &str, run: &Run, started: Instant) -> Outcome {
    let known = case
        .properties
        .iter()
        .filter(|known| known.file == file && !known.expected.is_null());
    let mut outcome = Outcome {
        statistics: run.statistics.clone(),
        wrong: Vec::new(),
        asked: 0,
        answered: 0,
        elapsed: started.elapsed(),
    };
    for known in known {
        let answer = run.answers.iter().find(|answer| answer.name == known.id);
        let answer = answer.unwrap_or_else(|| panic!("{file} has no property {}", known.id));
        outcome.asked += 1;
        match given(answer) {
            None => {}
            Some(given) => {
                outcome.answered += 1;
                if given != known.expected {
                    outcome.wrong.push(format!(
                        "{}: {given} instead of {}",
                        known.id, known.expected
                    ));
                }
            }
        }
    }
    outcome
}

/// Properties of a program's runs with known verdicts.
pub fn about_runs(case: &Case) -> impl Iterator<Item = &Known> {
    let known = case.properties.iter();
    known.filter(|known| known.kind.starts_with("LTL") && known.expected.is_boolean())
}

/// Checks a property of a program's runs as the command line does: one that stands in a program of its own as the property
/// process, or one of the description of the family.
///
/// Published verdicts are of tools that go on after errors, so if there are any that decide the search, they are left out.
pub fn verify_runs(directory: &Path, case: &Case, known: &Known, limits: &Limits) -> Outcome {
    let started = Instant::now();
    let program = directory.join(&case.files[0]);
    let file = program.with_file_name(&known.file);
    let in_family = file.extension().is_some_and(|extension| extension == "xml");
    let mut asked = QuestionOptions::default();
    if in_family {
        let number = known.id.rsplit("prop").next().unwrap_or_default();
        asked.files = vec![format!("{}#{number}", file.display())];
    }
    let path = if in_family { &program } else { &file };
    let ask = |errors| asked_by_session(path, &asked, errors, Reduce::None, limits);
    let mut run = ask(OnError::Stop);
    if given(&run.answers[0]).is_none() && run.failure.is_some() {
        run = ask(OnError::Count);
    }
    let given = given(&run.answers[0]);
    let wrong = given.as_ref().filter(|given| **given != known.expected);
    let wrong = wrong.map(|given| format!("{}: {given} instead of {}", known.id, known.expected));
    Outcome {
        statistics: run.statistics,
        wrong: wrong.into_iter().collect(),
        asked: 1,
        answered: given.iter().count(),
        elapsed: started.elapsed(),
    }
}

/// Files with formulas about the runs of a net.
pub fn files_about_runs(case: &Case) -> Vec<String> {
    let mut files = property_files(case);
    files.retain(|file| file.starts_with("LTL"));
    files
}

/// Files with formulas of branching time about a net.
pub fn branching_files(case: &Case) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for known in &case.properties {
        let is_known = known.kind.starts_with("CTL") && !known.expected.is_null();
        if is_known && !files.contains(&known.file) {
            files.push(known.file.clone());
        }
    }
    files
}

/// Checks all properties of a file about a net as the command line does.
pub fn verify_file(
    directory: &Path,
    case: &Case,
    file: &str,
    reduce: Reduce,
    limits: &Limits,
) -> Outcome {
    let started = Instant::now();
    let net = directory.join(&case.files[0]);
    let asked = QuestionOptions {
        files: vec![net.with_file_name(file).display().to_string()],
        ..QuestionOptions::default()
    };
    let run = asked_by_session(&net, &asked, OnError::Stop, reduce, limits);
    told(case, file, &run, started)
}

/// Counts the states of a coloured net of CPN Tools as the command line does, or says why it is refused. Nets with random
/// functions have all results.
pub fn count_coloured(directory: &Path, case: &Case, limits: &Limits) -> Result<Outcome, String> {
    let started = Instant::now();
    let path = directory.join(&case.files[0]);
    let load = |random| {
        let options = session::LoadOptions {
            random,
            ..session::LoadOptions::default()
        };
        session::load(&path, &options, limits)
    };
    let model = match load(false).or_else(|_| load(true)) {
        Ok(Reading::Loaded(model)) => model,
        Ok(_) => return Err("reading it takes too much".to_owned()),
        Err(error) => return Err(error.to_string()),
    };
    let options = session::Options {
        limits: limits.clone(),
        ..session::Options::default()
    };
    let (questions, order) = (Questions::default(), session::Order::default());
    let runs = session::verify(&model, &questions, &order, &options, &mut ());
    let run = runs.map_err(|error| error.to_string())?.swap_remove(0);
    if let Some(failure) = &run.failure {
        return Err(format!("a step fails: {failure:?}"));
    }
    Ok(compared(case, run.statistics, started))
}

/// Files with questions about what a net can reach, each of which may be answered with fewer steps.
pub fn files_about_reachability(case: &Case) -> Vec<String> {
    let mut files = property_files(case);
    files.retain(|file| file.starts_with("Reachability"));
    files
}

/// Asks a model as the command line does.
fn asked_by_session(
    path: &Path,
    asked: &QuestionOptions,
    errors: OnError,
    reduce: Reduce,
    limits: &Limits,
) -> Run {
    let reading = session::LoadOptions {
        errors,
        ..session::LoadOptions::default()
    };
    let Ok(Reading::Loaded(model)) = session::load(path, &reading, limits) else {
        panic!("{} cannot be read", path.display());
    };
    let wrong = |error: session::Error| -> ! { panic!("{}: {error}", path.display()) };
    let questions = Questions::gather(asked, &model).unwrap_or_else(|error| wrong(error));
    let order = session::Order::of(&OrderOptions::default(), &model, limits);
    let order = order.unwrap_or_else(|error| wrong(error));
    let options = session::Options {
        limits: limits.clone(),
        reduce,
        ..session::Options::default()
    };
    let runs = session::verify(&model, &questions, &order, &options, &mut ());
    runs.unwrap_or_else(|error| wrong(error)).swap_remove(0)
}

/// The answer in the form the index has it.
fn given(answer: &Answer) -> Option<Value> {
    match (&answer.verdict, answer.value) {
        (Verdict::Inconclusive(_), _) => None,
        (_, Some(value)) => Some(value.into()),
        (verdict, None) => Some((*verdict == Verdict::Holds).into()),
    }
}

/// Explores a net as the command line does.
fn explore(net: &Arc<PetriNet>, order: Order, limits: Limits, properties: &[Property]) -> Run {
    let model = Model::of_net("corpus", Arc::clone(net));
    let source = Source::new("corpus", "");
    let questions = Questions {
        properties: properties
            .iter()
            .map(|property| (property.clone(), source.clone()))
            .collect(),
        ..Questions::default()
    };
    let order = match order {
        Order::Full => session::Order::default(),
        Order::Rows => by_places(&model, 0),
        Order::Window => by_places(&model, 3),
        Order::Auto => session::Order::found(&model.find_measure(&limits), false),
    };
    let options = session::Options {
        limits,
        ..session::Options::default()
    };
    let runs = session::verify(&model, &questions, &order, &options, &mut ());
    let mut runs = runs.unwrap_or_else(|error| panic!("{error}"));
    runs.pop().expect("everything is asked at once")
}

/// In the order of the tokens on every third place.
fn by_places(model: &Model, window: u64) -> session::Order {
    let places = model.system.layout().slots().iter().step_by(3);
    let tokens = places.map(|slot| Expr::Slot(Name::new(&slot.name)));
    let mut order = session::Order {
        window,
        origin: ChosenBy::Given,
        ..session::Order::default()
    };
    order.measure.rows = vec![Coordinate::from(Expr::Sum(tokens.collect()))];
    order
}

#[cfg(test)]
mod tests;
