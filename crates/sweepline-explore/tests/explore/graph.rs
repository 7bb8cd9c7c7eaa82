//! Random graphs and measures of them.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_core::{
    ActionId, Key, KeyError, Layout, Observer, Progress, Records, Steps, System, Word,
};
use sweepline_explore::{Options, Sweep};

/// An observer that is called dynamically, so that one loop serves all of them: compiling loops is what takes time here.
pub fn dynamic(observer: &mut dyn Observer) -> &mut dyn Observer {
    observer
}

/// The same of a system.
pub fn any_system<'a>(system: impl System + 'a) -> Box<dyn System + 'a> {
    Box::new(system)
}

/// The same of a measure.
pub fn any_measure<'a>(progress: impl Progress + 'a) -> Box<dyn Progress + 'a> {
    Box::new(progress)
}

/// A run of which all three are.
pub type Erased<'a> = Sweep<Box<dyn System + 'a>, Box<dyn Progress + 'a>>;

/// Prepares one.
pub fn sweep<'a>(
    system: impl System + 'a,
    progress: impl Progress + 'a,
    options: Options,
) -> Erased<'a> {
    Sweep::new(any_system(system), any_measure(progress), options)
}

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
    /// A graph without a measure.
    pub fn plain(edges: Vec<Vec<usize>>, initial: Vec<usize>, shape: Records) -> Self {
        Self {
            edges,
            initial,
            columns: Default::default(),
            rows: Default::default(),
            layout: Layout::opaque(shape),
        }
    }

    /// A state's number is its first word; the others are derived from it.
    pub fn state(&self, number: usize) -> Vec<Word> {
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

pub const SHAPES: [Records; 6] = [
    Records::Fixed(1),
    Records::Fixed(2),
    Records::Fixed(4),
    Records::Fixed(5),
    Records::Fixed(8),
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

/// Numbers below a bound, the same on every machine.
pub fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut random = seed;
    move |below| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    }
}
