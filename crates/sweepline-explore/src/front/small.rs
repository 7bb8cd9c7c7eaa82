//! A table for many small layers.

use sweepline_core::{Key, LayerId, Word};

use super::{Arrival, KeyMap, ORDER_BYTES};
use crate::index::{Index, Load, Probe};
use crate::layer::Layer;
use crate::log::Origin;
use crate::memory::{self, Budget, Full};
use crate::record::{Dynamic, Rewrite, Width, recode_words};
use crate::sweep::Halt;

/// The table that small layers share: one index over the states of all of them, a linked list per layer.
#[derive(Debug, Default)]
pub(super) struct Small {
    index: Index,
    words: Vec<Word>,
    entries: Vec<Entry>,
    origins: Vec<Option<Origin>>,
    lists: KeyMap<List>,
    /// How many states at the heads of lists were expanded before. Hardly ever any.
    kept: KeyMap<u32>,
    /// Head of the chain of unused entries.
    free: u32,
    /// Words of unused entries; only counted if states differ in size.
    garbage: usize,
    /// Whether somebody will ask where in its layer a state is, and where each is.
    linking: bool,
    positions: Vec<u32>,
}

/// A state of a small layer. `start` and `len` matter only if states differ in size.
#[derive(Clone, Copy, Debug)]
struct Entry {
    next: u32,
    len: u32,
    start: usize,
}

impl Entry {
    /// Whether it can be used again: no state is empty.
    fn is_free(self) -> bool {
        self.len == 0
    }
}

/// The states of one small layer in order of insertion.
#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
    count: u32,
    id: LayerId,
}

/// End of a list. Entry numbers in links are one too large, so that zero can mean this.
const END: u32 = 0;

/// Bytes of an entry in the map of lists, counting its load.
const LIST_BYTES: usize = (size_of::<Key>() + size_of::<List>()) * 2;
/// The same in the map of what was expanded before.
const KEPT_BYTES: usize = (size_of::<Key>() + size_of::<u32>()) * 2;

impl Small {
    pub(super) fn start_linking(&mut self) {
        self.linking = true;
    }

    /// The layer with this key and where in it an entry is. Only while linking.
    #[inline(never)]
    pub(super) fn name(&self, key: Key, entry: usize) -> (LayerId, u32) {
        (self.lists[&key].id, self.positions[entry])
    }

    /// Adds a state; returns its entry, and how many its layer has now unless it was there already. A new layer gets this
    /// name. Accounts for the place of a new layer in the order, too, so that nothing can fail afterwards.
    #[inline]
    pub(super) fn insert<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
        id: LayerId,
        budget: &mut Budget,
    ) -> Result<(usize, Option<u32>), Full> {
        let Arrival {
            key,
            state,
            hash,
            origin,
        } = arrival;
        let probe = self
            .index
            .find(hash, |entry| width.same(self.record(width, entry), state));
        let at = match probe {
            Probe::Vacant(at) => at,
            Probe::Found(entry) => return Ok((entry, None)),
        };
        // First whatever can fail: a state in the index that is in no list would be lost.
        let list_bytes = if self.lists.contains_key(&key) {
            0
        } else {
            LIST_BYTES + ORDER_BYTES
        };
        budget.take(list_bytes)?;
        let link = self
            .add_entry(width, state, hash, at, budget)
            .inspect_err(|_| budget.give_back(list_bytes))?;
        let entry = link as usize - 1;
        self.origins[entry] = origin;
        let list = self.lists.entry(key).or_insert(List {
            head: link,
            tail: END,
            count: 0,
            id,
        });
        if self.linking {
            self.positions[entry] = list.count;
        }
        if list.tail != END {
            self.entries[list.tail as usize - 1].next = link;
        }
        list.tail = link;
        list.count += 1;
        Ok((entry, Some(list.count)))
    }

    /// All states of a layer have been expanded.
    pub(super) fn keep_all(&mut self, key: Key, budget: &mut Budget) -> Result<(), Full> {
        if !self.kept.contains_key(&key) {
            budget.take(KEPT_BYTES)?;
        }
        self.kept.insert(key, self.lists[&key].count);
        Ok(())
    }

    /// How many states of a layer have been expanded.
    fn kept_of(&self, key: Key) -> usize {
        if self.kept.is_empty() {
            return 0; // as a rule
        }
        self.kept.get(&key).map_or(0, |&kept| kept as usize)
    }

    fn record<W: Width>(&self, width: W, entry: usize) -> &[Word] {
        if W::VARIABLE {
            let Entry { start, len, .. } = self.entries[entry];
            &self.words[start..start + len as usize]
        } else {
            &self.words[width.range(&[], entry)]
        }
    }

    /// The entries of a list.
    fn entries_of(&self, list: List) -> impl Iterator<Item = usize> {
        let link = |link: u32| (link != END).then(|| link as usize - 1);
        std::iter::successors(link(list.head), move |&entry| {
            link(self.entries[entry].next)
        })
    }

    /// Adds an entry and enters it into the index at a vacant position; returns the link to it.
    fn add_entry<W: Width>(
        &mut self,
        width: W,
        state: &[Word],
        hash: u64,
        vacant: usize,
        budget: &mut Budget,
    ) -> Result<u32, Full> {
        let reused = (self.free != END).then(|| self.free as usize - 1);
        let needs_words = W::VARIABLE || reused.is_none();
        if needs_words && self.words.capacity() - self.words.len() < state.len() {
            memory::grow(&mut self.words, state.len(), budget)?;
        }
        if reused.is_none() {
            if self.entries.capacity() == self.entries.len() {
                memory::grow(&mut self.entries, 1, budget)?;
            }
            if self.origins.capacity() == self.origins.len() {
                memory::grow(&mut self.origins, 1, budget)?;
            }
            if self.linking && self.positions.capacity() == self.positions.len() {
                memory::grow(&mut self.positions, 1, budget)?;
            }
        }
        let entry = reused.unwrap_or(self.entries.len());
        let link = u32::try_from(entry + 1).map_err(|_| Full::Exhausted)?;
        let fresh = Entry {
            next: END,
            len: u32::try_from(state.len()).map_err(|_| Full::Exhausted)?,
            start: self.words.len(),
        };
        self.index.insert(hash, vacant, entry, W::LOAD, budget)?; // the last that can fail
        if needs_words {
            self.words.extend_from_slice(state);
        }
        if reused.is_some() {
            self.free = self.entries[entry].next;
            self.entries[entry] = fresh;
            if !W::VARIABLE {
                self.words[width.range(&[], entry)].copy_from_slice(state);
            }
        } else {
            self.entries.push(fresh);
            self.origins.push(None);
            if self.linking {
                self.positions.push(0);
            }
        }
        Ok(link)
    }

    /// Makes an entry that is no longer used available again.
    fn free_entry(&mut self, link: u32) {
        let entry = &mut self.entries[link as usize - 1];
        self.garbage += entry.len as usize;
        *entry = Entry {
            next: self.free,
            len: 0,
            start: 0,
        };
        self.free = link;
    }

    /// Moves all states of a layer, in order, into a layer of its own, which is empty. Where there is no room,
    /// they stay.
    pub(super) fn move_out<W: Width>(
        &mut self,
        width: W,
        key: Key,
        layer: &mut Layer,
        budget: &mut Budget,
    ) -> Result<(), Full> {
        let list = self
            .lists
            .remove(&key)
            .expect("every key in the order has a layer");
        let (states, words) = (list.count as usize, self.words_of(width, list));
        let origins = self.origins[list.head as usize - 1].map_or(0, |_| states);
        if let Err(full) = layer.reserve(width, states, words, origins, budget) {
            self.lists.insert(key, list);
            return Err(full);
        }
        budget.give_back(LIST_BYTES);
        layer.id = list.id;
        layer.kept = self.kept_of(key);
        if layer.kept > 0 {
            self.kept.remove(&key);
            budget.give_back(KEPT_BYTES);
        }
        let mut link = list.head;
        while link != END {
            let entry = link as usize - 1;
            let (record, origin) = (self.record(width, entry), self.origins[entry]);
            let hash = width.hash(record);
            layer.insert(width, record, hash, origin, budget)?;
            self.index.remove(hash, entry);
            let next = self.entries[entry].next;
            self.free_entry(link);
            link = next;
        }
        if W::VARIABLE && self.garbage > 1024 && self.garbage > self.words.len() / 2 {
            // Without room to tidy up, the garbage stays until the next time.
            let _ = self.compact(budget);
        }
        Ok(())
    }

    /// The words of all states in a list.
    fn words_of<W: Width>(&self, width: W, list: List) -> usize {
        if W::VARIABLE {
            let entries = self.entries_of(list);
            entries.map(|entry| self.entries[entry].len as usize).sum()
        } else {
            width.range(&[], 0).len() * list.count as usize
        }
    }

    /// Drops the words of entries that are no longer used. Needed only if states differ in size: others
    /// reuse the words of their entry.
    fn compact(&mut self, budget: &mut Budget) -> Result<(), Full> {
        let mut words = Vec::new();
        memory::grow(&mut words, self.words.len() - self.garbage, budget)?;
        for entry in &mut self.entries {
            let start = words.len();
            words.extend_from_slice(&self.words[entry.start..entry.start + entry.len as usize]);
            entry.start = start;
        }
        memory::release(&mut self.words, budget);
        self.words = words;
        self.garbage = 0;
        Ok(())
    }

    /// Shows every state, and what is left of others.
    pub(super) fn each_record(&self, width: usize, visit: &mut dyn FnMut(&[Word])) {
        for record in self.words.chunks_exact(width).take(self.entries.len()) {
            visit(record);
        }
    }

    /// Rewrites every state in place, and what is left of others with them.
    pub(super) fn recode(
        &mut self,
        (from, to): (usize, usize),
        budget: &mut Budget,
        rewrite: &mut Rewrite<'_>,
    ) -> Result<(), Halt> {
        self.index.release(budget);
        let entries = self.entries.len();
        recode_words(&mut self.words, entries, (from, to), budget, rewrite)?;
        let used = self.lists.values().map(|list| list.count as usize).sum();
        self.index.reserve(used, Load::Usual, budget)?;
        for entry in 0..entries {
            if self.entries[entry].is_free() {
                continue;
            }
            let hash = Dynamic(to).hash(self.record(Dynamic(to), entry));
            if let Probe::Vacant(at) = self.index.find(hash, |_| false) {
                self.index.insert(hash, at, entry, Load::Usual, budget)?;
            }
        }
        Ok(())
    }

    /// All states that wait, with their layer and their index in it, and how they were reached.
    pub(super) fn states<W: Width>(
        &self,
        width: W,
    ) -> impl Iterator<Item = ((LayerId, usize), &[Word], Option<Origin>)> {
        self.lists.iter().flat_map(move |(&key, &list)| {
            let entries = self.entries_of(list).enumerate().skip(self.kept_of(key));
            entries.map(move |(index, entry)| {
                let (state, origin) = (self.record(width, entry), self.origins[entry]);
                ((list.id, index), state, origin)
            })
        })
    }

    pub(super) fn release_index(&mut self, budget: &mut Budget) {
        self.index.release(budget);
    }

    pub(super) fn release(&mut self, budget: &mut Budget) {
        budget.give_back(self.lists.len() * LIST_BYTES + self.kept.len() * KEPT_BYTES);
        self.lists.clear();
        self.kept.clear();
        self.index.release(budget);
        memory::release(&mut self.words, budget);
        memory::release(&mut self.entries, budget);
        memory::release(&mut self.origins, budget);
        memory::release(&mut self.positions, budget);
    }
}
