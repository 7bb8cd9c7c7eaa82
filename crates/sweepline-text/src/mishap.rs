//! Characters that are no token.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use crate::{Kind, Source, shortened};

/// Characters that are no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mishap {
    /// What they are.
    pub kind: MishapKind,
    /// Where they stand.
    pub span: Range<usize>,
}

/// How characters fail to be a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MishapKind {
    /// A character that begins nothing.
    Stray(char),
    /// A comment that does not end. The span is that of its beginning.
    UnclosedComment,
    /// Quotes that do not end: the mark, and the name up to the end of the text.
    UnclosedQuote(char, String),
    /// A digit, and letters or digits behind it, that are no number of the language.
    NotANumber(String),
}

impl Mishap {
    /// The mishap as an error of a language, whose name begins the error's code.
    pub fn in_language(self, language: &'static str, source: &Source) -> ScanError {
        ScanError {
            language,
            mishap: self,
            text: source.named(),
        }
    }

    /// What languages without quotes read in its place: a number if it looks like one, and nothing otherwise.
    pub fn number_instead(&self) -> Option<Kind> {
        matches!(self.kind, MishapKind::NotANumber(_)).then_some(Kind::Number(0))
    }
}

/// A text has characters that are no token of its language.
#[derive(Clone, Debug)]
pub struct ScanError {
    language: &'static str,
    mishap: Mishap,
    text: NamedSource<Arc<str>>,
}

impl ScanError {
    /// The code without the language, the label and the help.
    fn parts(&self) -> (&'static str, &'static str, Option<&'static str>) {
        match self.mishap.kind {
            MishapKind::Stray(_) => ("stray_character", "not part of the language", None),
            MishapKind::UnclosedComment => (
                "unclosed_comment",
                "starts here",
                Some("close it with `*/`"),
            ),
            MishapKind::UnclosedQuote(..) => (
                "unclosed_quote",
                "starts here",
                Some("close it with the same mark"),
            ),
            MishapKind::NotANumber(_) => (
                "bad_number",
                "not a number",
                Some(
                    "numbers are decimal and fit into 64 bits; a name does not begin with a digit",
                ),
            ),
        }
    }
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.mishap.kind {
            MishapKind::Stray(character) => write!(f, "`{character}` means nothing here"),
            MishapKind::UnclosedComment => f.write_str("the comment does not end"),
            MishapKind::UnclosedQuote(..) => f.write_str("the quoted name does not end"),
            MishapKind::NotANumber(digits) => write!(f, "`{}` is not a number", shortened(digits)),
        }
    }
}

impl std::error::Error for ScanError {}

impl Diagnostic for ScanError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(format!("{}::{}", self.language, self.parts().0)))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.parts().2.map(|help| Box::new(help) as Box<_>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.text)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, label, _) = self.parts();
        let label = LabeledSpan::new_with_span(Some(label.to_string()), self.mishap.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rendered;
    use insta::assert_snapshot;

    #[test]
    fn mishaps_are_errors_of_their_language() {
        let source = Source::new("f.dve", "x = 1y;");
        let mishap = Mishap {
            kind: MishapKind::NotANumber("1y".into()),
            span: 4..6,
        };
        assert_eq!(mishap.number_instead(), Some(Kind::Number(0)));
        assert_snapshot!(rendered(&mishap.in_language("dve", &source)), @r"
        dve::bad_number

          × `1y` is not a number
           ╭─[f.dve:1:5]
         1 │ x = 1y;
           ·     ─┬
           ·      ╰── not a number
           ╰────
          help: numbers are decimal and fit into 64 bits; a name does not begin with a
                digit
        ");
    }
}
