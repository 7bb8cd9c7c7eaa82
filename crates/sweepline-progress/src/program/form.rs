//! Linear forms over the values before an action.

use sweepline_core::{Interval, SlotId};
use sweepline_logic::Sum;

/// Something whose value before or within an action is not a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    /// The value of a slot before the action.
    Slot(SlotId),
    /// A value of which little is known, by its number.
    Unknown(usize),
}

/// A sum of atoms with factors and a constant. Whoever makes one keeps its numbers small; see [`Small::is_small`].
pub(super) type Form = Sum<Atom>;

/// Numbers up to this are small: sums and products of a few of them fit.
const SMALL: i128 = 1 << 40;

/// Arithmetic on sums whose numbers are small, so that it never fails.
pub(super) trait Small: Sized {
    /// Whether some atom is in both.
    fn shares_atom(&self, other: &Self) -> bool;
    /// Whether its numbers are small enough to be computed with.
    fn is_small(&self) -> bool;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, factor: i128) -> Self;
    /// The same form with another one in the place of an atom.
    fn with(&self, atom: Atom, value: &Self) -> Self;
    /// The least and the greatest value, given those of the atoms.
    fn bounds(&self, of: impl Fn(Atom) -> (i64, i64)) -> (i128, i128);
}

const FITS: &str = "small numbers do not overflow";

impl Small for Form {
    fn shares_atom(&self, other: &Self) -> bool {
        self.terms().any(|(atom, _)| other.factor(atom) != 0)
    }

    fn is_small(&self) -> bool {
        let mut numbers = self.terms().map(|(_, factor)| factor);
        self.offset().abs() <= SMALL && numbers.all(|number| number.abs() <= SMALL)
    }

    fn plus(&self, other: &Self) -> Self {
        self.clone().checked_add(other, 1).expect(FITS)
    }

    fn minus(&self, other: &Self) -> Self {
        self.clone().checked_add(other, -1).expect(FITS)
    }

    fn times(&self, factor: i128) -> Self {
        Self::default().checked_add(self, factor).expect(FITS)
    }

    fn with(&self, atom: Atom, value: &Self) -> Self {
        self.clone().replaced(atom, value).expect(FITS)
    }

    fn bounds(&self, of: impl Fn(Atom) -> (i64, i64)) -> (i128, i128) {
        let ends = |atom| {
            let (least, greatest) = of(atom);
            Interval::<i64>::new(least, greatest).wide()
        };
        let Interval { least, greatest } = self.interval(ends).expect(FITS);
        (least, greatest)
    }
}
