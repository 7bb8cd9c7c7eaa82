//! All configurations of the sweep agree with a naive reference on random small systems.

#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "the numbers are small, and a panic is a failed test"
)]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sweepline_core::{
    ActionId, Coarse, Control, Expanded, Key, KeyError, Layout, Observer, Progress, Records,
    Statistics, Steps, System, Word,
};
use sweepline_explore::{End, LogPlace, Options, Sweep, replay};

/// A graph with a column and a row for every state.
#[derive(Clone, Debug)]
struct Graph {
    edges: Vec<Vec<usize>>,
    columns: Vec<u8>,
    rows: Vec<u8>,
    initial: Vec<usize>,
}

/// The graph as a system whose states have the given shape: a state's number is its first word, the others are
/// derived from it.
struct GraphSystem<'g> {
    graph: &'g Graph,
    layout: Layout,
}

impl GraphSystem<'_> {
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
}

impl System for GraphSystem<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        for &number in &self.graph.initial {
            out.push(ActionId(0), &self.state(number));
        }
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        for (ordinal, &target) in self.graph.edges[state[0] as usize].iter().enumerate() {
            out.push(ActionId(ordinal as u32), &self.state(target));
        }
    }
}

/// The measure of a graph, in the configuration of one of the papers.
#[derive(Clone, Copy, Debug)]
enum Method {
    Full,
    Columns,
    Rows,
    Both,
}

const METHODS: [Method; 4] = [Method::Full, Method::Columns, Method::Rows, Method::Both];

struct Measure<'g> {
    graph: &'g Graph,
    method: Method,
}

impl Progress for Measure<'_> {
    fn row_bits(&self) -> u32 {
        match self.method {
            Method::Full | Method::Columns => 0,
            Method::Rows => 128,
            Method::Both => 8,
        }
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        let number = state[0] as usize;
        let (column, row) = (
            self.graph.columns[number].into(),
            self.graph.rows[number].into(),
        );
        Ok(match self.method {
            Method::Full => Key(0),
            Method::Columns => Key(column),
            Method::Rows => Key(row),
            Method::Both => Key::new(column, row, 8),
        })
    }
}

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

fn reachable(graph: &Graph) -> BTreeSet<usize> {
    let mut seen: BTreeSet<usize> = graph.initial.iter().copied().collect();
    let mut waiting: Vec<usize> = graph.initial.clone();
    while let Some(state) = waiting.pop() {
        waiting.extend(
            graph.edges[state]
                .iter()
                .copied()
                .filter(|&target| seen.insert(target)),
        );
    }
    seen
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
    let states = reachable(graph);
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

fn graphs(max: usize, monotone: bool) -> impl Strategy<Value = Graph> {
    (1..=max)
        .prop_flat_map(move |n| {
            (
                prop::collection::vec(prop::collection::vec(0..n, 0..4), n),
                prop::collection::vec(0..5_u8, n),
                prop::collection::vec(0..6_u8, n),
                prop::collection::vec(0..n, 1..3),
            )
        })
        .prop_map(move |(mut edges, columns, rows, initial)| {
            if monotone {
                for (source, targets) in edges.iter_mut().enumerate() {
                    targets.retain(|&target| columns[source] <= columns[target]);
                }
            }
            Graph {
                edges,
                columns,
                rows,
                initial,
            }
        })
}

const SHAPES: [Records; 6] = [
    Records::Fixed(1),
    Records::Fixed(2),
    Records::Fixed(4),
    Records::Fixed(5),
    Records::Fixed(8),
    Records::Variable,
];

fn check_all(graph: &Graph, window: u64, factor: u64, shape: Records) -> Result<(), TestCaseError> {
    let system = GraphSystem {
        graph,
        layout: Layout::opaque(shape),
    };
    for method in METHODS {
        let measure = Coarse::new(Measure { graph, method }, factor);
        let key = |state: usize| measure.key(&[state as Word]).unwrap();
        let options = Options {
            window,
            ..Options::default()
        };
        let mut sweep = Sweep::new(&system, &measure, options);
        let mut visited = Visited::default();
        prop_assert_eq!(sweep.run(&mut visited), End::Complete);
        let statistics = sweep.statistics().clone();

        let (expected, expected_states) = reference(graph, key, measure.row_bits(), window);
        prop_assert_eq!(&Figures::from(&statistics), &expected, "{:?}", method);
        let states: BTreeSet<usize> = visited.0.iter().map(|state| state[0] as usize).collect();
        prop_assert_eq!(&states, &reachable(graph));
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
            let trace = replay(&system, &path).unwrap();
            prop_assert_eq!(trace.last(), &state[..]);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_method_visits_exactly_the_reachable_states(
        graph in graphs(14, true), window in 0..4_u64, factor in 1..4_u64, shape in prop::sample::select(&SHAPES[..])
    ) {
        check_all(&graph, window, factor, shape)?;
    }

    #[test]
    fn a_column_that_regresses_is_never_accepted(graph in graphs(10, false)) {
        let system = GraphSystem { graph: &graph, layout: Layout::opaque(Records::Fixed(1)) };
        let measure = Measure { graph: &graph, method: Method::Both };
        let mut sweep = Sweep::new(&system, &measure, Options::default());
        let end = sweep.run(&mut ());
        let wrong = reachable(&graph).into_iter().any(|source| {
            graph.edges[source].iter().any(|&target| graph.columns[target] < graph.columns[source])
        });
        match end {
            End::Complete => prop_assert!(!wrong),
            End::Regress(edge) => {
                prop_assert!(wrong);
                let (source, target) = (edge.source[0] as usize, edge.target[0] as usize);
                prop_assert_eq!(graph.edges[source][edge.ordinal], target);
                prop_assert!(graph.columns[target] < graph.columns[source]);
                let path = sweep.path_to(edge.number).unwrap();
                let trace = replay(&system, &path).unwrap();
                prop_assert_eq!(trace.last(), &edge.source[..]);
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn a_limit_gives_an_honest_prefix(graph in graphs(12, true), limit in 0..20_u64) {
        let system = GraphSystem { graph: &graph, layout: Layout::opaque(Records::Fixed(1)) };
        let measure = Measure { graph: &graph, method: Method::Rows };
        let mut options = Options { log: LogPlace::Off, ..Options::default() };
        options.limits.states = Some(limit);
        let mut sweep = Sweep::new(&system, &measure, options);
        let end = sweep.run(&mut ());
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
    let mut random = 7_u64;
    let mut next = move |below: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
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
    let graph = Graph {
        edges,
        columns,
        rows,
        initial,
    };
    for shape in SHAPES {
        check_all(&graph, 1, 1, shape).unwrap();
        check_all(&graph, 0, 2, shape).unwrap();
    }
}
