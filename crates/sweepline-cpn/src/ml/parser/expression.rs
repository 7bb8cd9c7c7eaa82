//! Expressions.

use crate::ml::errors::Checked;
use crate::ml::lexer::Kind;
use crate::ml::parser::Parser;
use crate::ml::syntax::{Expr, ExprKind, Infix, Rule, Span};

/// Words that begin an expression which reaches as far as possible.
const OPEN: [&str; 5] = ["if", "case", "fn", "raise", "while"];

impl Parser<'_, '_> {
    /// A whole expression.
    pub fn expression(&mut self) -> Checked<Expr> {
        self.deeper(Self::handled)
    }

    fn handled(&mut self) -> Checked<Expr> {
        let mut expr = self.either()?;
        while self.eat("handle") {
            let rules = self.rules()?;
            let span = expr.span.to(self.last());
            expr = self.node(ExprKind::Handle(Box::new(expr), rules), span)?;
        }
        Ok(expr)
    }

    fn either(&mut self) -> Checked<Expr> {
        let mut left = self.both()?;
        while self.eat("orelse") {
            let right = self.both()?;
            let span = left.span.to(right.span);
            left = self.node(ExprKind::Orelse(Box::new([left, right])), span)?;
        }
        Ok(left)
    }

    fn both(&mut self) -> Checked<Expr> {
        let mut left = self.typed()?;
        while self.eat("andalso") {
            let right = self.typed()?;
            let span = left.span.to(right.span);
            left = self.node(ExprKind::Andalso(Box::new([left, right])), span)?;
        }
        Ok(left)
    }

    fn typed(&mut self) -> Checked<Expr> {
        let mut expr = self.infix(0)?;
        while self.eat(":") {
            let annotation = self.type_expression()?;
            let span = expr.span.to(annotation.span);
            expr = self.node(ExprKind::Typed(Box::new(expr), annotation), span)?;
        }
        Ok(expr)
    }

    /// Operators that bind at least so tightly.
    fn infix(&mut self, least: u8) -> Checked<Expr> {
        let mut left = self.operand()?;
        while let Some((name, fixity)) = self.operator() {
            if fixity.precedence < least {
                break;
            }
            if name == "++" {
                left = self.sum(left)?;
                continue;
            }
            let operator = name.to_string();
            let at = self.span();
            self.advance();
            let next = fixity.precedence + u8::from(!fixity.right);
            let right = self.deeper(|parser| parser.infix(next))?;
            left = self.infix_node(operator, at, left, right)?;
        }
        Ok(left)
    }

    fn infix_node(&mut self, operator: String, at: Span, left: Expr, right: Expr) -> Checked<Expr> {
        let span = left.span.to(right.span);
        let infix = Infix {
            operator,
            at,
            left,
            right,
        };
        self.node(ExprKind::Infix(Box::new(infix)), span)
    }

    /// `left ++ … ++ …`. Markings may have thousands of terms, so they become a tree that is not deep.
    fn sum(&mut self, left: Expr) -> Checked<Expr> {
        let mut terms = vec![left];
        let mut at = self.span();
        while self.eat_sign("++") {
            terms.push(self.deeper(|parser| parser.infix(7))?);
            if self.is_sign("++") {
                at = self.span();
            }
        }
        while terms.len() > 1 {
            let mut halved = Vec::with_capacity(terms.len().div_ceil(2));
            let mut rest = terms.into_iter();
            while let Some(left) = rest.next() {
                halved.push(match rest.next() {
                    Some(right) => self.infix_node("++".into(), at, left, right)?,
                    None => left,
                });
            }
            terms = halved;
        }
        Ok(terms.pop().expect("there was a first term"))
    }

    fn operand(&mut self) -> Checked<Expr> {
        match *self.peek() {
            Kind::Word(word) if OPEN.contains(&word) => self.deeper(|parser| parser.open(word)),
            _ => self.application(),
        }
    }

    fn open(&mut self, word: &'static str) -> Checked<Expr> {
        let start = self.span();
        self.advance();
        let kind = match word {
            "if" => self.conditional()?,
            "case" => {
                let of = self.expression()?;
                self.expect("of")?;
                ExprKind::Case(Box::new(of), self.rules()?)
            }
            "fn" => ExprKind::Fn(self.rules()?),
            "raise" => ExprKind::Raise(Box::new(self.expression()?)),
            _ => {
                let help = "loops change something; write a recursive function";
                let what = "`while` is not understood".to_string();
                return self.report.not_understood(start, what, Some(help.into()));
            }
        };
        let span = start.to(self.last());
        self.node(kind, span)
    }

    fn conditional(&mut self) -> Checked<ExprKind> {
        let condition = self.expression()?;
        self.expect("then")?;
        let yes = self.expression()?;
        if !self.is_word("else") {
            return self.unexpected(
                "`else`",
                Some("every `if` has an `else`; nothing is `empty`"),
            );
        }
        self.advance();
        let no = self.expression()?;
        Ok(ExprKind::If(Box::new([condition, yes, no])))
    }

    /// `pattern => expression | …`
    fn rules(&mut self) -> Checked<Vec<Rule>> {
        let mut rules = Vec::new();
        self.eat("|");
        loop {
            let pattern = self.pattern()?;
            self.expect("=>")?;
            let body = self.expression()?;
            rules.push(Rule { pattern, body });
            if !self.eat("|") {
                return Ok(rules);
            }
        }
    }

    /// A function and its arguments, one behind the other.
    fn application(&mut self) -> Checked<Expr> {
        let mut expr = self.atom()?;
        while self.starts_atom() {
            let argument = self.atom()?;
            let span = expr.span.to(argument.span);
            expr = self.node(ExprKind::Apply(Box::new(expr), Box::new(argument)), span)?;
        }
        Ok(expr)
    }

    fn starts_atom(&self) -> bool {
        match self.peek() {
            Kind::Int(_) | Kind::Real(_) | Kind::Text(_) | Kind::Char(_) => true,
            Kind::Name(_) | Kind::Sign(_) => self.operator().is_none(),
            Kind::Word(word) => matches!(*word, "(" | "[" | "{" | "#" | "let" | "op"),
            Kind::TypeVariable(_) | Kind::End => false,
        }
    }

    fn atom(&mut self) -> Checked<Expr> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Kind::Int(value) => self.single(ExprKind::Int(value)),
            Kind::Real(value) => self.single(ExprKind::Real(value)),
            Kind::Text(text) => self.single(ExprKind::Text(text)),
            Kind::Char(character) => self.single(ExprKind::Char(character)),
            Kind::Name(name) | Kind::Sign(name) if self.operator().is_none() => {
                self.single(ExprKind::Name(name))
            }
            Kind::Word("op") => ExprKind::Name(self.any_name("an operator")?),
            Kind::Word("(") => self.deeper(Self::parenthesised)?,
            Kind::Word("[") => {
                self.advance();
                ExprKind::List(self.deeper(|parser| parser.separated("]", Self::expression))?)
            }
            Kind::Word("{") => {
                self.advance();
                ExprKind::Record(self.deeper(|parser| parser.separated("}", Self::field))?)
            }
            Kind::Word("#") => {
                self.advance();
                ExprKind::Select(self.label()?)
            }
            Kind::Word("let") => self.deeper(Self::local)?,
            _ => return self.unexpected("an expression", None),
        };
        let span = start.to(self.last());
        self.node(kind, span)
    }

    fn single(&mut self, kind: ExprKind) -> ExprKind {
        self.advance();
        kind
    }

    /// `name = expression`, or the name alone.
    fn field(&mut self) -> Checked<(String, Expr)> {
        let start = self.span();
        let label = self.label()?;
        if self.eat("=") {
            return Ok((label, self.expression()?));
        }
        let value = self.node(ExprKind::Name(label.clone()), start)?;
        Ok((label, value))
    }

    /// `()`, `(a)`, `(a, b)` or `(a; b)`
    fn parenthesised(&mut self) -> Checked<ExprKind> {
        self.advance();
        if self.eat(")") {
            return Ok(ExprKind::Tuple(Vec::new()));
        }
        let first = self.expression()?;
        if self.eat(")") {
            return Ok(ExprKind::Paren(Box::new(first)));
        }
        let mut all = vec![first];
        if self.eat(";") {
            self.sequence(&mut all)?;
            self.expect(")")?;
            return Ok(ExprKind::Sequence(all));
        }
        if !self.eat(",") {
            return self.unexpected("`,` or `)`", None);
        }
        all.extend(self.separated(")", Self::expression)?);
        Ok(ExprKind::Tuple(all))
    }

    /// `a; b; c`, where the last one may be missing behind its semicolon.
    fn sequence(&mut self, all: &mut Vec<Expr>) -> Checked<()> {
        while !self.is_word(")") && !self.is_word("end") {
            all.push(self.expression()?);
            if !self.eat(";") {
                break;
            }
        }
        Ok(())
    }

    /// `let declarations in expression end`
    fn local(&mut self) -> Checked<ExprKind> {
        self.advance();
        let decs = self.declarations_until(&["in"])?;
        self.expect("in")?;
        let start = self.span();
        let mut all = Vec::new();
        self.sequence(&mut all)?;
        let span = start.to(self.last());
        if all.is_empty() {
            return self.unexpected("an expression", None);
        }
        self.expect("end")?;
        let body = match all.len() {
            1 => all.pop().expect("there is one"),
            _ => self.node(ExprKind::Sequence(all), span)?,
        };
        Ok(ExprKind::Let(decs, Box::new(body)))
    }
}
