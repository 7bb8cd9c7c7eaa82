//! Our own models have the figures that stand beside them, in full searches and in sweeps.

use std::path::{Path, PathBuf};

use sweepline_check::{Plan, Question, QuestionKind, Test, Truth, answer};
use sweepline_core::{NoProgress, Verdict};
use sweepline_dve::{LoadOptions, read_dve};
use sweepline_explore::{End, Options, Sweep};
use sweepline_logic::{Coordinate, Measure, Predicate, Ranges, Scope, Source, parse_pred};
use sweepline_program::ProgramSystem;
use toml::Table;

/// The arguments of an entry that matter here.
#[derive(Default)]
struct Arguments {
    options: LoadOptions,
    columns: Vec<Coordinate>,
    rows: Vec<Coordinate>,
    question: Option<Asked>,
}

/// What a property asks.
enum Asked {
    Reach(String),
    Invariant(String),
}

impl Arguments {
    fn of(entry: &Table) -> Self {
        let mut arguments = Self::default();
        let words = entry.get("args").and_then(toml::Value::as_array);
        let words: Vec<&str> = words
            .into_iter()
            .flatten()
            .filter_map(toml::Value::as_str)
            .collect();
        for pair in words.chunks(2) {
            match pair {
                ["--reach", goal] => arguments.question = Some(Asked::Reach((*goal).into())),
                ["--invariant", text] => {
                    arguments.question = Some(Asked::Invariant((*text).into()));
                }
                ["--deadlock"] => {
                    arguments.question = Some(Asked::Invariant("not deadlock".into()));
                }
                ["--set", setting] => {
                    let (name, value) = setting.split_once('=').expect("NAME=VALUE");
                    let value = value.parse().expect("a number");
                    arguments.options.constants.push((name.into(), value));
                }
                ["--columns", columns] => {
                    arguments.columns = Coordinate::parse(*columns).expect("expressions");
                }
                ["--progress", rows] => {
                    arguments.rows = Coordinate::parse(*rows).expect("expressions");
                }
                ["--method", "full"] => {}
                other => panic!("{other:?} is not understood here"),
            }
        }
        arguments
    }
}

/// Explores a model and compares every figure that the entry gives.
fn check(path: &Path, entry: &Table) {
    let Arguments {
        options,
        columns,
        rows,
        ..
    } = Arguments::of(entry);
    let text = std::fs::read_to_string(path).expect("the model can be read");
    let what = format!("{} {:?}", path.display(), options.constants);
    let source = Source::new(path.display().to_string(), text);
    let model = read_dve(&source, &options).expect("the model is right");
    assert!(
        model.warnings().is_empty(),
        "{what}: {:?}",
        model.warnings()
    );
    let system = ProgramSystem::new((*model.program()).clone());
    let measure = Measure::new(&columns, &rows, &Scope::of(&system), Ranges::Known);
    let measure = measure.expect("the measure is right");
    let mut sweep = Sweep::new(&system, &measure, Options::default());
    assert_eq!(sweep.run(&mut ()), End::Complete, "{what}");
    let found = sweep.statistics();
    let figures = [
        ("states", found.states()),
        ("explored", Some(found.explored)),
        ("edges", Some(found.edges)),
        ("deadlocks", found.deadlocks()),
        ("layers", Some(found.layers)),
        ("sweeps", Some(found.sweeps)),
        ("persistent", Some(found.persistent)),
        ("regress_edges", Some(found.regress_edges)),
        ("peak_states", Some(found.peak_states)),
    ];
    for (name, figure) in figures {
        if let Some(expected) = entry.get(name).and_then(toml::Value::as_integer) {
            let expected = u64::try_from(expected).ok();
            assert_eq!(figure, expected, "{what}: {name}");
        }
    }
}

/// Asks a question and compares the verdict.
fn check_property(path: &Path, entry: &Table) {
    let Arguments {
        options, question, ..
    } = Arguments::of(entry);
    let text = std::fs::read_to_string(path).expect("the model can be read");
    let model = read_dve(&Source::new("model", text), &options).expect("the model is right");
    let system = ProgramSystem::new((*model.program()).clone());
    let definitions = model.definitions();
    let scope = Scope::of(&system).with(&definitions);
    let scope = scope.expect("the definitions are right");
    let (text, is_goal) = match question.expect("the entry asks something") {
        Asked::Reach(text) => (text, true),
        Asked::Invariant(text) => (text, false),
    };
    let source = Source::from(text.as_str());
    let pred = parse_pred(&source).expect("a predicate");
    let predicate = Predicate::resolve(&pred, &scope, &source).expect("names are known");
    let test = Test::Predicate(predicate);
    let (kind, truth) = if is_goal {
        (QuestionKind::Reach, Truth::Reachable(test))
    } else {
        (QuestionKind::Invariant, Truth::Invariant(test))
    };
    let question = Question {
        name: "property".into(),
        kind,
        text: text.clone(),
        truth,
    };
    let plan = Plan {
        system: &system,
        progress: NoProgress,
        questions: vec![question],
    };
    let report = answer(plan, |_, _| None, Options::default(), &mut ());
    let expected = match entry.get("verdict").and_then(toml::Value::as_str) {
        Some("holds") => Verdict::Holds,
        Some("violated") => Verdict::Violated,
        other => panic!("{other:?} is no verdict"),
    };
    let found = &report.answers[0].verdict;
    assert_eq!(*found, expected, "{}: {text}", path.display());
}

/// The expectations of a model: `NAME.dve.expect.toml` if another model has the same name, else `NAME.expect.toml`.
fn expectations(path: &Path) -> Table {
    let own = PathBuf::from(format!("{}.expect.toml", path.display()));
    let file = if own.is_file() {
        own
    } else {
        path.with_extension("expect.toml")
    };
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.parse().expect("the expectations are well-formed")
}

#[test]
fn our_models_have_their_figures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut checked = 0;
    for entry in folder.read_dir().expect("there are models").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "dve") {
            let expected = expectations(&path);
            check(&path, &expected);
            let sweeps = expected.get("sweep").and_then(toml::Value::as_array);
            for sweep in sweeps.into_iter().flatten() {
                check(&path, sweep.as_table().expect("a table"));
            }
            let properties = expected.get("property").and_then(toml::Value::as_array);
            for property in properties.into_iter().flatten() {
                check_property(&path, property.as_table().expect("a table"));
            }
            checked += 1;
        }
    }
    assert!(checked >= 9, "{checked}");
}
