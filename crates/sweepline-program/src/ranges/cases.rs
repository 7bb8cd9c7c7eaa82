//! Conditions within arithmetic, such as `(x < 3) * x`: their values are found case by case.

use crate::interval::Interval;
use crate::ir::{BinaryOp, Expr, UnaryOp};

use super::{Grain, Point};

/// How many conditions of an expression are told apart.
const MOST: usize = 5;

impl Point<'_> {
    /// The values an expression can have here, case by case if the grain is fine.
    pub(super) fn eval_by_cases(&self, expr: &Expr) -> Interval {
        match self.analysis.grain {
            Grain::Arrays => self.eval(expr),
            Grain::Elements => self.eval_split(expr, MOST),
        }
    }

    fn eval_split(&self, expr: &Expr, splits: usize) -> Interval {
        let Some(condition) = expr.first_condition().filter(|_| splits > 0) else {
            return self.eval(expr);
        };
        let case = |truth| {
            let mut point = self.clone();
            let possible = point.assume(condition, truth);
            possible.then(|| point.eval_split(&expr.decided(condition, truth), splits - 1))
        };
        match (case(true), case(false)) {
            (Some(one), Some(other)) => one.join(other),
            (one, other) => one.or(other).unwrap_or_else(|| self.eval(expr)),
        }
    }
}

impl Expr {
    /// A part that is either 0 or 1, from the outside in: it is evaluated whenever the whole is.
    pub fn first_condition(&self) -> Option<&Self> {
        match self {
            Self::At(..) | Self::Full(_) | Self::Empty(_) | Self::Unary(UnaryOp::Not, _) => {
                Some(self)
            }
            Self::Binary(op, left, right) if is_arithmetic(*op) => {
                left.first_condition().or_else(|| right.first_condition())
            }
            Self::Binary(..) => Some(self),
            Self::Conditional(condition, ..) => Some(condition),
            Self::Element(_, operand) | Self::Unary(_, operand) => operand.first_condition(),
            Self::Constant(_) | Self::Slot(_) | Self::Length(_) | Self::Front(..) => None,
        }
    }

    /// The same expression where a condition is known to be true or false.
    #[must_use]
    pub fn decided(&self, condition: &Self, truth: bool) -> Self {
        let again = |part: &Self| part.decided(condition, truth);
        if let Self::Conditional(asked, then, otherwise) = self
            && **asked == *condition
        {
            return again(if truth { then } else { otherwise });
        }
        if self == condition {
            return Self::Constant(truth.into());
        }
        match self {
            Self::Element(array, index) => Self::element(*array, again(index)),
            Self::Unary(op, operand) => Self::unary(*op, again(operand)),
            Self::Binary(op, left, right) => Self::binary(*op, again(left), again(right)),
            Self::Conditional(asked, then, otherwise) => {
                Self::conditional(again(asked), again(then), again(otherwise))
            }
            other => other.clone(),
        }
    }
}

fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{
        Add, BitAnd, BitOr, BitXor, Divide, Multiply, Remainder, ShiftLeft, ShiftRight, Subtract,
    };
    matches!(
        op,
        Add | Subtract
            | Multiply
            | Divide
            | Remainder
            | BitAnd
            | BitOr
            | BitXor
            | ShiftLeft
            | ShiftRight
    )
}
