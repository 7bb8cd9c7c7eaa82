//! From characters to tokens.

use std::ops::Range;

use super::SyntaxError;
use crate::{CompareOp, Source};

/// A word or sign with the bytes it occupies in the whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    pub span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Digits; the value is at most 2^63, as in the least number with its minus in front.
    Number(u64),
    /// A name without quotes.
    Name(String),
    /// A name in quotes.
    Quoted(String),
    True,
    False,
    Deadlock,
    /// `EF`, `AGEF` and the like.
    Temporal(&'static str),
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Compare(CompareOp),
    And,
    Or,
    Not,
    Implies,
    Iff,
    Open,
    Close,
    Comma,
    Colon,
    End,
}

/// Words that are not names unless quoted.
const WORDS: [(&str, Kind); 8] = [
    ("true", Kind::True),
    ("false", Kind::False),
    ("deadlock", Kind::Deadlock),
    ("and", Kind::And),
    ("or", Kind::Or),
    ("not", Kind::Not),
    ("implies", Kind::Implies),
    ("iff", Kind::Iff),
];

/// Operators of CTL in one word. `A` and `E` alone are names unless a temporal operator follows.
const TEMPORAL: [&str; 8] = ["EF", "AG", "EG", "AF", "EX", "AX", "EFAG", "AGEF"];

/// Signs; where one begins another, the longer comes first.
const SIGNS: [(&str, Kind); 27] = [
    ("<->", Kind::Iff),
    ("<=>", Kind::Iff),
    ("->", Kind::Implies),
    ("=>", Kind::Implies),
    ("==", Kind::Compare(CompareOp::Equal)),
    ("!=", Kind::Compare(CompareOp::NotEqual)),
    ("<>", Kind::Compare(CompareOp::NotEqual)),
    ("<=", Kind::Compare(CompareOp::LessOrEqual)),
    (">=", Kind::Compare(CompareOp::GreaterOrEqual)),
    ("<", Kind::Compare(CompareOp::Less)),
    (">", Kind::Compare(CompareOp::Greater)),
    ("=", Kind::Compare(CompareOp::Equal)),
    ("&&", Kind::And),
    ("||", Kind::Or),
    ("&", Kind::And),
    ("|", Kind::Or),
    ("!", Kind::Not),
    ("~", Kind::Not),
    ("+", Kind::Plus),
    ("-", Kind::Minus),
    ("*", Kind::Times),
    ("/", Kind::Over),
    ("%", Kind::Modulo),
    ("(", Kind::Open),
    (")", Kind::Close),
    (",", Kind::Comma),
    (":", Kind::Colon),
];

/// Whether a name can be written without quotes.
pub(crate) fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name_length(name) == name.len() && matches!(word(name), Kind::Name(_))
}

/// Splits a text into tokens, the last of which is `End`. Goes on after errors.
pub(super) fn tokens(source: &Source, errors: &mut Vec<SyntaxError>) -> Vec<Token> {
    let mut lexer = Lexer {
        source,
        rest: source.text(),
        position: source.range().start,
        errors,
    };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next() {
        tokens.push(token);
    }
    let end = source.range().end;
    tokens.push(Token {
        kind: Kind::End,
        span: end..end,
    });
    tokens
}

struct Lexer<'a> {
    source: &'a Source,
    rest: &'a str,
    position: usize,
    errors: &'a mut Vec<SyntaxError>,
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<Token> {
        loop {
            self.skip(self.rest.len() - self.rest.trim_start().len());
            let start = self.position;
            let first = self.rest.chars().next()?;
            let kind = match first {
                '"' | '\'' | '`' => Some(self.quoted(first)),
                '0'..='9' => Some(self.number()),
                _ if name_length(self.rest) > 0 => Some(self.name()),
                _ => self.sign(first),
            };
            if let Some(kind) = kind {
                let span = start..self.position;
                return Some(Token { kind, span });
            }
        }
    }

    fn skip(&mut self, bytes: usize) -> &str {
        let (skipped, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.position += bytes;
        skipped
    }

    fn name(&mut self) -> Kind {
        word(self.skip(name_length(self.rest)))
    }

    fn quoted(&mut self, mark: char) -> Kind {
        let start = self.position;
        let mut name = String::new();
        self.skip(mark.len_utf8());
        loop {
            let Some(end) = self.rest.find(mark) else {
                name.push_str(self.skip(self.rest.len()));
                self.errors.push(SyntaxError::UnclosedQuote {
                    mark,
                    text: self.source.named(),
                    at: (start..self.position).into(),
                });
                return Kind::Quoted(name);
            };
            name.push_str(self.skip(end));
            self.skip(mark.len_utf8());
            if !self.rest.starts_with(mark) {
                return Kind::Quoted(name);
            }
            self.skip(mark.len_utf8());
            name.push(mark);
        }
    }

    fn number(&mut self) -> Kind {
        let start = self.position;
        let length = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let digits = self.skip(length.unwrap_or(self.rest.len())).to_string();
        let at = (start..self.position).into();
        let text = self.source.named();
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let name = digits.clone();
            self.errors.push(SyntaxError::DigitFirst { name, text, at });
            return Kind::Quoted(digits);
        }
        match digits.parse() {
            Ok(value) if value <= i64::MIN.unsigned_abs() => Kind::Number(value),
            _ => {
                let digits = shortened(&digits);
                self.errors
                    .push(SyntaxError::LargeNumber { digits, text, at });
                Kind::Number(0)
            }
        }
    }

    fn sign(&mut self, first: char) -> Option<Kind> {
        if let Some((sign, kind)) = SIGNS.iter().find(|(sign, _)| self.rest.starts_with(sign)) {
            self.skip(sign.len());
            return Some(kind.clone());
        }
        let start = self.position;
        self.skip(first.len_utf8());
        self.errors.push(SyntaxError::Stray {
            character: first,
            text: self.source.named(),
            at: (start..self.position).into(),
        });
        None
    }
}

/// What an unquoted word is.
fn word(text: &str) -> Kind {
    if let Some(operator) = TEMPORAL.into_iter().find(|operator| *operator == text) {
        return Kind::Temporal(operator);
    }
    WORDS
        .iter()
        .find(|(word, _)| *word == text)
        .map_or_else(|| Kind::Name(text.to_string()), |(_, kind)| kind.clone())
}

/// How many bytes at the start of the text are a name.
fn name_length(text: &str) -> usize {
    let mut length = 0;
    while let Some(more) = name_piece(&text[length..], length == 0) {
        length += more;
    }
    length
}

/// The next piece of a name: one character, or an index such as `[3]`.
fn name_piece(text: &str, first: bool) -> Option<usize> {
    let mut characters = text.chars();
    let piece = characters.next()?;
    match piece {
        _ if piece.is_alphabetic() || piece == '_' => Some(piece.len_utf8()),
        _ if first => None,
        _ if piece.is_numeric() || piece == '\'' => Some(piece.len_utf8()),
        // A dot at the end belongs to the sentence, not to the name.
        '.' => characters
            .next()
            .filter(|&next| next.is_alphanumeric() || next == '_')
            .map(|_| 1),
        '[' => {
            let digits = characters.take_while(char::is_ascii_digit).count();
            (digits > 0 && text[1 + digits..].starts_with(']')).then_some(digits + 2)
        }
        _ => None,
    }
}

/// Long numbers are not repeated in full.
fn shortened(digits: &str) -> String {
    if digits.len() > 30 {
        format!("{}… ({} digits)", &digits[..20], digits.len())
    } else {
        digits.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Kind]) {
        let mut errors = Vec::new();
        let tokens = tokens(&Source::from(text), &mut errors);
        let kinds: Vec<Kind> = tokens.into_iter().map(|token| token.kind).collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(kinds.split_last().unwrap().1, expected);
    }

    fn name(text: &str) -> Kind {
        Kind::Name(text.into())
    }

    fn quoted(text: &str) -> Kind {
        Kind::Quoted(text.into())
    }

    #[test]
    fn names_may_have_indices_and_dots() {
        check("buffer[3].head", &[name("buffer[3].head")]);
        check("Protocol'NextSend", &[name("Protocol'NextSend")]);
        check("x' y'", &[name("x'"), name("y'")]);
        check("größe_2", &[name("größe_2")]);
        check("a-b", &[name("a"), Kind::Minus, name("b")]);
    }

    #[test]
    fn quotes_are_doubled_inside_quotes() {
        check(r#""a b""#, &[quoted("a b")]);
        check(r#""say ""hi""""#, &[quoted(r#"say "hi""#)]);
        check("'it''s'", &[quoted("it's")]);
        check("`and`", &[quoted("and")]);
        check(r#""""#, &[quoted("")]);
    }

    #[test]
    fn the_longest_sign_wins() {
        use CompareOp::{Less, LessOrEqual};
        check("<->", &[Kind::Iff]);
        check("<-", &[Kind::Compare(Less), Kind::Minus]);
        check(
            "<==",
            &[Kind::Compare(LessOrEqual), Kind::Compare(CompareOp::Equal)],
        );
        check("=>=", &[Kind::Implies, Kind::Compare(CompareOp::Equal)]);
    }

    #[test]
    fn words_are_no_plain_names() {
        for name in ["x", "x[0]", "a.b", "A", "fireable", "x'"] {
            assert!(is_plain_name(name), "{name}");
        }
        for name in [
            "", "and", "EF", "deadlock", "1a", "a b", "a-b", "a.", "a[b]", "'a'", "x ",
        ] {
            assert!(!is_plain_name(name), "{name}");
        }
    }
}
