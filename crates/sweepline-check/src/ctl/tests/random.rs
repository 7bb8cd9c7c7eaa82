//! The whole way, from a random model and random formulas to verdicts.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sweepline_core::Limits;
use sweepline_explore::LogPlace;
use sweepline_logic::Pred;
use sweepline_logic::ctl::{Branching, Ctl, Kripke, PathBinary, PathUnary, Quantifier, label};

use super::fair;
use crate::ctl::{BranchClaim, BranchStatus, How};
use crate::ltl::tests::journey::{Journey, journeys};
use crate::ltl::tests::model::{ATOMS, Coded, Model, models};
use crate::ltl::tests::random::assumptions;
use crate::ltl::{Allowance, Assumption, Fairness, Liveness, LivenessOptions, Others};

#[derive(Clone, Debug)]
struct Case {
    model: Model,
    asked: Asked,
    journey: Journey,
    memory: Option<usize>,
    probe: u64,
    /// Whether links may lie on disk.
    disk: bool,
    /// What the atoms without a value might be.
    guess: u8,
}

/// What is asked of a model.
#[derive(Clone, Debug)]
pub struct Asked {
    pub formulas: Vec<Branching>,
    /// Only runs that satisfy these count.
    pub assumptions: Vec<Assumption>,
    /// Whether labels are verified.
    pub certify: bool,
}

impl Asked {
    fn fairness(&self) -> Fairness {
        Fairness {
            assumptions: self.assumptions.clone(),
        }
    }

    /// A claim whose atoms are those of the models.
    fn claim(&self, formula: &Branching) -> BranchClaim {
        let ctl = Ctl {
            atoms: vec![Pred::Deadlock; ATOMS as usize],
            formula: formula.clone(),
        };
        let claim = BranchClaim::new(Arc::new(ctl), (0..ATOMS as usize).collect());
        let claim = claim.under(&self.fairness(), ATOMS as usize).unwrap();
        claim.certified(self.certify)
    }
}

pub fn formulas() -> impl Strategy<Value = Branching> {
    let leaf = prop_oneof![
        8 => (0..ATOMS).prop_map(Branching::Atom),
        1 => any::<bool>().prop_map(Branching::Constant)
    ];
    let quantifier = prop::sample::select(vec![Quantifier::Exists, Quantifier::Forall]);
    let unary = prop::sample::select(vec![
        PathUnary::Next,
        PathUnary::Finally,
        PathUnary::Globally,
    ]);
    let binary = prop::sample::select(vec![
        PathBinary::Until,
        PathBinary::WeakUntil,
        PathBinary::Release,
        PathBinary::StrongRelease,
    ]);
    leaf.prop_recursive(5, 16, 2, move |inner| {
        let two = (inner.clone(), inner.clone());
        let of_two = (quantifier.clone(), binary.clone(), two.clone());
        prop_oneof![
            2 => inner.clone().prop_map(Branching::negated),
            1 => prop::collection::vec(inner.clone(), 0..3).prop_map(Branching::And),
            1 => prop::collection::vec(inner.clone(), 0..3).prop_map(Branching::Or),
            1 => two.clone().prop_map(|(a, b)| Branching::Implies(a.into(), b.into())),
            1 => two.prop_map(|(a, b)| Branching::Iff(a.into(), b.into())),
            6 => (quantifier.clone(), unary.clone(), inner)
                .prop_map(|(quantifier, op, operand)| operand.under(quantifier, op)),
            6 => of_two.prop_map(|(quantifier, op, (a, b))| a.with(quantifier, op, b)),
        ]
    })
}

/// Formulas that can be decided layer by layer.
fn layered() -> impl Strategy<Value = Branching> {
    let atom = || (0..ATOMS).prop_map(Branching::Atom);
    let state = prop_oneof![
        2 => atom(),
        1 => atom().prop_map(Branching::negated),
        1 => (atom(), atom()).prop_map(|(a, b)| Branching::Or(vec![a, b])),
        1 => (atom(), atom()).prop_map(|(a, b)| Branching::And(vec![a, b])),
    ];
    (state, any::<bool>()).prop_map(|(state, home)| {
        let (exists, forall) = (Quantifier::Exists, Quantifier::Forall);
        if home {
            let inner = state.under(exists, PathUnary::Finally);
            inner.under(forall, PathUnary::Globally)
        } else {
            let inner = state.under(forall, PathUnary::Globally);
            inner.under(exists, PathUnary::Finally)
        }
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let formulas = prop_oneof![
        3 => prop::collection::vec(formulas(), 1..4),
        1 => prop::collection::vec(layered(), 1..4),
    ];
    let memory = prop::option::weighted(0.1, 0..4000_usize);
    let disk = prop::bool::weighted(0.3);
    let rest = (memory, 0..6_u64, disk, 0..4_u8);
    let assumptions = prop::collection::vec(assumptions(), 1..3);
    let assumptions = prop::option::weighted(0.4, assumptions);
    let asked = (formulas, assumptions, any::<bool>());
    let asked = asked.prop_map(|(formulas, assumptions, certify)| Asked {
        formulas,
        assumptions: assumptions.unwrap_or_default(),
        certify,
    });
    (models(14), asked, journeys(), rest).prop_map(
        |(model, asked, journey, (memory, probe, disk, guess))| Case {
            model,
            asked,
            journey,
            memory,
            probe,
            disk,
            guess,
        },
    )
}

/// Prepares to decide formulas.
pub fn prepare(
    model: &Arc<Model>,
    bits: Option<u32>,
    asked: &Asked,
    options: LivenessOptions,
) -> Liveness {
    let tests = model.tests(&Coded::new(model, bits).layout);
    let branches = asked.formulas.iter().map(|formula| asked.claim(formula));
    let others = Others {
        branches: branches.collect(),
        ..Others::default()
    };
    let liveness = Liveness::with_others(tests, &[], others, asked.fairness(), options);
    let rebound = Arc::clone(model);
    let liveness = liveness.unwrap();
    liveness.rebinding(move |system| Some(rebound.tests(system.layout())))
}

/// What naive labelling says.
pub fn naive(model: &Model, assumptions: &[Assumption], formula: &Branching) -> bool {
    if !assumptions.is_empty() {
        let labels = fair::labels(model, assumptions, formula);
        return model.initial.iter().all(|&state| labels[state]);
    }
    let labels = label(&kripke(model), formula);
    model.initial.iter().all(|&state| labels[state])
}

pub fn kripke(model: &Model) -> Kripke {
    let states = 0..model.edges.len();
    Kripke {
        successors: model.edges.iter().map(|steps| targets(steps)).collect(),
        atoms: states.map(|state| model.letter(state)).collect(),
    }
}

fn targets(steps: &[(u32, usize)]) -> Vec<usize> {
    steps.iter().map(|&(_, target)| target).collect()
}

impl Case {
    /// What the model might be, where it is flawed.
    fn completions(&self) -> Vec<Model> {
        let mut all = vec![self.model.clone(), self.model.clone(), self.model.clone()];
        for (state, undefined) in self.model.undefined.iter().enumerate() {
            all[1].labels[state] ^= undefined;
            all[2].labels[state] ^= undefined & self.guess;
        }
        if let Some(faulty) = self.model.faulty {
            all[1].edges[faulty].clear();
            all[1].labels[faulty] ^= 3;
            all[2].edges[faulty] = vec![(0, faulty)];
            all[2].labels[faulty] ^= self.guess;
        }
        all
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let model = Arc::new(self.model.clone());
        let options = LivenessOptions {
            memory: self.memory.unwrap_or(usize::MAX),
            probe: self.probe,
            columns_only: self.journey.has_columns_only(),
            place: if self.disk {
                LogPlace::Temporary
            } else {
                LogPlace::Off
            },
            ..LivenessOptions::default()
        };
        let mut liveness = prepare(&model, self.journey.bits, &self.asked, options);
        if self.journey.bits.is_none() {
            liveness.probe(&Coded::new(&model, None));
        }
        let mut explored = None;
        if !liveness.is_decided() {
            let place = LogPlace::Temporary;
            explored = Some(self.journey.explore_logged(&model, &mut liveness, place)?);
        }
        let complete = explored.as_ref().is_some_and(|(complete, _)| *complete);
        liveness.finish(complete).unwrap();
        let undefined = model.undefined.iter().any(|&bits| bits != 0);
        let completions = self.completions();
        for (formula, status) in self.asked.formulas.iter().zip(liveness.branch_statuses()) {
            match status {
                BranchStatus::Decided(truth, reason) => {
                    let wide = Coded::new(&model, None);
                    let tests = model.tests(&wide.layout);
                    let told = (*truth, &**reason);
                    let claim = self.asked.claim(formula);
                    let path = |number| explored.as_mut()?.1.path_to(number).ok();
                    let confirmed = claim.confirm(&wide, &tests, told, path, &Limits::default());
                    let witness =
                        confirmed.map_err(|why| TestCaseError::fail(format!("{why:?}")))?;
                    prop_assert_eq!(witness.truth, *truth);
                    if reason.instance().is_some() {
                        // Decided by the component of a layer: the way there is shown, and what it consists of.
                        prop_assert_eq!(witness.how, How::Path);
                        let reasons: Vec<How> =
                            witness.because.iter().map(|one| one.1.how).collect();
                        prop_assert!(
                            matches!(reasons[..], [How::Closure(Some(1..))]),
                            "{:?}",
                            reasons
                        );
                    }
                    let allowance = Allowance {
                        bytes: usize::MAX,
                        limits: &Limits::default(),
                    };
                    let certified = claim.certify(&wide, &tests, reason, &allowance);
                    let expected = self.asked.certify && self.asked.assumptions.is_empty();
                    prop_assert_eq!(certified.is_some(), expected);
                    if let Some(Err(why)) = certified {
                        return Err(TestCaseError::fail(format!("{why:?}")));
                    }
                    for completion in &completions {
                        let naive = naive(completion, &self.asked.assumptions, formula);
                        prop_assert_eq!(*truth, naive);
                    }
                }
                BranchStatus::Undefined { .. } => prop_assert!(undefined),
                BranchStatus::Open(_) => {
                    prop_assert!(model.faulty.is_some() || liveness.is_outgrown());
                }
            }
        }
        Ok(())
    }
}

fn check_many(count: u32) {
    let mut runner = TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(count)
    });
    runner.run(&cases(), |case| case.check()).unwrap();
}

#[test]
fn verdicts_agree_with_naive_labelling() {
    check_many(1000);
}

/// `cargo test --release -p sweepline-check ctl -- --ignored a_hundred_thousand`
#[test]
#[ignore = "takes a minute; run by name"]
fn a_hundred_thousand_verdicts_agree_with_naive_labelling() {
    check_many(100_000);
}
