//! Samples of a state space: random walks, and all steps of the states they visit.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashMap;
use sweepline_core::{
    ActionId, AnySystem, Fault, Interner, Key, Layout, Limits, Progress, Slot, SlotId, Steps,
    System, Word,
};

use crate::effort::Effort;

/// States seen on random walks, with all their steps.
#[derive(Debug, Default)]
pub struct Sample {
    states: Interner<Word>,
    /// Source, action and target, as indices of states.
    edges: Vec<(u32, ActionId, u32)>,
}

/// Takes a sample.
struct Walker<'s, 'e, 'l> {
    system: &'s Arc<dyn AnySystem>,
    effort: &'e mut Effort<'l>,
    sample: Sample,
    /// The edges of the states that were expanded; the others are only targets.
    expanded: HashMap<u32, Range<usize>>,
    steps: Steps,
    random: Random,
    /// The work after which it ends.
    end: u64,
    /// Whether it must end here.
    ends: bool,
}

impl<'s, 'e, 'l> Walker<'s, 'e, 'l> {
    fn new(system: &'s Arc<dyn AnySystem>, most_work: u64, effort: &'e mut Effort<'l>) -> Self {
        Self {
            end: effort.work() + most_work.min(MOST_WORK),
            steps: effort.steps_of(system),
            effort,
            ends: false,
            system,
            sample: Sample::default(),
            expanded: HashMap::new(),
            random: Random(0x9e37_79b9_7f4a_7c15),
        }
    }

    fn initial(&mut self) -> Result<Vec<u32>, Arc<dyn AnySystem>> {
        self.system.initial(&mut self.steps);
        self.check_width()?;
        let numbers = (0..self.steps.len()).map(|index| self.number(index));
        Ok(numbers.collect())
    }

    /// If the encoding is too narrow for the last steps, a wider one. If that has happened often enough, there are no
    /// steps: the walk ends there.
    fn check_width(&mut self) -> Result<(), Arc<dyn AnySystem>> {
        let Some(Fault::Outgrown { slot }) = self.steps.fault() else {
            return Ok(());
        };
        if self.effort.begins_again() {
            return self.system.widened(*slot).map_or(Ok(()), Err);
        }
        self.steps.clear();
        Ok(())
    }

    fn has_enough(&self) -> bool {
        self.ends
            || self.effort.work() >= self.end
            || self.expanded.len() >= EXPANSIONS
            || self.sample.states.len() >= MOST_STATES
    }

    /// The index of the target of a step.
    fn number(&mut self, step: usize) -> u32 {
        let state = self.steps.target(step);
        u32::try_from(self.sample.states.number(state)).expect("the states are few")
    }

    /// A random successor of a state, if there is one.
    fn step(&mut self, state: u32) -> Result<Option<u32>, Arc<dyn AnySystem>> {
        let own = match self.expanded.get(&state) {
            Some(own) => own.clone(),
            None => self.expand(state)?,
        };
        let next = |random: &mut Random| own.start + random.below(own.len());
        Ok((!own.is_empty()).then(|| self.sample.edges[next(&mut self.random)].2))
    }

    fn expand(&mut self, source: u32) -> Result<Range<usize>, Arc<dyn AnySystem>> {
        if !self.effort.goes_on(self.sample.bytes()) {
            self.ends = true;
            return Ok(0..0);
        }
        self.steps.clear();
        let state = self.sample.states.get(source as usize);
        self.system.successors(state, &mut self.steps);
        self.effort.expanded(self.system, &self.steps);
        self.check_width()?;
        let first = self.sample.edges.len();
        for index in 0..self.steps.len().min(MOST_STATES) {
            let target = self.number(index);
            let action = self.steps.actions()[index];
            self.sample.edges.push((source, action, target));
        }
        let own = first..self.sample.edges.len();
        self.expanded.insert(source, own.clone());
        Ok(own)
    }
}

/// How a slot was seen to change.
#[derive(Clone, Debug)]
pub struct SlotChanges {
    /// The slot.
    pub slot: SlotId,
    /// The share of the steps that raise it.
    pub rises: f64,
    /// The share of the steps that lower it.
    pub falls: f64,
    /// The share of the states reached that have its most frequent value.
    pub most_frequent: f64,
}

/// States to expand, steps of a walk, and the most states to keep.
const EXPANSIONS: usize = 3000;
const WALK: usize = 400;
const MOST_STATES: usize = 30_000;
/// What a sample may cost.
const MOST_WORK: u64 = 16 << 20;
/// Edges that tell enough of so many slots; fewer are looked at if there are more of those.
const SOME_EDGES: usize = 5000;
const FEW_SLOTS: usize = 200;

impl Sample {
    /// Walks through a system. If its encoding is too narrow it is replaced by a wider one.
    pub fn take(system: &mut Arc<dyn AnySystem>, limits: &Limits) -> Self {
        Self::by(system, u64::MAX, &mut Effort::new(limits))
    }

    /// The same by an effort that is counted, and so much of it at most.
    pub(crate) fn by(system: &mut Arc<dyn AnySystem>, most_work: u64, effort: &mut Effort) -> Self {
        loop {
            match Self::walk(Walker::new(system, most_work, effort)) {
                Ok(sample) => return sample,
                Err(wider) => *system = wider,
            }
        }
    }

    /// How many states were seen.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.states.bytes() + size_of::<(u32, ActionId, u32)>() * self.edges.capacity()
    }

    fn walk(mut walker: Walker) -> Result<Self, Arc<dyn AnySystem>> {
        let initial = walker.initial()?;
        let mut visits = 0;
        while !initial.is_empty() && visits < 4 * EXPANSIONS && !walker.has_enough() {
            let mut state = initial[walker.random.below(initial.len())];
            for _ in 0..WALK {
                visits += 1;
                match walker.step(state)? {
                    Some(next) if !walker.has_enough() => state = next,
                    _ => break,
                }
            }
        }
        Ok(walker.sample)
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

    /// The largest share of the states stored at a time, or nothing if the measure has no value somewhere.
    ///
    /// A state is stored from the moment it is reached from the lowest of its predecessors until the line has passed
    /// it. How many of the states of the sample are stored at the same time tells what share of all states will be.
    pub fn peak(&self, measure: &impl Progress) -> Option<f64> {
        let keys = self.keys(measure)?;
        let mut from = keys.clone();
        for (source, _, target) in &self.edges {
            let (source, target) = (*source as usize, *target as usize);
            from[target] = from[target].min(keys[source]);
        }
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
        Some(share(peak, keys.len()))
    }

    /// The share of the steps that lose progress, or nothing if the measure has no value somewhere.
    pub fn regress(&self, measure: &impl Progress) -> Option<f64> {
        let keys = self.keys(measure)?;
        let falls = |edge: &&(u32, ActionId, u32)| keys[edge.2 as usize] < keys[edge.0 as usize];
        let falls = self.edges.iter().filter(falls).count();
        Some(share(falls, self.edges.len()))
    }

    fn keys(&self, measure: &impl Progress) -> Option<Vec<Key>> {
        let keys = self.states.iter().map(|state| measure.key(state).ok());
        keys.collect()
    }

    /// Which values of a slot follow others, each by how much it exceeds the least.
    pub fn value_steps(&self, slot: &Slot) -> BTreeSet<(usize, usize)> {
        let value = |number: u32| {
            let value = slot.read(self.states.get(number as usize));
            usize::try_from(value - slot.least).unwrap_or(usize::MAX)
        };
        let steps = self.edges.iter();
        let steps = steps.map(|&(source, _, target)| (value(source), value(target)));
        steps.filter(|(before, after)| before != after).collect()
    }

    /// How the slots of a layout change that do.
    pub fn slot_changes(&self, layout: &Layout) -> Vec<SlotChanges> {
        let enough = SOME_EDGES * FEW_SLOTS / layout.slots().len().max(FEW_SLOTS);
        let some = self.edges.len().div_ceil(enough.max(1)).max(1);
        let edges: Vec<_> = self.edges.iter().step_by(some).collect();
        let state = |number: u32| self.states.get(number as usize);
        let changes = layout.iter().map(|(slot, place)| {
            let (mut rises, mut falls) = (0, 0);
            let mut values = Vec::with_capacity(edges.len());
            for (source, _, target) in &edges {
                let (before, after) = (place.read(state(*source)), place.read(state(*target)));
                rises += usize::from(after > before);
                falls += usize::from(after < before);
                values.push(after);
            }
            values.sort_unstable();
            let same = values.chunk_by(|a, b| a == b).map(<[_]>::len);
            SlotChanges {
                slot,
                rises: share(rises, edges.len()),
                falls: share(falls, edges.len()),
                most_frequent: share(same.max().unwrap_or(0), edges.len()),
            }
        });
        changes
            .filter(|slot| slot.rises > 0.0 || slot.falls > 0.0)
            .collect()
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
