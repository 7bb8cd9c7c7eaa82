//! Labels, sets of labels and indices.

use sweepline_text::{Kind, Name};

use super::{MOST_LEVELS, Parsed, Parser};
use crate::ast::{Domain, Expr, Index, Labels, Part, SetExpr};

impl Parser<'_> {
    /// `a.b[i:R].{x, y}`
    pub fn labels(&mut self) -> Parsed<Labels> {
        let start = self.tokens.span().start;
        let mut parts = vec![self.part("an action")?];
        while matches!(self.tokens.peek(), Kind::Sign("." | "[")) {
            if parts.len() >= MOST_LEVELS {
                return self.too_deep(MOST_LEVELS);
            }
            self.tokens.eat(".");
            parts.push(self.part("a name behind `.`")?);
        }
        Ok(Labels {
            parts,
            span: start..self.tokens.end(),
        })
    }

    fn part(&mut self, expected: &str) -> Parsed<Part> {
        let span = self.tokens.span();
        match self.tokens.peek().clone() {
            Kind::Name(text) if !is_upper(&text) => {
                self.tokens.advance();
                Ok(Part::Name(Name { text, span }))
            }
            Kind::Name(_) | Kind::Sign("{") => Ok(Part::Set(self.set()?)),
            Kind::Sign("[") => Ok(Part::Index(self.index()?)),
            Kind::Word(word) => {
                let help = format!("`{word}` is a word of the language; choose another name");
                self.unexpected(expected, Some(help))
            }
            _ => self.unexpected(expected, None),
        }
    }

    /// `{a, b[1..3]}` or the name of a set.
    pub fn set(&mut self) -> Parsed<SetExpr> {
        let span = self.tokens.span();
        if let Kind::Name(text) = self.tokens.peek().clone()
            && is_upper(&text)
        {
            self.tokens.advance();
            return Ok(SetExpr::Named(Name { text, span }));
        }
        let help = "a set looks like `{a, b}`; names of sets begin with an upper-case letter";
        self.expect("{", Some(help.into()))?;
        let mut labels = Vec::new();
        if *self.tokens.peek() != Kind::Sign("}") {
            labels = self.deeper(|parser| parser.list(Self::labels))?;
        }
        self.expect("}", None)?;
        Ok(SetExpr::Listed(labels, span.start..self.tokens.end()))
    }

    /// Any number of `[…]`.
    pub fn indices(&mut self) -> Parsed<Vec<Index>> {
        let mut indices = Vec::new();
        while *self.tokens.peek() == Kind::Sign("[") {
            if indices.len() >= MOST_LEVELS {
                return self.too_deep(MOST_LEVELS);
            }
            indices.push(self.index()?);
        }
        Ok(indices)
    }

    /// `[3]`, `[R]`, `[0..3]`, `[{a, b}]` or one of the latter three with `i:` in front.
    pub fn index(&mut self) -> Parsed<Index> {
        let start = self.tokens.span().start;
        self.expect("[", None)?;
        let variable = self.bound_variable();
        let domain = self.domain(variable.is_some())?;
        self.expect("]", None)?;
        Ok(Index {
            variable,
            domain,
            span: start..self.tokens.end(),
        })
    }

    fn bound_variable(&mut self) -> Option<Name> {
        let span = self.tokens.span();
        let Kind::Name(text) = self.tokens.peek().clone() else {
            return None;
        };
        if is_upper(&text) || *self.tokens.peek_at(1) != Kind::Sign(":") {
            return None;
        }
        self.tokens.advance();
        self.tokens.advance();
        Some(Name { text, span })
    }

    fn domain(&mut self, bound: bool) -> Parsed<Domain> {
        if *self.tokens.peek() == Kind::Sign("{") {
            return Ok(Domain::Set(self.set()?));
        }
        let least = self.expression()?;
        if self.tokens.eat("..") {
            return Ok(Domain::Range(least, self.expression()?));
        }
        if bound && !matches!(&least, Expr::Name(name) if is_upper(&name.text)) {
            let help = "a variable takes the values of a range or a set, like `i:0..3`";
            return self.unexpected("`..`", Some(help.into()));
        }
        Ok(Domain::Expr(least))
    }
}

/// Whether a name begins with an upper-case letter: it is of a process, constant, range or set, not of an action or a
/// variable.
pub(crate) fn is_upper(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}
