//! From characters to tokens.

use std::ops::Range;

use sweepline_core::{Limits, StopReason};
use sweepline_logic::Source;

use crate::errors::FspError;
use crate::found::Found;

/// A word or sign with the bytes it occupies in the whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Range<usize>,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number(i64),
    /// A name that begins with an upper-case letter: of a process, constant, range or set.
    Upper(String),
    /// Any other name: of an action or a variable.
    Lower(String),
    /// A word of the language.
    Word(&'static str),
    /// An operator or a mark.
    Sign(&'static str),
    End,
}

/// Words that are not names.
const WORDS: [&str; 22] = [
    "const",
    "range",
    "set",
    "property",
    "progress",
    "menu",
    "minimal",
    "deterministic",
    "compose",
    "when",
    "if",
    "then",
    "else",
    "forall",
    "STOP",
    "END",
    "ERROR",
    "fluent",
    "assert",
    "constraint",
    "ltl_property",
    "initially",
];

/// Signs; where one begins another, the longer comes first.
const SIGNS: [&str; 36] = [
    "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "..", "::", "<", ">", "=", "!", "?", "+",
    "-", "*", "/", "%", "&", "|", "^", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "\\", "@",
];

/// Signs that stand alone.
const MORE_SIGNS: [&str; 2] = ["#", "'"];

/// Splits a text into tokens, the last of which is `End`. Goes on after errors.
pub(crate) fn tokens(
    source: &Source,
    limits: &Limits,
    errors: &mut Found<FspError>,
) -> Result<Vec<Token>, StopReason> {
    let mut lexer = Lexer {
        source,
        rest: source.text(),
        position: source.range().start,
        errors,
    };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next() {
        tokens.push(token);
        if tokens.len().is_multiple_of(TOKENS_UNASKED) {
            limits.allow(tokens.len() * size_of::<Token>())?;
        }
    }
    let end = source.range().end;
    tokens.push(Token {
        kind: Kind::End,
        span: end..end,
    });
    Ok(tokens)
}

/// So many tokens are read before limits are asked again.
const TOKENS_UNASKED: usize = 1 << 14;

struct Lexer<'a> {
    source: &'a Source,
    rest: &'a str,
    position: usize,
    errors: &'a mut Found<FspError>,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Option<Token> {
        loop {
            self.skip_blanks();
            let start = self.position;
            let first = self.rest.chars().next()?;
            let kind = match first {
                '0'..='9' => Some(self.number()),
                _ if first.is_alphabetic() || first == '_' => Some(self.word(first)),
                _ => self.sign(first),
            };
            if let Some(kind) = kind {
                let span = start..self.position;
                return Some(Token { kind, span });
            }
        }
    }

    fn skip(&mut self, bytes: usize) -> &'a str {
        let (skipped, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.position += bytes;
        skipped
    }

    fn skip_blanks(&mut self) {
        loop {
            self.skip(self.rest.len() - self.rest.trim_start().len());
            if self.rest.starts_with("//") {
                let line = self.rest.find('\n').unwrap_or(self.rest.len());
                self.skip(line);
            } else if self.rest.starts_with("/*") {
                self.skip_comment();
            } else {
                return;
            }
        }
    }

    fn skip_comment(&mut self) {
        let start = self.position;
        if let Some(length) = self.rest[2..].find("*/") {
            self.skip(length + 4);
            return;
        }
        self.skip(self.rest.len());
        self.errors.push(FspError::UnclosedComment {
            text: self.source.named(),
            at: (start..start + 2).into(),
        });
    }

    /// Letters, digits and `_` from here on.
    fn alphanumeric(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        self.skip(end.unwrap_or(self.rest.len()))
    }

    fn word(&mut self, first: char) -> Kind {
        let text = self.alphanumeric();
        match WORDS.iter().find(|word| **word == text) {
            Some(word) => Kind::Word(word),
            None if first.is_uppercase() => Kind::Upper(text.to_string()),
            None => Kind::Lower(text.to_string()),
        }
    }

    fn number(&mut self) -> Kind {
        let start = self.position;
        let digits = self.alphanumeric();
        let Ok(value) = digits.parse() else {
            self.errors.push(FspError::BadNumber {
                digits: shortened(digits),
                text: self.source.named(),
                at: (start..self.position).into(),
            });
            return Kind::Number(0);
        };
        Kind::Number(value)
    }

    fn sign(&mut self, first: char) -> Option<Kind> {
        let mut signs = SIGNS.iter().chain(&MORE_SIGNS);
        if let Some(sign) = signs.find(|sign| self.rest.starts_with(**sign)) {
            self.skip(sign.len());
            return Some(Kind::Sign(sign));
        }
        let start = self.position;
        self.skip(first.len_utf8());
        self.errors.push(FspError::Stray {
            character: first,
            text: self.source.named(),
            at: (start..self.position).into(),
        });
        None
    }
}

impl Kind {
    /// How the token is called in messages.
    pub fn shown(&self) -> String {
        match self {
            Self::Number(value) => format!("`{value}`"),
            Self::Upper(name) | Self::Lower(name) => format!("`{}`", shortened(name)),
            Self::Word(word) => format!("the word `{word}`"),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "the end of the file".to_string(),
        }
    }
}

/// Long words are not repeated in full.
pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() > 40 {
        text.chars().take(40).chain(['…']).collect()
    } else {
        text.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Kind]) {
        let mut errors = Found::default();
        let tokens = tokens(&Source::from(text), &Limits::default(), &mut errors).unwrap();
        let kinds: Vec<Kind> = tokens.into_iter().map(|token| token.kind).collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(kinds.split_last().unwrap().1, expected);
    }

    #[test]
    fn comments_are_blanks() {
        check(
            "// a\n12/* b\n*/x/**/",
            &[Kind::Number(12), Kind::Lower("x".into())],
        );
    }

    #[test]
    fn the_longest_sign_wins() {
        use Kind::{Number, Sign};
        check(
            "->0..1.::",
            &[
                Sign("->"),
                Number(0),
                Sign(".."),
                Number(1),
                Sign("."),
                Sign("::"),
            ],
        );
    }

    #[test]
    fn the_first_letter_says_what_a_name_is() {
        check(
            "Set set sets STOP STOPS",
            &[
                Kind::Upper("Set".into()),
                Kind::Word("set"),
                Kind::Lower("sets".into()),
                Kind::Word("STOP"),
                Kind::Upper("STOPS".into()),
            ],
        );
    }
}
