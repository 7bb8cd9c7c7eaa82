//! The models of the corpus with up to 50,000 states: counts and verdicts, by full search and by the sweep.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::corpus::{self, Case, Order};
use sweepline::core::{
    AnySystem, Control, Expanded, Limits, NoProgress, Observer, Progress, StopReason, Word,
};
use sweepline::explore::{End, Options, Sweep};
use sweepline::logic::{Coordinate, Measure, Ranges, Scope};
use sweepline::net::{NetSystem, PetriNet};
use sweepline::program::{Program, ProgramSystem};
use sweepline::progress::program::Behaviour;
use sweepline::progress::{Structure, Subject};

const LARGEST: u64 = 50_000;

/// Runs `test` on every small net, coloured ones included, or says that there is no corpus.
fn for_each_net(test: impl Fn(&Path, &Case, &mut Vec<String>)) {
    for format in ["pnml", "hlpn"] {
        for_each(format, &test);
    }
}

fn for_each(format: &str, test: impl Fn(&Path, &Case, &mut Vec<String>)) {
    let Some(directory) = corpus::directory() else {
        eprintln!("skipped: no corpus (set SWEEPLINE_CORPUS)");
        return;
    };
    let mut wrong = Vec::new();
    let mut tested = 0;
    for case in corpus::cases(&directory, format) {
        if case.states.is_some_and(|states| states <= LARGEST) {
            test(&directory, &case, &mut wrong);
            tested += 1;
        }
    }
    assert!(tested > 0, "the corpus has small models");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn counts_are_right() {
    for_each_net(|directory, case, wrong| {
        let net = corpus::net(directory, case);
        let outcome = corpus::count(&net, case, Order::Full, Limits::default());
        assert!(outcome.statistics.complete, "{}", case.name);
        wrong.extend(outcome.wrong);
        for order in [Order::Rows, Order::Window, Order::Auto] {
            let outcome = corpus::count(&net, case, order, Limits::default());
            assert!(outcome.statistics.complete, "{}", case.name);
            wrong.extend(outcome.wrong);
        }
    });
}

#[test]
fn verdicts_are_right() {
    for_each_net(|directory, case, wrong| {
        let net = corpus::net(directory, case);
        for file in corpus::property_files(case) {
            for order in [Order::Full, Order::Rows, Order::Auto] {
                let outcome =
                    corpus::verify(directory, &net, case, &file, order, Limits::default());
                assert_eq!(outcome.answered, outcome.asked, "{} {file}", case.name);
                wrong.extend(outcome.wrong);
            }
        }
    });
}

/// What the runs of programs satisfy: property processes and formulas of families.
#[test]
fn verdicts_about_runs_are_right() {
    for_each("dve", |directory, case, wrong| {
        for known in corpus::about_runs(case) {
            let outcome = corpus::verify_runs(directory, case, known, &Limits::default());
            assert_eq!(outcome.answered, 1, "{}", known.id);
            wrong.extend(outcome.wrong);
        }
    });
}

/// Interpreted and compiled.
#[test]
fn programs_have_the_known_sizes() {
    for_each("dve", |directory, case, wrong| {
        let program = corpus::program(directory, case);
        let limits = Limits::default;
        for outcome in [
            corpus::count_program(program.clone(), ProgramSystem::new, case, limits()),
            corpus::count_program(program, corpus::compiled, case, limits()),
        ] {
            wrong.extend(outcome.wrong);
        }
    });
}

/// The states that were expanded, and those of them without a step.
#[derive(Default)]
struct Seen {
    states: HashSet<Box<[Word]>>,
    deadlocks: u64,
}

impl Observer for Seen {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        let new = self.states.insert(event.state.into());
        self.deadlocks += u64::from(new && event.is_deadlock());
        Control::Continue
    }
}

impl Seen {
    /// Explores up to a number of expansions; nothing if that is not enough. Any other end is a failure, above all that of
    /// a column that regresses.
    fn by<P: Progress>(
        system: &Arc<dyn AnySystem>,
        measure: P,
        most: u64,
    ) -> Result<Option<Self>, End> {
        let mut seen = Self::default();
        let mut sweep = Sweep::new(Arc::clone(system), measure, limited(most));
        let end = sweep.run(&mut seen);
        seen.unless_limited(end)
    }

    /// The same, with plain search for the first states.
    fn after<P: Progress>(
        system: &Arc<dyn AnySystem>,
        measure: P,
        first: u64,
        most: u64,
    ) -> Result<Option<Self>, End> {
        let mut seen = Self::default();
        let mut sweep = Sweep::new(Arc::clone(system), NoProgress, limited(most));
        let mut first = First(first);
        sweep.run(&mut (&mut seen, &mut first));
        let mut sweep = sweep.remeasured(measure).expect("memory is not limited");
        let end = sweep.run(&mut seen);
        seen.unless_limited(end)
    }

    fn unless_limited(self, end: End) -> Result<Option<Self>, End> {
        match end {
            End::Complete => Ok(Some(self)),
            End::Limit(StopReason::States { .. }) => Ok(None),
            end => Err(end),
        }
    }

    fn sizes(&self) -> (usize, u64) {
        (self.states.len(), self.deadlocks)
    }
}

fn limited(most: u64) -> Options {
    Options {
        limits: Limits {
            states: Some(most),
            ..Limits::default()
        },
        ..Options::default()
    }
}

/// Stops after a number of expansions.
struct First(u64);

impl Observer for First {
    fn expanded(&mut self, _: Expanded<'_>) -> Control {
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 {
            Control::Stop
        } else {
            Control::Continue
        }
    }
}

/// What the test below looks at: a measure that regresses is told apart from one that takes too long.
#[test]
fn a_column_that_regresses_is_a_failure() {
    let mut net = PetriNet::builder("ring");
    let [a, b] = [("a", 1), ("b", 0)].map(|(id, tokens)| net.place(id, tokens));
    net.rule("there", &[a], &[b]);
    net.rule("back", &[b], &[a]);
    let system: Arc<dyn AnySystem> = Arc::new(NetSystem::new(net.build().unwrap()));
    let columns = Coordinate::parse("b").unwrap();
    let measure = Measure::new(&columns, &[], &Scope::of(&system), Ranges::Open).unwrap();
    let end = Seen::by(&system, &measure, 100).map(|seen| seen.is_some());
    assert!(matches!(end, Err(End::Regress(_))), "{end:?}");
    let end = Seen::after(&system, &measure, 1, 100).map(|seen| seen.is_some());
    assert!(matches!(end, Err(End::Regress(_))), "{end:?}");
    let short = Seen::by(&system, NoProgress, 1).map(|seen| seen.is_some());
    assert_eq!(short, Ok(false));
}

/// Measures that are found for programs reach what full search reaches, from the start and in the middle of it.
#[test]
fn found_measures_reach_everything() {
    for_each("dve", |directory, case, wrong| {
        let program = corpus::program(directory, case);
        let system = |program: &Program| -> Arc<dyn AnySystem> {
            Arc::new(corpus::compiled(program.clone()))
        };
        let full = |program: &Program| Seen::by(&system(program), NoProgress, u64::MAX);
        let (program, full) = match full(&program) {
            Ok(seen) => (program, seen),
            Err(End::Fault { .. }) => {
                let program = program.with_error_states();
                let seen = full(&program).expect("errors do not stop it");
                (program, seen)
            }
            Err(end) => panic!("{}: {end:?}", case.name),
        };
        let full = full.expect("there is no limit");
        let system = system(&program);
        let structure = Structure::Program(Arc::new(Behaviour::new(Arc::new(program))));
        let choice = structure
            .find(&system, Ranges::Known, &Limits::default())
            .choice;
        let subject = Subject {
            system: Arc::clone(&system),
            ranges: Ranges::Known,
            changes: structure.changes(),
        };
        let states = full.states.len() as u64;
        for candidate in choice.chosen.iter().chain(choice.saving.known()) {
            let bound = || {
                subject
                    .bind(&system, candidate)
                    .expect("it was bound before")
            };
            let most = states * 20 + 100;
            let found = [
                Seen::by(&system, bound(), most),
                Seen::after(&system, bound(), states / 2, most),
            ];
            for found in found {
                let name = &case.name;
                match found {
                    Ok(None) => {}
                    Ok(Some(seen)) if seen.sizes() == full.sizes() => {}
                    Ok(Some(seen)) => {
                        wrong.push(format!("{name}: {:?} by {candidate:?}", seen.sizes()));
                    }
                    Err(end) => wrong.push(format!("{name}: {end:?} by {candidate:?}")),
                }
            }
        }
    });
}
