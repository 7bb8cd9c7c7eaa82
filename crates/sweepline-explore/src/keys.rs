//! Which layers of a column have been opened so far, for counting each once.

use sweepline_core::Key;

use crate::memory::{self, Budget, Full};

/// A set of keys that is filled in ascending order, again and again: once per sweep of a column.
///
/// Keys are kept as differences of a few bytes, because a measure may have as many layers as there are states.
#[derive(Debug, Default)]
pub(crate) struct OpenedKeys {
    /// Keys known when the current pass started and not yet passed by it.
    before: Vec<u8>,
    position: usize,
    /// The next key in `before`.
    pending: Option<Key>,
    /// Keys up to the current one.
    after: Vec<u8>,
    last: Key,
    last_pending: Key,
}

impl OpenedKeys {
    /// Enters a key, not less than the ones before it in this pass; true if no earlier pass had it.
    pub(crate) fn insert(&mut self, key: Key, budget: &mut Budget) -> Result<bool, Full> {
        while let Some(pending) = self.pending
            && pending < key
        {
            self.write(pending, budget)?;
            self.advance();
        }
        self.write(key, budget)?;
        let known = self.pending == Some(key);
        if known {
            self.advance();
        }
        Ok(!known)
    }

    /// Ends a pass; the next key may be lower.
    pub(crate) fn start_pass(&mut self, budget: &mut Budget) -> Result<(), Full> {
        while let Some(pending) = self.pending {
            self.write(pending, budget)?;
            self.advance();
        }
        std::mem::swap(&mut self.before, &mut self.after);
        self.after.clear();
        (self.position, self.last, self.last_pending) = (0, Key(0), Key(0));
        self.advance();
        Ok(())
    }

    /// Forgets all keys.
    pub(crate) fn clear(&mut self, budget: &mut Budget) {
        let (mut before, mut after) = (
            std::mem::take(&mut self.before),
            std::mem::take(&mut self.after),
        );
        if before.capacity() + after.capacity() > 1 << 12 {
            memory::release(&mut before, budget);
            memory::release(&mut after, budget);
        }
        before.clear();
        after.clear();
        *self = Self {
            before,
            after,
            ..Self::default()
        };
    }

    /// Forgets all keys and gives all memory back.
    pub(crate) fn release(&mut self, budget: &mut Budget) {
        memory::release(&mut self.before, budget);
        memory::release(&mut self.after, budget);
        *self = Self::default();
    }

    /// Appends the difference to the last key, seven bits a byte, least first.
    fn write(&mut self, key: Key, budget: &mut Budget) -> Result<(), Full> {
        if self.after.capacity() - self.after.len() < 19 {
            memory::grow(&mut self.after, 19, budget)?;
        }
        let mut difference = key.0 - self.last.0;
        self.last = key;
        while difference >= 0x80 {
            self.after
                .push(u8::try_from(difference & 0x7f).expect("seven bits") | 0x80);
            difference >>= 7;
        }
        self.after
            .push(u8::try_from(difference).expect("seven bits"));
        Ok(())
    }

    fn advance(&mut self) {
        if self.position == self.before.len() {
            self.pending = None;
            return;
        }
        let (mut difference, mut shift) = (0, 0);
        loop {
            let byte = self.before[self.position];
            self.position += 1;
            difference |= u128::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        self.last_pending = Key(self.last_pending.0 + difference);
        self.pending = Some(self.last_pending);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Does something as often as it takes, each time with a little more memory.
    fn insist<T>(budget: &mut Budget, mut act: impl FnMut(&mut Budget) -> Result<T, Full>) -> T {
        loop {
            if let Ok(done) = act(budget) {
                return done;
            }
            let held = budget.held();
            *budget = Budget::new(Some(held * 2 + 20));
            budget.take(held).unwrap();
        }
    }

    /// Also if memory runs out in between and there is more afterwards.
    #[test]
    fn every_key_is_new_once() {
        let mut budget = Budget::new(Some(0));
        let mut keys = OpenedKeys::default();
        let mut expected = BTreeSet::new();
        let many: Vec<u128> = (1000..1200).map(|key| key * key).collect();
        let passes: [&[u128]; 7] = [
            &[3, 4, 1000, u128::MAX - 1],
            &[0, 4, 500, 1000],
            &[],
            &[3, 500, 501, u128::MAX],
            &many,
            &many[7..],
            &many,
        ];
        for pass in passes {
            for &key in pass {
                let new = insist(&mut budget, |budget| keys.insert(Key(key), budget));
                assert_eq!(new, expected.insert(key), "{key}");
            }
            insist(&mut budget, |budget| keys.start_pass(budget));
        }
    }
}
