//! The text a program was made from.

use std::fmt;
use std::sync::Arc;

use super::Span;

/// The text a program was made from, for telling people where something is written. Empty if there is none.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SourceText {
    text: Arc<str>,
    /// Where each line begins.
    lines: Arc<[usize]>,
}

impl SourceText {
    pub(crate) fn new(text: &str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text: text.into(),
            lines: std::iter::once(0).chain(after_breaks).collect(),
        }
    }

    /// The number of the line in which something begins; the first line is 1.
    pub fn line(&self, span: Span) -> Option<usize> {
        let known = span.start < span.end && span.end <= self.text.len();
        known.then(|| self.lines.partition_point(|start| *start <= span.start))
    }

    /// What is written there, on one line.
    pub fn excerpt(&self, span: Span) -> Option<String> {
        self.line(span)?;
        let text = self.text.get(span.start..span.end)?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// A whole text would hide the rest of the program.
impl fmt::Debug for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lines", self.lines.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_lines() {
        let text = SourceText::new("a\n  bc\n\nd  e\n f");
        let line = |start, end| text.line(Span::new(start, end));
        assert_eq!(
            (line(0, 1), line(4, 6), line(2, 4)),
            (Some(1), Some(2), Some(2))
        );
        assert_eq!((line(8, 15), line(14, 15)), (Some(4), Some(5)));
        assert_eq!((line(0, 0), line(14, 16)), (None, None));
        assert_eq!(text.excerpt(Span::new(8, 15)).as_deref(), Some("d e f"));
        assert_eq!(SourceText::default().line(Span::new(0, 1)), None);
    }
}
