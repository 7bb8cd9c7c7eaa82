//! Deleting actions from the set of all of them, as long as the rest is stubborn.
//!
//! The set of all actions is stubborn. Taking one out takes out others: enabled ones that do not accord with it, and disabled ones
//! none of whose false conjuncts has its whole necessary enabling set in the set any more. If nothing goes that must stay, they are
//! out for good; otherwise they come back. This is tried for every enabled action \[Val98, Sect. 7\].
//!
//! It takes longer than closing small sets, and now and then it leaves much less of a net.

#![expect(
    clippy::inline_always,
    reason = "it is compiled for what the processor can do only where it is called"
)]

use crate::bits::{Bits, Rows, numbers};
use crate::lists::Lists;
use crate::newer;
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

impl Reverse {
    pub(crate) fn bytes(&self) -> usize {
        let rows = [&self.enables, &self.guards, &self.guarded];
        rows.map(Rows::bytes).iter().sum()
    }

    /// The conjuncts that each action can make true.
    pub(crate) fn enables(&self) -> &Rows {
        &self.enables
    }
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct Deletion {
    pub(crate) gone: Gone,
    /// What had gone before the last trial.
    pub(crate) before: Gone,
    /// Those that have gone and may take others with them, by words.
    queue: Vec<(u32, u64)>,
    /// Those that may have to go.
    doubtful: Vec<u64>,
    /// Enabled ones that have not gone.
    open: Vec<u64>,
    pub(crate) visited: u64,
}

/// What has gone.
#[derive(Debug, Default)]
pub(crate) struct Gone {
    actions: Vec<u64>,
    /// False conjuncts that have lost someone of their enabling set.
    pub(crate) conjuncts: Vec<u64>,
}

impl Gone {
    fn clear(&mut self, actions: usize, conjuncts: usize) {
        self.actions.clear();
        self.actions.resize(actions, 0);
        self.conjuncts.clear();
        self.conjuncts.resize(conjuncts, 0);
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

/// What is taken out, and of what.
struct Deleting<'d> {
    deletion: &'d mut Deletion,
    ties: Ties<'d>,
    kept: Kept<'d>,
    seeds: &'d [u32],
    left: &'d mut Bits,
}

impl newer::Work for Deleting<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        self.deletion
            .delete(self.ties, self.kept, self.seeds, self.left);
    }
}

impl Deletion {
    /// Takes out as many of these enabled actions as possible, one after the other, and leaves the others in `left`.
    pub(crate) fn run(&mut self, ties: Ties<'_>, kept: Kept<'_>, seeds: &[u32], left: &mut Bits) {
        newer::run(Deleting {
            deletion: self,
            ties,
            kept,
            seeds,
            left,
        });
    }

    #[inline(always)]
    fn delete(&mut self, ties: Ties<'_>, kept: Kept<'_>, seeds: &[u32], left: &mut Bits) {
        let (actions, conjuncts) = (kept.enabled.words().len(), ties.fails.len());
        self.gone.clear(actions, conjuncts);
        self.before.clear(actions, conjuncts);
        self.doubtful.clear();
        self.doubtful.resize(actions, 0);
        self.open.clear();
        self.open.extend(kept.enabled.words());
        let mut trial = Trial {
            ties,
            enabled: kept.enabled.words(),
            required: kept.required.words(),
            least: kept.least,
            gone: &mut self.gone.actions,
            lost: &mut self.gone.conjuncts,
            queue: &mut self.queue,
            doubtful: &mut self.doubtful,
            open: &mut self.open,
            visited: 0,
        };
        let mut count = seeds.len();
        for &seed in seeds {
            let (word, bit) = (number(seed as usize / 64), 1 << (seed % 64));
            if trial.gone[word as usize] & bit != 0 {
                continue;
            }
            trial.queue.clear();
            trial.doubtful.fill(0);
            let taken = trial.take(word, bit, count);
            if let Some(fewer) = taken.and_then(|count| trial.take_out(count)) {
                count = fewer;
                self.before.actions.copy_from_slice(trial.gone);
                self.before.conjuncts.copy_from_slice(trial.lost);
            } else {
                trial.visited += 1;
                trial.gone.copy_from_slice(&self.before.actions);
                trial.lost.copy_from_slice(&self.before.conjuncts);
                let words = trial.enabled.iter().zip(&*trial.gone);
                for (open, (enabled, gone)) in trial.open.iter_mut().zip(words) {
                    *open = enabled & !gone;
                }
            }
        }
        left.keep_others(kept.enabled, trial.gone);
        self.visited += trial.visited;
    }
}

/// Taking out actions: [`Deletion`] as slices, whose ends nobody looks up again and again.
struct Trial<'d> {
    ties: Ties<'d>,
    enabled: &'d [u64],
    required: &'d [u64],
    least: usize,
    gone: &'d mut [u64],
    lost: &'d mut [u64],
    queue: &'d mut Vec<(u32, u64)>,
    doubtful: &'d mut [u64],
    open: &'d mut [u64],
    visited: u64,
}

impl Trial<'_> {
    /// Takes out some actions that are there. Says how many enabled ones are left, or nothing if one must stay.
    #[inline(always)]
    fn take(&mut self, index: u32, bits: u64, count: usize) -> Option<usize> {
        let word = index as usize;
        let enabled = bits & self.enabled[word];
        let left = count - enabled.count_ones() as usize;
        if bits & self.required[word] != 0 || left < self.least {
            return None;
        }
        self.gone[word] |= bits;
        self.open[word] &= !bits;
        self.queue.push((index, bits));
        Some(left)
    }

    /// Takes out whatever must go with those in the queue. Says how many enabled ones are left of so many, or nothing if one must stay.
    #[inline(always)]
    fn take_out(&mut self, mut count: usize) -> Option<usize> {
        while !self.queue.is_empty() {
            while let Some((index, bits)) = self.queue.pop() {
                self.visited += u64::from(bits.count_ones());
                for action in numbers(index, bits) {
                    for &(index, bits) in self.ties.conflicts.get(action) {
                        let new = bits & self.open[index as usize];
                        if new != 0 {
                            count = self.take(index, new, count)?;
                        }
                    }
                    self.lose(action);
                }
            }
            self.release()?;
        }
        Some(count)
    }

    /// An action has gone: false conjuncts have lost it, and whoever they guard may be held back by nobody else.
    #[inline(always)]
    fn lose(&mut self, action: u32) {
        for &(index, bits) in self.ties.reverse.enables.get(action) {
            let lost = &mut self.lost[index as usize];
            let new = bits & self.ties.fails[index as usize] & !*lost;
            *lost |= new;
            for conjunct in numbers(index, new) {
                for &(index, bits) in self.ties.reverse.guarded.get(conjunct) {
                    self.doubtful[index as usize] |= bits;
                }
            }
        }
    }

    /// Whoever is held back by nobody any more goes as well. Nothing if one of them must stay.
    #[inline(always)]
    fn release(&mut self) -> Option<()> {
        for index in 0..number(self.doubtful.len()) {
            let word = index as usize;
            let doubtful = std::mem::take(&mut self.doubtful[word]);
            let doubtful = doubtful & !(self.enabled[word] | self.gone[word]);
            self.visited += u64::from(doubtful.count_ones());
            let mut free = 0;
            for action in numbers(index, doubtful) {
                let mut guards = self.ties.reverse.guards.get(action).iter();
                let held = guards.any(|&(word, bits)| {
                    let word = word as usize;
                    bits & self.ties.fails[word] & !self.lost[word] != 0
                });
                free |= u64::from(!held) << (action % 64);
            }
            if free != 0 {
                // They are disabled, so that as many enabled ones are left.
                self.take(index, free, self.least)?;
            }
        }
        Some(())
    }
}
