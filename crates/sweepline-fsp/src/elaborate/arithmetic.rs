//! Arithmetic on numbers.

use crate::ast::{BinaryOp, UnaryOp};

/// Applies an operator to a number.
pub(super) fn unary(operator: UnaryOp, operand: i64) -> Result<i64, &'static str> {
    match operator {
        UnaryOp::Negate => operand.checked_neg().ok_or(OVERFLOW),
        UnaryOp::Plus => Ok(operand),
        UnaryOp::Not => Ok(i64::from(operand == 0)),
    }
}

const OVERFLOW: &str = "it does not fit into 64 bits";

/// Applies an operator to two numbers.
pub(super) fn binary(operator: BinaryOp, left: i64, right: i64) -> Result<i64, &'static str> {
    let truth = |truth: bool| Ok(i64::from(truth));
    match operator {
        BinaryOp::Add => left.checked_add(right).ok_or(OVERFLOW),
        BinaryOp::Subtract => left.checked_sub(right).ok_or(OVERFLOW),
        BinaryOp::Multiply => left.checked_mul(right).ok_or(OVERFLOW),
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => Err("division by zero"),
        BinaryOp::Divide => left.checked_div(right).ok_or(OVERFLOW),
        BinaryOp::Remainder => left.checked_rem(right).ok_or(OVERFLOW),
        BinaryOp::BitAnd => Ok(left & right),
        BinaryOp::BitOr => Ok(left | right),
        BinaryOp::BitXor => Ok(left ^ right),
        BinaryOp::ShiftLeft => shifted_left(left, right).ok_or(OVERFLOW),
        BinaryOp::ShiftRight => u32::try_from(right)
            .ok()
            .and_then(|bits| left.checked_shr(bits))
            .ok_or("a shift is by 0 to 63 bits"),
        BinaryOp::Equal => truth(left == right),
        BinaryOp::NotEqual => truth(left != right),
        BinaryOp::Less => truth(left < right),
        BinaryOp::LessEqual => truth(left <= right),
        BinaryOp::Greater => truth(left > right),
        BinaryOp::GreaterEqual => truth(left >= right),
        BinaryOp::And => truth(left != 0 && right != 0),
        BinaryOp::Or => truth(left != 0 || right != 0),
    }
}

/// Losing bits is an overflow.
fn shifted_left(value: i64, bits: i64) -> Option<i64> {
    let bits = u32::try_from(bits).ok()?;
    let shifted = value.checked_shl(bits)?;
    (shifted >> bits == value).then_some(shifted)
}
