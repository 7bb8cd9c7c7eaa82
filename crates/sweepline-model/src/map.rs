//! Bounded maps of fixed size.

#![expect(
    clippy::inline_always,
    reason = "positions in a word become constants only if the code that counts them is inlined"
)]

use std::fmt;

use crate::cells::Cells;
use crate::code::{Collection, Plain};
use crate::{Encode, EncodeError, Fields, Reader, Writer};

/// A map of at most `N` keys to values.
///
/// It takes the same number of bits whatever it holds, so that states stay of fixed size. Inserting a key that a full map does
/// not hold is an error of the model: the map remembers it, and whoever hands the state over learns of it.
///
/// ```
/// use sweepline_model::{Encode, Map};
///
/// let mut votes = Map::<u8, bool, 3>::from_iter([(2, true), (1, false)]);
/// assert_eq!(votes.insert(2, false), Some(true));
/// assert_eq!(votes.get(&2), Some(&false));
/// assert_eq!(votes.iter().collect::<Vec<_>>(), [(&1, &false), (&2, &false)]);
/// assert_eq!(Map::<u8, bool, 3>::BITS, Some(2 + 3 * 9));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Map<K, V, const N: usize>(
    /// Sorted by keys, each of them once.
    Cells<(K, V), N>,
);

impl<K, V, const N: usize> Map<K, V, N> {
    /// How many keys it holds at most.
    pub const CAPACITY: usize = N;

    /// An empty map.
    #[inline]
    pub const fn new() -> Self {
        Self(Cells::new())
    }

    /// Keys and values, in the order of keys.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The keys in order.
    #[inline]
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    #[inline]
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    /// How many keys it holds.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it holds nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is no room for another key.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() == N
    }
}

impl<K: Ord, V, const N: usize> Map<K, V, N> {
    /// Maps a key to a value, and says what it was mapped to before.
    #[inline]
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if let Some(known) = self.get_mut(&key) {
            return Some(std::mem::replace(known, value));
        }
        let smaller = self.keys().take_while(|other| **other < key).count();
        self.0.insert(smaller, (key, value));
        None
    }

    /// Takes a key out, and says what it was mapped to.
    #[inline]
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let index = self.position(key)?;
        self.0.remove(index).map(|(_, value)| value)
    }

    /// What a key is mapped to.
    #[inline]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.0.get(self.position(key)?).map(|(_, value)| value)
    }

    /// What a key is mapped to, for changing.
    #[inline]
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let index = self.position(key)?;
        self.0.get_mut(index).map(|(_, value)| value)
    }

    /// Whether it holds a key.
    #[inline]
    pub fn contains_key(&self, key: &K) -> bool {
        self.position(key).is_some()
    }

    fn position(&self, key: &K) -> Option<usize> {
        self.keys().position(|other| other == key)
    }
}

impl<K, V, const N: usize> Default for Map<K, V, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Ord, V, const N: usize> FromIterator<(K, V)> for Map<K, V, N> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut map = Self::new();
        map.extend(pairs);
        map
    }
}

impl<K: Ord, V, const N: usize> Extend<(K, V)> for Map<K, V, N> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        for (key, value) in pairs {
            self.insert(key, value);
        }
    }
}

impl<K: fmt::Debug, V: fmt::Debug, const N: usize> fmt::Debug for Map<K, V, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Encode, V: Encode, const N: usize> Encode for Map<K, V, N> {
    const BITS: Option<u32> = <Cells<(K, V), N> as Collection<Plain>>::BITS;
    #[inline(always)]
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        Collection::<Plain>::put(&self.0, out)
    }
    #[inline(always)]
    fn decode(input: &mut Reader<'_>) -> Self {
        Self(Collection::<Plain>::take(input))
    }
    fn fields(out: &mut Fields) {
        <Cells<(K, V), N> as Collection<Plain>>::fields(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack;

    #[test]
    fn only_a_new_key_can_be_too_many() {
        let mut map = Map::<u8, u8, 1>::from_iter([(1, 2), (1, 3)]);
        assert_eq!((map.remove(&2), map.get(&1)), (None, Some(&3)));
        assert!(pack(&map, &mut Vec::new()).is_ok());
        map.insert(2, 3);
        assert!(pack(&map, &mut Vec::new()).is_err());
    }
}
