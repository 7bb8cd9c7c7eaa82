//! How many different states there were, without storing them.

use sweepline_core::Word;

use crate::record::hash_words;

/// Estimates how many different states were added, within about two per cent, in four kilobytes.
///
/// After Flajolet, Fusy, Gandouet and Meunier, `HyperLogLog` (2007): the more different states, the longer the longest
/// run of zeros at the start of a hash. Many registers, each for a part of the states, make that precise.
///
/// ```
/// use sweepline_explore::Distinct;
///
/// let mut distinct = Distinct::default();
/// for number in (0..100_000).chain(0..100_000) {
///     distinct.add(&[number, 7]);
/// }
/// assert!((95_000..105_000).contains(&distinct.estimate()));
/// ```
#[derive(Clone, Debug)]
pub struct Distinct {
    registers: Vec<u8>,
}

const REGISTER_BITS: u32 = 12;

impl Default for Distinct {
    fn default() -> Self {
        Self {
            registers: vec![0; 1 << REGISTER_BITS],
        }
    }
}

impl Distinct {
    /// Adds a state.
    #[inline]
    pub fn add(&mut self, state: &[Word]) {
        let hash = hash_words(state);
        let register = usize::try_from(hash >> (u64::BITS - REGISTER_BITS)).expect("a few bits");
        let zeros = (hash << REGISTER_BITS | 1).leading_zeros();
        let rank = u8::try_from(zeros + 1).expect("at most 64");
        let register = &mut self.registers[register];
        *register = rank.max(*register);
    }

    /// How many different states were added, about.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate"
    )]
    pub fn estimate(&self) -> u64 {
        let count = self.registers.len() as f64;
        let sum: f64 = self
            .registers
            .iter()
            .map(|&rank| f64::from(rank).exp2().recip())
            .sum();
        let bias = 0.7213 / (1.0 + 1.079 / count);
        let estimate = bias * count * count / sum;
        let empty = self.registers.iter().map(|&rank| u32::from(rank == 0));
        let empty = f64::from(empty.sum::<u32>());
        let few = estimate <= 2.5 * count && empty > 0.0;
        let estimate = if few {
            count * (count / empty).ln()
        } else {
            estimate
        };
        estimate.round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_near() {
        for states in [0_u64, 1, 100, 5_000, 20_000, 300_000] {
            let mut distinct = Distinct::default();
            for number in 0..states {
                distinct.add(&[number << 7, 0, number]);
                distinct.add(&[number << 7, 0, number]);
            }
            let error = distinct.estimate().abs_diff(states);
            assert!(error <= states / 20, "{states}: {}", distinct.estimate());
        }
    }
}
