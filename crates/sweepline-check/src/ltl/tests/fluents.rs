//! Formulas over fluents, decided on the system that remembers which of them hold.

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;
use sweepline_explore::replay_projected;
use sweepline_logic::ltl::translate;
use sweepline_logic::{Observed, Predicate, Scope, Source};

use super::brute::{Node, violates};
use super::choice::{Said, said};
use super::model::{Coded, Model, models};
use crate::ltl::claim::{Claim, Fairness};
use crate::ltl::fluents::FluentClaim;
use crate::ltl::judge::judge;
use crate::ltl::liveness::{Liveness, LivenessOptions, Status};
use crate::question::Test;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn observed_systems_agree_with_brute_force(model in models(7), said in said(), bits in any::<bool>()) {
        let model = Model { faulty: None, ..model };
        check(&Arc::new(model), &said, bits.then_some(4))?;
    }
}

fn check(model: &Arc<Model>, said: &Said, bits: Option<u32>) -> Result<(), TestCaseError> {
    let claim = said.fluent_claim();
    let automaton = translate(&claim.of_states().negated()).expect("it is small");
    let (nodes, initial) = product(model, &claim);
    let expected = violates(&nodes, &initial, &automaton, &[]);

    let inner = Coded::new(model, bits);
    let observed = Observed::new(&inner, claim.fluents().clone());
    let definitions = observed.definitions();
    let scope = Scope::of(&observed).with(&definitions).unwrap();
    let atoms: Vec<Test> = automaton
        .atoms
        .iter()
        .map(|atom| Predicate::resolve(atom, &scope, &Source::from("")).unwrap())
        .map(Test::Predicate)
        .collect();
    let asked = Claim {
        atoms: (0..atoms.len()).collect(),
        automaton: Arc::new(automaton),
    };
    let mut liveness = Liveness::new(
        atoms.clone(),
        std::slice::from_ref(&asked),
        Fairness::default(),
        LivenessOptions::default(),
    )
    .unwrap();
    liveness.probe(&observed);
    match liveness.statuses().next().unwrap() {
        Status::Holds => prop_assert!(!expected),
        Status::Violated(lasso) => {
            prop_assert!(expected);
            let run = judge(&observed, &atoms, &asked, &Fairness::default(), lasso);
            let run = observed.project_trace(&run.map_err(TestCaseError::fail)?);
            let run = replay_projected(&inner, &run, |state| state);
            let run = run.map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert!(!claim.is_satisfied_by(&run));
            let actions: Vec<u32> = run.steps.iter().map(|step| step.action.0).collect();
            let (stem, cycle) = actions.split_at(run.loop_start.unwrap());
            prop_assert!(!said.holds(stem, cycle));
        }
        status => prop_assert!(false, "{status:?}"),
    }
    Ok(())
}

/// All reachable states with the fluents that hold there, by definition of these.
fn product(model: &Model, claim: &FluentClaim) -> (Vec<Node>, Vec<usize>) {
    let all = claim.fluents().all();
    let mut known: HashMap<(usize, Vec<bool>), usize> = HashMap::new();
    let mut waiting = Vec::new();
    let mut number = |state: (usize, Vec<bool>), waiting: &mut Vec<(usize, Vec<bool>)>| {
        let next = known.len();
        *known.entry(state.clone()).or_insert_with(|| {
            waiting.push(state);
            next
        })
    };
    let first: Vec<bool> = all.iter().map(|fluent| fluent.initially).collect();
    let roots = model.initial.iter();
    let initial = roots.map(|&root| number((root, first.clone()), &mut waiting));
    let initial: Vec<usize> = initial.collect();
    let mut nodes = Vec::new();
    while nodes.len() < waiting.len() {
        let (state, values) = waiting[nodes.len()].clone();
        let steps = model.edges[state].iter().map(|&(action, target)| {
            let id = sweepline_core::ActionId(action);
            let after = all.iter().zip(&values).map(|(fluent, &before)| {
                fluent.starts.contains(&id) || (before && !fluent.ends.contains(&id))
            });
            (action, number((target, after.collect()), &mut waiting))
        });
        let steps = steps.collect();
        let letter = values
            .iter()
            .rev()
            .fold(0, |bits, &bit| bits << 1 | u64::from(bit));
        nodes.push(Node {
            letter: Some(letter),
            steps,
        });
    }
    (nodes, initial)
}
