//! Sets of small numbers as bits.

use crate::lists::Lists;

/// A set of numbers below a bound.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// An empty set of numbers below `bound`.
    pub(crate) fn new(bound: usize) -> Self {
        Self(vec![0; bound.div_ceil(64)])
    }

    /// A set of the indices that are true.
    pub(crate) fn of(flags: &[bool], bound: usize) -> Self {
        let mut bits = Self::new(bound);
        let numbers = (0..).zip(flags).filter(|(_, is_in)| **is_in);
        numbers.for_each(|(number, _)| bits.insert(number));
        bits
    }

    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        (self.0[number as usize / 64] >> (number % 64)) & 1 != 0
    }

    #[inline]
    pub(crate) fn insert(&mut self, number: u32) {
        self.0[number as usize / 64] |= 1 << (number % 64);
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.0.copy_from_slice(&other.0);
    }

    /// Becomes a set of as many words, or of fewer if those behind are empty.
    pub(crate) fn copy_words(&mut self, words: &[u64]) {
        for (word, bits) in self.0.iter_mut().zip(words) {
            *word = *bits;
        }
    }

    /// The words that are not empty.
    pub(crate) fn row(&self) -> Vec<(u32, u64)> {
        let words = (0..).zip(self.0.iter().copied());
        words.filter(|(_, bits)| *bits != 0).collect()
    }

    /// Becomes what two others have in common.
    pub(crate) fn keep_both(&mut self, one: &Self, other: &Self) {
        let both = one.0.iter().zip(&other.0);
        for (word, (one, other)) in self.0.iter_mut().zip(both) {
            *word = one & other;
        }
    }

    /// Becomes what a set has and another one has not.
    pub(crate) fn keep_others(&mut self, one: &Self, other: &[u64]) {
        for (word, (one, other)) in self.0.iter_mut().zip(one.0.iter().zip(other)) {
            *word = one & !other;
        }
    }

    /// The numbers in it, in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        let words = (0..).zip(&self.0);
        words.flat_map(|(index, bits)| numbers(index, *bits))
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    /// 64 numbers at once.
    #[inline]
    pub(crate) fn word(&self, index: u32) -> u64 {
        self.0[index as usize]
    }

    /// Adds numbers. Returns those that are new.
    #[inline]
    pub(crate) fn add(&mut self, index: u32, bits: u64) -> u64 {
        let word = &mut self.0[index as usize];
        let new = bits & !*word;
        *word |= bits;
        new
    }
}

/// Numbers that wait, by words: the last word first, and the greatest number of a word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack(Vec<(u32, u64)>);

impl Stack {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    #[inline]
    pub(crate) fn push(&mut self, index: u32, bits: u64) {
        if bits != 0 {
            self.0.push((index, bits));
        }
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        let (index, bits) = self.0.last_mut()?;
        let greatest = 63 - bits.leading_zeros();
        let number = *index * 64 + greatest;
        *bits ^= 1 << greatest;
        if *bits == 0 {
            self.0.pop();
        }
        Some(number)
    }
}

/// The numbers of a word of bits.
#[inline]
pub(crate) fn numbers(index: u32, mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = bits.trailing_zeros();
        if bits == 0 {
            return None;
        }
        bits &= bits - 1;
        Some(index * 64 + lowest)
    })
}

/// Many sets, each as those of its words that are not empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    ends: Vec<u32>,
    words: Vec<(u32, u64)>,
}

impl Rows {
    pub(crate) fn of(lists: &Lists) -> Self {
        let mut rows = Self::default();
        let count = u32::try_from(lists.len()).expect("there are not so many");
        rows.ends.push(0);
        for list in 0..count {
            let first = rows.words.len();
            for &number in lists.get(list) {
                rows.insert(first, number);
            }
            let end = u32::try_from(rows.words.len()).expect("tables are refused before that");
            rows.ends.push(end);
        }
        rows
    }

    /// The same with words in ascending order.
    pub(crate) fn sorted(lists: &Lists) -> Self {
        let mut rows = Self::of(lists);
        for ends in rows.ends.windows(2) {
            rows.words[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
        rows
    }

    /// Adds a number to the last row. Lists are sorted nearly always, so its word is the last one.
    fn insert(&mut self, first: usize, number: u32) {
        let (index, bit) = (number / 64, 1_u64 << (number % 64));
        let known = self.words[first..].iter_mut().rev();
        match known.into_iter().find(|(word, _)| *word == index) {
            Some((_, bits)) => *bits |= bit,
            None => self.words.push((index, bit)),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.ends) + size_of_val(&*self.words)
    }

    #[inline]
    pub(crate) fn get(&self, row: u32) -> &[(u32, u64)] {
        let row = row as usize;
        &self.words[self.ends[row] as usize..self.ends[row + 1] as usize]
    }
}
