//! Runs of random models: what a formula without *next* can tell is preserved, and weaker rules are caught.

use std::collections::HashMap;

use proptest::prelude::*;
use sweepline_core::{AnySystem, Steps, System};
use sweepline_logic::{CompareOp, Expr, Name};
use sweepline_net::NetSystem;
use sweepline_process::NetworkSystem;
use sweepline_program::ProgramSystem;

use super::*;
use crate::{NetTransitions, NetworkTransitions, ProgramTransitions, Stubborn};

#[path = "../../tests/all/models/mod.rs"]
mod models;

use models::{Random, random_net, random_network, random_program};

/// A graph of states, naively.
#[derive(Default)]
struct Graph {
    states: Vec<Vec<Word>>,
    edges: Vec<Vec<usize>>,
}

/// More states are not looked at: then nothing is compared.
const MOST: usize = 3000;

impl Graph {
    /// Nothing if it is too large, or something fails.
    fn of(system: &dyn System) -> Option<Self> {
        let mut graph = Self::default();
        let mut numbers: HashMap<Vec<Word>, usize> = HashMap::new();
        let mut steps = Steps::for_layout(system.layout());
        system.initial(&mut steps);
        graph.states.push(steps.target(0).to_vec());
        numbers.insert(graph.states[0].clone(), 0);
        while graph.edges.len() < graph.states.len() {
            steps.clear();
            system.successors(&graph.states[graph.edges.len()], &mut steps);
            if steps.fault().is_some() || graph.states.len() > MOST {
                return None;
            }
            let mut targets = Vec::new();
            for index in 0..steps.len() {
                let target = steps.target(index).to_vec();
                let number = *numbers.entry(target.clone()).or_insert_with(|| {
                    graph.states.push(target);
                    graph.states.len() - 1
                });
                targets.push(number);
            }
            graph.edges.push(targets);
        }
        Some(graph)
    }

    /// The states from which some run stays among these for ever. A finite run stays in its last state.
    fn staying(&self, among: &[bool]) -> Vec<bool> {
        let mut stays = among.to_vec();
        loop {
            let before = stays.clone();
            for (state, targets) in self.edges.iter().enumerate() {
                let goes_on = targets.is_empty() || targets.iter().any(|it| stays[*it]);
                stays[state] = stays[state] && goes_on;
            }
            if stays == before {
                return stays;
            }
        }
    }

    /// What some formulas say of two predicates: whether some run never sees the first, sees it only finitely often, or sees the
    /// second and then never the first again after the first was there.
    fn told(&self, first: &[bool], second: &[bool]) -> [bool; 4] {
        let never: Vec<bool> = first.iter().map(|it| !it).collect();
        let staying = self.staying(&never);
        let both: Vec<bool> = first.iter().zip(second).map(|(a, b)| !a && *b).collect();
        let with_second = self.staying(&both);
        // E (first U (second and EG not first)), the run seen backwards.
        let mut until: Vec<bool> = with_second.clone();
        for _ in 0..self.states.len() {
            for (state, targets) in self.edges.iter().enumerate() {
                until[state] |= first[state] && targets.iter().any(|it| until[*it]);
            }
        }
        [
            staying[0],
            staying.contains(&true),
            with_second.contains(&true),
            until[0],
        ]
    }
}

/// What is checked in place of the right rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Right,
    /// Cycles are not looked at.
    NoCut,
    /// Who changes predicates is not looked at.
    NoVisibility,
    /// Sets with visible actions need no other.
    NoKey,
}

fn weakened(aim: Aim, rule: Rule) -> Aim {
    match rule {
        Rule::Right => aim,
        Rule::NoCut => Aim {
            cut: Cut::Of(Vec::new()),
            ..aim
        },
        Rule::NoVisibility => Aim {
            visible: Vec::new(),
            ..aim
        },
        Rule::NoKey => Aim {
            needs_key: false,
            ..aim
        },
    }
}

/// Whether what is left tells the same as everything. Nothing if that is not known.
fn same(
    system: &Arc<dyn AnySystem>,
    transitions: &Arc<dyn Transitions>,
    seed: u64,
    rule: Rule,
) -> Option<bool> {
    let mut random = Random::new(seed);
    let layout = system.layout();
    let full = Graph::of(system)?;
    let mut atom = || {
        let slot =
            &layout.slots()[usize::try_from(random.below(layout.slots().len() as u64)).ok()?];
        let value = random.below(3).cast_signed();
        let pred = Pred::Compare(
            CompareOp::Equal,
            Expr::Slot(Name::new(slot.name.as_str())),
            Expr::Number(value),
        );
        Some((pred, slot.clone(), value))
    };
    let atoms = [atom()?, atom()?];
    let preds = atoms.clone().map(|(pred, ..)| pred);
    let aim = || {
        let aim = Aim::runs(Arc::clone(transitions), &**system, &preds, &[]);
        let aim = aim.expect("predicates on slots can be told");
        // Few words and many are closed in different ways.
        let aim = aim.in_words([1, 2, 4, 8, 9][usize::try_from(seed % 5).unwrap_or(0)]);
        match seed % 4 {
            0 => aim.tried_on(system),
            1 => aim.from_the_last(),
            2 => aim.tried_on(system).from_the_last(),
            _ => aim,
        }
    };
    let reduced = Stubborn::new(Arc::clone(system), Arc::new(weakened(aim(), rule)));
    let reduced = Graph::of(&reduced)?;
    let told = |graph: &Graph| {
        let values = atoms.each_ref().map(|(_, slot, value)| {
            let states = graph.states.iter();
            states
                .map(|state| slot.read(state) == *value)
                .collect::<Vec<_>>()
        });
        graph.told(&values[0], &values[1])
    };
    Some(told(&full) == told(&reduced))
}

fn net(seed: u64, rule: Rule) -> Option<bool> {
    let net = Arc::new(random_net(&mut Random::new(seed)));
    let transitions = NetTransitions::new(Arc::clone(&net)).ok()?;
    let system = NetSystem::with_bits(net, |_| 20);
    same(
        &(Arc::new(system) as _),
        &(Arc::new(transitions) as _),
        seed,
        rule,
    )
}

fn program(seed: u64, rule: Rule) -> Option<bool> {
    let program = random_program(&mut Random::new(seed));
    let transitions = ProgramTransitions::new(&Arc::new(program.clone())).ok()?;
    let system = ProgramSystem::new(program);
    same(
        &(Arc::new(system) as _),
        &(Arc::new(transitions) as _),
        seed,
        rule,
    )
}

fn network(seed: u64, rule: Rule) -> Option<bool> {
    let network = random_network(&mut Random::new(seed));
    let transitions = NetworkTransitions::new(&network).ok()?;
    let system = NetworkSystem::new(&network);
    same(
        &(Arc::new(system) as _),
        &(Arc::new(transitions) as _),
        seed,
        rule,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn runs_are_preserved(seed: u64) {
        for model in [net, program, network] {
            prop_assert_ne!(model(seed, Rule::Right), Some(false));
        }
    }
}

/// The actions of the steps that stay.
fn kept(system: &dyn System, state: &[Word]) -> Vec<u32> {
    let mut steps = Steps::for_layout(system.layout());
    system.successors(state, &mut steps);
    steps.actions().iter().map(|action| action.0).collect()
}

/// Which steps stay is decided by the state and by nothing that was asked before, natively or not.
#[test]
fn what_was_asked_before_does_not_matter() {
    let mut reduced = 0;
    // There are few models where it matters in which order conjuncts are asked, and this is one.
    for seed in (0..500).chain([4998]) {
        let program = Arc::new(random_program(&mut Random::new(seed)));
        let Ok(transitions) = ProgramTransitions::new(&program) else {
            continue;
        };
        let system: Arc<dyn AnySystem> = Arc::new(ProgramSystem::new((*program).clone()));
        let Some(graph) = Graph::of(&system) else {
            continue;
        };
        let transitions: Arc<dyn Transitions> = Arc::new(transitions);
        let aim = Aim::deadlocks(transitions).with_failures(Failures::NotIgnored);
        let aim = Arc::new(if seed % 2 == 0 {
            aim
        } else {
            aim.from_the_last()
        });
        let new = || Stubborn::new(Arc::clone(&system), Arc::clone(&aim));
        let old = new();
        for state in graph.states.iter().cycle().take(2500) {
            kept(&old, state);
        }
        for (state, targets) in graph.states.iter().zip(&graph.edges).take(200) {
            let stays = kept(&new(), state);
            assert_eq!(kept(&old, state), stays, "{seed}: {state:?}");
            reduced += usize::from(stays.len() < targets.len());
        }
    }
    assert!(reduced > 500, "{reduced}");
}

/// Both rules are needed, and this test would tell.
#[test]
fn weaker_rules_are_caught() {
    for rule in [Rule::NoCut, Rule::NoVisibility, Rule::NoKey] {
        for (what, model) in [("nets", net as fn(u64, Rule) -> _), ("programs", program)] {
            let mut seeds = 0..5000;
            let caught = seeds.any(|seed| model(seed, rule) == Some(false));
            assert!(caught, "{what}");
        }
    }
}

/// Many more: `cargo test -p sweepline-reduce --lib -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn fifty_thousand_of_each() {
    for seed in 0..50_000 {
        for model in [net, program, network] {
            assert_ne!(model(seed, Rule::Right), Some(false), "{seed}");
        }
    }
}
