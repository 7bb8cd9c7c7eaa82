//! What checking a claim about infinite runs costs, compared with exploring the same.
//!
//! The claim is a response property of go-back-N that holds: whenever the data channel is full, it will not be. It is checked on
//! what is recorded while the model is explored, and by a sweep of the product; the best of several rounds counts. Promised is that
//! checking the product takes at most 1.6 times the time and twice the bytes of exploring it.
//! `cargo run --release -p sweepline-bench --bin liveness [narrow|wide]`

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use sweepline::core::{ActionId, Describe, NoProgress, Progress, Statistics, Word};
use sweepline::explore::{End, LogPlace, Options, Sweep};
use sweepline::logic::Pred;
use sweepline::logic::omega::{
    Acceptance, Cube, Guard, Letter, Letters, OmegaAutomaton, OmegaEdge, OmegaProduct, OmegaState,
    Outlook,
};
use sweepline::model::zoo::go_back_n::GoBackNWords;
use sweepline::questions::Test;
use sweepline::questions::ltl::{
    Claim, Fairness, Liveness, LivenessOptions, Status, check_product,
};

const ROUNDS: u32 = 5;

fn main() {
    println!(
        "{:28} {:>9} {:>12} {:>8} {:>6} {:>6}",
        "", "expanded", "peak bytes", "ms", "x time", "x bytes"
    );
    let wanted = std::env::args().nth(1);
    for (name, messages, window, capacity) in [("narrow", 400, 4, 4), ("wide", 14, 6, 6)] {
        if wanted.as_deref().is_none_or(|wanted| wanted == name) {
            compare(name, messages, window, capacity);
        }
    }
}

/// Whether the data channel is full, read off the words.
#[derive(Clone, Copy)]
struct Full {
    shift: u32,
    mask: Word,
    capacity: Word,
}

impl Full {
    fn holds(self, state: &[Word]) -> bool {
        state[0] >> self.shift & self.mask == self.capacity
    }
}

impl Letters for Full {
    fn letter(&self, state: &[Word], _: &[ActionId], _: bool) -> Result<Letter, String> {
        Ok(self.holds(state).into())
    }
}

/// Some time it is full, and stays so.
fn stays_full() -> OmegaAutomaton {
    let edge = |holds, target, marks| OmegaEdge {
        guard: Guard::of([Cube { holds, fails: 0 }]),
        target: OmegaState(target),
        marks,
    };
    OmegaAutomaton {
        atoms: vec![Pred::Constant(true)],
        initial: vec![OmegaState(0)],
        edges: vec![vec![edge(0, 0, 0), edge(1, 1, 0)], vec![edge(1, 1, 1)]],
        sets: 1,
        acceptance: Acceptance::all(1),
    }
}

fn compare(name: &str, messages: u16, window: u16, capacity: u32) {
    let system = GoBackNWords::new(messages, window, capacity).expect("it fits two words");
    let bits = |value: u32| u32::BITS - value.leading_zeros();
    let full = Full {
        shift: 2 * bits(messages.into()),
        mask: (1 << bits(capacity)) - 1,
        capacity: capacity.into(),
    };
    let automaton = Arc::new(stays_full());
    let claim = Claim {
        automaton: Arc::clone(&automaton),
        atoms: vec![0],
    };
    let outlook = Outlook {
        live: vec![true, true],
        ranks: vec![0, 1],
    };
    let product = OmegaProduct::new(&system, automaton, full, outlook);
    let tests = [Test::custom(move |seen| Ok(full.holds(seen.state)))];
    let measure = system.measure();

    let model = best(|| explored(&system, measure));
    show(&format!("{name}: model"), &model, &model);
    let plain = best(|| explored(&system, NoProgress));
    show("  without a measure", &plain, &model);
    let recorded = best(|| record(&system, NoProgress, &tests, &claim));
    show("  recorded and checked", &recorded, &plain);
    let recorded = best(|| record(&system, measure, &tests, &claim));
    show("  the same with columns", &recorded, &model);
    let swept = best(|| explored(&product, product.measure(measure)));
    show("  product", &swept, &swept);
    let checked = best(|| sweep(&system, measure, &tests, &claim));
    show("  product checked", &checked, &swept);
}

struct Figures {
    expanded: u64,
    bytes: usize,
    time: Duration,
}

fn best(mut round: impl FnMut() -> Statistics) -> Figures {
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        let statistics = round();
        Figures {
            expanded: statistics.explored,
            bytes: statistics.peak_bytes,
            time: start.elapsed(),
        }
    });
    rounds
        .min_by_key(|figures| figures.time)
        .expect("there are rounds")
}

#[expect(clippy::cast_precision_loss, reason = "a table")]
fn show(name: &str, figures: &Figures, compared: &Figures) {
    println!(
        "{name:28} {:>9} {:>12} {:>8.0} {:>6.2} {:>6.2}",
        figures.expanded,
        figures.bytes,
        figures.time.as_secs_f64() * 1e3,
        figures.time.as_secs_f64() / compared.time.as_secs_f64(),
        figures.bytes as f64 / compared.bytes as f64,
    );
}

fn options() -> Options {
    Options {
        log: LogPlace::Off,
        ..Options::default()
    }
}

fn explored(system: &impl Describe, measure: impl Progress) -> Statistics {
    let mut sweep = Sweep::new(system, measure, options());
    assert_eq!(sweep.run(&mut ()), End::Complete);
    sweep.statistics().clone()
}

fn record(
    system: &impl Describe,
    measure: impl Progress,
    tests: &[Test],
    claim: &Claim,
) -> Statistics {
    let claims = std::slice::from_ref(claim);
    let options_of = LivenessOptions {
        probe: 0,
        ..LivenessOptions::default()
    };
    let liveness = Liveness::new(tests.to_vec(), claims, Fairness::default(), options_of);
    let mut liveness = liveness.expect("the claim is well-formed");
    let mut sweep = Sweep::new(system, measure, options());
    let end = sweep.run_linked(&mut liveness);
    liveness
        .finish(end == End::Complete)
        .expect("nothing interrupts");
    assert!(liveness.statuses().all(|status| *status == Status::Holds));
    sweep.statistics().clone()
}

fn sweep(
    system: &impl Describe,
    measure: impl Progress,
    tests: &[Test],
    claim: &Claim,
) -> Statistics {
    let asked = (tests, claim, &Fairness::default());
    let answer = check_product(
        system,
        measure,
        asked,
        (options(), usize::MAX),
        None,
        &mut (),
    );
    let answer = answer.expect("the claim is well-formed");
    assert_eq!(answer.status, Status::Holds);
    answer.statistics
}
