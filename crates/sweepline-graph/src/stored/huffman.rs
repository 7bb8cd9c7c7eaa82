//! Codes that give frequent symbols short words: canonical Huffman codes of bounded length.
//!
//! A code is told by the length of each symbol's word. If only one symbol occurs, its word is empty.

use super::bits::{BitReader, BitWriter, low};
use super::error::Damage;

/// No word is longer, so that tables stay small.
const LONGEST: u32 = 13;
/// Words up to this length are decoded by one look at a table.
const DIRECT: u32 = LONGEST;

/// The word of a symbol, and its length.
pub(crate) type Word = (u16, u8);

/// Makes codes. It holds nothing but memory that is used again: there are some hundred codes for some thousand nodes.
#[derive(Debug, Default)]
pub(crate) struct Coder {
    counts: Vec<u32>,
    order: Vec<u32>,
    /// Where numbers of each size begin in the order.
    starts: Vec<u32>,
    sums: Vec<u64>,
    lengths: Vec<u8>,
}

impl Coder {
    /// The best code for symbols that occur so often; those that occur are listed, ascending.
    pub(crate) fn code(&mut self, symbols: impl Iterator<Item = (u32, u32)> + Clone) -> Code {
        self.counts.clear();
        self.counts.extend(symbols.clone().map(|(_, count)| count));
        self.find_lengths();
        let used = symbols.map(|(symbol, _)| symbol);
        Code {
            words: used.zip(canonical(&self.lengths)).collect(),
        }
    }

    /// How long the words of symbols with these frequencies are.
    ///
    /// If the best lengths are too long, frequencies are levelled until they are not: that is nearly the best of bounded length.
    fn find_lengths(&mut self) {
        loop {
            self.find_unbounded_lengths();
            let mut lengths = self.lengths.iter();
            if lengths.all(|&length| u32::from(length) <= LONGEST) {
                return;
            }
            for count in &mut self.counts {
                *count = *count / 2 + 1;
            }
        }
    }

    /// The lengths of a Huffman code, by two queues over sorted frequencies [vL76].
    fn find_unbounded_lengths(&mut self) {
        let leaves = self.counts.len();
        self.lengths.clear();
        self.lengths.resize(leaves, 0);
        if leaves < 2 {
            return;
        }
        // Leaves in their order, then inner nodes as they are made; the sums of both ascend. A node gives way to its parent when that
        // is known.
        self.sort();
        let (order, counts, sums) = (&self.order, &self.counts, &mut self.sums);
        sums.clear();
        sums.extend(order.iter().map(|&it| u64::from(counts[it as usize])));
        let (mut leaf, mut inner) = (0, leaves);
        for made in leaves..2 * leaves - 1 {
            let mut sum = 0;
            for _ in 0..2 {
                let from_leaves = leaf < leaves && (inner == made || sums[leaf] <= sums[inner]);
                let next = if from_leaves { &mut leaf } else { &mut inner };
                sum += std::mem::replace(&mut sums[*next], made as u64);
                *next += 1;
            }
            sums.push(sum);
        }
        // And now to its depth.
        let last = sums.len() - 1;
        sums[last] = 0;
        for node in (0..last).rev() {
            let parent = usize::try_from(sums[node]).unwrap_or(last);
            sums[node] = sums[parent] + 1;
        }
        for (&symbol, &depth) in order.iter().zip(&*sums) {
            self.lengths[symbol as usize] = u8::try_from(depth).unwrap_or(u8::MAX);
        }
    }

    /// Orders the places of frequencies by size; those of equal ones stay in their order.
    fn sort(&mut self) {
        let (order, counts) = (&mut self.order, &self.counts);
        order.clear();
        order.extend((0..).take(counts.len()));
        let most = counts.iter().copied().max().unwrap_or(0) as usize;
        if counts.len() < FEW || most > 2 * counts.len() {
            order.sort_by_key(|&place| counts[place as usize]);
            return;
        }
        // Many small numbers: where those of each size begin is counted.
        let starts = &mut self.starts;
        starts.clear();
        starts.resize(most + 2, 0);
        for &count in counts {
            starts[count as usize + 1] += 1;
        }
        for size in 0..=most {
            starts[size + 1] += starts[size];
        }
        for (place, &count) in (0..).zip(counts) {
            let start = &mut starts[count as usize];
            order[*start as usize] = place;
            *start += 1;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let words = self.counts.capacity() + self.order.capacity() + self.starts.capacity();
        words * size_of::<u32>() + self.sums.capacity() * size_of::<u64>() + self.lengths.capacity()
    }
}

/// Fewer are sorted by comparing them.
const FEW: usize = 128;

/// A code to write with: the symbols that occur, ascending, and their words. If there is only one, its word is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    words: Vec<(u32, Word)>,
}

impl Code {
    /// How many bits it takes to write the symbols it was made for, which occur so often, the code included.
    pub(crate) fn cost(&self, counts: impl Iterator<Item = u32>) -> u64 {
        let bits = counts.zip(&self.words);
        let bits: u64 = bits
            .map(|(count, (_, word))| u64::from(count) * u64::from(word.1))
            .sum();
        bits + Self::least_cost(self.words.len())
    }

    /// A code for so many symbols and what it is used for take at least so many bits.
    pub(crate) fn least_cost(symbols: usize) -> u64 {
        8 + 6 * symbols as u64
    }

    /// Writes how long the words are.
    pub(crate) fn describe(&self, out: &mut BitWriter) {
        out.gamma(self.words.len() as u64);
        let mut expected = 0;
        for &(symbol, word) in &self.words {
            out.gamma(u64::from(symbol - expected));
            expected = symbol + 1;
            if self.words.len() > 1 {
                out.put(u64::from(word.1) - 1, 4);
            }
        }
    }

    /// The symbols that occur, with their words.
    pub(crate) fn words(&self) -> impl Iterator<Item = (u32, Word)> {
        self.words.iter().copied()
    }
}

/// The words of symbols whose words have these lengths: short ones first, then by symbol. Bits are written lowest first, so that
/// words are turned round.
fn canonical(lengths: &[u8]) -> impl Iterator<Item = Word> {
    let mut counts = [0_u16; LONGEST as usize + 1];
    for &length in lengths {
        counts[usize::from(length)] += 1;
    }
    counts[0] = 0;
    let mut next = [0_u16; LONGEST as usize + 2];
    for length in 1..=LONGEST as usize {
        next[length + 1] = (next[length] + counts[length]) << 1;
    }
    let word = move |&length: &u8| {
        if length == 0 {
            return (0, 0);
        }
        let word = next[usize::from(length)];
        next[usize::from(length)] += 1;
        (word.reverse_bits() >> (16 - length), length)
    };
    lengths.iter().map(word)
}

/// A code to read with.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    /// By the next bits: the symbol and the length of its word.
    table: Vec<(u32, u8)>,
    /// As many bits as the longest word has.
    bits: u32,
}

impl Decoder {
    /// Reads how long the words are. Symbols are below a bound.
    pub(crate) fn read(bits: &mut BitReader<'_>, bound: u64) -> Result<Self, Damage> {
        let count = bits.gamma_up_to(bound)?;
        let (mut symbols, mut lengths) = (Vec::new(), Vec::new());
        let mut expected = 0;
        for _ in 0..count {
            let symbol = expected + bits.gamma_up_to(bound)?;
            if symbol >= bound {
                return Err(Damage::Number);
            }
            symbols.push(u32::try_from(symbol).map_err(|_| Damage::Number)?);
            expected = symbol + 1;
            let length = if count > 1 { bits.get(4)? + 1 } else { 0 };
            lengths.push(u8::try_from(length).map_err(|_| Damage::Number)?);
        }
        Self::of(&symbols, &lengths)
    }

    fn of(symbols: &[u32], lengths: &[u8]) -> Result<Self, Damage> {
        let bits = u32::from(lengths.iter().copied().max().unwrap_or(0));
        if bits > DIRECT {
            return Err(Damage::Code);
        }
        // Every bit string is the beginning of exactly one word, or there are no words.
        let room = |&length: &u8| 1_u64 << (bits - u32::from(length));
        let taken: u64 = lengths.iter().map(room).sum();
        if !lengths.is_empty() && taken != 1 << bits {
            return Err(Damage::Code);
        }
        let mut table = vec![(0, 0); 1 << bits];
        if lengths.is_empty() {
            table.clear();
        }
        for (&symbol, (word, length)) in symbols.iter().zip(canonical(lengths)) {
            let step = 1 << length;
            for place in (usize::from(word)..table.len()).step_by(step) {
                table[place] = (symbol, length);
            }
        }
        Ok(Self { table, bits })
    }

    /// Reads a symbol.
    #[inline]
    pub(crate) fn get(&self, bits: &mut BitReader<'_>) -> Result<usize, Damage> {
        let place = usize::try_from(bits.peek() & low(self.bits)).unwrap_or(usize::MAX);
        let &(symbol, length) = self.table.get(place).ok_or(Damage::Code)?;
        bits.skip(length.into())?;
        Ok(symbol as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The symbols that occur, and how often.
    fn occurring(frequencies: &[u32]) -> impl Iterator<Item = (u32, u32)> + Clone {
        let all = (0..).zip(frequencies.iter().copied());
        all.filter(|(_, count)| *count > 0)
    }

    fn check(symbols: &[usize], bound: usize) {
        let mut frequencies = vec![0; bound];
        for &symbol in symbols {
            frequencies[symbol] += 1;
        }
        let code = Coder::default().code(occurring(&frequencies));
        let mut out = BitWriter::default();
        code.describe(&mut out);
        let mut words = vec![Word::default(); bound];
        for (symbol, word) in code.words() {
            words[symbol as usize] = word;
        }
        for &symbol in symbols {
            let (word, length) = words[symbol];
            out.put(word.into(), length.into());
        }
        let bytes = out.finish();
        let cost = code.cost(occurring(&frequencies).map(|(_, count)| count));
        assert!(bytes.len() as u64 * 8 <= cost + 20 * symbols.len() as u64 + 64);
        let mut bits = BitReader::new(&bytes);
        let decoder = Decoder::read(&mut bits, bound as u64).unwrap();
        for &symbol in symbols {
            assert_eq!(decoder.get(&mut bits).unwrap(), symbol);
        }
    }

    proptest! {
        #[test]
        fn places_are_sorted_in_their_order(counts in prop::collection::vec(1..200_u32, 0..400)) {
            let mut expected: Vec<u32> = (0..).take(counts.len()).collect();
            expected.sort_by_key(|&place| counts[place as usize]);
            let mut coder = Coder { counts, ..Coder::default() };
            coder.sort();
            prop_assert_eq!(coder.order, expected);
        }

        #[test]
        fn symbols_come_back(symbols in prop::collection::vec(0..70_usize, 0..300)) {
            check(&symbols, 70);
        }

        #[test]
        fn skewed_symbols_come_back(symbols in prop::collection::vec((0..3000_usize, 0..12_u32), 0..3000)) {
            let skewed: Vec<usize> = symbols.iter().map(|(symbol, shift)| symbol >> shift).collect();
            check(&skewed, 3000);
        }

        #[test]
        fn nonsense_is_refused(bytes: Vec<u8>, bound in 0..100_u64) {
            let mut bits = BitReader::new(&bytes);
            if let Ok(decoder) = Decoder::read(&mut bits, bound) {
                for _ in 0..9 {
                    if let Ok(symbol) = decoder.get(&mut bits) {
                        prop_assert!((symbol as u64) < bound);
                    }
                }
            }
        }
    }

    /// Frequencies that grow like Fibonacci numbers make the longest words.
    #[test]
    fn words_are_never_too_long() {
        let mut frequencies = vec![1, 1];
        for index in 2..40 {
            frequencies.push(frequencies[index - 1] + frequencies[index - 2]);
        }
        let code = Coder::default().code(occurring(&frequencies));
        let lengths: Vec<u8> = code.words().map(|(_, word)| word.1).collect();
        assert!(lengths.iter().all(|&length| u32::from(length) <= LONGEST));
        assert!(lengths[39] <= 2);
        let cost = code.cost(frequencies.iter().copied());
        assert!(cost < 3 * frequencies.iter().map(|&f| u64::from(f)).sum::<u64>());
    }
}
