//! The models of the corpus with up to 50,000 states: counts and verdicts, by full search and by the sweep.

use std::path::Path;

use sweepline::core::Limits;
use sweepline::program::ProgramSystem;
use sweepline_bench::corpus::{self, Case, Order};

const LARGEST: u64 = 50_000;

/// Runs `test` on every small net, or says that there is no corpus.
fn for_each_net(test: impl Fn(&Path, &Case, &mut Vec<String>)) {
    for_each("pnml", test);
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
