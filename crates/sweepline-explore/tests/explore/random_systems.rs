//! All configurations of the sweep agree with a naive reference on random small systems.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sweepline_core::{
    Coarse, Control, Expanded, Key, Layout, Observer, Progress, Records, Statistics, Word,
};
use sweepline_explore::{End, LogPlace, Options, replay};

use crate::graph::{Graph, Measure, Method, SHAPES, dynamic, graphs, random, sweep};

/// The methods of the papers.
const METHODS: [Method; 4] = [
    Method::Full,
    Method::Columns(0),
    Method::Rows(0),
    Method::Both(0, 0),
];

/// Figures both implementations must agree on.
#[derive(Debug, PartialEq, Eq)]
struct Figures {
    explored: u64,
    edges: u64,
    layers: u64,
    columns: u64,
    sweeps: u64,
    column_sweeps: u64,
    regress_edges: u64,
    persistent: u64,
    peak: u64,
}

impl From<&Statistics> for Figures {
    fn from(statistics: &Statistics) -> Self {
        Self {
            explored: statistics.explored,
            edges: statistics.edges,
            layers: statistics.layers,
            columns: statistics.columns,
            sweeps: statistics.sweeps,
            column_sweeps: statistics.column_sweeps,
            regress_edges: statistics.regress_edges,
            persistent: statistics.persistent,
            peak: statistics.peak_states,
        }
    }
}

/// The compositional algorithm with sets, naive on purpose: [KM02b, Fig. 5] with deletion by layer.
/// Returns the figures and the visited states.
fn reference(
    graph: &Graph,
    key: impl Fn(usize) -> Key,
    row_bits: u32,
    window: u64,
) -> (Figures, BTreeSet<usize>) {
    let mut figures = Figures {
        explored: 0,
        edges: 0,
        layers: 0,
        columns: 0,
        sweeps: 0,
        column_sweeps: 0,
        regress_edges: 0,
        persistent: 0,
        peak: 0,
    };
    let (mut visited, mut keys) = (BTreeSet::new(), BTreeSet::new());
    let mut global: BTreeSet<usize> = graph.initial.iter().copied().collect();
    while let Some(column) = global.iter().map(|&s| key(s).column(row_bits)).min() {
        figures.columns += 1;
        let mut roots: BTreeSet<usize> = global
            .iter()
            .copied()
            .filter(|&s| key(s).column(row_bits) == column)
            .collect();
        global.retain(|s| !roots.contains(s));
        let mut persistent = BTreeSet::new();
        let mut sweeps = 0;
        while !roots.is_empty() {
            sweeps += 1;
            let mut waiting = std::mem::take(&mut roots);
            let mut closed: BTreeSet<usize> = BTreeSet::new();
            while let Some(line) = waiting.iter().map(|&s| key(s)).min() {
                keys.insert(line);
                closed.retain(|&s| line.0 - key(s).0 <= u128::from(window) && window > 0);
                let mut done = BTreeSet::new();
                while let Some(state) = waiting.iter().copied().find(|&s| key(s) == line) {
                    waiting.remove(&state);
                    done.insert(state);
                    visited.insert(state);
                    figures.explored += 1;
                    for &target in &graph.edges[state] {
                        figures.edges += 1;
                        let regress = key(target) < line;
                        figures.regress_edges += u64::from(regress);
                        let stored = [&waiting, &done, &closed, &persistent, &global];
                        if stored.iter().any(|set| set.contains(&target)) {
                            continue;
                        }
                        if regress {
                            figures.persistent += 1;
                            persistent.insert(target);
                            roots.insert(target);
                        } else if key(target).column(row_bits) > column {
                            global.insert(target);
                        } else {
                            waiting.insert(target);
                        }
                    }
                }
                let stored: BTreeSet<_> = [&waiting, &done, &closed, &persistent, &global]
                    .into_iter()
                    .flatten()
                    .collect();
                figures.peak = figures.peak.max(stored.len() as u64);
                closed.extend(done.into_iter().filter(|s| !persistent.contains(s)));
            }
        }
        figures.sweeps = figures.sweeps.max(sweeps);
        figures.column_sweeps += sweeps;
    }
    figures.layers = keys.len() as u64;
    (figures, visited)
}

/// Remembers which state has which number.
#[derive(Default)]
struct Visited(Vec<Vec<Word>>);

impl Observer for Visited {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        assert_eq!(event.number, self.0.len() as u64, "numbers are consecutive");
        self.0.push(event.state.to_vec());
        Control::Continue
    }
}

/// The bound of Theorems 1 and 2 of [KM02b], summed over columns.
fn bound(graph: &Graph, key: &dyn Fn(usize) -> Key, row_bits: u32) -> u64 {
    let states = graph.reachable();
    let mut columns: BTreeMap<u128, (BTreeSet<usize>, u64)> = BTreeMap::new();
    for &state in &states {
        let (_, size) = columns.entry(key(state).column(row_bits)).or_default();
        *size += 1;
        for &target in &graph.edges[state] {
            if key(target) < key(state) {
                columns
                    .entry(key(target).column(row_bits))
                    .or_default()
                    .0
                    .insert(target);
            }
        }
    }
    columns
        .values()
        .map(|(targets, size)| (targets.len() as u64 + 1) * size)
        .sum()
}

fn check_all(graph: &Graph, window: u64, factor: u64) -> Result<(), TestCaseError> {
    for method in METHODS {
        let measure = Coarse::new(Measure(graph, method), factor);
        let key = |state: usize| measure.key(&[state as Word]).unwrap();
        let options = Options {
            window,
            ..Options::default()
        };
        let mut sweep = sweep(graph, &measure, options);
        let mut visited = Visited::default();
        prop_assert_eq!(sweep.run(dynamic(&mut visited)), End::Complete);
        let statistics = sweep.statistics().clone();

        let (expected, expected_states) = reference(graph, key, measure.row_bits(), window);
        prop_assert_eq!(&Figures::from(&statistics), &expected, "{:?}", method);
        let states: BTreeSet<usize> = visited.0.iter().map(|state| state[0] as usize).collect();
        prop_assert_eq!(&states, &graph.reachable());
        prop_assert_eq!(&expected_states, &states);
        prop_assert!(statistics.explored <= bound(graph, &key, measure.row_bits()));
        if let Some(count) = statistics.states() {
            prop_assert_eq!(count, states.len() as u64);
            let dead = states
                .iter()
                .filter(|&&state| graph.edges[state].is_empty())
                .count();
            prop_assert_eq!(statistics.deadlocks(), Some(dead as u64));
        }
        for (number, state) in visited.0.iter().enumerate() {
            let path = sweep.path_to(number as u64).unwrap();
            let trace = replay(&graph, &path).unwrap();
            prop_assert_eq!(trace.last(), &state[..]);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_method_visits_exactly_the_reachable_states(
        graph in graphs(14, true), window in 0..4_u64, factor in 1..4_u64
    ) {
        check_all(&graph, window, factor)?;
    }

    #[test]
    fn a_column_that_regresses_is_never_accepted(graph in graphs(10, false)) {
        let measure = Measure(&graph, Method::Both(0, 0));
        let mut sweep = sweep(&graph, &measure, Options::default());
        let end = sweep.run(dynamic(&mut ()));
        let wrong = graph.reachable().into_iter().any(|source| {
            graph.edges[source].iter().any(|&target| graph.columns[0][target] < graph.columns[0][source])
        });
        match end {
            End::Complete => prop_assert!(!wrong),
            End::Regress(edge) => {
                prop_assert!(wrong);
                let (source, target) = (edge.source[0] as usize, edge.target[0] as usize);
                prop_assert_eq!(graph.edges[source][edge.ordinal], target);
                prop_assert!(graph.columns[0][target] < graph.columns[0][source]);
                let path = sweep.path_to(edge.number).unwrap();
                let trace = replay(&graph, &path).unwrap();
                prop_assert_eq!(trace.last(), &edge.source[..]);
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn a_limit_gives_an_honest_prefix(graph in graphs(12, true), limit in 0..20_u64) {
        let measure = Measure(&graph, Method::Rows(0));
        let mut options = Options { log: LogPlace::Off, ..Options::default() };
        options.limits.states = Some(limit);
        let mut sweep = sweep(&graph, &measure, options);
        let end = sweep.run(dynamic(&mut ()));
        let explored = sweep.statistics().explored;
        prop_assert!(explored <= limit);
        prop_assert_eq!(end == End::Complete, sweep.statistics().complete);
        if end != End::Complete {
            prop_assert_eq!(explored, limit);
            prop_assert_eq!(sweep.statistics().states(), None);
        }
    }
}

/// Larger graphs reach the code for large layers, batches and the file of the trace log.
#[test]
fn a_large_random_graph_in_every_shape() {
    let mut next = random(7);
    let n = 3000;
    let columns: Vec<u8> = (0..n).map(|_| next(5) as u8).collect();
    let rows: Vec<u8> = (0..n).map(|_| next(6) as u8).collect();
    let edges = (0..n)
        .map(|source| {
            (0..3)
                .map(|_| next(n))
                .filter(|&target| columns[source] <= columns[target])
                .collect()
        })
        .collect();
    let initial = (0..n)
        .filter(|&state| columns[state] == 0)
        .take(40)
        .collect();
    let mut graph = Graph {
        columns: [columns, Vec::new()],
        rows: [rows, Vec::new()],
        ..Graph::plain(edges, initial, Records::Variable)
    };
    for shape in SHAPES {
        graph.layout = Layout::opaque(shape);
        check_all(&graph, 1, 1).unwrap();
        check_all(&graph, 0, 2).unwrap();
    }
}
