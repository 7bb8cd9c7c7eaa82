//! What is known of some slots.

use sweepline_core::SlotId;

use crate::interval::Interval;

/// What is known of the slots that differ from their interval for all times, in the order of slots: it is copied more
/// often than it is changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Local(Vec<(SlotId, Interval)>);

impl Local {
    pub(super) fn get(&self, slot: SlotId) -> Option<Interval> {
        let index = self.place(slot).ok()?;
        Some(self.0[index].1)
    }

    pub(super) fn insert(&mut self, slot: SlotId, values: Interval) {
        match self.place(slot) {
            Ok(index) => self.0[index].1 = values,
            Err(index) => self.0.insert(index, (slot, values)),
        }
    }

    fn place(&self, slot: SlotId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&slot, |entry| entry.0)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (SlotId, Interval)> {
        self.0.iter().copied()
    }

    /// Adds what is known elsewhere.
    pub(super) fn extend(&mut self, other: &Self) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        for (slot, values) in other.iter() {
            self.insert(slot, values);
        }
    }

    /// What is known if one or the other holds. A slot that only one side knows anything about is not known better than
    /// for all times.
    pub(super) fn join(&mut self, other: &Self) {
        let mut others = other.iter().peekable();
        self.0.retain_mut(|(slot, values)| {
            while others.next_if(|(other, _)| other < slot).is_some() {}
            let same = others.next_if(|(other, _)| other == slot);
            if let Some((_, more)) = same {
                *values = values.join(more);
            }
            same.is_some()
        });
    }
}

impl FromIterator<(SlotId, Interval)> for Local {
    /// From entries in the order of slots.
    fn from_iter<I: IntoIterator<Item = (SlotId, Interval)>>(entries: I) -> Self {
        let entries: Vec<_> = entries.into_iter().collect();
        debug_assert!(entries.is_sorted_by(|a, b| a.0 < b.0));
        Self(entries)
    }
}
