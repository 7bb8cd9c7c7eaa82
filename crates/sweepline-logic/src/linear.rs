//! Linear expressions: the form almost all measures and comparisons have.

use std::collections::BTreeMap;

use crate::Sum;
use crate::lookups::{Adds, Lookups, Summand};
use sweepline_core::{Interval, Layout, Slot, SlotId, Word};

/// A constant plus slots times coefficients and looked up in tables, as it is built. Equal slots are merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinearForm {
    slots: Sum<SlotId>,
    tables: BTreeMap<SlotId, Table>,
}

/// A number for every value of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// The value of the slot that the first number is for.
    least: i64,
    /// One number for everything the bits of the slot can hold.
    numbers: Vec<i128>,
}

impl Table {
    /// Bits a slot may have to be looked up in a table.
    pub const MOST_BITS: u32 = 16;

    /// A table that is zero except for some values of the slot.
    pub fn new(slot: &Slot, entries: &[(i64, i64)]) -> Self {
        let size = 1 << slot.bits.min(Self::MOST_BITS);
        let mut numbers = vec![0; size];
        for &(value, number) in entries {
            let index = value
                .checked_sub(slot.least)
                .and_then(|raw| usize::try_from(raw).ok());
            if let Some(entry) = index.and_then(|index| numbers.get_mut(index)) {
                *entry = number.into();
            }
        }
        Self {
            least: slot.least,
            numbers,
        }
    }

    fn add(&mut self, other: &Self, factor: i128) -> Option<()> {
        for (sum, number) in self.numbers.iter_mut().zip(&other.numbers) {
            *sum = sum.checked_add(number.checked_mul(factor)?)?;
        }
        Some(())
    }

    /// The numbers for values of an interval.
    fn interval(&self, values: Interval) -> Interval {
        let raw = |value: i128| usize::try_from(value - i128::from(self.least)).unwrap_or(0);
        let last = self.numbers.len() - 1;
        let (first, last) = (raw(values.least).min(last), raw(values.greatest).min(last));
        let numbers = self.numbers[first..=last.max(first)].iter().copied();
        let low = numbers.clone().min().unwrap_or(0);
        Interval::new(low, numbers.max().unwrap_or(0))
    }
}

impl LinearForm {
    pub fn number(value: i64) -> Self {
        Self {
            slots: Sum::constant(value.into()),
            ..Self::default()
        }
    }

    pub fn slot(id: SlotId) -> Self {
        Self {
            slots: Sum::atom(id),
            ..Self::default()
        }
    }

    pub fn table(id: SlotId, table: Table) -> Self {
        Self {
            tables: BTreeMap::from([(id, table)]),
            ..Self::default()
        }
    }

    /// The value, if it is the same in all states.
    pub fn constant(&self) -> Option<i128> {
        let same = self.slots.is_constant() && self.tables.is_empty();
        same.then_some(self.slots.offset())
    }

    /// Adds `factor` times another form. Nothing is left of the sum if a number does not fit 128 bits.
    pub fn add(mut self, other: &Self, factor: i128) -> Option<Self> {
        self.slots = self.slots.checked_add(&other.slots, factor)?;
        for (&id, table) in &other.tables {
            let empty = || Table {
                least: table.least,
                numbers: vec![0; table.numbers.len()],
            };
            let sum = self.tables.entry(id).or_insert_with(empty);
            sum.add(table, factor)?;
        }
        Some(self)
    }

    /// Which values it can have if every slot lies in the given interval.
    pub fn interval(&self, of_slot: impl Fn(SlotId) -> Interval) -> Option<Interval> {
        let Interval {
            least: mut low,
            greatest: mut high,
        } = self.slots.interval(&of_slot)?;
        for (&id, table) in &self.tables {
            let numbers = table.interval(of_slot(id));
            low = low.checked_add(numbers.least)?;
            high = high.checked_add(numbers.greatest)?;
        }
        Some(Interval::new(low, high))
    }

    /// The form as code, if its numbers fit 64 bits.
    pub fn compile(&self, layout: &Layout) -> Option<Linear> {
        let mut constant = i64::try_from(self.slots.offset()).ok()?;
        let mut terms = Vec::with_capacity(self.slots.terms().len());
        for (id, coefficient) in self.slots.terms() {
            let slot = layout.slot(id);
            let coefficient = i64::try_from(coefficient).ok()?;
            constant = constant.wrapping_add(coefficient.wrapping_mul(slot.least));
            terms.push(Term::new(slot, coefficient));
        }
        let mut tables = Vec::new();
        for (&id, table) in &self.tables {
            let numbers = table.numbers.iter().map(|&number| i64::try_from(number));
            let numbers = numbers.collect::<Result<_, _>>().ok()?;
            tables.push((Term::new(layout.slot(id), 1), numbers));
        }
        Some(Linear {
            constant,
            terms: terms.into(),
            tables: tables.into(),
        })
    }
}

impl LinearForm {
    /// How much the value changes when slots change by these amounts.
    pub fn change(&self, of_slot: &[(SlotId, i64)]) -> Option<i128> {
        let mut change: i128 = 0;
        for (id, by) in of_slot {
            if self.tables.contains_key(id) && *by != 0 {
                return None;
            }
            let coefficient = self.slots.factor(*id);
            change = change.checked_add(coefficient.checked_mul(i128::from(*by))?)?;
        }
        Some(change)
    }

    /// The form modulo 2^128 as code, which adds up to the value if that fits.
    pub fn compile_key(&self, layout: &Layout) -> Lookups<u128> {
        let mut constant = self.slots.offset().cast_unsigned();
        let slots = self.slots.terms().map(|(id, coefficient)| {
            let slot = layout.slot(id);
            let coefficient = coefficient.cast_unsigned();
            let least = i128::from(slot.least).cast_unsigned();
            constant = constant.wrapping_add(coefficient.wrapping_mul(least));
            Summand::new(slot, Adds::Multiple(coefficient))
        });
        let mut summands: Vec<Summand> = slots.collect();
        summands.extend(self.tables.iter().map(|(&id, table)| {
            let numbers = table.numbers.iter().map(|number| number.cast_unsigned());
            Summand::new(layout.slot(id), Adds::Numbers(numbers.collect()))
        }));
        Lookups::new(constant, summands)
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
    /// Fields and the number for each of their bit patterns.
    tables: Box<[(Term, Box<[i64]>)]>,
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

    /// The bits as an index of a table, which has an entry for each pattern.
    #[inline]
    fn index(&self, state: &[Word]) -> usize {
        usize::try_from(self.raw(state)).unwrap_or(usize::MAX)
    }

    #[inline]
    fn eval(&self, state: &[Word]) -> i64 {
        self.coefficient.wrapping_mul(self.raw(state).cast_signed())
    }
}

impl Linear {
    #[inline]
    pub fn eval(&self, state: &[Word]) -> i64 {
        let terms = self.terms.iter();
        let sum = terms.fold(self.constant, |sum, term| {
            sum.wrapping_add(term.eval(state))
        });
        let tables = self.tables.iter();
        tables.fold(sum, |sum, (term, numbers)| {
            sum.wrapping_add(numbers[term.index(state)])
        })
    }
}
