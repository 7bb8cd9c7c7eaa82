//! Which values an expression can have.

use sweepline_core::Slot;

/// All numbers from `low` to `high`.
///
/// Operands are 64-bit values, so no operation on their bounds overflows 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub low: i128,
    pub high: i128,
}

impl Interval {
    /// Everything 64 bits can hold.
    pub const ALL: Self = Self {
        low: i64::MIN as i128,
        high: i64::MAX as i128,
    };

    pub fn new(low: i128, high: i128) -> Self {
        debug_assert!(low <= high, "an interval is not empty");
        Self { low, high }
    }

    pub fn constant(value: i64) -> Self {
        Self::new(value.into(), value.into())
    }

    /// What the bits of a slot can hold, whether declared or not.
    pub fn capacity(slot: &Slot) -> Self {
        let low = i128::from(slot.least);
        let high = low + i128::from(slot.mask());
        if high > Self::ALL.high {
            // Such a slot wraps around when it is read with bits above its greatest value.
            return Self::ALL;
        }
        Self::new(low, high)
    }

    /// What a slot is declared to hold.
    pub fn declared(slot: &Slot) -> Self {
        Self::new(slot.least.into(), slot.greatest.max(slot.least).into())
    }

    /// What a slot can hold if its greatest value was only guessed.
    pub fn open(slot: &Slot) -> Self {
        Self::new(slot.least.into(), Self::ALL.high)
    }

    pub fn fits(self) -> bool {
        Self::ALL.low <= self.low && self.high <= Self::ALL.high
    }

    /// The part 64 bits can hold; what lies outside is an error when it is evaluated.
    pub fn clipped(self) -> Self {
        let clip = |bound: i128| bound.clamp(Self::ALL.low, Self::ALL.high);
        Self::new(clip(self.low), clip(self.high))
    }

    pub fn plus(self, other: Self) -> Self {
        Self::new(self.low + other.low, self.high + other.high)
    }

    pub fn minus(self, other: Self) -> Self {
        Self::new(self.low - other.high, self.high - other.low)
    }

    pub fn times(self, other: Self) -> Self {
        Self::around(self.corners(other, |a, b| a * b))
    }

    /// Quotients, rounded towards zero; division by zero has no value.
    pub fn over(self, other: Self) -> Self {
        let mut quotients = vec![0];
        for divisor in [other.below_zero(), other.above_zero()]
            .into_iter()
            .flatten()
        {
            quotients.extend(self.corners(divisor, |a, b| a / b));
        }
        // Zero belongs to it only if some quotient is zero, but a bound that is a little wide does no harm.
        Self::around(quotients)
    }

    /// Remainders with the sign of the dividend.
    pub fn modulo(self, other: Self) -> Self {
        let most = (other.low.abs().max(other.high.abs()) - 1).max(0);
        Self::new(self.low.clamp(-most, 0), self.high.clamp(0, most))
    }

    /// Two's complements, bit by bit: numbers that are not negative stay so and do not grow.
    pub fn bit_and(self, other: Self) -> Self {
        match (self.low >= 0, other.low >= 0) {
            (true, true) => Self::new(0, self.high.min(other.high)),
            (true, false) => Self::new(0, self.high),
            (false, true) => Self::new(0, other.high),
            (false, false) => Self::ALL,
        }
    }

    /// Two's complements, bit by bit, of either or of one of them: no bit is set above the highest there is.
    pub fn bit_or(self, other: Self) -> Self {
        if self.low < 0 || other.low < 0 {
            return Self::ALL;
        }
        let bits = i128::BITS - (self.high | other.high).leading_zeros();
        Self::new(0, (1 << bits) - 1)
    }

    /// Shifts by 0 to 63 bits; others have no value.
    pub fn shifted(self, by: Self, shift: fn(i128, i128) -> i128) -> Self {
        let by = Self::new(by.low.clamp(0, 63), by.high.clamp(0, 63));
        Self::around(self.corners(by, shift))
    }

    fn below_zero(self) -> Option<Self> {
        (self.low < 0).then(|| Self::new(self.low, self.high.min(-1)))
    }

    fn above_zero(self) -> Option<Self> {
        (self.high > 0).then(|| Self::new(self.low.max(1), self.high))
    }

    fn corners(self, other: Self, op: impl Fn(i128, i128) -> i128) -> [i128; 4] {
        [
            op(self.low, other.low),
            op(self.low, other.high),
            op(self.high, other.low),
            op(self.high, other.high),
        ]
    }

    fn around(values: impl IntoIterator<Item = i128> + Clone) -> Self {
        let low = values.clone().into_iter().min().unwrap_or(0);
        let high = values.into_iter().max().unwrap_or(0);
        Self::new(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval() -> impl Strategy<Value = Interval> {
        (-9i128..9, 0i128..9).prop_map(|(low, width)| Interval::new(low, low + width))
    }

    fn check(
        (a, b): (Interval, Interval),
        interval: Interval,
        op: impl Fn(i128, i128) -> Option<i128>,
    ) {
        for x in a.low..=a.high {
            for y in b.low..=b.high {
                if let Some(value) = op(x, y) {
                    assert!(interval.low <= value && value <= interval.high);
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
        }
    }
}
