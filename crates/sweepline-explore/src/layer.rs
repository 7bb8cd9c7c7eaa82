//! The states of one layer.

use sweepline_core::{LayerId, StateList, Word};

use crate::index::{Index, Probe};
use crate::log::Origin;
use crate::memory::{self, Budget, Full};
use crate::record::{Arena, Dynamic, Rewrite, Width};
use crate::stores::Stored;
use crate::sweep::Halt;

/// A set of states that is also the list of what is still to be expanded, in the order of insertion.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    pub(crate) id: LayerId,
    pub(crate) records: Arena,
    index: Index,
    /// How each state was reached; kept only until the layer is opened and the trace log takes over.
    pub(crate) origins: Vec<Origin>,
    /// How many states at its head were expanded before it is opened. Their origins mean nothing.
    pub(crate) kept: usize,
}

/// States whose places in the index are loaded ahead while it is built.
const AHEAD: usize = 128;

impl Layer {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Its states, lent.
    pub(crate) fn list(&self, width: Option<usize>) -> StateList<'_> {
        self.records.list(width)
    }

    /// Adds a state and, if that is wanted, how it was reached, unless it is there already. Where there is no
    /// room, nothing changes.
    #[inline]
    pub(crate) fn insert<W: Width>(
        &mut self,
        width: W,
        state: &[Word],
        hash: u64,
        origin: Option<Origin>,
        budget: &mut Budget,
    ) -> Result<Stored<usize>, Full> {
        let at = match self.probe(width, state, hash) {
            Probe::Vacant(at) => at,
            Probe::Found(place) => return Ok(Stored { place, new: false }),
        };
        let place = self.add_reached(width, at, (state, hash), origin, budget)?;
        Ok(Stored { place, new: true })
    }

    /// Adds a state with its hash and, if that is wanted, how it was reached, at a position that [`Layer::probe`] found
    /// vacant, and says which one it is. Where there is no room, nothing changes.
    #[inline]
    pub(crate) fn add_reached<W: Width>(
        &mut self,
        width: W,
        vacant: usize,
        (state, hash): (&[Word], u64),
        origin: Option<Origin>,
        budget: &mut Budget,
    ) -> Result<usize, Full> {
        if origin.is_some() && self.origins.capacity() == self.origins.len() {
            memory::grow(&mut self.origins, 1, budget)?;
        }
        let place = self.add(width, vacant, state, hash, budget)?;
        self.origins.extend(origin);
        Ok(place)
    }

    /// The same without saying how it was reached.
    #[inline]
    pub(crate) fn add<W: Width>(
        &mut self,
        width: W,
        vacant: usize,
        state: &[Word],
        hash: u64,
        budget: &mut Budget,
    ) -> Result<usize, Full> {
        let place = self.records.len();
        self.records.reserve(width, 1, state.len(), budget)?;
        self.index.insert(hash, vacant, place, W::LOAD, budget)?;
        self.records.push(width, state);
        Ok(place)
    }

    /// Makes room for this many further states with this many words in all, and for this many origins.
    pub(crate) fn reserve<W: Width>(
        &mut self,
        width: W,
        states: usize,
        words: usize,
        origins: usize,
        budget: &mut Budget,
    ) -> Result<(), Full> {
        self.records.reserve(width, states, words, budget)?;
        while self.origins.capacity() - self.origins.len() < origins {
            memory::grow(&mut self.origins, 1, budget)?;
        }
        self.index.reserve(states, W::LOAD, budget)
    }

    /// The states and, as far as that is known, how they were reached.
    pub(crate) fn states<W: Width>(
        &self,
        width: W,
    ) -> impl Iterator<Item = (&[Word], Option<Origin>)> {
        (0..self.len()).map(move |index| {
            let origin = self.origins.get(index).copied();
            (self.records.get(width, index), origin)
        })
    }

    /// Looks for a state.
    #[expect(
        clippy::inline_always,
        reason = "the hottest line there is; a call costs a tenth of the run"
    )]
    #[inline(always)]
    pub(crate) fn probe<W: Width>(&self, width: W, state: &[Word], hash: u64) -> Probe {
        self.index.find(hash, |index| {
            width.same(self.records.get(width, index), state)
        })
    }

    /// Starts loading the index slot of a hash.
    #[inline]
    pub(crate) fn prefetch_slot<W: Width>(&self, _: W, hash: u64) {
        self.index.prefetch(hash, W::LOAD);
    }

    /// Starts loading the record that a state with this hash is most likely equal to.
    #[inline]
    pub(crate) fn prefetch_record<W: Width>(&self, width: W, hash: u64) {
        if let Some(index) = self.index.guess(hash) {
            self.records.prefetch(width, index);
        }
    }

    /// Bytes of the index, which is what look-ups touch at random.
    pub(crate) fn index_bytes(&self) -> usize {
        self.index.bytes()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.records.bytes() + self.index.bytes() + self.origins.capacity() * size_of::<Origin>()
    }

    /// Forgets everything but keeps reasonable memory for the next layer.
    pub(crate) fn clear(&mut self, budget: &mut Budget) {
        self.records.clear(budget);
        self.index.clear(budget);
        self.forget_origins(budget);
        self.kept = 0;
    }

    /// Forgets how the states were reached. What a large layer needed for that is of no use while it is open.
    pub(crate) fn forget_origins(&mut self, budget: &mut Budget) {
        if self.origins.capacity() > 1 << 12 {
            memory::release(&mut self.origins, budget);
        }
        self.origins.clear();
    }

    /// Gives the index back. Until it is built again, states are a list and cannot be looked up.
    pub(crate) fn release_index(&mut self, budget: &mut Budget) {
        self.index.release(budget);
    }

    /// Builds the index again.
    pub(crate) fn rebuild_index<W: Width>(
        &mut self,
        width: W,
        budget: &mut Budget,
    ) -> Result<(), Full> {
        self.index.release(budget);
        self.index.reserve(self.len(), W::LOAD, budget)?;
        let mut hashes = [0; AHEAD];
        for first in (0..self.len()).step_by(AHEAD) {
            let part = first..self.len().min(first + AHEAD);
            for (hash, index) in hashes.iter_mut().zip(part.clone()) {
                *hash = width.hash(self.records.get(width, index));
                self.index.prefetch(*hash, W::LOAD);
            }
            for (&hash, index) in hashes.iter().zip(part) {
                if let Probe::Vacant(at) = self.index.find(hash, |_| false) {
                    self.index.insert(hash, at, index, W::LOAD, budget)?;
                }
            }
        }
        Ok(())
    }

    /// Forgets all states but those `keep` wants, and the index with them.
    pub(crate) fn retain<W: Width>(
        &mut self,
        width: W,
        budget: &mut Budget,
        keep: impl Fn(usize) -> bool,
    ) {
        self.index.release(budget);
        self.records.retain(width, budget, &keep);
        let mut indices = 0..;
        self.origins.retain(|_| indices.next().is_some_and(&keep));
        memory::shrink(&mut self.origins, budget);
    }

    /// Gives all memory back.
    pub(crate) fn release(&mut self, budget: &mut Budget) {
        self.records.release(budget);
        self.index.release(budget);
        memory::release(&mut self.origins, budget);
        self.kept = 0;
    }

    /// Shows every state, all of which have so many words.
    pub(crate) fn each_record(&self, width: usize, visit: &mut dyn FnMut(&[Word])) {
        for (state, _) in self.states(Dynamic(width)) {
            visit(state);
        }
    }

    /// Rewrites all states in place; they stay in the same order.
    pub(crate) fn recode(
        &mut self,
        (from, to): (usize, usize),
        budget: &mut Budget,
        rewrite: &mut Rewrite<'_>,
    ) -> Result<(), Halt> {
        self.index.release(budget); // its room may be needed
        self.records.recode((from, to), budget, rewrite)?;
        self.rebuild_index(Dynamic(to), budget)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Fixed, Variable};

    /// Adds states, keeps every third from some point on, and looks all of them up.
    fn check<W: Width>(width: W, states: &[Vec<Word>], from: usize) {
        let mut budget = Budget::new(None);
        let mut layer = Layer::default();
        for (state, parent) in states.iter().zip(0..) {
            let (hash, origin) = (width.hash(state), Origin::step(parent, 0));
            let new = layer.insert(width, state, hash, origin, &mut budget);
            assert!(new.unwrap().new);
        }
        let keep = |index: usize| index >= from && index.is_multiple_of(3);
        layer.retain(width, &mut budget, keep);
        layer.rebuild_index(width, &mut budget).unwrap();
        assert_eq!(budget.held(), layer.bytes());
        let kept = states.iter().zip(0..).enumerate();
        let kept = kept.filter(|(index, _)| keep(*index));
        let expected = kept.map(|(_, (state, parent))| (&state[..], Origin::step(parent, 0)));
        assert!(layer.states(width).eq(expected));
        for (index, state) in states.iter().enumerate() {
            let found = layer.probe(width, state, width.hash(state));
            let found = matches!(found, Probe::Found(_));
            assert_eq!(found, keep(index), "{index}");
        }
        layer.release(&mut budget);
        assert_eq!(budget.held(), 0);
    }

    #[test]
    fn what_is_retained_stays_in_order() {
        for from in [0, 1, 100, 299, 300] {
            let same: Vec<_> = (0..300).map(|i| vec![i, i * 7]).collect();
            check(Fixed::<2>, &same, from);
            let different = (0..300_u64).map(|i| (0..=i % 5).map(|j| i + j).collect());
            check(Variable, &different.collect::<Vec<_>>(), from);
        }
    }
}
