//! Deleting actions from the set of all of them, as long as the rest is stubborn.
//!
//! The set of all actions is stubborn. Taking one out takes out others: enabled ones that do not accord with it, and disabled ones
//! none of whose false conjuncts has its whole necessary enabling set in the set any more. If nothing goes that must stay, they are
//! out for good; otherwise they come back. This is tried for every enabled action \[Val98, Sect. 7\].
//!
//! It takes longer than closing small sets, and now and then it leaves much less of a net.

use crate::bits::{Bits, Rows, numbers};
use crate::lists::Lists;
use crate::tables::{Tables, number};

/// The tables the other way round.
#[derive(Debug, Default)]
pub(crate) struct Reverse {
    /// The conjuncts that an action can make true.
    enables: Rows,
    /// The conjuncts that guard an action.
    guards: Rows,
    /// The actions that a conjunct guards.
    guarded: Rows,
}

impl Reverse {
    pub(crate) fn new(tables: &Tables, guarded: &Lists) -> Self {
        let mut enables = vec![Vec::new(); tables.actions()];
        for conjunct in 0..number(tables.conjuncts()) {
            for &action in tables.enabling.get(conjunct) {
                enables[action as usize].push(conjunct);
            }
        }
        Self {
            enables: Rows::of(&enables.into_iter().collect()),
            guards: Rows::of(&tables.guards),
            guarded: Rows::of(guarded),
        }
    }
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct Deletion {
    gone: Gone,
    /// What had gone before the last trial.
    before: Gone,
    queue: Vec<u32>,
    pub(crate) visited: u64,
}

/// What has gone.
#[derive(Debug, Default)]
struct Gone {
    actions: Vec<u64>,
    /// False conjuncts that have lost someone of their enabling set.
    conjuncts: Vec<u64>,
}

impl Gone {
    fn clear(&mut self, actions: usize, conjuncts: usize) {
        self.actions.clear();
        self.actions.resize(actions, 0);
        self.conjuncts.clear();
        self.conjuncts.resize(conjuncts, 0);
    }

    fn copy_from(&mut self, other: &Self) {
        self.actions.copy_from_slice(&other.actions);
        self.conjuncts.copy_from_slice(&other.conjuncts);
    }
}

/// What must stay.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    pub(crate) enabled: &'a Bits,
    /// Actions that are not taken out.
    pub(crate) required: &'a Bits,
    /// How many enabled actions are left at least.
    pub(crate) least: usize,
}

/// What decides who goes with whom.
#[derive(Clone, Copy)]
pub(crate) struct Ties<'a> {
    pub(crate) conflicts: &'a Rows,
    pub(crate) reverse: &'a Reverse,
    /// The conjuncts that do not hold.
    pub(crate) fails: &'a [u64],
}

impl Deletion {
    /// Takes out as many of these enabled actions as possible, one after the other, and leaves the others in `left`.
    pub(crate) fn run(&mut self, ties: Ties<'_>, kept: Kept<'_>, seeds: &[u32], left: &mut Bits) {
        let (actions, conjuncts) = (kept.enabled.words().len(), ties.fails.len());
        self.gone.clear(actions, conjuncts);
        self.before.clear(actions, conjuncts);
        let mut count = seeds.len();
        for &seed in seeds {
            let (word, bit) = (seed as usize / 64, 1 << (seed % 64));
            if self.gone.actions[word] & bit != 0 {
                continue;
            }
            self.gone.actions[word] |= bit;
            self.queue.clear();
            self.queue.push(seed);
            if let Some(fewer) = self.take_out(ties, kept, count) {
                count = fewer;
                self.before.copy_from(&self.gone);
            } else {
                self.gone.copy_from(&self.before);
            }
        }
        left.keep_others(kept.enabled, &self.gone.actions);
    }

    /// Takes out those in the queue with all that must go with them. Says how many enabled ones are left, or nothing if one must stay.
    fn take_out(&mut self, ties: Ties<'_>, kept: Kept<'_>, mut count: usize) -> Option<usize> {
        while let Some(action) = self.queue.pop() {
            self.visited += 1;
            if kept.required.contains(action) {
                return None;
            }
            if kept.enabled.contains(action) {
                count -= 1;
                if count < kept.least {
                    return None;
                }
            }
            for &(index, bits) in ties.conflicts.get(action) {
                let gone = &mut self.gone.actions[index as usize];
                let new = bits & kept.enabled.word(index) & !*gone;
                *gone |= new;
                self.queue.extend(numbers(index, new));
            }
            for &(index, bits) in ties.reverse.enables.get(action) {
                let gone = &mut self.gone.conjuncts[index as usize];
                let new = bits & ties.fails[index as usize] & !*gone;
                *gone |= new;
                for conjunct in numbers(index, new) {
                    self.release(ties, kept, conjunct);
                }
            }
        }
        Some(count)
    }

    /// A false conjunct has lost someone: whoever has no other is not held back any more.
    fn release(&mut self, ties: Ties<'_>, kept: Kept<'_>, conjunct: u32) {
        for &(index, bits) in ties.reverse.guarded.get(conjunct) {
            let out = bits & !(kept.enabled.word(index) | self.gone.actions[index as usize]);
            self.visited += u64::from(out.count_ones());
            for action in numbers(index, out) {
                let mut guards = ties.reverse.guards.get(action).iter();
                let held = guards.any(|&(word, bits)| {
                    let word = word as usize;
                    bits & ties.fails[word] & !self.gone.conjuncts[word] != 0
                });
                if !held {
                    self.gone.actions[index as usize] |= 1 << (action % 64);
                    self.queue.push(action);
                }
            }
        }
    }
}
