//! Distinct slices and their numbers.

/// Slices, numbered in the order of their first occurrence.
///
/// All slices lie one after the other in a single buffer, with an open-addressing index over it, so that nothing is
/// allocated per slice.
#[derive(Clone, Debug)]
pub(crate) struct Interner<T> {
    items: Vec<T>,
    /// Where each slice ends.
    ends: Vec<usize>,
    hashes: Vec<u32>,
    /// Numbers of slices plus one; zero is vacant. The length is a power of two.
    index: Vec<u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            ends: Vec::new(),
            hashes: Vec::new(),
            index: vec![0; 16],
        }
    }
}

impl<T: Item> Interner<T> {
    /// How many distinct slices there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// How much memory they take.
    pub fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>()
            + self.ends.capacity() * size_of::<usize>()
            + (self.hashes.capacity() + self.index.len()) * size_of::<u32>()
    }

    /// The slice with this number.
    pub fn get(&self, number: usize) -> &[T] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start..self.ends[number]]
    }

    /// Forgets all slices but keeps the memory.
    pub fn clear(&mut self) {
        for &hash in &self.hashes {
            // Everything between here and the next vacant place goes as well, so order does not matter.
            let mask = self.index.len() - 1;
            let mut place = hash as usize & mask;
            while self.index[place] != 0 {
                self.index[place] = 0;
                place = (place + 1) & mask;
            }
        }
        self.items.clear();
        self.ends.clear();
        self.hashes.clear();
    }

    /// The number of a slice, which gets the next one if it is new.
    #[inline]
    pub fn number(&mut self, slice: &[T]) -> usize {
        let hash = T::hash(slice);
        let mask = self.index.len() - 1;
        let mut place = hash as usize & mask;
        while self.index[place] != 0 {
            let number = self.index[place] as usize - 1;
            if self.hashes[number] == hash && self.get(number) == slice {
                return number;
            }
            place = (place + 1) & mask;
        }
        self.insert(hash, place, slice)
    }

    fn insert(&mut self, hash: u32, place: usize, slice: &[T]) -> usize {
        let number = self.len();
        self.index[place] = u32::try_from(number + 1).expect("below 2^32 slices");
        self.items.extend_from_slice(slice);
        self.ends.push(self.items.len());
        self.hashes.push(hash);
        if self.len() * 2 > self.index.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mask = self.index.len() * 2 - 1;
        let mut index = vec![0; mask + 1];
        for (&hash, entry) in self.hashes.iter().zip(1_u32..) {
            let mut place = hash as usize & mask;
            while index[place] != 0 {
                place = (place + 1) & mask;
            }
            index[place] = entry;
        }
        self.index = index;
    }
}

/// What slices can be made of.
pub(crate) trait Item: Copy + Eq {
    /// A number that is seldom the same for different slices.
    fn hash(slice: &[Self]) -> u32;
}

impl Item for u64 {
    #[inline]
    fn hash(slice: &[Self]) -> u32 {
        mixed(slice.iter().copied())
    }
}

impl Item for u8 {
    #[inline]
    fn hash(slice: &[Self]) -> u32 {
        let (words, rest) = slice.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.iter().chain([&last]);
        mixed(words.map(|word| u64::from_le_bytes(*word)))
    }
}

/// Multiplication and rotation per word; the upper half of the last product is well mixed.
#[inline]
fn mixed(words: impl Iterator<Item = u64>) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash: u64 = 0;
    for word in words {
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    }
    let mixed = (hash ^ (hash >> 29)).wrapping_mul(FACTOR);
    u32::try_from(mixed >> 32).expect("the upper half has 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_are_told_apart() {
        let mut interner = Interner::default();
        let slices: Vec<Vec<u8>> = (0..20).map(|length| vec![b'a'; length]).collect();
        for _ in 0..2 {
            for (number, slice) in slices.iter().enumerate() {
                assert_eq!(interner.number(slice), number);
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_first_occurrence(
            slices in prop::collection::vec(prop::collection::vec(0_u64..3, 0..4), 0..200)
        ) {
            let mut interner = Interner::default();
            for _ in 0..2 {
                let mut list: Vec<&Vec<u64>> = Vec::new();
                for slice in &slices {
                    let known = list.iter().position(|other| *other == slice);
                    prop_assert_eq!(interner.number(slice), known.unwrap_or(list.len()));
                    if known.is_none() {
                        list.push(slice);
                    }
                    prop_assert_eq!(interner.len(), list.len());
                }
                for (number, slice) in list.iter().enumerate() {
                    prop_assert_eq!(interner.get(number), &slice[..]);
                }
                interner.clear();
            }
        }
    }
}
