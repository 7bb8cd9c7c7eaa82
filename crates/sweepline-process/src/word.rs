//! Files as lines of words.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};
use sweepline_logic::Source;

/// A file is not text.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
#[error("the file is not UTF-8 text")]
#[diagnostic(
    code(process::not_text),
    help("is it the right file? If so, convert it to UTF-8")
)]
pub struct NotText {
    #[source_code]
    text: NamedSource<Arc<str>>,
    #[label("byte {offset} is no part of a character")]
    at: SourceSpan,
    offset: usize,
}

/// The bytes of a file as text. A byte order mark is skipped.
pub fn decode(name: &str, bytes: Vec<u8>) -> Result<Source, NotText> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        // The readable text in front of it keeps its places; each byte that is none becomes a sign of its own.
        let readable = String::from_utf8_lossy(error.as_bytes()).into_owned();
        NotText {
            text: NamedSource::new(name, readable.into()),
            at: (offset, char::REPLACEMENT_CHARACTER.len_utf8()).into(),
            offset,
        }
    })?;
    let source = Source::new(name, text);
    let mark = if source.text().starts_with('\u{feff}') {
        3
    } else {
        0
    };
    Ok(source.part(mark..usize::MAX))
}

/// The lines of a text that are neither blank nor comments (`#`), with the bytes they occupy in the whole text.
pub(crate) fn lines(source: &Source) -> impl Iterator<Item = Line<'_>> {
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
pub(crate) struct Line<'a> {
    pub text: &'a str,
    pub span: Range<usize>,
}

/// One word of a line.
///
/// Words are separated by blanks. A word that contains blanks is put in quotes `"…"`, inside which `"` is doubled; an
/// exclamation mark may stand in front of the quotes.
#[derive(Clone, Debug)]
pub(crate) struct Word<'a> {
    /// The word without quotes and without what stands in front of them.
    pub text: Cow<'a, str>,
    pub quotes: Quotes,
    pub span: Range<usize>,
}

/// How a word is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quotes {
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
    use crate::testing::rendered;

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

    #[test]
    fn only_text_is_decoded() {
        assert_eq!(
            decode("f", b"\xef\xbb\xbf1 2".to_vec()).unwrap().text(),
            "1 2"
        );
        let error = decode("f.ss", b"1 0 0\n2 \xff\xfe 0\n".to_vec()).unwrap_err();
        insta::assert_snapshot!(rendered(&error), @r"
        process::not_text

          × the file is not UTF-8 text
           ╭─[f.ss:2:3]
         1 │ 1 0 0
         2 │ 2 �� 0
           ·   ┬
           ·   ╰── byte 8 is no part of a character
           ╰────
          help: is it the right file? If so, convert it to UTF-8
        ");
    }
}
