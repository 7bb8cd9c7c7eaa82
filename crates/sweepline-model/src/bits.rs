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
}

impl<'a> Writer<'a> {
    /// Starts a new word at the end of `words`.
    #[inline]
    pub fn new(words: &'a mut Vec<Word>) -> Self {
        let start = words.len();
        Self {
            words,
            start,
            word: 0,
            used: 0,
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

    /// Appends `bits` zeros.
    #[inline(always)]
    pub fn put_zeros(&mut self, mut bits: u32) {
        while bits > Word::BITS {
            self.put(0, Word::BITS);
            bits -= Word::BITS;
        }
        self.put(0, bits);
    }

    /// Appends a number in as many groups of seven bits as it needs, so that small ones are short.
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
}

impl<'a> Reader<'a> {
    /// Starts at the lowest bit of the first word.
    #[inline]
    pub fn new(words: &'a [Word]) -> Self {
        Self {
            words,
            word: 0,
            used: 0,
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
const GROUP: u32 = 7;

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
    fn lengths_take_seven_bits_per_group() {
        for (length, words_needed) in [(0, 1), (127, 1), (128, 1), (usize::MAX, 2)] {
            let mut words = Vec::new();
            let mut writer = Writer::new(&mut words);
            writer.put_length(length);
            writer.finish();
            assert_eq!(words.len(), words_needed);
            assert_eq!(Reader::new(&words).take_length(), length);
        }
    }

    #[test]
    fn nothing_still_takes_one_word() {
        let mut words = Vec::new();
        Writer::new(&mut words).finish();
        assert_eq!(words, [0]);
    }
}
