//! From characters to tokens.
//!
//! The scanner of the other languages does not fit: ML has nested comments, names made of signs, names with dots and negative
//! numbers with a tilde.

use crate::ml::syntax::Span;

/// A word or sign with its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Int(i64),
    Real(f64),
    Text(String),
    Char(char),
    /// A name, with the structures before it: `List.map`.
    Name(String),
    /// A type variable: `'a`.
    TypeVariable(String),
    /// A name made of signs, such as `++`.
    Sign(String),
    /// A word or mark with a meaning of its own.
    Word(&'static str),
    End,
}

impl Kind {
    /// How the token is called in messages.
    pub fn shown(&self) -> String {
        match self {
            Self::Int(value) => format!("`{value}`"),
            Self::Real(value) => format!("`{value}`"),
            Self::Text(text) => format!("the string \"{}\"", sweepline_text::shortened(text)),
            Self::Char(character) => format!("the character `{character}`"),
            Self::Name(name) | Self::TypeVariable(name) | Self::Sign(name) => {
                format!("`{}`", sweepline_text::shortened(name))
            }
            Self::Word(word) => format!("`{word}`"),
            Self::End => "the end".to_string(),
        }
    }
}

/// Characters that are no token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stray {
    pub why: String,
    pub span: Span,
}

const WORDS: [&str; 40] = [
    "abstype",
    "and",
    "andalso",
    "as",
    "case",
    "datatype",
    "do",
    "else",
    "end",
    "exception",
    "fn",
    "fun",
    "functor",
    "handle",
    "if",
    "in",
    "infix",
    "infixr",
    "let",
    "local",
    "nonfix",
    "of",
    "op",
    "open",
    "orelse",
    "raise",
    "rec",
    "sig",
    "signature",
    "struct",
    "structure",
    "then",
    "type",
    "val",
    "while",
    "with",
    "withtype",
    "eqtype",
    "sharing",
    "where",
];

/// Names made of signs that have a meaning of their own.
const MARKS: [&str; 8] = ["=>", "->", "=", "|", ":", ":>", "#", "..."];

/// Splits a text into tokens, the last of which is the end. Goes on after errors.
pub(crate) fn tokens(text: &str) -> (Vec<Token>, Vec<Stray>) {
    let mut lexer = Lexer {
        text,
        at: 0,
        strays: Vec::new(),
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let Some(kind) = lexer.token() else { continue };
        let last = kind == Kind::End;
        tokens.push(Token {
            kind,
            span: Span::new(start, lexer.at),
        });
        if last {
            return (tokens, lexer.strays);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    strays: Vec<Stray>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn stray(&mut self, start: usize, why: impl Into<String>) {
        let span = Span::new(start, self.at.max(start + 1).min(self.text.len()));
        let why = why.into();
        self.strays.push(Stray { why, span });
    }

    /// Blanks and comments, which may contain comments.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with("(*") {
                return;
            }
            self.skip_comment();
        }
    }

    fn skip_comment(&mut self) {
        let start = self.at;
        let mut open = 0_usize;
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                self.at = start + 2;
                self.stray(start, "the comment does not end");
                self.at = self.text.len();
                return;
            } else if rest.starts_with("(*") {
                open += 1;
                self.at += 2;
            } else if rest.starts_with("*)") {
                open -= 1;
                self.at += 2;
                if open == 0 {
                    return;
                }
            } else {
                self.at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
    }

    /// The next token; nothing if characters had to be skipped.
    fn token(&mut self) -> Option<Kind> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Some(Kind::End);
        };
        let negative = rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        match first {
            '"' => self.text_token(),
            '#' if rest[1..].starts_with('"') => self.char_token(),
            '~' if negative => Some(self.number()),
            '0'..='9' => Some(self.number()),
            '\'' => Some(self.type_variable()),
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '_' => self.bracket(first),
            '.' => self.dots(),
            '`' => {
                self.at += 1;
                Some(Kind::Sign("`".into()))
            }
            _ if first.is_alphabetic() => Some(self.name()),
            _ if is_sign(first) => Some(self.sign()),
            _ => {
                let start = self.at;
                self.at += first.len_utf8();
                self.stray(start, format!("`{first}` means nothing here"));
                None
            }
        }
    }

    fn bracket(&mut self, first: char) -> Option<Kind> {
        const BRACKETS: [&str; 9] = ["(", ")", "[", "]", "{", "}", ",", ";", "_"];
        self.at += 1;
        let mut found = BRACKETS.iter().filter(|word| word.starts_with(first));
        found.next().map(|word| Kind::Word(word))
    }

    fn dots(&mut self) -> Option<Kind> {
        let start = self.at;
        for dots in ["...", ".."] {
            if self.rest().starts_with(dots) {
                self.at += dots.len();
                return Some(Kind::Word(dots));
            }
        }
        self.at += 1;
        self.stray(start, "`.` means nothing here");
        None
    }

    fn sign(&mut self) -> Kind {
        let length = self.rest().find(|c| !is_sign(c) || c == '`');
        let mut sign = &self.rest()[..length.unwrap_or(self.rest().len())];
        // A tilde before a digit is the sign of a number: CPN Tools itself writes `{a=~1}`.
        let digit = self.rest()[sign.len()..].starts_with(|c: char| c.is_ascii_digit());
        if let Some(shorter) = sign
            .strip_suffix('~')
            .filter(|shorter| digit && !shorter.is_empty())
        {
            sign = shorter;
        }
        self.at += sign.len();
        match MARKS.iter().find(|mark| **mark == sign) {
            Some(mark) => Kind::Word(mark),
            None => Kind::Sign(sign.to_string()),
        }
    }

    fn type_variable(&mut self) -> Kind {
        let start = self.at;
        let quotes = self.rest().len() - self.rest().trim_start_matches('\'').len();
        self.at += quotes;
        self.at += plain_length(self.rest());
        Kind::TypeVariable(self.text[start..self.at].to_string())
    }

    /// A name with the structures before it, or a word.
    fn name(&mut self) -> Kind {
        let start = self.at;
        loop {
            self.at += plain_length(self.rest());
            let Some(member) = self.rest().strip_prefix('.') else {
                break;
            };
            if member.starts_with(char::is_alphabetic) {
                self.at += 1;
            } else if member.starts_with(|c| is_sign(c) && c != '`') {
                self.at += 1;
                let length = self.rest().find(|c| !is_sign(c) || c == '`');
                self.at += length.unwrap_or(self.rest().len());
                break;
            } else {
                break;
            }
        }
        let name = &self.text[start..self.at];
        match WORDS.iter().find(|word| **word == name) {
            Some(word) => Kind::Word(word),
            None => Kind::Name(name.to_string()),
        }
    }

    fn number(&mut self) -> Kind {
        let start = self.at;
        let negative = self.rest().starts_with('~');
        self.at += usize::from(negative);
        if self.rest().starts_with("0x") || self.rest().starts_with("0w") {
            return self.other_number(start, negative);
        }
        self.skip_digits();
        let real = self.fraction() | self.exponent();
        let written = self.text[start..self.at].replace('~', "-");
        if real {
            return Kind::Real(written.parse().unwrap_or(0.0));
        }
        self.integer(start, written.parse().ok())
    }

    fn other_number(&mut self, start: usize, negative: bool) -> Kind {
        let hexadecimal = self.rest().starts_with("0x");
        self.at += 2;
        let digits = self.at;
        let end = self.rest().find(|c: char| !c.is_ascii_hexdigit());
        self.at += end.unwrap_or(self.rest().len());
        let digits = &self.text[digits..self.at];
        let value = i64::from_str_radix(digits, 16).ok().filter(|_| hexadecimal);
        self.integer(
            start,
            value.map(|value| if negative { -value } else { value }),
        )
    }

    fn integer(&mut self, start: usize, value: Option<i64>) -> Kind {
        let value = value.filter(|value| crate::ml::Value::int(*value).is_some());
        if value.is_none() {
            let digits = sweepline_text::shortened(&self.text[start..self.at]);
            self.stray(
                start,
                format!("`{digits}` is no integer of at most 63 bits"),
            );
        }
        Kind::Int(value.unwrap_or(0))
    }

    fn skip_digits(&mut self) {
        let end = self.rest().find(|c: char| !c.is_ascii_digit());
        self.at += end.unwrap_or(self.rest().len());
    }

    /// `.5`; `..` is not the beginning of a fraction.
    fn fraction(&mut self) -> bool {
        let Some(digits) = self.rest().strip_prefix('.') else {
            return false;
        };
        let found = digits.starts_with(|c: char| c.is_ascii_digit());
        if found {
            self.at += 1;
            self.skip_digits();
        }
        found
    }

    /// `e10` or `E~3`
    fn exponent(&mut self) -> bool {
        let Some(digits) = self.rest().strip_prefix(['e', 'E']) else {
            return false;
        };
        let sign = usize::from(digits.starts_with('~'));
        let found = digits[sign..].starts_with(|c: char| c.is_ascii_digit());
        if found {
            self.at += 1 + sign;
            self.skip_digits();
        }
        found
    }

    fn text_token(&mut self) -> Option<Kind> {
        self.quoted().map(Kind::Text)
    }

    fn char_token(&mut self) -> Option<Kind> {
        let start = self.at;
        self.at += 1;
        let text = self.quoted()?;
        let mut characters = text.chars();
        let character = characters.next();
        if character.is_none() || characters.next().is_some() {
            self.stray(start, "a character is one character between quotes");
        }
        Some(Kind::Char(character.unwrap_or(' ')))
    }

    /// What stands between quotes.
    fn quoted(&mut self) -> Option<String> {
        let start = self.at;
        let mut text = String::new();
        self.at += 1;
        loop {
            let Some(next) = self.rest().chars().next() else {
                self.at = start + 1;
                self.stray(start, "the string does not end");
                self.at = self.text.len();
                return Some(text);
            };
            self.at += next.len_utf8();
            match next {
                '"' => return Some(text),
                '\\' => self.escape(&mut text),
                _ => text.push(next),
            }
        }
    }

    fn escape(&mut self, text: &mut String) {
        let start = self.at - 1;
        let Some(next) = self.rest().chars().next() else {
            return;
        };
        self.at += next.len_utf8();
        let short = [
            ('n', '\n'),
            ('t', '\t'),
            ('r', '\r'),
            ('\\', '\\'),
            ('"', '"'),
            ('a', '\x07'),
            ('b', '\x08'),
        ];
        if let Some((_, meant)) = short.iter().find(|(written, _)| *written == next) {
            text.push(*meant);
        } else if next.is_whitespace() {
            // Blanks between two backslashes are left out.
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if self.rest().starts_with('\\') {
                self.at += 1;
            }
        } else if let Some(code) = self
            .text
            .get(start + 1..start + 4)
            .and_then(|digits| digits.parse().ok())
        {
            self.at = start + 4;
            text.push(char::from_u32(code).unwrap_or('?'));
        } else {
            self.stray(start, format!("`\\{next}` is no escape"));
        }
    }
}

/// How many bytes at the start of a text are letters, digits, `_` and `'`.
fn plain_length(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'');
    end.unwrap_or(text.len())
}

fn is_sign(character: char) -> bool {
    "!%&$#+-/:<=>?@\\~`^|*".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[Kind]) {
        let (tokens, strays) = tokens(text);
        assert_eq!(strays, []);
        let kinds: Vec<Kind> = tokens.into_iter().map(|token| token.kind).collect();
        assert_eq!(kinds.split_last(), Some((&Kind::End, expected)), "{text}");
    }

    fn name(text: &str) -> Kind {
        Kind::Name(text.into())
    }

    fn sign(text: &str) -> Kind {
        Kind::Sign(text.into())
    }

    #[test]
    fn numbers_names_and_signs() {
        check(
            "~12 1..n",
            &[Kind::Int(-12), Kind::Int(1), Kind::Word(".."), name("n")],
        );
        check(
            "0.9 1e3 2.5E~1",
            &[Kind::Real(0.9), Kind::Real(1000.0), Kind::Real(0.25)],
        );
        check(
            "List.map AllAcks' x_1",
            &[name("List.map"), name("AllAcks'"), name("x_1")],
        );
        check(
            "2`x++1`y",
            &[
                Kind::Int(2),
                sign("`"),
                name("x"),
                sign("++"),
                Kind::Int(1),
                sign("`"),
                name("y"),
            ],
        );
        check(
            "x<>y=>z",
            &[
                name("x"),
                sign("<>"),
                name("y"),
                Kind::Word("=>"),
                name("z"),
            ],
        );
        check("#data d", &[Kind::Word("#"), name("data"), name("d")]);
        check(
            "{a,...}",
            &[
                Kind::Word("{"),
                name("a"),
                Kind::Word(","),
                Kind::Word("..."),
                Kind::Word("}"),
            ],
        );
        check("0x1F", &[Kind::Int(31)]);
        check("a=~1", &[name("a"), Kind::Word("="), Kind::Int(-1)]);
        check("~x", &[sign("~"), name("x")]);
        check(
            "()@+x",
            &[Kind::Word("("), Kind::Word(")"), sign("@+"), name("x")],
        );
    }

    #[test]
    fn texts_and_characters() {
        check(
            r#""a\n\"\065\  \b" #"x""#,
            &[Kind::Text("a\n\"Ab".into()), Kind::Char('x')],
        );
    }

    #[test]
    fn comments_nest() {
        check("a (* b (* c *) d *) e", &[name("a"), name("e")]);
        let (_, strays) = tokens("a (* b (* c *)");
        assert_eq!(strays[0].why, "the comment does not end");
        assert_eq!((strays[0].span.start, strays[0].span.end), (2, 4));
    }

    #[test]
    fn strays_are_told_and_reading_goes_on() {
        let (tokens, strays) = tokens("a § \"b");
        assert_eq!(tokens.len(), 3);
        assert_eq!(strays.len(), 2);
        let (_, strays) = super::tokens("99999999999999999999");
        assert_eq!(strays.len(), 1);
    }

    proptest! {
        #[test]
        fn tokens_stand_one_behind_the_other(text in "[a1 \n\"'`$~.#\\\\<(*)ä-]{0,30}") {
            let (tokens, _) = tokens(&text);
            let mut end = 0;
            for token in &tokens {
                prop_assert!(end <= token.span.start && token.span.start <= token.span.end);
                prop_assert!(text.get(token.span.range()).is_some());
                end = token.span.end;
            }
        }
    }
}
