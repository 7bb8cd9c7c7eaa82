//! Words as streams of bits.

#![expect(
    clippy::inline_always,
    reason = "positions in a word become constants only if the code that counts them is inlined"
)]

use sweepline_core::Word;

/// Appends numbers of a few bits each to a list of words, lowest bit first and without gaps.
///
/// As long as every width is a constant, the positions are constants too, and after inlining only shifts and ors
/// are left.
#[derive(Debug)]
pub struct Writer<'a> {
    words: &'a mut Vec<Word>,
    start: usize,
    /// The word under construction and how many of its bits are in use, fewer than all of them.
    word: Word,
    used: u32,
    dense: bool,
}

impl<'a> Writer<'a> {
    /// Starts a new word at the end of `words`, for a value of fixed size.
    #[inline]
    pub fn new(words: &'a mut Vec<Word>) -> Self {
        let start = words.len();
        Self {
            words,
            start,
            word: 0,
            used: 0,
            dense: false,
        }
    }

    /// Starts a new word at the end of `words`, for a value whose size differs anyway: each part takes as few bits as it
    /// needs.
    #[inline]
    pub fn dense(words: &'a mut Vec<Word>) -> Self {
        Self {
            dense: true,
            ..Self::new(words)
        }
    }

    /// Appends the lowest `bits` bits of `value`, at most 64; the others must be zero.
    #[inline(always)]
    pub fn put(&mut self, value: Word, bits: u32) {
        debug_assert!(value & !mask(bits) == 0, "{value} fits {bits} bits");
        self.word |= value << self.used;
        let end = self.used + bits;
        if end < Word::BITS {
            self.used = end;
        } else {
            self.words.push(self.word);
            self.word = value
                .checked_shr(Word::BITS - self.used)
                .unwrap_or_default();
            self.used = end - Word::BITS;
        }
    }

    /// Appends a number of `bits` bits, of which mostly few are used: small numbers are short where sizes differ.
    #[inline(always)]
    pub fn put_number(&mut self, value: Word, bits: u32) {
        if !self.dense {
            self.put(value, bits);
        } else if value >> SMALL == 0 {
            self.put(value << 1, SMALL + 1);
        } else {
            let digits = width(value).div_ceil(DIGIT);
            self.put(Word::from(digits - 1) << 1 | 1, 1 + digit_count_bits(bits));
            self.put(value, digits * DIGIT);
        }
    }

    /// Appends which of `count` alternatives it is. Where sizes differ, the first ones may be a bit shorter.
    #[inline(always)]
    pub fn put_choice(&mut self, number: Word, count: Word) {
        if !self.dense || count.is_power_of_two() {
            return self.put(number, width(count.saturating_sub(1)));
        }
        // Truncated binary code: the first bits tell whether one more follows.
        let (bits, short) = shorter(count);
        let long = number + short;
        let (code, more) = if number < short {
            (number, 0)
        } else {
            (long >> 1 | (long & 1) << bits, 1)
        };
        self.put(code, bits + more);
    }

    /// Appends which of `count` alternatives it is where that of the value before in a sorted collection is known: the same
    /// one is among the shorter ones.
    #[inline(always)]
    pub fn put_choice_after(&mut self, number: Word, before: Word, count: Word) {
        self.put_choice((number + count - before) % count, count);
    }

    /// Appends by how much a number of `bits` bits, or fewer, exceeds another one that is less: in one bit if by one.
    ///
    /// Elias' gamma code: as many zeros as the difference has bits but one, and then the difference.
    #[inline(always)]
    pub fn put_gap(&mut self, value: Word, less: Word, bits: u32) {
        // Whoever sorts numbers in another order gets differences modulo 2^bits, which are longer and right.
        let gap = value.wrapping_sub(less) & mask(bits);
        let zeros = if gap == 0 { bits } else { gap.ilog2() };
        let rest = gap & mask(zeros);
        if zeros < Word::BITS / 2 {
            return self.put((rest << 1 | 1) << zeros, 2 * zeros + 1);
        }
        self.put(0, zeros);
        self.put(1, 1);
        self.put(rest, zeros);
    }

    /// Appends zeros in place of a part that is missing, so that the size stays the same. Where sizes differ, nothing is
    /// needed.
    #[inline(always)]
    pub fn pad(&mut self, bits: Option<u32>) {
        match bits {
            // Said apart, for it is known when compiling, and whether sizes differ is not.
            None | Some(0) => {}
            Some(_) if self.dense => {}
            Some(bits) => self.put_zeros(bits),
        }
    }

    /// Appends `bits` zeros.
    #[inline(always)]
    pub fn put_zeros(&mut self, mut bits: u32) {
        while bits > Word::BITS {
            self.put(0, Word::BITS);
            bits -= Word::BITS;
        }
        self.put(0, bits);
    }

    /// Appends a number in as many groups of four bits as it needs, so that small ones are short.
    #[inline]
    pub fn put_length(&mut self, length: usize) {
        let mut rest = length as Word;
        while rest >= 1 << GROUP {
            self.put(rest & mask(GROUP) | 1 << GROUP, GROUP + 1);
            rest >>= GROUP;
        }
        self.put(rest, GROUP + 1);
    }

    /// Appends the word under construction, filled up with zeros. At least one word is written in all.
    #[inline]
    pub fn finish(self) {
        if self.used > 0 || self.words.len() == self.start {
            self.words.push(self.word);
        }
    }
}

/// Takes from a list of words the numbers that a [`Writer`] put there.
///
/// The widths asked for must be those that were written; asking for more than there is panics.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    words: &'a [Word],
    /// The word that holds the next bit, and how many of its bits are taken already.
    word: usize,
    used: u32,
    dense: bool,
}

impl<'a> Reader<'a> {
    /// Starts at the lowest bit of the first word of what a [`Writer::new`] has written.
    #[inline]
    pub fn new(words: &'a [Word]) -> Self {
        Self {
            words,
            word: 0,
            used: 0,
            dense: false,
        }
    }

    /// Starts at the lowest bit of the first word of what a [`Writer::dense`] has written.
    #[inline]
    pub fn dense(words: &'a [Word]) -> Self {
        Self {
            dense: true,
            ..Self::new(words)
        }
    }

    /// Takes a number of `bits` bits, at most 64.
    #[inline(always)]
    pub fn take(&mut self, bits: u32) -> Word {
        if bits == 0 {
            return 0;
        }
        let low = self.words[self.word] >> self.used;
        let end = self.used + bits;
        if end < Word::BITS {
            self.used = end;
            return low & mask(bits);
        }
        self.word += 1;
        let high = if end > Word::BITS {
            self.words[self.word] << (Word::BITS - self.used)
        } else {
            0
        };
        self.used = end - Word::BITS;
        (low | high) & mask(bits)
    }

    /// Takes a number that [`Writer::put_number`] put there.
    #[inline(always)]
    pub fn take_number(&mut self, bits: u32) -> Word {
        if !self.dense {
            return self.take(bits);
        }
        if self.take(1) == 0 {
            return self.take(SMALL);
        }
        let digits = self.take(digit_count_bits(bits)) + 1;
        self.take(u32::try_from(digits).unwrap_or(u32::MAX) * DIGIT)
    }

    /// Takes what [`Writer::put_choice`] put there.
    #[inline(always)]
    pub fn take_choice(&mut self, count: Word) -> Word {
        if !self.dense || count.is_power_of_two() {
            return self.take(width(count.saturating_sub(1)));
        }
        let (bits, short) = shorter(count);
        let number = self.take(bits);
        if number < short {
            return number;
        }
        (number << 1 | self.take(1)) - short
    }

    /// Takes what [`Writer::put_choice_after`] put there.
    #[inline(always)]
    pub fn take_choice_after(&mut self, before: Word, count: Word) -> Word {
        (self.take_choice(count) + before) % count
    }

    /// Takes a number that [`Writer::put_gap`] put there.
    #[inline(always)]
    pub fn take_gap(&mut self, less: Word, bits: u32) -> Word {
        let mut zeros = 0;
        while self.take(1) == 0 {
            zeros += 1;
        }
        let first = (1 as Word).checked_shl(zeros).unwrap_or(0);
        less.wrapping_add(first | self.take(zeros)) & mask(bits)
    }

    /// Passes over what [`Writer::pad`] put there.
    #[inline(always)]
    pub fn pad(&mut self, bits: Option<u32>) {
        match bits {
            None | Some(0) => {}
            Some(_) if self.dense => {}
            Some(bits) => self.skip(bits),
        }
    }

    /// How many bits have been taken.
    #[inline]
    pub(crate) fn position(&self) -> u32 {
        let words = u32::try_from(self.word).expect("a state has fewer than 2^32 bits");
        words * Word::BITS + self.used
    }

    /// How many bits have not been taken, among them those that fill up the last word.
    #[inline]
    pub(crate) fn left(&self) -> u32 {
        let words = u32::try_from(self.words.len()).expect("a state has fewer than 2^32 bits");
        (words * Word::BITS).saturating_sub(self.position())
    }

    /// Passes over `bits` bits.
    #[inline(always)]
    pub fn skip(&mut self, bits: u32) {
        let end = self.used + bits;
        self.word += (end / Word::BITS) as usize;
        self.used = end % Word::BITS;
    }

    /// Takes a number that [`Writer::put_length`] put there.
    #[inline]
    pub fn take_length(&mut self) -> usize {
        let mut length: Word = 0;
        let mut shift = 0;
        loop {
            let group = self.take(GROUP + 1);
            length |= (group & mask(GROUP)) << shift;
            if group >> GROUP == 0 {
                return usize::try_from(length)
                    .expect("the length was a usize when it was written");
            }
            shift += GROUP;
        }
    }
}

/// Bits per group of a length; one more says whether another group follows.
const GROUP: u32 = 4;

/// Numbers of so many bits are small; one more bit says that they are.
const SMALL: u32 = 3;

/// Bits per digit of a number that is not small.
const DIGIT: u32 = 4;

/// How many bits say how many digits a number of `bits` bits has.
const fn digit_count_bits(bits: u32) -> u32 {
    let most = bits.div_ceil(DIGIT);
    u32::BITS - most.saturating_sub(1).leading_zeros()
}

/// How many bits a short code for one of `count` alternatives has, and how many alternatives have one.
const fn shorter(count: Word) -> (u32, Word) {
    let bits = width(count).saturating_sub(1);
    match (2 as Word).checked_shl(bits) {
        Some(0) | None => (bits, count),
        Some(codes) => (bits, codes - count),
    }
}

/// As many ones as `bits` says.
#[inline]
pub(crate) const fn mask(bits: u32) -> Word {
    match Word::MAX.checked_shr(Word::BITS - bits) {
        Some(mask) => mask,
        None => 0,
    }
}

/// How many bits it takes to tell `0..=greatest` apart.
pub(crate) const fn width(greatest: u64) -> u32 {
    u64::BITS - greatest.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_cross_word_boundaries() {
        let numbers = [
            (5, 3),
            (Word::MAX, 64),
            (0, 0),
            (1, 1),
            (0x1234, 60),
            (7, 3),
        ];
        let mut words = vec![99];
        let mut writer = Writer::new(&mut words);
        for (value, bits) in numbers {
            writer.put(value, bits);
        }
        writer.finish();
        assert_eq!((words.len(), words[0]), (4, 99));
        let mut reader = Reader::new(&words[1..]);
        for (value, bits) in numbers {
            assert_eq!(reader.take(bits), value);
        }
    }

    #[test]
    fn zeros_are_passed_over() {
        for zeros in [0, 1, 63, 64, 65, 200] {
            let mut words = Vec::new();
            let mut writer = Writer::new(&mut words);
            writer.put(1, 1);
            writer.put_zeros(zeros);
            writer.put(3, 2);
            writer.finish();
            let mut reader = Reader::new(&words);
            reader.skip(1 + zeros);
            assert_eq!(reader.take(2), 3, "{zeros} zeros");
        }
    }

    #[test]
    fn lengths_take_four_bits_per_group() {
        for (length, words_needed) in [(0, 1), (15, 1), (128, 1), (usize::MAX, 2)] {
            let mut words = Vec::new();
            let mut writer = Writer::new(&mut words);
            writer.put_length(length);
            writer.finish();
            assert_eq!(words.len(), words_needed);
            assert_eq!(Reader::new(&words).take_length(), length);
        }
    }

    /// Writes a number and a mark behind it, and says how many bits the number has taken.
    fn bits_of(
        put: impl Fn(&mut Writer<'_>),
        take: impl Fn(&mut Reader<'_>) -> Word,
        expected: Word,
    ) -> u32 {
        let mut words = Vec::new();
        let mut writer = Writer::dense(&mut words);
        put(&mut writer);
        writer.put(1, 1);
        writer.finish();
        let mut reader = Reader::dense(&words);
        assert_eq!(take(&mut reader), expected);
        let bits = reader.word as u64 * 64 + u64::from(reader.used);
        assert_eq!(reader.take(1), 1);
        u32::try_from(bits).unwrap()
    }

    #[test]
    fn small_numbers_are_short_where_sizes_differ() {
        let bits = |value, bits| {
            bits_of(
                |out| out.put_number(value, bits),
                |input| input.take_number(bits),
                value,
            )
        };
        assert_eq!(
            [0, 7, 8, 15, 16, 255].map(|value| bits(value, 8)),
            [4, 4, 6, 6, 10, 10]
        );
        assert_eq!(
            [7, 8, 255, Word::MAX].map(|value| bits(value, 64)),
            [4, 9, 13, 69]
        );
    }

    #[test]
    fn numbers_in_ascending_order_are_shorter_still() {
        let bits = |less, value, bits| {
            bits_of(
                |out| out.put_gap(value, less, bits),
                |input| input.take_gap(less, bits),
                value,
            )
        };
        assert_eq!(
            [4, 5, 6, 7, 10, 11].map(|value| bits(3, value, 8)),
            [1, 3, 3, 5, 5, 7]
        );
        // In any other order they are long.
        assert_eq!([bits(3, 3, 8), bits(3, 2, 8)], [17, 15]);
        for (less, value) in [(0, Word::MAX), (Word::MAX, 0), (7, 7)] {
            bits(less, value, 64);
        }
    }

    #[test]
    fn alternatives_have_codes_of_two_lengths() {
        for (count, expected) in [
            (1, vec![0]),
            (2, vec![1, 1]),
            (3, vec![1, 2, 2]),
            (5, vec![2, 2, 2, 3, 3]),
        ] {
            let bits = |number| {
                bits_of(
                    |out| out.put_choice(number, count),
                    |input| input.take_choice(count),
                    number,
                )
            };
            assert_eq!((0..count).map(bits).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn nothing_still_takes_one_word() {
        let mut words = Vec::new();
        Writer::new(&mut words).finish();
        assert_eq!(words, [0]);
    }
}
