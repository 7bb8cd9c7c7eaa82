//! The hash index of a layer.

use sweepline_core::Word;

use crate::memory::{self, Budget, Full};

/// Open addressing with linear probing over the records of an arena.
///
/// A slot is one word: the upper half of the record's hash, and the record's number plus one in the lower half
/// (zero means vacant). The position comes from the same upper bits, so growing and deleting never look at
/// the records.
#[derive(Debug, Default)]
pub(crate) struct Index {
    slots: Vec<Word>,
    /// The position of a hash is its upper `64 - shift` bits.
    shift: u32,
    used: usize,
}

/// Where a record is, or where it would go.
pub(crate) enum Probe {
    /// The number of the record.
    Found(usize),
    /// Its position in the table.
    Vacant(usize),
}

impl Index {
    /// Looks for a record that `same` recognises.
    #[expect(
        clippy::inline_always,
        reason = "the hottest loop there is; a call costs a tenth of the run"
    )]
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, mut same: impl FnMut(usize) -> bool) -> Probe {
        if self.slots.is_empty() {
            return Probe::Vacant(0);
        }
        let mask = self.slots.len() - 1;
        let mut position = self.home(hash);
        loop {
            let slot = self.slots[position & mask];
            if slot == 0 {
                return Probe::Vacant(position & mask);
            }
            if (slot ^ hash) >> 32 == 0 && same(number(slot)) {
                return Probe::Found(number(slot));
            }
            position += 1;
        }
    }

    /// Enters record `index` at a position that [`Index::find`] found vacant.
    #[inline]
    pub(crate) fn insert(
        &mut self,
        hash: u64,
        vacant: usize,
        index: usize,
        load: Load,
        budget: &mut Budget,
    ) -> Result<(), Full> {
        let position = if self.used >= load.most_entries(self.slots.len()) {
            self.grow(budget)?;
            self.vacancy(hash)
        } else {
            vacant
        };
        let entry = u32::try_from(index + 1).map_err(|_| Full::Exhausted)?;
        self.slots[position] = hash >> 32 << 32 | Word::from(entry);
        self.used += 1;
        Ok(())
    }

    /// Makes room for this many further entries.
    pub(crate) fn reserve(
        &mut self,
        entries: usize,
        load: Load,
        budget: &mut Budget,
    ) -> Result<(), Full> {
        let mut capacity = self.slots.len();
        while self.used + entries > load.most_entries(capacity) {
            capacity = (capacity * 2).max(16);
        }
        if capacity == self.slots.len() {
            return Ok(());
        }
        self.grow_to(capacity, budget)
    }

    /// Removes the entry of record `index`, whose hash this is. Entries behind it move up, so that no
    /// tombstones remain.
    pub(crate) fn remove(&mut self, hash: u64, index: usize) {
        let mask = self.slots.len() - 1;
        let mut hole = self.home(hash);
        while number(self.slots[hole]) != index || self.slots[hole] == 0 {
            debug_assert_ne!(self.slots[hole], 0, "the record is in the index");
            hole = (hole + 1) & mask;
        }
        let mut next = (hole + 1) & mask;
        while self.slots[next] != 0 {
            // An entry may fill the hole unless its home lies cyclically after it.
            let origin = self.home(self.slots[next]);
            if (next.wrapping_sub(origin) & mask) >= (next.wrapping_sub(hole) & mask) {
                self.slots[hole] = self.slots[next];
                hole = next;
            }
            next = (next + 1) & mask;
        }
        self.slots[hole] = 0;
        self.used -= 1;
    }

    /// Starts loading the slot of a hash.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64, load: Load) {
        if !self.slots.is_empty() {
            memory::prefetch(&self.slots, self.home(hash));
            if matches!(load, Load::High) {
                // A search in a table that is nearly full often goes on in the next cache line.
                memory::prefetch(&self.slots, self.home(hash) + LINE);
            }
        }
    }

    /// The record in the home slot of a hash, if the upper bits agree: most likely what [`Index::find`] finds.
    #[inline]
    pub(crate) fn guess(&self, hash: u64) -> Option<usize> {
        let slot = *self.slots.get(self.home(hash))?;
        (slot != 0 && (slot ^ hash) >> 32 == 0).then(|| number(slot))
    }

    /// Bytes of the table.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<Word>()
    }

    /// Forgets all entries; keeps memory in proportion to what was used.
    pub(crate) fn clear(&mut self, budget: &mut Budget) {
        if self.slots.len() > 64 && self.slots.len() / 16 > self.used {
            self.release(budget);
        } else if self.used > 0 {
            self.slots.fill(0);
        }
        self.used = 0;
    }

    pub(crate) fn release(&mut self, budget: &mut Budget) {
        memory::release(&mut self.slots, budget);
        self.used = 0;
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        // The shift is at least 32, so this cannot truncate where a table of that size fits in memory.
        usize::try_from(hash >> (self.shift & 63)).unwrap_or(usize::MAX)
    }

    fn vacancy(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut position = self.home(hash);
        while self.slots[position] != 0 {
            position = (position + 1) & mask;
        }
        position
    }

    #[cold]
    fn grow(&mut self, budget: &mut Budget) -> Result<(), Full> {
        self.grow_to((self.slots.len() * 2).max(16), budget)
    }

    fn grow_to(&mut self, capacity: usize, budget: &mut Budget) -> Result<(), Full> {
        if capacity as u64 > 1 << 32 {
            return Err(Full::Exhausted);
        }
        let mut slots = Vec::new();
        memory::grow(&mut slots, capacity, budget)?;
        slots.resize(capacity, 0);
        let mut old = std::mem::replace(&mut self.slots, slots);
        self.shift = u64::BITS - capacity.trailing_zeros();
        for &slot in old.iter().filter(|&&slot| slot != 0) {
            let position = self.vacancy(slot);
            self.slots[position] = slot;
        }
        memory::release(&mut old, budget);
        Ok(())
    }
}

/// Slots in a cache line.
const LINE: usize = 64 / size_of::<Word>();

/// How full a table gets before it grows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Load {
    /// Three quarters.
    Usual,
    /// Seven eighths where the table is large: a few more steps of a search cost little beside records that are made and
    /// compared word by word.
    High,
}

/// Slots from which on a table is large.
const LARGE: usize = 1 << 16;

impl Load {
    /// How many entries a table of so many slots holds before it grows.
    #[inline]
    fn most_entries(self, slots: usize) -> usize {
        match self {
            Self::High if slots >= LARGE => slots / 8 * 7,
            _ => slots / 4 * 3,
        }
    }
}

#[inline]
fn number(slot: Word) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lower half is what we want"
    )]
    let entry = slot as u32;
    (entry as usize).wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn hash(value: u64) -> u64 {
        crate::record::hash_words(&[value])
    }

    /// Inserts and removes values in a fixed pseudo-random order and compares with a set.
    #[test]
    fn behaves_like_a_set() {
        let mut budget = Budget::new(None);
        let mut index = Index::default();
        let mut expected = HashSet::new();
        let mut random = 1_u64;
        for _ in 0..20_000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let value = (random >> 33) % 500;
            let number = usize::try_from(value).unwrap();
            match index.find(hash(value), |found| found == number) {
                Probe::Found(found) => {
                    assert_eq!(found, number);
                    assert!(expected.remove(&value));
                    index.remove(hash(value), number);
                }
                Probe::Vacant(at) => {
                    assert!(expected.insert(value));
                    index
                        .insert(hash(value), at, number, Load::Usual, &mut budget)
                        .unwrap();
                }
            }
        }
        for value in 0..500 {
            let number = usize::try_from(value).unwrap();
            let found = matches!(
                index.find(hash(value), |found| found == number),
                Probe::Found(_)
            );
            assert_eq!(found, expected.contains(&value));
        }
        index.release(&mut budget);
        assert_eq!(budget.held(), 0);
    }

    #[test]
    fn growth_beyond_the_limit_is_refused() {
        let mut budget = Budget::new(Some(1000));
        let mut index = Index::default();
        let outcome = (0..1000).try_for_each(|value: usize| {
            let Probe::Vacant(at) = index.find(hash(value as u64), |_| false) else {
                unreachable!()
            };
            index.insert(hash(value as u64), at, value, Load::Usual, &mut budget)
        });
        assert_eq!(outcome, Err(Full::Limit(1000)));
        assert!(budget.peak() <= 1000);
    }
}
