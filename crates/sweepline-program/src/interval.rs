//! Which values an operation can have, so that checks that never fail are left out.

use crate::ir::{BinaryOp, UnaryOp};

/// All numbers from one to another.
pub(crate) type Interval = sweepline_core::Interval<i64>;

const TRUTH: Interval = Interval::new(0, 1);

/// Operations on the values of expressions.
pub(crate) trait Operate {
    /// The values of `op` on a value of this interval, and whether it can fail.
    fn unary(self, op: UnaryOp) -> (Interval, bool);

    /// The values of `op` on values of two intervals, and whether it can fail.
    fn binary(self, op: BinaryOp, right: Interval) -> (Interval, bool);
}

impl Operate for Interval {
    fn unary(self, op: UnaryOp) -> (Interval, bool) {
        match op {
            UnaryOp::Negate => exact(Interval::point(0).wide().minus(self.wide())),
            UnaryOp::Not => (TRUTH, false),
            UnaryOp::Complement => (Interval::new(!self.greatest, !self.least), false),
        }
    }

    fn binary(self, op: BinaryOp, other: Interval) -> (Interval, bool) {
        let (left, right) = (self.wide(), other.wide());
        match op {
            BinaryOp::Add => exact(left.plus(right)),
            BinaryOp::Subtract => exact(left.minus(right)),
            BinaryOp::Multiply => exact(left.times(right)),
            BinaryOp::Divide if other.least > 0 => exact(left.over(right)),
            BinaryOp::Remainder => (left.modulo(right).narrowed().0, other.contains(0)),
            BinaryOp::BitAnd => exact(left.bit_and(right)),
            BinaryOp::BitOr | BinaryOp::BitXor => exact(left.bit_or(right)),
            BinaryOp::ShiftLeft if other.within(Interval::new(0, 62)) => {
                exact(left.shifted(right, |a, b| a << b))
            }
            BinaryOp::ShiftRight if other.within(Interval::new(0, 63)) => {
                exact(left.shifted(right, |a, b| a >> b))
            }
            BinaryOp::Divide | BinaryOp::ShiftLeft | BinaryOp::ShiftRight => (Interval::ALL, true),
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Imply => (TRUTH, false),
        }
    }
}

/// Exact results as far as they fit 64 bits, and whether some do not.
fn exact(results: sweepline_core::Interval) -> (Interval, bool) {
    let (interval, fits) = results.narrowed();
    (interval, !fits)
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
