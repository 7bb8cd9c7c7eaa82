//! The words and signs of a line.

use std::ops::Range;

/// A word or a sign, with its place in the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub what: What,
    pub span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A word; in quotes it is never a keyword.
    Word {
        text: String,
        quoted: bool,
    },
    Equals,
    Comma,
    /// Only where pairs of labels are expected: paths contain it as well.
    Slash,
    /// Quotes that are not closed.
    Unclosed,
    End,
}

/// Cuts a line into tokens, one at a time.
pub(super) struct Tokens<'a> {
    line: &'a str,
    at: usize,
}

/// Whether a slash is a sign of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slashes {
    Separate,
    InWords,
}

impl<'a> Tokens<'a> {
    pub fn new(line: &'a str) -> Self {
        Self { line, at: 0 }
    }

    /// The next token without moving on.
    pub fn peek(&self, slashes: Slashes) -> Token {
        let rest = &self.line[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let rest = &self.line[start..];
        let sign = |what| Token {
            what,
            span: start..start + 1,
        };
        match rest.chars().next() {
            // A comment reaches to the end of the line.
            None | Some('#') => Token {
                what: What::End,
                span: start..start,
            },
            Some('=') => sign(What::Equals),
            Some(',') => sign(What::Comma),
            Some('/') if slashes == Slashes::Separate => sign(What::Slash),
            Some('"') => quoted(rest, start),
            Some(_) => word(rest, start, slashes),
        }
    }

    /// The next token.
    pub fn next(&mut self, slashes: Slashes) -> Token {
        let token = self.peek(slashes);
        self.at = token.span.end;
        token
    }
}

fn word(rest: &str, start: usize, slashes: Slashes) -> Token {
    let ends = |char: char| {
        let sign = matches!(char, '=' | ',' | '"');
        char.is_whitespace() || sign || (char == '/' && slashes == Slashes::Separate)
    };
    let length = rest.find(ends).unwrap_or(rest.len());
    Token {
        what: What::Word {
            text: rest[..length].to_string(),
            quoted: false,
        },
        span: start..start + length,
    }
}

/// A word in quotes, inside which the mark is written twice.
fn quoted(rest: &str, start: usize) -> Token {
    let mut text = String::new();
    let mut at = 1;
    while let Some(end) = rest[at..].find('"') {
        text.push_str(&rest[at..at + end]);
        at += end + 1;
        if !rest[at..].starts_with('"') {
            let what = What::Word { text, quoted: true };
            let span = start..start + at;
            return Token { what, span };
        }
        text.push('"');
        at += 1;
    }
    Token {
        what: What::Unclosed,
        span: start..start + rest.len(),
    }
}
