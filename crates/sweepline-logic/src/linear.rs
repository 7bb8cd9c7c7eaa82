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
    fn eval(&self, state: &[Word]) -> i64 {
        let raw = (state[self.word] >> self.shift) & self.mask;
        self.coefficient.wrapping_mul(raw.cast_signed())
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
