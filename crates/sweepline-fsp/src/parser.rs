//! From tokens to the AST. Goes on after errors.

mod composite;
mod expression;
mod formula;
mod label;
mod process;

pub(crate) use label::is_upper;
use sweepline_core::{Limits, StopReason};
use sweepline_text::{Cursor, Kind, Name, Source, Token, shortened};

use crate::ast::{Defined, MenuDef, Model, Parameter, ProgressDef, Qualifiers, Span, ValueDef};
use crate::errors::FspError;
use crate::found::Found;
use crate::token::tokens;

/// Reads a model. What could not be read is missing from it.
pub(crate) fn parse(
    source: &Source,
    limits: &Limits,
    errors: &mut Found<FspError>,
) -> Result<Model, StopReason> {
    let tokens = Cursor::new(source, tokens(source, limits, errors)?);
    let mut parser = Parser {
        source,
        tokens,
        last_error: None,
        depth: 0,
        operators: 0,
        actions: 0,
        errors,
    };
    parser.model(limits)
}

/// So many tokens are read before limits are asked again.
const TOKENS_UNASKED: usize = 4096;

/// Levels of parentheses, sets and conditions, so that no input exhausts the stack.
const MOST_LEVELS: usize = 100;

/// Operators of an expression, and actions one behind the other.
const MOST_LINKS: usize = 1000;

/// Words that begin a definition.
const ITEMS: [&str; 13] = [
    "const",
    "range",
    "set",
    "property",
    "progress",
    "menu",
    "minimal",
    "deterministic",
    "compose",
    "fluent",
    "assert",
    "constraint",
    "ltl_property",
];

/// What an error that was reported leaves behind.
pub(crate) struct Failed;

/// Either what was expected, or an error was reported.
type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    source: &'a Source,
    tokens: Cursor,
    /// The token of the last error: one error for each is enough.
    last_error: Option<usize>,
    /// Levels of what is being read.
    depth: usize,
    /// Operators of the expression that is being read.
    operators: usize,
    /// Actions before the one that is being read, in its process.
    actions: usize,
    errors: &'a mut Found<FspError>,
}

impl Parser<'_> {
    fn model(&mut self, limits: &Limits) -> Result<Model, StopReason> {
        let mut model = Model::default();
        let mut asked = 0;
        while *self.tokens.peek() != Kind::End {
            let start = self.tokens.position();
            if start - asked >= TOKENS_UNASKED {
                asked = start;
                // What is made of a token takes about as much as the token itself.
                limits.allow((self.tokens.count() + start) * size_of::<Token>())?;
            }
            (self.depth, self.operators, self.actions) = (0, 0, 0);
            if self.item(&mut model).is_err() {
                self.skip_to_item(start);
            }
        }
        Ok(model)
    }

    fn item(&mut self, model: &mut Model) -> Parsed<()> {
        match *self.tokens.peek() {
            Kind::Word("const" | "range" | "set") => model.values.push(self.value()?),
            Kind::Word("progress") => model.progress.push(self.progress()?),
            Kind::Word("menu") => model.menus.push(self.menu()?),
            Kind::Word(word @ ("fluent" | "assert" | "constraint" | "ltl_property")) => {
                model.formulas.push(self.formula(word)?);
            }
            _ => self.definition(model)?,
        }
        Ok(())
    }

    /// A primitive process or a composition, with what stands before it.
    fn definition(&mut self, model: &mut Model) -> Parsed<()> {
        let qualifiers = self.qualifiers();
        match self.tokens.peek() {
            Kind::Sign("||") => {
                self.tokens.advance();
                model.composites.push(self.composite_def(qualifiers)?);
            }
            Kind::Name(_) => model.processes.push(self.process_def(qualifiers)?),
            Kind::Sign("|") => {
                let help = "a composition begins with two bars, as in `||SYSTEM = (P || Q).`";
                let _: Parsed<()> = self.unexpected("a definition", Some(help.into()));
                // What was meant is clear, and the rest of it may be right.
                self.tokens.advance();
                model.composites.push(self.composite_def(qualifiers)?);
            }
            _ => return self.unexpected("a definition", None),
        }
        Ok(())
    }

    fn qualifiers(&mut self) -> Qualifiers {
        let mut qualifiers = Qualifiers::default();
        loop {
            let Kind::Word(word) = *self.tokens.peek() else {
                return qualifiers;
            };
            match word {
                "property" => qualifiers.property = true,
                "minimal" => qualifiers.minimal = true,
                "deterministic" => qualifiers.deterministic = true,
                "compose" => qualifiers.compose = true,
                _ => return qualifiers,
            }
            self.tokens.advance();
        }
    }

    /// `const N = …`, `range R = …` or `set S = …`
    fn value(&mut self) -> Parsed<ValueDef> {
        let word = self.tokens.peek().clone();
        self.tokens.advance();
        let what = match word {
            Kind::Word("const") => "constant",
            Kind::Word("range") => "range",
            _ => "set",
        };
        let name = self.defined_name(what)?;
        self.expect("=", None)?;
        // A sum: behind a constant, `||` begins a composition.
        let value = match what {
            "constant" => Defined::Constant(self.sum()?),
            "range" => {
                let least = self.sum()?;
                self.expect("..", Some("a range looks like `0..3`".into()))?;
                Defined::Range(least, self.sum()?)
            }
            _ => Defined::Set(self.set()?),
        };
        Ok(ValueDef { name, value })
    }

    fn progress(&mut self) -> Parsed<ProgressDef> {
        self.tokens.advance();
        let name = self.defined_name("progress property")?;
        let indices = self.indices()?;
        self.expect("=", None)?;
        let condition = if self.tokens.eat_word("if") {
            let condition = self.set()?;
            self.expect_word("then")?;
            Some(condition)
        } else {
            None
        };
        let set = self.set()?;
        self.tokens.eat(".");
        Ok(ProgressDef {
            name,
            indices,
            condition,
            set,
        })
    }

    fn menu(&mut self) -> Parsed<MenuDef> {
        self.tokens.advance();
        let name = self.defined_name("menu")?;
        self.expect("=", None)?;
        let set = self.set()?;
        self.tokens.eat(".");
        Ok(MenuDef { name, set })
    }

    /// `(N = 3, …)`, if it is there.
    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        if !self.tokens.eat("(") {
            return Ok(Vec::new());
        }
        let parameters = self.list(Self::parameter)?;
        self.expect(")", None)?;
        Ok(parameters)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let name = self.defined_name("parameter")?;
        let help = format!(
            "a parameter has a default value, like `{} = 3`",
            shown(&name)
        );
        self.expect("=", Some(help))?;
        let default = self.expression()?;
        Ok(Parameter { name, default })
    }

    /// A name that must begin with an upper-case letter. Another one is reported, and taken.
    fn defined_name(&mut self, what: &'static str) -> Parsed<Name> {
        let span = self.tokens.span();
        match self.tokens.peek().clone() {
            Kind::Name(text) if is_upper(&text) => {
                self.tokens.advance();
                Ok(Name { text, span })
            }
            Kind::Name(text) => {
                self.tokens.advance();
                self.errors.push(FspError::WrongCase {
                    what,
                    help: Some(format!("call it `{}`", capitalised(&text))),
                    name: text.clone(),
                    case: "a lower-case",
                    text: self.source.named(),
                    at: span.clone().into(),
                });
                Ok(Name { text, span })
            }
            Kind::Word(word) => self.unexpected(
                &format!("the name of a {what}"),
                Some(format!(
                    "`{word}` is a word of the language; choose another name"
                )),
            ),
            _ => self.unexpected(&format!("the name of a {what}"), None),
        }
    }

    /// Things separated by commas; at least one.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.tokens.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Reads something one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MOST_LEVELS {
            return self.too_deep(MOST_LEVELS);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn too_deep<T>(&mut self, limit: usize) -> Parsed<T> {
        if self.last_error.replace(self.tokens.position()) != Some(self.tokens.position()) {
            self.errors.push(FspError::TooDeep {
                limit,
                text: self.source.named(),
                at: self.tokens.span().into(),
            });
        }
        Err(Failed)
    }

    fn expect(&mut self, sign: &'static str, help: Option<String>) -> Parsed<()> {
        if self.tokens.eat(sign) {
            Ok(())
        } else {
            self.unexpected(&format!("`{sign}`"), help)
        }
    }

    fn expect_word(&mut self, word: &'static str) -> Parsed<()> {
        if self.tokens.eat_word(word) {
            Ok(())
        } else {
            self.unexpected(&format!("the word `{word}`"), None)
        }
    }

    /// The `.` behind a process. If it is missing, what follows is read as if it were there.
    fn period(&mut self, expected: &str, help: &str) -> Parsed<()> {
        if self.tokens.eat(".") {
            return Ok(());
        }
        let end = self.tokens.end();
        let starts_anew = self.at_item();
        let at = if starts_anew {
            end.saturating_sub(1)..end
        } else {
            self.tokens.span()
        };
        let _ = self.unexpected_at::<()>(expected, Some(help.into()), at);
        if starts_anew { Ok(()) } else { Err(Failed) }
    }

    fn unexpected<T>(&mut self, expected: &str, help: Option<String>) -> Parsed<T> {
        let at = self.tokens.span();
        self.unexpected_at(expected, help, at)
    }

    fn unexpected_at<T>(&mut self, expected: &str, help: Option<String>, at: Span) -> Parsed<T> {
        if self.last_error.replace(self.tokens.position()) != Some(self.tokens.position()) {
            let compares = *self.tokens.peek() == Kind::Sign("=") && expected == "`)`";
            let help = compares
                .then(|| "`==` compares two values".to_string())
                .or(help);
            self.errors.push(FspError::Unexpected {
                expected: expected.to_string(),
                found: self.tokens.peek().shown(),
                help,
                text: self.source.named(),
                at: at.into(),
            });
        }
        Err(Failed)
    }

    /// Goes on at the next definition, but at least one token behind `start`.
    fn skip_to_item(&mut self, start: usize) {
        if self.tokens.position() == start {
            self.tokens.advance();
        }
        while !self.at_item() {
            self.tokens.advance();
        }
    }

    /// Whether a definition, or the end, is next.
    fn at_item(&self) -> bool {
        match self.tokens.peek() {
            Kind::End => true,
            Kind::Word(word) => ITEMS.contains(word),
            Kind::Sign("||") => matches!(self.tokens.peek_at(1), Kind::Name(_)) && self.defines(2),
            Kind::Name(_) => self.defines(1),
            _ => false,
        }
    }

    /// Whether `=` or parameters follow so many tokens ahead.
    fn defines(&self, ahead: usize) -> bool {
        let parameters = *self.tokens.peek_at(ahead) == Kind::Sign("(")
            && matches!(self.tokens.peek_at(ahead + 1), Kind::Name(name) if is_upper(name))
            && *self.tokens.peek_at(ahead + 2) == Kind::Sign("=");
        parameters || *self.tokens.peek_at(ahead) == Kind::Sign("=")
    }
}

fn shown(name: &Name) -> String {
    shortened(&name.text)
}

/// The name as a process could have it.
fn capitalised(name: &str) -> String {
    if name.chars().all(|c| !c.is_uppercase()) {
        return name.to_uppercase();
    }
    let mut letters = name.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.clone()).collect()
}
