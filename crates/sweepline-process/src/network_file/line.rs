//! A line, word by word.

use std::ops::Range;

use sweepline_text::{Source, did_you_mean};

use super::error::NetworkFileError;
use super::token::{Slashes, Token, Tokens, What};

/// Words at the beginning of a line that are no components.
pub(super) const KEYWORDS: [&str; 3] = ["hide", "high", "low"];
/// Words behind the file of a component.
pub(super) const CHANGES: [&str; 2] = ["relabel", "hide"];

/// The value, or the first thing that is wrong with the line.
pub(super) type Parsed<T> = Result<T, Box<NetworkFileError>>;

/// A label and where it stands.
pub(super) struct Label {
    pub name: String,
    pub at: Range<usize>,
}

/// A word and where it stands.
pub(super) struct Spelled {
    pub text: String,
    quoted: bool,
    pub at: Range<usize>,
}

impl Spelled {
    /// The word if it can be a keyword.
    pub fn keyword(&self) -> &str {
        if self.quoted { "" } else { &self.text }
    }
}

/// The rest of a line.
pub(super) struct Line<'a> {
    pub source: &'a Source,
    pub tokens: Tokens<'a>,
    /// Where the line begins in the whole text.
    pub start: usize,
}

impl Line<'_> {
    pub fn peek(&self) -> What {
        self.tokens.peek(Slashes::InWords).what
    }

    pub fn next(&mut self, slashes: Slashes) -> Token {
        let token = self.tokens.next(slashes);
        Token {
            span: self.start + token.span.start..self.start + token.span.end,
            ..token
        }
    }

    /// The next word, if it can be a keyword.
    pub fn keyword(&self) -> Option<String> {
        match self.peek() {
            What::Word {
                text,
                quoted: false,
            } => Some(text),
            _ => None,
        }
    }

    /// Refuses what looks more like a keyword with a list of labels than like a file.
    pub fn check_keyword(&self, first: &Spelled) -> Parsed<()> {
        let next = self.keyword().unwrap_or_default();
        if first.text.contains('.') || CHANGES.contains(&&next[..]) {
            return Ok(());
        }
        let Some(help) = did_you_mean(first.keyword(), KEYWORDS) else {
            return Ok(());
        };
        Err(self.expected("a file or a keyword", help, first.at.clone()))
    }

    pub fn word(&mut self, what: &'static str) -> Parsed<Spelled> {
        self.word_with(Slashes::InWords, what)
    }

    fn word_with(&mut self, slashes: Slashes, what: &'static str) -> Parsed<Spelled> {
        let token = self.next(slashes);
        match token.what {
            What::Word { text, quoted } => Ok(Spelled {
                text,
                quoted,
                at: token.span,
            }),
            _ => Err(self.unexpected(token, what)),
        }
    }

    pub fn label(&mut self) -> Parsed<Label> {
        let Spelled { text, at, .. } = self.word_with(Slashes::Separate, "a label")?;
        Ok(Label { name: text, at })
    }

    /// `new/old`
    pub fn pair(&mut self) -> Parsed<(Label, Label)> {
        let new = self.label()?;
        let token = self.next(Slashes::Separate);
        if token.what != What::Slash {
            return Err(self.unexpected(token, "`/` and the old label"));
        }
        Ok((new, self.label()?))
    }

    /// Things with commas between them.
    pub fn list<T>(&mut self, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.peek() == What::Comma {
            self.next(Slashes::InWords);
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Nothing but one of these keywords may follow, and those have been dealt with.
    pub fn end(&mut self, keywords: &[&'static str]) -> Parsed<()> {
        let token = self.next(Slashes::InWords);
        let What::Word { text, .. } = &token.what else {
            return match token.what {
                What::End => Ok(()),
                _ => Err(self.unexpected(token, "the end of the line")),
            };
        };
        let near = did_you_mean(text, keywords.iter().copied());
        let help = near.unwrap_or_else(|| {
            "labels in a list have commas between them; files with blanks are put in quotes"
                .to_string()
        });
        let what = match keywords {
            [] => "`,` or the end of the line",
            _ => "`relabel`, `hide` or the end of the line",
        };
        Err(self.expected(what, help, token.span))
    }

    fn unexpected(&self, token: Token, what: &'static str) -> Box<NetworkFileError> {
        if token.what == What::Unclosed {
            return Box::new(NetworkFileError::UnclosedQuotes {
                text: self.source.named(),
                at: token.span.into(),
            });
        }
        let help = match what {
            "a label" | "`/` and the old label" => {
                "write `relabel new/old, …` or `hide label, …`; odd labels are put in quotes"
            }
            _ => "a component is a line `name = file.aut` or `file.aut`",
        };
        self.expected(what, help.to_string(), token.span)
    }

    fn expected(
        &self,
        what: &'static str,
        help: String,
        at: Range<usize>,
    ) -> Box<NetworkFileError> {
        Box::new(NetworkFileError::Expected {
            what,
            help,
            text: self.source.named(),
            at: at.into(),
        })
    }
}
