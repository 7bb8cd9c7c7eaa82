//! Models of others: every one can be read, and has the published numbers of states and edges.
//!
//! `SWEEPLINE_CORPUS` names the corpus if it is not beside the project; `SWEEPLINE_CORPUS_STATES` is the largest model
//! to count, 50,000 states unless told otherwise.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sweepline_check::{Plan, Question, answer};
use sweepline_core::{Layout, NoProgress, Steps, System, Verdict, Word};
use sweepline_dve::{DveModel, LoadOptions, read_dve, read_goals};
use sweepline_explore::{End, Options, Sweep};
use sweepline_logic::{Formula, Predicate, Property, PropertyKind, Scope, Source};
use sweepline_program::{CompiledSystem, ProgramSystem};

/// The corpus, or nothing and a word about it.
fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("SWEEPLINE_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    if !folder.join("index.json").is_file() {
        eprintln!(
            "skipped: no corpus at {}; set SWEEPLINE_CORPUS",
            folder.display()
        );
        return None;
    }
    Some(folder)
}

fn read(path: &Path) -> Result<DveModel, String> {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    let source = Source::new(path.display().to_string(), text);
    read_dve(&source, &LoadOptions::default()).map_err(|errors| {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        format!("{}: {}", path.display(), all.join("; "))
    })
}

#[test]
fn every_model_can_be_read() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    let mut wrong = Vec::new();
    for folder in corpus
        .join("dve")
        .read_dir()
        .expect("there are DVE models")
        .flatten()
    {
        for file in folder.path().read_dir().expect("a folder").flatten() {
            let path = file.path();
            if path.extension().is_some_and(|extension| extension == "dve") {
                let name = path.to_string_lossy();
                match read(&path) {
                    Ok(model) => {
                        assert_eq!(model.property().is_some(), name.contains(".prop"), "{name}");
                    }
                    Err(error) => wrong.push(error),
                }
                count += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "{count}");
}

#[test]
fn states_and_edges_are_as_published() {
    check_cases(differences);
}

#[test]
fn goals_are_reached_as_published() {
    check_cases(wrong_goals);
}

#[test]
fn interpreter_and_native_code_agree() {
    check_cases(disagreements);
}

#[test]
fn any_words_have_the_steps_the_interpreter_gives_them() {
    check_cases(disagreements_on_any_words);
}

/// Every goal of every instance in every description can be read.
#[test]
fn every_goal_can_be_read() {
    let Some(corpus) = corpus() else { return };
    let folders = corpus.join("dve").read_dir().expect("there are DVE models");
    let mut wrong = Vec::new();
    let mut count = 0;
    for folder in folders.flatten() {
        let files = folder.path().read_dir().expect("a folder").flatten();
        let family = files.map(|file| file.path()).find(|path| {
            let extension = path.extension();
            extension.is_some_and(|extension| extension == "xml")
        });
        let name = folder.file_name().to_string_lossy().into_owned();
        let (Some(family), Some((_, instance))) = (family, name.rsplit_once('.')) else {
            continue;
        };
        let text = std::fs::read_to_string(&family).expect("the description can be read");
        match read_goals(&Source::new(name.as_str(), text), instance) {
            Ok(goals) => count += goals.len(),
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 80, "{count}");
}

/// A system that asks both back ends and compares their steps.
struct Both {
    interpreted: ProgramSystem,
    compiled: CompiledSystem,
    differs: Cell<bool>,
}

impl System for Both {
    fn layout(&self) -> &Layout {
        self.interpreted.layout()
    }

    fn initial(&self, out: &mut Steps) {
        self.interpreted.initial(out);
    }

    fn successors(&self, state: &[Word], out: &mut Steps) {
        let mut steps = [(); 2].map(|()| Steps::for_layout(self.layout()));
        self.interpreted.successors(state, &mut steps[0]);
        self.compiled.successors(state, &mut steps[1]);
        let [interpreted, compiled] = &steps;
        let same = interpreted.words() == compiled.words()
            && interpreted.actions() == compiled.actions()
            && interpreted.fault() == compiled.fault();
        self.differs.set(self.differs.get() || !same);
        self.interpreted.successors(state, out);
    }
}

/// Explores a case with both back ends.
fn disagreements(corpus: &Path, case: &Value) -> Vec<String> {
    let file = case["files"][0].as_str().expect("a file name");
    let interpreted = match read(&corpus.join(file)) {
        Ok(model) => ProgramSystem::new((*model.program()).clone()),
        Err(error) => return vec![error],
    };
    let compiled = match CompiledSystem::new(&interpreted) {
        Ok(compiled) => compiled,
        Err(error) => return vec![format!("{file}: {error}")],
    };
    let both = Both {
        interpreted,
        compiled,
        differs: Cell::new(false),
    };
    let mut sweep = Sweep::new(&both, &NoProgress, Options::default());
    sweep.run(&mut ());
    let differs = both.differs.get();
    differs
        .then(|| format!("{file}: the steps differ"))
        .into_iter()
        .collect()
}

/// Asks both back ends about states that nobody reached: any words, and the initial state with some bits flipped.
fn disagreements_on_any_words(corpus: &Path, case: &Value) -> Vec<String> {
    let file = case["files"][0].as_str().expect("a file name");
    let interpreted = match read(&corpus.join(file)) {
        Ok(model) => ProgramSystem::new((*model.program()).clone()),
        Err(error) => return vec![error],
    };
    let Ok(compiled) = CompiledSystem::new(&interpreted) else {
        return vec![format!("{file}: cannot be compiled")];
    };
    let mut initial = Steps::for_layout(interpreted.layout());
    interpreted.initial(&mut initial);
    let both = Both {
        interpreted,
        compiled,
        differs: Cell::new(false),
    };
    let mut random = Random(case["states"].as_u64().unwrap_or(1));
    for round in 0..400 {
        let words = initial.target(0).iter().map(|word| match round % 4 {
            0 => random.next(),
            1 => word ^ (random.next() & random.next() & random.next()),
            2 => word ^ (1 << (random.next() % 64)),
            _ => random.next() | random.next(),
        });
        let state: Vec<Word> = words.collect();
        both.successors(&state, &mut Steps::for_layout(both.layout()));
        if both.differs.get() {
            return vec![format!("{file}: the steps of {state:x?} differ")];
        }
    }
    Vec::new()
}

/// `SplitMix64`, so that a difference can be looked at again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Checks every case that is not too large.
fn check_cases(check: fn(&Path, &Value) -> Vec<String>) {
    let Some(corpus) = corpus() else { return };
    let limit = std::env::var("SWEEPLINE_CORPUS_STATES");
    let limit = limit.map_or(50_000, |limit| limit.parse().expect("a number"));
    let index = std::fs::read_to_string(corpus.join("index.json")).expect("there is an index");
    let index: Value = serde_json::from_str(&index).expect("the index is JSON");
    let mut wrong = Vec::new();
    for case in index.as_array().expect("the index is a list") {
        let states = case["states"].as_u64().unwrap_or(u64::MAX);
        if case["format"] == "dve" && states <= limit {
            wrong.extend(check(&corpus, case));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Asks for every goal of a case with a published answer; evidence is replayed.
fn wrong_goals(corpus: &Path, case: &Value) -> Vec<String> {
    let file = case["files"][0].as_str().expect("a file name");
    let path = corpus.join(file);
    let instance = case["name"]
        .as_str()
        .and_then(|name| name.rsplit('.').next());
    let mut wrong = Vec::new();
    for property in case["properties"].as_array().into_iter().flatten() {
        let (Some(expected), Some(id)) = (property["expected"].as_bool(), property["id"].as_str())
        else {
            continue;
        };
        if property["kind"] != "reachability of goal" {
            continue;
        }
        let family = path.with_file_name(property["file"].as_str().expect("a file name"));
        let text = std::fs::read_to_string(&family).expect("the description can be read");
        let family = Source::new(family.display().to_string(), text);
        let goals = read_goals(&family, instance.unwrap_or_default());
        let number = id.rsplit("prop").next();
        let found = goals.map_err(|error| error.to_string()).and_then(|goals| {
            let goal = goals
                .into_iter()
                .find(|goal| Some(goal.name.as_str()) == number);
            is_reached(&path, goal.ok_or("no such goal")?)
        });
        if found != Ok(expected) {
            wrong.push(format!("{id}: {found:?}, not {expected}"));
        }
    }
    wrong
}

/// Whether a state that satisfies the goal can be reached.
fn is_reached(path: &Path, goal: Property) -> Result<bool, String> {
    let model = read(path)?;
    let system = ProgramSystem::new((*model.program()).clone());
    let PropertyKind::Formula(Formula::Reachable(pred)) = goal.kind else {
        return Err("not a goal".into());
    };
    let definitions = model.definitions();
    let scope = Scope::of(&system).with(&definitions);
    let scope = scope.map_err(|error| error.to_string())?;
    let predicate = Predicate::resolve(&pred, &scope, &Source::from(""));
    let predicate = predicate.map_err(|error| error.to_string())?;
    let question = Question::reachable(goal.name, "", move |seen| {
        let value = predicate.eval(seen.state, seen.enabled);
        value.map_err(|error| error.to_string())
    });
    let plan = Plan {
        system: &system,
        progress: NoProgress,
        questions: vec![question],
    };
    let report = answer(plan, |_, _| None, Options::default(), &mut ());
    match report.answers[0].verdict {
        Verdict::Holds => Ok(true),
        Verdict::Violated => Ok(false),
        ref other @ Verdict::Inconclusive(_) => Err(format!("{other:?}")),
    }
}

/// Compares every published figure of a case with ours.
fn differences(corpus: &Path, case: &Value) -> Vec<String> {
    let files = case["files"].as_array().expect("a list of files");
    let file = files[0].as_str().expect("a file name");
    let program = match read(&corpus.join(file)) {
        Ok(model) => (*model.program()).clone(),
        Err(error) => return vec![error],
    };
    let system = ProgramSystem::new(program.clone());
    let mut sweep = Sweep::new(system, NoProgress, Options::default());
    let mut end = sweep.run(&mut ());
    if matches!(end, End::Fault { .. } | End::Assertion { .. }) {
        // Published counts are of tools that go on after errors.
        let system = ProgramSystem::new(program.with_error_states());
        sweep = Sweep::new(system, NoProgress, Options::default());
        end = sweep.run(&mut ());
    }
    if end != End::Complete {
        return vec![format!("{file}: {end:?}")];
    }
    let statistics = sweep.statistics();
    let found = [
        ("states", statistics.states()),
        ("transitions", Some(statistics.edges)),
        ("deadlock_states", statistics.deadlocks()),
    ];
    let differ = found.into_iter().filter_map(|(name, found)| {
        let published = case[name].as_u64()?;
        (found != Some(published)).then(|| format!("{file}: {name} {found:?}, not {published}"))
    });
    differ.collect()
}
