//! Local graphs have everything that processes see: on random programs, and as the paper's tables say.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]
#![expect(
    clippy::print_stderr,
    reason = "somebody should know why nothing was tested"
)]

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::models::{Random, random_program};
use proptest::prelude::*;
use sweepline_core::{ActionId, AnySystem, Limits, NoProgress, SlotId, Steps, System, Word};
use sweepline_explore::{LogPlace, Options, Sweep};
use sweepline_logic::{CompareOp, Expr as Term, Name, Pred};
use sweepline_program::{Effect, Expr, ProgramBuilder, ProgramSystem, SlotType};
use sweepline_reduce::local::{LocalGraphs, Projection, Refusal, Views, ls3, modular};
use sweepline_reduce::{Aim, Failures, ProgramTransitions, Stubborn, Transitions};

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

/// Many more: `cargo test --release -p sweepline-reduce --test all -- --ignored`.
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
    let [x, y] = ["x", "y"].map(|name| program.slot(name, SlotType::boolean(), 0));
    let processes = ["P", "Q", "R"].map(|name| {
        let process = program.process(name);
        let at = [0, 1].map(|at| program.location(process, format!("l{at}")));
        (process, at)
    });
    let [(one, one_at), (two, two_at), (third, third_at)] = processes;
    program
        .action("meet", one, one_at[0], one_at[1])
        .with(two, two_at[0], two_at[1])
        .effect(Effect::assign(x, 1))
        .effect(Effect::assign(y, 1));
    // Each of the two sees one of the slots by an action of its own.
    program
        .action("reset x", one, one_at[1], one_at[0])
        .guard(Expr::slot(x).equals(1))
        .effect(Effect::assign(x, 0));
    program
        .action("reset y", two, two_at[1], two_at[0])
        .guard(Expr::slot(y).equals(1))
        .effect(Effect::assign(y, 0));
    program
        .action("see", third, third_at[0], third_at[1])
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

/// Model, TMMC, LS3, steps of the latter, pairs.
type Row = (
    &'static str,
    &'static [usize],
    &'static [usize],
    &'static [usize],
    usize,
);

/// Tables 1 and 2 of the paper, those rows that take seconds; the others are in `cargo run -p sweepline-bench --bin local`.
#[test]
fn the_tables_of_the_paper() {
    let Some(corpus) = corpus() else { return };
    let limits = Limits::default();
    let rows: [Row; 3] = [
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

type Seen = (HashSet<Vec<Word>>, BTreeSet<Vec<Word>>, bool);

/// What there is to see of a system, naively: all states, those without steps, and whether something fails.
fn look(system: &dyn System) -> Option<Seen> {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let (mut known, mut deadlocks, mut fails) = (HashSet::new(), BTreeSet::new(), false);
    let mut queue = VecDeque::new();
    loop {
        for index in 0..steps.len() {
            let target = steps.target(index).to_vec();
            if known.insert(target.clone()) {
                queue.push_back(target);
            }
        }
        steps.clear();
        let Some(state) = queue.pop_front() else {
            return Some((known, deadlocks, fails));
        };
        if known.len() > MOST {
            return None;
        }
        system.successors(&state, &mut steps);
        if steps.fault().is_some() {
            fails = true;
            steps.clear();
        } else if steps.is_empty() && !system.is_end(&state) {
            deadlocks.insert(state);
        }
    }
}

/// Steps are left out by what local graphs tell, and everything that must be preserved is. Says how many states there are, and how many
/// are left by the text and by local graphs.
fn reduce(seed: u64) -> Option<[usize; 3]> {
    let program = random_program(&mut Random::new(seed));
    let system = ProgramSystem::new(program.clone());
    let views = Arc::new(Views::new(&system, &[]).unwrap());
    let limits = Limits::default();
    let graphs = ls3(&views, &limits).unwrap();
    let by_text = ProgramTransitions::new(&Arc::new(program.clone())).unwrap();
    let mut known = ProgramTransitions::new(&Arc::new(program)).unwrap();
    known.refine(&graphs, &limits).unwrap();
    let (by_text, known): (Arc<dyn Transitions>, Arc<dyn Transitions>) =
        (Arc::new(by_text), Arc::new(known));
    let system: Arc<dyn AnySystem> = Arc::new(system);
    let all = look(&system)?;
    let reduced = |aim: Aim| look(&Stubborn::new(Arc::clone(&system), Arc::new(aim)));
    let mut left = usize::MAX;
    for failures in [Failures::Pursued, Failures::NotIgnored] {
        let some = reduced(Aim::deadlocks(Arc::clone(&known)).with_failures(failures))?;
        assert_eq!(some.2, all.2, "{failures:?} {seed}");
        assert!(all.2 || some.1 == all.1, "{failures:?} {seed}");
        assert!(some.0.is_subset(&all.0));
        left = left.min(some.0.len());
    }
    let mut random = Random::new(seed);
    for _ in 0..4 {
        let slots = system.layout().slots();
        let slot = usize::try_from(random.below(slots.len() as u64)).unwrap();
        let value = random.below(3).cast_signed();
        let name = Name::new(slots[slot].name.as_str());
        let pred = Pred::Compare(CompareOp::Equal, Term::Slot(name), Term::Number(value));
        let holds = |state: &Vec<Word>| slots[slot].read(state) == value;
        for truth in [true, false] {
            let wanted = [(pred.clone(), truth)];
            let goals = Aim::reaching(Arc::clone(&known), &*system, &wanted, &[]).unwrap();
            let runs = Aim::runs(
                Arc::clone(&known),
                &*system,
                std::slice::from_ref(&pred),
                &[],
            );
            for aim in [goals, runs.unwrap()] {
                let some = reduced(aim)?;
                let found = |seen: &HashSet<Vec<Word>>| seen.iter().any(|it| holds(it) == truth);
                assert_eq!(some.2, all.2, "{seed} {pred}");
                assert!(all.2 || found(&some.0) == found(&all.0), "{seed} {pred}");
            }
        }
    }
    let text = reduced(Aim::deadlocks(by_text))?;
    Some([all.0.len(), text.0.len(), left])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_local_graphs_tell_preserves_everything(seed: u64) {
        reduce(seed);
    }
}

/// The test above says something only if local graphs tell something.
#[test]
fn local_graphs_tell_more_than_the_text() {
    let sizes: Vec<_> = (0..400).filter_map(reduce).collect();
    let better = sizes.iter().filter(|[_, text, local]| local < text).count();
    assert!(better > 5, "{better} of {}", sizes.len());
}

/// Many more: `cargo test --release -p sweepline-reduce --test all -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn fifty_thousand_reduced() {
    for seed in 0..50_000 {
        reduce(seed);
    }
}

/// How many states of a model are left where deadlocks are preserved, and how many deadlocks there are.
fn left(corpus: &Path, model: &str) -> (u64, u64) {
    let views = load(corpus, model);
    let limits = Limits::default();
    let graphs = ls3(&views, &limits).unwrap();
    let mut known = ProgramTransitions::new(&Arc::new(views.program().clone())).unwrap();
    known.refine(&graphs, &limits).unwrap();
    let known: Arc<dyn Transitions> = Arc::new(known);
    let system: Arc<dyn AnySystem> = Arc::new(views.system().clone());
    let aim = || Aim::deadlocks(Arc::clone(&known));
    let aims = [
        aim(),
        aim().with_failures(Failures::NotIgnored),
        aim().by_deletion(),
    ];
    let explored = aims.map(|aim| {
        let reduced = Stubborn::new(Arc::clone(&system), Arc::new(aim));
        let options = Options {
            log: LogPlace::Off,
            ..Options::default()
        };
        let mut sweep = Sweep::new(reduced, NoProgress, options);
        sweep.run(&mut ());
        let statistics = sweep.statistics();
        (statistics.explored, statistics.deadlocks().unwrap())
    });
    explored.into_iter().min().unwrap()
}

/// Models, their states and deadlocks, and per mille of states that may be left: what was found before, and two per cent more.
const LEFT: [(&str, u64, u64, u64); 6] = [
    ("at.1", 39_354, 0, 564),
    ("bakery.3", 32_919, 51, 458),
    ("mcs.3", 571_459, 0, 68),
    ("mcs.4", 16_384, 24, 59),
    ("lamport.5", 1_066_800, 0, 509),
    ("peterson.4", 1_119_560, 0, 636),
];

/// Says which models have more left than they may.
fn too_much_left(corpus: &Path, cases: &[(&str, u64, u64, u64)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (model, states, deadlocks, most) in cases {
        let (explored, found) = left(corpus, model);
        eprintln!("{model}: {explored} of {states}");
        assert_eq!(found, *deadlocks, "{model}");
        if explored * 1000 > states * most {
            wrong.push(format!("{model}: {explored} of {states}"));
        }
    }
    wrong
}

#[test]
fn little_is_left_of_small_models() {
    let Some(corpus) = corpus() else { return };
    assert_eq!(too_much_left(&corpus, &LEFT[..4]), [""; 0]);
}

#[test]
#[ignore = "takes a minute"]
fn little_is_left_of_large_models() {
    let Some(corpus) = corpus() else { return };
    assert_eq!(too_much_left(&corpus, &LEFT[4..]), [""; 0]);
}

/// Once missed: that who enters a committed location is in the way of processes it has nothing to do with, and that a condition which
/// has no value any more may be one that goes wrong.
#[test]
fn seeds_that_were_wrong_once() {
    for seed in [9_671_904_351_659_721_842, 1169] {
        check(seed);
        reduce(seed);
    }
}
