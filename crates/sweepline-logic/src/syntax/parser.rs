//! From tokens to terms, by precedence climbing.

use std::ops::Range;

use sweepline_text::{Cursor, Kind, Name, Source, did_you_mean};

use super::error::SyntaxWarning;
use super::operator::{Binding, Infix};
use super::runs::quoting_help;
use super::term::{FUNCTIONS, Function, Node, Term};
use super::token::{Language, tokens};
use super::{MAX_DEPTH, MAX_NESTING, SyntaxError};
use crate::CompareOp;

/// Reads the tokens of one text.
pub(super) struct Parser<'a> {
    pub(super) source: &'a Source,
    pub(super) language: Language,
    what: &'static str,
    pub(super) tokens: Cursor,
    depth: u32,
    /// Whether operators of linear time between two operands end a term here.
    pub(super) delimited: bool,
    /// Whether the rest of the text is skipped silently, because nothing sensible could be said about it.
    gave_up: bool,
    pub errors: Vec<SyntaxError>,
    pub warnings: Vec<SyntaxWarning>,
}

impl<'a> Parser<'a> {
    pub fn new(source: &'a Source, what: &'static str) -> Self {
        Self::of(Language::States, source, what)
    }

    pub fn of(language: Language, source: &'a Source, what: &'static str) -> Self {
        let mut errors = Vec::new();
        let tokens = Cursor::new(source, tokens(language, source, &mut errors));
        Self {
            source,
            language,
            what,
            tokens,
            depth: 0,
            delimited: false,
            gave_up: false,
            errors,
            warnings: Vec::new(),
        }
    }

    /// The whole text as one term. What follows a complete term is reported and read too, for its errors.
    pub fn whole(&mut self) -> Node {
        if self.tokens.peek() == &Kind::End {
            return self.empty();
        }
        let node = self.term(Binding::Loosest);
        self.rest();
        node
    }

    /// The whole text as terms separated by commas.
    pub fn list(&mut self) -> Vec<Node> {
        if self.tokens.peek() == &Kind::End {
            return vec![self.empty()];
        }
        let mut nodes = vec![self.term(Binding::Loosest)];
        while self.tokens.eat(",") {
            nodes.push(self.term(Binding::Loosest));
        }
        self.rest();
        nodes
    }

    /// The `name` of `name: property`, if there is one.
    pub fn property_name(&mut self) -> Option<String> {
        let (Kind::Name(name) | Kind::Quoted(name)) = self.tokens.peek().clone() else {
            return None;
        };
        (self.tokens.peek_at(1) == &Kind::Sign(":")).then(|| {
            self.tokens.advance();
            self.tokens.advance();
            name
        })
    }

    /// The `name` of `name = predicate`, and the sign behind it.
    pub fn defined_name(&mut self) -> Option<Name> {
        if self.tokens.peek() == &Kind::End {
            return None; // reported as an empty text
        }
        let name = self.name("a name for the proposition");
        if let Some(Infix::Compare(CompareOp::Equal)) = Infix::of(self.tokens.peek()) {
            self.tokens.advance();
        } else {
            self.unexpected("`=` and a predicate", Some("write `p = x > 3`".into()));
            self.give_up();
        }
        name
    }

    fn empty(&mut self) -> Node {
        if self.errors.is_empty() {
            self.report(SyntaxError::Empty { what: self.what });
        }
        self.missing()
    }

    /// Reports what follows a complete term, and reads on behind it.
    fn rest(&mut self) {
        while self.tokens.peek() != &Kind::End {
            self.after_operand();
            self.tokens.eat(")");
            self.resume();
        }
    }

    /// Reads what follows a mistake, for further mistakes in it.
    fn resume(&mut self) {
        match self.infix_ahead() {
            Some((infix, tokens)) => {
                self.skip(tokens);
                self.term(infix.bindings().1);
            }
            None if matches!(self.tokens.peek(), Kind::Sign("," | ":" | "[" | "]")) => {
                self.tokens.advance();
            }
            None if matches!(self.tokens.peek(), Kind::Sign(")") | Kind::End) => {}
            None => {
                self.term(Binding::Loosest);
            }
        }
    }

    /// An operand and all operators behind it that bind at least as tightly as `least`.
    pub(super) fn term(&mut self, least: Binding) -> Node {
        self.depth += 1;
        let node = if self.depth > MAX_NESTING {
            self.too_deep(self.tokens.span())
        } else {
            let mut left = self.operand();
            while let Some((infix, tokens)) = self.infix_ahead()
                && infix.bindings().0 >= least
            {
                self.skip(tokens);
                left = self.infix(infix, left);
            }
            left
        };
        self.depth -= 1;
        node
    }

    /// The operator between two operands that comes next, and of how many tokens it consists.
    fn infix_ahead(&self) -> Option<(Infix, usize)> {
        match Infix::of(self.tokens.peek()) {
            Some(infix) => Some((infix, 1)),
            None if self.delimited => None,
            None => self.run_infix_ahead(),
        }
    }

    pub(super) fn skip(&mut self, tokens: usize) {
        for _ in 0..tokens {
            self.tokens.advance();
        }
    }

    fn infix(&mut self, infix: Infix, left: Node) -> Node {
        let right = self.term(infix.bindings().1);
        self.warn_of_precedence(infix, &left, &right);
        if let Infix::Run(op) = infix {
            return self.run_infix(op, left, right);
        }
        let span = left.span.start..right.span.end;
        let height = left.height.max(right.height + 1);
        let grouped = left.grouped;
        let (term, height) = match (infix, left.term) {
            // A chain of `and`, `or` or `+` is one level, however long.
            (Infix::And, Term::And(mut operands)) if !grouped => {
                operands.push(right);
                (Term::And(operands), height)
            }
            (Infix::Or, Term::Or(mut operands)) if !grouped => {
                operands.push(right);
                (Term::Or(operands), height)
            }
            (Infix::Sum(op), Term::Sum(first, mut operands)) if !grouped => {
                operands.push((op, right));
                (Term::Sum(first, operands), height)
            }
            (_, term) => {
                let left = Node {
                    term,
                    grouped,
                    ..Node::new(Term::Missing, left.span, left.height)
                };
                let height = height.max(left.height + 1);
                (infix.pair(left, right), height)
            }
        };
        self.limited(Node::new(term, span, height))
    }

    fn operand(&mut self) -> Node {
        if let Some(node) = self.run_operand() {
            return node;
        }
        let span = self.tokens.span();
        match self.tokens.peek().clone() {
            Kind::Number(value) => self.number(value),
            Kind::Word("true") => self.leaf(Term::Truth(true)),
            Kind::Word("false") => self.leaf(Term::Truth(false)),
            Kind::Word("deadlock") => self.leaf(Term::Deadlock),
            Kind::Sign("-") => self.minus(),
            Kind::Word("not") | Kind::Sign("!" | "~") => {
                let operand = self.prefixed(Binding::Compare);
                self.above(span, operand, |operand| Term::Not(Box::new(operand)))
            }
            Kind::Word(operator) if Infix::of(self.tokens.peek()).is_none() => {
                self.temporal(operator.to_string(), span)
            }
            Kind::Sign("(") => self.group(),
            Kind::Name(text) => match self.tokens.peek_at(1) {
                Kind::Sign("(") => self.call(&text),
                Kind::Name(second) if is_quantified(&text, second) => {
                    let operator = format!("{text}{second}");
                    self.tokens.advance();
                    self.temporal(operator, span)
                }
                _ => self.leaf(Term::Name(Name { text, span })),
            },
            Kind::Quoted(text) => self.leaf(Term::Name(Name { text, span })),
            _ => {
                let before = self.tokens.previous().map(|token| &token.kind);
                let help = before.filter(|_| self.language != Language::States);
                let help = help.and_then(quoting_help);
                self.unexpected(self.expected_operand(), help);
                self.missing()
            }
        }
    }

    fn leaf(&mut self, term: Term) -> Node {
        let span = self.tokens.span();
        self.tokens.advance();
        Node::new(term, span, 0)
    }

    fn number(&mut self, value: u64) -> Node {
        let value = i64::try_from(value).unwrap_or_else(|_| {
            self.report(SyntaxError::LargeNumber {
                digits: value.to_string(),
                text: self.source.named(),
                at: self.tokens.span().into(),
            });
            0
        });
        self.leaf(Term::Number(value))
    }

    /// A minus directly in front of digits makes a negative number, the least one included.
    fn minus(&mut self) -> Node {
        let span = self.tokens.span();
        if let &Kind::Number(value) = self.tokens.peek_at(1) {
            self.tokens.advance();
            let node = self.leaf(Term::Number(0_i64.wrapping_sub_unsigned(value)));
            return Node {
                span: span.start..node.span.end,
                ..node
            };
        }
        let operand = self.prefixed(Binding::Tightest);
        self.above(span, operand, |operand| Term::Minus(Box::new(operand)))
    }

    fn temporal(&mut self, operator: String, span: Range<usize>) -> Node {
        let operand = self.prefixed(Binding::Compare);
        self.above(span, operand, |operand| {
            Term::Temporal(operator, Box::new(operand))
        })
    }

    pub(super) fn prefixed(&mut self, least: Binding) -> Node {
        self.tokens.advance();
        self.term(least)
    }

    pub(super) fn group(&mut self) -> Node {
        let open = self.tokens.span();
        self.tokens.advance();
        let outside = std::mem::replace(&mut self.delimited, false);
        let inner = self.term(Binding::Loosest);
        self.close(&open);
        self.delimited = outside;
        Node {
            span: open.start..self.tokens.end(),
            grouped: true,
            ..inner
        }
    }

    fn call(&mut self, name: &str) -> Node {
        let start = self.tokens.span();
        let function = self.function(name);
        if self.gave_up {
            return self.missing();
        }
        self.tokens.advance();
        let open = self.tokens.span();
        self.tokens.advance();
        let mut arguments = Vec::new();
        while !matches!(self.tokens.peek(), Kind::Sign(")") | Kind::End) {
            arguments.push(self.term(Binding::Loosest));
            if !self.tokens.eat(",") {
                break;
            }
        }
        self.close(&open);
        let height = arguments.iter().map(|node| node.height + 1).max();
        let term = function.map_or(Term::Missing, |function| Term::Call(function, arguments));
        let span = start.start..self.tokens.end();
        self.limited(Node::new(term, span, height.unwrap_or(0)))
    }

    fn function(&mut self, name: &str) -> Option<Function> {
        let found = FUNCTIONS.iter().find(|(known, _)| *known == name);
        match name {
            _ if found.is_some() => {}
            "A" | "E" if self.language == Language::Runs => {
                self.report(SyntaxError::Branching {
                    operator: name.to_string(),
                    text: self.source.named(),
                    at: self.tokens.span().into(),
                });
                self.give_up();
            }
            "F" | "G" | "X" => self.needs_ltl(name.to_string(), self.tokens.span()),
            "A" | "E" => self.needs_ctl(name.to_string(), self.tokens.span()),
            _ => self.unknown_function(name),
        }
        found.map(|(_, function)| *function)
    }

    fn unknown_function(&mut self, name: &str) {
        let near = did_you_mean(name, FUNCTIONS.iter().map(|(known, _)| *known));
        let names = "known are `fireable`, `sum`, `rank`, `bitand`, `bitor`, `bitxor`, `shl`, `shr`, `all`, `any`, \
            `initially` and `bound`";
        self.report(SyntaxError::UnknownFunction {
            name: name.to_string(),
            help: near.unwrap_or_else(|| names.to_string()),
            text: self.source.named(),
            at: self.tokens.span().into(),
        });
    }

    fn close(&mut self, open: &Range<usize>) {
        while !matches!(self.tokens.peek(), Kind::Sign(")") | Kind::End) {
            self.after_operand();
            self.resume();
        }
        if !self.tokens.eat(")") {
            self.report(SyntaxError::UnclosedParenthesis {
                text: self.source.named(),
                at: open.clone().into(),
            });
        }
    }

    fn name(&mut self, expected: &str) -> Option<Name> {
        let span = self.tokens.span();
        if let Kind::Name(text) | Kind::Quoted(text) = self.tokens.peek().clone() {
            self.tokens.advance();
            return Some(Name { text, span });
        }
        self.unexpected(expected, None);
        None
    }

    pub(super) fn above(
        &mut self,
        sign: Range<usize>,
        operand: Node,
        term: impl FnOnce(Node) -> Term,
    ) -> Node {
        let span = sign.start..operand.span.end;
        let height = operand.height + 1;
        self.limited(Node::new(term(operand), span, height))
    }

    pub(super) fn limited(&mut self, node: Node) -> Node {
        if node.height > MAX_DEPTH {
            self.too_deep(node.span)
        } else {
            node
        }
    }

    fn too_deep(&mut self, span: Range<usize>) -> Node {
        self.report(SyntaxError::TooDeep {
            limit: MAX_DEPTH,
            text: self.source.named(),
            at: span.into(),
        });
        self.give_up();
        self.missing()
    }

    pub(super) fn give_up(&mut self) {
        self.gave_up = true;
        self.tokens.skip_all();
    }

    pub(super) fn report(&mut self, error: SyntaxError) {
        if !self.gave_up {
            self.errors.push(error);
        }
    }

    pub(super) fn missing(&self) -> Node {
        let end = self.tokens.end();
        Node::new(Term::Missing, end..end, 0)
    }

    /// Something follows an operand that is no operator.
    fn after_operand(&mut self) {
        let at = self.tokens.span();
        if self.language == Language::States
            && let Some(before) = self.tokens.previous()
            && let Kind::Name(operator) = &before.kind
            && matches!(operator.as_str(), "F" | "G" | "X")
        {
            return self.needs_ltl(operator.clone(), before.span.clone());
        }
        match self.tokens.peek().clone() {
            Kind::Name(operator)
                if self.language == Language::States
                    && matches!(operator.as_str(), "U" | "W" | "R" | "M") =>
            {
                self.needs_ltl(operator, at);
            }
            Kind::Name(word) if let Some(operator) = in_lower_case(&word) => {
                let lower = word.to_lowercase();
                let help = format!("operators are written in lower case: `{lower}`");
                self.unexpected("an operator or the end", Some(help));
                self.tokens.replace(operator);
            }
            _ => self.unexpected("an operator or the end", None),
        }
    }

    /// One such error says it all.
    fn needs_ltl(&mut self, operator: String, at: Range<usize>) {
        self.report(SyntaxError::NeedsLtl {
            operator,
            text: self.source.named(),
            at: at.into(),
        });
        self.give_up();
    }

    fn needs_ctl(&mut self, operator: String, at: Range<usize>) {
        self.report(SyntaxError::NeedsCtl {
            operator,
            text: self.source.named(),
            at: at.into(),
        });
        self.give_up();
    }

    pub(super) fn unexpected(&mut self, expected: &str, help: Option<String>) {
        let span = self.tokens.span();
        let found = match self.tokens.peek() {
            Kind::End => "the end of the text".to_string(),
            _ => format!("`{}`", self.source.part(span.clone()).text()),
        };
        self.report(SyntaxError::Unexpected {
            expected: expected.to_string(),
            found,
            help,
            text: self.source.named(),
            at: span.into(),
        });
    }

    fn expected_operand(&self) -> &'static str {
        if self.tokens.position() == 0 {
            self.what
        } else {
            "an operand"
        }
    }
}

/// `A G`, `E F` and the like, in two words. Two names in a row mean nothing else.
fn is_quantified(first: &str, second: &str) -> bool {
    matches!(first, "A" | "E") && matches!(second, "F" | "G" | "X")
}

/// The operator a word would be in lower case.
pub(super) fn in_lower_case(word: &str) -> Option<Kind> {
    Some(match word.to_lowercase().as_str() {
        "and" => Kind::Word("and"),
        "or" => Kind::Word("or"),
        "implies" => Kind::Word("implies"),
        "iff" => Kind::Word("iff"),
        _ => return None,
    })
}
