//! Persistent states: targets of regress edges, kept while their column is open.

use std::collections::VecDeque;

use sweepline_core::Key;

use crate::front::Arrival;
use crate::index::Probe;
use crate::layer::Layer;
use crate::log::Origin;
use crate::memory::{self, Budget, Full};
use crate::record::Width;
use crate::stores::{Stored, narrow};

/// The persistent states of the open column, and which of them are roots of this and of the next sweep.
#[derive(Debug, Default)]
pub(crate) struct Persistent {
    pub(crate) states: Layer,
    /// Roots of this sweep in the order of their keys.
    roots: VecDeque<(Key, u32)>,
    /// Roots of the next sweep in the order they were found.
    next_roots: Vec<(Key, u32)>,
    /// Whether somebody will ask for numbers, and the number of each state.
    linking: bool,
    numbers: Vec<u64>,
}

/// The number of a state that has none yet.
const UNNUMBERED: u64 = u64::MAX;

impl Persistent {
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.states.len() == 0
    }

    /// From now on numbers are known. Nothing must be kept yet.
    pub(crate) fn start_linking(&mut self) {
        self.linking = true;
    }

    /// The number of a state, if it has one and numbers are known.
    pub(crate) fn number(&self, index: usize) -> Option<u64> {
        let number = self.numbers.get(index).copied();
        number.filter(|&number| number != UNNUMBERED)
    }

    /// Keeps the target of a regress edge and makes it a root of the next sweep, unless it is kept already. Where
    /// there is no room, nothing changes: a state that is kept and no root would never be expanded.
    pub(crate) fn insert<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
        budget: &mut Budget,
    ) -> Result<Stored<usize>, Full> {
        let Arrival {
            key,
            state,
            hash,
            origin,
        } = arrival;
        if let Probe::Found(place) = self.states.probe(width, state, hash) {
            return Ok(Stored { place, new: false });
        }
        if self.linking && self.numbers.len() == self.numbers.capacity() {
            memory::grow(&mut self.numbers, 1, budget)?;
        }
        budget.take(ROOT_BYTES)?;
        let stored = self
            .states
            .insert(width, state, hash, origin, budget)
            .inspect_err(|_| budget.give_back(ROOT_BYTES))?;
        self.next_roots.push((key, narrow(stored.place)));
        if self.linking {
            self.numbers.push(UNNUMBERED);
        }
        Ok(stored)
    }

    /// Whether something was found that another sweep has to start from.
    pub(crate) fn needs_sweep(&self) -> bool {
        !self.next_roots.is_empty()
    }

    /// Makes what was found in the sweep that has ended the roots of a new one.
    pub(crate) fn start_sweep(&mut self) {
        debug_assert!(self.roots.is_empty(), "a sweep visits all its roots");
        self.next_roots.sort_unstable();
        self.roots = std::mem::take(&mut self.next_roots).into();
    }

    /// The least key of a root still to be visited in this sweep.
    pub(crate) fn lowest_root(&self) -> Option<Key> {
        self.roots.front().map(|&(key, _)| key)
    }

    /// Removes the roots with this key, which is the least, and numbers them from `base` on.
    pub(crate) fn take_roots(
        &mut self,
        key: Key,
        base: u64,
        out: &mut Vec<u32>,
        budget: &mut Budget,
    ) {
        out.clear();
        while let Some(&(root_key, index)) = self.roots.front()
            && root_key == key
        {
            self.roots.pop_front();
            if self.linking {
                self.numbers[index as usize] = base + out.len() as u64;
            }
            out.push(index);
        }
        budget.give_back(out.len() * ROOT_BYTES);
    }

    /// Removes all roots, of this sweep and of the next.
    pub(crate) fn drain_roots(&mut self, budget: &mut Budget) -> impl Iterator<Item = u32> {
        budget.give_back((self.roots.len() + self.next_roots.len()) * ROOT_BYTES);
        let roots = self.roots.drain(..).chain(self.next_roots.drain(..));
        roots.map(|(_, index)| index)
    }

    /// How a persistent state was first reached, if the log is on.
    pub(crate) fn origin(&self, index: u32) -> Option<Origin> {
        self.states.origins.get(index as usize).copied()
    }

    /// Takes over the states of another measure that `keep` wants. All of them have been expanded.
    pub(crate) fn take_over<W: Width>(
        &mut self,
        width: W,
        other: Self,
        budget: &mut Budget,
        keep: impl Fn(usize) -> bool,
    ) -> Result<(), Full> {
        (self.states, self.numbers) = (other.states, other.numbers);
        self.states.retain(width, budget, &keep);
        let mut indices = 0..;
        self.numbers.retain(|_| indices.next().is_some_and(&keep));
        memory::shrink(&mut self.numbers, budget);
        self.states.rebuild_index(width, budget)
    }

    /// The numbers of all states, if they are known.
    pub(crate) fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// Drops everything: the column is closed, and nothing leads back into it.
    pub(crate) fn forget(&mut self, budget: &mut Budget) {
        if !self.is_empty() {
            self.states.clear(budget);
            self.numbers.clear();
        }
    }

    /// Gives all memory back.
    #[cfg(test)]
    pub(crate) fn release(&mut self, budget: &mut Budget) {
        let roots = self.drain_roots(budget).count();
        debug_assert!(roots <= self.len());
        self.states.release(budget);
        memory::release(&mut self.numbers, budget);
    }
}

/// Bytes of an entry in the lists of roots, counting that vectors double.
const ROOT_BYTES: usize = size_of::<(Key, u32)>() * 2;
