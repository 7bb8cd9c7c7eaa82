//! Which atoms of a formula that holds do not matter.

use std::sync::Arc;

use proptest::prelude::*;
use sweepline_core::{NoProgress, Observer};
use sweepline_explore::{Options, Sweep};
use sweepline_logic::ltl::{Binary, Ltl, Temporal, Unary, translate};
use sweepline_logic::{Pred, Source, parse_pred};

use super::brute::violates;
use super::model::{ATOMS, Coded, Model, models};
use crate::ltl::{Assumption, Claim, Fairness, Liveness, LivenessOptions, Status};
use crate::runs::{Accepted, FairRuns, Linked, RunAsking, Runs};
use crate::vacuous::Claimed;

fn atoms() -> Vec<Pred> {
    let named = (0..ATOMS).map(|atom| parse_pred(Source::from(format!("atom{atom}").as_str())));
    named.map(Result::unwrap).collect()
}

fn formulas() -> impl Strategy<Value = Ltl> {
    let leaf = (0..ATOMS).prop_map(Temporal::Atom);
    let formula = leaf.prop_recursive(4, 8, 2, |inner| {
        let unary = prop::sample::select(vec![
            Unary::Next,
            Unary::Finally,
            Unary::Globally,
            Unary::Once,
        ]);
        let binary = prop::sample::select(vec![
            Binary::Until,
            Binary::Release,
            Binary::WeakUntil,
            Binary::Since,
        ]);
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(Temporal::negated),
            two().prop_map(|(a, b)| a.or(b)),
            two().prop_map(|(a, b)| a.and(b)),
            two().prop_map(|(a, b)| a.implies(b)),
            two().prop_map(|(a, b)| Temporal::Iff(Box::new(a), Box::new(b))),
            (unary, inner.clone()).prop_map(|(op, a)| a.under(op)),
            (binary, two()).prop_map(|(op, (a, b))| a.with(op, b)),
        ]
    });
    formula.prop_map(|formula| Ltl {
        atoms: atoms(),
        formula,
    })
}

/// The formula with a value instead of the atom before which so many stand.
fn with_value(formula: &Temporal, before: &mut usize, value: bool) -> Temporal {
    if let Temporal::Atom(_) = formula {
        let here = *before == 0;
        *before = before.wrapping_sub(1);
        return if here {
            Temporal::Constant(value)
        } else {
            formula.clone()
        };
    }
    formula.map(|operand| with_value(operand, before, value))
}

fn holds(model: &Model, formula: &Ltl, assumptions: &[Assumption]) -> bool {
    let automaton = translate(&formula.negated()).unwrap();
    !violates(&model.nodes(0), &model.initial, &automaton, assumptions)
}

/// By definition: whatever stands there, the formula holds.
fn vacuous(model: &Model, ltl: &Ltl, assumptions: &[Assumption]) -> Vec<usize> {
    let all = 0..ltl.occurrences().len();
    all.filter(|&occurrence| {
        [false, true].into_iter().all(|value| {
            let formula = with_value(&ltl.formula, &mut occurrence.clone(), value);
            let atoms = ltl.atoms.clone();
            holds(model, &Ltl { atoms, formula }, assumptions)
        })
    })
    .collect()
}

/// What is said of each of these formulas: whether it holds, and the positions of atoms that do not matter.
fn asked(model: &Arc<Model>, ltl: &[Ltl], fair: bool, probe: u64) -> Vec<(bool, Vec<usize>)> {
    let coded = Coded::new(model, None);
    let tests = model.tests(&coded.layout);
    let fairness = if fair {
        vec![FairRuns::Recurring {
            text: "atom0".into(),
            test: tests[0].clone(),
        }]
    } else {
        Vec::new()
    };
    let runs = ltl.iter().enumerate().map(|(question, ltl)| {
        let runs = Runs {
            automaton: Arc::new(translate(&ltl.negated()).unwrap()),
            atoms: tests.clone(),
            accepted: Accepted::Violates,
            formula: Some(Arc::new(Claimed {
                ltl: ltl.clone(),
                known: Vec::new(),
            })),
            fairness: fairness.clone(),
        };
        (question, runs)
    });
    let asked = Linked {
        runs: runs.collect(),
        ..Linked::default()
    };
    let options = LivenessOptions {
        probe,
        ..LivenessOptions::default()
    };
    let (asking, refused) = RunAsking::new(asked, &options);
    assert!(refused.is_empty());
    let mut asking = asking.unwrap();
    asking.liveness.probe(&coded);
    if !asking.liveness.is_decided() {
        let mut sweep = Sweep::new(&coded, NoProgress, Options::default());
        sweep.run_linked::<dyn Observer>(&mut asking.liveness);
        let complete = sweep.statistics().complete;
        asking.liveness.finish(complete).unwrap();
    }
    let said = (0..ltl.len()).map(|question| {
        let holds = asking
            .statuses()
            .any(|(asked, _, status)| asked == question && *status == Status::Holds);
        let occurrences = ltl[question].occurrences();
        let vacuous = asking.vacuous(question).into_iter().map(|one| {
            let named = (0..occurrences.len())
                .filter(|&at| format!("atom{}", occurrences[at]) == one.atom)
                .collect::<Vec<_>>();
            assert_eq!(named.len(), one.occurrences);
            named[one.occurrence - 1]
        });
        (holds, vacuous.collect())
    });
    said.collect()
}

proptest! {
    #[test]
    fn an_atom_that_does_not_matter_may_have_any_value(
        model in models(10),
        ltl in prop::collection::vec(formulas(), 1..4),
        fair in prop::bool::weighted(0.2),
        probe in prop_oneof![2 => Just(16_000_u64), 1 => 0..8_u64],
    ) {
        let model = Arc::new(Model { faulty: None, undefined: vec![0; model.edges.len()], ..model });
        let assumptions = if fair { vec![Assumption::Recurs(0)] } else { Vec::new() };
        for ((holding, found), ltl) in asked(&model, &ltl, fair, probe).into_iter().zip(&ltl) {
            prop_assert_eq!(holding, holds(&model, ltl, &assumptions), "{}", ltl);
            let expected = if holding { vacuous(&model, ltl, &assumptions) } else { Vec::new() };
            if probe == 16_000 {
                prop_assert_eq!(found, expected, "{}", ltl);
            } else {
                // What was not looked at is not spoken of.
                prop_assert!(found.iter().all(|one| expected.contains(one)), "{}", ltl);
            }
        }
    }
}

#[test]
fn what_is_never_requested_is_answered_vacuously() {
    let answered = Temporal::Atom(1).under(Unary::Finally);
    let response = Ltl {
        atoms: atoms(),
        formula: Temporal::Atom(0).implies(answered).under(Unary::Globally),
    };
    // Nothing need ever happen, but the second state is followed by the third.
    let check = |labels: [u8; 3], expected: &[usize]| {
        let model = Arc::new(Model::plain(&[&[0, 1], &[2], &[0]], &labels));
        let said = asked(&model, std::slice::from_ref(&response), false, 16_000);
        assert_eq!(said, [(true, expected.to_vec())], "{labels:?}");
    };
    check([0, 1, 2], &[]);
    check([0, 0, 2], &[1]);
    check([2, 1, 0], &[0]);
    check([2, 2, 2], &[0, 1]);
}

/// The claim that holds is decided by the probe, and so is what is asked again, while another one is explored for.
#[test]
fn what_the_probe_left_open_is_asked_of_what_is_recorded() {
    let edges: Vec<Vec<usize>> = (0..30).map(|number| vec![(number + 1) % 30]).collect();
    let edges: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
    let mut labels = vec![0; 30];
    (labels[0], labels[29]) = (1, 2);
    let model = Arc::new(Model::plain(&edges, &labels));
    let ltl = |formula: Temporal| Ltl {
        atoms: atoms(),
        formula,
    };
    let atom = Temporal::Atom;
    // It is enough to look at the first state; without its atom one has to go around.
    let first = ltl(atom(0).or(atom(1).under(Unary::Finally)));
    let around = ltl(atom(1).under(Unary::Finally).under(Unary::Globally));
    let said = asked(&model, &[first, around], false, 3);
    assert_eq!(said, [(true, vec![0, 1]), (true, Vec::new())]);
}

/// A claim about atoms that were left out of what is recorded is not asked.
#[test]
fn atoms_that_were_left_out_are_not_asked_for() {
    let edges: Vec<Vec<usize>> = (0..30).map(|number| vec![(number + 1) % 30]).collect();
    let mut edges: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
    edges[0] = &[0, 1];
    let mut labels = vec![0; 30];
    (labels[0], labels[29]) = (2, 1);
    let model = Arc::new(Model::plain(&edges, &labels));
    let automaton = |text: &str| {
        let ltl = sweepline_logic::parse_ltl(text).unwrap().ltl;
        Arc::new(translate(&ltl.negated()).unwrap())
    };
    let claim = |text: &str, atom| Claim {
        automaton: automaton(text),
        atoms: vec![atom],
    };
    // The second label stays from the start on, which is found at once; the first never does.
    let claims = [claim("G F not a", 0), claim("G F not a", 1)];
    let coded = Coded::new(&model, None);
    let tests = model.tests(&coded.layout);
    let fairness = Fairness::default();
    let mut liveness = Liveness::new(tests, &claims, fairness, LivenessOptions::default()).unwrap();
    let harder = [claim("F not a", 0), claim("F not a", 1)];
    liveness.ask_again(0, move || {
        let harder = harder.into_iter().enumerate();
        let harder = harder.map(|(occurrence, claim)| crate::ltl::Harder { occurrence, claim });
        harder.collect()
    });
    let mut sweep = Sweep::new(&coded, NoProgress, Options::default());
    sweep.run_linked::<dyn Observer>(&mut liveness);
    liveness.finish(true).unwrap();
    assert_eq!(liveness.vacuous(0), [0]);
}
