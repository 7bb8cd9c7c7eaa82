//! Which layers of a column have been opened so far, for counting each once.

use sweepline_core::Key;

use crate::memory::{self, Budget, Full};

/// A set of keys that is filled in ascending order, again and again: once per sweep of a column.
///
/// A measure may have as many layers as there are states, so keys are kept as differences of a few bytes, in runs of
/// some hundred. A sweep unpacks only the runs it passes through: small sweeps of a column with many layers cost little.
#[derive(Debug, Default)]
pub(crate) struct OpenedKeys {
    /// Runs in ascending order.
    runs: Vec<KeyRun>,
    /// The run that is unpacked.
    at: usize,
    /// Its keys in ascending order.
    keys: Vec<Key>,
    /// Whether they differ from what is packed.
    changed: bool,
}

/// Some keys, packed.
#[derive(Debug)]
struct KeyRun {
    first: Key,
    /// The differences between neighbours, seven bits a byte, least first.
    differences: Vec<u8>,
}

/// Keys of a run before it is split.
const LONGEST: usize = 256;

/// A difference takes at most so many bytes.
const WIDEST: usize = 19;

impl OpenedKeys {
    /// Enters a key; true if it was not there. Where there is no room, nothing changes.
    pub(crate) fn insert(&mut self, key: Key, budget: &mut Budget) -> Result<bool, Full> {
        if !self.covers(key) {
            self.pack(budget)?;
            let after = self.runs.partition_point(|run| run.first <= key);
            self.unpack(after.saturating_sub(1));
        }
        let Err(position) = self.keys.binary_search(&key) else {
            return Ok(false);
        };
        if self.keys.len() >= LONGEST {
            self.split(budget)?;
            return self.insert(key, budget);
        }
        if self.keys.capacity() == 0 {
            memory::grow(&mut self.keys, LONGEST, budget)?;
        }
        if self.runs.is_empty() {
            self.make_room(budget)?;
            let differences = Vec::new();
            self.runs.push(KeyRun {
                first: key,
                differences,
            });
        }
        self.keys.insert(position, key);
        self.runs[self.at].first = self.keys[0];
        self.changed = true;
        Ok(true)
    }

    /// Forgets all keys. A little memory is kept for the next column.
    pub(crate) fn clear(&mut self, budget: &mut Budget) {
        for run in &mut self.runs {
            memory::release(&mut run.differences, budget);
        }
        if self.runs.capacity() > LONGEST {
            memory::release(&mut self.runs, budget);
        }
        self.runs.clear();
        self.keys.clear();
        (self.at, self.changed) = (0, false);
    }

    /// Forgets all keys and gives all memory back.
    pub(crate) fn release(&mut self, budget: &mut Budget) {
        self.clear(budget);
        memory::release(&mut self.runs, budget);
        memory::release(&mut self.keys, budget);
    }

    /// Whether a key is or would be in the run that is unpacked. The first run has the keys before it too.
    fn covers(&self, key: Key) -> bool {
        let below = |at: usize| self.runs.get(at).is_some_and(|run| run.first <= key);
        (self.at == 0 || below(self.at)) && !below(self.at + 1)
    }

    /// Moves the upper half of the unpacked keys into a run of its own, or starts one if keys come in ascending order.
    fn split(&mut self, budget: &mut Budget) -> Result<(), Full> {
        let is_last = self.at + 1 == self.runs.len();
        let middle = if is_last { LONGEST - 1 } else { LONGEST / 2 };
        self.make_room(budget)?;
        let differences = pack(&self.keys[middle..], budget)?;
        let first = self.keys[middle];
        self.runs.insert(self.at + 1, KeyRun { first, differences });
        self.keys.truncate(middle);
        self.changed = true;
        Ok(())
    }

    /// Makes room for another run.
    fn make_room(&mut self, budget: &mut Budget) -> Result<(), Full> {
        if self.runs.len() == self.runs.capacity() {
            memory::grow(&mut self.runs, 1, budget)?;
        }
        Ok(())
    }

    fn pack(&mut self, budget: &mut Budget) -> Result<(), Full> {
        if !self.changed {
            return Ok(());
        }
        let packed = pack(&self.keys, budget)?;
        let run = &mut self.runs[self.at];
        memory::release(&mut run.differences, budget);
        run.differences = packed;
        self.changed = false;
        Ok(())
    }

    fn unpack(&mut self, at: usize) {
        self.at = at;
        self.keys.clear();
        let Some(run) = self.runs.get(at) else {
            return;
        };
        let mut key = run.first.0;
        self.keys.push(run.first);
        let (mut difference, mut shift) = (0, 0);
        for &byte in &run.differences {
            difference |= u128::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                key += difference;
                self.keys.push(Key(key));
                (difference, shift) = (0, 0);
            }
        }
    }
}

/// The differences between neighbours.
fn pack(keys: &[Key], budget: &mut Budget) -> Result<Vec<u8>, Full> {
    let mut bytes = Vec::new();
    for pair in keys.windows(2) {
        if bytes.capacity() - bytes.len() < WIDEST {
            memory::grow(&mut bytes, WIDEST, budget)
                .inspect_err(|_| memory::release(&mut bytes, budget))?;
        }
        let mut difference = pair[1].0 - pair[0].0;
        while difference >= 0x80 {
            bytes.push(u8::try_from(difference & 0x7f).expect("seven bits") | 0x80);
            difference >>= 7;
        }
        bytes.push(u8::try_from(difference).expect("seven bits"));
    }
    memory::shrink(&mut bytes, budget);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Enters a key as often as it takes, each time with a little more memory.
    fn insist(keys: &mut OpenedKeys, key: Key, budget: &mut Budget) -> bool {
        let mut more = 20;
        loop {
            if let Ok(new) = keys.insert(key, budget) {
                return new;
            }
            let held = budget.held();
            *budget = Budget::new(Some(held + more));
            budget.take(held).unwrap();
            more *= 2;
        }
    }

    /// Also if memory runs out in between and there is more afterwards.
    #[test]
    fn every_key_is_new_once() {
        let mut budget = Budget::new(Some(0));
        let mut keys = OpenedKeys::default();
        let mut expected = BTreeSet::new();
        let many: Vec<u128> = (1000..3000).map(|key| key * key).collect();
        let between: Vec<u128> = (0..9_000_000).step_by(997).collect();
        let passes: [&[u128]; 8] = [
            &[3, 4, 1000, u128::MAX - 1],
            &[0, 4, 500, 1000],
            &[],
            &[3, 500, 501, u128::MAX],
            &many,
            &many[7..],
            &between,
            &many,
        ];
        for pass in passes {
            for &key in pass {
                let new = insist(&mut keys, Key(key), &mut budget);
                assert_eq!(new, expected.insert(key), "{key}");
            }
        }
        keys.release(&mut budget);
        assert_eq!(budget.held(), 0);
    }

    /// Sweeps that open few layers unpack few keys, however many there are.
    #[test]
    fn a_small_sweep_of_many_layers_costs_little() {
        let mut budget = Budget::new(None);
        let mut keys = OpenedKeys::default();
        for key in 0..50_000 {
            assert_eq!(keys.insert(Key(key * 3), &mut budget), Ok(true));
        }
        assert!(budget.held() < 50_000 * 2, "{} bytes", budget.held());
        let runs = keys.runs.len();
        for sweep in 0..1000 {
            assert_eq!(keys.insert(Key(sweep), &mut budget), Ok(sweep % 3 > 0));
            assert!(keys.keys.len() <= LONGEST);
        }
        assert!(keys.runs.len() <= runs + 16);
    }
}
