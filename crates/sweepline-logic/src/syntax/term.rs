//! Terms, which do not know numbers from truth values yet.
//!
//! One grammar for both sorts is what makes `(x + 1) > y` and `(x > 1) and y` readable without looking ahead, and lets
//! the next stage say "this is a number" instead of "unexpected sign".

use std::ops::Range;

use crate::ctl::Quantifier;
use crate::ltl::{Binary, Unary};
use crate::{BinaryOp, BitOp, CompareOp, Name};

/// A term with its place in the whole text.
#[derive(Debug)]
pub(super) struct Node {
    pub term: Term,
    pub span: Range<usize>,
    /// Levels below this one, so that left-nested chains count as deep although they need no recursion here.
    pub height: u32,
    /// Whether it stands in parentheses: `(a and b) and c` is not the chain `a and b and c`.
    pub grouped: bool,
}

#[derive(Debug)]
pub(super) enum Term {
    /// Already reported; stands for whatever is needed.
    Missing,
    Number(i64),
    Name(Name),
    Truth(bool),
    Deadlock,
    Call(Function, Vec<Node>),
    Temporal(String, Box<Node>),
    /// `E[…]` or `A[…]`, in formulas of branching time.
    Quantified(Quantifier, Box<Node>),
    Minus(Box<Node>),
    Not(Box<Node>),
    /// `* / %`
    Product(BinaryOp, Box<Node>, Box<Node>),
    /// `a + b - c`: everything after the first operand has a sign.
    Sum(Box<Node>, Vec<(BinaryOp, Node)>),
    Compare(CompareOp, Box<Node>, Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
    Implies(Box<Node>, Box<Node>),
    Iff(Box<Node>, Box<Node>),
    /// An operator of linear time.
    Run(RunOp, Vec<Node>),
}

/// Operators of linear time as they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunOp {
    Unary(Unary),
    Binary(Binary),
    /// `X[3] p`
    Next(u64),
    /// `F[<=3] p`, `G[<=3] p`
    Within(Unary, u64),
    /// `never p`
    Never,
    /// `p until_ q`: p in the state with q, too.
    UntilBoth(Binary),
    /// `p before q`: q not until p, and not at the same time.
    Before(Binary),
    /// `p before_ q`: q not until p.
    BeforeOrWith(Binary),
    /// `absence of p after q`
    Pattern(PatternKind, ScopeKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternKind {
    Absence,
    Existence,
    Universality,
    Precedence,
    /// The cause, then the effect.
    Response,
    /// The effect, then the cause.
    Responds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Globally,
    Before,
    After,
    Between,
    AfterUntil,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Fireable,
    Sum,
    Rank,
    All,
    Any,
    Initially,
    Bound,
    /// An operator on two numbers that has no sign.
    Operator(BinaryOp),
}

pub(super) const FUNCTIONS: [(&str, Function); 12] = [
    ("fireable", Function::Fireable),
    ("sum", Function::Sum),
    ("rank", Function::Rank),
    ("all", Function::All),
    ("any", Function::Any),
    ("initially", Function::Initially),
    ("bound", Function::Bound),
    ("bitand", Function::Operator(BinaryOp::Bits(BitOp::And))),
    ("bitor", Function::Operator(BinaryOp::Bits(BitOp::Or))),
    ("bitxor", Function::Operator(BinaryOp::Bits(BitOp::Xor))),
    ("shl", Function::Operator(BinaryOp::Bits(BitOp::ShiftLeft))),
    ("shr", Function::Operator(BinaryOp::Bits(BitOp::ShiftRight))),
];

impl Node {
    /// The argument of `bound(…)`, if that is what it is.
    pub fn into_bound(mut self) -> Result<Node, Node> {
        match self.term {
            Term::Call(Function::Bound, ref mut arguments) if arguments.len() == 1 => {
                Ok(arguments.remove(0))
            }
            _ => Err(self),
        }
    }

    /// The operands, if it is a combination by `and`, `or`, `not`, `->` or `<->`.
    pub fn combined(&self) -> Option<Box<dyn Iterator<Item = &Node> + '_>> {
        match &self.term {
            Term::Not(operand) => Some(Box::new(std::iter::once(&**operand))),
            Term::Implies(left, right) | Term::Iff(left, right) => {
                Some(Box::new([&**left, &**right].into_iter()))
            }
            Term::And(operands)
            | Term::Or(operands)
            | Term::Call(Function::All | Function::Any, operands) => {
                Some(Box::new(operands.iter()))
            }
            _ => None,
        }
    }

    /// The first temporal operator in it.
    pub fn first_temporal(&self) -> Option<&str> {
        match &self.term {
            Term::Temporal(operator, _) => Some(operator),
            _ => self.combined()?.find_map(Node::first_temporal),
        }
    }

    pub fn new(term: Term, span: Range<usize>, height: u32) -> Self {
        Self {
            term,
            span,
            height,
            grouped: false,
        }
    }
}
