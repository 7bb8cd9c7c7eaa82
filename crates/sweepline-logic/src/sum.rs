//! Sums of atoms with factors.

use std::collections::BTreeMap;

use sweepline_core::Interval;

/// A constant plus atoms times factors. Equal atoms are merged, and no factor is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum<A> {
    terms: BTreeMap<A, i128>,
    constant: i128,
}

impl<A> Default for Sum<A> {
    fn default() -> Self {
        Self {
            terms: BTreeMap::new(),
            constant: 0,
        }
    }
}

impl<A: Copy + Ord> Sum<A> {
    /// A constant.
    pub fn constant(value: i128) -> Self {
        Self {
            constant: value,
            ..Self::default()
        }
    }

    /// An atom.
    pub fn atom(atom: A) -> Self {
        Self {
            terms: BTreeMap::from([(atom, 1)]),
            constant: 0,
        }
    }

    /// The atoms and their factors, in order.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (A, i128)> + Clone {
        self.terms.iter().map(|(&atom, &factor)| (atom, factor))
    }

    /// The factor of an atom, which is zero if it does not occur.
    pub fn factor(&self, atom: A) -> i128 {
        self.terms.get(&atom).copied().unwrap_or(0)
    }

    /// What is added to the atoms.
    pub fn offset(&self) -> i128 {
        self.constant
    }

    /// Whether it has no atoms.
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// This and `factor` times another; nothing if a number does not fit 128 bits.
    pub fn checked_add(mut self, other: &Self, factor: i128) -> Option<Self> {
        let constant = other.constant.checked_mul(factor)?;
        self.constant = self.constant.checked_add(constant)?;
        for (&atom, &own) in &other.terms {
            let sum = self.terms.entry(atom).or_insert(0);
            *sum = sum.checked_add(own.checked_mul(factor)?)?;
            if *sum == 0 {
                self.terms.remove(&atom);
            }
        }
        Some(self)
    }

    /// The same with another one in the place of an atom; nothing if a number does not fit 128 bits.
    pub fn replaced(mut self, atom: A, value: &Self) -> Option<Self> {
        match self.terms.remove(&atom) {
            Some(factor) => self.checked_add(value, factor),
            None => Some(self),
        }
    }

    /// Which values it can have if every atom lies in the given interval; nothing if a number does not fit 128 bits.
    pub fn interval(&self, of: impl Fn(A) -> Interval) -> Option<Interval> {
        let mut sum = Interval::point(self.constant);
        for (&atom, &factor) in &self.terms {
            let Interval { least, greatest } = of(atom);
            let ends = [least.checked_mul(factor)?, greatest.checked_mul(factor)?];
            sum.least = sum.least.checked_add(ends[0].min(ends[1]))?;
            sum.greatest = sum.greatest.checked_add(ends[0].max(ends[1]))?;
        }
        Some(sum)
    }

    /// A direction and a factor: the sum is the direction times the factor plus its constant. Sums that differ only in the
    /// last two have the same direction. A constant has none.
    pub fn direction(&self) -> Option<(Self, i128)> {
        let first = self.terms.values().next()?;
        let factors = self.terms.values();
        let divisor = factors.fold(0, |sum, factor| gcd(sum, factor.abs()));
        let factor = divisor * first.signum();
        let terms = self.terms.iter().map(|(&atom, own)| (atom, own / factor));
        let direction = Self {
            terms: terms.collect(),
            constant: 0,
        };
        Some((direction, factor))
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_one_direction_differ_in_factor_and_constant() {
        let (x, y) = (Sum::atom('x'), Sum::atom('y'));
        let sum = Sum::constant(5).checked_add(&x, -4).unwrap();
        let sum = sum.checked_add(&y, 6).unwrap();
        let (direction, factor) = sum.direction().unwrap();
        let expected = Sum::default().checked_add(&x, 2).unwrap();
        assert_eq!(direction, expected.checked_add(&y, -3).unwrap());
        assert_eq!((factor, Sum::<char>::constant(3).direction()), (-2, None));
        let unit = |_| Interval::new(0, 1);
        assert_eq!(sum.interval(unit), Some(Interval::new(1, 11)));
        assert_eq!(sum.replaced('y', &x).unwrap().factor('x'), 2);
        assert_eq!(x.clone().checked_add(&x, -1), Some(Sum::default()));
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let huge = Sum::atom('x').checked_add(&Sum::atom('x'), i128::MAX - 1);
        let huge = huge.unwrap();
        assert_eq!(huge.clone().checked_add(&huge, 1), None);
        assert_eq!(huge.clone().replaced('x', &huge), None);
        assert_eq!(huge.interval(|_| Interval::new(0, 2)), None);
    }
}
