//! Sets of a few words, and a set that is being closed.

use super::rows::{Way, Words};
use crate::bits::Bits;
use crate::closure::{DISABLED, ENABLED, Whole};
use crate::facts::Facts;
use crate::tables::number;

/// A set of actions.
pub(super) type Set<const W: usize> = [u64; W];

#[inline(always)]
pub(super) fn add<const W: usize>(set: &mut Set<W>, number: u32) {
    set[number as usize / 64] |= 1 << (number % 64);
}

#[inline(always)]
pub(super) fn has<const W: usize>(set: &Set<W>, number: u32) -> bool {
    set[number as usize / 64] >> (number % 64) & 1 != 0
}

#[inline(always)]
pub(super) fn unite<const W: usize>(set: &mut Set<W>, other: &Set<W>) {
    for (word, other) in set.iter_mut().zip(other) {
        *word |= other;
    }
}

/// How many more a larger set has.
#[inline(always)]
pub(super) fn added<const W: usize>(smaller: &Set<W>, larger: &Set<W>) -> u64 {
    let words = larger.iter().zip(smaller);
    let new = words.map(|(larger, smaller)| larger & !smaller);
    new.map(|bits| u64::from(bits.count_ones())).sum()
}

pub(super) fn loaded<const W: usize>(bits: &Bits) -> Set<W> {
    let mut set = [0; W];
    for (word, bits) in set.iter_mut().zip(bits.words()) {
        *word = *bits;
    }
    set
}

/// How far a set was closed.
pub(super) enum End {
    Closed,
    /// It has too many enabled actions, or one that is blocked.
    Useless,
    /// It must be asked which conjuncts of these actions hold. They are asked before anything is done with one of them: what is done must not
    /// depend on what is known by chance.
    Unasked([u32; 2]),
    /// It must be found out what this action brings in.
    Stuck(u32),
}

/// A set on its way to being closed.
#[derive(Clone, Copy)]
pub(super) struct Closing<const W: usize> {
    pub(super) enabled: Set<W>,
    /// Enabled actions that make the set useless.
    pub(super) blocked: Set<W>,
    pub(super) member: Set<W>,
    /// Members that have not brought in others yet.
    pub(super) left: Set<W>,
    /// Actions one of whose false conjuncts has its whole necessary enabling set in the set: they bring in nobody.
    pub(super) settled: Set<W>,
    /// How many members are enabled, those left out that have brought in nobody yet.
    pub(super) found: usize,
}

impl<const W: usize> Closing<W> {
    /// Adds actions. Fails if one of them is blocked.
    #[inline(always)]
    pub(super) fn insert(&mut self, row: &Set<W>) -> Result<(), Whole> {
        let mut blocked = 0;
        for (word, row) in row.iter().enumerate() {
            let new = row & !self.member[word];
            self.member[word] |= new;
            self.left[word] |= new & !self.settled[word];
            blocked |= new & self.blocked[word];
        }
        if blocked == 0 { Ok(()) } else { Err(Whole) }
    }

    /// Adds what a false conjunct brings in.
    #[inline(always)]
    pub(super) fn go(&mut self, way: &Way<W>) -> Result<(), Whole> {
        for (word, settles) in way.settles.iter().enumerate() {
            let settles = settles & !self.enabled[word];
            self.settled[word] |= settles;
            self.left[word] &= !settles;
        }
        self.insert(&way.brings)
    }

    /// Brings in whatever members bring in, until there is nothing more or it is of no use.
    #[inline(always)]
    pub(super) fn close(&mut self, words: &Words<W>, facts: &Facts, allowed: usize) -> End {
        loop {
            if self.take_enabled(words, allowed).is_err() {
                return End::Useless;
            }
            // The greatest and the least at once: mostly they have nothing to do with each other, and the processor does not wait.
            let Some((action, other)) = self.ends() else {
                return End::Closed;
            };
            if facts.is_partial && words.lack(facts, [action, other]) {
                return End::Unasked([action, other]);
            }
            let conjunct = words.cheapest(action, &facts.fails, |row| self.cost(row));
            let second = words.cheapest(other, &facts.fails, |row| self.cost(row));
            self.take(action);
            let Some(conjunct) = conjunct else {
                return End::Stuck(action);
            };
            if self.go(words.way(conjunct, &facts.standing)).is_err() {
                return End::Useless;
            }
            if let Some(second) = second
                && has(&self.left, other)
            {
                self.take(other);
                if self.go(words.way(second, &facts.standing)).is_err() {
                    return End::Useless;
                }
            }
        }
    }

    /// Lets all enabled members bring in whom they do not accord with. Fails if there are as many as allowed.
    #[inline(always)]
    fn take_enabled(&mut self, words: &Words<W>, allowed: usize) -> Result<(), Whole> {
        loop {
            let mut any = 0;
            for word in 0..W {
                any |= self.left[word] & self.enabled[word];
            }
            if any == 0 {
                return Ok(());
            }
            let mut row = [0; W];
            for word in 0..W {
                let mut enabled = self.left[word] & self.enabled[word];
                self.left[word] ^= enabled;
                self.found += enabled.count_ones() as usize;
                while enabled != 0 {
                    let action = word * 64 + enabled.trailing_zeros() as usize;
                    unite(&mut row, &words.conflicts[action]);
                    enabled &= enabled - 1;
                }
            }
            if self.found >= allowed {
                return Err(Whole);
            }
            self.insert(&row)?;
        }
    }

    /// The greatest and the least member that have not brought in others yet.
    #[inline(always)]
    fn ends(&self) -> Option<(u32, u32)> {
        let last = (0..W).rev().find(|it| self.left[*it] != 0)?;
        let first = (0..W).find(|it| self.left[*it] != 0)?;
        let greatest = number(last) * 64 + self.left[last].ilog2();
        let least = number(first) * 64 + self.left[first].trailing_zeros();
        Some((greatest, least))
    }

    /// A member brings in others now.
    #[inline(always)]
    fn take(&mut self, action: u32) {
        self.left[action as usize / 64] &= !(1 << (action % 64));
    }

    /// The members that have brought in all they bring in.
    #[inline(always)]
    pub(super) fn taken_up(&self) -> Set<W> {
        let mut taken = self.member;
        for (taken, left) in taken.iter_mut().zip(&self.left) {
            *taken &= !left;
        }
        taken
    }

    /// What these actions cost, as far as they are no members.
    #[inline(always)]
    pub(super) fn cost(&self, row: &Set<W>) -> u64 {
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
    pub(super) fn refuses(&self, conflicts: &Set<W>, allowed: usize) -> bool {
        let (mut blocked, mut found) = (0, self.found + 1);
        for (word, conflicts) in conflicts.iter().enumerate() {
            let enabled = conflicts & self.enabled[word] & !self.member[word];
            blocked |= enabled & self.blocked[word];
            found += enabled.count_ones() as usize;
        }
        blocked != 0 || found >= allowed
    }
}
