//! Sets of instances, by their numbers.

/// A set of numbers below a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Set {
    words: Vec<u64>,
    numbers: u32,
}

/// A set, or all numbers, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Side<'s> {
    Constant(bool),
    Set(&'s Set),
}

impl Side<'_> {
    #[inline]
    pub(crate) fn contains(self, number: u32) -> bool {
        match self {
            Self::Constant(value) => value,
            Self::Set(set) => set.contains(number),
        }
    }

    /// The same as a set of its own.
    pub(crate) fn to_set(self, numbers: u32) -> Set {
        match self {
            Self::Constant(value) => Set::filled(numbers, value),
            Self::Set(set) => set.clone(),
        }
    }
}

impl Set {
    /// No number, or all of them.
    pub(crate) fn filled(numbers: u32, full: bool) -> Self {
        let words = (numbers as usize).div_ceil(64);
        let mut set = Self {
            words: vec![if full { u64::MAX } else { 0 }; words],
            numbers,
        };
        set.cut();
        set
    }

    /// The numbers below a limit whose bits are set, as [`Set::words`] gives them.
    pub(crate) fn of_words(words: Vec<u64>, numbers: u32) -> Self {
        Self { words, numbers }
    }

    /// Below which numbers its members are.
    pub(crate) fn numbers(&self) -> u32 {
        self.numbers
    }

    /// The bits.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Bits beyond the limit are never set.
    fn cut(&mut self) {
        if let Some(last) = self.words.last_mut()
            && !self.numbers.is_multiple_of(64)
        {
            *last &= (1 << (self.numbers % 64)) - 1;
        }
    }

    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.words[(number / 64) as usize] >> (number % 64) & 1 == 1
    }

    /// Puts a number in, or takes it out.
    #[inline]
    pub(crate) fn set(&mut self, number: u32, member: bool) {
        let bit = 1 << (number % 64);
        let word = &mut self.words[(number / 64) as usize];
        if member {
            *word |= bit;
        } else {
            *word &= !bit;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub(crate) fn count(&self) -> usize {
        let ones = self.words.iter().map(|word| word.count_ones() as usize);
        ones.sum()
    }

    pub(crate) fn and(mut self, other: Side<'_>) -> Self {
        match other {
            Side::Constant(true) => {}
            Side::Constant(false) => self.words.fill(0),
            Side::Set(other) => self.zip(other, |a, b| a & b),
        }
        self
    }

    pub(crate) fn or(mut self, other: Side<'_>) -> Self {
        match other {
            Side::Constant(false) => {}
            Side::Constant(true) => {
                self.words.fill(u64::MAX);
                self.cut();
            }
            Side::Set(other) => self.zip(other, |a, b| a | b),
        }
        self
    }

    pub(crate) fn without(mut self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b);
        self
    }

    pub(crate) fn negated(mut self) -> Self {
        for word in &mut self.words {
            *word = !*word;
        }
        self.cut();
        self
    }

    fn zip(&mut self, other: &Self, combine: impl Fn(u64, u64) -> u64) {
        for (word, &other) in self.words.iter_mut().zip(&other.words) {
            *word = combine(*word, other);
        }
    }

    /// The largest member below a limit.
    pub(crate) fn last_below(&self, limit: u32) -> Option<u32> {
        let last = limit.checked_sub(1)?;
        let mut at = (last / 64) as usize;
        let mut word = self.words.get(at)? & (u64::MAX >> (63 - last % 64));
        while word == 0 {
            at = at.checked_sub(1)?;
            word = self.words[at];
        }
        let start = u32::try_from(at * 64).expect("numbers have 32 bits");
        Some(start + word.ilog2())
    }

    pub(crate) fn bytes(numbers: u32) -> usize {
        (numbers as usize).div_ceil(64) * size_of::<u64>()
    }

    /// The words, and how many numbers come before each.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        let mut before = 0;
        let ranks = self.words.iter().map(|word| {
            let here = before;
            before += word.count_ones();
            here
        });
        ranks.collect()
    }

    /// How many members come before this one.
    #[inline]
    pub(crate) fn rank(&self, ranks: &[u32], number: u32) -> u32 {
        let at = (number / 64) as usize;
        let below = self.words[at] & ((1 << (number % 64)) - 1);
        ranks[at] + below.count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the largest to the smallest.
    fn members(set: &Set) -> Vec<u32> {
        let (mut all, mut limit) = (Vec::new(), set.numbers);
        while let Some(number) = set.last_below(limit) {
            all.push(number);
            limit = number;
        }
        all
    }

    #[test]
    fn sets_have_no_members_beyond_their_limit() {
        for numbers in [0, 1, 63, 64, 65, 130] {
            let all = Set::filled(numbers, true);
            assert_eq!(all.count(), numbers as usize);
            assert!(all.clone().negated().is_empty());
            let none = Set::filled(numbers, false);
            assert_eq!(none.clone().or(Side::Constant(true)), all);
            assert_eq!(all.clone().and(Side::Set(&none)), none);
            assert_eq!(members(&all).len(), numbers as usize);
        }
    }

    #[test]
    fn members_have_ranks() {
        let mut set = Set::filled(200, false);
        for number in [0, 63, 64, 130, 199] {
            set.set(number, true);
        }
        set.set(64, false);
        assert_eq!(members(&set), [199, 130, 63, 0]);
        let ranks = set.ranks();
        let ranked = [0, 63, 130, 199].map(|number| set.rank(&ranks, number));
        assert_eq!(ranked, [0, 1, 2, 3]);
    }
}
