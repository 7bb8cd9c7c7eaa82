//! Distinct slices and their numbers.

/// Slices, numbered in the order of their first occurrence.
///
/// All slices lie one after the other in a single buffer, with an open-addressing index over it, so that nothing is
/// allocated per slice.
///
/// ```
/// let mut states = sweepline_core::Interner::default();
/// assert_eq!([[3, 0], [4, 0], [3, 0]].map(|state: [u64; 2]| states.number(&state)), [0, 1, 0]);
/// assert_eq!(states.get(1), [4, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct Interner<T> {
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All slices, by number.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len()).map(|number| self.get(number))
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
        match self.find(hash, slice) {
            Ok(number) => number,
            Err(place) => self.insert(hash, place, slice),
        }
    }

    /// The number of a slice, if it has one.
    #[inline]
    pub fn known(&self, slice: &[T]) -> Option<usize> {
        self.find(T::hash(slice), slice).ok()
    }

    /// The number of a slice. A new one gets a number only if there are fewer than `most`.
    #[inline]
    pub fn number_within(&mut self, slice: &[T], most: usize) -> Option<usize> {
        let hash = T::hash(slice);
        match self.find(hash, slice) {
            Ok(number) => Some(number),
            Err(_) if self.len() >= most => None,
            Err(place) => Some(self.insert(hash, place, slice)),
        }
    }

    /// The number of a slice, or the vacant place of the index where it belongs.
    #[inline]
    fn find(&self, hash: u32, slice: &[T]) -> Result<usize, usize> {
        let mask = self.index.len() - 1;
        let mut place = hash as usize & mask;
        while self.index[place] != 0 {
            let number = self.index[place] as usize - 1;
            if self.hashes[number] == hash && self.get(number) == slice {
                return Ok(number);
            }
            place = (place + 1) & mask;
        }
        Err(place)
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
pub trait Item: Copy + Eq {
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

    #[test]
    fn bytes_are_told_apart() {
        let mut interner = Interner::default();
        let slices: Vec<Vec<u8>> = (0..20).map(|length| vec![b'a'; length]).collect();
        for _ in 0..2 {
            for (number, slice) in slices.iter().enumerate() {
                assert_eq!(interner.number(slice), number);
            }
        }
        assert!(interner.iter().eq(slices.iter().map(Vec::as_slice)));
    }

    #[test]
    fn numbers_are_those_of_the_first_occurrence() {
        let mut interner = Interner::default();
        for _ in 0..2 {
            let mut list: Vec<Vec<u64>> = Vec::new();
            // Slices of up to three numbers below three, each many times, in no particular order.
            for step in 0..2000_u64 {
                let mixed = step.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                let length = usize::try_from(mixed % 4).unwrap();
                let slice: Vec<u64> = (0..length).map(|at| mixed >> (4 + 2 * at) & 3).collect();
                let known = list.iter().position(|other| *other == slice);
                assert_eq!(interner.number(&slice), known.unwrap_or(list.len()));
                if known.is_none() {
                    list.push(slice);
                }
                assert_eq!(interner.len(), list.len());
            }
            assert!(list.len() > 60 && interner.iter().eq(list.iter().map(Vec::as_slice)));
            interner.clear();
        }
        assert!(interner.is_empty());
    }

    #[test]
    fn no_more_get_numbers_than_are_allowed() {
        let mut states = Interner::default();
        let met: [(&[u64], _); 6] = [
            (&[3], Some(0)),
            (&[], Some(1)),
            (&[3, 0], Some(2)),
            (&[3], Some(0)),
            (&[4], None), // there are three already
            (&[3, 0], Some(2)),
        ];
        for (state, number) in met {
            assert_eq!(states.number_within(state, 3), number);
        }
        assert_eq!(states.number_within(&[4], 4), Some(3));
    }
}
