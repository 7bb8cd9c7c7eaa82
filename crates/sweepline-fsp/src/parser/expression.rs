//! Expressions over integers and labels.

use sweepline_text::{Kind, Name};

use super::{MOST_LINKS, Parsed, Parser};
use crate::ast::{BinaryOp, Expr, UnaryOp};

/// Operators, the loosest first; those of one level group to the left.
const LEVELS: [&[(&str, BinaryOp)]; 10] = [
    &[("||", BinaryOp::Or)],
    &[("&&", BinaryOp::And)],
    &[("|", BinaryOp::BitOr)],
    &[("^", BinaryOp::BitXor)],
    &[("&", BinaryOp::BitAnd)],
    &[("==", BinaryOp::Equal), ("!=", BinaryOp::NotEqual)],
    &[
        ("<", BinaryOp::Less),
        ("<=", BinaryOp::LessEqual),
        (">", BinaryOp::Greater),
        (">=", BinaryOp::GreaterEqual),
    ],
    &[("<<", BinaryOp::ShiftLeft), (">>", BinaryOp::ShiftRight)],
    SUMS,
    &[
        ("*", BinaryOp::Multiply),
        ("/", BinaryOp::Divide),
        ("%", BinaryOp::Remainder),
    ],
];

const SUMS: &[(&str, BinaryOp)] = &[("+", BinaryOp::Add), ("-", BinaryOp::Subtract)];

/// The level of sums.
const SUM: usize = 8;

impl Parser<'_> {
    pub fn expression(&mut self) -> Parsed<Expr> {
        self.outermost(0)
    }

    /// An expression whose outermost operators are those of sums and products.
    pub fn sum(&mut self) -> Parsed<Expr> {
        self.outermost(SUM)
    }

    fn outermost(&mut self, level: usize) -> Parsed<Expr> {
        let outer = std::mem::take(&mut self.operators);
        let result = self.deeper(|parser| parser.binary(level));
        self.operators = outer;
        result
    }

    /// Climbs from the loosest operators to the tightest.
    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        let mut left = self.unary()?;
        // The tightest operators first: each pass takes what binds at least as tightly as its level.
        for level in (level..LEVELS.len()).rev() {
            while let Some(operator) = self.operator(level) {
                self.count_operator()?;
                let right = self.binary(level + 1)?;
                left = Expr::Binary(operator, Box::new((left, right)));
            }
        }
        Ok(left)
    }

    fn operator(&mut self, level: usize) -> Option<BinaryOp> {
        let Kind::Sign(sign) = *self.tokens.peek() else {
            return None;
        };
        let (_, operator) = LEVELS[level].iter().find(|(text, _)| *text == sign)?;
        self.tokens.advance();
        Some(*operator)
    }

    fn count_operator(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators > MOST_LINKS {
            return self.too_deep(MOST_LINKS);
        }
        Ok(())
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let span = self.tokens.span();
        let operator = match *self.tokens.peek() {
            Kind::Sign("-") => UnaryOp::Negate,
            Kind::Sign("+") => UnaryOp::Plus,
            Kind::Sign("!") => UnaryOp::Not,
            _ => return self.primary(),
        };
        self.tokens.advance();
        let operand = self.deeper(Self::unary)?;
        let span = span.start..self.tokens.end();
        Ok(Expr::Unary(operator, Box::new(operand), span))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.tokens.span();
        match self.tokens.peek().clone() {
            Kind::Number(value) => {
                self.tokens.advance();
                // The lexicon has no greater numbers than these.
                Ok(Expr::Number(value.cast_signed(), span))
            }
            Kind::Name(text) => {
                self.tokens.advance();
                Ok(Expr::Name(Name { text, span }))
            }
            Kind::Sign("(") => {
                self.tokens.advance();
                let inner = self.deeper(|parser| parser.binary(0))?;
                self.expect(")", None)?;
                Ok(inner)
            }
            Kind::Sign("'") => {
                self.tokens.advance();
                Ok(Expr::Quoted(self.labels()?))
            }
            Kind::Sign("#") => {
                self.tokens.advance();
                let set = self.set()?;
                Ok(Expr::Count(set, span.start..self.tokens.end()))
            }
            Kind::Sign("@") => self.element(),
            _ => self.unexpected("a value", None),
        }
    }

    /// `@(S, i)`
    fn element(&mut self) -> Parsed<Expr> {
        let start = self.tokens.span().start;
        self.tokens.advance();
        self.expect("(", None)?;
        let set = self.set()?;
        self.expect(",", None)?;
        let index = self.expression()?;
        self.expect(")", None)?;
        Ok(Expr::Element(
            set,
            Box::new(index),
            start..self.tokens.end(),
        ))
    }
}
