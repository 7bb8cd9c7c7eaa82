//! Operators between two operands.

use sweepline_text::Kind;

use super::term::{Node, RunOp, Term};
use crate::{BinaryOp, CompareOp};

/// How tightly an operator holds its operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Loosest,
    Iff,
    Implies,
    Or,
    And,
    /// `U` and the like, in formulas of linear time.
    Until,
    Compare,
    Sum,
    Product,
    Tightest,
}

/// An operator between two operands.
#[derive(Clone, Copy)]
pub(super) enum Infix {
    Iff,
    Implies,
    Or,
    And,
    Compare(CompareOp),
    Sum(BinaryOp),
    Product(BinaryOp),
    Run(RunOp),
}

impl Infix {
    pub fn of(kind: &Kind) -> Option<Self> {
        let (Kind::Word(text) | Kind::Sign(text)) = kind else {
            return None;
        };
        Some(match *text {
            "iff" | "<->" | "<=>" => Self::Iff,
            "implies" | "->" | "=>" => Self::Implies,
            "or" | "||" | "|" => Self::Or,
            "and" | "&&" | "&" => Self::And,
            "=" | "==" => Self::Compare(CompareOp::Equal),
            "!=" | "<>" => Self::Compare(CompareOp::NotEqual),
            "<" => Self::Compare(CompareOp::Less),
            "<=" => Self::Compare(CompareOp::LessOrEqual),
            ">" => Self::Compare(CompareOp::Greater),
            ">=" => Self::Compare(CompareOp::GreaterOrEqual),
            "+" => Self::Sum(BinaryOp::Add),
            "-" => Self::Sum(BinaryOp::Subtract),
            "*" => Self::Product(BinaryOp::Multiply),
            "/" => Self::Product(BinaryOp::Divide),
            "%" => Self::Product(BinaryOp::Remainder),
            _ => return None,
        })
    }

    /// The operator's own binding, and the least binding of what may stand to its right.
    pub fn bindings(self) -> (Binding, Binding) {
        match self {
            Self::Iff => (Binding::Iff, Binding::Implies),
            Self::Implies => (Binding::Implies, Binding::Implies),
            Self::Or => (Binding::Or, Binding::And),
            Self::And => (Binding::And, Binding::Until),
            // A scope follows the second operand of a pattern.
            Self::Run(RunOp::Pattern(..)) => (Binding::Until, Binding::Compare),
            Self::Run(_) => (Binding::Until, Binding::Until),
            Self::Compare(_) => (Binding::Compare, Binding::Sum),
            Self::Sum(_) => (Binding::Sum, Binding::Product),
            Self::Product(_) => (Binding::Product, Binding::Tightest),
        }
    }

    /// The term of two operands.
    pub fn pair(self, left: Node, right: Node) -> Term {
        match self {
            Self::Iff => Term::Iff(Box::new(left), Box::new(right)),
            Self::Implies => Term::Implies(Box::new(left), Box::new(right)),
            Self::Or => Term::Or(vec![left, right]),
            Self::And => Term::And(vec![left, right]),
            Self::Compare(op) => Term::Compare(op, Box::new(left), Box::new(right)),
            Self::Sum(op) => Term::Sum(Box::new(left), vec![(op, right)]),
            Self::Product(op) => Term::Product(op, Box::new(left), Box::new(right)),
            Self::Run(op) => Term::Run(op, vec![left, right]),
        }
    }
}
