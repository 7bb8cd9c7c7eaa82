//! Which values an expression can have, so that checks that never fail are left out.

use crate::ir::{BinaryOp, UnaryOp};

/// All numbers from `least` to `greatest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) least: i64,
    pub(crate) greatest: i64,
}

impl Interval {
    pub(crate) const ALL: Self = Self::new(i64::MIN, i64::MAX);
    const TRUTH: Self = Self::new(0, 1);

    pub(crate) const fn new(least: i64, greatest: i64) -> Self {
        Self { least, greatest }
    }

    pub(crate) const fn point(value: i64) -> Self {
        Self::new(value, value)
    }

    pub(crate) fn contains(self, value: i64) -> bool {
        self.least <= value && value <= self.greatest
    }

    pub(crate) fn within(self, other: Self) -> bool {
        other.least <= self.least && self.greatest <= other.greatest
    }

    pub(crate) fn join(self, other: Self) -> Self {
        Self::new(
            self.least.min(other.least),
            self.greatest.max(other.greatest),
        )
    }

    /// What both contain, if there is anything.
    pub(crate) fn meet(self, other: Self) -> Option<Self> {
        let least = self.least.max(other.least);
        let greatest = self.greatest.min(other.greatest);
        (least <= greatest).then_some(Self::new(least, greatest))
    }

    /// What remains without one value, if anything does; a value in the middle cannot be left out.
    pub(crate) fn without(self, value: i64) -> Option<Self> {
        match (self.least == value, self.greatest == value) {
            (true, true) => None,
            (true, false) => Some(Self::new(value + 1, self.greatest)),
            (false, true) => Some(Self::new(self.least, value - 1)),
            (false, false) => Some(self),
        }
    }

    /// Every value increased, as far as there are numbers.
    pub(crate) fn moved(self, by: i128) -> Self {
        let ends = [self.least, self.greatest].map(|end| i128::from(end) + by);
        exact(ends).0
    }

    /// The values of `op` on a value of this interval, and whether it can fail.
    pub(crate) fn unary(self, op: UnaryOp) -> (Self, bool) {
        match op {
            UnaryOp::Negate => exact([-i128::from(self.least), -i128::from(self.greatest)]),
            UnaryOp::Not => (Self::TRUTH, false),
            UnaryOp::Complement => (Self::new(!self.greatest, !self.least), false),
        }
    }

    /// The values of `op` on values of two intervals, and whether it can fail.
    pub(crate) fn binary(self, op: BinaryOp, right: Self) -> (Self, bool) {
        let corners = |apply: fn(i128, i128) -> i128| {
            let (a, b) = (i128::from(self.least), i128::from(self.greatest));
            let (c, d) = (i128::from(right.least), i128::from(right.greatest));
            exact([apply(a, c), apply(a, d), apply(b, c), apply(b, d)])
        };
        match op {
            BinaryOp::Add => corners(|a, b| a + b),
            BinaryOp::Subtract => corners(|a, b| a - b),
            BinaryOp::Multiply => corners(|a, b| a * b),
            BinaryOp::Divide if right.least > 0 => corners(|a, b| a / b),
            BinaryOp::Remainder => (self.remainder(right), right.contains(0)),
            BinaryOp::BitAnd if self.least >= 0 && right.least >= 0 => {
                (Self::new(0, self.greatest.min(right.greatest)), false)
            }
            BinaryOp::BitOr | BinaryOp::BitXor if self.least >= 0 && right.least >= 0 => {
                let bits = (self.greatest | right.greatest).leading_zeros();
                let greatest = if bits == 64 {
                    0
                } else {
                    i64::MAX >> (bits - 1)
                };
                (Self::new(0, greatest), false)
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => (Self::ALL, false),
            BinaryOp::ShiftLeft if right.within(Self::new(0, 62)) => corners(|a, b| a << b),
            BinaryOp::ShiftRight if right.within(Self::new(0, 63)) => corners(|a, b| a >> b),
            BinaryOp::Divide | BinaryOp::ShiftLeft | BinaryOp::ShiftRight => (Self::ALL, true),
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Imply => (Self::TRUTH, false),
        }
    }

    fn remainder(self, right: Self) -> Self {
        let divisor = right
            .least
            .unsigned_abs()
            .max(right.greatest.unsigned_abs());
        let most = i64::try_from(divisor.saturating_sub(1)).unwrap_or(i64::MAX);
        let least = if self.least < 0 { -most } else { 0 };
        let greatest = if self.greatest > 0 { most } else { 0 };
        Self::new(
            least.max(self.least.min(0)),
            greatest.min(self.greatest.max(0)),
        )
    }
}

/// The interval between exact results, and whether some of it does not fit 64 bits.
fn exact<const N: usize>(results: [i128; N]) -> (Interval, bool) {
    let all = i128::from(i64::MIN)..=i128::from(i64::MAX);
    let fails = results.iter().any(|result| !all.contains(result));
    let fit = |value: i128| {
        let value = value.clamp(*all.start(), *all.end());
        i64::try_from(value).expect("it was clamped to the range of i64")
    };
    let least = results.iter().copied().min().unwrap_or_default();
    let greatest = results.iter().copied().max().unwrap_or_default();
    (Interval::new(fit(least), fit(greatest)), fails)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(op: BinaryOp, left: (i64, i64), right: (i64, i64), expected: ((i64, i64), bool)) {
        let ((least, greatest), fails) = expected;
        let left = Interval::new(left.0, left.1);
        let right = Interval::new(right.0, right.1);
        let result = left.binary(op, right);
        assert_eq!(result, (Interval::new(least, greatest), fails), "{op}");
    }

    #[test]
    fn results_lie_between_the_corners() {
        check(BinaryOp::Add, (0, 255), (1, 1), ((1, 256), false));
        check(BinaryOp::Subtract, (0, 4), (0, 1), ((-1, 4), false));
        check(BinaryOp::Multiply, (-3, 2), (-5, 7), ((-21, 15), false));
        check(BinaryOp::Divide, (-7, 9), (2, 3), ((-3, 4), false));
        check(
            BinaryOp::ShiftLeft,
            (-1, 1),
            (0, 62),
            ((-1 << 62, 1 << 62), false),
        );
        check(BinaryOp::BitOr, (0, 5), (0, 8), ((0, 15), false));
        check(BinaryOp::BitXor, (0, 0), (0, 0), ((0, 0), false));
    }

    #[test]
    fn what_can_fail_is_found() {
        let all = (i64::MIN, i64::MAX);
        check(BinaryOp::Add, all, (1, 1), ((i64::MIN + 1, i64::MAX), true));
        check(BinaryOp::Divide, (1, 1), (0, 2), (all, true));
        check(BinaryOp::Remainder, (-9, 9), (0, 4), ((-3, 3), true));
        check(BinaryOp::Remainder, all, (-1, -1), ((0, 0), false));
        check(BinaryOp::ShiftRight, (1, 1), (0, 64), (all, true));
        assert!(Interval::ALL.unary(UnaryOp::Negate).1);
    }
}
