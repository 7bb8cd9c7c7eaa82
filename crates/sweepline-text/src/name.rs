//! Names that stand in a text, and how much of them is repeated in messages.

use std::fmt;
use std::ops::Range;

/// A name as it stands in a text, with its place there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name itself, without quotes.
    pub text: String,
    /// Bytes of the text it came from, for messages.
    pub span: Range<usize>,
}

impl Name {
    /// A name that stands nowhere in particular.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            span: 0..0,
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A word of a model as it is repeated in a message: long ones are not repeated in full.
pub fn shortened(text: &str) -> String {
    shortened_to(text, 40)
}

/// A piece of input as it is repeated in a message, cut to so many characters.
///
/// ```
/// assert_eq!(sweepline_text::shortened_to("größe", 3), "grö…");
/// assert_eq!(sweepline_text::shortened_to("größe", 5), "größe");
/// ```
pub fn shortened_to(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
