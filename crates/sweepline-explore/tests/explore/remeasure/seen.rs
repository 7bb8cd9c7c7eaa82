//! What a run has to show for itself.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_core::{Control, Expanded, LayerClosed, Observer, Word};
use sweepline_explore::{Options, replay};

use crate::graph::{Erased, Graph};

/// When to stop, counted from when the measure was chosen.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    Never,
    AfterExpansions(usize),
    AfterLayers(usize),
}

/// Remembers which state has which number, and stops now and then.
pub struct Seen {
    pub states: Vec<Vec<Word>>,
    /// Numbers from here on may be shown again.
    since: usize,
    pub stop: Stop,
    /// Expansions and stored states when the last layer was closed.
    explored: u64,
    pub stored: u64,
}

impl Seen {
    pub fn new(stop: Stop) -> Self {
        Self {
            states: Vec::new(),
            since: 0,
            stop,
            explored: 0,
            stored: 0,
        }
    }

    pub fn until(&mut self, stop: Stop) {
        (self.since, self.stop) = (self.states.len(), stop);
    }
}

impl Observer for Seen {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        let number = event.number as usize;
        assert!(number >= self.since && number <= self.states.len());
        if number < self.states.len() {
            assert_eq!(self.states[number], event.state);
            return Control::Continue;
        }
        self.states.push(event.state.to_vec());
        match self.stop {
            Stop::AfterExpansions(limit) if self.states.len() - self.since > limit => Control::Stop,
            _ => Control::Continue,
        }
    }

    fn layer_closed(&mut self, event: LayerClosed<'_>) -> Control {
        let explored = event.statistics.explored;
        assert!(event.expanded <= explored - self.explored);
        (self.explored, self.stored) = (explored, event.stored);
        match &mut self.stop {
            Stop::AfterLayers(0) => Control::Stop,
            Stop::AfterLayers(left) => {
                *left -= 1;
                Control::Continue
            }
            _ => Control::Continue,
        }
    }
}

/// The run is complete: everything was visited, and paths lead to the states with their numbers.
pub fn check_complete(
    graph: &Graph,
    sweep: &mut Erased<'_>,
    seen: &Seen,
) -> Result<(), TestCaseError> {
    let reachable = graph.reachable();
    let states: BTreeSet<usize> = seen.states.iter().map(|state| state[0] as usize).collect();
    prop_assert_eq!(&states, &reachable);
    for (number, state) in seen.states.iter().enumerate() {
        let trace = replay(&graph, &sweep.path_to(number as u64).unwrap()).unwrap();
        prop_assert_eq!(trace.last(), &state[..]);
    }
    let statistics = sweep.statistics();
    prop_assert!(statistics.complete);
    prop_assert!(statistics.explored >= states.len() as u64);
    prop_assert!(statistics.explored <= seen.states.len() as u64);
    if statistics.explored > states.len() as u64 {
        prop_assert!(statistics.repeated);
    }
    if let Some(count) = statistics.states() {
        prop_assert_eq!(count, states.len() as u64);
        let edges: usize = states.iter().map(|&state| graph.edges[state].len()).sum();
        prop_assert_eq!(statistics.edges, edges as u64);
        let dead = states
            .iter()
            .filter(|&&state| graph.edges[state].is_empty());
        prop_assert_eq!(statistics.deadlocks(), Some(dead.count() as u64));
    }
    Ok(())
}

pub fn options(window: u64) -> Options {
    Options {
        window,
        ..Options::default()
    }
}

pub fn stops() -> impl Strategy<Value = Stop> {
    prop_oneof![
        (0..16_usize).prop_map(Stop::AfterExpansions),
        (0..6_usize).prop_map(Stop::AfterLayers),
    ]
}
