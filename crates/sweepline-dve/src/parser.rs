//! From tokens to the AST. Goes on after errors.

use std::ops::Range;

use sweepline_logic::{Name, Source};

use crate::ast::{Channel, Expr, Initial, Model, System, Type, Variable};
use crate::errors::DveError;
use crate::token::{Kind, Token, tokens};

/// Reads a model. What could not be read is missing from it.
pub(crate) fn parse(source: &Source, errors: &mut Vec<DveError>) -> Model {
    let tokens = tokens(source, errors);
    let mut parser = Parser {
        source,
        tokens,
        position: 0,
        last_error: None,
        depth: 0,
        errors,
    };
    parser.model()
}

/// Reads a single expression.
pub(crate) fn parse_expression(source: &Source) -> Result<Expr, Vec<DveError>> {
    let mut errors = Vec::new();
    let tokens = tokens(source, &mut errors);
    let mut parser = Parser {
        source,
        tokens,
        position: 0,
        last_error: None,
        depth: 0,
        errors: &mut errors,
    };
    let expr = parser.expression();
    if *parser.peek() != Kind::End {
        let _ = parser.unexpected::<()>("the end of the expression", None);
    }
    match expr {
        Ok(expr) if errors.is_empty() => Ok(expr),
        _ => Err(errors),
    }
}

/// Words that begin a part of a file.
const ITEMS: [&str; 6] = ["byte", "int", "const", "channel", "process", "system"];

/// What an error that was reported leaves behind.
pub(crate) struct Failed;

/// Either what was expected, or an error was reported.
pub(crate) type Parsed<T> = Result<T, Failed>;

pub(crate) struct Parser<'a> {
    pub source: &'a Source,
    tokens: Vec<Token>,
    position: usize,
    /// The token of the last error: one error for each is enough.
    last_error: Option<usize>,
    /// Levels of the expression that is being read.
    pub depth: u32,
    pub errors: &'a mut Vec<DveError>,
}

impl Parser<'_> {
    fn model(&mut self) -> Model {
        let mut model = Model::default();
        while *self.peek() != Kind::End {
            let start = self.position;
            if self.item(&mut model).is_err() {
                self.skip_to(&ITEMS, start);
            }
        }
        model
    }

    fn item(&mut self, model: &mut Model) -> Parsed<()> {
        match *self.peek() {
            Kind::Word("byte" | "int" | "const") => self.variables(&mut model.variables),
            Kind::Word("channel") => self.channels(&mut model.channels),
            Kind::Word("process") => {
                let process = self.process()?;
                model.processes.push(process);
                Ok(())
            }
            Kind::Word("system") => {
                model.system = Some(self.system()?);
                Ok(())
            }
            // A stray semicolon behind a process does no harm.
            Kind::Sign(";") => {
                self.advance();
                Ok(())
            }
            _ => self.unexpected("a declaration, a process or the `system` line", None),
        }
    }

    /// `const? type name size? (= initial)?, …;`
    pub fn variables(&mut self, into: &mut Vec<Variable>) -> Parsed<()> {
        let constant = self.eat_word("const");
        let kind = self.type_word()?;
        loop {
            let name = self.name("the name of a variable")?;
            let size = self.size()?;
            let initial = if self.eat("=") {
                Some(self.initial()?)
            } else {
                None
            };
            into.push(Variable {
                constant,
                kind,
                name,
                size,
                initial,
            });
            if !self.eat(",") {
                break;
            }
        }
        self.end_of("the declaration")
    }

    fn type_word(&mut self) -> Parsed<Type> {
        if self.eat_word("byte") {
            Ok(Type::Byte)
        } else if self.eat_word("int") {
            Ok(Type::Int)
        } else {
            self.unexpected("`byte` or `int`", None)
        }
    }

    /// `[…]`, if it is there.
    fn size(&mut self) -> Parsed<Option<Expr>> {
        if !self.eat("[") {
            return Ok(None);
        }
        let size = self.expression()?;
        self.expect("]", None)?;
        Ok(Some(size))
    }

    fn initial(&mut self) -> Parsed<Initial> {
        let start = self.span().start;
        if !self.eat("{") {
            return Ok(Initial::Value(self.expression()?));
        }
        let mut values = Vec::new();
        if !self.eat("}") {
            values = self.list(Self::expression)?;
            self.expect("}", None)?;
        }
        Ok(Initial::List(values, start..self.end()))
    }

    /// `channel {type, …}? name capacity?, …;`
    fn channels(&mut self, into: &mut Vec<Channel>) -> Parsed<()> {
        self.advance();
        let types = if self.eat("{") {
            let types = self.list(Self::type_word)?;
            self.expect("}", None)?;
            Some(types)
        } else {
            None
        };
        loop {
            let name = self.name("the name of a channel")?;
            let capacity = self.size()?;
            into.push(Channel {
                name,
                types: types.clone(),
                capacity,
            });
            if !self.eat(",") {
                break;
            }
        }
        self.end_of("the declaration")
    }

    fn system(&mut self) -> Parsed<System> {
        let start = self.span().start;
        self.advance();
        let synchronous = self.eat_word("sync");
        if !synchronous && !self.eat_word("async") {
            return self.unexpected("`async`", None);
        }
        let property = if self.eat_word("property") {
            Some(self.name("the name of the property process")?)
        } else {
            None
        };
        let span = start..self.end();
        self.end_of("the `system` line")?;
        Ok(System {
            synchronous,
            property,
            span,
        })
    }

    /// Things separated by commas; at least one.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub fn peek(&self) -> &Kind {
        &self.tokens[self.position].kind
    }

    /// The token behind the next one.
    pub fn peek_second(&self) -> &Kind {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.position + 1).min(last)].kind
    }

    /// Where the next token stands.
    pub fn span(&self) -> Range<usize> {
        self.tokens[self.position].span.clone()
    }

    /// Where the previous token ends.
    pub fn end(&self) -> usize {
        let previous = self.position.saturating_sub(1);
        self.tokens[previous].span.end
    }

    pub fn advance(&mut self) {
        self.position = (self.position + 1).min(self.tokens.len() - 1);
    }

    pub fn eat(&mut self, sign: &'static str) -> bool {
        let found = *self.peek() == Kind::Sign(sign);
        if found {
            self.advance();
        }
        found
    }

    pub fn eat_word(&mut self, word: &'static str) -> bool {
        let found = *self.peek() == Kind::Word(word);
        if found {
            self.advance();
        }
        found
    }

    pub fn expect(&mut self, sign: &'static str, help: Option<String>) -> Parsed<()> {
        if self.eat(sign) {
            Ok(())
        } else {
            self.unexpected(&format!("`{sign}`"), help)
        }
    }

    /// The `;` behind something. If it is missing, what follows is read as if it were there.
    pub fn end_of(&mut self, what: &str) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        let end = self.end();
        let help = Some(format!("{what} ends with `;`"));
        let starts_anew = matches!(self.peek(), Kind::Word(_) | Kind::End | Kind::Sign("}"));
        let at = if starts_anew {
            end.saturating_sub(1)..end
        } else {
            self.span()
        };
        let _ = self.unexpected_at::<()>("`;`", help, at);
        if starts_anew { Ok(()) } else { Err(Failed) }
    }

    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.span();
        match self.peek().clone() {
            Kind::Name(text) => {
                self.advance();
                Ok(Name { text, span })
            }
            Kind::Word(word) => self.unexpected(
                what,
                Some(format!(
                    "`{word}` is a word of the language; choose another name"
                )),
            ),
            _ => self.unexpected(what, None),
        }
    }

    pub fn unexpected<T>(&mut self, expected: &str, help: Option<String>) -> Parsed<T> {
        let at = self.span();
        self.unexpected_at(expected, help, at)
    }

    fn unexpected_at<T>(
        &mut self,
        expected: &str,
        help: Option<String>,
        at: Range<usize>,
    ) -> Parsed<T> {
        if self.last_error.replace(self.position) != Some(self.position) {
            self.errors.push(DveError::Unexpected {
                expected: expected.to_string(),
                found: self.peek().shown(),
                help,
                text: self.source.named(),
                at: at.into(),
            });
        }
        Err(Failed)
    }

    /// Goes on at the next of these words or the end, but at least one token behind `start`.
    pub fn skip_to(&mut self, words: &[&str], start: usize) {
        if self.position == start {
            self.advance();
        }
        while !self.stands_at(words) {
            self.advance();
        }
    }

    pub fn stands_at(&self, words: &[&str]) -> bool {
        match self.peek() {
            Kind::End => true,
            Kind::Word(word) => words.contains(word),
            _ => false,
        }
    }

    pub fn mark(&self) -> usize {
        self.position
    }
}
