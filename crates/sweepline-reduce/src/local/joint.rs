//! Pairs of local states that may occur together.

use sweepline_core::{Interner, Word};

/// The pairs of local states of two processes, as far as they are known.
///
/// Both states of a pair agree on what both processes see. Such valuations are numbered, so that states are compared by a
/// number.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    left: usize,
    right: usize,
    common: Box<[Word]>,
    valuations: Interner<Word>,
    /// The valuation of every state of the two processes.
    of_left: Vec<u32>,
    of_right: Vec<u32>,
    seen: PairSet,
    /// The states of the other process that each state was followed with.
    with_left: Vec<Vec<u32>>,
    with_right: Vec<Vec<u32>>,
}

/// One of two processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    pub(super) fn index(self) -> usize {
        match self {
            Self::Left => 0,
            Self::Right => 1,
        }
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

impl Joint {
    pub(super) fn new((left, right): (usize, usize), common: Box<[Word]>) -> Self {
        Self {
            left,
            right,
            common,
            valuations: Interner::default(),
            of_left: Vec::new(),
            of_right: Vec::new(),
            seen: PairSet::default(),
            with_left: Vec::new(),
            with_right: Vec::new(),
        }
    }

    pub(super) fn processes(&self) -> (usize, usize) {
        (self.left, self.right)
    }

    pub(super) fn process(&self, side: Side) -> usize {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }

    /// On which side a process is.
    pub(super) fn side(&self, process: usize) -> Option<Side> {
        match process {
            _ if process == self.left => Some(Side::Left),
            _ if process == self.right => Some(Side::Right),
            _ => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.seen.len
    }

    pub(super) fn bytes(&self) -> usize {
        let states = self.of_left.len() + self.of_right.len();
        self.seen.places.len() * size_of::<u64>()
            + self.valuations.bytes()
            + states * (size_of::<u32>() + size_of::<Vec<u32>>())
            // Lists have room for up to twice of what they hold, and every pair is in two.
            + 3 * size_of::<u32>() * self.len()
    }

    /// Takes note of the next state of a process.
    pub(super) fn add_state(&mut self, side: Side, state: &[Word]) {
        let words = state.iter().zip(&self.common);
        let valuation: Vec<Word> = words.map(|(word, mask)| word & mask).collect();
        let id = crate::tables::number(self.valuations.number(&valuation));
        let (valuations, with) = match side {
            Side::Left => (&mut self.of_left, &mut self.with_left),
            Side::Right => (&mut self.of_right, &mut self.with_right),
        };
        valuations.push(id);
        with.push(Vec::new());
    }

    /// What a state of a process makes of what both see.
    #[inline]
    pub(super) fn valuation(&self, side: Side, state: u32) -> u32 {
        match side {
            Side::Left => self.of_left[state as usize],
            Side::Right => self.of_right[state as usize],
        }
    }

    /// Takes note of a pair. Says whether it is new.
    #[inline]
    pub(super) fn insert(&mut self, left: u32, right: u32) -> bool {
        debug_assert_eq!(
            self.of_left[left as usize], self.of_right[right as usize],
            "both see the same of what they share"
        );
        self.seen.insert(left, right)
    }

    pub(super) fn contains(&self, left: u32, right: u32) -> bool {
        self.seen.contains(left, right)
    }

    /// Takes note that a pair is being followed.
    pub(super) fn follow(&mut self, left: u32, right: u32) {
        self.with_left[left as usize].push(right);
        self.with_right[right as usize].push(left);
    }

    /// The states of the other process that a state was followed with.
    #[inline]
    pub(super) fn with(&self, side: Side, state: u32) -> &[u32] {
        match side {
            Side::Left => &self.with_left[state as usize],
            Side::Right => &self.with_right[state as usize],
        }
    }

    /// A state of one process after the other one has changed what both see.
    pub(super) fn updated(&self, state: &[Word], change: &[Word], out: &mut Vec<Word>) {
        out.clear();
        let words = state.iter().zip(change).zip(&self.common);
        out.extend(words.map(|((word, change), mask)| (word & !mask) | (change & mask)));
    }

    /// Every pair that was followed.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let lists = self.with_left.iter().zip(0_u32..);
        lists.flat_map(|(list, left)| list.iter().map(move |right| (left, *right)))
    }
}

/// A set of pairs with open addressing. What is stored is one more than the pair, as zero is vacant.
#[derive(Clone, Debug)]
struct PairSet {
    /// The length is a power of two.
    places: Vec<u64>,
    len: usize,
}

impl Default for PairSet {
    fn default() -> Self {
        Self {
            places: vec![0; 64],
            len: 0,
        }
    }
}

fn key(left: u32, right: u32) -> u64 {
    ((u64::from(left) << 32) | u64::from(right)) + 1
}

impl PairSet {
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = self.places.len().trailing_zeros();
        let mask = self.places.len() - 1;
        let mut place =
            usize::try_from(mixed >> (u64::BITS - bits)).expect("it is below the length");
        while self.places[place] != 0 && self.places[place] != key {
            place = (place + 1) & mask;
        }
        place
    }

    #[inline]
    fn contains(&self, left: u32, right: u32) -> bool {
        self.places[self.place(key(left, right))] != 0
    }

    #[inline]
    fn insert(&mut self, left: u32, right: u32) -> bool {
        let key = key(left, right);
        let place = self.place(key);
        if self.places[place] != 0 {
            return false;
        }
        self.places[place] = key;
        self.len += 1;
        if self.len * 3 > self.places.len() * 2 {
            self.grow();
        }
        true
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![0; self.places.len() * 2];
        let old = std::mem::replace(&mut self.places, larger);
        for key in old.into_iter().filter(|key| *key != 0) {
            let place = self.place(key);
            self.places[place] = key;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_told_apart() {
        let mut set = PairSet::default();
        for round in 0..2 {
            for left in 0..100 {
                for right in 0..50 {
                    assert_eq!(set.insert(left, right), round == 0, "{left} {right}");
                }
            }
        }
        assert_eq!(set.len, 5000);
        assert!(set.contains(99, 49) && !set.contains(49, 99));
        assert!(set.insert(u32::MAX - 1, u32::MAX));
    }
}
