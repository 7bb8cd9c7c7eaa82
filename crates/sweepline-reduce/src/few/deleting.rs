//! Deleting few actions from the set of all of them.

use super::rows::Words;
use super::set::{Set, add, unite};
use crate::bits::{Rows, numbers};
use crate::closure::Whole;
use crate::tables::number;

/// What is left of the set of all actions, as [`Deletion`](crate::deletion::Deletion) has it.
#[derive(Clone, Copy)]
pub(super) struct Deleting<const W: usize> {
    pub(super) enabled: Set<W>,
    /// Actions that are not taken out.
    pub(super) required: Set<W>,
    pub(super) gone: Set<W>,
    /// How many enabled ones are left.
    pub(super) count: usize,
}

impl<const W: usize> Deleting<W> {
    /// Takes out an action, and whatever must go with it. Fails if one of them must stay, or fewer enabled ones would be left than there must
    /// be.
    #[inline(always)]
    pub(super) fn take_out(
        &mut self,
        action: u32,
        (words, enables, fails): (&Words<W>, &Rows, &[u64]),
        lost: &mut [u64],
        least: usize,
        visited: &mut u64,
    ) -> Result<(), Whole> {
        let mut queue = [0; W];
        add(&mut queue, action);
        if self.take(&queue, least).is_err() {
            *visited += 1;
            return Err(Whole);
        }
        loop {
            let mut doubtful = [0; W];
            while let Some(action) = first(&mut queue) {
                *visited += 1;
                let mut conflicts = words.conflicts[action as usize];
                for (word, bits) in conflicts.iter_mut().enumerate() {
                    *bits &= self.enabled[word] & !self.gone[word];
                }
                self.take(&conflicts, least)?;
                unite(&mut queue, &conflicts);
                for &(index, bits) in enables.get(action) {
                    let index = index as usize;
                    let new = bits & fails[index] & !lost[index];
                    lost[index] |= new;
                    for conjunct in numbers(number(index), new) {
                        unite(&mut doubtful, words.guarded(conjunct));
                    }
                }
            }
            let mut free = [0; W];
            for word in 0..W {
                let doubtful = doubtful[word] & !(self.enabled[word] | self.gone[word]);
                *visited += u64::from(doubtful.count_ones());
                for action in numbers(number(word), doubtful) {
                    let is_free = !words.is_held(action, fails, lost);
                    free[word] |= u64::from(is_free) << (action % 64);
                }
            }
            if free == [0; W] {
                return Ok(());
            }
            self.take(&free, least)?;
            queue = free;
        }
    }

    /// Takes out some that are there.
    #[inline(always)]
    fn take(&mut self, actions: &Set<W>, least: usize) -> Result<(), Whole> {
        let (mut required, mut enabled) = (0, 0);
        for (word, bits) in actions.iter().enumerate() {
            self.gone[word] |= bits;
            required |= bits & self.required[word];
            enabled += (bits & self.enabled[word]).count_ones() as usize;
        }
        self.count -= enabled;
        let must_stay = required != 0 || self.count < least;
        if must_stay { Err(Whole) } else { Ok(()) }
    }
}

/// Takes the first action out of a set.
#[inline(always)]
fn first<const W: usize>(set: &mut Set<W>) -> Option<u32> {
    let word = (0..W).find(|it| set[*it] != 0)?;
    let first = number(word) * 64 + set[word].trailing_zeros();
    set[word] &= set[word] - 1;
    Some(first)
}
