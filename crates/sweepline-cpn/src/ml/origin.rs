//! Where a text of a model stands.

use std::ops::Range;
use std::sync::Arc;

use sweepline_text::Source;

/// Where a text stands: an element of the model, and a part of the file.
///
/// Files are XML, so the text was decoded: `&lt;` of the file is `<` of the text. Places in the text are found again in the
/// file by reading the part once more.
#[derive(Clone, Debug)]
pub struct Origin {
    element: Arc<str>,
    source: Source,
}

impl Origin {
    /// A text of an element (`guard of Send on page Sender`), whose undecoded form is the given part of the file.
    pub fn new(element: impl Into<Arc<str>>, source: Source) -> Self {
        Self {
            element: element.into(),
            source,
        }
    }

    /// A text of its own, for example of the command line.
    pub fn of_text(name: &str, text: &str) -> Self {
        Self::new(name, Source::new(name, text))
    }

    /// The element of the model.
    pub fn element(&self) -> &str {
        &self.element
    }

    /// The part of the file.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The origin of a part of the decoded text.
    #[must_use]
    pub fn part(&self, text: &str, range: Range<usize>) -> Self {
        let range = self.locate(text, range);
        Self::new(Arc::clone(&self.element), self.source.part(range))
    }

    /// Bytes of the decoded text as bytes of the file.
    pub fn locate(&self, text: &str, range: Range<usize>) -> Range<usize> {
        let start = self.position(text, range.start);
        let end = self.position(text, range.end).max(start);
        start..end
    }

    /// One byte of the decoded text as a byte of the file.
    fn position(&self, text: &str, byte: usize) -> usize {
        let raw = self.source.text();
        let start = self.source.range().start;
        if raw == text {
            return start + byte.min(raw.len());
        }
        let mut at = 0;
        for (decoded, _) in text.char_indices() {
            if decoded >= byte {
                break;
            }
            at += character(&raw[at..]);
        }
        start + at
    }
}

/// How many bytes at the start of an undecoded text are one character of the decoded one.
fn character(raw: &str) -> usize {
    if raw.starts_with("\r\n") {
        return 2;
    }
    if raw.starts_with('&') {
        return raw.find(';').map_or(1, |end| end + 1);
    }
    raw.chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_behind_entities() {
        let file = Source::new("a.cpn", "<text>[a&lt;b,\r\nc]</text>");
        let origin = Origin::new("guard of T", file.part(6..19));
        let text = "[a<b,\nc]";
        assert_eq!(origin.locate(text, 1..2), 7..8);
        assert_eq!(origin.locate(text, 2..3), 8..12);
        assert_eq!(origin.locate(text, 6..7), 16..17);
        let plain = Origin::of_text("--predicate", "a < b");
        assert_eq!(plain.locate("a < b", 2..3), 2..3);
        assert_eq!(plain.locate("a < b", 7..9), 5..5);
    }
}
