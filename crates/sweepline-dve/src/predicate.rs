//! Expressions of the language as predicates of the property language.

use sweepline_logic::{BinaryOp as Arithmetic, BitOp, CompareOp, Expr, Pred};
use sweepline_text::Name;

use crate::ast::{self, BinaryOp, ExprKind, UnaryOp};

/// An expression as a predicate on states, or why it is none.
pub(crate) fn predicate(expr: &ast::Expr) -> Result<Pred, &'static str> {
    match &expr.kind {
        ExprKind::Number(value) => Ok(Pred::Constant(*value != 0)),
        ExprKind::At(process, state) => Ok(Pred::Holds(joined(process, state))),
        ExprKind::Unary(UnaryOp::Not, operand) => Ok(Pred::Not(predicate(operand)?.into())),
        ExprKind::Binary(BinaryOp::And, left, right) => {
            Ok(Pred::And(vec![predicate(left)?, predicate(right)?]))
        }
        ExprKind::Binary(BinaryOp::Or, left, right) => {
            Ok(Pred::Or(vec![predicate(left)?, predicate(right)?]))
        }
        ExprKind::Binary(BinaryOp::Imply, left, right) => Ok(Pred::Implies(
            predicate(left)?.into(),
            predicate(right)?.into(),
        )),
        ExprKind::Binary(operator, left, right) => match compare(*operator) {
            Some(operator) => comparison(operator, left, right),
            None if is_truth(left) || is_truth(right) => bits(*operator, left, right),
            None => not_zero(expr),
        },
        _ => not_zero(expr),
    }
}

fn not_zero(expr: &ast::Expr) -> Result<Pred, &'static str> {
    let value = number(expr)?;
    Ok(Pred::Compare(CompareOp::NotEqual, value, Expr::Number(0)))
}

/// Whether an expression is 0 or 1.
fn is_truth(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::At(..) | ExprKind::Unary(UnaryOp::Not, _) => true,
        ExprKind::Binary(operator, ..) => {
            let connective = matches!(operator, BinaryOp::And | BinaryOp::Or | BinaryOp::Imply);
            connective || compare(*operator).is_some()
        }
        _ => false,
    }
}

/// Whether a truth and something else have bits in common, and the like: `x & y == 3` is `x & (y == 3)`, as in C.
fn bits(operator: BinaryOp, left: &ast::Expr, right: &ast::Expr) -> Result<Pred, &'static str> {
    let (truth, other) = if is_truth(left) {
        (left, right)
    } else {
        (right, left)
    };
    let differs = |from: i64| {
        let value = number(other)?;
        Ok::<_, &'static str>(Pred::Compare(
            CompareOp::NotEqual,
            value,
            Expr::Number(from),
        ))
    };
    let pred = predicate(truth)?;
    Ok(match (operator, is_truth(other)) {
        (BinaryOp::BitAnd, true) => Pred::And(vec![pred, predicate(other)?]),
        (BinaryOp::BitAnd, false) => {
            let one = Expr::Number(1).into();
            let lowest = Expr::Binary(Arithmetic::Bits(BitOp::And), number(other)?.into(), one);
            let odd = Pred::Compare(CompareOp::NotEqual, lowest, Expr::Number(0));
            Pred::And(vec![pred, odd])
        }
        (BinaryOp::BitOr, _) => Pred::Or(vec![pred, predicate(other)?]),
        (BinaryOp::BitXor, true) => {
            Pred::Not(Pred::Iff(pred.into(), predicate(other)?.into()).into())
        }
        (BinaryOp::BitXor, false) => {
            let same = Pred::Not(pred.clone().into());
            let (one, zero) = (differs(1)?, differs(0)?);
            Pred::Or(vec![
                Pred::And(vec![pred, one]),
                Pred::And(vec![same, zero]),
            ])
        }
        _ => return Err("a truth value stands where a number is needed"),
    })
}

fn compare(operator: BinaryOp) -> Option<CompareOp> {
    Some(match operator {
        BinaryOp::Equal => CompareOp::Equal,
        BinaryOp::NotEqual => CompareOp::NotEqual,
        BinaryOp::Less => CompareOp::Less,
        BinaryOp::LessOrEqual => CompareOp::LessOrEqual,
        BinaryOp::Greater => CompareOp::Greater,
        BinaryOp::GreaterOrEqual => CompareOp::GreaterOrEqual,
        _ => return None,
    })
}

/// Counting is written out, in a size that doubles with every truth unless it ends early.
const MANY: usize = 12;

/// A comparison of numbers, or of a number of truths with a constant: `P.s + Q.s > 1`.
fn comparison(
    operator: CompareOp,
    left: &ast::Expr,
    right: &ast::Expr,
) -> Result<Pred, &'static str> {
    let mut truths = Vec::new();
    if !summands(left, &mut truths) {
        return Ok(Pred::Compare(operator, number(left)?, number(right)?));
    }
    let ExprKind::Number(bound) = right.kind else {
        return Err("a number of truths can only be compared with a constant");
    };
    if truths.len() > MANY && bound > 2 {
        return Err("this is too large a number of truths to count");
    }
    let at_least = |count| at_least(count, &truths);
    let above = bound.saturating_add(1);
    Ok(match operator {
        CompareOp::Greater => at_least(above),
        CompareOp::GreaterOrEqual => at_least(bound),
        CompareOp::Less => Pred::Not(at_least(bound).into()),
        CompareOp::LessOrEqual => Pred::Not(at_least(above).into()),
        CompareOp::Equal => exactly(at_least(bound), at_least(above)),
        CompareOp::NotEqual => Pred::Not(exactly(at_least(bound), at_least(above)).into()),
    })
}

fn exactly(at_least: Pred, more: Pred) -> Pred {
    Pred::And(vec![at_least, Pred::Not(more.into())])
}

/// Whether an expression is a sum of truths, such as questions where processes are; they are collected.
fn summands(expr: &ast::Expr, truths: &mut Vec<Pred>) -> bool {
    match &expr.kind {
        _ if is_truth(expr) => truth(expr, truths),
        ExprKind::Binary(BinaryOp::Add, left, right) => {
            summands(left, truths) && summands(right, truths)
        }
        _ => false,
    }
}

/// Collects a truth unless it is so long that writing it again and again would fill the memory.
fn truth(expr: &ast::Expr, truths: &mut Vec<Pred>) -> bool {
    const LONGEST: usize = 200;
    let pred = predicate(expr).ok();
    let short = pred.filter(|pred| pred.to_string().len() <= LONGEST);
    let found = short.is_some();
    truths.extend(short);
    found
}

/// At least so many of these hold.
fn at_least(count: i64, truths: &[Pred]) -> Pred {
    if count <= 0 {
        return Pred::Constant(true);
    }
    let Some((first, rest)) = truths.split_first() else {
        return Pred::Constant(false);
    };
    let with = Pred::And(vec![first.clone(), at_least(count - 1, rest)]);
    Pred::Or(vec![with, at_least(count, rest)])
}

/// An expression as a number.
fn number(expr: &ast::Expr) -> Result<Expr, &'static str> {
    match &expr.kind {
        ExprKind::Number(value) => Ok(Expr::Number(*value)),
        ExprKind::Name(name) => Ok(Expr::Slot(Name::new(name.text.as_str()))),
        ExprKind::Element(name, index) => {
            let index = constant(index)?;
            Ok(Expr::Slot(Name::new(format!("{name}[{index}]"))))
        }
        ExprKind::Local(process, name, None) => Ok(Expr::Slot(joined(process, name))),
        ExprKind::Local(process, name, Some(index)) => {
            let index = constant(index)?;
            Ok(Expr::Slot(Name::new(format!("{process}.{name}[{index}]"))))
        }
        ExprKind::Unary(UnaryOp::Negate, operand) => Ok(Expr::Negate(number(operand)?.into())),
        // The complement of a number is what is missing to -1.
        ExprKind::Unary(UnaryOp::Complement, operand) => Ok(Expr::Binary(
            Arithmetic::Subtract,
            Expr::Number(-1).into(),
            number(operand)?.into(),
        )),
        ExprKind::Binary(operator, left, right) => {
            let operator = arithmetic(*operator)?;
            let (left, right) = (number(left)?, number(right)?);
            Ok(Expr::Binary(operator, left.into(), right.into()))
        }
        ExprKind::At(..) | ExprKind::Unary(UnaryOp::Not, _) => {
            Err("a truth value stands where a number is needed")
        }
    }
}

fn constant(index: &ast::Expr) -> Result<i64, &'static str> {
    match index.kind {
        ExprKind::Number(value) => Ok(value),
        _ => Err("an index must be a number"),
    }
}

fn arithmetic(operator: BinaryOp) -> Result<Arithmetic, &'static str> {
    match operator {
        BinaryOp::Add => Ok(Arithmetic::Add),
        BinaryOp::Subtract => Ok(Arithmetic::Subtract),
        BinaryOp::Multiply => Ok(Arithmetic::Multiply),
        BinaryOp::Divide => Ok(Arithmetic::Divide),
        BinaryOp::Remainder => Ok(Arithmetic::Remainder),
        BinaryOp::BitAnd => Ok(Arithmetic::Bits(BitOp::And)),
        BinaryOp::BitOr => Ok(Arithmetic::Bits(BitOp::Or)),
        BinaryOp::BitXor => Ok(Arithmetic::Bits(BitOp::Xor)),
        BinaryOp::ShiftLeft => Ok(Arithmetic::Bits(BitOp::ShiftLeft)),
        BinaryOp::ShiftRight => Ok(Arithmetic::Bits(BitOp::ShiftRight)),
        _ => Err("a truth value stands where a number is needed"),
    }
}

fn joined(process: &Name, name: &Name) -> Name {
    Name::new(format!("{process}.{name}"))
}
