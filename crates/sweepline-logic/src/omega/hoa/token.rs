//! The words of the HOA format.

use std::ops::Range;

use sweepline_text::Source;

/// A word of the format with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    pub span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `States:`
    Header(String),
    /// `Inf`, `t`, …
    Word(String),
    /// `@a`
    Alias(String),
    Number(u64),
    /// `"…"`, and whether it stands there as it is, without backslashes.
    Text(String, bool),
    /// `--BODY--`, `--END--`, `--ABORT--`
    Section(&'static str),
    /// One of `!&|()[]{}`
    Sign(char),
    /// Something else.
    Stray(char),
    /// A text or comment that does not end.
    Unclosed(&'static str),
    End,
}

const SECTIONS: [&str; 3] = ["--BODY--", "--END--", "--ABORT--"];

/// Splits a text into tokens, the last of which is the end.
pub(super) fn tokens(source: &Source) -> Vec<Token> {
    let mut scanner = Scanner {
        rest: source.text(),
        position: source.range().start,
    };
    let mut tokens = Vec::new();
    loop {
        let unclosed = scanner.skip_blanks();
        let start = scanner.position;
        let kind = match unclosed {
            Some(kind) => kind,
            None => scanner.kind(),
        };
        let end = kind == Kind::End;
        tokens.push(Token {
            kind,
            span: start..scanner.position,
        });
        if end {
            return tokens;
        }
    }
}

struct Scanner<'a> {
    rest: &'a str,
    position: usize,
}

impl<'a> Scanner<'a> {
    fn skip(&mut self, bytes: usize) -> &'a str {
        let (skipped, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.position += bytes;
        skipped
    }

    /// Skips blanks and comments, which may contain comments.
    fn skip_blanks(&mut self) -> Option<Kind> {
        loop {
            self.skip(self.rest.len() - self.rest.trim_start().len());
            if !self.rest.starts_with("/*") {
                return None;
            }
            let mut depth = 0_usize;
            let mut at = 0;
            loop {
                let rest = &self.rest[at..];
                if rest.starts_with("/*") {
                    (depth, at) = (depth + 1, at + 2);
                } else if rest.starts_with("*/") {
                    (depth, at) = (depth - 1, at + 2);
                } else if let Some(character) = rest.chars().next() {
                    at += character.len_utf8();
                } else {
                    self.skip(self.rest.len());
                    return Some(Kind::Unclosed("comment"));
                }
                if depth == 0 {
                    break;
                }
            }
            self.skip(at);
        }
    }

    fn kind(&mut self) -> Kind {
        let Some(first) = self.rest.chars().next() else {
            return Kind::End;
        };
        for section in SECTIONS {
            if self.rest.starts_with(section) {
                self.skip(section.len());
                return Kind::Section(section);
            }
        }
        match first {
            '"' => self.text(),
            '!' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}' => {
                self.skip(1);
                Kind::Sign(first)
            }
            '@' => {
                self.skip(1);
                Kind::Alias(self.word().to_string())
            }
            _ if first.is_ascii_digit() => {
                let end = self.rest.find(|c: char| !c.is_ascii_digit());
                let digits = self.skip(end.unwrap_or(self.rest.len()));
                digits.parse().map_or(Kind::Stray(first), Kind::Number)
            }
            _ if is_first(first) => {
                let word = self.word().to_string();
                if self.rest.starts_with(':') {
                    self.skip(1);
                    return Kind::Header(word);
                }
                Kind::Word(word)
            }
            _ => {
                self.skip(first.len_utf8());
                Kind::Stray(first)
            }
        }
    }

    fn word(&mut self) -> &'a str {
        let end = self
            .rest
            .find(|c: char| !is_first(c) && !c.is_ascii_digit() && c != '-');
        self.skip(end.unwrap_or(self.rest.len()))
    }

    fn text(&mut self) -> Kind {
        self.skip(1);
        let mut text = String::new();
        let mut plain = true;
        let mut characters = self.rest.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.skip(at + 1);
                    return Kind::Text(text, plain);
                }
                '\\' => {
                    plain = false;
                    text.extend(characters.next().map(|(_, escaped)| escaped));
                }
                _ => text.push(character),
            }
        }
        self.skip(self.rest.len());
        Kind::Unclosed("text")
    }
}

fn is_first(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}
