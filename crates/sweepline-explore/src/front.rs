//! The front: states reached but not yet expanded, in layers ahead of the sweep-line.
//!
//! Some measures have few large layers, others millions of tiny ones. A layer of its own (arena and index) costs
//! a few hundred bytes before it holds anything, so layers start in a table they share and move out when they
//! have grown.

mod small;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use sweepline_core::{Key, LayerId, Word};

use self::small::Small;
use crate::layer::Layer;
use crate::log::Origin;
use crate::memory::{Budget, Full};
use crate::record::{Rewrite, Width};
use crate::stores::{Stored, narrow};
use crate::sweep::Halt;

/// From this many states on, a layer gets its own arena.
const LARGE: u32 = 64;

/// Retired layers that are kept for reuse: as one is closed, another is opened, so few suffice.
const POOL: usize = 2;

/// Larger layers are not kept: their memory is worth more than the time to get it again.
const POOLED_BYTES: usize = 1 << 20;

/// Large layers that are found at once.
const RECENT: usize = 8;

/// States from which on look-ups are expected to miss the cache.
const MANY: usize = 1 << 15;

/// A state that has been reached and may have to be stored.
#[derive(Clone, Copy)]
pub(crate) struct Arrival<'a> {
    pub(crate) key: Key,
    pub(crate) state: &'a [Word],
    pub(crate) hash: u64,
    /// How it was reached, if the log is on.
    pub(crate) origin: Option<Origin>,
}

/// Where in the front a state is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FrontPlace {
    /// Which large layer, and where in it.
    Large(usize, usize),
    /// An entry in the table of small layers.
    Small(usize),
}

/// A large layer of the front: where its states are added without asking for its key again. It stays what it is until the
/// layer is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Home(u32);

/// All layers ahead of the sweep-line.
#[derive(Debug, Default)]
pub(crate) struct Front {
    /// The keys of all layers, least first. Each key is in here once.
    order: BinaryHeap<Reverse<Key>>,
    large: KeyMap<Home>,
    layers: Vec<Layer>,
    vacant: Vec<usize>,
    small: Small,
    pool: Vec<Layer>,
    /// Keys that were looked up last, each where it belongs: steps lead to a few layers again and again.
    recent: [Option<(Key, Option<Home>)>; RECENT],
    len: usize,
    /// Layers that got a name so far.
    named: u64,
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

    /// From now on states of small layers can be named. Nothing must be in the front yet.
    pub(crate) fn start_linking(&mut self) {
        self.small.start_linking();
    }

    /// A name for a layer. They repeat when there are none left.
    pub(crate) fn next_id(&mut self) -> LayerId {
        let id = self.peek_id();
        self.named += 1;
        id
    }

    fn peek_id(&self) -> LayerId {
        #[expect(clippy::cast_possible_truncation, reason = "names repeat in the end")]
        LayerId(self.named as u32)
    }

    /// Whether names repeat.
    pub(crate) fn names_ran_out(&self) -> bool {
        self.named > u64::from(u32::MAX)
    }

    /// Goes on with the names of another front.
    pub(crate) fn take_names(&mut self, other: &Self) {
        self.named = other.named;
    }

    /// The layer that a state with this key is in, and its index there. Small layers can be asked only while linking.
    #[inline]
    pub(crate) fn name(&self, key: Key, place: FrontPlace) -> (LayerId, u32) {
        match place {
            FrontPlace::Large(layer, index) => (self.layers[layer].id, narrow(index)),
            FrontPlace::Small(entry) => self.small.name(key, entry),
        }
    }

    /// Adds a state to the layer of its key, unless it is there already. Where there is no room, nothing changes.
    #[inline]
    pub(crate) fn insert<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
        budget: &mut Budget,
    ) -> Result<Stored<FrontPlace>, Full> {
        let stored = match self.home(arrival.key) {
            Some(home) => {
                let (state, hash) = (arrival.state, arrival.hash);
                let layer = &mut self.layers[home.position()];
                let stored = layer.insert(width, state, hash, arrival.origin, budget)?;
                stored.map(|index| FrontPlace::Large(home.position(), index))
            }
            None => self.insert_small(width, arrival, budget)?,
        };
        self.len += usize::from(stored.new);
        Ok(stored)
    }

    /// Adds a state with its hash to a large layer at a position that [`Layer::probe`] found vacant, and says which one of
    /// the layer it is. Where there is no room, nothing changes.
    #[inline]
    pub(crate) fn add_at<W: Width>(
        &mut self,
        width: W,
        home: Home,
        vacant: usize,
        state: (&[Word], u64),
        origin: Option<Origin>,
        budget: &mut Budget,
    ) -> Result<usize, Full> {
        let layer = &mut self.layers[home.position()];
        let place = layer.add_reached(width, vacant, state, origin, budget)?;
        self.len += 1;
        Ok(place)
    }

    /// The same for a state that has been expanded, before any that waits comes into its layer.
    pub(crate) fn keep<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
        budget: &mut Budget,
    ) -> Result<(), Full> {
        let stored = self.insert(width, arrival, budget)?;
        match stored.place {
            FrontPlace::Large(position, _) => {
                let layer = &mut self.layers[position];
                layer.kept = layer.len();
                Ok(())
            }
            FrontPlace::Small(_) => self.small.keep_all(arrival.key, budget),
        }
    }

    /// The large layer of a key, if it has one.
    #[inline]
    pub(crate) fn home(&mut self, key: Key) -> Option<Home> {
        match self.recent[place_of(key)] {
            Some((known, home)) if known == key => home,
            _ => self.look_up(key),
        }
    }

    #[inline(never)]
    fn look_up(&mut self, key: Key) -> Option<Home> {
        if self.large.is_empty() {
            return None;
        }
        let home = self.large.get(&key).copied();
        self.recent[place_of(key)] = Some((key, home));
        home
    }

    /// Whether any layer is large.
    #[inline]
    pub(crate) fn has_large_layers(&self) -> bool {
        !self.large.is_empty()
    }

    /// A large layer.
    #[inline]
    pub(crate) fn at(&self, home: Home) -> &Layer {
        &self.layers[home.position()]
    }

    /// Whether there is so much in the front that it is worth loading ahead what look-ups will touch.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        self.len > MANY
    }

    fn insert_small<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
        budget: &mut Budget,
    ) -> Result<Stored<FrontPlace>, Full> {
        let key = arrival.key;
        let id = self.peek_id();
        let (entry, count) = self.small.insert(width, arrival, id, budget)?;
        let mut place = FrontPlace::Small(entry);
        let Some(count) = count else {
            return Ok(Stored { place, new: false });
        };
        if count == 1 {
            self.named += 1;
            self.order.push(Reverse(key));
        } else if count >= LARGE {
            let mut layer = self.pool.pop().unwrap_or_default();
            match self.small.move_out(width, key, &mut layer, budget) {
                Ok(()) => place = FrontPlace::Large(self.settle(key, layer), count as usize - 1),
                Err(_) => self.recycle(layer, budget), // there is no room for it now, so it stays where it is
            }
        }
        Ok(Stored { place, new: true })
    }

    /// Gives a large layer its place.
    fn settle(&mut self, key: Key, layer: Layer) -> usize {
        self.recent[place_of(key)] = None;
        let position = self.vacant.pop().unwrap_or(self.layers.len());
        if position == self.layers.len() {
            self.layers.push(layer);
        } else {
            self.layers[position] = layer;
        }
        self.large.insert(key, Home(narrow(position)));
        position
    }

    /// Removes the lowest layer, whose key is `key`, and puts its states into `layer`. What was in there is
    /// forgotten and its memory used again. Where there is no room, the front stays as it is.
    pub(crate) fn pop_lowest<W: Width>(
        &mut self,
        width: W,
        key: Key,
        layer: &mut Layer,
        budget: &mut Budget,
    ) -> Result<(), Full> {
        self.recent[place_of(key)] = None;
        if let Some(home) = self.large.remove(&key) {
            let position = home.position();
            self.vacant.push(position);
            let popped = std::mem::take(&mut self.layers[position]);
            self.recycle(std::mem::replace(layer, popped), budget);
        } else {
            layer.clear(budget);
            self.small.move_out(width, key, layer, budget)?;
        }
        let popped = self.order.pop();
        debug_assert_eq!(popped, Some(Reverse(key)));
        budget.give_back(ORDER_BYTES);
        self.len -= layer.len();
        Ok(())
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

    /// Shows every record that [`Front::recode`] rewrites.
    pub(crate) fn each_record(&self, width: usize, visit: &mut dyn FnMut(&[Word])) {
        for layer in &self.layers {
            layer.each_record(width, visit);
        }
        self.small.each_record(width, visit);
    }

    /// Rewrites every state in place; keys and order stay as they are.
    pub(crate) fn recode(
        &mut self,
        widths: (usize, usize),
        budget: &mut Budget,
        rewrite: &mut Rewrite<'_>,
    ) -> Result<(), Halt> {
        for mut layer in self.pool.drain(..) {
            layer.release(budget);
        }
        for layer in &mut self.layers {
            layer.recode(widths, budget, rewrite)?;
        }
        self.small.recode(widths, budget, rewrite)
    }

    /// Gives back what serves only to look states up and to add more. After this, states can only be taken out.
    pub(crate) fn release_indexes(&mut self, budget: &mut Budget) {
        for layer in &mut self.layers {
            layer.release_index(budget);
        }
        for mut layer in self.pool.drain(..) {
            layer.release(budget);
        }
        self.small.release_index(budget);
    }

    /// All states that wait, with their layer and their index in it, and how they were reached, in no particular order.
    pub(crate) fn states<W: Width>(
        &self,
        width: W,
    ) -> impl Iterator<Item = ((LayerId, usize), &[Word], Option<Origin>)> {
        let large = self.layers.iter().flat_map(move |layer| {
            let waiting = layer.states(width).enumerate().skip(layer.kept);
            waiting.map(|(index, (state, origin))| ((layer.id, index), state, origin))
        });
        large.chain(self.small.states(width))
    }

    /// Takes out a large layer; nothing if only small ones are left.
    pub(crate) fn take_large(&mut self) -> Option<Layer> {
        self.layers.pop()
    }

    /// Gives all memory back.
    pub(crate) fn release(mut self, budget: &mut Budget) {
        for layer in self.layers.iter_mut().chain(&mut self.pool) {
            layer.release(budget);
        }
        self.small.release(budget);
        budget.give_back(self.order.len() * ORDER_BYTES);
    }
}

impl Home {
    #[inline]
    fn position(self) -> usize {
        self.0 as usize
    }
}

/// Where the layer of a key is among those that were used last. Keys of steps differ in any of their bits, rather in few.
#[inline]
fn place_of(key: Key) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the key")]
    let halves = (key.0 as u64) ^ ((key.0 >> 64) as u64);
    let spread = halves.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - RECENT.ilog2());
    usize::try_from(spread).unwrap_or(0)
}

/// Bytes of an entry in the ordered index, counting that heaps double.
const ORDER_BYTES: usize = size_of::<Key>() * 2;

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
        front.start_linking();
        let mut ids: BTreeMap<Word, LayerId> = BTreeMap::new();
        let mut expected: BTreeMap<Word, Vec<Vec<Word>>> = BTreeMap::new();
        for state in states {
            let key = Key(u128::from(state[0]));
            let arrival = Arrival {
                key,
                state,
                hash: width.hash(state),
                origin: None,
            };
            let stored = front.insert(width, arrival, &mut budget).unwrap();
            let layer = expected.entry(state[0]).or_default();
            assert_eq!(stored.new, !layer.contains(state));
            if stored.new {
                layer.push(state.clone());
            }
            let index = layer.iter().position(|other| other == state).unwrap();
            let (id, named) = front.name(key, stored.place);
            assert_eq!(named as usize, index);
            assert_eq!(*ids.entry(state[0]).or_insert(id), id);
        }
        for (id, (key, states)) in ids.into_values().zip(expected) {
            let key = Key(u128::from(key));
            assert_eq!(front.lowest(), Some(key));
            let mut layer = Layer::default();
            front
                .pop_lowest(width, key, &mut layer, &mut budget)
                .unwrap();
            let found: Vec<_> = (0..layer.len())
                .map(|i| layer.records.get(width, i).to_vec())
                .collect();
            assert_eq!((layer.id, found), (id, states));
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

    fn arrival<W: Width>(width: W, state: &[Word]) -> Arrival<'_> {
        Arrival {
            key: Key(u128::from(state[0])),
            state,
            hash: width.hash(state),
            origin: Origin::step(state[1], 0),
        }
    }

    /// Allows a little more than before.
    fn raise(budget: &mut Budget, limit: &mut usize) {
        *limit += *limit / 8 + 1;
        let held = budget.held();
        *budget = Budget::new(Some(*limit));
        budget.take(held).unwrap();
    }

    /// Inserts and removes, with more memory whenever it runs out: whatever was refused can be done again, and all
    /// states come out once, with their origins.
    fn check_full<W: Width>(width: W, mut limit: usize) {
        let states: Vec<_> = (0..300_u64).map(|i| vec![i * i % 7, i]).collect();
        let mut budget = Budget::new(Some(limit));
        let mut front = Front::default();
        for state in &states {
            let arrival = arrival(width, state);
            while front.insert(width, arrival, &mut budget).is_err() {
                raise(&mut budget, &mut limit);
            }
        }
        assert_eq!(front.len(), states.len());
        let mut found = Vec::new();
        while let Some(key) = front.lowest() {
            let mut layer = Layer::default();
            let refused = |front: &mut Front, layer: &mut Layer, budget: &mut Budget| {
                front.pop_lowest(width, key, layer, budget).is_err()
            };
            while refused(&mut front, &mut layer, &mut budget) {
                raise(&mut budget, &mut limit);
            }
            for (state, origin) in layer.states(width) {
                assert_eq!(origin, Origin::step(state[1], 0));
                found.push(state.to_vec());
            }
            layer.release(&mut budget);
        }
        found.sort_by_key(|state| state[1]);
        assert_eq!(found, states);
        front.release(&mut budget);
        assert_eq!(budget.held(), 0);
    }

    #[test]
    fn what_is_refused_for_lack_of_memory_changes_nothing() {
        for limit in (10..2000).step_by(13) {
            check_full(Fixed::<2>, limit);
            check_full(Variable, limit);
        }
    }

    /// Without its indexes, a front still has all its states, and in the end gives everything back.
    #[test]
    fn a_front_can_be_taken_apart() {
        let scattered = (0..300_u64).map(|i| vec![i * i % 97, i]);
        let of_one_layer = (1000..1100).map(|i| vec![5, i]);
        let mut budget = Budget::new(None);
        let mut front = Front::default();
        for state in scattered.chain(of_one_layer) {
            let stored = front.insert(Variable, arrival(Variable, &state), &mut budget);
            assert!(stored.unwrap().new);
        }
        front.release_indexes(&mut budget);
        let mut found: Vec<_> = front
            .states(Variable)
            .map(|(_, state, _)| state[1])
            .collect();
        found.sort_unstable();
        assert!(found.into_iter().eq((0..300).chain(1000..1100)));
        let mut large = 0;
        while let Some(mut layer) = front.take_large() {
            assert!(layer.states(Variable).all(|(state, _)| state[0] == 5));
            large += layer.len();
            layer.release(&mut budget);
        }
        assert!(large >= 100);
        assert_eq!(front.states(Variable).count(), 400 - large);
        front.release(&mut budget);
        assert_eq!(budget.held(), 0);
    }
}
