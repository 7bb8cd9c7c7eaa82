//! The states of one layer.

use sweepline_core::Word;

use crate::index::{Index, Probe};
use crate::log::Origin;
use crate::memory::{self, Budget, Full};
use crate::record::{Arena, Width};

/// A set of states that is also the list of what is still to be expanded, in the order of insertion.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    pub(crate) records: Arena,
    index: Index,
    /// How each state was reached; kept only until the layer is opened and the trace log takes over.
    pub(crate) origins: Vec<Origin>,
}

impl Layer {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    #[inline]
    pub(crate) fn contains<W: Width>(&self, width: W, state: &[Word], hash: u64) -> bool {
        matches!(self.probe(width, state, hash), Probe::Found)
    }

    /// Adds a state; false if it was there already.
    #[inline]
    pub(crate) fn insert<W: Width>(
        &mut self,
        width: W,
        state: &[Word],
        hash: u64,
        budget: &mut Budget,
    ) -> Result<bool, Full> {
        match self.probe(width, state, hash) {
            Probe::Found => Ok(false),
            Probe::Vacant(at) => self.add(width, at, state, hash, budget).map(|()| true),
        }
    }

    /// Adds a state at a position that [`Layer::probe`] found vacant.
    #[inline]
    pub(crate) fn add<W: Width>(
        &mut self,
        width: W,
        vacant: usize,
        state: &[Word],
        hash: u64,
        budget: &mut Budget,
    ) -> Result<(), Full> {
        self.index
            .insert(hash, vacant, self.records.len(), budget)?;
        self.records.push(width, state, budget)
    }

    /// Remembers how the state added last was reached.
    #[inline]
    pub(crate) fn push_origin(&mut self, origin: Origin, budget: &mut Budget) -> Result<(), Full> {
        if self.origins.capacity() == self.origins.len() {
            memory::grow(&mut self.origins, 1, budget)?;
        }
        self.origins.push(origin);
        Ok(())
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
    pub(crate) fn prefetch_slot(&self, hash: u64) {
        self.index.prefetch(hash);
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
    }

    /// Forgets how the states were reached. What a large layer needed for that is of no use while it is open.
    pub(crate) fn forget_origins(&mut self, budget: &mut Budget) {
        if self.origins.capacity() > 1 << 12 {
            memory::release(&mut self.origins, budget);
        }
        self.origins.clear();
    }

    /// Gives all memory back.
    pub(crate) fn release(&mut self, budget: &mut Budget) {
        self.records.release(budget);
        self.index.release(budget);
        memory::release(&mut self.origins, budget);
    }

    /// The same states in the same order, each rewritten by `recode`.
    pub(crate) fn recoded<V: Width, W: Width>(
        &self,
        from: V,
        to: W,
        budget: &mut Budget,
        recode: &mut dyn FnMut(&[Word], &mut Vec<Word>),
    ) -> Result<Self, Full> {
        let mut layer = Self::default();
        let mut state = Vec::new();
        for index in 0..self.len() {
            state.clear();
            recode(self.records.get(from, index), &mut state);
            layer.insert(to, &state, to.hash(&state), budget)?;
        }
        for &origin in &self.origins {
            layer.push_origin(origin, budget)?;
        }
        Ok(layer)
    }
}
