//! Whatever happens in reachable states is in the tables: who makes a conjunct true, and which actions do not accord.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]
#![expect(clippy::print_stderr, reason = "somebody wants to see the figures")]

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::models::{Random, random_program};
use sweepline_core::{AnySystem, Layout, Limits, SlotId, Steps, System, Word};
use sweepline_program::{Program, ProgramSystem};
use sweepline_reduce::{
    Aim, Change, Conditions, Dependency, Failures, ProgramTransitions, Stubborn, Tables,
    Transitions,
};

/// What was seen.
#[derive(Debug, Default)]
struct Happened {
    enables: HashSet<(u32, u32)>,
    clashes: HashSet<(u32, u32)>,
    states: usize,
}

impl Dependency for Happened {
    fn enables(&self, action: u32, conjunct: u32) -> bool {
        self.enables.contains(&(action, conjunct))
    }

    fn clashes(&self, one: u32, other: u32) -> bool {
        self.clashes.contains(&(one, other))
    }
}

/// Looks at a state space as far as `most` states.
struct Watcher<'a> {
    system: &'a dyn System,
    tables: &'a Tables,
    conditions: Box<dyn Conditions>,
    /// The enabled instance of each action.
    instances: HashMap<u32, Vec<u32>>,
    happened: Happened,
}

impl<'a> Watcher<'a> {
    fn new(system: &'a dyn System, transitions: &'a ProgramTransitions) -> Self {
        let tables = transitions.tables();
        let mut instances: HashMap<u32, Vec<u32>> = HashMap::new();
        for action in 0..u32::try_from(tables.actions()).unwrap() {
            if !tables.is_failure(action) {
                let origin = tables.origin(action).0;
                instances.entry(origin).or_default().push(action);
            }
        }
        Self {
            conditions: transitions.conditions(system.layout()),
            system,
            tables,
            instances,
            happened: Happened::default(),
        }
    }

    /// The steps of a state by action of the tables; nothing if something fails.
    fn steps(&self, state: &[Word]) -> Option<Vec<(u32, Vec<Word>)>> {
        let mut steps = Steps::for_layout(self.system.layout());
        self.system.successors(state, &mut steps);
        if steps.fault().is_some() {
            return None;
        }
        let found = (0..steps.len()).map(|index| {
            let action = steps.actions()[index].0;
            let enabled = self.instances[&action].iter().filter(|it| {
                let guards = self.tables.guards(**it).iter();
                guards
                    .copied()
                    .all(|it| self.conditions.holds(it, state) == Some(true))
            });
            let enabled: Vec<u32> = enabled.copied().collect();
            assert_eq!(enabled.len(), 1, "one instance of action {action}");
            (enabled[0], steps.target(index).to_vec())
        });
        Some(found.collect())
    }

    fn look(&mut self, state: &[Word], steps: &[(u32, Vec<Word>)]) {
        if self.conditions.is_special(state) {
            return; // nothing is left out there
        }
        let conjuncts = 0..u32::try_from(self.tables.conjuncts()).unwrap();
        let told = |state: &[Word]| -> Vec<Option<bool>> {
            let all = conjuncts.clone();
            all.map(|it| self.conditions.holds(it, state)).collect()
        };
        let before = told(state);
        let after: Vec<_> = steps.iter().map(|(_, target)| told(target)).collect();
        for ((action, _), after) in steps.iter().zip(&after) {
            for (conjunct, (old, new)) in (0..).zip(before.iter().zip(after)) {
                if *old == Some(false) && *new == Some(true) {
                    self.happened.enables.insert((*action, conjunct));
                }
            }
        }
        let next: Vec<_> = steps.iter().map(|(_, target)| self.steps(target)).collect();
        for (i, (one, _)) in steps.iter().enumerate() {
            for (j, (other, _)) in steps.iter().enumerate().skip(i + 1) {
                let find = |index: usize, action: u32| -> Option<Option<Vec<Word>>> {
                    let steps = next[index].as_ref()?;
                    let found = steps.iter().find(|(it, _)| *it == action);
                    Some(found.map(|(_, target)| target.clone()))
                };
                let (Some(a), Some(b)) = (find(i, *other), find(j, *one)) else {
                    continue; // something fails there
                };
                if one != other && (a.is_none() || a != b) {
                    let pair = ((*one).min(*other), (*one).max(*other));
                    self.happened.clashes.insert(pair);
                }
            }
        }
    }

    fn watch(mut self, most: usize) -> Happened {
        let mut steps = Steps::for_layout(self.system.layout());
        self.system.initial(&mut steps);
        let mut queue = vec![steps.target(0).to_vec()];
        let mut known: HashSet<Vec<Word>> = queue.iter().cloned().collect();
        while let Some(state) = queue.pop() {
            self.happened.states += 1;
            if self.happened.states > most {
                break;
            }
            let Some(steps) = self.steps(&state) else {
                continue;
            };
            self.look(&state, &steps);
            for (_, target) in steps {
                if known.insert(target.clone()) {
                    queue.push(target);
                }
            }
        }
        self.happened
    }
}

/// Everything that happened must be in the tables.
fn contained(what: &str, tables: &Tables, happened: &Happened) {
    for &(action, conjunct) in &happened.enables {
        let known = tables.enabling(conjunct).contains(&action);
        assert!(known, "{what}: {action} enables {conjunct}");
    }
    for &(one, other) in &happened.clashes {
        let known =
            tables.conflicts(one).contains(&other) && tables.conflicts(other).contains(&one);
        assert!(known, "{what}: {one} and {other}");
    }
}

#[test]
fn tables_of_random_programs_contain_what_happens() {
    let mut clashes = 0;
    for seed in 0..400 {
        let program = random_program(&mut Random::new(seed));
        let transitions = ProgramTransitions::new(&Arc::new(program.clone())).unwrap();
        let system = ProgramSystem::new(program);
        let happened = Watcher::new(&system, &transitions).watch(2000);
        contained(&format!("program {seed}"), transitions.tables(), &happened);
        clashes += happened.clashes.len();
    }
    assert!(clashes > 300, "{clashes}: this test says something");
}

fn dve(name: &str) -> Option<Arc<Program>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("SWEEPLINE_CORPUS").map_or(beside, Into::into);
    let file = corpus.join(format!("dve/{name}/{name}.dve"));
    let source = sweepline_text::decode(name, std::fs::read(file).ok()?).unwrap();
    let options = sweepline_dve::LoadOptions::default();
    Some(
        sweepline_dve::read_dve(&source, &options)
            .unwrap()
            .program(),
    )
}

/// A prefix of each model: `bakery.3`, `szymanski.3` and `mcs.3` have computed indices, the others rendezvous.
#[test]
fn tables_of_models_contain_what_happens() {
    for name in [
        "bakery.3",
        "szymanski.3",
        "mcs.3",
        "peterson.4",
        "brp.1",
        "firewire_link.2",
        "at.1",
        "leader_election.3",
        "lamport.5",
        "anderson.4",
        "protocols.2",
        "iprotocol.3",
    ] {
        let Some(program) = dve(name) else {
            eprintln!("skipped: no corpus; set SWEEPLINE_CORPUS");
            return;
        };
        let transitions = ProgramTransitions::new(&program).unwrap();
        let system = ProgramSystem::new((*program).clone());
        let happened = Watcher::new(&system, &transitions).watch(1500);
        contained(name, transitions.tables(), &happened);
    }
}

/// Transitions with other tables.
struct Refined {
    inner: Arc<ProgramTransitions>,
    tables: Tables,
}

impl Transitions for Refined {
    fn tables(&self) -> &Tables {
        &self.tables
    }

    fn conditions(&self, layout: &Layout) -> Box<dyn Conditions> {
        self.inner.conditions(layout)
    }

    fn change(&self, action: u32, slot: SlotId) -> Change {
        self.inner.change(action, slot)
    }

    fn cuts(&self, harm: &[u64], limits: &Limits) -> Vec<Vec<bool>> {
        self.inner.cuts(harm, limits)
    }
}

fn count(system: &dyn System) -> usize {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut queue = vec![steps.target(0).to_vec()];
    let mut known: HashSet<Vec<Word>> = queue.iter().cloned().collect();
    while let Some(state) = queue.pop() {
        steps.clear();
        system.successors(&state, &mut steps);
        for index in 0..steps.len() {
            let target = steps.target(index).to_vec();
            if known.insert(target.clone()) {
                queue.push(target);
            }
        }
    }
    known.len()
}

/// What better tables could do, and where ours say too much:
/// `MODEL=brp.1 cargo test --release -p sweepline-reduce --test all -- --ignored --nocapture`.
#[test]
#[ignore = "for people who make tables better"]
fn superfluous() {
    let name = std::env::var("MODEL").unwrap_or("brp.1".into());
    let Some(program) = dve(&name) else { return };
    let transitions = Arc::new(ProgramTransitions::new(&program).unwrap());
    let system: Arc<dyn AnySystem> = Arc::new(ProgramSystem::new((*program).clone()));
    let happened = Watcher::new(&*system, &transitions).watch(usize::MAX);
    let tables = transitions.tables();
    contained(&name, tables, &happened);
    let action = |it: u32| match transitions.action(it) {
        Some(action) => format!("{it} {}", action.name),
        None => format!("failure {it}"),
    };
    let mut lines = BTreeSet::new();
    for one in 0..u32::try_from(tables.actions()).unwrap() {
        for &other in tables.conflicts(one).iter().filter(|it| **it > one) {
            if !happened.clashes(one, other) && !tables.is_failure(other) {
                lines.insert(format!("  {} # {}", action(one), action(other)));
            }
        }
    }
    for conjunct in 0..u32::try_from(tables.conjuncts()).unwrap() {
        for &one in tables.enabling(conjunct) {
            if !happened.enables(one, conjunct) {
                let what = transitions.condition(conjunct);
                lines.insert(format!("  {} => {what:?}", action(one)));
            }
        }
    }
    for line in lines {
        eprintln!("{line}");
    }
    let best = Refined {
        tables: tables.refined(&happened),
        inner: Arc::clone(&transitions),
    };
    let share = |transitions: Arc<dyn Transitions>, hope: bool| {
        let aim = Aim::deadlocks(transitions);
        let aim = if hope { aim.at_best() } else { aim };
        let reduced = Stubborn::new(Arc::clone(&system), Arc::new(aim));
        let states = count(&reduced);
        #[expect(clippy::cast_precision_loss, reason = "it is a share")]
        let share = 100.0 * states as f64 / happened.states as f64;
        let effort = reduced.effort();
        format!(
            "{states} ({share:.1} %, {} visited a state)",
            effort.visited / states as u64
        )
    };
    let best: Arc<dyn Transitions> = Arc::new(best);
    for failure in (0..u32::try_from(tables.actions()).unwrap()).filter(|it| tables.is_failure(*it))
    {
        let guards = tables.guards(failure).iter();
        let guards: Vec<_> = guards.map(|it| transitions.condition(*it)).collect();
        eprintln!("failure where {guards:?}");
    }
    let failures = tables.failures();
    eprintln!("{name}: {} states, {failures} failures", happened.states);
    eprintln!("ours {}", share(transitions.clone(), false));
    eprintln!("ours without failures {}", share(transitions.clone(), true));
    let not_ignored = Aim::deadlocks(transitions.clone()).with_failures(Failures::NotIgnored);
    let reduced = Stubborn::new(Arc::clone(&system), Arc::new(not_ignored));
    eprintln!("ours with failures not ignored {}", count(&reduced));
    eprintln!("best {}", share(Arc::clone(&best), false));
    eprintln!("best without failures {}", share(best, true));
}
