//! From characters to tokens.

use std::ops::Range;

use crate::{Mishap, MishapKind, Source, shortened};

/// The words and signs of a language, and how its names and numbers look.
#[derive(Clone, Copy, Debug)]
pub struct Lexicon {
    /// Words that are not names.
    pub words: &'static [&'static str],
    /// Signs; where one begins another, the longer comes first.
    pub signs: &'static [&'static str],
    /// Marks that open and close quoted names. Inside quotes, the mark is written twice.
    pub quotes: &'static [char],
    /// Which comments there are.
    pub comments: Comments,
    /// The greatest number.
    pub greatest: u64,
    /// How many bytes at the start of a text are a name or a word.
    pub name: fn(&str) -> usize,
}

impl Lexicon {
    /// Whether a text is a name as it stands.
    pub fn is_name(&self, text: &str) -> bool {
        !text.is_empty() && (self.name)(text) == text.len() && !self.words.contains(&text)
    }
}

/// What is skipped like a blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// Nothing.
    None,
    /// `// …` to the end of the line, and `/* … */`.
    LikeC,
}

/// A word or sign with the bytes it occupies in the whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Range<usize>,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Digits, at most the lexicon's greatest number.
    Number(u64),
    /// A name without quotes.
    Name(String),
    /// A name in quotes.
    Quoted(String),
    /// A word of the language.
    Word(&'static str),
    /// An operator or a mark.
    Sign(&'static str),
    /// Behind the last character.
    End,
}

impl Kind {
    /// How the token is called in messages.
    pub fn shown(&self) -> String {
        match self {
            Self::Number(value) => format!("`{value}`"),
            Self::Name(name) | Self::Quoted(name) => format!("`{}`", shortened(name)),
            Self::Word(word) => format!("the word `{word}`"),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "the end of the file".to_string(),
        }
    }
}

/// Splits a text into tokens, the last of which is [`Kind::End`].
///
/// A language is told about every [`Mishap`]. It reports it, and answers what to read in its place, if anything.
#[derive(Debug)]
pub struct Scanner<'a, F> {
    lexicon: &'a Lexicon,
    rest: &'a str,
    position: usize,
    ended: bool,
    mishap: F,
}

impl<'a, F: FnMut(Mishap) -> Option<Kind>> Scanner<'a, F> {
    /// A scanner at the beginning of a text.
    pub fn new(lexicon: &'a Lexicon, source: &'a Source, mishap: F) -> Self {
        Self {
            lexicon,
            rest: source.text(),
            position: source.range().start,
            ended: false,
            mishap,
        }
    }

    /// The next token or mishap; nothing at the end of the text.
    fn kind(&mut self, first: char) -> Result<Kind, MishapKind> {
        if self.lexicon.quotes.contains(&first) {
            return self.quoted(first);
        }
        if first.is_ascii_digit() {
            return self.number();
        }
        match (self.lexicon.name)(self.rest) {
            0 => self.sign(first),
            length => Ok(self.word(length)),
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
            if self.lexicon.comments == Comments::None {
                return;
            } else if self.rest.starts_with("//") {
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
        (self.mishap)(Mishap {
            kind: MishapKind::UnclosedComment,
            span: start..start + 2,
        });
    }

    fn word(&mut self, length: usize) -> Kind {
        let text = self.skip(length);
        match self.lexicon.words.iter().find(|word| **word == text) {
            Some(word) => Kind::Word(word),
            None => Kind::Name(text.to_string()),
        }
    }

    fn number(&mut self) -> Result<Kind, MishapKind> {
        let end = self.rest.find(|c| !is_letter_or_digit(c));
        let digits = self.skip(end.unwrap_or(self.rest.len()));
        match digits.parse() {
            Ok(value) if value <= self.lexicon.greatest => Ok(Kind::Number(value)),
            _ => Err(MishapKind::NotANumber(digits.to_string())),
        }
    }

    fn quoted(&mut self, mark: char) -> Result<Kind, MishapKind> {
        let mut name = String::new();
        self.skip(mark.len_utf8());
        while let Some(end) = self.rest.find(mark) {
            name.push_str(self.skip(end));
            self.skip(mark.len_utf8());
            if !self.rest.starts_with(mark) {
                return Ok(Kind::Quoted(name));
            }
            self.skip(mark.len_utf8());
            name.push(mark);
        }
        name.push_str(self.skip(self.rest.len()));
        Err(MishapKind::UnclosedQuote(mark, name))
    }

    fn sign(&mut self, first: char) -> Result<Kind, MishapKind> {
        let mut signs = self.lexicon.signs.iter();
        let Some(sign) = signs.find(|sign| self.rest.starts_with(**sign)) else {
            self.skip(first.len_utf8());
            return Err(MishapKind::Stray(first));
        };
        self.skip(sign.len());
        Ok(Kind::Sign(sign))
    }
}

impl<F: FnMut(Mishap) -> Option<Kind>> Iterator for Scanner<'_, F> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        while !self.ended {
            self.skip_blanks();
            let start = self.position;
            let Some(first) = self.rest.chars().next() else {
                self.ended = true;
                let (kind, span) = (Kind::End, start..start);
                return Some(Token { kind, span });
            };
            let kind = self.kind(first);
            let span = start..self.position;
            let kind = kind.map_or_else(
                |kind| {
                    let span = span.clone();
                    (self.mishap)(Mishap { kind, span })
                },
                Some,
            );
            if let Some(kind) = kind {
                return Some(Token { kind, span });
            }
        }
        None
    }
}

/// The length of a name that is a letter or `_`, and then letters, digits and `_`.
pub fn plain_name(text: &str) -> usize {
    if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return 0;
    }
    let end = text.find(|c| !is_letter_or_digit(c));
    end.unwrap_or(text.len())
}

/// Whether a character can stand inside a plain name.
pub fn is_letter_or_digit(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LEXICON: Lexicon = Lexicon {
        words: &["state", "and"],
        signs: &["<->", "->", "<=", "<<", "<", "-", "!=", "!", "/"],
        quotes: &['"', '`'],
        comments: Comments::LikeC,
        greatest: 100,
        name: plain_name,
    };

    /// Tokens and mishaps; a mishap is read as `0`, if it is digits.
    fn scanned(text: &str) -> (Vec<Token>, Vec<Mishap>) {
        let source = Source::from(text);
        let mut mishaps = Vec::new();
        let scanner = Scanner::new(&LEXICON, &source, |mishap| {
            let digits = matches!(mishap.kind, MishapKind::NotANumber(_));
            mishaps.push(mishap);
            digits.then_some(Kind::Number(0))
        });
        (scanner.collect(), mishaps)
    }

    fn check(text: &str, expected: &[Kind]) {
        let (tokens, mishaps) = scanned(text);
        assert_eq!(mishaps, []);
        let kinds: Vec<Kind> = tokens.into_iter().map(|token| token.kind).collect();
        assert_eq!(kinds.split_last(), Some((&Kind::End, expected)));
    }

    fn name(text: &str) -> Kind {
        Kind::Name(text.into())
    }

    fn quoted(text: &str) -> Kind {
        Kind::Quoted(text.into())
    }

    #[test]
    fn comments_are_blanks() {
        check("// a\n12/* b\n*/x/**/", &[Kind::Number(12), name("x")]);
        check(
            "1 / 2",
            &[Kind::Number(1), Kind::Sign("/"), Kind::Number(2)],
        );
    }

    #[test]
    fn the_longest_sign_wins() {
        use Kind::Sign;
        check(
            "-><=<<!=!",
            &[Sign("->"), Sign("<="), Sign("<<"), Sign("!="), Sign("!")],
        );
        check("<->", &[Sign("<->")]);
        check("<-", &[Sign("<"), Sign("-")]);
    }

    #[test]
    fn words_are_no_names() {
        check("state states", &[Kind::Word("state"), name("states")]);
        check("größe_2 _x", &[name("größe_2"), name("_x")]);
        assert!(LEXICON.is_name("states") && !LEXICON.is_name("state"));
        assert!(!LEXICON.is_name("") && !LEXICON.is_name("a b") && !LEXICON.is_name("1a"));
    }

    #[test]
    fn quotes_are_doubled_inside_quotes() {
        check(r#""a b""#, &[quoted("a b")]);
        check(r#""say ""hi""""#, &[quoted(r#"say "hi""#)]);
        check("`and`", &[quoted("and")]);
        check(r#""""#, &[quoted("")]);
    }

    #[test]
    fn mishaps_are_told_and_reading_goes_on() {
        let (tokens, mishaps) = scanned("a $ 1x 101 100 \"open");
        let kinds: Vec<Kind> = tokens.into_iter().map(|token| token.kind).collect();
        let numbers = [0, 0, 100].map(Kind::Number);
        assert_eq!(kinds[0], name("a"));
        assert_eq!(kinds[1..4], numbers);
        assert_eq!(kinds[4..], [Kind::End]);
        let mishaps: Vec<_> = mishaps
            .into_iter()
            .map(|mishap| (mishap.kind, mishap.span))
            .collect();
        assert_eq!(
            mishaps,
            [
                (MishapKind::Stray('$'), 2..3),
                (MishapKind::NotANumber("1x".into()), 4..6),
                (MishapKind::NotANumber("101".into()), 7..10),
                (MishapKind::UnclosedQuote('"', "open".into()), 15..20),
            ]
        );
        let (tokens, mishaps) = scanned("x /* y");
        assert_eq!(tokens.last().unwrap().span, 6..6);
        assert_eq!(mishaps[0].kind, MishapKind::UnclosedComment);
        assert_eq!(mishaps[0].span, 2..4);
    }

    proptest! {
        #[test]
        fn tokens_stand_one_behind_the_other(text in "[a1 \n\"`$</*ä-]{0,30}") {
            let (tokens, _) = scanned(&text);
            let mut end = 0;
            for token in &tokens {
                prop_assert!(end <= token.span.start && token.span.start <= token.span.end);
                prop_assert!(text.get(token.span.clone()).is_some());
                end = token.span.end;
            }
            prop_assert_eq!(end, text.len());
        }
    }
}
