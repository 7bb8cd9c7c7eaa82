//! Formulas about the runs from each state: every path operator stands directly below a path quantifier.

use roxmltree::Node;
use sweepline_logic::PropertyKind;
use sweepline_logic::ctl::{Branching, CtlAtoms, PathBinary, PathUnary, Quantifier};

use super::elements;
use super::formula::{Entered, FormulaReader, Frame, Operand, Stop, is_path_operator};
use super::operator::Operator;
use super::runs::DEEPEST;

/// What makes a condition on states of conditions on states, by way of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathOperator {
    Unary(PathUnary),
    Until,
}

fn name<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

impl FormulaReader<'_> {
    /// Reads a formula of CTL. It stops at the operator that makes it something else.
    pub(super) fn branches<'a, 'i>(
        &mut self,
        formula: Node<'a, 'i>,
    ) -> Result<PropertyKind, Stop<'a, 'i>> {
        let deep = |node: &Node<'_, '_>| node.ancestors().count() > DEEPEST;
        if let Some(deep) = formula.descendants().find(deep) {
            return Err(self.too_large(deep));
        }
        self.branching = Some(CtlAtoms::default());
        let read = self.whole(formula)?;
        let mut atoms = self.branching.take().unwrap_or_default();
        let branching = read.into_branching(&mut atoms);
        let branching = branching.ok_or_else(|| self.too_large(formula))?;
        Ok(PropertyKind::Ctl(atoms.finish(branching)))
    }

    /// A path quantifier, with its path operator or, if there is none, without meaning.
    pub(super) fn branch<'a, 'i>(
        &mut self,
        node: Node<'a, 'i>,
        quantifier: Quantifier,
    ) -> Result<Entered<'a, 'i>, Stop<'a, 'i>> {
        let inside: Vec<_> = elements(node).collect();
        let [inner] = inside[..] else {
            return Err(self.wrong_arity(node, "one path formula", inside.len()));
        };
        let operator = match name(inner) {
            "next" => PathOperator::Unary(PathUnary::Next),
            "finally" => PathOperator::Unary(PathUnary::Finally),
            "globally" => PathOperator::Unary(PathUnary::Globally),
            "until" => {
                self.check_until(inner)?;
                PathOperator::Until
            }
            _ => return Ok(Entered::Operator(Frame::new(Operator::Whole, node, node))),
        };
        debug_assert!(is_path_operator(name(inner)));
        let operator = Operator::Branch(quantifier, operator);
        Ok(Entered::Operator(Frame::new(operator, inner, inner)))
    }
}

impl Operator {
    /// Whether it makes a condition with path quantifiers of conditions on states.
    pub(super) fn is_branching(self) -> bool {
        matches!(self, Self::Branch(..)) || self.takes_states()
    }

    /// The operands are as many as [`arity`](Operator::arity) says.
    pub(super) fn apply_to_branches(self, mut branches: Vec<Branching>) -> Branching {
        let mut last = || branches.pop().expect("the number of operands was checked");
        match self {
            Self::And => Branching::And(branches),
            Self::Or => Branching::Or(branches),
            Self::Not => last().negated(),
            Self::Reachable => last().under(Quantifier::Exists, PathUnary::Finally),
            Self::Invariant => last().under(Quantifier::Forall, PathUnary::Globally),
            Self::Impossible => {
                let never = last().negated();
                never.under(Quantifier::Forall, PathUnary::Globally)
            }
            Self::Branch(quantifier, PathOperator::Unary(op)) => last().under(quantifier, op),
            Self::Implies | Self::Iff | Self::Xor | Self::Branch(_, PathOperator::Until) => {
                let (right, left) = (last(), last());
                match self {
                    Self::Implies => Branching::Implies(left.into(), right.into()),
                    Self::Iff => Branching::Iff(left.into(), right.into()),
                    Self::Branch(quantifier, _) => left.with(quantifier, PathBinary::Until, right),
                    _ => Branching::Iff(left.into(), right.into()).negated(),
                }
            }
            _ => last(),
        }
    }
}

impl Operand {
    /// As a condition with path quantifiers.
    pub(super) fn into_branching(self, atoms: &mut CtlAtoms) -> Option<Branching> {
        match self {
            Self::State(pred) => Some(atoms.atom(pred)),
            Self::Branch(branching) => Some(branching),
            Self::Number(_) | Self::Path(_) | Self::Run(_) => None,
        }
    }
}
