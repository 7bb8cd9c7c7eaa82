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

/// A code to write with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    /// The word of each symbol, with its length; none of them is used where the length is zero, unless it is the only one.
    words: Vec<Word>,
    /// The symbols that occur, ascending.
    used: Vec<u32>,
}

impl Code {
    /// The best code for symbols that occur so often.
    pub(crate) fn of(frequencies: &[u32]) -> Self {
        let symbols = (0..).zip(frequencies).filter(|(_, count)| **count > 0);
        let used: Vec<u32> = symbols.clone().map(|(symbol, _)| symbol).collect();
        let counts: Vec<u32> = symbols.map(|(_, &count)| count).collect();
        let lengths = lengths(&counts);
        let mut words = vec![(0, 0); frequencies.len()];
        for (&symbol, word) in used.iter().zip(canonical(&lengths)) {
            words[symbol as usize] = word;
        }
        Self { words, used }
    }

    /// How many bits it takes to write symbols that occur so often, the code included.
    pub(crate) fn cost(&self, frequencies: &[u32]) -> u64 {
        self.cost_of_words(frequencies) + 8 + 6 * self.used.len() as u64
    }

    /// The same without the code; more than anything if one of them has no word.
    pub(crate) fn cost_of_words(&self, frequencies: &[u32]) -> u64 {
        let mut bits = 0;
        for (symbol, &count) in frequencies
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
        {
            let length = self.words.get(symbol).map_or(0, |word| word.1);
            if length == 0 && self.used.len() != 1 {
                return u64::MAX / 2;
            }
            bits += u64::from(count) * u64::from(length);
        }
        bits
    }

    /// Writes how long the words are.
    pub(crate) fn describe(&self, out: &mut BitWriter) {
        out.gamma(self.used.len() as u64);
        let mut expected = 0;
        for &symbol in &self.used {
            out.gamma(u64::from(symbol - expected));
            expected = symbol + 1;
            if self.used.len() > 1 {
                out.put(u64::from(self.words[symbol as usize].1) - 1, 4);
            }
        }
    }

    /// The words of all symbols.
    pub(crate) fn words(&self) -> &[Word] {
        &self.words
    }

    /// Writes a symbol.
    #[inline]
    pub(crate) fn put(&self, symbol: usize, out: &mut BitWriter) {
        let (word, length) = self.words[symbol];
        out.put(word.into(), length.into());
    }
}

/// How long the words of symbols with these frequencies are.
///
/// If the best lengths are too long, frequencies are levelled until they are not: that is nearly the best of bounded length.
fn lengths(counts: &[u32]) -> Vec<u8> {
    let mut counts: Vec<u64> = counts.iter().map(|&count| count.into()).collect();
    loop {
        let lengths = unbounded_lengths(&counts);
        if lengths.iter().all(|&length| u32::from(length) <= LONGEST) {
            return lengths;
        }
        for count in &mut counts {
            *count = *count / 2 + 1;
        }
    }
}

/// The lengths of a Huffman code, by two queues over sorted frequencies [vL76].
fn unbounded_lengths(counts: &[u64]) -> Vec<u8> {
    if counts.len() < 2 {
        return vec![0; counts.len()];
    }
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&symbol| counts[symbol]);
    // Leaves in their order, then inner nodes as they are made; the sums of both ascend.
    let leaves = order.len();
    let mut sums: Vec<u64> = order.iter().map(|&symbol| counts[symbol]).collect();
    let mut parents = vec![0; 2 * leaves - 1];
    let (mut leaf, mut inner) = (0, leaves);
    for made in leaves..2 * leaves - 1 {
        let mut sum = 0;
        for _ in 0..2 {
            let from_leaves = leaf < leaves && (inner == sums.len() || sums[leaf] <= sums[inner]);
            let next = if from_leaves { &mut leaf } else { &mut inner };
            sum += sums[*next];
            parents[*next] = made;
            *next += 1;
        }
        sums.push(sum);
    }
    let mut depths = vec![0_u8; parents.len()];
    for node in (0..parents.len() - 1).rev() {
        depths[node] = depths[parents[node]].saturating_add(1);
    }
    let mut lengths = vec![0; leaves];
    for (node, &symbol) in order.iter().enumerate() {
        lengths[symbol] = depths[node];
    }
    lengths
}

/// The words of symbols whose words have these lengths: short ones first, then by symbol. Bits are written lowest first, so that
/// words are turned round.
fn canonical(lengths: &[u8]) -> Vec<Word> {
    let mut counts = [0_u16; LONGEST as usize + 1];
    for &length in lengths {
        counts[usize::from(length)] += 1;
    }
    counts[0] = 0;
    let mut next = [0_u16; LONGEST as usize + 2];
    for length in 1..=LONGEST as usize {
        next[length + 1] = (next[length] + counts[length]) << 1;
    }
    let word = |&length: &u8| {
        if length == 0 {
            return (0, 0);
        }
        let word = next[usize::from(length)];
        next[usize::from(length)] += 1;
        (word.reverse_bits() >> (16 - length), length)
    };
    lengths.iter().map(word).collect()
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

    fn check(symbols: &[usize], bound: usize) {
        let mut frequencies = vec![0; bound];
        for &symbol in symbols {
            frequencies[symbol] += 1;
        }
        let code = Code::of(&frequencies);
        let mut out = BitWriter::default();
        code.describe(&mut out);
        for &symbol in symbols {
            code.put(symbol, &mut out);
        }
        let bytes = out.finish();
        assert!(bytes.len() as u64 * 8 <= code.cost(&frequencies) + 20 * symbols.len() as u64 + 64);
        let mut bits = BitReader::new(&bytes);
        let decoder = Decoder::read(&mut bits, bound as u64).unwrap();
        for &symbol in symbols {
            assert_eq!(decoder.get(&mut bits).unwrap(), symbol);
        }
    }

    proptest! {
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
        let lengths = lengths(&frequencies);
        assert!(lengths.iter().all(|&length| u32::from(length) <= LONGEST));
        assert!(lengths[39] <= 2);
        let code = Code::of(&frequencies);
        assert!(
            code.cost_of_words(&frequencies)
                < 3 * frequencies.iter().map(|&f| u64::from(f)).sum::<u64>()
        );
    }
}
