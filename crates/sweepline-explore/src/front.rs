//! The front: states reached but not yet expanded, in layers ahead of the sweep-line.
//!
//! Some measures have few large layers, others millions of tiny ones. A layer of its own (arena and index) costs
//! a few hundred bytes before it holds anything, so layers start in a table they share and move out when they
//! have grown.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use sweepline_core::{Key, Word};

use crate::index::{Index, Probe};
use crate::layer::Layer;
use crate::log::Origin;
use crate::memory::{self, Budget, Full};
use crate::record::Width;

/// From this many states on, a layer gets its own arena.
const LARGE: u32 = 64;

/// Retired layers that are kept for reuse: as one is closed, another is opened, so few suffice.
const POOL: usize = 2;

/// Larger layers are not kept: their memory is worth more than the time to get it again.
const POOLED_BYTES: usize = 1 << 20;

/// A state that has been reached and may have to be stored.
#[derive(Clone, Copy)]
pub(crate) struct Arrival<'a> {
    pub(crate) key: Key,
    pub(crate) state: &'a [Word],
    pub(crate) hash: u64,
    /// How it was reached, if the log is on.
    pub(crate) origin: Option<Origin>,
}

/// All layers ahead of the sweep-line.
#[derive(Debug, Default)]
pub(crate) struct Front {
    /// The keys of all layers, least first. Each key is in here once.
    order: BinaryHeap<Reverse<Key>>,
    large: KeyMap<usize>,
    layers: Vec<Layer>,
    vacant: Vec<usize>,
    small: Small,
    pool: Vec<Layer>,
    /// The large layer that was used last; successors come in runs.
    recent: Option<(Key, usize)>,
    len: usize,
}

impl Front {
    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The least key of a state in the front.
    pub(crate) fn lowest(&self) -> Option<Key> {
        self.order.peek().map(|&Reverse(key)| key)
    }

    /// Adds a state to the layer of its key; false if it was there already.
    #[inline]
    pub(crate) fn insert<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
        budget: &mut Budget,
    ) -> Result<bool, Full> {
        let new = match self.large_layer(arrival.key) {
            Some(position) => {
                let layer = &mut self.layers[position];
                let new = layer.insert(width, arrival.state, arrival.hash, budget)?;
                if new && let Some(origin) = arrival.origin {
                    layer.push_origin(origin, budget)?;
                }
                new
            }
            None => self.insert_small(width, arrival, budget)?,
        };
        self.len += usize::from(new);
        Ok(new)
    }

    #[inline]
    fn large_layer(&mut self, key: Key) -> Option<usize> {
        if let Some((recent, position)) = self.recent
            && recent == key
        {
            return Some(position);
        }
        if self.large.is_empty() {
            return None;
        }
        let position = *self.large.get(&key)?;
        self.recent = Some((key, position));
        Some(position)
    }

    fn insert_small<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
        budget: &mut Budget,
    ) -> Result<bool, Full> {
        let key = arrival.key;
        let Some(count) = self.small.insert(width, arrival, budget)? else {
            return Ok(false);
        };
        if count == 1 {
            budget.take(ORDER_BYTES)?;
            self.order.push(Reverse(key));
        } else if count == LARGE {
            let mut layer = self.pool.pop().unwrap_or_default();
            self.small.move_out(width, key, &mut layer, budget)?;
            self.settle(key, layer);
        }
        Ok(true)
    }

    /// Gives a large layer its place.
    fn settle(&mut self, key: Key, layer: Layer) {
        let position = self.vacant.pop().unwrap_or(self.layers.len());
        if position == self.layers.len() {
            self.layers.push(layer);
        } else {
            self.layers[position] = layer;
        }
        self.large.insert(key, position);
    }

    /// Removes the lowest layer, whose key is `key`, and hands out its states. `layer` is what was open before
    /// and is recycled.
    pub(crate) fn pop_lowest<W: Width>(
        &mut self,
        width: W,
        key: Key,
        mut layer: Layer,
        budget: &mut Budget,
    ) -> Result<Layer, Full> {
        let popped = self.order.pop();
        debug_assert_eq!(popped, Some(Reverse(key)));
        budget.give_back(ORDER_BYTES);
        self.recent = None;
        if let Some(position) = self.large.remove(&key) {
            self.vacant.push(position);
            self.recycle(layer, budget);
            layer = std::mem::take(&mut self.layers[position]);
        } else {
            layer.clear(budget);
            self.small.move_out(width, key, &mut layer, budget)?;
        }
        self.len -= layer.len();
        Ok(layer)
    }

    /// Takes back the memory of a layer that is no longer needed.
    pub(crate) fn recycle(&mut self, mut layer: Layer, budget: &mut Budget) {
        if self.pool.len() < POOL && layer.bytes() <= POOLED_BYTES {
            layer.clear(budget);
            self.pool.push(layer);
        } else {
            layer.release(budget);
        }
    }

    /// The same front with every state rewritten by `recode`; keys stay as they are.
    pub(crate) fn recoded<V: Width, W: Width>(
        mut self,
        from: V,
        to: W,
        budget: &mut Budget,
        recode: &mut dyn FnMut(&[Word], &mut Vec<Word>),
    ) -> Result<Self, Full> {
        let mut recoded = Self::default();
        let mut state = Vec::new();
        while let Some(key) = self.lowest() {
            let layer = self.pop_lowest(from, key, Layer::default(), budget)?;
            for index in 0..layer.len() {
                state.clear();
                recode(layer.records.get(from, index), &mut state);
                let origin = layer.origins.get(index).copied();
                let arrival = Arrival {
                    key,
                    state: &state,
                    hash: to.hash(&state),
                    origin,
                };
                recoded.insert(to, arrival, budget)?;
            }
            self.recycle(layer, budget);
        }
        self.release(budget);
        Ok(recoded)
    }

    fn release(mut self, budget: &mut Budget) {
        for layer in self.layers.iter_mut().chain(&mut self.pool) {
            layer.release(budget);
        }
        self.small.release(budget);
    }
}

/// Bytes of an entry in the ordered index, counting that heaps double.
const ORDER_BYTES: usize = size_of::<Key>() * 2;

/// The table that small layers share: one index over the states of all of them, a linked list per layer.
#[derive(Debug, Default)]
struct Small {
    index: Index,
    words: Vec<Word>,
    entries: Vec<Entry>,
    origins: Vec<Option<Origin>>,
    lists: KeyMap<List>,
    /// Head of the chain of unused entries.
    free: u32,
    /// Words of unused entries; only counted if states differ in size.
    garbage: usize,
}

/// A state of a small layer. `start` and `len` matter only if states differ in size.
#[derive(Clone, Copy, Debug)]
struct Entry {
    next: u32,
    len: u32,
    start: usize,
}

/// The states of one small layer in order of insertion.
#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
    count: u32,
}

/// End of a list. Entry numbers in links are one too large, so that zero can mean this.
const END: u32 = 0;

/// Bytes of an entry in the map of lists, counting its load.
const LIST_BYTES: usize = (size_of::<Key>() + size_of::<List>()) * 2;

impl Small {
    /// Adds a state; returns how many its layer has now, or nothing if it was there already.
    fn insert<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
        budget: &mut Budget,
    ) -> Result<Option<u32>, Full> {
        let Arrival {
            key,
            state,
            hash,
            origin,
        } = arrival;
        let probe = self
            .index
            .find(hash, |entry| width.same(self.record(width, entry), state));
        let Probe::Vacant(at) = probe else {
            return Ok(None);
        };
        let entry = self.add_entry(width, state, budget)?;
        self.index.insert(hash, at, entry, budget)?;
        self.origins[entry] = origin;
        let link = u32::try_from(entry + 1).map_err(|_| Full::Exhausted)?;
        if !self.lists.contains_key(&key) {
            budget.take(LIST_BYTES)?;
        }
        let list = self.lists.entry(key).or_insert(List {
            head: link,
            tail: END,
            count: 0,
        });
        if list.tail != END {
            self.entries[list.tail as usize - 1].next = link;
        }
        list.tail = link;
        list.count += 1;
        Ok(Some(list.count))
    }

    fn record<W: Width>(&self, width: W, entry: usize) -> &[Word] {
        if W::VARIABLE {
            let Entry { start, len, .. } = self.entries[entry];
            &self.words[start..start + len as usize]
        } else {
            &self.words[width.range(&[], entry)]
        }
    }

    fn add_entry<W: Width>(
        &mut self,
        width: W,
        state: &[Word],
        budget: &mut Budget,
    ) -> Result<usize, Full> {
        let reused = (self.free != END).then(|| self.free as usize - 1);
        let needs_words = W::VARIABLE || reused.is_none();
        if needs_words && self.words.capacity() - self.words.len() < state.len() {
            memory::grow(&mut self.words, state.len(), budget)?;
        }
        let fresh = Entry {
            next: END,
            len: u32::try_from(state.len()).map_err(|_| Full::Exhausted)?,
            start: self.words.len(),
        };
        if needs_words {
            self.words.extend_from_slice(state);
        }
        if let Some(entry) = reused {
            self.free = self.entries[entry].next;
            self.entries[entry] = fresh;
            if !W::VARIABLE {
                self.words[width.range(&[], entry)].copy_from_slice(state);
            }
            return Ok(entry);
        }
        if self.entries.capacity() == self.entries.len() {
            memory::grow(&mut self.entries, 1, budget)?;
        }
        if self.origins.capacity() == self.origins.len() {
            memory::grow(&mut self.origins, 1, budget)?;
        }
        self.entries.push(fresh);
        self.origins.push(None);
        Ok(self.entries.len() - 1)
    }

    /// Moves all states of a layer, in order, into a layer of its own, which is empty.
    fn move_out<W: Width>(
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
        budget.give_back(LIST_BYTES);
        let mut link = list.head;
        while link != END {
            let entry = link as usize - 1;
            link = self.entries[entry].next;
            let hash = width.hash(self.record(width, entry));
            layer.insert(width, self.record(width, entry), hash, budget)?;
            if let Some(origin) = self.origins[entry] {
                layer.push_origin(origin, budget)?;
            }
            self.index.remove(hash, entry);
            self.garbage += self.entries[entry].len as usize;
            self.entries[entry] = Entry {
                next: self.free,
                len: 0,
                start: 0,
            };
            self.free = u32::try_from(entry + 1).map_err(|_| Full::Exhausted)?;
        }
        if W::VARIABLE && self.garbage > 1024 && self.garbage > self.words.len() / 2 {
            self.compact(budget)?;
        }
        Ok(())
    }

    /// Drops the words of entries that are no longer used. Needed only if states differ in size: others
    /// reuse the words of their entry.
    fn compact(&mut self, budget: &mut Budget) -> Result<(), Full> {
        let mut words = Vec::new();
        memory::grow(&mut words, self.words.len() - self.garbage, budget)?;
        for entry in self.entries.iter_mut().filter(|entry| entry.len > 0) {
            let start = words.len();
            words.extend_from_slice(&self.words[entry.start..entry.start + entry.len as usize]);
            entry.start = start;
        }
        memory::release(&mut self.words, budget);
        self.words = words;
        self.garbage = 0;
        Ok(())
    }

    fn release(&mut self, budget: &mut Budget) {
        self.index.release(budget);
        memory::release(&mut self.words, budget);
        memory::release(&mut self.entries, budget);
        memory::release(&mut self.origins, budget);
    }
}

/// A map whose keys are hashed by one multiplication.
type KeyMap<V> = HashMap<Key, V, BuildHasherDefault<KeyHasher>>;

#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys hash as one u128");
    }

    fn write_u128(&mut self, value: u128) {
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of the key")]
        let halves = [value as u64, (value >> 64) as u64];
        self.0 = crate::record::hash_words(&halves);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use sweepline_core::Word;

    use super::*;
    use crate::record::{Fixed, Variable};

    /// Inserts `states` under the key of their first word and pops everything again.
    fn check<W: Width>(width: W, states: &[Vec<Word>]) {
        let mut budget = Budget::new(None);
        let mut front = Front::default();
        let mut expected: BTreeMap<Word, Vec<Vec<Word>>> = BTreeMap::new();
        for state in states {
            let key = Key(u128::from(state[0]));
            let arrival = Arrival {
                key,
                state,
                hash: width.hash(state),
                origin: None,
            };
            let new = front.insert(width, arrival, &mut budget).unwrap();
            let layer = expected.entry(state[0]).or_default();
            assert_eq!(new, !layer.contains(state));
            if new {
                layer.push(state.clone());
            }
        }
        for (key, states) in expected {
            let key = Key(u128::from(key));
            assert_eq!(front.lowest(), Some(key));
            let layer = front
                .pop_lowest(width, key, Layer::default(), &mut budget)
                .unwrap();
            let found: Vec<_> = (0..layer.len())
                .map(|i| layer.records.get(width, i).to_vec())
                .collect();
            assert_eq!(found, states);
            front.recycle(layer, &mut budget);
        }
        assert_eq!((front.len(), front.lowest()), (0, None));
        front.release(&mut budget);
        assert_eq!(budget.held(), 0);
    }

    #[test]
    fn layers_come_out_in_order_small_and_large() {
        let states: Vec<_> = (0..5000_u64).map(|i| vec![i * i % 37, i % 113]).collect();
        check(Fixed::<2>, &states);
        let singles: Vec<_> = (0..3000_u64)
            .map(|i| vec![i * 7919 % 3001, i % 2])
            .collect();
        check(Fixed::<2>, &singles);
    }

    #[test]
    fn states_of_variable_size_are_kept_whole() {
        let states: Vec<_> = (0..4000_u64)
            .map(|i| {
                (0..=i % 5)
                    .map(|word| {
                        if word == 0 {
                            i * 31 % 400
                        } else {
                            word + i % 3
                        }
                    })
                    .collect()
            })
            .collect();
        check(Variable, &states);
    }
}
