//! What the operators of formulas mean.

use sweepline_logic::ctl::Quantifier;
use sweepline_logic::ltl::{Binary, Temporal, Unary};
use sweepline_logic::{BinaryOp, CompareOp, Expr, Formula, Pred};

use super::branching::PathOperator;
use super::formula::Operand;

/// An element that contains others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// The formula as a whole, or a path quantifier without path operator.
    Whole,
    And,
    Or,
    Not,
    Xor,
    Implies,
    Iff,
    Compare(CompareOp),
    Sum,
    Product,
    Difference,
    /// `EF`
    Reachable,
    /// `AG`
    Invariant,
    /// `AG` not
    Impossible,
    /// `X`, `F` or `G` in a formula about single runs.
    Path(Unary),
    /// `U`, likewise.
    Until,
    /// A path quantifier with its path operator.
    Branch(Quantifier, PathOperator),
}

/// The names of all elements of formulas, for suggestions.
pub(super) const NAMES: [&str; 28] = [
    "conjunction",
    "disjunction",
    "negation",
    "exclusive-disjunction",
    "implication",
    "equivalence",
    "integer-eq",
    "integer-ne",
    "integer-lt",
    "integer-le",
    "integer-gt",
    "integer-ge",
    "integer-sum",
    "integer-product",
    "integer-difference",
    "possibility",
    "invariant",
    "impossibility",
    "true",
    "false",
    "deadlock",
    "is-fireable",
    "tokens-count",
    "integer-constant",
    "exists-path",
    "all-paths",
    "globally",
    "finally",
];

/// Formulas larger than this are not written out.
const MOST_NODES: usize = 10_000;

impl Operator {
    pub(super) fn named(element: &str) -> Option<Self> {
        Some(match element {
            "conjunction" => Self::And,
            "disjunction" => Self::Or,
            "negation" => Self::Not,
            "exclusive-disjunction" => Self::Xor,
            "implication" => Self::Implies,
            "equivalence" => Self::Iff,
            "integer-eq" => Self::Compare(CompareOp::Equal),
            "integer-ne" => Self::Compare(CompareOp::NotEqual),
            "integer-lt" => Self::Compare(CompareOp::Less),
            "integer-le" => Self::Compare(CompareOp::LessOrEqual),
            "integer-gt" => Self::Compare(CompareOp::Greater),
            "integer-ge" => Self::Compare(CompareOp::GreaterOrEqual),
            "integer-sum" => Self::Sum,
            "integer-product" => Self::Product,
            "integer-difference" => Self::Difference,
            "possibility" => Self::Reachable,
            "invariant" => Self::Invariant,
            "impossibility" => Self::Impossible,
            _ => return None,
        })
    }

    /// The least and the greatest number of operands, and both in words.
    pub(super) fn arity(self) -> (usize, usize, &'static str) {
        match self {
            Self::Whole
            | Self::Reachable
            | Self::Invariant
            | Self::Impossible
            | Self::Path(_)
            | Self::Branch(_, PathOperator::Unary(_))
            | Self::Not => (1, 1, "one condition"),
            Self::And | Self::Or => (1, usize::MAX, "at least one condition"),
            Self::Xor
            | Self::Implies
            | Self::Iff
            | Self::Until
            | Self::Branch(_, PathOperator::Until) => (2, 2, "two conditions"),
            Self::Compare(_) => (2, 2, "two numbers"),
            Self::Sum | Self::Product => (1, usize::MAX, "at least one number"),
            Self::Difference => (2, usize::MAX, "at least two numbers"),
        }
    }

    pub(super) fn takes_numbers(self) -> bool {
        matches!(
            self,
            Self::Compare(_) | Self::Sum | Self::Product | Self::Difference
        )
    }

    /// Whether the operands must be conditions on states, not on paths.
    pub(super) fn takes_states(self) -> bool {
        matches!(self, Self::Reachable | Self::Invariant | Self::Impossible)
    }

    /// Whether it makes a condition on runs even of conditions on states.
    pub(super) fn is_about_runs(self) -> bool {
        matches!(self, Self::Path(_) | Self::Until)
    }

    /// The operands are as many as [`arity`](Operator::arity) says.
    pub(super) fn apply_to_runs(self, mut runs: Vec<Temporal>) -> Temporal {
        let mut last = || take_last(&mut runs);
        match self {
            Self::And => Temporal::And(runs),
            Self::Or => Temporal::Or(runs),
            Self::Not => last().negated(),
            Self::Path(operator) => last().under(operator),
            Self::Implies | Self::Iff | Self::Xor | Self::Until => {
                let (right, left) = (last(), last());
                match self {
                    Self::Implies => left.implies(right),
                    Self::Until => left.with(Binary::Until, right),
                    Self::Iff => Temporal::Iff(left.into(), right.into()),
                    _ => Temporal::Iff(left.into(), right.into()).negated(),
                }
            }
            _ => last(),
        }
    }

    /// The operands are as many as [`arity`](Operator::arity) says.
    pub(super) fn apply_to_numbers(self, mut numbers: Vec<Expr>) -> Operand {
        match self {
            Self::Sum => Operand::Number(Expr::Sum(numbers)),
            Self::Product => Operand::Number(product(numbers)),
            Self::Difference => Operand::Number(difference(numbers)),
            Self::Compare(op) => {
                let (right, left) = (take_last(&mut numbers), take_last(&mut numbers));
                Operand::State(Pred::Compare(op, left, right))
            }
            _ => unreachable!("{self:?} takes conditions"),
        }
    }

    /// The operands are as many as [`arity`](Operator::arity) says.
    #[expect(
        clippy::result_large_err,
        reason = "no error: the other one of two values"
    )]
    pub(super) fn apply_to_states(self, mut preds: Vec<Pred>) -> Operand {
        let mut last = || Box::new(take_last(&mut preds));
        let pred = match self {
            Self::And => Pred::And(flattened(preds, |pred| match pred {
                Pred::And(inner) => Ok(inner),
                other => Err(other),
            })),
            Self::Or => Pred::Or(flattened(preds, |pred| match pred {
                Pred::Or(inner) => Ok(inner),
                other => Err(other),
            })),
            Self::Not => Pred::Not(last()),
            Self::Implies => {
                let (right, left) = (last(), last());
                Pred::Implies(left, right)
            }
            Self::Iff | Self::Xor => {
                let (right, left) = (last(), last());
                let same = Pred::Iff(left, right);
                if self == Self::Iff {
                    same
                } else {
                    Pred::Not(Box::new(same))
                }
            }
            Self::Reachable => return Operand::Path(Formula::Reachable(*last())),
            Self::Invariant => return Operand::Path(Formula::Invariant(*last())),
            Self::Impossible => return Operand::Path(Formula::Invariant(Pred::Not(last()))),
            _ => *last(),
        };
        Operand::State(pred)
    }

    /// The operands are as many as [`arity`](Operator::arity) says. Nothing if the result would be too large.
    #[expect(
        clippy::result_large_err,
        reason = "no error: the other one of two values"
    )]
    pub(super) fn apply_to_formulas(self, mut formulas: Vec<Formula>) -> Option<Formula> {
        let not = |formula| Formula::Not(Box::new(formula));
        Some(match self {
            Self::And => Formula::And(flattened(formulas, |formula| match formula {
                Formula::And(inner) => Ok(inner),
                other => Err(other),
            })),
            Self::Or => Formula::Or(flattened(formulas, |formula| match formula {
                Formula::Or(inner) => Ok(inner),
                other => Err(other),
            })),
            Self::Not => not(take_last(&mut formulas)),
            Self::Implies => {
                let (right, left) = (take_last(&mut formulas), take_last(&mut formulas));
                Formula::Or(vec![not(left), right])
            }
            // There is no such operator between questions, so both appear twice.
            Self::Iff | Self::Xor => {
                let (right, left) = (take_last(&mut formulas), take_last(&mut formulas));
                if nodes(&left) + nodes(&right) > MOST_NODES / 2 {
                    return None;
                }
                let both = Formula::And(vec![left.clone(), right.clone()]);
                let neither = Formula::And(vec![not(left), not(right)]);
                let same = Formula::Or(vec![both, neither]);
                if self == Self::Iff { same } else { not(same) }
            }
            _ => take_last(&mut formulas),
        })
    }
}

/// The product of many numbers as a tree of small depth, for whoever walks it recurses.
fn product(mut factors: Vec<Expr>) -> Expr {
    while factors.len() > 1 {
        let mut rest = factors.into_iter();
        let mut pairs = Vec::with_capacity(rest.len().div_ceil(2));
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                Some(right) => binary(BinaryOp::Multiply, left, right),
                None => left,
            });
        }
        factors = pairs;
    }
    take_last(&mut factors)
}

/// The first number minus the sum of the others.
fn difference(mut numbers: Vec<Expr>) -> Expr {
    let mut others = numbers.split_off(1);
    let others = match others.len() {
        1 => take_last(&mut others),
        _ => Expr::Sum(others),
    };
    binary(BinaryOp::Subtract, take_last(&mut numbers), others)
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

/// Operands that are the same operator again are replaced by their own operands.
fn flattened<T>(operands: Vec<T>, inner: impl Fn(T) -> Result<Vec<T>, T>) -> Vec<T> {
    let mut flat = Vec::with_capacity(operands.len());
    for operand in operands {
        match inner(operand) {
            Ok(mut inner) => flat.append(&mut inner),
            Err(operand) => flat.push(operand),
        }
    }
    flat
}

fn take_last<T>(operands: &mut Vec<T>) -> T {
    operands.pop().expect("the number of operands was checked")
}

fn nodes(formula: &Formula) -> usize {
    match formula {
        Formula::Initially(_) | Formula::Reachable(_) | Formula::Invariant(_) => 1,
        Formula::Not(inner) => 1 + nodes(inner),
        Formula::And(inner) | Formula::Or(inner) => 1 + inner.iter().map(nodes).sum::<usize>(),
    }
}
