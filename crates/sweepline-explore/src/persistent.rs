//! Persistent states: targets of regress edges, kept while their column is open.

use std::collections::VecDeque;

use sweepline_core::Key;

use crate::front::Arrival;
use crate::layer::Layer;
use crate::log::Origin;
use crate::memory::{Budget, Full};
use crate::record::Width;

/// The persistent states of the open column, and which of them are roots of this and of the next sweep.
#[derive(Debug, Default)]
pub(crate) struct Persistent {
    pub(crate) states: Layer,
    /// Roots of this sweep in the order of their keys.
    roots: VecDeque<(Key, usize)>,
    /// Roots of the next sweep in the order they were found.
    next_roots: Vec<(Key, usize)>,
}

impl Persistent {
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.states.len() == 0
    }

    /// Keeps the target of a regress edge and makes it a root of the next sweep; false if it is kept already. Where
    /// there is no room, nothing changes: a state that is kept and no root would never be expanded.
    pub(crate) fn insert<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
        budget: &mut Budget,
    ) -> Result<bool, Full> {
        let Arrival {
            key,
            state,
            hash,
            origin,
        } = arrival;
        if self.states.contains(width, state, hash) {
            return Ok(false);
        }
        budget.take(ROOT_BYTES)?;
        self.states
            .insert(width, state, hash, origin, budget)
            .inspect_err(|_| budget.give_back(ROOT_BYTES))?;
        self.next_roots.push((key, self.states.len() - 1));
        Ok(true)
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

    /// Removes the roots with this key, which is the least.
    pub(crate) fn take_roots(&mut self, key: Key, out: &mut Vec<usize>, budget: &mut Budget) {
        out.clear();
        while let Some(&(root_key, index)) = self.roots.front()
            && root_key == key
        {
            self.roots.pop_front();
            out.push(index);
        }
        budget.give_back(out.len() * ROOT_BYTES);
    }

    /// Removes all roots, of this sweep and of the next.
    pub(crate) fn drain_roots(&mut self, budget: &mut Budget) -> impl Iterator<Item = usize> {
        budget.give_back((self.roots.len() + self.next_roots.len()) * ROOT_BYTES);
        let roots = self.roots.drain(..).chain(self.next_roots.drain(..));
        roots.map(|(_, index)| index)
    }

    /// How a persistent state was first reached, if the log is on.
    pub(crate) fn origin(&self, index: usize) -> Option<Origin> {
        self.states.origins.get(index).copied()
    }

    /// Drops everything: the column is closed, and nothing leads back into it.
    pub(crate) fn forget(&mut self, budget: &mut Budget) {
        if !self.is_empty() {
            self.states.clear(budget);
        }
    }
}

/// Bytes of an entry in the lists of roots, counting that vectors double.
const ROOT_BYTES: usize = size_of::<(Key, usize)>() * 2;
