//! What it takes to find sets.

use std::collections::HashSet;
use std::sync::Arc;

use sweepline::core::{ActionId, AnySystem, Steps, System, Word};
use sweepline::reduce::{Aim, Stubborn};
use sweepline_bench::clock::cpu_seconds;

/// States that the search for sets is timed on.
const SAMPLE: usize = 20_000;

/// How often everything is timed, and how often at least if it takes more seconds than this.
const ROUNDS: usize = 25;
const FEWEST: usize = 5;
const SECONDS: f64 = 3.0;

/// Nanoseconds that the search for sets takes, and nanoseconds that a state with fewer steps takes longer than one with all.
pub(crate) struct Cost {
    /// Actions that are looked at when sets are closed, per state.
    pub(crate) actions: f64,
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
    // The least time of many rounds for each part: whatever disturbs makes them longer.
    let mut least = [f64::INFINITY; 4];
    let mut note = |part: usize, time: f64| least[part] = least[part].min(time);
    let mut visited = 0;
    let started = cpu_seconds();
    for round in 0..ROUNDS {
        if round >= FEWEST && cpu_seconds() - started > SECONDS {
            break;
        }
        let before = stubborn.effort().visited;
        note(
            0,
            timed(&mut |state| {
                stubborn.leaves_out(&states[state], &actions[state]);
            }),
        );
        let between = stubborn.effort().visited;
        note(
            1,
            timed(&mut |state| {
                stubborn.leaves_out_unseen(&states[state], &actions[state]);
            }),
        );
        visited = (between - before).saturating_sub(stubborn.effort().visited - between);
        note(2, timed(&mut |state| generate(&stubborn, state)));
        note(3, timed(&mut |state| generate(system, state)));
    }
    let [search, prepared, reduced, full] = least;
    let count = (rounds * states.len()) as f64;
    Cost {
        actions: visited as f64 / count,
        per_action: (search - prepared) / visited.max(1) as f64,
        prepared: prepared / count,
        per_state: (reduced - full) / count,
    }
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
