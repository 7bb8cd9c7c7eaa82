//! Closing sets of few actions: all of them are a few words, and so is every row of the tables.
//!
//! This is the closure of [`Closure`] for tables with at most 512 actions, which nearly all programs have. What is different is where
//! members wait: there is no list of them, the greatest one comes first, and those that are enabled come before all others. And not
//! all of them wait: whoever is guarded by a false conjunct that somebody has waited for already brings in nobody. Actions of a process
//! that is elsewhere have their location in common, and instances of an action all but an index, so that half of them are done with by that.
//!
//! Everything here is in line, in a loop that is compiled twice: once for processors that count and find bits by themselves.

#![expect(
    clippy::inline_always,
    reason = "it is compiled for what the processor can do only where it is called"
)]

use crate::bits::Bits;
use crate::closure::{Closure, DISABLED, ENABLED, Whole};
use crate::lists::Lists;
use crate::site::Site;
use crate::tables::{Tables, number};

/// Rows of as many words as there are.
#[derive(Debug)]
pub(crate) enum Few {
    One(Words<1>),
    Two(Words<2>),
    Four(Words<4>),
    Eight(Words<8>),
}

impl Few {
    /// Rows of at least so many words. Nothing if there are too many actions for that.
    pub(crate) fn new(tables: &Tables, guarded: &Lists, words: usize) -> Option<Self> {
        Some(match words.max(tables.actions().div_ceil(64)) {
            0 | 1 => Self::One(Words::new(tables, guarded)),
            2 => Self::Two(Words::new(tables, guarded)),
            3 | 4 => Self::Four(Words::new(tables, guarded)),
            5..=8 => Self::Eight(Words::new(tables, guarded)),
            _ => return None,
        })
    }
}

/// That the processor counts and finds bits by itself, which not all do that programs are compiled for.
#[derive(Clone, Copy, Debug)]
struct Newer(());

impl Newer {
    fn detected() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            return Some(Self(()));
        }
        None
    }
}

/// How many conjuncts are few.
const CONJUNCTS: usize = u128::BITS as usize;

/// A set of actions.
type Set<const W: usize> = [u64; W];

#[derive(Debug)]
pub(crate) struct Words<const W: usize> {
    enabling: Vec<Set<W>>,
    conflicts: Vec<Set<W>>,
    /// The actions that each conjunct guards.
    guarded: Vec<Set<W>>,
    /// The conjuncts of each action as bits, if there are few of them as well.
    guards: Vec<u128>,
    newer: Option<Newer>,
}

impl<const W: usize> Words<W> {
    fn new(tables: &Tables, guarded: &Lists) -> Self {
        Self {
            enabling: rows(&tables.enabling),
            conflicts: rows(&tables.conflicts),
            guarded: rows(guarded),
            guards: guards(tables),
            newer: Newer::detected(),
        }
    }
}

fn guards(tables: &Tables) -> Vec<u128> {
    if tables.conjuncts() > CONJUNCTS {
        return Vec::new();
    }
    let conjuncts = (0..number(tables.actions())).map(|action| tables.guards(action).iter());
    let bits = conjuncts.map(|all| all.fold(0, |bits, conjunct| bits | 1 << conjunct));
    bits.collect()
}

fn rows<const W: usize>(lists: &Lists) -> Vec<Set<W>> {
    let rows = (0..number(lists.len())).map(|list| {
        let mut row = [0; W];
        for number in lists.get(list) {
            add(&mut row, *number);
        }
        row
    });
    rows.collect()
}

fn add<const W: usize>(set: &mut Set<W>, number: u32) {
    set[number as usize / 64] |= 1 << (number % 64);
}

fn has<const W: usize>(set: &Set<W>, number: u32) -> bool {
    set[number as usize / 64] >> (number % 64) & 1 != 0
}

/// How many more a larger set has.
#[inline(always)]
fn added<const W: usize>(smaller: &Set<W>, larger: &Set<W>) -> u64 {
    let words = larger.iter().zip(smaller);
    let new = words.map(|(larger, smaller)| larger & !smaller);
    new.map(|bits| u64::from(bits.count_ones())).sum()
}

fn loaded<const W: usize>(bits: &Bits) -> Set<W> {
    let mut set = [0; W];
    for (word, bits) in set.iter_mut().zip(bits.words()) {
        *word = *bits;
    }
    set
}

/// What is done to a set.
#[derive(Clone, Copy)]
pub(crate) enum Task {
    /// It is closed.
    Close,
    /// It is closed together with one enabled action: the one that brings in the fewest others.
    Extend,
}

/// A set on its way to being closed.
#[derive(Clone, Copy)]
struct Closing<const W: usize> {
    enabled: Set<W>,
    /// Enabled actions that make the set useless.
    blocked: Set<W>,
    member: Set<W>,
    /// Members that have not brought in others yet.
    left: Set<W>,
    /// Actions one of whose false conjuncts has its whole necessary enabling set in the set: they bring in nobody.
    settled: Set<W>,
    /// How many of the others are enabled.
    found: usize,
}

impl<const W: usize> Closing<W> {
    /// Adds actions. Fails if one of them is blocked.
    #[inline(always)]
    fn insert(&mut self, row: &Set<W>) -> Result<(), Whole> {
        let mut blocked = 0;
        for (word, row) in row.iter().enumerate() {
            let new = row & !self.member[word];
            self.member[word] |= new;
            self.left[word] |= new & !self.settled[word];
            blocked |= new & self.blocked[word];
        }
        if blocked == 0 { Ok(()) } else { Err(Whole) }
    }

    /// Takes the next member that has not brought in others yet, and says whether it is enabled.
    #[inline(always)]
    fn next(&mut self) -> Option<(u32, bool)> {
        for word in (0..W).rev() {
            let enabled = self.left[word] & self.enabled[word];
            if enabled != 0 {
                return Some((self.take(word, enabled), true));
            }
        }
        for word in (0..W).rev() {
            let left = self.left[word];
            if left != 0 {
                return Some((self.take(word, left), false));
            }
        }
        None
    }

    #[inline(always)]
    fn take(&mut self, word: usize, bits: u64) -> u32 {
        let greatest = bits.ilog2();
        self.left[word] ^= 1 << greatest;
        number(word) * 64 + greatest
    }

    /// Whoever is guarded by the same false conjunct as an action that has just brought in its necessary enabling set brings in nobody.
    #[inline(always)]
    fn settle(&mut self, guarded: &Set<W>) {
        for (word, guarded) in guarded.iter().enumerate() {
            let guarded = guarded & !self.enabled[word];
            self.settled[word] |= guarded;
            self.left[word] &= !guarded;
        }
    }

    /// The members that have brought in all they bring in.
    #[inline(always)]
    fn taken_up(&self) -> Set<W> {
        let mut taken = self.member;
        for (taken, left) in taken.iter_mut().zip(&self.left) {
            *taken &= !left;
        }
        taken
    }

    /// What these actions cost, as far as they are no members.
    #[inline(always)]
    fn cost(&self, row: &Set<W>) -> u64 {
        let mut cost = 0;
        for (word, row) in row.iter().enumerate() {
            let new = row & !self.member[word];
            let enabled = new & self.enabled[word];
            cost += u64::from(new.count_ones()) * DISABLED;
            cost += u64::from(enabled.count_ones()) * (ENABLED - DISABLED);
        }
        cost
    }

    /// Whether an enabled action and what it brings in are of no use together with the set.
    #[inline(always)]
    fn refuses(&self, conflicts: &Set<W>, allowed: usize) -> bool {
        let (mut blocked, mut found) = (0, self.found + 1);
        for (word, conflicts) in conflicts.iter().enumerate() {
            let enabled = conflicts & self.enabled[word] & !self.member[word];
            blocked |= enabled & self.blocked[word];
            found += enabled.count_ones() as usize;
        }
        blocked != 0 || found >= allowed
    }
}

impl Closure {
    /// Does it to the set, and says how many enabled actions that has then. Fails if nothing can be left out, or if these are as many as allowed.
    pub(crate) fn in_few(
        &mut self,
        site: &Site<'_>,
        few: &Few,
        task: Task,
        allowed: usize,
    ) -> Result<usize, Whole> {
        match few {
            Few::One(words) => self.in_words(site, words, task, allowed),
            Few::Two(words) => self.in_words(site, words, task, allowed),
            Few::Four(words) => self.in_words(site, words, task, allowed),
            Few::Eight(words) => self.in_words(site, words, task, allowed),
        }
    }

    #[cfg_attr(
        target_arch = "x86_64",
        expect(
            unsafe_code,
            reason = "only here it is known what the processor can do"
        )
    )]
    fn in_words<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        task: Task,
        allowed: usize,
    ) -> Result<usize, Whole> {
        #[cfg(target_arch = "x86_64")]
        if let Some(Newer(())) = words.newer {
            // SAFETY: the processor has these instructions, otherwise there would be no `Newer`.
            return unsafe { self.in_newer(site, words, task, allowed) };
        }
        self.work(site, words, task, allowed)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi1,lzcnt,popcnt")]
    fn in_newer<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        task: Task,
        allowed: usize,
    ) -> Result<usize, Whole> {
        self.work(site, words, task, allowed)
    }

    #[inline(always)]
    fn work<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        task: Task,
        allowed: usize,
    ) -> Result<usize, Whole> {
        match task {
            Task::Close => self.close_words(site, words, allowed),
            Task::Extend => self.extend_words(site, words, allowed),
        }
    }

    fn closing<const W: usize>(&self) -> Closing<W> {
        let enabled = loaded(&self.enabled);
        let mut blocked = loaded(&self.blocked);
        for (blocked, enabled) in blocked.iter_mut().zip(&enabled) {
            *blocked &= enabled;
        }
        Closing {
            enabled,
            blocked,
            member: loaded(&self.member),
            left: [0; W],
            settled: [0; W],
            found: self.found,
        }
    }

    #[inline(always)]
    fn close_words<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        allowed: usize,
    ) -> Result<usize, Whole> {
        let mut closing = self.closing();
        // Whoever is a member now has brought in nobody.
        closing.left = closing.member;
        closing.found = 0;
        let few = !words.guards.is_empty();
        self.fails = few.then(|| self.failing_conjuncts()).flatten();
        self.enabled_left.clear();
        self.disabled_left.clear();
        self.run(site, words, &mut closing, &[0; W], allowed)?;
        self.member.copy_words(&closing.member);
        self.found = closing.found;
        Ok(self.found)
    }

    #[inline(always)]
    fn extend_words<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        allowed: usize,
    ) -> Result<usize, Whole> {
        let mut base = self.closing::<W>();
        let mut least = None;
        for index in 0..self.seeds.len() {
            let seed = self.seeds[index];
            if has(&base.member, seed) {
                continue; // it brings in nobody
            }
            let most = least.unwrap_or(allowed);
            let conflicts = &words.conflicts[seed as usize];
            if base.refuses(conflicts, most) {
                self.effort.visited += 1;
            } else {
                let mut closing = base;
                let mut row = *conflicts;
                add(&mut row, seed);
                let closed = closing.insert(&row);
                closing.found += 1;
                closing.left[seed as usize / 64] &= !(1 << (seed % 64));
                let closed =
                    closed.and_then(|()| self.run(site, words, &mut closing, &base.member, most));
                if closed.is_ok() {
                    least = Some(closing.found);
                    self.member.copy_words(&closing.member);
                    self.keep_best();
                    if closing.found == 1 {
                        break;
                    }
                }
            }
            // Whoever brings in this one brings in what it brings in.
            add(&mut base.blocked, seed);
        }
        least.ok_or(Whole)
    }

    /// Closes a set that has these and others. Fails if it has as many enabled actions as are allowed, or if nothing can be left out.
    #[inline(always)]
    fn run<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        closing: &mut Closing<W>,
        before: &Set<W>,
        allowed: usize,
    ) -> Result<(), Whole> {
        let fails = self.fails;
        let closed = loop {
            let Some((action, is_enabled)) = closing.next() else {
                break Ok(());
            };
            if is_enabled {
                closing.found += 1;
                if closing.found >= allowed {
                    break Err(Whole);
                }
                if closing.insert(&words.conflicts[action as usize]).is_err() {
                    break Err(Whole);
                }
            } else {
                let cost = |conjunct: u32| closing.cost(&words.enabling[conjunct as usize]);
                let cheapest = match fails {
                    Some(fails) => cheapest_of(fails & words.guards[action as usize], cost),
                    None => self.cheapest(site, action, cost),
                };
                let Some(conjunct) = cheapest.or_else(|| self.subject(site, action)) else {
                    break Err(Whole);
                };
                if closing.insert(&words.enabling[conjunct as usize]).is_err() {
                    break Err(Whole);
                }
                if cheapest.is_some() {
                    closing.settle(&words.guarded[conjunct as usize]);
                }
            }
        };
        self.effort.visited += added(before, &closing.taken_up());
        closed
    }
}

/// The one of some conjuncts that costs least, the first of those. Nobody asks for costs unless there is a choice.
#[inline(always)]
fn cheapest_of(mut fails: u128, cost: impl Fn(u32) -> u64) -> Option<u32> {
    if fails == 0 {
        return None;
    }
    let mut best = fails.trailing_zeros();
    fails &= fails - 1;
    if fails != 0 {
        let mut least = cost(best);
        while fails != 0 && least != 0 {
            let other = fails.trailing_zeros();
            fails &= fails - 1;
            let more = cost(other);
            if more < least {
                (best, least) = (other, more);
            }
        }
    }
    Some(best)
}
