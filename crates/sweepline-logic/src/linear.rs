//! Linear expressions: the form almost all measures and comparisons have.

use std::collections::BTreeMap;

use sweepline_core::{Layout, Slot, SlotId, Word};

use crate::interval::Interval;

/// A constant plus slots times coefficients, as it is built. Equal slots are merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinearForm {
    constant: i128,
    coefficients: BTreeMap<SlotId, i128>,
}

impl LinearForm {
    pub fn number(value: i64) -> Self {
        Self {
            constant: value.into(),
            ..Self::default()
        }
    }

    pub fn slot(id: SlotId) -> Self {
        Self {
            constant: 0,
            coefficients: BTreeMap::from([(id, 1)]),
        }
    }

    /// The value, if it is the same in all states.
    pub fn constant(&self) -> Option<i128> {
        self.coefficients.is_empty().then_some(self.constant)
    }

    /// Adds `factor` times another form. Nothing is left of the sum if a number does not fit 128 bits.
    pub fn add(mut self, other: &Self, factor: i128) -> Option<Self> {
        self.constant = self
            .constant
            .checked_add(other.constant.checked_mul(factor)?)?;
        for (&id, &coefficient) in &other.coefficients {
            let sum = self.coefficients.entry(id).or_insert(0);
            *sum = sum.checked_add(coefficient.checked_mul(factor)?)?;
            if *sum == 0 {
                self.coefficients.remove(&id);
            }
        }
        Some(self)
    }

    /// Which values it can have if every slot lies in the given interval.
    pub fn interval(&self, of_slot: impl Fn(SlotId) -> Interval) -> Option<Interval> {
        let (mut low, mut high) = (self.constant, self.constant);
        for (&id, &coefficient) in &self.coefficients {
            let slot = of_slot(id);
            let ends = [
                slot.low.checked_mul(coefficient)?,
                slot.high.checked_mul(coefficient)?,
            ];
            low = low.checked_add(ends[0].min(ends[1]))?;
            high = high.checked_add(ends[0].max(ends[1]))?;
        }
        Some(Interval::new(low, high))
    }

    /// The form as code, if its numbers fit 64 bits.
    pub fn compile(&self, layout: &Layout) -> Option<Linear> {
        let mut constant = i64::try_from(self.constant).ok()?;
        let mut terms = Vec::with_capacity(self.coefficients.len());
        for (&id, &coefficient) in &self.coefficients {
            let slot = layout.slot(id);
            let coefficient = i64::try_from(coefficient).ok()?;
            constant = constant.wrapping_add(coefficient.wrapping_mul(slot.least));
            terms.push(Term::new(slot, coefficient));
        }
        Some(Linear {
            constant,
            terms: terms.into(),
        })
    }
}

impl LinearForm {
    /// How much the value changes when slots change by these amounts.
    pub fn change(&self, of_slot: &[(SlotId, i64)]) -> Option<i128> {
        let mut change: i128 = 0;
        for (id, by) in of_slot {
            let coefficient = self.coefficients.get(id).copied().unwrap_or(0);
            change = change.checked_add(coefficient.checked_mul(i128::from(*by))?)?;
        }
        Some(change)
    }

    /// The form modulo 2^128 as code, which adds up to the value if that fits.
    pub fn compile_wide(&self, layout: &Layout) -> Wide {
        let mut constant = self.constant.cast_unsigned();
        let terms = self.coefficients.iter().map(|(&id, &coefficient)| {
            let slot = layout.slot(id);
            let coefficient = coefficient.cast_unsigned();
            let least = i128::from(slot.least).cast_unsigned();
            constant = constant.wrapping_add(coefficient.wrapping_mul(least));
            (coefficient, Term::new(slot, 1))
        });
        let terms = terms.collect();
        Wide { constant, terms }
    }
}

/// A sum modulo 2^128 as code.
#[derive(Clone, Debug)]
pub(crate) struct Wide {
    constant: u128,
    terms: Box<[(u128, Term)]>,
}

impl Wide {
    #[inline]
    pub fn eval(&self, state: &[Word]) -> u128 {
        let terms = self.terms.iter();
        terms.fold(self.constant, |sum, (coefficient, term)| {
            let raw = u128::from(term.raw(state));
            sum.wrapping_add(coefficient.wrapping_mul(raw))
        })
    }

    /// The same sum modulo 2^64.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the sum is wanted modulo 2^64"
    )]
    pub fn narrowed(&self) -> Linear {
        let terms = self.terms.iter().map(|&(coefficient, term)| Term {
            coefficient: (coefficient as u64).cast_signed(),
            ..term
        });
        Linear {
            constant: (self.constant as u64).cast_signed(),
            terms: terms.collect(),
        }
    }
}

/// A linear expression as code: nothing is looked up, nothing can go wrong.
///
/// Whoever builds one has shown that its value always fits 64 bits, so arithmetic that wraps around on the way there
/// arrives at the same value.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    constant: i64,
    terms: Box<[Term]>,
}

#[derive(Clone, Copy, Debug)]
struct Term {
    coefficient: i64,
    mask: Word,
    word: usize,
    shift: u32,
}

impl Term {
    fn new(slot: &Slot, coefficient: i64) -> Self {
        Self {
            coefficient,
            mask: slot.mask(),
            word: slot.word,
            shift: slot.shift,
        }
    }

    #[inline]
    fn raw(&self, state: &[Word]) -> Word {
        (state[self.word] >> self.shift) & self.mask
    }

    #[inline]
    fn eval(&self, state: &[Word]) -> i64 {
        self.coefficient.wrapping_mul(self.raw(state).cast_signed())
    }
}

impl Linear {
    #[inline]
    pub fn eval(&self, state: &[Word]) -> i64 {
        self.terms.iter().fold(self.constant, |sum, term| {
            sum.wrapping_add(term.eval(state))
        })
    }
}
