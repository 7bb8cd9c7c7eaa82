//! XML as far as nets and properties need it: bytes to text, text to tree, pleasant access to the tree.

mod encoding;
mod guard;

use std::borrow::Cow;
use std::ops::Range;

use miette::{Diagnostic, SourceSpan};
use roxmltree::{Document, Node, ParsingOptions, TextPos};

use crate::diagnostics::label;

pub use encoding::decode;

/// Why a file is not XML that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
pub enum XmlError {
    /// There is nothing in the file.
    #[error("the file is empty")]
    #[diagnostic(code(xml::empty))]
    Empty,

    /// The encoding is not known.
    #[error("encoding `{encoding}` is not supported")]
    #[diagnostic(
        code(xml::encoding),
        help("convert the file to UTF-8; ISO-8859-1 and US-ASCII are also read")
    )]
    Encoding {
        /// The encoding.
        encoding: String,
    },

    /// A byte is not text.
    #[error("the file is not valid UTF-8")]
    #[diagnostic(
        code(xml::not_utf8),
        help(
            "convert the file, or declare its encoding: <?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"
        )
    )]
    NotUtf8 {
        /// Where the text ends.
        #[label("the first byte that is not text")]
        at: SourceSpan,
    },

    /// The rules of XML are broken.
    #[error("malformed XML: {message}")]
    #[diagnostic(code(xml::malformed))]
    Malformed {
        /// Which rule.
        message: String,
        /// Where.
        #[label("here")]
        at: SourceSpan,
    },

    /// The file defines entities.
    #[error("entity definitions are not allowed")]
    #[diagnostic(
        code(xml::entities),
        help("write the text itself instead of the entity; nets and properties never need one")
    )]
    Entities {
        /// The first definition.
        #[label("defines an entity")]
        at: SourceSpan,
    },

    /// Elements are nested too deeply.
    #[error("elements are nested more than {} levels deep", guard::DEPTH)]
    #[diagnostic(code(xml::too_deep))]
    TooDeep {
        /// The first element beyond the limit.
        #[label("one level too deep")]
        at: SourceSpan,
    },

    /// An element has too many attributes, or there are too many namespaces.
    #[error(
        "more than {} attributes in one element or prefixes in one file",
        guard::ATTRIBUTES
    )]
    #[diagnostic(code(xml::too_many_attributes))]
    TooManyAttributes {
        /// The attribute beyond the limit.
        #[label("one too many")]
        at: SourceSpan,
    },
}

/// The tree of a text.
pub fn parse(text: &str) -> Result<Document<'_>, XmlError> {
    if text.trim().is_empty() {
        return Err(XmlError::Empty);
    }
    guard::check(text)?;
    // The guard refuses entities, and without them a DTD is harmless.
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text, options).map_err(|error| malformed(text, &error))
}

fn malformed(text: &str, error: &roxmltree::Error) -> XmlError {
    use roxmltree::Error::{NoRootNode, UnclosedRootNode, UnexpectedEndOfStream, UnknownToken};
    let position = error.pos();
    let here = offset_of(text, position);
    let last = text
        .trim_end()
        .char_indices()
        .next_back()
        .map_or(0, |(at, _)| at);
    let (message, start) = match error {
        UnclosedRootNode => ("the file ends inside an element".into(), last),
        UnexpectedEndOfStream => ("the file ends too early".into(), last),
        NoRootNode => ("there is no element".into(), last),
        UnknownToken(_) => ("expected an element".into(), here),
        _ => (
            error.to_string().replace(&format!(" at {position}"), ""),
            here,
        ),
    };
    let length = text[start..].chars().next().map_or(0, char::len_utf8);
    XmlError::Malformed {
        message,
        at: label(start..start + length),
    }
}

/// The byte at a position given as line and character, both counted from 1.
fn offset_of(text: &str, position: TextPos) -> usize {
    let mut lines = text.split_inclusive('\n');
    let before = lines
        .by_ref()
        .take(position.row as usize - 1)
        .map(str::len)
        .sum::<usize>();
    let line = lines.next().unwrap_or("");
    let column = line
        .char_indices()
        .nth(position.col as usize - 1)
        .map_or(line.len(), |(at, _)| at);
    before + column
}

/// The bytes of an element's opening bracket and name.
pub fn tag(node: Node<'_, '_>) -> Range<usize> {
    let start = node.range().start;
    let text = &node.document().input_text()[start..];
    let length = text
        .find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))
        .unwrap_or(1);
    start..start + length
}

/// The bytes of an attribute's value, or of the element's tag if it has no such attribute.
pub fn attribute_range(node: Node<'_, '_>, name: &str) -> Range<usize> {
    node.attribute_node(name)
        .map_or_else(|| tag(node), |attribute| attribute.range_value())
}

/// The text directly inside an element without comments and surrounding space, and its bytes.
pub fn text_of<'a>(node: Node<'a, '_>) -> (Cow<'a, str>, Range<usize>) {
    let mut pieces = node.children().filter(Node::is_text);
    let Some(first) = pieces.next() else {
        return (Cow::Borrowed(""), tag(node));
    };
    let mut text = Cow::Borrowed(first.text().unwrap_or(""));
    for piece in pieces {
        text.to_mut().push_str(piece.text().unwrap_or(""));
    }
    let range = trimmed(node, first.range());
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    (text, if range.is_empty() { tag(node) } else { range })
}

fn trimmed(node: Node<'_, '_>, range: Range<usize>) -> Range<usize> {
    let text = &node.document().input_text()[range.clone()];
    let start = range.start + text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_space_are_no_text() {
        let document = parse("<a>\n  12<!-- not this -->3\n</a>").unwrap();
        let (text, range) = text_of(document.root_element());
        assert_eq!(text, "123");
        assert_eq!(&document.input_text()[range], "12");
    }

    #[test]
    fn errors_point_at_characters() {
        let check = |text: &str, offset| match parse(text).unwrap_err() {
            XmlError::Malformed { at, .. } => assert_eq!(at.offset(), offset, "{text}"),
            other => panic!("{other}"),
        };
        check("<a>\nü</b>", 6);
        check("<a>\n", 2);
        check("<a", 1);
        check("text", 0);
    }

    #[test]
    fn a_doctype_without_entities_is_fine() {
        assert!(parse("<!DOCTYPE pnml SYSTEM \"x.dtd\">\n<pnml/>").is_ok());
        assert!(parse("<!DOCTYPE pnml [ <!ELEMENT pnml ANY> ]>\n<pnml/>").is_ok());
    }
}
