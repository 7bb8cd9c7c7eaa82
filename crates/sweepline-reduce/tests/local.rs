//! Local graphs have everything that processes see: on random programs, and as the paper's tables say.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]
#![expect(
    clippy::print_stderr,
    reason = "somebody should know why nothing was tested"
)]

#[expect(dead_code, reason = "nets and networks have no processes")]
mod models;

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use models::{Random, random_program};
use proptest::prelude::*;
use sweepline_core::{ActionId, Limits, SlotId, Steps, System, Word};
use sweepline_program::{Effect, Expr, ProgramBuilder, ProgramSystem, SlotType};
use sweepline_reduce::local::{LocalGraphs, Projection, Refusal, Views, ls3, modular};

/// More states are not looked at: then nothing is compared.
const MOST: usize = 20_000;

/// Everything there is, naively.
struct Whole {
    states: HashSet<Vec<Word>>,
    steps: Vec<(Vec<Word>, ActionId, Vec<Word>)>,
}

fn explore(system: &ProgramSystem) -> Option<Whole> {
    let mut whole = Whole {
        states: HashSet::from([system.start().to_vec()]),
        steps: Vec::new(),
    };
    let mut queue = VecDeque::from([system.start().to_vec()]);
    let mut steps = Steps::for_layout(system.layout());
    while let Some(state) = queue.pop_front() {
        steps.clear();
        system.successors(&state, &mut steps);
        if steps.fault().is_some() {
            continue;
        }
        for (index, action) in steps.actions().iter().enumerate() {
            let target = steps.target(index).to_vec();
            if whole.states.insert(target.clone()) {
                queue.push_back(target.clone());
            }
            whole.steps.push((state.clone(), *action, target));
        }
        if whole.states.len() > MOST {
            return None;
        }
    }
    Some(whole)
}

/// What a process sees, by value.
fn seen(views: &Views, process: usize, state: &[Word]) -> Vec<i64> {
    let layout = views.system().layout();
    let slots = views.slots(process).iter();
    slots.map(|slot| layout.slot(*slot).read(state)).collect()
}

fn number(graphs: &LocalGraphs, process: usize, state: &[Word]) -> Option<usize> {
    let mut local = Vec::new();
    graphs.views().project(process, state, &mut local);
    graphs.of(process).find(&local)
}

/// Every local state, step and pair of the whole system is there.
fn contains_all(what: &str, graphs: &LocalGraphs, whole: &Whole) {
    let processes = 0..graphs.views().processes();
    for state in &whole.states {
        let numbers = processes.clone().map(|it| number(graphs, it, state));
        let numbers: Vec<usize> = numbers
            .map(|it| it.unwrap_or_else(|| panic!("{what}: a local state is missing")))
            .collect();
        for one in processes.clone() {
            for other in 0..one {
                let met = graphs.may_meet((one, numbers[one]), (other, numbers[other]));
                assert_ne!(met, Some(false), "{what}: a pair is missing");
            }
        }
    }
    for (source, action, target) in &whole.steps {
        for process in processes.clone() {
            let source = number(graphs, process, source).unwrap();
            let target = number(graphs, process, target).unwrap();
            if !graphs.views().is_involved(process, *action) {
                assert_eq!(source, target, "{what}: it sees nothing of the action");
                continue;
            }
            let mut edges = graphs.of(process).edges(source).iter();
            assert!(
                edges.any(|it| it.action == action.0 && it.target as usize == target),
                "{what}: a step is missing"
            );
        }
    }
}

fn project(views: &Arc<Views>, whole: &Whole) -> LocalGraphs {
    let mut projection = Projection::new(Arc::clone(views));
    for state in &whole.states {
        projection.look_at(state);
    }
    for (source, action, target) in &whole.steps {
        projection.look_at(source);
        projection.step(*action, target);
    }
    projection.finish()
}

fn check(seed: u64) -> Option<[usize; 3]> {
    let system = ProgramSystem::new(random_program(&mut Random::new(seed)));
    check_program(&format!("program {seed}"), &system, &[])
}

/// Local states by projection, by pairs and by guarantees.
fn check_program(
    what: &str,
    system: &ProgramSystem,
    more: &[(usize, SlotId)],
) -> Option<[usize; 3]> {
    let whole = explore(system)?;
    let views = Arc::new(Views::new(system, more).unwrap());
    let exact = project(&views, &whole);
    let limits = Limits::default();
    let (followed, told) = (
        ls3(&views, &limits).unwrap(),
        modular(&views, &limits).unwrap(),
    );
    for (what, graphs) in [
        (format!("{what} Mono"), &exact),
        (format!("{what} LS3"), &followed),
        (format!("{what} TMMC"), &told),
    ] {
        contains_all(&what, graphs, &whole);
    }
    for process in 0..views.processes() {
        let states = whole.states.iter();
        let naive: BTreeSet<_> = states.map(|it| seen(&views, process, it)).collect();
        assert_eq!(exact.of(process).states(), naive.len(), "{what}");
        // Who knows of the order of changes knows more.
        for state in 0..followed.of(process).states() {
            let state = followed.of(process).state(state);
            assert!(told.of(process).find(state).is_some(), "{what}");
        }
    }
    let sizes = |graphs: &LocalGraphs| {
        let all = (0..views.processes()).map(|it| graphs.of(it).states());
        all.sum::<usize>()
    };
    Some([sizes(&exact), sizes(&followed), sizes(&told)])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_is_missing(seed: u64) {
        check(seed);
    }
}

/// The test above says something only if the graphs are not those of everything that could be.
#[test]
fn something_is_excluded() {
    let sizes: Vec<_> = (0..200).filter_map(check).collect();
    let exact = sizes.iter().filter(|[mono, ls3, _]| mono == ls3).count();
    let better = sizes.iter().filter(|[_, ls3, tmmc]| ls3 < tmmc).count();
    assert!(sizes.len() > 100, "{}", sizes.len());
    assert!(
        exact > 20 && exact < sizes.len() && better > 4,
        "{exact} {better} of {}",
        sizes.len()
    );
}

/// Many more: `cargo test --release -p sweepline-reduce --test local -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn fifty_thousand() {
    for seed in 0..50_000 {
        check(seed);
    }
}

/// A rendezvous whose parts write two slots that a third process sees.
#[test]
fn a_third_process_sees_both_parts_of_a_joint_action() {
    let mut program = ProgramBuilder::new("joint");
    let x = program.slot("x", SlotType::boolean(), 0);
    let y = program.slot("y", SlotType::boolean(), 0);
    let processes = ["P", "Q", "R"].map(|name| {
        let process = program.process(name);
        let at = [0, 1].map(|at| program.location(process, format!("l{at}")));
        (process, at)
    });
    let [(p, p_at), (q, q_at), (r, r_at)] = processes;
    program
        .action("meet", p, p_at[0], p_at[1])
        .with(q, q_at[0], q_at[1])
        .effect(Effect::assign(x, 1))
        .effect(Effect::assign(y, 1));
    // Each of the two sees one of the slots by an action of its own.
    program
        .action("reset x", p, p_at[1], p_at[0])
        .guard(Expr::slot(x).equals(1))
        .effect(Effect::assign(x, 0));
    program
        .action("reset y", q, q_at[1], q_at[0])
        .guard(Expr::slot(y).equals(1))
        .effect(Effect::assign(y, 0));
    program
        .action("see", r, r_at[0], r_at[1])
        .guard(Expr::slot(x).equals(1).and(Expr::slot(y).equals(1)));
    let system = ProgramSystem::new(program.build().unwrap());
    let [mono, ls3, tmmc] = check_program("joint", &system, &[]).unwrap();
    assert!(mono <= ls3 && ls3 <= tmmc);
}

#[test]
fn nothing_is_local_about_one_process() {
    let mut program = ProgramBuilder::new("alone");
    let process = program.process("P");
    program.location(process, "here");
    let system = ProgramSystem::new(program.build().unwrap());
    let refusal = Views::new(&system, &[]).unwrap_err();
    assert_eq!(refusal, Refusal::Alone("a single process"));
}

/// The corpus, or nothing and a word about it.
fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("SWEEPLINE_CORPUS").map_or(beside, PathBuf::from);
    if !corpus.is_dir() {
        eprintln!(
            "skipped: no corpus at {}; set SWEEPLINE_CORPUS",
            corpus.display()
        );
        return None;
    }
    Some(corpus)
}

fn load(corpus: &Path, model: &str) -> Arc<Views> {
    let file = corpus.join(format!("dve/{model}/{model}.dve"));
    let source = sweepline_text::decode(model, std::fs::read(file).unwrap()).unwrap();
    let options = sweepline_dve::LoadOptions::default();
    let program = sweepline_dve::read_dve(&source, &options)
        .unwrap()
        .program();
    Arc::new(Views::new(&ProgramSystem::new((*program).clone()), &[]).unwrap())
}

fn states(graphs: &LocalGraphs) -> Vec<usize> {
    let processes = 0..graphs.views().processes();
    processes.map(|it| graphs.of(it).states()).collect()
}

fn transitions(graphs: &LocalGraphs) -> Vec<usize> {
    let processes = 0..graphs.views().processes();
    processes.map(|it| graphs.of(it).transitions()).collect()
}

/// Tables 1 and 2 of the paper, those rows that take seconds; the others are in `cargo run -p sweepline-bench --bin local`.
#[test]
fn the_tables_of_the_paper() {
    let Some(corpus) = corpus() else { return };
    let limits = Limits::default();
    // Model, TMMC, LS3, steps of the latter, pairs.
    let rows: [(&str, &[usize], &[usize], &[usize], usize); 3] = [
        ("phils.1", &[16; 4], &[9; 4], &[18; 4], 108),
        (
            "peterson.3",
            &[2997, 2952, 2952],
            &[2627, 2421, 2745],
            &[10397, 9607, 10787],
            68_721,
        ),
        ("lamport.1", &[756; 3], &[696; 3], &[], 0),
    ];
    for (model, tmmc, reduced, steps, pairs) in rows {
        let views = load(&corpus, model);
        let told = modular(&views, &limits).unwrap();
        let followed = ls3(&views, &limits).unwrap();
        assert_eq!(states(&told), tmmc, "{model} TMMC");
        assert_eq!(states(&followed), reduced, "{model} LS3");
        if pairs > 0 {
            assert_eq!(transitions(&followed), steps, "{model} LS3");
            assert_eq!(followed.pairs(), pairs, "{model}");
        }
    }
}
