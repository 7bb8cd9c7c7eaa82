//! Texts and where they come from, for messages.

use std::ops::Range;
use std::sync::Arc;

use miette::{NamedSource, SourceSpan};

/// A text with the name it is known by: a file, a flag of the command line. Or a part of such a text.
///
/// All spans (of names, of errors) count bytes of the whole text, so that a predicate inside a file is reported with
/// the file's line.
///
/// ```
/// use sweepline_text::Source;
///
/// let file = Source::new("limits.txt", "upper = n <= 3");
/// assert_eq!(file.part(8..14).text(), "n <= 3");
/// ```
#[derive(Clone, Debug)]
pub struct Source {
    name: Arc<str>,
    whole: Arc<str>,
    range: Range<usize>,
}

impl Source {
    /// A whole text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let whole = text.into();
        Self {
            name: name.into(),
            range: 0..whole.len(),
            whole,
        }
    }

    /// A part of the whole text, given as bytes of the whole. Ends outside the text or inside a character are moved
    /// to the left.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        let end = self.whole.floor_char_boundary(range.end);
        let start = self.whole.floor_char_boundary(range.start).min(end);
        Self {
            range: start..end,
            ..self.clone()
        }
    }

    /// The name of the whole text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of this part.
    pub fn text(&self) -> &str {
        &self.whole[self.range.clone()]
    }

    /// Which bytes of the whole text this part is.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The whole text in the form diagnostics take it.
    pub fn named(&self) -> NamedSource<Arc<str>> {
        NamedSource::new(&self.name, Arc::clone(&self.whole))
    }

    /// A label for bytes of the whole text; none for the empty span of a name that stands nowhere.
    pub fn label(&self, span: &Range<usize>) -> Option<SourceSpan> {
        (!span.is_empty() && span.end <= self.whole.len()).then(|| span.clone().into())
    }
}

impl From<&str> for Source {
    fn from(text: &str) -> Self {
        Self::new("expression", text)
    }
}

impl From<String> for Source {
    fn from(text: String) -> Self {
        Self::new("expression", text)
    }
}

impl From<&Source> for Source {
    fn from(source: &Source) -> Self {
        source.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_cut_at_characters() {
        let source = Source::from("aäb");
        assert_eq!(source.part(1..3).text(), "ä");
        assert_eq!(source.part(1..2).text(), "");
        assert_eq!(source.part(2..99).text(), "äb");
        assert_eq!(source.part(9..9).text(), "");
    }
}
