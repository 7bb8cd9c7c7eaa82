//! From tokens to the syntax tree.

mod colset;
mod declaration;
mod expression;
mod pattern;

use std::collections::HashMap;

use crate::ml::errors::{Checked, Report};
use crate::ml::lexer::{Kind, Token, tokens};
use crate::ml::syntax::{Expr, ExprKind, Span};

/// Levels of a text, so that no input exhausts the stack.
pub(crate) const MOST_LEVELS: usize = 150;

/// How an operator binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fixity {
    pub precedence: u8,
    pub right: bool,
}

/// All operators.
pub(crate) type Fixities = HashMap<String, Fixity>;

/// The operators that every model has: those of Standard ML, and those of CPN Tools for multisets and time.
pub(crate) fn fixities() -> Fixities {
    const LEFT: [(u8, &str); 7] = [
        (9, "@"),
        (8, "`"),
        (7, "* / div mod ** // % @+ @@+ @++"),
        (6, "+ - ^ ++ -- +++"),
        (4, "= <> > >= < <="),
        (3, ":= o == <><> != << >> <<= >>= <<== >>=="),
        (0, "before"),
    ];
    let mut all = Fixities::new();
    for (precedence, operators) in LEFT {
        let fixity = Fixity {
            precedence,
            right: false,
        };
        all.extend(
            operators
                .split_whitespace()
                .map(|name| (name.to_string(), fixity)),
        );
    }
    let lists = Fixity {
        precedence: 5,
        right: true,
    };
    all.extend(["::", "^^"].map(|name| (name.to_string(), lists)));
    all
}

/// Reads one text.
pub(crate) struct Parser<'a, 'b> {
    pub report: &'b mut Report<'a>,
    pub fixities: &'b mut Fixities,
    tokens: Vec<Token>,
    position: usize,
    levels: usize,
}

impl<'a, 'b> Parser<'a, 'b> {
    /// A parser before the first token of the report's text. Characters that are no token have been reported.
    pub fn new(report: &'b mut Report<'a>, fixities: &'b mut Fixities) -> Checked<Self> {
        let (tokens, strays) = tokens(report.text);
        let mut result = Ok(());
        for stray in strays {
            result = report.scan(stray.span, stray.why);
        }
        result?;
        Ok(Self {
            report,
            fixities,
            tokens,
            position: 0,
            levels: 0,
        })
    }

    pub fn peek(&self) -> &Kind {
        &self.tokens[self.position].kind
    }

    fn peek_at(&self, ahead: usize) -> &Kind {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.position + ahead).min(last)].kind
    }

    pub fn span(&self) -> Span {
        self.tokens[self.position].span
    }

    /// Where the last token that was read stands.
    fn last(&self) -> Span {
        self.tokens[self.position.saturating_sub(1)].span
    }

    fn advance(&mut self) {
        self.position = (self.position + 1).min(self.tokens.len() - 1);
    }

    pub fn at_end(&self) -> bool {
        *self.peek() == Kind::End
    }

    fn is_word(&self, word: &'static str) -> bool {
        *self.peek() == Kind::Word(word)
    }

    pub fn eat(&mut self, word: &'static str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// A name that is a word in some places only, such as `timed`.
    fn is_name(&self, word: &str) -> bool {
        matches!(self.peek(), Kind::Name(name) if name == word)
    }

    pub fn eat_name(&mut self, word: &str) -> bool {
        let found = self.is_name(word);
        if found {
            self.advance();
        }
        found
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Kind::Sign(found) if found == sign)
    }

    pub fn eat_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, word: &'static str) -> Checked<()> {
        if self.eat(word) {
            return Ok(());
        }
        self.unexpected(&format!("`{word}`"), None)
    }

    pub fn expect_end(&mut self) -> Checked<()> {
        if self.at_end() {
            return Ok(());
        }
        self.unexpected("the end", None)
    }

    fn unexpected<T>(&mut self, expected: &str, help: Option<&str>) -> Checked<T> {
        let (span, found) = (self.span(), self.peek().shown());
        self.report
            .unexpected(span, expected, found, help.map(String::from))
    }

    fn name(&mut self, what: &str) -> Checked<String> {
        let Kind::Name(name) = self.peek() else {
            return self.unexpected(what, None);
        };
        let name = name.clone();
        self.advance();
        Ok(name)
    }

    /// A name, or an operator behind `op` or alone.
    fn any_name(&mut self, what: &str) -> Checked<String> {
        self.eat("op");
        let name = match self.peek() {
            Kind::Name(name) | Kind::Sign(name) => name.clone(),
            Kind::Word("=") => "=".to_string(),
            _ => return self.unexpected(what, None),
        };
        self.advance();
        Ok(name)
    }

    /// One level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        if self.levels >= MOST_LEVELS {
            let span = self.span();
            return self.report.too_deep(span, MOST_LEVELS);
        }
        self.levels += 1;
        let result = read(self);
        self.levels -= 1;
        result
    }

    /// An expression, unless it has too many levels.
    fn node(&mut self, kind: ExprKind, span: Span) -> Checked<Expr> {
        let depth = kind.depth() + 1;
        if depth > 2 * MOST_LEVELS {
            return self.report.too_deep(span, 2 * MOST_LEVELS);
        }
        Ok(Expr { kind, span, depth })
    }

    /// The operator that is next, unless it is bracketed by `op`.
    fn operator(&self) -> Option<(&str, Fixity)> {
        let name = match self.peek() {
            Kind::Name(name) | Kind::Sign(name) => name.as_str(),
            Kind::Word("=") => "=",
            _ => return None,
        };
        self.fixities.get(name).map(|fixity| (name, *fixity))
    }

    /// What stands between brackets, separated by commas.
    fn separated<T>(
        &mut self,
        close: &'static str,
        mut read: impl FnMut(&mut Self) -> Checked<T>,
    ) -> Checked<Vec<T>> {
        let mut all = Vec::new();
        if self.eat(close) {
            return Ok(all);
        }
        loop {
            all.push(read(self)?);
            if self.eat(close) {
                return Ok(all);
            }
            if !self.eat(",") {
                return self.unexpected(&format!("`,` or `{close}`"), None);
            }
        }
    }

    /// The name of a record's field: a name or a number.
    fn label(&mut self) -> Checked<String> {
        let label = match self.peek() {
            Kind::Name(name) => name.clone(),
            Kind::Int(number) => number.to_string(),
            _ => return self.unexpected("the name of a field", None),
        };
        self.advance();
        Ok(label)
    }
}
