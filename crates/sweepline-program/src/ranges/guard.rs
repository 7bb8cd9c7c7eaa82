//! What a guard says about the values of slots.

use sweepline_core::SlotId;

use crate::interval::Interval;
use crate::ir::{BinaryOp, Expr, UnaryOp};

use super::Point;

impl Point<'_> {
    /// Keeps to states in which a condition is true, or false. Says whether there can be any.
    pub(super) fn assume(&mut self, condition: &Expr, truth: bool) -> bool {
        match condition {
            Expr::Unary(UnaryOp::Not, operand) => self.assume(operand, !truth),
            Expr::Binary(BinaryOp::And, left, right) if truth => {
                self.assume(left, true) && self.assume(right, true)
            }
            Expr::Binary(BinaryOp::Or, left, right) if !truth => {
                self.assume(left, false) && self.assume(right, false)
            }
            Expr::Binary(BinaryOp::Imply, left, right) if !truth => {
                self.assume(left, true) && self.assume(right, false)
            }
            Expr::Binary(BinaryOp::And, left, right) => self.either((left, false), (right, false)),
            Expr::Binary(BinaryOp::Or, left, right) => self.either((left, true), (right, true)),
            Expr::Binary(BinaryOp::Imply, left, right) => self.either((left, false), (right, true)),
            Expr::Binary(op, left, right) if Comparison::of(*op).is_some() => {
                let comparison = Comparison::of(*op).expect("it was asked for just now");
                let comparison = if truth {
                    comparison
                } else {
                    comparison.negated()
                };
                self.compare(comparison, left, right)
            }
            Expr::Full(channel) => {
                let channel = self.analysis.program.channel(*channel);
                let full = Expr::Constant(channel.capacity.into());
                let comparison = if truth {
                    Comparison::Equal
                } else {
                    Comparison::Less
                };
                self.compare(comparison, &Expr::Slot(channel.length), &full)
            }
            Expr::Empty(channel) => {
                let length = self.analysis.program.channel(*channel).length;
                let comparison = if truth {
                    Comparison::Equal
                } else {
                    Comparison::NotEqual
                };
                self.compare(comparison, &Expr::Slot(length), &Expr::Constant(0))
            }
            Expr::At(..) => true,
            other => {
                let comparison = if truth {
                    Comparison::NotEqual
                } else {
                    Comparison::Equal
                };
                self.compare(comparison, other, &Expr::Constant(0))
            }
        }
    }

    /// One of two conditions holds, or both.
    fn either(&mut self, one: (&Expr, bool), other: (&Expr, bool)) -> bool {
        let before = self.known.clone();
        let first = self.assume(one.0, one.1);
        let known = std::mem::replace(&mut self.known, before);
        let second = self.assume(other.0, other.1);
        match (first, second) {
            (true, true) => self.known.join(&known),
            (true, false) => self.known = known,
            (false, _) => {}
        }
        first || second
    }

    fn compare(&mut self, comparison: Comparison, left: &Expr, right: &Expr) -> bool {
        let (a, b) = (self.eval(left), self.eval(right));
        let (Some(a), Some(b)) = (comparison.bound(a, b), comparison.mirrored().bound(b, a)) else {
            return false;
        };
        self.bound(left, a) && self.bound(right, b)
    }

    /// Keeps to states in which an expression has one of these values.
    fn bound(&mut self, expr: &Expr, values: Interval) -> bool {
        match expr {
            Expr::Slot(slot) if self.analysis.is_alone(*slot) => {
                let met = self.values(*slot).meet(values);
                if let Some(met) = met {
                    self.known.insert(*slot, met);
                }
                met.is_some()
            }
            Expr::Element(array, index) => {
                let mut elements = self.elements(*array, index);
                match (elements.next(), elements.next()) {
                    (Some(slot), None) => self.bound(&Expr::Slot(SlotId(slot)), values),
                    _ => true,
                }
            }
            Expr::Binary(BinaryOp::Add, operand, by) => match **by {
                Expr::Constant(by) => self.bound(operand, values.moved(-i128::from(by))),
                _ => true,
            },
            Expr::Binary(BinaryOp::Subtract, operand, by) => match **by {
                Expr::Constant(by) => self.bound(operand, values.moved(by.into())),
                _ => true,
            },
            _ => true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    fn of(op: BinaryOp) -> Option<Self> {
        Some(match op {
            BinaryOp::Equal => Self::Equal,
            BinaryOp::NotEqual => Self::NotEqual,
            BinaryOp::Less => Self::Less,
            BinaryOp::LessEqual => Self::LessEqual,
            BinaryOp::Greater => Self::Greater,
            BinaryOp::GreaterEqual => Self::GreaterEqual,
            _ => return None,
        })
    }

    fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }

    /// The comparison of the operands the other way round.
    fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
            same => same,
        }
    }

    /// The values on the left for which some value on the right compares so.
    fn bound(self, left: Interval, right: Interval) -> Option<Interval> {
        match self {
            Self::Equal => left.meet(right),
            Self::NotEqual if right.least == right.greatest => left.without(right.least),
            Self::NotEqual => Some(left),
            Self::Less => left.meet(Interval::new(i64::MIN, right.greatest.checked_sub(1)?)),
            Self::LessEqual => left.meet(Interval::new(i64::MIN, right.greatest)),
            Self::Greater => left.meet(Interval::new(right.least.checked_add(1)?, i64::MAX)),
            Self::GreaterEqual => left.meet(Interval::new(right.least, i64::MAX)),
        }
    }
}
