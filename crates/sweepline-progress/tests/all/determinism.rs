//! The same model, the same findings: whatever else the machine does, and however often it is asked.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use sweepline_core::{AnySystem, Deadline, Limits};
use sweepline_dve::{LoadOptions, read_dve};
use sweepline_logic::{Ranges, Source};
use sweepline_net::{NetSystem, PetriNet, PnmlOptions, family, read_pnml};
use sweepline_program::ProgramSystem;
use sweepline_progress::program::Behaviour;
use sweepline_progress::{Findings, Sample, Structure, Vicinity};

/// A model that can be built in any thread.
enum Model {
    Net(Arc<PetriNet>),
    Program(Arc<Behaviour>),
}

impl Model {
    fn read(path: &Path) -> Option<Self> {
        let name = path.display().to_string();
        let bytes = fs::read(path).ok()?;
        if path.extension()? == "dve" {
            let text = Source::new(name, String::from_utf8(bytes).ok()?);
            let model = read_dve(&text, &LoadOptions::default()).ok()?;
            return Some(Self::Program(Arc::new(Behaviour::new(model.program()))));
        }
        let net = read_pnml(&name, &bytes, &PnmlOptions::default()).ok()?;
        Some(Self::Net(Arc::new(net)))
    }

    fn system(&self) -> Arc<dyn AnySystem> {
        match self {
            Self::Net(net) => Arc::new(NetSystem::new(Arc::clone(net))),
            Self::Program(behaviour) => {
                Arc::new(ProgramSystem::new((**behaviour.program()).clone()))
            }
        }
    }

    fn find(&self, limits: &Limits) -> Findings {
        let (structure, ranges) = match self {
            Self::Net(net) => (Structure::Net(Arc::clone(net)), Ranges::Open),
            Self::Program(behaviour) => (
                Structure::Program(Arc::new(Behaviour::new(Arc::clone(behaviour.program())))),
                Ranges::Known,
            ),
        };
        structure.find(&self.system(), ranges, limits)
    }

    /// Candidates, their order, their outcomes, the choice: all that was found, in words.
    fn findings(&self) -> String {
        format!("{:#?}", self.find(&Limits::default()))
    }
}

/// The models of the project, and some of those of others with up to 50,000 states if they are there. The benchmark `determinism` looks at all.
fn models() -> Vec<(String, Model)> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = fs::read_dir(project.join("models")).expect("the project has models");
    let mut paths: Vec<PathBuf> = own.flatten().map(|entry| entry.path()).collect();
    let corpus = std::env::var_os("SWEEPLINE_CORPUS")
        .map_or_else(|| project.join("../shared/corpus"), PathBuf::from);
    match fs::read_to_string(corpus.join("index.json")) {
        Ok(index) => paths.extend(small(&index).step_by(4).map(|file| corpus.join(file))),
        Err(_) => eprintln!("no corpus at {}", corpus.display()),
    }
    paths.sort();
    let model = |path: PathBuf| Some((path.display().to_string(), Model::read(&path)?));
    paths.into_iter().filter_map(model).collect()
}

/// The files of an index whose models have up to 50,000 states: every entry has its files before its states.
fn small(index: &str) -> impl Iterator<Item = String> {
    index.split("\"files\"").skip(1).filter_map(|entry| {
        let file = entry.split('"').nth(1)?;
        let states = entry.split("\"states\":").nth(1)?;
        let states: u64 = states.split([',', '}']).next()?.trim().parse().ok()?;
        let read = ["dve/", "pnml/"]
            .iter()
            .any(|start| file.starts_with(start));
        (read && states <= 50_000).then(|| file.to_owned())
    })
}

/// Does something while so many threads keep the machine busy.
fn while_busy<T>(threads: usize, act: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    black_box((0..1000_u64).sum::<u64>());
                }
            });
        }
        let result = act();
        done.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
fn a_busy_machine_finds_the_same() {
    let models = models();
    assert!(models.len() > 3, "there are models");
    let alone: Vec<_> = models.iter().map(|(_, model)| model.findings()).collect();
    let busy = thread::available_parallelism().map_or(4, |cores| 2 * cores.get());
    let beside = while_busy(busy, || {
        let found = models.iter().map(|(_, model)| model.findings());
        found.collect::<Vec<_>>()
    });
    let compared = models.iter().zip(alone.iter().zip(&beside));
    let different: Vec<_> = compared
        .filter(|(_, (alone, beside))| alone != beside)
        .map(|((name, _), _)| name)
        .collect();
    assert!(different.is_empty(), "{different:#?}");
}

/// Large programs are the ones that budgets cut off.
#[test]
fn large_nets_are_cut_off_at_the_same_place() {
    for net in [tangle(60), tangle(400), family::stop_and_wait(40, 2, 2)] {
        let model = Model::Net(Arc::new(net));
        let alone = model.findings();
        let busy = while_busy(8, || model.findings());
        assert!(alone == busy, "{alone}\n\n{busy}");
    }
}

/// Rings of three places each, a step of which moves the token of another ring, too.
fn tangle(rings: usize) -> PetriNet {
    let mut net = PetriNet::builder("tangle");
    let places: Vec<_> = (0..3 * rings)
        .map(|place| net.place(format!("p{place}"), u64::from(place % 3 == 0)))
        .collect();
    for ring in 0..rings {
        for step in 0..3 {
            let transition = net.transition(format!("t{ring}_{step}"));
            net.input(transition, places[3 * ring + step], 1);
            net.output(transition, places[3 * ring + (step + 1) % 3], 1);
            let other = (ring * 7 + 3) % rings;
            if step == 0 && other != ring {
                net.input(transition, places[3 * other + 1], 1);
                net.output(transition, places[3 * other + 2], 1);
            }
        }
    }
    net.build().expect("the net is right")
}

/// Nothing in this crate may look at a clock, for what it finds must not depend on it. The user's own deadline is looked
/// at by `Limits::allow`.
#[test]
fn no_source_looks_at_a_clock() {
    // The solver can only be stopped by time. It is asked how far it is, and begins again if that is not far enough.
    let allowed = [("solver.rs", "Duration")];
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut looked = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            looked += 1;
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            for word in [
                "Instant",
                "SystemTime",
                "Duration",
                "elapsed",
                "RandomState",
            ] {
                let expected = allowed.contains(&(name, word));
                assert!(expected || !code.contains(word), "{name} has {word}");
            }
        }
    }
    assert!(looked > 20, "all sources were looked at");
}

/// A limit on time ends everything, whatever it is at.
#[test]
fn finding_ends_at_once_when_the_time_is_over() {
    let model = Model::Net(Arc::new(tangle(3000)));
    let late = Limits {
        deadline: Some(Deadline::after(Duration::ZERO)),
        ..Limits::default()
    };
    let cancelled = Limits::default();
    cancelled.cancel.cancel();
    for limits in [late, cancelled] {
        let found = model.find(&limits);
        assert!(found.choice.assessed.is_empty() && found.choice.chosen.is_none());
        assert!(Vicinity::of(&mut model.system(), u64::MAX, &limits).is_empty());
    }
}

/// What is held while a measure is looked for is a part of the memory, and how much of it is counted in bytes.
#[test]
fn a_small_memory_holds_few_states() {
    let model = Model::Net(Arc::new(family::stop_and_wait(6, 2, 2)));
    let held = |memory: Option<usize>| {
        let limits = Limits {
            memory,
            ..Limits::default()
        };
        let vicinity = Vicinity::of(&mut model.system(), 20_000, &limits);
        let sample = Sample::take(&mut model.system(), &limits);
        (vicinity.len(), vicinity.states(), sample.len())
    };
    let all = held(None);
    assert_eq!((all.0, all.1), (20_000, None));
    let little = held(Some(1 << 20));
    assert!(little.0 > 100 && little.0 < 10_000, "{little:?}");
    assert!(little.2 > 100 && little.2 < all.2, "{little:?}");
    assert_eq!(little, held(Some(1 << 20)));
    let none = held(Some(0));
    assert_eq!((none.0, none.1), (0, None));
}

/// The steps of one state take no more than that part, either: a net may have a source for each of very many places.
#[test]
fn a_wide_state_is_not_expanded_in_a_small_memory() {
    let mut builder = PetriNet::builder("wide");
    for index in 0..2000 {
        let place = builder.place(format!("p{index}"), 0);
        builder.rule(format!("t{index}"), &[], &[place]);
    }
    let model = Model::Net(Arc::new(builder.build().expect("the net is right")));
    let expanded = |memory| {
        let limits = Limits {
            memory: Some(memory),
            ..Limits::default()
        };
        Vicinity::of(&mut model.system(), 1, &limits).len()
    };
    assert_eq!((expanded(1 << 20), expanded(1 << 30)), (0, 1));
}
