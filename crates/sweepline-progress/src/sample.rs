//! Samples of a state space: random walks, and all steps of the states they visit.

use std::collections::HashMap;
use std::rc::Rc;

use sweepline_core::{ActionId, Fault, Progress, Steps, System, Widen, Word};

/// States seen on random walks, with all their steps.
#[derive(Debug, Default)]
pub struct Sample {
    states: Vec<Box<[Word]>>,
    /// Source, action and target, as indices of states.
    edges: Vec<(u32, ActionId, u32)>,
    /// How many of the states were expanded; the others are only targets.
    expanded: usize,
}

/// What a sample says about a measure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prediction {
    /// States in the sample.
    pub states: usize,
    /// Different values seen.
    pub layers: usize,
    /// The largest part of the states with the same value.
    pub largest_layer: f64,
    /// The largest part of the states stored at a time: reached by then and not passed yet.
    pub peak: f64,
    /// The part of the steps that lose progress.
    pub regress: f64,
}

/// States to expand, steps of a walk, and the most states to keep.
const EXPANSIONS: usize = 3000;
const WALK: usize = 400;
const MOST_STATES: usize = 30_000;

impl Sample {
    /// Walks through a system. If its encoding is too narrow it is replaced by a wider one.
    pub fn take(system: &mut Rc<dyn Widen>) -> Self {
        loop {
            match Self::walk(system) {
                Ok(sample) => return sample,
                Err(wider) => *system = wider,
            }
        }
    }

    fn walk(system: &Rc<dyn Widen>) -> Result<Self, Rc<dyn Widen>> {
        let mut sample = Self::default();
        let mut numbers: HashMap<Box<[Word]>, u32> = HashMap::new();
        let mut expanded: HashMap<u32, std::ops::Range<usize>> = HashMap::new();
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut steps = Steps::for_layout(system.layout());
        system.initial(&mut steps);
        let initial: Vec<Box<[Word]>> = (0..steps.len()).map(|i| steps.target(i).into()).collect();
        if initial.is_empty() {
            return Ok(sample);
        }
        let mut visits = 0;
        while visits < 4 * EXPANSIONS
            && expanded.len() < EXPANSIONS
            && sample.states.len() < MOST_STATES
        {
            let mut state = sample.number(&initial[random.below(initial.len())], &mut numbers);
            for _ in 0..WALK {
                visits += 1;
                if !expanded.contains_key(&state) {
                    let first = sample.edges.len();
                    sample.expand(system, state, &mut steps, &mut numbers)?;
                    expanded.insert(state, first..sample.edges.len());
                }
                let own = &expanded[&state];
                if own.is_empty() || expanded.len() >= EXPANSIONS {
                    break;
                }
                state = sample.edges[own.start + random.below(own.len())].2;
            }
        }
        sample.expanded = expanded.len();
        Ok(sample)
    }

    fn number(&mut self, state: &[Word], numbers: &mut HashMap<Box<[Word]>, u32>) -> u32 {
        if let Some(&number) = numbers.get(state) {
            return number;
        }
        let number = u32::try_from(self.states.len()).expect("a sample is small");
        self.states.push(state.into());
        numbers.insert(state.into(), number);
        number
    }

    fn expand(
        &mut self,
        system: &Rc<dyn Widen>,
        source: u32,
        steps: &mut Steps,
        numbers: &mut HashMap<Box<[Word]>, u32>,
    ) -> Result<(), Rc<dyn Widen>> {
        steps.clear();
        system.successors(&self.states[source as usize], steps);
        if let Some(Fault::Outgrown { slot }) = steps.fault()
            && let Some(wider) = system.widened(*slot)
        {
            return Err(wider);
        }
        for index in 0..steps.len() {
            let target = self.number(steps.target(index), numbers);
            self.edges.push((source, steps.actions()[index], target));
        }
        Ok(())
    }

    /// How often each action was seen.
    pub fn frequencies(&self, actions: usize) -> Vec<f64> {
        let mut counts = vec![0.0; actions];
        for (_, action, _) in &self.edges {
            if let Some(count) = counts.get_mut(action.0 as usize) {
                *count += 1.0;
            }
        }
        counts
    }

    /// What to expect of a measure, or nothing if it has no value somewhere.
    ///
    /// A state is stored from the moment it is reached from the lowest of its predecessors until the line has passed
    /// it. How many of the states of the sample are stored at the same time tells what share of all states will be.
    pub fn predict(&self, measure: &impl Progress) -> Option<Prediction> {
        let keys = self.states.iter().map(|state| measure.key(state).ok());
        let keys: Vec<_> = keys.collect::<Option<_>>()?;
        let mut from = keys.clone();
        let mut regress = 0;
        for (source, _, target) in &self.edges {
            let (source, target) = (*source as usize, *target as usize);
            from[target] = from[target].min(keys[source]);
            regress += usize::from(keys[target] < keys[source]);
        }
        let mut order: Vec<_> = keys.clone();
        order.sort_unstable();
        let largest = order
            .chunk_by(|a, b| a == b)
            .map(<[_]>::len)
            .max()
            .unwrap_or(0);
        order.dedup();
        let mut events: Vec<_> = from.iter().map(|&key| (key, false)).collect();
        events.extend(keys.iter().map(|&key| (key, true)));
        // At the same value, states arrive before others are passed.
        events.sort_unstable();
        let (mut stored, mut peak) = (0_usize, 0);
        for (_, passed) in events {
            if passed {
                stored -= 1;
            } else {
                stored += 1;
                peak = peak.max(stored);
            }
        }
        Some(Prediction {
            states: keys.len(),
            layers: order.len(),
            largest_layer: share(largest, keys.len()),
            peak: share(peak, keys.len()),
            regress: share(regress, self.edges.len()),
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share of a small sample")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Marsaglia's xorshift: a few lines, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).expect("it is below a usize")
    }
}
