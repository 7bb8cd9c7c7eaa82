//! Whether reductions preserve what they promise, on real models: every answer is compared with that of a full exploration.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use sweepline::Verdict;
use sweepline::core::{Deadline, Limits};
use sweepline::session::{
    self, Dependency, Error, Model, Options, Order, Plain, QuestionOptions, Questions, Reading,
    Reduce, Run,
};

use crate::corpus::{Case, Known};

/// What came of comparing.
#[derive(Debug, Default)]
pub struct Tally {
    /// Deadlocks that were counted with fewer steps.
    pub counts: usize,
    /// Answers that were given with fewer steps.
    pub answers: usize,
    /// Questions that reductions refuse.
    pub refused: usize,
    /// Questions and counts for which there was not enough time.
    pub undecided: usize,
    /// States of full explorations for one answer or count each, and of reduced ones.
    pub states: [u64; 2],
    /// What is different.
    pub wrong: Vec<String>,
}

impl Tally {
    /// Takes over what came of comparing something else.
    pub fn add(&mut self, other: Self) {
        self.counts += other.counts;
        self.answers += other.answers;
        self.refused += other.refused;
        self.undecided += other.undecided;
        for (sum, states) in self.states.iter_mut().zip(other.states) {
            *sum += states;
        }
        self.wrong.extend(other.wrong);
    }
}

/// Compares everything that is asked of a model: its deadlocks, and its property files as far as they are about states or
/// runs. All of it together takes no longer than so.
pub fn compare(directory: &Path, case: &Case, time: Duration, tally: &mut Tally) {
    let path = directory.join(&case.files[0]);
    let reading = session::load(&path, &session::LoadOptions::default(), &Limits::default());
    let Ok(Reading::Loaded(model)) = reading else {
        panic!("{} cannot be read", path.display());
    };
    let limits = Limits {
        deadline: Some(Deadline::after(time)),
        ..Limits::default()
    };
    compare_deadlocks(&model, case, &limits, tally);
    let mut asked: Vec<&Known> = Vec::new();
    for known in case.properties.iter().filter(|it| is_asked(it)) {
        // Files of nets have many properties, descriptions of families are asked for each.
        let is_new = !asked.iter().any(|it| it.file == known.file);
        if is_new || case.format == "dve" {
            asked.push(known);
        }
    }
    for known in asked {
        for questions in single_questions(&path, &model, known) {
            compare_answers(&model, case, (&known.file, &questions), &limits, tally);
        }
    }
}

fn is_asked(known: &Known) -> bool {
    !known.kind.starts_with("CTL") && known.kind != "UpperBounds"
}

/// The properties that a file has, each for itself.
fn single_questions(path: &Path, model: &Model, known: &Known) -> Vec<Questions> {
    let mut file = path.with_file_name(&known.file);
    let mut name = None;
    if path.extension().is_some_and(|it| it == "dve") {
        // A formula says what a property process in a program of its own does, and allows reductions.
        let family = path.file_stem().and_then(|stem| stem.to_str());
        let family = family.and_then(|stem| stem.split('.').next());
        file = path.with_file_name(format!("{}.xml", family.unwrap_or_default()));
        name = known.id.rsplit("prop").next();
    }
    let file = file.display();
    let asked = QuestionOptions {
        files: vec![name.map_or_else(|| file.to_string(), |name| format!("{file}#{name}"))],
        ..QuestionOptions::default()
    };
    // What cannot be read is no matter of reductions; the benchmark `corpus` says so.
    let Ok(all) = Questions::gather(&asked, model) else {
        return Vec::new();
    };
    let single = all.properties.iter().map(|property| Questions {
        properties: vec![property.clone()],
        unanswered: Vec::new(),
        ..all.clone()
    });
    single.collect()
}

fn compare_answers(
    model: &Model,
    case: &Case,
    (file, questions): (&str, &Questions),
    limits: &Limits,
    tally: &mut Tally,
) {
    let name = &questions.properties[0].0.name;
    let ask = |reduce| {
        let options = Options {
            reduce,
            limits: limits.clone(),
            ..Options::default()
        };
        session::verify(model, questions, &Order::default(), &options, &mut ())
    };
    let reduced = match ask(Reduce::Stubborn) {
        Ok(runs) => runs,
        Err(Error::NotReduced { .. }) => {
            tally.refused += 1;
            return;
        }
        Err(error) => panic!("{} {name}: {error}", case.name),
    };
    let full = ask(Reduce::None).unwrap_or_else(|error| panic!("{} {name}: {error}", case.name));
    let told = |runs: &[Run]| {
        let answer = runs[0].answers.first().map(|it| it.verdict.clone());
        (answer, runs[0].failure.is_some())
    };
    let (expected, found) = (told(&full), told(&reduced));
    if [&expected, &found].iter().any(|it| is_open(it.0.as_ref())) {
        tally.undecided += 1;
        return;
    }
    tally.answers += 1;
    tally.states[0] += full[0].statistics.explored;
    tally.states[1] += reduced[0].statistics.explored;
    if expected != found {
        let text = format!("{} {name}: {found:?} and not {expected:?}", case.name);
        tally.wrong.push(text);
    }
    // Properties of different files may have the same name.
    let mut known = case.properties.iter();
    let known = known.find(|it| it.id == *name && it.file == file);
    if let Some(Value::Bool(known)) = known.map(|it| &it.expected)
        && found
            .0
            .is_some_and(|verdict| (verdict == Verdict::Holds) != *known)
    {
        tally
            .wrong
            .push(format!("{} {name}: not {known}", case.name));
    }
}

/// Whether there is no verdict.
fn is_open(verdict: Option<&Verdict>) -> bool {
    verdict.is_none_or(|it| matches!(it, Verdict::Inconclusive(_)))
}

/// Deadlocks are counted by the text of the model, and those of programs by local graphs too.
fn compare_deadlocks(model: &Model, case: &Case, limits: &Limits, tally: &mut Tally) {
    let nothing = Questions::default();
    let order = Order::default();
    let options = Options {
        limits: limits.clone(),
        ..Options::default()
    };
    let full = session::explore(model, &Plain(&nothing), &order, &options, &mut ());
    let full = full.unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let fails = full.failure.is_some();
    for dependency in [Dependency::Static, Dependency::Local] {
        if dependency == Dependency::Local && case.format != "dve" {
            continue;
        }
        let options = Options {
            dependency: Some(dependency),
            limits: limits.clone(),
            ..Options::default()
        };
        let reduced = session::explore_reduced(model, &order, &options, &mut ());
        let reduced = reduced.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        if full.stopped.is_some() || reduced.stopped.is_some() {
            tally.undecided += 1;
            continue;
        }
        tally.counts += 1;
        tally.states[0] += full.statistics.explored;
        tally.states[1] += reduced.statistics.explored;
        let found = (reduced.failure.is_some(), reduced.deadlocks);
        if found.0 != fails || (!fails && found.1 != full.deadlocks) {
            tally.wrong.push(format!(
                "{} {dependency:?}: {found:?} and not {:?}",
                case.name,
                (fails, full.deadlocks)
            ));
        }
        // Published counts are of tools that go on after errors.
        if !fails && case.deadlock_states.is_some() && found.1 != case.deadlock_states {
            let known = case.deadlock_states;
            let text = format!("{} {dependency:?}: {found:?} and not {known:?}", case.name);
            tally.wrong.push(text);
        }
    }
}
