//! From tokens to the AST. Goes on after errors.

use std::ops::Range;

use sweepline_text::{Cursor, Kind, Name, Source, did_you_mean};

use crate::ast::{Channel, Expr, Initial, Model, System, Type, Variable};
use crate::errors::DveError;
use crate::token::{LEXICON, tokens};

/// Reads a model. What could not be read is missing from it.
pub(crate) fn parse(source: &Source, errors: &mut Vec<DveError>) -> Model {
    let tokens = Cursor::new(source, tokens(source, errors));
    let mut parser = Parser {
        source,
        tokens,
        last_error: None,
        depth: 0,
        errors,
    };
    parser.model()
}

/// Reads a single expression.
pub(crate) fn parse_expression(source: &Source) -> Result<Expr, Vec<DveError>> {
    let mut errors = Vec::new();
    let tokens = Cursor::new(source, tokens(source, &mut errors));
    let mut parser = Parser {
        source,
        tokens,
        last_error: None,
        depth: 0,
        errors: &mut errors,
    };
    let expr = parser.expression();
    if *parser.tokens.peek() != Kind::End {
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
    pub tokens: Cursor,
    /// The token of the last error: one error for each is enough.
    last_error: Option<usize>,
    /// Levels of the expression that is being read.
    pub depth: u32,
    pub errors: &'a mut Vec<DveError>,
}

impl Parser<'_> {
    fn model(&mut self) -> Model {
        let mut model = Model::default();
        while *self.tokens.peek() != Kind::End {
            let start = self.tokens.position();
            if self.item(&mut model).is_err() {
                self.skip_to(&ITEMS, start);
            }
        }
        model
    }

    fn item(&mut self, model: &mut Model) -> Parsed<()> {
        match *self.tokens.peek() {
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
                self.tokens.advance();
                Ok(())
            }
            _ => self.unexpected("a declaration, a process or the `system` line", None),
        }
    }

    /// `const? type name size? (= initial)?, …;`
    pub fn variables(&mut self, into: &mut Vec<Variable>) -> Parsed<()> {
        let constant = self.tokens.eat_word("const");
        let kind = self.type_word()?;
        loop {
            let name = self.name("the name of a variable")?;
            let size = self.size()?;
            let initial = if self.tokens.eat("=") {
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
            if !self.tokens.eat(",") {
                break;
            }
        }
        self.end_of("the declaration")
    }

    fn type_word(&mut self) -> Parsed<Type> {
        if self.tokens.eat_word("byte") {
            Ok(Type::Byte)
        } else if self.tokens.eat_word("int") {
            Ok(Type::Int)
        } else {
            self.unexpected("`byte` or `int`", None)
        }
    }

    /// `[…]`, if it is there.
    fn size(&mut self) -> Parsed<Option<Expr>> {
        if !self.tokens.eat("[") {
            return Ok(None);
        }
        let size = self.expression()?;
        self.expect("]", None)?;
        Ok(Some(size))
    }

    fn initial(&mut self) -> Parsed<Initial> {
        let start = self.tokens.span().start;
        if !self.tokens.eat("{") {
            return Ok(Initial::Value(self.expression()?));
        }
        let mut values = Vec::new();
        if !self.tokens.eat("}") {
            values = self.list(Self::expression)?;
            self.expect("}", None)?;
        }
        Ok(Initial::List(values, start..self.tokens.end()))
    }

    /// `channel {type, …}? name capacity?, …;`
    fn channels(&mut self, into: &mut Vec<Channel>) -> Parsed<()> {
        self.tokens.advance();
        let types = if self.tokens.eat("{") {
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
            if !self.tokens.eat(",") {
                break;
            }
        }
        self.end_of("the declaration")
    }

    fn system(&mut self) -> Parsed<System> {
        let start = self.tokens.span().start;
        self.tokens.advance();
        let synchronous = self.tokens.eat_word("sync");
        if !synchronous && !self.tokens.eat_word("async") {
            return self.unexpected("`async`", None);
        }
        let property = if self.tokens.eat_word("property") {
            Some(self.name("the name of the property process")?)
        } else {
            None
        };
        let span = start..self.tokens.end();
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
        while self.tokens.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub fn expect(&mut self, sign: &'static str, help: Option<String>) -> Parsed<()> {
        if self.tokens.eat(sign) {
            Ok(())
        } else {
            self.unexpected(&format!("`{sign}`"), help)
        }
    }

    /// The `;` behind something. If it is missing, what follows is read as if it were there.
    pub fn end_of(&mut self, what: &str) -> Parsed<()> {
        if self.tokens.eat(";") {
            return Ok(());
        }
        let end = self.tokens.end();
        let help = Some(format!("{what} ends with `;`"));
        let starts_anew = matches!(
            self.tokens.peek(),
            Kind::Word(_) | Kind::End | Kind::Sign("}")
        );
        let at = if starts_anew {
            end.saturating_sub(1)..end
        } else {
            self.tokens.span()
        };
        let _ = self.unexpected_at::<()>("`;`", help, at);
        if starts_anew { Ok(()) } else { Err(Failed) }
    }

    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.tokens.span();
        match self.tokens.peek().clone() {
            Kind::Name(text) => {
                self.tokens.advance();
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
        let at = self.tokens.span();
        self.unexpected_at(expected, help, at)
    }

    fn unexpected_at<T>(
        &mut self,
        expected: &str,
        help: Option<String>,
        at: Range<usize>,
    ) -> Parsed<T> {
        if self.last_error.replace(self.tokens.position()) != Some(self.tokens.position()) {
            let help = self.probably_meant(help);
            self.errors.push(DveError::Unexpected {
                expected: expected.to_string(),
                found: self.tokens.peek().shown(),
                help,
                text: self.source.named(),
                at: at.into(),
            });
        }
        Err(Failed)
    }

    /// What somebody meant who wrote what is found here: the other of two signs, or a word with a slip of the pen.
    fn probably_meant(&self, help: Option<String>) -> Option<String> {
        match self.tokens.peek() {
            Kind::Sign("=") => {
                Some("`==` compares two values, `=` assigns one in an `effect`".into())
            }
            Kind::Name(name) if help.is_none() => did_you_mean(name, LEXICON.words.iter().copied()),
            _ => help,
        }
    }

    /// Goes on at the next of these words or the end, but at least one token behind `start`.
    pub fn skip_to(&mut self, words: &[&str], start: usize) {
        if self.tokens.position() == start {
            self.tokens.advance();
        }
        while !self.tokens.stands_at(words) {
            self.tokens.advance();
        }
    }
}
