//! Files as lines of words.

use std::borrow::Cow;
use std::ops::Range;

use crate::Source;

/// The lines of a text that are neither blank nor comments (`#`), with the bytes they occupy in the whole text.
pub fn lines(source: &Source) -> impl Iterator<Item = Line<'_>> {
    let mut start = source.range().start;
    source
        .text()
        .split_inclusive('\n')
        .map(move |line| {
            let text = line.trim_end();
            let line_start = start;
            start += line.len();
            Line {
                text,
                span: line_start..line_start + text.len(),
            }
        })
        .filter(|line| !line.text.is_empty() && !line.text.trim_start().starts_with('#'))
}

/// A line of a text.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// Its text, without blanks at the end.
    pub text: &'a str,
    /// Where it stands in the whole text.
    pub span: Range<usize>,
}

/// One word of a line.
///
/// Words are separated by blanks. A word that contains blanks is put in quotes `"…"`, inside which `"` is doubled; an
/// exclamation mark may stand in front of the quotes.
#[derive(Clone, Debug)]
pub struct Word<'a> {
    /// The word without quotes and without what stands in front of them.
    pub text: Cow<'a, str>,
    /// Whether it stands in quotes.
    pub quotes: Quotes,
    /// Where it stands in the whole text, quotes included.
    pub span: Range<usize>,
}

/// How a word is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// `word`
    None,
    /// `"word"`
    Plain,
    /// `!"word"`
    Negated,
    /// `"word` up to the end of the line
    Unclosed,
}

impl Line<'_> {
    /// Its words.
    pub fn words(&self) -> impl Iterator<Item = Word<'_>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = &self.text[at..];
            let start = at + (rest.len() - rest.trim_start().len());
            let rest = &self.text[start..];
            if rest.is_empty() {
                return None;
            }
            let (text, quotes, length) = first_word(rest);
            at = start + length;
            let span = self.span.start + start..self.span.start + at;
            Some(Word { text, quotes, span })
        })
    }

    /// The empty place behind the last word.
    pub fn end(&self) -> Range<usize> {
        self.span.end..self.span.end
    }
}

fn first_word(rest: &str) -> (Cow<'_, str>, Quotes, usize) {
    let negated = usize::from(rest.starts_with("!\""));
    if !rest[negated..].starts_with('"') {
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        return (Cow::Borrowed(&rest[..length]), Quotes::None, length);
    }
    let mut text = String::new();
    let mut at = negated + 1;
    while let Some(end) = rest[at..].find('"') {
        text.push_str(&rest[at..at + end]);
        at += end + 1;
        if !rest[at..].starts_with('"') {
            let quotes = [Quotes::Plain, Quotes::Negated][negated];
            return (Cow::Owned(text), quotes, at);
        }
        text.push('"');
        at += 1;
    }
    (Cow::Borrowed(rest), Quotes::Unclosed, rest.len())
}

impl Word<'_> {
    /// The word as the label of an edge.
    pub fn label(&self) -> Cow<'_, str> {
        match self.quotes {
            Quotes::Negated => Cow::Owned(format!("!{}", self.text)),
            _ => Cow::Borrowed(&self.text),
        }
    }

    /// The word as a proposition and its truth value.
    pub fn literal(&self) -> (&str, bool) {
        match self.quotes {
            Quotes::None => match self.text.strip_prefix('!') {
                Some(name) => (name, false),
                None => (&self.text, true),
            },
            quotes => (&self.text, quotes != Quotes::Negated),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&[(&str, Quotes, &str)]]) {
        let source = Source::from(text);
        let found: Vec<Vec<(String, Quotes, &str)>> = lines(&source)
            .map(|line| {
                let words = line.words().map(|word| {
                    let place = &text[word.span.clone()];
                    (word.text.to_string(), word.quotes, place)
                });
                words.collect()
            })
            .collect();
        let expected: Vec<Vec<(String, Quotes, &str)>> = expected
            .iter()
            .map(|line| {
                let words = line
                    .iter()
                    .map(|(text, q, place)| (text.to_string(), *q, *place));
                words.collect()
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_know_their_places() {
        use Quotes::{Negated, None, Plain, Unclosed};
        check("", &[]);
        check("\n \n# a comment\n  # another\n", &[]);
        check(
            "a !b\r\n\n\tc#d",
            &[
                &[("a", None, "a"), ("!b", None, "!b")],
                &[("c#d", None, "c#d")],
            ],
        );
        check(
            "\"a b\" !\"c\"",
            &[&[("a b", Plain, "\"a b\""), ("c", Negated, "!\"c\"")]],
        );
        check(
            "\"\" \"\"\"\"",
            &[&[("", Plain, "\"\""), ("\"", Plain, "\"\"\"\"")]],
        );
        check(
            "x \"y z",
            &[&[("x", None, "x"), ("\"y z", Unclosed, "\"y z")]],
        );
    }
}
