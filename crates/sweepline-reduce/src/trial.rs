//! What aims leave out, found out on a few states.

use std::collections::HashSet;
use std::sync::Arc;

use sweepline_core::{AnySystem, Limits, Steps, System, Word};

use crate::aim::Aim;
use crate::stubborn::Stubborn;

/// States that are looked at to choose a cut.
const LOOKED_AT: usize = 2000;
/// States that are explored at most to choose an order.
pub(crate) const EXPLORED: usize = 25_000;
/// Actions that closures look at in a trial at most. With hundreds of processes a state takes as long as a thousand others, and where
/// closures are so large little is left out.
const VISITED: u64 = 1 << 25;

/// Walks through states that an aim leaves and counts, for each action of the system, how many steps more another aim takes where the
/// first one takes that action.
pub(crate) fn more_steps(
    one: Aim,
    other: Aim,
    system: &Arc<dyn AnySystem>,
    limits: &Limits,
) -> Vec<u64> {
    let mut more = vec![0; one.actions()];
    let one = Stubborn::new(Arc::clone(system), Arc::new(one));
    let other = Stubborn::new(Arc::clone(system), Arc::new(other));
    let mut others = Steps::for_a_look(system.layout());
    let mut walk = Walk::new(&one, LOOKED_AT);
    while let Some((state, taken)) = walk.next(&one, limits) {
        others.clear();
        other.successors(&state, &mut others);
        let added = others.len().saturating_sub(taken.len());
        let mut actions: Vec<usize> = taken.actions().iter().map(|it| it.0 as usize).collect();
        actions.sort_unstable();
        actions.dedup();
        for action in actions {
            if let Some(sum) = more.get_mut(action) {
                *sum += added as u64;
            }
        }
    }
    more
}

/// How many states an aim leaves, if they are no more than `most`, they do not take too long and nothing goes wrong.
pub(crate) fn states_left(
    aim: &Arc<Aim>,
    system: &Arc<dyn AnySystem>,
    most: usize,
    limits: &Limits,
) -> Option<usize> {
    let stubborn = Stubborn::new(Arc::clone(system), Arc::clone(aim));
    let mut walk = Walk::new(&stubborn, most);
    while let Some((_, steps)) = walk.next(&stubborn, limits) {
        if steps.fault().is_some() {
            return None;
        }
    }
    walk.waiting.is_empty().then_some(walk.known.len())
}

/// A walk through some states. Those that wait are taken in an order that is neither that of the first nor that of the last, so that the
/// sample is not from the neighbourhood of the initial state alone; but always in the same one.
struct Walk {
    known: HashSet<Vec<Word>>,
    waiting: Vec<Vec<Word>>,
    steps: Steps,
    left: usize,
    chance: u64,
}

impl Walk {
    /// A walk through so many states.
    fn new(system: &dyn System, left: usize) -> Self {
        let mut walk = Self {
            known: HashSet::new(),
            waiting: Vec::new(),
            steps: Steps::for_a_look(system.layout()),
            left,
            chance: 0,
        };
        system.initial(&mut walk.steps);
        walk.take_in();
        walk
    }

    fn take_in(&mut self) {
        for index in 0..self.steps.len() {
            let target = self.steps.target(index);
            if !self.known.contains(target) {
                self.known.insert(target.to_vec());
                self.waiting.push(target.to_vec());
            }
        }
    }

    /// A state and its steps. Nothing if there are no more, or the trial has taken long enough.
    fn next(&mut self, system: &Stubborn, limits: &Limits) -> Option<(Vec<Word>, &Steps)> {
        let long = system.effort().visited > VISITED || limits.allow(0).is_err();
        if self.left == 0 || self.waiting.is_empty() || long {
            return None;
        }
        self.left -= 1;
        // Knuth's linear congruential generator; its upper bits are those that look random.
        let next = self.chance.wrapping_mul(6_364_136_223_846_793_005);
        self.chance = next.wrapping_add(1_442_695_040_888_963_407);
        let index = (self.chance >> 33) % self.waiting.len() as u64;
        let index = usize::try_from(index).expect("it is an index");
        let state = self.waiting.swap_remove(index);
        self.steps.clear();
        system.successors(&state, &mut self.steps);
        self.take_in();
        Some((state, &self.steps))
    }
}
