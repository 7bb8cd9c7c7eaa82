//! Formulas about single runs: one path quantifier, and below it path operators without any.

use roxmltree::Node;
use sweepline_logic::PropertyKind;
use sweepline_logic::ltl::{Atoms, Unary};

use super::elements;
use super::formula::{Entered, FormulaReader, Frame, Stop, is_path_operator};
use super::operator::Operator;

/// Whether an element is a path quantifier with a formula about single runs that is no `EF p` or `AG p`.
pub(super) fn is_linear(quantifier: Node<'_, '_>) -> bool {
    let simple = match name(quantifier) {
        "exists-path" => "finally",
        "all-paths" => "globally",
        _ => return false,
    };
    let inside = || quantifier.descendants().skip(1);
    let quantified = inside().any(|node| {
        let others = ["possibility", "invariant", "impossibility"];
        matches!(name(node), "exists-path" | "all-paths") || others.contains(&name(node))
    });
    let mut operators = inside().filter(|node| is_path_operator(name(*node)));
    match (operators.next(), operators.next()) {
        (None, _) => false,
        (Some(only), None) => {
            let outermost = only.parent_element() == Some(quantifier);
            !(quantified || outermost && name(only) == simple)
        }
        (Some(_), Some(_)) => !quantified,
    }
}

fn name<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

/// Whether an element contains an operand of `until`.
pub(super) fn is_part_of_until(node: Node<'_, '_>) -> bool {
    node.parent_element().map(name) == Some("until")
}

/// Formulas deeper than this are refused, for whoever reads them recurses.
pub(super) const DEEPEST: usize = 200;

impl FormulaReader<'_> {
    /// Reads a path quantifier with a formula about single runs.
    ///
    /// Where a formula is both CTL and LTL, it means the same in both, unless it speaks of the next state: a run that ends stays where it is
    /// in LTL, while it has no next state in CTL. The contest says which logic a formula is of by its id.
    pub(super) fn runs<'a, 'i>(
        &mut self,
        quantifier: Node<'a, 'i>,
    ) -> Result<PropertyKind, Stop<'a, 'i>> {
        let next = quantifier.descendants().find(|node| name(*node) == "next");
        if let Some(next) = next.filter(|_| self.property.contains("CTL")) {
            return Err(Stop::Temporal(next));
        }
        let deep = |node: &Node<'_, '_>| node.ancestors().count() > DEEPEST;
        if let Some(deep) = quantifier.descendants().find(deep) {
            return Err(self.too_large(deep));
        }
        self.atoms = Some(Atoms::default());
        let read = self.whole(quantifier)?;
        let mut atoms = self.atoms.take().unwrap_or_default();
        let run = read.into_run(&mut atoms);
        let ltl = run.and_then(|run| atoms.finish(&run).ok());
        let ltl = ltl.ok_or_else(|| self.too_large(quantifier))?;
        Ok(match name(quantifier) {
            "all-paths" => PropertyKind::AllRuns(ltl),
            _ => PropertyKind::SomeRun(ltl),
        })
    }

    /// A path operator that stands below no quantifier of its own.
    pub(super) fn path_operator<'a, 'i>(
        &mut self,
        node: Node<'a, 'i>,
    ) -> Result<Entered<'a, 'i>, Stop<'a, 'i>> {
        let operator = match name(node) {
            "next" => Operator::Path(Unary::Next),
            "finally" => Operator::Path(Unary::Finally),
            "globally" => Operator::Path(Unary::Globally),
            _ => return self.until(node),
        };
        Ok(Entered::Operator(Frame::new(operator, node, node)))
    }

    /// `until` has its operands in elements of their own.
    fn until<'a, 'i>(&mut self, node: Node<'a, 'i>) -> Result<Entered<'a, 'i>, Stop<'a, 'i>> {
        self.check_until(node)?;
        Ok(Entered::Operator(Frame::new(Operator::Until, node, node)))
    }

    /// Whether an `until` has its operands.
    pub(super) fn check_until<'a, 'i>(&mut self, node: Node<'a, 'i>) -> Result<(), Stop<'a, 'i>> {
        if elements(node).map(name).eq(["before", "reach"]) {
            return Ok(());
        }
        let found = elements(node).count();
        Err(self.wrong_arity(node, "`before` and `reach`", found))
    }
}
