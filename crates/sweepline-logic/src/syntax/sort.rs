//! From terms to the AST: numbers are told from truth values, and state predicates from formulas.

use std::ops::Range;

use super::SyntaxError;
use super::term::{Function, Node, Term};
use crate::{BinaryOp, CompareOp, Errors, Expr, Formula, Name, Pred, Source};

/// More errors than this are not reported.
const MOST_ERRORS: usize = 50;

/// Nodes a formula may have after its abbreviations are written out.
pub(super) const MOST_NODES: usize = 10_000;

/// Builds the AST and collects what does not fit. `None` always means that an error has been reported.
pub(super) struct Sorter<'a> {
    pub(super) source: &'a Source,
    pub(super) errors: Vec<SyntaxError>,
}

impl<'a> Sorter<'a> {
    /// What `build` makes, unless it or an earlier stage found errors.
    pub fn sort<T>(
        source: &'a Source,
        errors: Vec<SyntaxError>,
        build: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Result<T, Errors<SyntaxError>> {
        let mut sorter = Self { source, errors };
        let ast = build(&mut sorter);
        let mut errors = sorter.errors;
        errors.truncate(MOST_ERRORS);
        Errors::in_order(ast, errors).map(|ast| ast.expect("nothing is left out without an error"))
    }

    pub fn expr(&mut self, node: Node) -> Option<Expr> {
        match node.term {
            Term::Missing => None,
            Term::Number(value) => Some(Expr::Number(value)),
            Term::Truth(value) => Some(Expr::Number(i64::from(value))),
            Term::Name(name) => Some(Expr::Slot(name)),
            Term::Minus(operand) => Some(Expr::Negate(Box::new(self.expr(*operand)?))),
            Term::Sum(first, operands) => self.sum(*first, operands),
            Term::Product(op, left, right) => {
                let (left, right) = (self.expr(*left), self.expr(*right));
                Some(Expr::Binary(op, Box::new(left?), Box::new(right?)))
            }
            Term::Call(Function::Sum, operands) => {
                Some(Expr::Sum(self.each(operands, Self::expr)?))
            }
            Term::Call(Function::Rank, arguments) => self.rank(node.span, arguments),
            Term::Call(Function::Operator(op), operands) => self.operator(op, node.span, operands),
            Term::Compare(..) => {
                self.errors.push(SyntaxError::ChainedComparison {
                    text: self.source.named(),
                    at: node.span.into(),
                });
                None
            }
            term => self.wrong_sort(node.span, Sort::Number, Sort::of(&term)),
        }
    }

    pub fn pred(&mut self, node: Node) -> Option<Pred> {
        match node.term {
            Term::Missing => None,
            Term::Truth(value) => Some(Pred::Constant(value)),
            Term::Name(name) => Some(Pred::Holds(name)),
            Term::Deadlock => Some(Pred::Deadlock),
            Term::Not(operand) => Some(Pred::Not(Box::new(self.pred(*operand)?))),
            Term::And(operands) | Term::Call(Function::All, operands) => {
                Some(Pred::And(self.each(operands, Self::pred)?))
            }
            Term::Or(operands) | Term::Call(Function::Any, operands) => {
                Some(Pred::Or(self.each(operands, Self::pred)?))
            }
            Term::Implies(left, right) => {
                let (left, right) = (self.pred(*left), self.pred(*right));
                Some(Pred::Implies(Box::new(left?), Box::new(right?)))
            }
            Term::Iff(left, right) => {
                let (left, right) = (self.pred(*left), self.pred(*right));
                Some(Pred::Iff(Box::new(left?), Box::new(right?)))
            }
            Term::Compare(op, left, right) => {
                let (left, right) = (self.expr(*left), self.expr(*right));
                Some(Pred::Compare(op, left?, right?))
            }
            Term::Call(Function::Fireable, actions) => self.fireable(actions),
            term => self.wrong_sort(node.span, Sort::Truth, Sort::of(&term)),
        }
    }

    /// `bitand(a, b)` and the like
    fn operator(&mut self, op: BinaryOp, span: Range<usize>, operands: Vec<Node>) -> Option<Expr> {
        let operands = self.each(operands, Self::expr)?;
        if let Ok([left, right]) = <[Expr; 2]>::try_from(operands) {
            return Some(Expr::Binary(op, Box::new(left), Box::new(right)));
        }
        self.errors.push(SyntaxError::WrongOperands {
            function: op.to_string(),
            text: self.source.named(),
            at: span.into(),
        });
        None
    }

    /// `rank(slot, value == number, …)`
    fn rank(&mut self, span: Range<usize>, arguments: Vec<Node>) -> Option<Expr> {
        let mut arguments = arguments.into_iter();
        let slot = arguments.next().map(|node| node.term);
        let entries: Option<Vec<_>> = arguments.map(rank_entry).collect();
        if let (Some(Term::Name(slot)), Some(entries)) = (slot, entries) {
            return Some(Expr::Rank(slot, entries));
        }
        self.errors.push(SyntaxError::WrongRank {
            text: self.source.named(),
            at: span.into(),
        });
        None
    }

    pub fn formula(&mut self, node: Node) -> Option<Formula> {
        if Parts::of(&node) == Parts::PREDICATE {
            return Some(Formula::Initially(self.pred(node)?));
        }
        self.combination(node)
    }

    /// A formula that is no bare predicate, or a part of one.
    fn combination(&mut self, node: Node) -> Option<Formula> {
        if Parts::of(&node) == Parts::PREDICATE {
            self.errors.push(SyntaxError::BesideFormula {
                text: self.source.named(),
                at: node.span.into(),
            });
            return None;
        }
        match node.term {
            Term::Temporal(operator, operand) => self.temporal(&operator, node.span, *operand),
            Term::Call(Function::Initially, operands) => self.initially(node.span, operands),
            Term::Not(operand) => Some(not(self.combination(*operand)?)),
            Term::And(operands) | Term::Call(Function::All, operands) => {
                Some(Formula::And(self.each(operands, Self::combination)?))
            }
            Term::Or(operands) | Term::Call(Function::Any, operands) => {
                Some(Formula::Or(self.each(operands, Self::combination)?))
            }
            Term::Implies(left, right) => {
                let (left, right) = (self.combination(*left), self.combination(*right));
                Some(Formula::Or(vec![not(left?), right?]))
            }
            Term::Iff(left, right) => {
                let (left, right) = (self.combination(*left), self.combination(*right));
                self.iff(node.span, left?, right?)
            }
            Term::Missing => None,
            term => self.wrong_sort(node.span, Sort::Formula, Sort::of(&term)),
        }
    }

    fn temporal(&mut self, operator: &str, span: Range<usize>, operand: Node) -> Option<Formula> {
        let inner = operand.first_temporal();
        if inner.is_none() && operator == "EF" {
            return Some(Formula::Reachable(self.pred(operand)?));
        }
        if inner.is_none() && operator == "AG" {
            return Some(Formula::Invariant(self.pred(operand)?));
        }
        let operator = inner.map_or(operator.to_string(), |inner| format!("{operator} {inner}"));
        self.errors.push(SyntaxError::NeedsCtl {
            operator,
            text: self.source.named(),
            at: span.into(),
        });
        None
    }

    fn initially(&mut self, span: Range<usize>, mut operands: Vec<Node>) -> Option<Formula> {
        let first = operands.pop();
        if let Some(operand) = first
            && operands.is_empty()
        {
            return Some(Formula::Initially(self.pred(operand)?));
        }
        self.errors.push(SyntaxError::Unexpected {
            expected: "one predicate in `initially(…)`".into(),
            found: "another number of them".into(),
            help: None,
            text: self.source.named(),
            at: span.into(),
        });
        None
    }

    /// There is no equivalence among formulas, so both directions are written out.
    fn iff(&mut self, span: Range<usize>, left: Formula, right: Formula) -> Option<Formula> {
        if nodes(&left) + nodes(&right) > MOST_NODES / 2 {
            self.errors.push(SyntaxError::TooLarge {
                text: self.source.named(),
                at: span.into(),
            });
            return None;
        }
        let forth = Formula::Or(vec![not(left.clone()), right.clone()]);
        let back = Formula::Or(vec![left, not(right)]);
        Some(Formula::And(vec![forth, back]))
    }

    /// Two operands are an addition or subtraction, more are a sum; long chains stay flat.
    fn sum(&mut self, first: Node, mut operands: Vec<(BinaryOp, Node)>) -> Option<Expr> {
        let first = self.expr(first);
        if operands.len() == 1
            && let Some((op, second)) = operands.pop()
        {
            let second = self.expr(second);
            return Some(Expr::Binary(op, Box::new(first?), Box::new(second?)));
        }
        let others = self.each(operands, |sorter, (op, node)| {
            let operand = sorter.expr(node)?;
            Some(match op {
                BinaryOp::Subtract => Expr::Negate(Box::new(operand)),
                _ => operand,
            })
        });
        Some(Expr::Sum(std::iter::once(first?).chain(others?).collect()))
    }

    fn fireable(&mut self, actions: Vec<Node>) -> Option<Pred> {
        let names = self.each(actions, |sorter, action| match action.term {
            Term::Missing => None,
            Term::Name(name) => Some(name),
            _ => sorter.no_action(&action.span),
        });
        Some(Pred::Fireable(names?))
    }

    fn no_action(&mut self, span: &Range<usize>) -> Option<Name> {
        let found = self.source.part(span.clone()).text().to_string();
        self.errors.push(SyntaxError::Unexpected {
            expected: "the name of an action".into(),
            help: Some(format!("write it in quotes: fireable(\"{found}\")")),
            found: format!("`{found}`"),
            text: self.source.named(),
            at: span.clone().into(),
        });
        None
    }

    /// Sorts every operand, for all their errors, before giving up on one of them.
    pub(super) fn each<N, T>(
        &mut self,
        operands: Vec<N>,
        mut sort: impl FnMut(&mut Self, N) -> Option<T>,
    ) -> Option<Vec<T>> {
        let sorted: Vec<Option<T>> = operands
            .into_iter()
            .map(|operand| sort(self, operand))
            .collect();
        sorted.into_iter().collect()
    }

    fn wrong_sort<T>(&mut self, span: Range<usize>, expected: Sort, found: Sort) -> Option<T> {
        self.errors.push(SyntaxError::WrongSort {
            expected: expected.name(),
            found: found.name(),
            help: expected.help(found).into(),
            text: self.source.named(),
            at: span.into(),
        });
        None
    }
}

/// What a term stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Number,
    Truth,
    Formula,
    Run,
}

impl Sort {
    fn of(term: &Term) -> Self {
        match term {
            Term::Number(_)
            | Term::Minus(_)
            | Term::Sum(..)
            | Term::Product(..)
            | Term::Call(Function::Sum | Function::Rank | Function::Operator(_), _) => Self::Number,
            Term::Temporal(..)
            | Term::Quantified(..)
            | Term::Call(Function::Initially | Function::Bound, _) => Self::Formula,
            Term::Run(..) => Self::Run,
            _ => Self::Truth,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Truth => "a predicate",
            Self::Formula => "a formula",
            Self::Run => "a formula of linear time",
        }
    }

    /// How to come by one.
    fn help(self, found: Self) -> &'static str {
        match (self, found) {
            (_, Self::Run) => "put the comparison inside: `F (x > 3)`",
            (Self::Number, _) => "predicates are combined with `and`, `or`, `not`, `->` and `<->`",
            (Self::Truth, Self::Formula) => {
                "a predicate speaks about a single state: leave out `EF`, `AG` and `initially`"
            }
            (Self::Truth, _) => "compare it with another number, as in `x + y > 3`",
            (Self::Formula | Self::Run, _) => {
                "a formula is built from `EF p`, `AG p` and `initially(p)`"
            }
        }
    }
}

/// Which kinds of atoms a combination is made of.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Parts {
    predicates: bool,
    formulas: bool,
}

impl Parts {
    const PREDICATE: Self = Self {
        predicates: true,
        formulas: false,
    };

    fn of(node: &Node) -> Self {
        if let Some(operands) = node.combined() {
            return operands.map(Self::of).fold(Self::default(), Self::or);
        }
        let sort = Sort::of(&node.term);
        let missing = matches!(node.term, Term::Missing);
        Self {
            predicates: !missing && sort != Sort::Formula,
            formulas: !missing && sort == Sort::Formula,
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            predicates: self.predicates || other.predicates,
            formulas: self.formulas || other.formulas,
        }
    }
}

/// `value == number`, where the value has a name or is a number itself.
fn rank_entry(node: Node) -> Option<(Name, i64)> {
    let Term::Compare(CompareOp::Equal, value, number) = node.term else {
        return None;
    };
    let value = match value.term {
        Term::Name(name) => name,
        term => Name {
            text: constant(&term)?.to_string(),
            span: value.span,
        },
    };
    Some((value, constant(&number.term)?))
}

fn constant(term: &Term) -> Option<i64> {
    match term {
        Term::Number(value) => Some(*value),
        Term::Minus(operand) => constant(&operand.term)?.checked_neg(),
        _ => None,
    }
}

fn not(formula: Formula) -> Formula {
    Formula::Not(Box::new(formula))
}

fn nodes(formula: &Formula) -> usize {
    match formula {
        Formula::Initially(_) | Formula::Reachable(_) | Formula::Invariant(_) => 1,
        Formula::Not(operand) => 1 + nodes(operand),
        Formula::And(operands) | Formula::Or(operands) => {
            1 + operands.iter().map(nodes).sum::<usize>()
        }
    }
}
