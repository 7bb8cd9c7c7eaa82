//! Sums of slots as code for keys. Slots of a few bits that lie side by side are looked up in one table, because a measure may
//! have a hundred of them, and a key is needed for every step.

use sweepline_core::{Slot, Word};

/// A sum modulo 2^64 or 2^128 as code.
#[derive(Clone, Debug)]
pub(crate) struct Lookups<N> {
    constant: N,
    /// Fields that are multiplied by a number.
    factors: Box<[(N, Field)]>,
    /// Fields that are looked up, and where the numbers for their bit patterns begin.
    tables: Box<[(Field, usize)]>,
    numbers: Box<[N]>,
}

/// Bits of a state side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    word: usize,
    shift: u32,
    mask: Word,
}

/// What a slot adds to a sum, modulo 2^128.
#[derive(Clone, Debug)]
pub(crate) struct Summand {
    pub(crate) word: usize,
    pub(crate) shift: u32,
    pub(crate) bits: u32,
    pub(crate) adds: Adds,
}

/// By the bits of the slot: a multiple of them, or a number for each pattern.
#[derive(Clone, Debug)]
pub(crate) enum Adds {
    Multiple(u128),
    Numbers(Vec<u128>),
}

/// Numbers of which sums are made: they wrap around.
pub(crate) trait Modular: Copy {
    fn plus(self, other: Self) -> Self;
    fn times(self, raw: Word) -> Self;
}

/// Bits that are looked up together. A table of that many takes two kilobytes, so that the tables of a measure stay near.
const TOGETHER: u32 = 8;

impl Summand {
    pub(crate) fn new(slot: &Slot, adds: Adds) -> Self {
        Self {
            word: slot.word,
            shift: slot.shift,
            bits: slot.bits,
            adds,
        }
    }

    fn end(&self) -> u32 {
        self.shift + self.bits
    }

    fn value(&self, raw: Word) -> u128 {
        match &self.adds {
            Adds::Multiple(factor) => factor.times(raw),
            Adds::Numbers(numbers) => {
                let index = usize::try_from(raw).unwrap_or(usize::MAX);
                numbers.get(index).copied().unwrap_or(0)
            }
        }
    }
}

impl Lookups<u128> {
    /// A constant and what slots add to it.
    pub(crate) fn new(mut constant: u128, mut summands: Vec<Summand>) -> Self {
        // A slot without bits always has the same value, and would make its neighbour look like several.
        summands.retain(|one| {
            if one.bits == 0 {
                constant = constant.plus(one.value(0));
            }
            one.bits > 0
        });
        summands.sort_by_key(|one| (one.word, one.shift));
        let (mut factors, mut tables, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        let mut rest = &summands[..];
        while let Some(first) = rest.first() {
            let near = |one: &&Summand| {
                one.word == first.word && one.end() - first.shift <= TOGETHER.max(first.bits)
            };
            let count = rest.iter().take_while(near).count();
            let (together, others) = rest.split_at(count);
            let end = together.iter().map(Summand::end).max().unwrap_or(0);
            let field = Field::new(first.word, first.shift, end - first.shift);
            if let [one] = together
                && let Adds::Multiple(factor) = &one.adds
            {
                factors.push((*factor, field));
            } else {
                tables.push((field, numbers.len()));
                numbers.extend((0..=field.mask).map(|pattern| {
                    let values = together.iter().map(|one| {
                        let mask = Field::new(one.word, one.shift, one.bits).mask;
                        one.value((pattern >> (one.shift - first.shift)) & mask)
                    });
                    values.fold(0, u128::plus)
                }));
            }
            rest = others;
        }
        Self {
            constant,
            factors: factors.into(),
            tables: tables.into(),
            numbers: numbers.into(),
        }
    }

    /// The same sum modulo 2^64.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the sum is wanted modulo 2^64"
    )]
    pub(crate) fn narrowed(&self) -> Lookups<u64> {
        let factors = self.factors.iter();
        Lookups {
            constant: self.constant as u64,
            factors: factors
                .map(|&(factor, field)| (factor as u64, field))
                .collect(),
            tables: self.tables.clone(),
            numbers: self.numbers.iter().map(|&number| number as u64).collect(),
        }
    }
}

impl<N: Modular> Lookups<N> {
    #[inline]
    pub(crate) fn eval(&self, state: &[Word]) -> N {
        let factors = self.factors.iter();
        let sum = factors.fold(self.constant, |sum, (factor, field)| {
            sum.plus(factor.times(field.raw(state)))
        });
        let tables = self.tables.iter();
        tables.fold(sum, |sum, (field, first)| {
            let pattern = usize::try_from(field.raw(state)).unwrap_or(usize::MAX);
            sum.plus(self.numbers[first + pattern])
        })
    }

    /// How many fields are looked at.
    pub(crate) fn fields(&self) -> usize {
        self.factors.len() + self.tables.len()
    }
}

impl Field {
    fn new(word: usize, shift: u32, bits: u32) -> Self {
        let mask = Word::MAX.checked_shr(Word::BITS - bits).unwrap_or(0);
        Self { word, shift, mask }
    }

    #[inline]
    fn raw(&self, state: &[Word]) -> Word {
        (state[self.word] >> self.shift) & self.mask
    }
}

impl Modular for u64 {
    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline]
    fn times(self, raw: Word) -> Self {
        self.wrapping_mul(raw)
    }
}

impl Modular for u128 {
    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline]
    fn times(self, raw: Word) -> Self {
        self.wrapping_mul(raw.into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Slots of a state of two words, side by side or with gaps between them.
    fn summands() -> impl Strategy<Value = Vec<Summand>> {
        let slot = (
            0u32..4,
            0u32..12,
            any::<u128>(),
            any::<bool>(),
            any::<u64>(),
        );
        prop::collection::vec(slot, 0..24).prop_map(|slots| {
            let (mut word, mut next) = (0, 0);
            let mut all = Vec::new();
            for (gap, bits, factor, is_table, seed) in slots {
                let mut shift = next + gap;
                if shift + bits > Word::BITS {
                    (word, shift) = (word + 1, 0);
                }
                if word > 1 {
                    break;
                }
                next = shift + bits;
                let number = |pattern: u64| factor.wrapping_mul((seed ^ pattern).into());
                let adds = if is_table {
                    Adds::Numbers((0..1 << bits).map(number).collect())
                } else {
                    Adds::Multiple(factor)
                };
                all.push(Summand {
                    word,
                    shift,
                    bits,
                    adds,
                });
            }
            all
        })
    }

    proptest! {
        /// Whatever is looked up together, the sum is that of the slots, one by one.
        #[test]
        fn sums_are_those_of_the_slots(
            summands in summands(),
            constant in any::<u128>(),
            state in any::<[Word; 2]>(),
        ) {
            let expected = summands.iter().fold(constant, |sum, one| {
                let raw = (0..one.bits).fold(0, |raw, bit| {
                    raw | (((state[one.word] >> (one.shift + bit)) & 1) << bit)
                });
                let value = match &one.adds {
                    Adds::Multiple(factor) => factor.wrapping_mul(raw.into()),
                    Adds::Numbers(numbers) => numbers[usize::try_from(raw).unwrap()],
                };
                sum.wrapping_add(value)
            });
            let lookups = Lookups::new(constant, summands.clone());
            prop_assert_eq!(lookups.eval(&state), expected);
            prop_assert_eq!(u128::from(lookups.narrowed().eval(&state)), expected & u128::from(u64::MAX));
            prop_assert!(lookups.fields() <= summands.len());
        }
    }

    #[test]
    fn neighbours_are_looked_up_together() {
        let flag = |shift| Summand {
            word: 0,
            shift,
            bits: 1,
            adds: Adds::Multiple(1),
        };
        let fields = |summands| Lookups::new(0, summands).fields();
        assert_eq!(fields((0..64).map(flag).collect()), 8);
        assert_eq!(fields(vec![flag(0), flag(7)]), 1);
        assert_eq!(fields(vec![flag(0), flag(8)]), 2);
    }
}
