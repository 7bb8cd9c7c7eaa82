//! What it takes to find sets.

use std::collections::HashSet;
use std::sync::Arc;

use sweepline::core::{ActionId, AnySystem, Steps, System, Word};
use sweepline::reduce::{Aim, Stubborn};
use sweepline_bench::clock::cpu_seconds;

/// States that the search for sets is timed on.
const SAMPLE: usize = 20_000;

/// Nanoseconds that the search for sets takes, and nanoseconds that a state with fewer steps takes longer than one with all.
pub(crate) struct Cost {
    /// Closing sets, per action that is looked at.
    pub(crate) per_action: f64,
    /// Everything else: finding out what is enabled in a state and what holds there, and what begins and ends the search.
    pub(crate) prepared: f64,
    /// The search, and leaving steps out.
    pub(crate) per_state: f64,
}

/// Times a system and what is left of it on some states.
pub(crate) fn cost(system: &Arc<dyn AnySystem>, aim: &Arc<Aim>) -> Cost {
    let stubborn = Stubborn::new(Arc::clone(system), Arc::clone(aim));
    let states = sample(&stubborn, SAMPLE);
    let mut steps = Steps::for_layout(system.layout());
    let actions = states.iter().map(|state| {
        steps.clear();
        system.successors(state, &mut steps);
        steps.actions().to_vec()
    });
    let actions: Vec<Vec<ActionId>> = actions.collect();
    // A few states are looked at again and again, so that there is something to measure.
    let rounds = (SAMPLE / states.len()).max(1);
    let timed = |work: &mut dyn FnMut(usize)| {
        let started = cpu_seconds();
        for _ in 0..rounds {
            (0..states.len()).for_each(&mut *work);
        }
        1e9 * (cpu_seconds() - started)
    };
    let mut steps = Steps::for_layout(system.layout());
    let mut generate = |system: &dyn System, state: usize| {
        steps.clear();
        system.successors(&states[state], &mut steps);
    };
    let mut best = Cost {
        per_action: f64::INFINITY,
        prepared: f64::INFINITY,
        per_state: f64::INFINITY,
    };
    let count = (rounds * states.len()) as f64;
    for _ in 0..7 {
        let before = stubborn.effort().visited;
        let search = timed(&mut |state| {
            stubborn.leaves_out(&states[state], &actions[state]);
        });
        let between = stubborn.effort().visited;
        let prepared = timed(&mut |state| {
            stubborn.leaves_out_unseen(&states[state], &actions[state]);
        });
        let visited = (between - before).saturating_sub(stubborn.effort().visited - between);
        let closing = (search - prepared).max(0.0);
        best.per_action = best.per_action.min(closing / visited.max(1) as f64);
        best.prepared = best.prepared.min(prepared / count);
        let reduced = timed(&mut |state| generate(&stubborn, state));
        let full = timed(&mut |state| generate(system, state));
        let more = (reduced - full) / count;
        best.per_state = best.per_state.min(more);
    }
    best
}

/// The first states of a system.
fn sample(system: &dyn System, most: usize) -> Vec<Vec<Word>> {
    let mut steps = Steps::for_layout(system.layout());
    system.initial(&mut steps);
    let mut states: Vec<Vec<Word>> = vec![steps.target(0).to_vec()];
    let mut known: HashSet<Vec<Word>> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && states.len() < most {
        steps.clear();
        system.successors(&states[next], &mut steps);
        next += 1;
        for index in 0..steps.len() {
            let target = steps.target(index).to_vec();
            if known.insert(target.clone()) {
                states.push(target);
            }
        }
    }
    states
}
