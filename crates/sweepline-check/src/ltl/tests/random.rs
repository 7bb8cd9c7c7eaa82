//! The whole way, from a random model to judged lassos.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sweepline_core::{ActionId, Limits, System, Verdict};
use sweepline_explore::{End, Options};
use sweepline_logic::omega::OmegaAutomaton;

use super::brute::{automata, violates};
use super::choice::{
    Said, reaches_fault, recurrences, refuted, said, terminal_components, violates_progress,
};
use super::journey::{Journey, journeys};
use super::model::{ATOMS, Coded, Measure, Method, Model, Renamed, models};
use crate::ltl::choice::{FairChoice, Recurrence};
use crate::ltl::claim::{Assumption, Claim, Fairness};
use crate::ltl::confirm::{confirm, confirm_homes};
use crate::ltl::judge::judge;
use crate::ltl::liveness::{Liveness, LivenessOptions, Status};
use crate::ltl::resort::run_after;
use crate::ltl::sweeping::{Anew, Renewing, Room, check_product, check_within};
use crate::ltl::thesis::check_thesis;
use crate::{Plan, Question, QuestionKind, Truth, answer};

#[derive(Clone, Debug)]
struct Case {
    model: Model,
    automata: Vec<OmegaAutomaton>,
    assumptions: Vec<Assumption>,
    choices: Vec<Recurrence>,
    said: Vec<Said>,
    journey: Journey,
    probe: u64,
    memory: Option<usize>,
}

pub fn assumptions() -> impl Strategy<Value = Assumption> {
    let actions = || prop::collection::vec((0..3_u32).prop_map(ActionId), 0..3);
    prop_oneof![
        (0..ATOMS as usize).prop_map(Assumption::Recurs),
        actions().prop_map(Assumption::Weak),
        actions().prop_map(Assumption::Strong),
    ]
}

fn cases() -> impl Strategy<Value = Case> {
    (
        models(14),
        prop::collection::vec(automata(ATOMS), 1..4),
        (
            prop::collection::vec(assumptions(), 0..3),
            prop::collection::vec(recurrences(), 0..3),
            prop::collection::vec(said(), 0..3),
        ),
        journeys(),
        (
            0..6_u64,
            prop::option::weighted(0.1, 0..4000_usize),
            prop::bool::weighted(0.4),
        ),
    )
        .prop_map(
            |(model, automata, (assumptions, choices, said), journey, rest)| {
                let (probe, memory, fair) = rest;
                Case {
                    model,
                    automata,
                    assumptions: if fair { assumptions } else { Vec::new() },
                    choices,
                    said,
                    journey,
                    probe,
                    memory,
                }
            },
        )
}

impl Case {
    fn fairness(&self) -> Fairness {
        Fairness {
            assumptions: self.assumptions.clone(),
        }
    }

    fn claims(&self) -> Vec<Claim> {
        let claims = self.automata.iter().map(|automaton| Claim {
            automaton: Arc::new(automaton.clone()),
            atoms: (0..ATOMS as usize).collect(),
        });
        claims.collect()
    }

    /// The same by a sweep of the product.
    fn check_products(&self) -> Result<(), TestCaseError> {
        let memory = self.memory.unwrap_or(usize::MAX);
        let links = memory / 2;
        self.sweep_products(Room { memory, links })
    }

    /// The same where all links go to disk.
    fn check_spilled(&self) -> Result<(), TestCaseError> {
        let memory = self.memory.unwrap_or(usize::MAX);
        self.sweep_products(Room { memory, links: 0 })
    }

    fn sweep_products(&self, room: Room) -> Result<(), TestCaseError> {
        let model = Arc::new(self.model.clone());
        let (claims, fairness) = (self.claims(), self.fairness());
        // In a word of its own, or in spare bits.
        let bits = self.journey.bits.map(|bits| bits + 4);
        for (claim, automaton) in claims.iter().zip(&self.automata) {
            let coded = Coded::new(&model, bits);
            let tests = model.tests(&coded.layout);
            let measure = Measure {
                model: Arc::clone(&model),
                layout: coded.layout.clone(),
                method: self.journey.method,
            };
            let options = Options {
                window: self.journey.window,
                ..Options::default()
            };
            let asked = (&tests[..], claim, &fairness);
            let answer = check_within(coded, measure, asked, (options, room), None, &mut ());
            let answer = answer.unwrap();
            self.judge(claim, automaton, &answer.status, &fairness)?;
            let early = answer.end != End::Complete && answer.status == Status::Open;
            prop_assert!(!early || self.memory.is_some(), "{:?}", answer.end);
            prop_assert!(answer.status != Status::Open || early);
        }
        Ok(())
    }

    /// The same where the system begins again after every layer, and its states get other numbers.
    fn check_renewed(&self) -> Result<(), TestCaseError> {
        let model = Arc::new(self.model.clone());
        let (claims, fairness) = (self.claims(), self.fairness());
        // In a word of its own, or in spare bits.
        let bits = self.journey.bits.map_or(63, |bits| bits + 4);
        for (claim, automaton) in claims.iter().zip(&self.automata) {
            let mut system = Renamed::new(&model, bits);
            let (tests, measure) = (system.tests(), system.measure(self.journey.method));
            let first = system.clone();
            let mut renewals = 0;
            let renewing = Renewing {
                least: 0,
                renew: &mut |each| {
                    let width = system.layout().width().unwrap();
                    each(&mut |state| assert!(state.len() >= width));
                    let (again, numbers) = system.again();
                    renewals += 1;
                    system = again.clone();
                    Some(Anew {
                        asked: again.tests(),
                        progress: again.measure(self.journey.method),
                        system: again,
                        numbers,
                        held: 0,
                    })
                },
            };
            let options = Options {
                window: self.journey.window,
                ..Options::default()
            };
            let asked = (&tests[..], claim, &fairness);
            let within = (options, usize::MAX);
            let answer = check_product(first, measure, asked, within, Some(renewing), &mut ());
            let answer = answer.unwrap();
            self.judge(claim, automaton, &answer.status, &fairness)?;
            prop_assert!(answer.status != Status::Open, "{:?}", answer.end);
            let layers = answer.statistics.layers;
            prop_assert!(answer.end != End::Complete || layers == 0 || renewals > 0);
        }
        Ok(())
    }

    /// The same as the thesis does it.
    fn check_thesis(&self) -> Result<(), TestCaseError> {
        let model = Arc::new(self.model.clone());
        let (claims, fairness) = (self.claims(), self.fairness());
        let coded = Coded::new(&model, None);
        let tests = model.tests(&coded.layout);
        let measure = Measure {
            model: Arc::clone(&model),
            layout: coded.layout.clone(),
            method: self.journey.method,
        };
        for (claim, automaton) in claims.iter().zip(&self.automata) {
            let asked = (&tests[..], claim, &fairness);
            let answer = check_thesis(&coded, &measure, asked, &Limits::default()).unwrap();
            self.judge(claim, automaton, &answer.status, &fairness)?;
            prop_assert!(answer.status != Status::Open);
            let violated = matches!(answer.status, Status::Violated(_));
            let cut = violates(
                &model.nodes(3),
                &model.initial,
                automaton,
                &self.assumptions,
            );
            prop_assert_eq!(violated, cut);
        }
        Ok(())
    }

    /// Whether a status is right, as far as it says something.
    fn judge(
        &self,
        claim: &Claim,
        automaton: &OmegaAutomaton,
        status: &Status,
        fairness: &Fairness,
    ) -> Result<(), TestCaseError> {
        let model = Arc::new(self.model.clone());
        let wide = Coded::new(&model, None);
        let atoms = model.tests(&wide.layout);
        let cut = violates(
            &model.nodes(3),
            &model.initial,
            automaton,
            &self.assumptions,
        );
        let whole = Model {
            faulty: None,
            ..self.model.clone()
        };
        let whole = violates(
            &whole.nodes(0),
            &model.initial,
            automaton,
            &self.assumptions,
        );
        prop_assert!(self.is_flawed() || cut == whole);
        match status {
            Status::Holds => prop_assert!(!whole && !cut),
            Status::Violated(lasso) => {
                let trace = judge(&wide, &atoms, claim, fairness, lasso);
                let goes_on = trace.as_ref().is_ok_and(|trace| trace.loop_start.is_some());
                if !goes_on && self.is_flawed() && lasso.cycle.is_empty() {
                    // Every way to go on is accepted, but the model is broken further on.
                    return Ok(());
                }
                prop_assert!(cut, "{:?}", lasso);
                let trace = trace.map_err(TestCaseError::fail)?;
                prop_assert!(trace.loop_start.is_some());
            }
            Status::Open => {}
            Status::Undefined(_) => prop_assert!(self.is_flawed()),
            Status::Homes(_) => prop_assert!(false, "this is about runs"),
        }
        Ok(())
    }

    fn is_flawed(&self) -> bool {
        self.model.faulty.is_some() || self.model.undefined.iter().any(|&bits| bits != 0)
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let model = Arc::new(self.model.clone());
        let plain = Coded::new(&model, self.journey.bits);
        let options = LivenessOptions {
            memory: self.memory.unwrap_or(usize::MAX),
            probe: self.probe,
            ..LivenessOptions::default()
        };
        let (claims, fairness) = (self.claims(), self.fairness());
        let tests = model.tests(&plain.layout);
        let rebound = Arc::clone(&model);
        let choices = self.choices.iter().cloned().map(FairChoice::Progress);
        let choices = choices.chain(self.said.iter().map(Said::claim));
        let choices: Vec<FairChoice> = choices.chain([FairChoice::Home]).collect();
        let liveness =
            Liveness::with_choices(tests, &claims, choices, fairness.clone(), options).unwrap();
        let mut liveness = liveness.rebinding(move |system| Some(rebound.tests(system.layout())));
        if self.journey.bits.is_none() {
            liveness.probe(&plain);
        }
        let complete = !liveness.is_decided() && self.journey.explore(&model, &mut liveness)?;
        liveness.finish(complete).unwrap();
        for ((claim, automaton), status) in
            claims.iter().zip(&self.automata).zip(liveness.statuses())
        {
            self.judge(claim, automaton, status, &fairness)?;
            let early = model.faulty.is_some() || liveness.is_outgrown();
            let cut = violates(
                &model.nodes(3),
                &model.initial,
                automaton,
                &self.assumptions,
            );
            match status {
                Status::Open => prop_assert!(early && (!complete || liveness.is_outgrown())),
                Status::Undefined(_) => prop_assert!(!cut || early),
                Status::Holds | Status::Violated(_) => {}
                Status::Homes(_) => prop_assert!(false, "this is about runs"),
            }
        }
        let choices = self.choices.iter().zip(liveness.choices());
        for ((claim, choice), status) in choices.zip(liveness.statuses().skip(claims.len())) {
            let violated = violates_progress(&model, claim);
            match status {
                Status::Holds => prop_assert!(!violated),
                Status::Violated(lasso) => {
                    prop_assert!(violated);
                    let (trace, _) = confirm(&Coded::new(&model, None), choice, lasso)
                        .map_err(TestCaseError::fail)?;
                    prop_assert!(trace.loop_start.is_some());
                }
                Status::Open => prop_assert!(!complete || liveness.is_outgrown()),
                Status::Undefined(_) | Status::Homes(_) => {
                    prop_assert!(false, "no atom is asked");
                }
            }
        }
        let before = claims.len() + self.choices.len();
        let formulas = liveness.choices().skip(self.choices.len());
        let formulas = self.said.iter().zip(formulas);
        for ((said, choice), status) in formulas.zip(liveness.statuses().skip(before)) {
            match status {
                Status::Holds => prop_assert!(!refuted(&model, said, self.journey.window)),
                Status::Violated(lasso) => {
                    confirm(&Coded::new(&model, None), choice, lasso)
                        .map_err(TestCaseError::fail)?;
                }
                Status::Open => prop_assert!(!complete || liveness.is_outgrown()),
                Status::Undefined(_) => prop_assert!(self.may_repeat()),
                Status::Homes(_) => prop_assert!(false, "this is about runs"),
            }
        }
        let home = liveness.statuses().last();
        judge_homes(&model, home, !complete || liveness.is_outgrown())
    }

    /// Whether states may have been explored several times.
    fn may_repeat(&self) -> bool {
        self.journey.method != Method::Full || !self.journey.story.is_empty()
    }
}

/// There is a home state if there is one terminal component.
fn judge_homes(
    model: &Arc<Model>,
    status: Option<&Status>,
    may_be_open: bool,
) -> Result<(), TestCaseError> {
    let terminal = terminal_components(model);
    match status {
        Some(Status::Homes(runs)) => {
            let confirmed = confirm_homes(&Coded::new(model, None), runs);
            let (home, _) = confirmed.map_err(TestCaseError::fail)?.unwrap();
            if home {
                prop_assert!(terminal.len() == 1 && !reaches_fault(model));
            } else {
                prop_assert!(terminal.len() > 1);
            }
        }
        Some(Status::Open) => prop_assert!(may_be_open),
        other => prop_assert!(false, "{other:?}"),
    }
    Ok(())
}

impl Case {
    /// Claims under fair choice as formulas of branching time.
    fn check_as_branches(&self) -> Result<(), TestCaseError> {
        let model = Arc::new(self.model.clone());
        let live = self.choices.iter().map(|claim| claim.actions.clone());
        let live = FairChoice::Live(live.collect());
        let claims = self.choices.iter().cloned().map(FairChoice::Progress);
        let claims: Vec<FairChoice> = claims.chain([live]).collect();
        let asked = claims.iter().map(|claim| Question {
            name: String::new(),
            kind: QuestionKind::Progress,
            text: String::new(),
            truth: Truth::Branches(Box::new(claim.branches().unwrap())),
        });
        let system = || Coded::new(&model, None);
        let plan = Plan {
            progress: Measure {
                model: Arc::clone(&model),
                layout: system().layout,
                method: self.journey.method,
            },
            system: system(),
            questions: asked.collect(),
        };
        let report = answer(plan, |_, _| None, Options::default(), &mut ());
        let violated = |claim: &FairChoice| match claim {
            FairChoice::Progress(recurrence) => violates_progress(&model, recurrence),
            _ => self.choices.iter().any(|claim| {
                let condition = None;
                let actions = claim.actions.clone();
                violates_progress(&model, &Recurrence { condition, actions })
            }),
        };
        for (claim, answer) in claims.iter().zip(report.answers) {
            match answer.verdict {
                Verdict::Holds => prop_assert!(!violated(claim)),
                Verdict::Violated => {
                    prop_assert!(violated(claim));
                    let path = answer.witness.map(|witness| witness.trace);
                    let Some(path) = path.filter(|_| matches!(claim, FairChoice::Progress(_)))
                    else {
                        continue;
                    };
                    let (run, _) =
                        run_after(&system(), claim, &path).map_err(TestCaseError::fail)?;
                    prop_assert!(run.loop_start.is_some());
                }
                Verdict::Inconclusive(_) => prop_assert!(self.model.faulty.is_some()),
            }
        }
        Ok(())
    }
}

fn check_many(count: u32, check: fn(&Case) -> Result<(), TestCaseError>) {
    let mut runner = TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(count)
    });
    runner.run(&cases(), |case| check(&case)).unwrap();
}

#[test]
fn answers_agree_with_brute_force() {
    check_many(1000, Case::check);
}

#[test]
fn fair_choice_as_branching_time_agrees_with_brute_force() {
    check_many(200, Case::check_as_branches);
}

#[test]
fn product_sweeps_agree_with_brute_force() {
    check_many(1000, Case::check_products);
}

#[test]
fn product_sweeps_that_begin_again_agree_with_brute_force() {
    check_many(1000, Case::check_renewed);
}

#[test]
fn product_sweeps_with_links_on_disk_agree_with_brute_force() {
    check_many(1000, Case::check_spilled);
}

/// `cargo test --release -p sweepline-check ltl -- --ignored a_hundred_thousand`
#[test]
#[ignore = "takes minutes; run by name"]
fn a_hundred_thousand_product_sweeps_on_disk_agree_with_brute_force() {
    check_many(100_000, Case::check_spilled);
}

/// `cargo test --release -p sweepline-check ltl -- --ignored a_hundred_thousand`
#[test]
#[ignore = "takes a minute; run by name"]
fn a_hundred_thousand_answers_agree_with_brute_force() {
    check_many(100_000, Case::check);
}

#[test]
fn the_thesis_agrees_with_brute_force() {
    check_many(300, Case::check_thesis);
}

/// `cargo test --release -p sweepline-check ltl -- --ignored a_hundred_thousand`
#[test]
#[ignore = "takes minutes; run by name"]
fn a_hundred_thousand_answers_of_the_thesis_agree_with_brute_force() {
    check_many(100_000, Case::check_thesis);
}

/// `cargo test --release -p sweepline-check ltl -- --ignored a_hundred_thousand`
#[test]
#[ignore = "takes a minute; run by name"]
fn a_hundred_thousand_product_sweeps_agree_with_brute_force() {
    check_many(100_000, Case::check_products);
}
