//! Reporting everything that is wrong with a file at once.

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use sweepline_text::shortened_to;

/// How many mistakes of a file are described; the others are only counted.
const DESCRIBED: usize = 20;

/// Everything that is wrong with a file.
///
/// The single errors are [`related`](Diagnostic::related) diagnostics; they point into the text that this one holds.
#[derive(Debug)]
pub struct InputErrors<E> {
    source: SourceText,
    errors: Vec<E>,
    omitted: usize,
}

impl<E> InputErrors<E> {
    /// The text the errors point into.
    pub fn source_text(&self) -> &SourceText {
        &self.source
    }

    /// The errors in the order they were found, at most twenty.
    pub fn errors(&self) -> &[E] {
        &self.errors
    }

    /// How many more errors there are.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// The errors of several parts of a file.
    pub(crate) fn joined(source: SourceText, parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self {
            source,
            errors: Vec::new(),
            omitted: 0,
        };
        for part in parts {
            all.omitted += part.omitted;
            for error in part.errors {
                if all.errors.len() < DESCRIBED {
                    all.errors.push(error);
                } else {
                    all.omitted += 1;
                }
            }
        }
        all
    }

    /// A single error.
    pub fn one(source: SourceText, error: E) -> Self {
        Self {
            source,
            errors: vec![error],
            omitted: 0,
        }
    }
}

impl<E> fmt::Display for InputErrors<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.errors.len() + self.omitted {
            1 => write!(f, "cannot use `{}`", self.source.name()),
            count => write!(f, "cannot use `{}`: {count} errors", self.source.name()),
        }
    }
}

impl<E: Diagnostic> Error for InputErrors<E> {}

impl<E: Diagnostic> Diagnostic for InputErrors<E> {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(
            self.errors.iter().map(|error| error as &dyn Diagnostic),
        ))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (self.omitted > 0)
            .then(|| Box::new(format!("{} more errors are not shown", self.omitted)) as Box<_>)
    }
}

/// Gathers errors while reading goes on.
#[derive(Debug)]
pub struct Collector<E> {
    errors: Vec<E>,
    omitted: usize,
}

impl<E> Default for Collector<E> {
    fn default() -> Self {
        Self {
            errors: Vec::new(),
            omitted: 0,
        }
    }
}

impl<E: Diagnostic> Collector<E> {
    /// Nothing is wrong yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an error. It is only made if it will be described, for looking up a suggestion takes time.
    pub fn add(&mut self, error: impl FnOnce() -> E) {
        if self.errors.len() < DESCRIBED {
            self.errors.push(error());
        } else {
            self.omitted += 1;
        }
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// The result, if nothing was wrong. Errors are sorted by where they are.
    pub fn finish<T>(
        mut self,
        source: &SourceText,
        result: Option<T>,
    ) -> Result<T, InputErrors<E>> {
        self.errors.sort_by_key(offset);
        match result {
            Some(result) if self.errors.is_empty() => Ok(result),
            _ => Err(InputErrors {
                source: source.clone(),
                errors: self.errors,
                omitted: self.omitted,
            }),
        }
    }
}

/// Where an error points to.
fn offset(error: &impl Diagnostic) -> usize {
    let labels: Vec<_> = error.labels().into_iter().flatten().collect();
    let main = labels
        .iter()
        .find(|label| label.primary())
        .or(labels.first());
    main.map_or(0, miette::LabeledSpan::offset)
}

/// A text with the name of the file it came from. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SourceText {
    name: Arc<str>,
    text: Arc<str>,
}

impl SourceText {
    /// A text and the name of its file.
    pub fn new(name: &str, text: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text, decoded.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte, both counted from 1, the column in characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() + 1)
    }
}

/// Bytes of context kept on each side of a span if its lines are very long.
const CONTEXT: usize = 60;
/// More bytes than this before or after a span count as very long.
const LONG: usize = 400;

impl SourceCode for SourceText {
    /// Like reading from the text itself, but cuts very long lines: a net of several megabytes is often a single line. Whoever
    /// asks for all lines gets all of them.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let whole = self.text.read_span(span, lines_before, lines_after)?;
        let first = whole.span().offset();
        let last = first + whole.span().len();
        let all = lines_after == usize::MAX;
        let start = match span.offset().saturating_sub(first) {
            0..=LONG => first,
            _ if all => first,
            _ => self.text.floor_char_boundary(span.offset() - CONTEXT),
        };
        let span_end = span.offset() + span.len();
        let end = match last.saturating_sub(span_end) {
            0..=LONG => last,
            _ if all => last,
            _ => self.text.ceil_char_boundary(span_end + CONTEXT),
        };
        let skipped = &self.text[first..start];
        let column = match skipped.rfind('\n') {
            Some(newline) => skipped.len() - newline - 1,
            None => whole.column() + skipped.len(),
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.to_string(),
            &self.text.as_bytes()[start..end],
            (start, end - start).into(),
            whole.line() + skipped.matches('\n').count(),
            column,
            whole.line_count(),
        )))
    }
}

/// The span of a label, cut to what fits on a line.
pub fn label(range: Range<usize>) -> SourceSpan {
    (range.start, range.len().min(CONTEXT)).into()
}

/// A piece of input as it appears in messages, cut to a sensible length.
pub fn quoted(text: &str) -> String {
    shortened_to(text, CONTEXT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let text = SourceText::new("f", "ab\nüx\n");
        assert_eq!(text.position(0), (1, 1));
        assert_eq!(text.position(5), (2, 2));
        assert_eq!(text.position(99), (3, 1));
    }

    #[test]
    fn very_long_lines_are_cut_around_the_span() {
        let text = format!("first\n{}HERE{}\nlast", "a".repeat(5000), "ü".repeat(5000));
        let source = SourceText::new("f", text);
        let contents = source.read_span(&(5006, 4).into(), 1, 1).unwrap();
        assert_eq!((contents.line(), contents.column()), (1, 4940));
        let shown = std::str::from_utf8(contents.data()).unwrap();
        assert_eq!(shown.len(), 124);
        assert!(shown.contains("HERE"));
        let all = source.read_span(&(0, 0).into(), 0, usize::MAX).unwrap();
        assert_eq!(all.data(), source.text().as_bytes());
    }
}
