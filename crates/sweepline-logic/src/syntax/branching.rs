//! Formulas of branching time: what may stand in them beside predicates.
//!
//! ```text
//! formula   pred   not f   f and g   f or g   f -> g   f <-> g   (and their other spellings)
//!           EX f   EF f   EG f   AX f   AF f   AG f   E F f   E[] f   A<> f   EFAG f   AGEF f
//!           E[f U g]   A[f U g]   E(f U g)   and the same with W, R and M
//! ```
//!
//! - Every operator about runs stands directly behind its quantifier. Other combinations are CTL*, or formulas of linear time; they
//!   are refused by name.
//! - Within `E[…]` and `A[…]` the operator between two formulas binds loosest: `E[a U b and c]` is `E[a U (b and c)]`.
//! - Operators with one operand bind as `not` does: `EF p and q` is `(EF p) and q`.

use std::ops::Range;

use sweepline_text::Kind;

use super::error::SyntaxWarning;
use super::operator::{Binding, Infix};
use super::parser::Parser;
use super::sort::Sorter;
use super::term::{Function, Node, RunOp, Term};
use super::token::Language;
use super::{MAX_DEPTH, SyntaxError};
use crate::ctl::{Branching, Ctl, CtlAtoms, PathBinary, PathUnary, Quantifier};
use crate::ltl::{Binary, Unary};
use crate::{Errors, Source};

/// A formula of branching time, and what may be misunderstood in its text.
#[derive(Clone, Debug)]
pub struct ParsedCtl {
    /// The formula.
    pub ctl: Ctl,
    /// What other tools may read otherwise.
    pub warnings: Vec<SyntaxWarning>,
}

/// Reads a formula of branching time.
///
/// ```
/// use sweepline_logic::parse_ctl;
///
/// let parsed = parse_ctl("AG (x > 3 -> E[busy U idle and y == 0])").unwrap();
/// assert_eq!(parsed.ctl.to_string(), "AG ((x > 3) -> E[busy U (idle and (y == 0))])");
/// assert_eq!(parse_ctl("AGEF idle").unwrap().ctl.to_string(), "AG EF idle");
/// assert!(parse_ctl("E[F G idle]").unwrap_err().to_string().contains("`E F G`"));
/// ```
pub fn parse_ctl(source: impl Into<Source>) -> Result<ParsedCtl, Errors<SyntaxError>> {
    let source = source.into();
    let mut parser = Parser::of(Language::Branching, &source, "a formula of branching time");
    let node = parser.whole();
    let warnings = parser.warnings;
    let ctl = Sorter::sort(&source, parser.errors, |sorter| sorter.ctl(node))?;
    Ok(ParsedCtl { ctl, warnings })
}

impl Parser<'_> {
    /// What begins with `E` or `A` and a bracket or sign behind it, if that comes next.
    pub(super) fn quantified(&mut self) -> Option<Node> {
        let Kind::Name(name) = self.tokens.peek() else {
            return None;
        };
        let quantifier = match name.as_str() {
            "E" => Quantifier::Exists,
            "A" => Quantifier::Forall,
            _ => return None,
        };
        let start = self.tokens.span();
        let inner = match self.tokens.peek_at(1) {
            Kind::Sign("[") => self.bracketed("]"),
            Kind::Sign("(") => self.bracketed(")"),
            // With a blank before it, `<>` is a comparison.
            Kind::Sign("[]" | "<>") if self.tokens.span_at(1).start == start.end => {
                self.tokens.advance();
                self.run_operand()?
            }
            _ => return None,
        };
        Some(self.above(start, inner, |inner| {
            Term::Quantified(quantifier, Box::new(inner))
        }))
    }

    /// `[f U g]`. The operator between the two binds more loosely than anything in them, as in other tools.
    fn bracketed(&mut self, close: &'static str) -> Node {
        self.tokens.advance();
        let open = self.tokens.span();
        self.tokens.advance();
        let outside = std::mem::replace(&mut self.delimited, true);
        let mut inner = self.term(Binding::Loosest);
        if let Some((Infix::Run(op), tokens)) = self.run_infix_ahead() {
            self.skip(tokens);
            let right = self.term(Binding::Loosest);
            inner = self.run_infix(op, inner, right);
        }
        self.delimited = outside;
        if !self.tokens.eat(close) {
            self.unexpected(&format!("an operator such as `U`, or `{close}`"), None);
            self.give_up();
        }
        Node {
            span: open.start..self.tokens.end(),
            grouped: true,
            ..inner
        }
    }
}

impl Sorter<'_> {
    fn ctl(&mut self, node: Node) -> Option<Ctl> {
        if let Some(formula) = linear(self.source, &node) {
            self.errors.push(SyntaxError::Linear {
                shape: shape(self.source, &node),
                // The help quotes it for a shell.
                formula: formula.replace('\'', r"'\''"),
                text: self.source.named(),
                at: node.span.into(),
            });
            return None;
        }
        let span = node.span.clone();
        let mut atoms = CtlAtoms::default();
        let formula = self.branching(node, &mut atoms)?;
        // What is printed can be read again.
        if formula.depth() > MAX_DEPTH as usize {
            self.errors.push(SyntaxError::TooDeep {
                limit: MAX_DEPTH,
                text: self.source.named(),
                at: span.into(),
            });
            return None;
        }
        Some(atoms.finish(formula))
    }

    /// A term as a formula of branching time.
    fn branching(&mut self, node: Node, atoms: &mut CtlAtoms) -> Option<Branching> {
        if !is_temporal(&node) {
            return Some(atoms.atom(self.pred(node)?));
        }
        match node.term {
            Term::Not(operand) => Some(self.branching(*operand, atoms)?.negated()),
            Term::And(operands) | Term::Call(Function::All, operands) => {
                Some(Branching::And(self.branchings(operands, atoms)?))
            }
            Term::Or(operands) | Term::Call(Function::Any, operands) => {
                Some(Branching::Or(self.branchings(operands, atoms)?))
            }
            Term::Implies(left, right) => {
                let (left, right) = self.pair(*left, *right, atoms)?;
                Some(Branching::Implies(left, right))
            }
            Term::Iff(left, right) => {
                let (left, right) = self.pair(*left, *right, atoms)?;
                Some(Branching::Iff(left, right))
            }
            Term::Temporal(operator, operand) if has_bare(&operand) => {
                let shape = format!("{operator} {}", shape(self.source, &operand));
                self.not_ctl(shape, node.span)
            }
            Term::Temporal(operator, operand) => {
                let operand = self.branching(*operand, atoms)?;
                Some(
                    operators(&operator)
                        .into_iter()
                        .rev()
                        .fold(operand, |operand, (quantifier, op)| {
                            operand.under(quantifier, op)
                        }),
                )
            }
            Term::Quantified(quantifier, inner) => self.below(node.span, quantifier, *inner, atoms),
            _ => self.not_ctl(shape(self.source, &node), node.span),
        }
    }

    /// What stands below a quantifier of its own.
    fn below(
        &mut self,
        span: Range<usize>,
        quantifier: Quantifier,
        inner: Node,
        atoms: &mut CtlAtoms,
    ) -> Option<Branching> {
        let speaks_of_runs = has_bare(&inner);
        if !speaks_of_runs {
            // Which run is looked at does not matter.
            return self.branching(inner, atoms);
        }
        let outside = format!("{} {}", quantifier.letter(), shape(self.source, &inner));
        let Term::Run(op, operands) = inner.term else {
            return self.not_ctl(outside, span);
        };
        if operands.iter().any(has_bare) {
            return self.not_ctl(outside, span);
        }
        let unary = match op {
            RunOp::Unary(Unary::Next) => Some(PathUnary::Next),
            RunOp::Unary(Unary::Finally) => Some(PathUnary::Finally),
            RunOp::Unary(Unary::Globally) => Some(PathUnary::Globally),
            _ => None,
        };
        let binary = match op {
            RunOp::Binary(Binary::Until) => Some(PathBinary::Until),
            RunOp::Binary(Binary::WeakUntil) => Some(PathBinary::WeakUntil),
            RunOp::Binary(Binary::Release) => Some(PathBinary::Release),
            RunOp::Binary(Binary::StrongRelease) => Some(PathBinary::StrongRelease),
            _ => None,
        };
        if unary.is_none() && binary.is_none() {
            return self.not_ctl(outside, span);
        }
        let mut operands = self.branchings(operands, atoms)?.into_iter();
        let mut next = || operands.next().unwrap_or(Branching::Constant(true));
        let first = next();
        Some(match (unary, binary) {
            (_, Some(op)) => first.with(quantifier, op, next()),
            (op, None) => first.under(quantifier, op.unwrap_or(PathUnary::Next)),
        })
    }

    fn branchings(&mut self, operands: Vec<Node>, atoms: &mut CtlAtoms) -> Option<Vec<Branching>> {
        self.each(operands, |sorter, operand| sorter.branching(operand, atoms))
    }

    fn pair(
        &mut self,
        left: Node,
        right: Node,
        atoms: &mut CtlAtoms,
    ) -> Option<(Box<Branching>, Box<Branching>)> {
        let (left, right) = (self.branching(left, atoms), self.branching(right, atoms));
        Some((Box::new(left?), Box::new(right?)))
    }

    fn not_ctl<T>(&mut self, shape: String, span: Range<usize>) -> Option<T> {
        self.errors.push(SyntaxError::NotCtl {
            shape,
            text: self.source.named(),
            at: span.into(),
        });
        None
    }
}

/// `EF` and the like, and two of them in a row.
fn operators(text: &str) -> Vec<(Quantifier, PathUnary)> {
    let letters: Vec<char> = text.chars().collect();
    let pairs = letters.chunks(2).map(|pair| {
        let quantifier = match pair.first() {
            Some('A') => Quantifier::Forall,
            _ => Quantifier::Exists,
        };
        let op = match pair.get(1) {
            Some('G') => PathUnary::Globally,
            Some('F') => PathUnary::Finally,
            _ => PathUnary::Next,
        };
        (quantifier, op)
    });
    pairs.collect()
}

/// Whether some part of a term speaks about runs.
fn is_temporal(node: &Node) -> bool {
    match &node.term {
        Term::Temporal(..) | Term::Quantified(..) | Term::Run(..) => true,
        _ => node
            .combined()
            .is_some_and(|mut operands| operands.any(is_temporal)),
    }
}

/// Whether some operator about runs in it has no quantifier within it.
fn has_bare(node: &Node) -> bool {
    match &node.term {
        Term::Run(..) => true,
        _ => node
            .combined()
            .is_some_and(|mut operands| operands.any(has_bare)),
    }
}

/// Whether some quantifier stands in it.
fn has_quantifier(node: &Node) -> bool {
    match &node.term {
        Term::Temporal(..) | Term::Quantified(..) => true,
        Term::Run(_, operands) => operands.iter().any(has_quantifier),
        _ => node
            .combined()
            .is_some_and(|mut operands| operands.any(has_quantifier)),
    }
}

/// A formula of linear time as it is asked: one without any quantifier, or with `A` around all of it and operators that do not make
/// it branching time too.
fn linear(source: &Source, node: &Node) -> Option<String> {
    match &node.term {
        Term::Temporal(operator, inner) if has_bare(inner) && !has_quantifier(inner) => {
            let operator = operator.strip_prefix('A').filter(|rest| rest.len() == 1)?;
            Some(format!(
                "{operator} {}",
                source.part(inner.span.clone()).text()
            ))
        }
        Term::Quantified(Quantifier::Forall, inner) if has_bare(inner) => {
            let nested = match &inner.term {
                Term::Run(op, operands) => {
                    operands.iter().any(has_bare)
                        || !matches!(op, RunOp::Unary(_) | RunOp::Binary(_))
                }
                _ => true,
            };
            (nested && !has_quantifier(inner)).then(|| unbracketed(source, inner))
        }
        _ => (has_bare(node) && !has_quantifier(node))
            .then(|| source.part(node.span.clone()).text().to_owned()),
    }
}

/// The text of what stands below a quantifier, without the brackets around it. An operator between two formulas binds looser there
/// than elsewhere, so they get parentheses.
fn unbracketed(source: &Source, inner: &Node) -> String {
    let text = |node: &Node| source.part(node.span.clone()).text().to_owned();
    if !inner.grouped {
        return text(inner);
    }
    if let Term::Run(RunOp::Binary(op), operands) = &inner.term {
        let operand = |node: &Node| match text(node) {
            text if node.grouped || node.height == 0 => text,
            text => format!("({text})"),
        };
        let operands: Vec<String> = operands.iter().map(operand).collect();
        return operands.join(&format!(" {} ", op.letter()));
    }
    let range = inner.span.start + 1..inner.span.end - 1;
    source.part(range).text().trim().to_owned()
}

/// The operators of a term, without its predicates. What is written in words is not taken apart.
fn shape(source: &Source, node: &Node) -> String {
    let shape = |node: &Node| shape(source, node);
    let parts = |operands: &mut dyn Iterator<Item = &Node>| -> Vec<String> {
        operands.filter(|one| is_temporal(one)).map(shape).collect()
    };
    let joined = |parts: Vec<String>, sign: &str| match &parts[..] {
        [one] => one.clone(),
        _ => format!("({})", parts.join(sign)),
    };
    match &node.term {
        Term::Temporal(operator, operand) => format!("{operator} {}", shape(operand)),
        Term::Quantified(quantifier, inner) => format!("{} {}", quantifier.letter(), shape(inner)),
        Term::Run(op, operands) => {
            let letter = match op {
                RunOp::Unary(op) => op.letter().to_owned(),
                RunOp::Binary(op) => op.letter().to_owned(),
                RunOp::Next(steps) => format!("X[{steps}]"),
                RunOp::Within(op, steps) => format!("{}[<={steps}]", op.letter()),
                _ => return source.part(node.span.clone()).text().to_owned(),
            };
            let inside = parts(&mut operands.iter());
            match inside.len() {
                0 => letter,
                _ => format!("{letter} {}", joined(inside, ", ")),
            }
        }
        Term::Not(operand) if is_temporal(operand) => format!("not {}", shape(operand)),
        term => {
            let sign = match term {
                Term::And(_) | Term::Call(Function::All, _) => " and ",
                Term::Or(_) | Term::Call(Function::Any, _) => " or ",
                Term::Implies(..) => " -> ",
                _ => " <-> ",
            };
            match node.combined() {
                Some(mut operands) if is_temporal(node) => joined(parts(&mut operands), sign),
                _ => String::new(),
            }
        }
    }
    .trim_end()
    .to_owned()
}

#[cfg(test)]
mod tests;
