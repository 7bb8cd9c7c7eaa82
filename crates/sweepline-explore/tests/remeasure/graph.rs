//! Random graphs, measures of them, and what a run has to show for itself.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_core::{
    ActionId, Control, Expanded, Key, KeyError, LayerClosed, Layout, Observer, Progress, Records,
    Steps, System, Word,
};
use sweepline_explore::{Options, Sweep, replay};

/// A graph with two columns and two rows for every state.
#[derive(Clone, Debug)]
pub struct Graph {
    pub edges: Vec<Vec<usize>>,
    pub columns: [Vec<u8>; 2],
    pub rows: [Vec<u8>; 2],
    pub initial: Vec<usize>,
    pub layout: Layout,
}

impl Graph {
    /// A state's number is its first word; the others are derived from it.
    fn state(&self, number: usize) -> Vec<Word> {
        let number = number as Word;
        let words = match self.layout.records() {
            Records::Fixed(words) => words,
            Records::Variable => 1 + (number as usize * 7) % 5,
        };
        (0..words as Word)
            .map(|word| if word == 0 { number } else { number * 3 + word })
            .collect()
    }

    pub fn reachable(&self) -> BTreeSet<usize> {
        let mut seen: BTreeSet<usize> = self.initial.iter().copied().collect();
        let mut waiting = self.initial.clone();
        while let Some(state) = waiting.pop() {
            let new = self.edges[state].iter().filter(|&&to| seen.insert(to));
            waiting.extend(new);
        }
        seen
    }
}

impl System for Graph {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        for &number in &self.initial {
            out.push(ActionId(0), &self.state(number));
        }
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        for (ordinal, &target) in self.edges[state[0] as usize].iter().enumerate() {
            out.push(ActionId(ordinal as u32), &self.state(target));
        }
    }
}

pub const SHAPES: [Records; 4] = [
    Records::Fixed(1),
    Records::Fixed(2),
    Records::Fixed(5),
    Records::Variable,
];

/// Which of a graph's columns and rows make up the measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Full,
    Columns(usize),
    Rows(usize),
    Both(usize, usize),
}

pub const METHODS: [Method; 7] = [
    Method::Full,
    Method::Columns(0),
    Method::Columns(1),
    Method::Rows(0),
    Method::Rows(1),
    Method::Both(0, 1),
    Method::Both(1, 0),
];

pub struct Measure<'g>(pub &'g Graph, pub Method);

impl Progress for Measure<'_> {
    fn row_bits(&self) -> u32 {
        match self.1 {
            Method::Full | Method::Columns(_) => 0,
            Method::Rows(_) => 128,
            Method::Both(..) => 8,
        }
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        let number = state[0] as usize;
        let column = |which: usize| self.0.columns[which][number].into();
        let row = |which: usize| self.0.rows[which][number].into();
        Ok(match self.1 {
            Method::Full => Key(0),
            Method::Columns(which) => Key(column(which)),
            Method::Rows(which) => Key(row(which)),
            Method::Both(a, b) => Key::new(column(a), row(b), 8),
        })
    }
}

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
        assert!(event.states <= explored - self.explored);
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
pub fn check_complete<P: Progress>(
    graph: &Graph,
    sweep: &mut Sweep<&Graph, P>,
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

/// Random graphs; columns never decrease along an edge if `monotone`.
pub fn graphs(max: usize, monotone: bool) -> impl Strategy<Value = Graph> {
    let values = |below: u8, n| prop::collection::vec(0..below, n);
    (1..=max, prop::sample::select(&SHAPES[..]))
        .prop_flat_map(move |(n, shape)| {
            (
                prop::collection::vec(prop::collection::vec(0..n, 0..6), n),
                [values(3, n), values(3, n)],
                [values(5, n), values(5, n)],
                prop::collection::vec(0..n, 1..3),
                Just(Layout::opaque(shape)),
            )
        })
        .prop_map(move |(mut edges, columns, rows, initial, layout)| {
            for (source, targets) in edges.iter_mut().enumerate().filter(|_| monotone) {
                targets.retain(|&target| columns.iter().all(|of| of[source] <= of[target]));
            }
            Graph {
                edges,
                columns,
                rows,
                initial,
                layout,
            }
        })
}

pub fn methods() -> impl Strategy<Value = Method> {
    prop::sample::select(&METHODS[..])
}

pub fn stops() -> impl Strategy<Value = Stop> {
    prop_oneof![
        (0..16_usize).prop_map(Stop::AfterExpansions),
        (0..6_usize).prop_map(Stop::AfterLayers),
    ]
}
