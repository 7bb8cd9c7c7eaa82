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
    seen: Seen,
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
            seen: Seen::default(),
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
        self.seen.len()
    }

    pub(super) fn bytes(&self) -> usize {
        let states = self.of_left.len() + self.of_right.len();
        self.seen.bytes()
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
        match side {
            Side::Left => self.seen.add_left(),
            Side::Right => self.seen.add_right(id as usize),
        }
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
        self.of_left[left as usize] == self.of_right[right as usize]
            && self.seen.contains(left, right)
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

/// The pairs that are known.
///
/// The right state of a pair is one of those that have the valuation of the left one. Mostly these are few, so that a word for each
/// left state has a bit for nearly all of them: everything fits a cache where a hash table of pairs would not.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// How many right states have each valuation.
    rights: Vec<u32>,
    /// The place of each right state among those of its valuation.
    places: Vec<u32>,
    /// For each left state, the right states at the first places.
    near: Vec<u64>,
    near_len: usize,
    /// Pairs with other right states.
    far: PairSet,
}

impl Seen {
    fn add_left(&mut self) {
        self.near.push(0);
    }

    fn add_right(&mut self, valuation: usize) {
        if self.rights.len() <= valuation {
            self.rights.resize(valuation + 1, 0);
        }
        let count = &mut self.rights[valuation];
        self.places.push(*count);
        *count += 1;
    }

    #[inline]
    fn contains(&self, left: u32, right: u32) -> bool {
        match self.places[right as usize] {
            place @ 0..u64::BITS => self.near[left as usize] >> place & 1 != 0,
            _ => self.far.contains(left, right),
        }
    }

    #[inline]
    fn insert(&mut self, left: u32, right: u32) -> bool {
        let place = self.places[right as usize];
        if place >= u64::BITS {
            return self.far.insert(left, right);
        }
        let near = &mut self.near[left as usize];
        let is_new = *near >> place & 1 == 0;
        *near |= 1 << place;
        self.near_len += usize::from(is_new);
        is_new
    }

    fn len(&self) -> usize {
        self.near_len + self.far.len
    }

    fn bytes(&self) -> usize {
        (self.rights.capacity() + self.places.capacity()) * size_of::<u32>()
            + (self.near.capacity() + self.far.places.len()) * size_of::<u64>()
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

    /// One valuation has more right states than a word has bits, and two have one left state each.
    #[test]
    fn pairs_of_a_valuation_are_told_apart() {
        let mut joint = Joint::new((0, 1), [0b1].into());
        for state in [0b00_u64, 0b01, 0b10] {
            joint.add_state(Side::Left, &[state]);
        }
        for state in 0..200_u64 {
            joint.add_state(Side::Right, &[state]);
        }
        let agree = |left: u32, right: u32| (left == 1) == (right % 2 == 1);
        let mut count = 0;
        for round in 0..2 {
            for (left, right) in (0..3).flat_map(|left| (0..200).map(move |right| (left, right))) {
                if agree(left, right) && (left + right) % 3 != 0 {
                    assert_eq!(joint.insert(left, right), round == 0, "{left} {right}");
                    count += 1 - round;
                }
            }
        }
        assert_eq!(joint.len(), count);
        for (left, right) in (0..3).flat_map(|left| (0..200).map(move |right| (left, right))) {
            let is_in = agree(left, right) && (left + right) % 3 != 0;
            assert_eq!(joint.contains(left, right), is_in, "{left} {right}");
        }
    }
}
