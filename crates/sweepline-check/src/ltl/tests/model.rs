//! Random models.

use std::sync::Arc;

use proptest::prelude::*;
use sweepline_core::{
    ActionId, Fault, Key, KeyError, Layout, Progress, Records, Renumbering, SlotId, Steps, System,
    Word,
};

use super::brute::Node;
use crate::question::{Seen, Test};

/// A model with two columns and two rows for every state.
#[derive(Clone, Debug)]
pub struct Model {
    /// Action and target of each step.
    pub edges: Vec<Vec<(u32, usize)>>,
    /// Where it is a proper end to have no steps.
    pub ends: Vec<bool>,
    pub initial: Vec<usize>,
    /// Two atoms, and where these have no value.
    pub labels: Vec<u8>,
    pub undefined: Vec<u8>,
    pub columns: [Vec<u8>; 2],
    pub rows: [Vec<u8>; 2],
    /// A state whose steps cannot be computed.
    pub faulty: Option<usize>,
}

/// Two labels, an action that is enabled, and deadlock.
pub const ATOMS: u32 = 4;
const NUMBER: SlotId = SlotId(0);

impl Model {
    /// A model without a measure whose actions are the ordinals of steps.
    pub fn plain(edges: &[&[usize]], labels: &[u8]) -> Self {
        let count = edges.len();
        let steps = |targets: &&[usize]| (0..).zip(targets.iter().copied()).collect();
        Self {
            edges: edges.iter().map(steps).collect(),
            ends: vec![false; count],
            initial: vec![0],
            labels: labels.to_vec(),
            undefined: vec![0; count],
            columns: [vec![0; count], vec![0; count]],
            rows: [vec![0; count], vec![0; count]],
            faulty: None,
        }
    }

    /// The atoms of a state, as bits.
    pub fn letter(&self, number: usize) -> u64 {
        let enabled = self.edges[number].iter().any(|&(action, _)| action == 1);
        let deadlock = self.edges[number].is_empty() && !self.ends[number];
        u64::from(self.labels[number]) | u64::from(enabled) << 2 | u64::from(deadlock) << 3
    }

    /// For brute force. States with undefined atoms among these are not expanded.
    pub fn nodes(&self, asked: u64) -> Vec<Node> {
        let node = |number: usize| Node {
            letter: (u64::from(self.undefined[number]) & asked == 0 && self.faulty != Some(number))
                .then(|| self.letter(number)),
            steps: self.edges[number].clone(),
        };
        (0..self.edges.len()).map(node).collect()
    }

    /// The atoms, for states in some encoding.
    pub fn tests(self: &Arc<Self>, layout: &Layout) -> Vec<Test> {
        let label = |bit: u8| {
            let (model, layout) = (Arc::clone(self), layout.clone());
            Test::custom(move |seen| {
                let number = number(&layout, seen.state);
                if model.undefined[number] >> bit & 1 == 1 {
                    return Err(format!("atom {bit} has no value in {number}"));
                }
                Ok(model.labels[number] >> bit & 1 == 1)
            })
        };
        let enabled = Test::custom(|seen| Ok(seen.actions.contains(&ActionId(1))));
        vec![label(0), label(1), enabled, Test::Deadlock]
    }
}

fn number(layout: &Layout, state: &[Word]) -> usize {
    if layout.slots().is_empty() {
        state[0] as usize
    } else {
        usize::try_from(layout.value(state, NUMBER)).unwrap()
    }
}

/// A model with numbers in so many bits, which may be too few, or in a word.
pub struct Coded {
    model: Arc<Model>,
    pub layout: Layout,
}

impl Coded {
    pub fn new(model: &Arc<Model>, bits: Option<u32>) -> Self {
        let layout = match bits {
            None => Layout::opaque(Records::Fixed(1)),
            Some(bits) => Layout::builder()
                .guarded("number", bits)
                .guarded("filler", 60)
                .build(),
        };
        Self {
            model: Arc::clone(model),
            layout,
        }
    }

    fn push(&self, action: u32, target: usize, out: &mut Steps) {
        let mut state = vec![0; self.layout.width().unwrap()];
        if self.layout.slots().is_empty() {
            state[0] = target as Word;
        } else if self
            .layout
            .set(&mut state, NUMBER, i64::try_from(target).unwrap())
            .is_err()
        {
            return out.fail(Fault::Outgrown { slot: NUMBER });
        }
        out.push(ActionId(action), &state);
    }
}

impl System for Coded {
    fn layout(&self) -> &Layout {
        &self.layout
    }
    fn initial(&self, out: &mut Steps) {
        for &number in &self.model.initial {
            self.push(0, number, out);
        }
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let number = number(&self.layout, state);
        if self.model.faulty == Some(number) {
            let message = "it is broken".to_owned();
            out.fail(Fault::Model {
                action: ActionId(0),
                message,
            });
        }
        for &(action, target) in &self.model.edges[number] {
            self.push(action, target, out);
        }
    }
    fn is_end(&self, state: &[Word]) -> bool {
        self.model.ends[number(&self.layout, state)]
    }
}

impl sweepline_core::Describe for Coded {
    fn actions(&self) -> &[String] {
        &[]
    }
}

/// The same model with other numbers for its states, which change when it begins again. It says that it holds far more than is stored.
#[derive(Clone)]
pub struct Renamed {
    coded: Arc<Coded>,
    /// The state of each number.
    names: Arc<Vec<usize>>,
}

impl Renamed {
    pub fn new(model: &Arc<Model>, bits: u32) -> Self {
        Self {
            names: Arc::new((0..model.edges.len()).rev().collect()),
            coded: Arc::new(Coded::new(model, Some(bits))),
        }
    }

    /// With other numbers, and what has become of the old ones.
    pub fn again(&self) -> (Self, Renumbering) {
        let mut names = self.names.to_vec();
        names.rotate_left(1);
        let again = Self {
            names: Arc::new(names),
            ..self.clone()
        };
        let numbers = self.names.iter().map(|&name| {
            let new = again.names.iter().position(|&other| other == name);
            new.and_then(|new| u32::try_from(new).ok())
        });
        let mut renumbering = Renumbering::default();
        renumbering.add(NUMBER, numbers);
        (again, renumbering)
    }

    /// The state of the model that a state is.
    fn meant(&self, state: &[Word]) -> Vec<Word> {
        let number = number(&self.coded.layout, state);
        self.with_number(state, self.names[number])
    }

    fn with_number(&self, state: &[Word], number: usize) -> Vec<Word> {
        let mut state = state.to_vec();
        let number = i64::try_from(number).unwrap();
        self.coded.layout.set(&mut state, NUMBER, number).unwrap();
        state
    }

    fn by_way_of(&self, out: &mut Steps, ask: impl FnOnce(&Coded, &mut Steps)) {
        let mut steps = Steps::for_layout(&self.coded.layout);
        ask(&self.coded, &mut steps);
        for (at, &action) in steps.actions().iter().enumerate() {
            let name = number(&self.coded.layout, steps.target(at));
            let number = self.names.iter().position(|&other| other == name);
            out.push(action, &self.with_number(steps.target(at), number.unwrap()));
        }
        if let Some(fault) = steps.fault() {
            out.fail(fault.clone());
        }
        out.hold(1 << 30);
    }

    pub fn tests(&self) -> Vec<Test> {
        let tests = self.coded.model.tests(&self.coded.layout).into_iter();
        let renamed = tests.map(|test| match test {
            Test::Deadlock => Test::Deadlock,
            test => {
                let renamed = self.clone();
                Test::custom(move |seen| {
                    let state = &renamed.meant(seen.state);
                    test.eval(Seen { state, ..seen })
                })
            }
        });
        renamed.collect()
    }

    pub fn measure(&self, method: Method) -> RenamedMeasure {
        let inner = Measure {
            model: Arc::clone(&self.coded.model),
            layout: self.coded.layout.clone(),
            method,
        };
        RenamedMeasure(self.clone(), inner)
    }
}

impl System for Renamed {
    fn layout(&self) -> &Layout {
        &self.coded.layout
    }
    fn initial(&self, out: &mut Steps) {
        self.by_way_of(out, System::initial);
    }
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let state = self.meant(state);
        self.by_way_of(out, |coded, steps| coded.successors(&state, steps));
    }
    fn is_end(&self, state: &[Word]) -> bool {
        self.coded.is_end(&self.meant(state))
    }
}

impl sweepline_core::Describe for Renamed {
    fn actions(&self) -> &[String] {
        &[]
    }
}

/// A measure of a model whose states have other numbers.
pub struct RenamedMeasure(Renamed, Measure);

impl Progress for RenamedMeasure {
    fn row_bits(&self) -> u32 {
        self.1.row_bits()
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        self.1.key(&self.0.meant(state))
    }
}

/// Which columns and rows make up the measure.
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

pub struct Measure {
    pub model: Arc<Model>,
    pub layout: Layout,
    pub method: Method,
}

impl Progress for Measure {
    fn row_bits(&self) -> u32 {
        match self.method {
            Method::Full | Method::Columns(_) => 0,
            Method::Rows(_) => 128,
            Method::Both(..) => 8,
        }
    }
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        let number = number(&self.layout, state);
        let column = |which: usize| self.model.columns[which][number].into();
        let row = |which: usize| self.model.rows[which][number].into();
        Ok(match self.method {
            Method::Full => Key(0),
            Method::Columns(which) => Key(column(which)),
            Method::Rows(which) => Key(row(which)),
            Method::Both(a, b) => Key::new(column(a), row(b), 8),
        })
    }
}

/// Random models; columns never decrease along a step.
pub fn models(most: usize) -> impl Strategy<Value = Model> {
    let values = |below: u8, count| prop::collection::vec(0..below, count);
    let flaws = prop_oneof![4 => Just(0_u8), 1 => Just(1), 1 => Just(2)];
    (1..=most, prop::bool::weighted(0.15)).prop_flat_map(move |(count, flawed)| {
        let undefined = if flawed {
            flaws.clone().boxed()
        } else {
            Just(0).boxed()
        };
        let steps = prop::collection::vec((0..3_u32, 0..count), 0..5);
        (
            prop::collection::vec(steps, count),
            (
                prop::collection::vec(any::<bool>(), count),
                prop::collection::vec(undefined, count),
            ),
            prop::collection::vec(0..count, 1..3),
            values(4, count),
            [values(3, count), values(3, count)],
            [values(5, count), values(5, count)],
            prop::option::weighted(0.1, 0..count),
        )
            .prop_map(
                |(mut edges, (ends, undefined), initial, labels, columns, rows, faulty)| {
                    for (source, steps) in edges.iter_mut().enumerate() {
                        steps.retain(|&(_, target)| {
                            columns.iter().all(|of| of[source] <= of[target])
                        });
                    }
                    Model {
                        edges,
                        ends,
                        initial,
                        labels,
                        undefined,
                        columns,
                        rows,
                        faulty,
                    }
                },
            )
    })
}

pub fn methods() -> impl Strategy<Value = Method> {
    prop::sample::select(&METHODS[..])
}
