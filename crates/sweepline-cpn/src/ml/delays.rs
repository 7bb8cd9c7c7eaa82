//! Where a delay belongs to.
//!
//! CPN Tools' manual calls `@+` a separator between an inscription and its delay, and its own examples rely on that:
//! `n+1@+NextArrival()`, and ``if x=q then 1`(q,i+1) else empty @+7``. As an operator that binds at 7, which it is everywhere else,
//! it would belong to `1` and to `empty` only; neither has a type then.

use crate::ml::syntax::{Expr, ExprKind, Infix};

/// The expression with a delay at its very end, outside of parentheses, as the delay of all of it. If other parts have
/// delays too, each stays where it is.
pub(crate) fn lifted(mut expr: Expr) -> Expr {
    if is_delay(&expr) || count(&expr) != 1 {
        return expr;
    }
    let span = expr.span;
    match taken(&mut expr) {
        Some((operator, at, delay)) => {
            let depth = expr.depth + 1;
            let infix = Infix {
                operator,
                at,
                left: expr,
                right: delay,
            };
            Expr {
                kind: ExprKind::Infix(Box::new(infix)),
                span,
                depth,
            }
        }
        None => expr,
    }
}

/// Whether there is a delay in it, apart from those inside functions and declarations.
pub(crate) fn has_delay(expr: &Expr) -> bool {
    count(expr) > 0
}

fn is_delay(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Infix(infix) if matches!(infix.operator.as_str(), "@+" | "@@+" | "@++"))
}

fn count(expr: &Expr) -> usize {
    let own = usize::from(is_delay(expr));
    own + match &expr.kind {
        ExprKind::Infix(infix) => count(&infix.left) + count(&infix.right),
        ExprKind::If(parts) => parts.iter().map(count).sum(),
        ExprKind::Case(_, rules) => rules.iter().map(|rule| count(&rule.body)).sum(),
        ExprKind::Paren(inner) => count(inner),
        _ => 0,
    }
}

/// Takes the delay at the end out of an expression.
fn taken(expr: &mut Expr) -> Option<(String, crate::ml::syntax::Span, Expr)> {
    if is_delay(expr) {
        let nothing = ExprKind::Tuple(Vec::new());
        let ExprKind::Infix(infix) = std::mem::replace(&mut expr.kind, nothing) else {
            return None;
        };
        let Infix {
            operator,
            at,
            left,
            right,
        } = *infix;
        *expr = left;
        return Some((operator, at, right));
    }
    match &mut expr.kind {
        ExprKind::Infix(infix) => taken(&mut infix.right),
        ExprKind::If(parts) => taken(&mut parts[2]),
        ExprKind::Case(_, rules) => rules.last_mut().and_then(|rule| taken(&mut rule.body)),
        _ => None,
    }
}
