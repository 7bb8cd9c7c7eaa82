//! Which values an expression can have.

use crate::Slot;

/// All numbers from `least` to `greatest`.
///
/// Intervals of `i64` are what values can be; arithmetic is done on intervals of `i128`, where no operation on bounds of 64 bits
/// overflows.
///
/// ```
/// use sweepline_core::Interval;
///
/// let (byte, signed) = (Interval::new(0, 255), Interval::new(-3, 2));
/// let product = byte.wide().times(signed.wide());
/// assert_eq!(product.narrowed(), (Interval::new(-765, 510), true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval<T = i128> {
    /// The least of them.
    pub least: T,
    /// The greatest of them.
    pub greatest: T,
}

impl<T: Copy + Ord> Interval<T> {
    /// All numbers from `least` to `greatest`.
    pub const fn new(least: T, greatest: T) -> Self {
        Self { least, greatest }
    }

    /// One number.
    pub const fn point(value: T) -> Self {
        Self::new(value, value)
    }

    /// Whether a number lies in it.
    pub fn contains(self, value: T) -> bool {
        self.least <= value && value <= self.greatest
    }

    /// Whether all of it lies in another.
    pub fn within(self, other: Self) -> bool {
        other.least <= self.least && self.greatest <= other.greatest
    }

    /// The least interval that both lie in.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self::new(
            self.least.min(other.least),
            self.greatest.max(other.greatest),
        )
    }

    /// What both contain, if there is anything.
    pub fn meet(self, other: Self) -> Option<Self> {
        let least = self.least.max(other.least);
        let greatest = self.greatest.min(other.greatest);
        (least <= greatest).then_some(Self::new(least, greatest))
    }

    fn around(values: impl IntoIterator<Item = T>) -> Option<Self> {
        let points = values.into_iter().map(Self::point);
        points.reduce(Self::join)
    }
}

impl Interval<i64> {
    /// Everything 64 bits can hold.
    pub const ALL: Self = Self::new(i64::MIN, i64::MAX);

    /// The same numbers, for arithmetic.
    pub fn wide(self) -> Interval {
        Interval::new(self.least.into(), self.greatest.into())
    }

    /// What remains without one value, if anything does; a value in the middle cannot be left out.
    pub fn without(self, value: i64) -> Option<Self> {
        match (self.least == value, self.greatest == value) {
            (true, true) => None,
            (true, false) => Some(Self::new(value + 1, self.greatest)),
            (false, true) => Some(Self::new(self.least, value - 1)),
            (false, false) => Some(self),
        }
    }

    /// Every value increased, as far as there are numbers.
    #[must_use]
    pub fn moved(self, by: i128) -> Self {
        self.wide().plus(Interval::point(by)).narrowed().0
    }
}

impl Interval {
    /// Everything 64 bits can hold.
    pub const ALL_OF_64_BITS: Self = Self::new(i64::MIN as i128, i64::MAX as i128);

    /// What the bits of a slot can hold, whether declared or not.
    pub fn capacity(slot: &Slot) -> Self {
        let least = i128::from(slot.least);
        let capacity = Self::new(least, least + i128::from(slot.mask()));
        if capacity.fits() {
            capacity
        } else {
            // Such a slot wraps around when it is read with bits above its greatest value.
            Self::ALL_OF_64_BITS
        }
    }

    /// What a slot is declared to hold.
    pub fn declared(slot: &Slot) -> Self {
        Interval::<i64>::new(slot.least, slot.greatest.max(slot.least)).wide()
    }

    /// What a slot can hold if its greatest value was only guessed.
    pub fn open(slot: &Slot) -> Self {
        Interval::<i64>::new(slot.least, i64::MAX).wide()
    }

    /// Whether 64 bits can hold all of it.
    pub fn fits(self) -> bool {
        self.within(Self::ALL_OF_64_BITS)
    }

    /// The part 64 bits can hold; what lies outside is an error when it is evaluated.
    #[must_use]
    pub fn clipped(self) -> Self {
        self.narrowed().0.wide()
    }

    /// The part 64 bits can hold, and whether that is all of it.
    pub fn narrowed(self) -> (Interval<i64>, bool) {
        let clip = |end: i128| {
            let all = Self::ALL_OF_64_BITS;
            i64::try_from(end.clamp(all.least, all.greatest)).expect("it was clamped to 64 bits")
        };
        let clipped = Interval::<i64>::new(clip(self.least), clip(self.greatest));
        (clipped, self.fits())
    }

    /// Sums.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self::new(self.least + other.least, self.greatest + other.greatest)
    }

    /// Differences.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self::new(self.least - other.greatest, self.greatest - other.least)
    }

    /// Products.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        self.corners(other, |a, b| a * b)
    }

    /// Quotients, rounded towards zero; division by zero has no value.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        let signs = [Self::new(i128::MIN, -1), Self::new(1, i128::MAX)];
        let divisors = signs.into_iter().filter_map(|sign| other.meet(sign));
        let quotients = divisors.map(|divisors| self.corners(divisors, |a, b| a / b));
        quotients.reduce(Self::join).unwrap_or(Self::point(0))
    }

    /// Remainders with the sign of the dividend.
    #[must_use]
    pub fn modulo(self, other: Self) -> Self {
        let most = (other.least.abs().max(other.greatest.abs()) - 1).max(0);
        Self::new(self.least.clamp(-most, 0), self.greatest.clamp(0, most))
    }

    /// Two's complements, bit by bit: numbers that are not negative stay so and do not grow.
    #[must_use]
    pub fn bit_and(self, other: Self) -> Self {
        match (self.least >= 0, other.least >= 0) {
            (true, true) => Self::new(0, self.greatest.min(other.greatest)),
            (true, false) => Self::new(0, self.greatest),
            (false, true) => Self::new(0, other.greatest),
            (false, false) => Self::ALL_OF_64_BITS,
        }
    }

    /// Two's complements, bit by bit, of either or of one of them: no bit is set above the highest there is.
    #[must_use]
    pub fn bit_or(self, other: Self) -> Self {
        if self.least < 0 || other.least < 0 {
            return Self::ALL_OF_64_BITS;
        }
        let bits = i128::BITS - (self.greatest | other.greatest).leading_zeros();
        Self::new(0, (1 << bits) - 1)
    }

    /// Shifts by 0 to 63 bits; others have no value.
    #[must_use]
    pub fn shifted(self, by: Self, shift: fn(i128, i128) -> i128) -> Self {
        let by = Self::new(by.least.clamp(0, 63), by.greatest.clamp(0, 63));
        self.corners(by, shift)
    }

    /// What lies between the results for the ends.
    fn corners(self, other: Self, op: impl Fn(i128, i128) -> i128) -> Self {
        let left = [self.least, self.greatest];
        let right = [other.least, other.greatest];
        let results = left.map(|a| right.map(|b| op(a, b)));
        Self::around(results.into_iter().flatten()).expect("there are four corners")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval() -> impl Strategy<Value = Interval> {
        (-9i128..9, 0i128..9).prop_map(|(least, width)| Interval::new(least, least + width))
    }

    fn check(
        (a, b): (Interval, Interval),
        interval: Interval,
        op: impl Fn(i128, i128) -> Option<i128>,
    ) {
        for x in a.least..=a.greatest {
            for y in b.least..=b.greatest {
                if let Some(value) = op(x, y) {
                    assert!(interval.contains(value), "{x} {y} {interval:?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn no_value_lies_outside(a in interval(), b in interval()) {
            check((a, b), a.plus(b), |x, y| Some(x + y));
            check((a, b), a.minus(b), |x, y| Some(x - y));
            check((a, b), a.times(b), |x, y| Some(x * y));
            check((a, b), a.over(b), i128::checked_div);
            check((a, b), a.modulo(b), i128::checked_rem);
            check((a, b), a.bit_and(b), |x, y| Some(x & y));
            check((a, b), a.bit_or(b), |x, y| Some(x | y));
            check((a, b), a.bit_or(b), |x, y| Some(x ^ y));
            check((a, b), a.join(b), |x, _| Some(x));
            check((a, b), a.shifted(b, |x, y| x << y), |x, y| {
                (0..64).contains(&y).then(|| x << y)
            });
        }
    }

    #[test]
    fn ends_are_kept_to_64_bits() {
        let all = Interval::<i64>::ALL;
        assert_eq!(all.moved(1), Interval::new(i64::MIN + 1, i64::MAX));
        assert_eq!(all.wide().times(all.wide()).narrowed(), (all, false));
        assert_eq!(
            Interval::<i64>::new(0, 3).without(3),
            Some(Interval::new(0, 2))
        );
        assert_eq!(Interval::<i64>::point(3).without(3), None);
        assert_eq!(
            Interval::point(5).over(Interval::point(0)),
            Interval::point(0)
        );
        assert_eq!(
            Interval::new(5, 9).over(Interval::point(2)),
            Interval::new(2, 4)
        );
    }
}
