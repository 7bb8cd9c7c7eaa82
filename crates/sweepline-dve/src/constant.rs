//! Arithmetic on values that are known in advance.

use sweepline_program::{BinaryOp, Expr, UnaryOp};

/// Applies an operator to a number; nothing if the result does not exist.
pub(crate) fn unary(operator: UnaryOp, operand: i64) -> Option<i64> {
    match operator {
        UnaryOp::Negate => operand.checked_neg(),
        UnaryOp::Not => Some(i64::from(operand == 0)),
        UnaryOp::Complement => Some(!operand),
    }
}

/// Applies an operator to two numbers; nothing if the result does not exist.
pub(crate) fn binary(operator: BinaryOp, left: i64, right: i64) -> Option<i64> {
    let truth = |truth: bool| Some(i64::from(truth));
    match operator {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Subtract => left.checked_sub(right),
        BinaryOp::Multiply => left.checked_mul(right),
        BinaryOp::Divide => left.checked_div(right),
        BinaryOp::Remainder => left.checked_rem(right),
        BinaryOp::BitAnd => Some(left & right),
        BinaryOp::BitOr => Some(left | right),
        BinaryOp::BitXor => Some(left ^ right),
        BinaryOp::ShiftLeft => shifted_left(left, right),
        BinaryOp::ShiftRight => {
            let bits = u32::try_from(right).ok()?;
            left.checked_shr(bits)
        }
        BinaryOp::Equal => truth(left == right),
        BinaryOp::NotEqual => truth(left != right),
        BinaryOp::Less => truth(left < right),
        BinaryOp::LessEqual => truth(left <= right),
        BinaryOp::Greater => truth(left > right),
        BinaryOp::GreaterEqual => truth(left >= right),
        BinaryOp::And => truth(left != 0 && right != 0),
        BinaryOp::Or => truth(left != 0 || right != 0),
        BinaryOp::Imply => truth(left == 0 || right != 0),
    }
}

/// Losing bits is an overflow.
fn shifted_left(value: i64, bits: i64) -> Option<i64> {
    let bits = u32::try_from(bits).ok()?;
    let shifted = value.checked_shl(bits)?;
    (shifted >> bits == value).then_some(shifted)
}

/// An operator on an expression, computed now if that is possible.
pub(crate) fn fold_unary(operator: UnaryOp, operand: Expr) -> Expr {
    if let Expr::Constant(value) = operand
        && let Some(result) = unary(operator, value)
    {
        return Expr::Constant(result);
    }
    Expr::unary(operator, operand)
}

/// An operator on two expressions, computed now if that is possible.
///
/// What has no value (`1 / 0`) stays as it is: it is an error only if it is evaluated.
pub(crate) fn fold_binary(operator: BinaryOp, left: Expr, right: Expr) -> Expr {
    match (operator, &left, &right) {
        (_, Expr::Constant(a), Expr::Constant(b)) => match binary(operator, *a, *b) {
            Some(result) => Expr::Constant(result),
            None => Expr::binary(operator, left, right),
        },
        (BinaryOp::And, Expr::Constant(0), _) => Expr::Constant(0),
        (BinaryOp::Imply, Expr::Constant(0), _) => Expr::TRUE,
        (BinaryOp::Or, Expr::Constant(a), _) if *a != 0 => Expr::TRUE,
        _ => Expr::binary(operator, left, right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_value_is_not_computed() {
        assert_eq!(binary(BinaryOp::Divide, 7, -2), Some(-3));
        assert_eq!(binary(BinaryOp::Remainder, -7, 2), Some(-1));
        for (operator, left, right) in [
            (BinaryOp::Divide, 1, 0),
            (BinaryOp::Remainder, 1, 0),
            (BinaryOp::Add, i64::MAX, 1),
            (BinaryOp::ShiftLeft, 1, 64),
            (BinaryOp::ShiftLeft, 1, 63),
            (BinaryOp::ShiftLeft, 1, -1),
        ] {
            assert_eq!(binary(operator, left, right), None, "{operator:?}");
            let kept = fold_binary(operator, left.into(), right.into());
            assert!(matches!(kept, Expr::Binary(..)), "{operator:?}");
        }
    }

    #[test]
    fn a_side_that_does_not_matter_is_dropped() {
        let broken = Expr::binary(BinaryOp::Divide, 1, 0);
        let and = fold_binary(BinaryOp::And, 0.into(), broken.clone());
        assert_eq!(and, Expr::Constant(0));
        let or = fold_binary(BinaryOp::Or, 1.into(), broken);
        assert_eq!(or, Expr::TRUE);
    }
}
