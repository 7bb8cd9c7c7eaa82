//! What a step of a typed model costs: decoding its source and encoding its target, compared with packing by hand.
//!
//! Nothing is stored: the steps of the same reachable states are computed again and again, and the best round counts.

#![expect(clippy::print_stdout, reason = "a benchmark reports on the terminal")]

use std::collections::HashSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use sweepline_core::{Progress, Steps, System, Word};
use sweepline_model::ModelSystem;
use sweepline_model::zoo::go_back_n::{GoBackN, GoBackNWords};

const STATES: usize = 100_000;
const ROUNDS: u32 = 30;

fn main() {
    compare::<2>("tiny", 8000, 3);
    compare::<4>("narrow", 400, 4);
    compare::<6>("wide", 14, 6);
}

fn compare<const C: usize>(name: &str, messages: u16, window: u16) {
    let typed = ModelSystem::new(GoBackN::<C> { messages, window });
    report(&format!("{name}, typed"), &typed, &typed.model().measure());
    let capacity = u32::try_from(C).expect("a small number");
    let packed = GoBackNWords::new(messages, window, capacity).expect("it fits two words");
    report(&format!("{name}, by hand"), &packed, &packed.measure());
}

fn report(name: &str, system: &impl System, measure: &impl Progress) {
    let states = reachable(system);
    let mut steps = Steps::for_layout(system.layout());
    let per_edge = best(|| {
        let mut edges = 0;
        for state in &states {
            steps.clear();
            system.successors(black_box(state), &mut steps);
            edges += steps.len();
        }
        edges
    });
    let per_key = best(|| {
        for state in &states {
            black_box(
                measure
                    .key(black_box(state))
                    .expect("the measure has a key"),
            );
        }
        states.len()
    });
    println!("{name:16} {per_edge:6.1} ns per edge, {per_key:4.1} ns per key");
}

/// Nanoseconds per item in the fastest of several rounds; a round says how many items it had.
fn best(mut round: impl FnMut() -> usize) -> f64 {
    let timed = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        let items = round();
        (start.elapsed(), items)
    });
    let (time, items) = timed.min().unwrap_or((Duration::ZERO, 1));
    time.as_secs_f64() * 1e9 / f64::from(u32::try_from(items).expect("a round is short"))
}

/// The first states of a breadth-first search.
fn reachable(system: &impl System) -> Vec<Box<[Word]>> {
    let mut steps = Steps::for_layout(system.layout());
    let mut seen = HashSet::new();
    let mut states: Vec<Box<[Word]>> = Vec::new();
    system.initial(&mut steps);
    for expanded in 0.. {
        for index in 0..steps.len() {
            let target = Box::<[Word]>::from(steps.target(index));
            if seen.insert(target.clone()) {
                states.push(target);
            }
        }
        let Some(state) = states.get(expanded).filter(|_| states.len() < STATES) else {
            break;
        };
        steps.clear();
        system.successors(state, &mut steps);
    }
    states
}
