//! Expressions as sums.

use crate::{BinaryOp, Expr, Name};

/// What a sum is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom<'e> {
    /// The value of a slot.
    Slot(&'e Name),
    /// The rank of a slot's value.
    Rank(&'e Name, &'e [(Name, i64)]),
}

impl Expr {
    /// The expression as a sum of atoms times numbers, constants left out, if it is one.
    ///
    /// ```
    /// use sweepline_logic::{Atom, parse_expr};
    ///
    /// let expr = parse_expr("2 * (a - b) + 7").unwrap();
    /// let terms = expr.terms().unwrap().into_iter();
    /// let shown = terms.map(|(factor, atom)| match atom {
    ///     Atom::Slot(name) | Atom::Rank(name, _) => format!("{factor} {name}"),
    /// });
    /// assert_eq!(shown.collect::<Vec<_>>(), ["2 a", "-2 b"]);
    /// assert!(parse_expr("a * b").unwrap().terms().is_none());
    /// ```
    pub fn terms(&self) -> Option<Vec<(i64, Atom<'_>)>> {
        let mut terms = Vec::new();
        self.collect(1, &mut terms)?;
        Some(terms)
    }

    fn collect<'e>(&'e self, factor: i64, out: &mut Vec<(i64, Atom<'e>)>) -> Option<()> {
        match self {
            Self::Number(_) => {}
            Self::Slot(name) => out.push((factor, Atom::Slot(name))),
            Self::Rank(name, ranks) => out.push((factor, Atom::Rank(name, ranks))),
            Self::Sum(parts) => {
                for part in parts {
                    part.collect(factor, out)?;
                }
            }
            Self::Negate(part) => part.collect(factor.checked_neg()?, out)?,
            Self::Binary(BinaryOp::Add, left, right) => {
                left.collect(factor, out)?;
                right.collect(factor, out)?;
            }
            Self::Binary(BinaryOp::Subtract, left, right) => {
                left.collect(factor, out)?;
                right.collect(factor.checked_neg()?, out)?;
            }
            Self::Binary(BinaryOp::Multiply, left, right) => match (&**left, &**right) {
                (Self::Number(by), part) | (part, Self::Number(by)) => {
                    part.collect(factor.checked_mul(*by)?, out)?;
                }
                _ => return None,
            },
            Self::Binary(..) => return None,
        }
        Some(())
    }
}
