//! A part of a state space with its edges, on which measures are tried out without generating a step again.

use std::sync::Arc;

use hashbrown::HashMap;
use sweepline_core::{
    AnySystem, Components, Fault, Interner, Key, Limits, Progress, Statistics, Steps, System, Word,
};

use crate::effort::{Effort, Exploring};

/// The states nearest to the initial ones, in the order of their distance.
///
/// States and edges are numbers, so following an edge costs a nanosecond instead of a look-up: trying out a measure
/// takes a fraction of an exploration.
#[derive(Debug, Default)]
pub struct Vicinity {
    states: Interner<Word>,
    /// Where the edges of each state that was expanded end.
    last: Vec<u32>,
    targets: Vec<u32>,
    initial: usize,
    complete: bool,
}

/// Builds a vicinity.
struct Builder<'s> {
    system: &'s Arc<dyn AnySystem>,
    vicinity: Vicinity,
    steps: Steps,
    /// States to expand at most. Those that are met later have no number.
    most: usize,
    /// Whether there are any.
    beyond: bool,
}

/// No state.
const NONE: u32 = u32::MAX;
/// Edges that are kept at most.
const MOST_EDGES: usize = 250_000;
/// What a state and an edge cost in a sweep, in nanoseconds, or about that.
const STATE_WORK: usize = 80;
const EDGE_WORK: usize = 8;
/// What a vicinity may cost.
const MOST_WORK: u64 = 32 << 20;

impl Vicinity {
    /// Explores a system up to a number of expansions. If its encoding is too narrow it is replaced by a wider one.
    pub fn of(system: &mut Arc<dyn AnySystem>, most: u64, limits: &Limits) -> Self {
        Self::by(system, (most, u64::MAX), &mut Effort::new(limits))
    }

    /// The same by an effort that is counted, up to a number of expansions and of the work they take.
    pub(crate) fn by(
        system: &mut Arc<dyn AnySystem>,
        (most, most_work): (u64, u64),
        effort: &mut Effort,
    ) -> Self {
        let most = most.min(effort.limits().states.unwrap_or(u64::MAX));
        loop {
            match Builder::new(system, most, effort).build(most_work.min(MOST_WORK), effort) {
                Ok(vicinity) => return vicinity,
                Err(wider) => *system = wider,
            }
        }
    }

    /// The bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.states.bytes() + size_of::<u32>() * (self.last.capacity() + self.targets.capacity())
    }

    /// How many states there are in all, if these are all of them.
    pub fn states(&self) -> Option<u64> {
        self.complete.then_some(self.last.len() as u64)
    }

    /// How many states were expanded.
    pub fn len(&self) -> usize {
        self.last.len()
    }

    /// Whether nothing was expanded.
    pub fn is_empty(&self) -> bool {
        self.last.is_empty()
    }

    fn edges(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.last[before]);
        &self.targets[start as usize..self.last[number] as usize]
    }

    /// The share of the states that can all reach each other: what any measure stores at least that never decreases.
    #[expect(clippy::cast_precision_loss, reason = "a share with a few digits")]
    pub(crate) fn largest_component(&self) -> f64 {
        let known = self.len();
        // What was not expanded leads nowhere, as far as is known: it is one node more.
        let target = |node: usize, edge: usize| {
            let node = u32::try_from(node)
                .ok()
                .filter(|&node| (node as usize) < known)?;
            let target = *self.edges(node).get(edge)?;
            Some(known.min(target as usize))
        };
        let components = Components::of_graph(known + 1, target);
        components.largest() as f64 / self.len().max(1) as f64
    }

    /// What a step of an exploration costs on average, in nanoseconds, or about that.
    #[expect(clippy::cast_precision_loss, reason = "an average")]
    pub(crate) fn step_work(&self, exploring: Exploring) -> f64 {
        let statistics = Statistics {
            explored: self.len() as u64,
            edges: self.targets.len() as u64,
            ..Statistics::default()
        };
        exploring.work(&statistics) as f64 / self.targets.len().max(1) as f64
    }

    /// How many sweeps through so many states take so much work at most, but one at least.
    pub(crate) fn runs_within(&self, work: u64, states: usize) -> usize {
        let edges = self.targets.len() / self.len().max(1);
        let each = states * (STATE_WORK + edges * EDGE_WORK);
        let runs = work / each.max(1) as u64;
        usize::try_from(runs).unwrap_or(usize::MAX).max(1)
    }

    /// A sweep through the first states; nothing if the measure has no value somewhere, or if a column decreases.
    pub fn sweep(&self, measure: &impl Progress, states: usize, most: Most) -> Option<Outcome> {
        Trial::new(self, measure, states.min(self.len()))?.run(most)
    }
}

/// When to give up a sweep.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Expansions.
    pub explored: u64,
    /// States stored at a time.
    pub stored: u64,
}

impl Most {
    /// Never.
    pub const UNLIMITED: Self = Self {
        explored: u64::MAX,
        stored: u64::MAX,
    };
}

/// How a measure did in a part of a state space.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// States of the part.
    pub states: usize,
    /// States of the largest layer.
    pub largest: usize,
    /// The figures of the sweep.
    pub statistics: Statistics,
}

#[expect(clippy::cast_precision_loss, reason = "shares with a few digits")]
impl Outcome {
    /// The largest share of the states stored at a time.
    pub fn peak(&self) -> f64 {
        self.statistics.peak_states as f64 / self.states.max(1) as f64
    }

    /// How often each state was explored on average.
    pub fn again(&self) -> f64 {
        self.statistics.explored as f64 / self.states.max(1) as f64
    }

    /// The share of the states that were made persistent.
    pub fn persistent(&self) -> f64 {
        self.statistics.persistent as f64 / self.states.max(1) as f64
    }

    /// The share of the steps that lose progress.
    pub fn regress(&self) -> f64 {
        self.statistics.regress_edges as f64 / self.statistics.edges.max(1) as f64
    }

    /// The share of the states in the largest layer.
    pub fn largest_layer(&self) -> f64 {
        self.largest as f64 / self.states.max(1) as f64
    }

    /// Whether a layer has a few states only: then opening and closing layers takes more time than anything else.
    pub fn has_tiny_layers(&self) -> bool {
        self.statistics.layers as f64 * 8.0 > self.states as f64
    }
}

impl<'s> Builder<'s> {
    fn new(system: &'s Arc<dyn AnySystem>, most: u64, effort: &Effort) -> Self {
        Self {
            most: usize::try_from(most).unwrap_or(usize::MAX),
            beyond: false,
            steps: effort.steps_of(system),
            system,
            vicinity: Vicinity::default(),
        }
    }

    fn build(
        mut self,
        most_work: u64,
        effort: &mut Effort,
    ) -> Result<Vicinity, Arc<dyn AnySystem>> {
        self.system.initial(&mut self.steps);
        if self.has_failed(effort)? {
            return Ok(self.vicinity);
        }
        for step in 0..self.steps.len() {
            self.number(step);
        }
        self.vicinity.initial = self.vicinity.states.len();
        let (mut next, end) = (0, effort.work() + most_work);
        while next < self.vicinity.states.len() {
            if self.vicinity.targets.len() >= MOST_EDGES
                || effort.work() >= end
                || !effort.goes_on(self.vicinity.bytes())
            {
                return Ok(self.vicinity);
            }
            self.steps.clear();
            self.system
                .successors(self.vicinity.states.get(next), &mut self.steps);
            effort.expanded(self.system, &self.steps);
            if self.has_failed(effort)? || self.steps.len() > MOST_EDGES {
                return Ok(self.vicinity);
            }
            for step in 0..self.steps.len() {
                let target = self.number(step);
                self.vicinity.targets.push(target);
            }
            let last = u32::try_from(self.vicinity.targets.len()).expect("the edges are few");
            self.vicinity.last.push(last);
            next += 1;
        }
        self.vicinity.complete = !self.beyond;
        Ok(self.vicinity)
    }

    /// Whether steps could not be generated. A wider encoding is an error: everything begins again in it, unless that
    /// has happened often enough.
    fn has_failed(&self, effort: &Effort) -> Result<bool, Arc<dyn AnySystem>> {
        match self.steps.fault() {
            None => Ok(false),
            Some(Fault::Outgrown { slot }) if effort.begins_again() => {
                self.system.widened(*slot).map_or(Ok(true), Err)
            }
            Some(_) => Ok(true),
        }
    }

    /// The number of the target of a step.
    fn number(&mut self, step: usize) -> u32 {
        let states = &mut self.vicinity.states;
        let number = states.number_within(self.steps.target(step), self.most);
        self.beyond |= number.is_none();
        number.map_or(NONE, |number| {
            u32::try_from(number).expect("the states are few")
        })
    }
}

/// The layer of each state, numbered as they are met, and the keys of the layers.
fn layers_of(
    vicinity: &Vicinity,
    measure: &impl Progress,
    states: usize,
) -> Option<(Vec<u32>, Vec<Key>)> {
    let (mut keys, mut numbers) = (Vec::new(), HashMap::new());
    let mut last = None;
    let mut layer = |state: usize| {
        let key = measure.key(vicinity.states.get(state)).ok()?;
        if let Some((known, number)) = last
            && known == key
        {
            return Some(number);
        }
        let number = *numbers.entry(key).or_insert_with(|| {
            keys.push(key);
            u32::try_from(keys.len() - 1).expect("layers are few")
        });
        last = Some((key, number));
        Some(number)
    };
    let layers = (0..states).map(&mut layer).collect::<Option<_>>()?;
    Some((layers, keys))
}

/// A sweep through a vicinity: the loop of `sweepline_explore::Sweep` on numbers.
struct Trial<'g> {
    vicinity: &'g Vicinity,
    /// The layer of each state, by its position in the order of keys, and above it what is known of the state.
    states: Vec<u32>,
    /// The column of each layer.
    columns: Vec<u32>,
    /// The first state of each layer of the front; the others follow by `next`.
    front: Vec<u32>,
    next: Vec<u32>,
    /// Whether each layer was opened.
    opened: Vec<bool>,
    stored: u64,
    persistent: Vec<u32>,
    largest: usize,
    statistics: Statistics,
}

/// Bits above the layer of a state: it is in the front or in the open layer; it is persistent.
const STORED: u32 = 1 << 30;
const PERSISTENT: u32 = 1 << 31;
const LAYER: u32 = STORED - 1;

impl<'g> Trial<'g> {
    fn new(vicinity: &'g Vicinity, measure: &impl Progress, states: usize) -> Option<Self> {
        let (mut layers, keys) = layers_of(vicinity, measure, states)?;
        let mut order: Vec<u32> = (0..u32::try_from(keys.len()).ok()?).collect();
        order.sort_unstable_by_key(|&layer| keys[layer as usize]);
        let mut places = vec![0; keys.len()];
        let mut columns: Vec<u32> = Vec::with_capacity(keys.len());
        let column = |layer: u32| keys[layer as usize].column(measure.row_bits());
        for (place, &layer) in (0..).zip(&order) {
            places[layer as usize] = place;
            let same = place > 0 && column(order[place as usize - 1]) == column(layer);
            columns.push(columns.last().map_or(0, |last| last + u32::from(!same)));
        }
        let mut sizes = vec![0; keys.len()];
        for layer in &mut layers {
            *layer = places[*layer as usize];
            sizes[*layer as usize] += 1;
        }
        Some(Self {
            vicinity,
            front: vec![NONE; columns.len()],
            opened: vec![false; columns.len()],
            next: vec![NONE; states],
            states: layers,
            columns,
            stored: 0,
            persistent: Vec::new(),
            largest: sizes.into_iter().max().unwrap_or(0),
            statistics: Statistics::default(),
        })
    }

    fn run(mut self, most: Most) -> Option<Outcome> {
        for state in 0..self.vicinity.initial.min(self.states.len()) {
            self.put_ahead(u32::try_from(state).expect("states are few"));
        }
        let mut first = 0;
        while first < self.columns.len() {
            let column = self.columns[first];
            let end = first + self.columns[first..].partition_point(|&other| other == column);
            if !self.sweep_column(first, end, most)? {
                return Some(self.outcome());
            }
            first = end;
        }
        self.statistics.complete = true;
        Some(self.outcome())
    }

    fn outcome(self) -> Outcome {
        Outcome {
            states: self.states.len(),
            largest: self.largest,
            statistics: self.statistics,
        }
    }

    /// Sweeps through the layers of a column until nothing new is found behind the line; false if that takes too long.
    fn sweep_column(&mut self, first: usize, end: usize, most: Most) -> Option<bool> {
        let (mut from, mut sweeps) = (first, 0);
        let mut roots: Vec<u32> = Vec::new();
        loop {
            let known = self.persistent.len();
            sweeps += 1;
            for layer in from..end {
                let has_root = roots.last().is_some_and(|root| self.layer(*root) == layer);
                if has_root || self.front[layer] != NONE {
                    self.open(layer, &mut roots)?;
                }
                let Statistics {
                    explored,
                    peak_states,
                    ..
                } = self.statistics;
                if explored > most.explored || peak_states > most.stored {
                    return Some(false);
                }
            }
            roots.extend_from_slice(&self.persistent[known..]);
            // The lowest last, where it is taken from.
            roots.sort_unstable_by_key(|root| std::cmp::Reverse(self.layer(*root)));
            let Some(&lowest) = roots.last() else { break };
            self.statistics.repeated = true;
            from = self.layer(lowest);
        }
        let statistics = &mut self.statistics;
        let was_visited = self.opened[first..end].contains(&true);
        statistics.columns += u64::from(was_visited);
        statistics.column_sweeps += if was_visited { sweeps } else { 0 };
        statistics.sweeps = statistics.sweeps.max(sweeps);
        for state in self.persistent.drain(..) {
            self.states[state as usize] &= LAYER;
            self.stored -= 1;
        }
        Some(true)
    }

    fn layer(&self, state: u32) -> usize {
        (self.states[state as usize] & LAYER) as usize
    }

    /// Explores a layer to its closure and forgets it.
    fn open(&mut self, layer: usize, roots: &mut Vec<u32>) -> Option<()> {
        if !std::mem::replace(&mut self.opened[layer], true) {
            self.statistics.layers += 1;
        }
        while let Some(&root) = roots.last()
            && self.layer(root) == layer
        {
            roots.pop();
            self.expand(root, layer)?;
        }
        // What is reached in this layer is put before the rest of its list.
        let mut done = NONE;
        while self.front[layer] != NONE {
            let state = self.front[layer];
            self.front[layer] = self.next[state as usize];
            self.next[state as usize] = done;
            done = state;
            self.expand(state, layer)?;
        }
        self.statistics.peak_states = self.statistics.peak_states.max(self.stored);
        while done != NONE {
            self.states[done as usize] &= LAYER;
            self.stored -= 1;
            done = self.next[done as usize];
        }
        Some(())
    }

    fn expand(&mut self, state: u32, layer: usize) -> Option<()> {
        self.statistics.explored += 1;
        let vicinity = self.vicinity;
        for &target in vicinity.edges(state) {
            let Some(&known) = self.states.get(target as usize) else {
                continue; // beyond this part of the state space
            };
            self.statistics.edges += 1;
            let other = (known & LAYER) as usize;
            if other < layer {
                if self.columns[other] < self.columns[layer] {
                    return None;
                }
                self.statistics.regress_edges += 1;
                if known & PERSISTENT == 0 {
                    self.states[target as usize] |= PERSISTENT;
                    self.persistent.push(target);
                    self.statistics.persistent += 1;
                    self.stored += 1;
                }
            } else if known & (STORED | PERSISTENT) == 0 {
                self.put_ahead(target);
            }
        }
        Some(())
    }

    /// Puts a state that is not known into the front, or into the open layer.
    fn put_ahead(&mut self, state: u32) {
        let layer = self.layer(state);
        self.states[state as usize] |= STORED;
        self.stored += 1;
        self.next[state as usize] = self.front[layer];
        self.front[layer] = state;
    }
}
