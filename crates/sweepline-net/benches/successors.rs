//! Time per step of computing successors, nothing stored: the states are found first, then all expanded again.
//!
//! `cargo bench -p sweepline-net`

#![expect(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::collections::HashSet;
use std::hint::black_box;
use std::time::Instant;

use sweepline_core::{Steps, System, Word};
use sweepline_net::{NetSystem, PetriNet, family};

fn main() {
    measure("kanban(5)", family::kanban(5));
    measure("fms(3)", family::fms(3));
    measure("philosophers(9)", family::philosophers(9));
    measure("philosophers(12)", family::philosophers(12));
    measure("philosophers(20)", family::philosophers(20));
    measure("pipe(6,6,2)", family::pipe(6, 6, 2));
    measure("stop-and-wait(4,2,2)", family::stop_and_wait(4, 2, 2));
}

/// States that are enough to measure.
const ENOUGH: usize = 300_000;

fn measure(name: &str, net: PetriNet) {
    let started = Instant::now();
    let system = NetSystem::new(net);
    let sampling = started.elapsed();
    let states = reachable(&system);
    let mut steps = Steps::for_layout(system.layout());
    let mut best = f64::INFINITY;
    let mut edges = 0_u32;
    for _ in 0..5 {
        let started = Instant::now();
        edges = 0;
        for state in states.chunks(width(&system)) {
            steps.clear();
            system.successors(state, &mut steps);
            edges += u32::try_from(black_box(&steps).len()).unwrap_or(0);
        }
        best = best.min(started.elapsed().as_secs_f64());
    }
    let count = states.len() / width(&system);
    println!(
        "{name:22} {count:8} states of {} words, {edges:9} edges, {:5.2} ns/edge, sampled in {sampling:.1?}",
        width(&system),
        best * 1e9 / f64::from(edges),
    );
}

/// All states one after the other, or the first ones of many.
fn reachable(system: &NetSystem) -> Vec<Word> {
    let width = width(system);
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut states = steps.target(0).to_vec();
    let mut seen = HashSet::from([steps.target(0).to_vec()]);
    let mut next = 0;
    while next < states.len() && seen.len() < ENOUGH {
        steps.clear();
        system.successors(&states[next..next + width], &mut steps);
        assert_eq!(steps.fault(), None, "the sample found the right widths");
        next += width;
        for step in 0..steps.len() {
            if seen.insert(steps.target(step).to_vec()) {
                states.extend(steps.target(step));
            }
        }
    }
    states
}

fn width(system: &NetSystem) -> usize {
    system.layout().width().unwrap_or(1)
}
