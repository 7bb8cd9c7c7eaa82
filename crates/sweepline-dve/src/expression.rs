//! Reading expressions, with the precedences of C.

use sweepline_text::{Kind, Name};

use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::errors::DveError;
use crate::parser::{Failed, Parsed, Parser};

/// How many levels an expression may have.
pub(crate) const MAX_DEPTH: u32 = 400;

/// Operators of two operands with their level; a higher level binds more tightly.
fn binary(kind: &Kind) -> Option<(BinaryOp, u32)> {
    let (Kind::Sign(text) | Kind::Word(text)) = kind else {
        return None;
    };
    Some(match *text {
        "imply" => (BinaryOp::Imply, 0),
        "or" | "||" => (BinaryOp::Or, 1),
        "and" | "&&" => (BinaryOp::And, 2),
        "|" => (BinaryOp::BitOr, 3),
        "^" => (BinaryOp::BitXor, 4),
        "&" => (BinaryOp::BitAnd, 5),
        "==" => (BinaryOp::Equal, 6),
        "!=" => (BinaryOp::NotEqual, 6),
        "<" => (BinaryOp::Less, 7),
        "<=" => (BinaryOp::LessOrEqual, 7),
        ">" => (BinaryOp::Greater, 7),
        ">=" => (BinaryOp::GreaterOrEqual, 7),
        "<<" => (BinaryOp::ShiftLeft, 8),
        ">>" => (BinaryOp::ShiftRight, 8),
        "+" => (BinaryOp::Add, 9),
        "-" => (BinaryOp::Subtract, 9),
        "*" => (BinaryOp::Multiply, 10),
        "/" => (BinaryOp::Divide, 10),
        "%" => (BinaryOp::Remainder, 10),
        _ => return None,
    })
}

impl Parser<'_> {
    /// A whole expression.
    pub(crate) fn expression(&mut self) -> Parsed<Expr> {
        self.chain(0)
    }

    /// Operands joined by operators of at least this level.
    fn chain(&mut self, least: u32) -> Parsed<Expr> {
        let mut left = self.operand()?;
        while let Some((operator, level)) = binary(self.tokens.peek()) {
            if level < least {
                break;
            }
            self.tokens.advance();
            // `imply` groups to the right, everything else to the left.
            let next = if level == 0 { 0 } else { level + 1 };
            let right = self.nested(|parser| parser.chain(next))?;
            left = self.joined(operator, left, right)?;
        }
        Ok(left)
    }

    fn joined(&mut self, operator: BinaryOp, left: Expr, right: Expr) -> Parsed<Expr> {
        let span = left.span.start..right.span.end;
        let depth = left.depth.max(right.depth) + 1;
        let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
        self.level(Expr { kind, span, depth })
    }

    /// An expression that no operator with two operands tears apart.
    pub(crate) fn operand(&mut self) -> Parsed<Expr> {
        let start = self.tokens.span().start;
        let operator = match self.tokens.peek() {
            Kind::Sign("-") => UnaryOp::Negate,
            Kind::Sign("~") => UnaryOp::Complement,
            Kind::Sign("!") | Kind::Word("not") => UnaryOp::Not,
            _ => return self.primary(),
        };
        self.tokens.advance();
        let inner = self.nested(Self::operand)?;
        let (span, depth) = (start..inner.span.end, inner.depth + 1);
        let kind = ExprKind::Unary(operator, Box::new(inner));
        self.level(Expr { kind, span, depth })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.tokens.span().start;
        let kind = match self.tokens.peek().clone() {
            // The lexicon has no greater numbers than these.
            Kind::Number(value) => self.number(value.cast_signed()),
            Kind::Word("true") => self.number(1),
            Kind::Word("false") => self.number(0),
            Kind::Sign("(") => {
                self.tokens.advance();
                let inner = self.nested(Self::expression)?;
                self.expect(")", None)?;
                return Ok(Expr {
                    span: start..self.tokens.end(),
                    ..inner
                });
            }
            Kind::Name(_) => self.variable()?,
            _ => return self.unexpected("an expression", None),
        };
        let depth = match &kind {
            ExprKind::Element(_, index) | ExprKind::Local(_, _, Some(index)) => index.depth + 1,
            _ => 1,
        };
        let span = start..self.tokens.end();
        self.level(Expr { kind, span, depth })
    }

    fn number(&mut self, value: i64) -> ExprKind {
        self.tokens.advance();
        ExprKind::Number(value)
    }

    /// `x`, `a[i]`, `P.s`, `P->x`, `P->a[i]`
    fn variable(&mut self) -> Parsed<ExprKind> {
        let name = self.name("a name")?;
        if self.tokens.eat(".") {
            let state = self.name("the name of a state")?;
            return Ok(ExprKind::At(name, state));
        }
        if self.tokens.eat("->") {
            let local = self.name("the name of a local variable")?;
            let index = self.index()?;
            return Ok(ExprKind::Local(name, local, index));
        }
        self.indexed(name)
    }

    fn indexed(&mut self, name: Name) -> Parsed<ExprKind> {
        Ok(match self.index()? {
            Some(index) => ExprKind::Element(name, index),
            None => ExprKind::Name(name),
        })
    }

    fn index(&mut self) -> Parsed<Option<Box<Expr>>> {
        if !self.tokens.eat("[") {
            return Ok(None);
        }
        let index = self.nested(Self::expression)?;
        self.expect("]", None)?;
        Ok(Some(Box::new(index)))
    }

    /// Reads something one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let at = self.tokens.span();
            return self.too_deep(at);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// The expression, unless it has too many levels.
    fn level(&mut self, expr: Expr) -> Parsed<Expr> {
        if expr.depth > MAX_DEPTH {
            return self.too_deep(expr.span);
        }
        Ok(expr)
    }

    fn too_deep<T>(&mut self, at: std::ops::Range<usize>) -> Parsed<T> {
        self.errors.push(DveError::TooDeep {
            limit: MAX_DEPTH,
            text: self.source.named(),
            at: at.into(),
        });
        Err(Failed)
    }
}
