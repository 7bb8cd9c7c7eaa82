//! Conjuncts that are tests of one slot.

use sweepline_core::{Layout, Slot};
use sweepline_program::{BinaryOp, Expr, Program, UnaryOp};

use super::conjuncts::mirrored;
use crate::tables::Test;

/// A condition as a test of one slot, if it is one.
pub(super) fn test(program: &Program, layout: &Layout, expr: &Expr) -> Option<Test> {
    match expr {
        Expr::At(process, location) => {
            let slot = layout.slot(program.process(*process).location);
            let at = location.0.into();
            Some(Test::between(slot, at, at))
        }
        Expr::Empty(channel) => {
            let slot = layout.slot(program.channel(*channel).length);
            Some(Test::between(slot, 0, 0))
        }
        Expr::Full(channel) => {
            let channel = program.channel(*channel);
            let full = channel.capacity.into();
            Some(Test::between(layout.slot(channel.length), full, full))
        }
        Expr::Unary(UnaryOp::Not, operand) => Some(test(program, layout, operand)?.negated()),
        Expr::Binary(op, left, right) => match (&**left, &**right) {
            (Expr::Constant(value), _) => {
                compared(read(program, layout, right)?, mirrored(*op)?, *value)
            }
            (_, Expr::Constant(value)) => compared(read(program, layout, left)?, *op, *value),
            _ => None,
        },
        _ => compared(read(program, layout, expr)?, BinaryOp::NotEqual, 0),
    }
}

/// The slot that an expression reads, if that is all it does.
fn read<'l>(program: &Program, layout: &'l Layout, expr: &Expr) -> Option<&'l Slot> {
    let slot = match expr {
        Expr::Slot(slot) => *slot,
        Expr::Element(array, index) => match **index {
            Expr::Constant(index) => program.array(*array).element(index)?,
            _ => return None,
        },
        _ => return None,
    };
    Some(layout.slot(slot))
}

fn compared(slot: &Slot, op: BinaryOp, value: i64) -> Option<Test> {
    let between = |least, greatest| Some(Test::between(slot, least, greatest));
    match op {
        BinaryOp::Equal => between(value, value),
        BinaryOp::NotEqual => Some(between(value, value)?.negated()),
        BinaryOp::Less => between(i64::MIN, value.checked_sub(1)?),
        BinaryOp::LessEqual => between(i64::MIN, value),
        BinaryOp::Greater => between(value.checked_add(1)?, i64::MAX),
        BinaryOp::GreaterEqual => between(value, i64::MAX),
        _ => None,
    }
}
