//! Linear forms over the values before an action.

use std::collections::BTreeMap;

use sweepline_core::SlotId;

/// Something whose value before or within an action is not a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    /// The value of a slot before the action.
    Slot(SlotId),
    /// A value of which little is known, by its number.
    Unknown(usize),
}

/// A sum of atoms with factors and a constant. Whoever makes one keeps its numbers small; see [`Form::is_small`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// No factor is zero.
    pub(super) terms: BTreeMap<Atom, i128>,
    pub(super) constant: i128,
}

/// Numbers up to this are small: sums and products of a few of them fit.
const SMALL: i128 = 1 << 40;

impl Form {
    pub(super) fn constant(value: i128) -> Self {
        Self {
            constant: value,
            ..Self::default()
        }
    }

    pub(super) fn atom(atom: Atom) -> Self {
        Self {
            terms: BTreeMap::from([(atom, 1)]),
            constant: 0,
        }
    }

    /// Whether it has no atoms.
    pub(super) fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether some atom is in both.
    pub(super) fn shares_atom(&self, other: &Self) -> bool {
        self.terms.keys().any(|atom| other.terms.contains_key(atom))
    }

    /// Whether its numbers are small enough to be computed with.
    pub(super) fn is_small(&self) -> bool {
        let numbers = self.terms.values().chain([&self.constant]);
        numbers.copied().all(|number| number.abs() <= SMALL)
    }

    #[must_use]
    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant += other.constant;
        for (atom, factor) in &other.terms {
            *sum.terms.entry(*atom).or_default() += factor;
        }
        sum.terms.retain(|_, factor| *factor != 0);
        sum
    }

    #[must_use]
    pub(super) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.times(-1))
    }

    #[must_use]
    pub(super) fn times(&self, factor: i128) -> Self {
        if factor == 0 {
            return Self::default();
        }
        let terms = self.terms.iter().map(|(atom, own)| (*atom, own * factor));
        Self {
            terms: terms.collect(),
            constant: self.constant * factor,
        }
    }

    /// The same form with another one in the place of an atom.
    #[must_use]
    pub(super) fn with(&self, atom: Atom, value: &Self) -> Self {
        let mut rest = self.clone();
        match rest.terms.remove(&atom) {
            Some(factor) => rest.plus(&value.times(factor)),
            None => rest,
        }
    }

    /// The least and the greatest value, given those of the atoms.
    pub(super) fn bounds(&self, of: impl Fn(Atom) -> (i64, i64)) -> (i128, i128) {
        let start = (self.constant, self.constant);
        self.terms
            .iter()
            .fold(start, |(low, high), (atom, factor)| {
                let (least, greatest) = of(*atom);
                let ends = [factor * i128::from(least), factor * i128::from(greatest)];
                (low + ends[0].min(ends[1]), high + ends[0].max(ends[1]))
            })
    }

    /// A direction, a factor and a constant: the form is the direction times the factor plus the constant. Forms that
    /// differ only in the last two have the same direction.
    pub(super) fn direction(&self) -> Option<(Self, i128)> {
        let first = self.terms.values().next()?;
        let divisor = self
            .terms
            .values()
            .fold(0, |sum, factor| gcd(sum, factor.abs()));
        let factor = divisor * first.signum();
        let terms = self.terms.iter().map(|(atom, own)| (*atom, own / factor));
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
    fn forms_of_one_direction_differ_in_factor_and_constant() {
        let (x, y) = (Form::atom(Atom::Unknown(0)), Form::atom(Atom::Unknown(1)));
        let form = x.times(-4).plus(&y.times(6)).plus(&Form::constant(5));
        let (direction, factor) = form.direction().unwrap();
        assert_eq!(direction, x.times(2).minus(&y.times(3)));
        assert_eq!(factor, -2);
        assert_eq!(form.bounds(|_| (0, 1)), (1, 11));
        assert_eq!(form.with(Atom::Unknown(1), &x).terms[&Atom::Unknown(0)], 2);
        assert_eq!(x.minus(&x), Form::default());
    }
}
