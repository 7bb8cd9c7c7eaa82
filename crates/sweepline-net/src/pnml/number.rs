//! Markings and weights.

use std::borrow::Cow;
use std::ops::Range;

use roxmltree::Node;

use super::PnmlError;
use super::document::child;
use crate::diagnostics::{label, quoted};
use crate::net::MAX_TOKENS;
use crate::xml::{tag, text_of};

/// The number in a label such as `<initialMarking><text>3</text></initialMarking>`, if there is one.
pub(super) fn read_count(annotation: Node<'_, '_>, what: &str) -> Result<Option<u64>, PnmlError> {
    let (text, range) = annotation_text(annotation);
    if text.is_empty() {
        return Ok(None);
    }
    let count = if text.contains(',') {
        single_class(&text).ok_or_else(|| PnmlError::HighLevel {
            what: format!("{what} has several classes of tokens"),
            at: label(tag(annotation)),
        })?
    } else {
        &text
    };
    parse_count(count, what, range).map(Some)
}

/// The text of a label: in `<text>`, in `<value>`, or without either.
pub(super) fn annotation_text<'a>(annotation: Node<'a, '_>) -> (Cow<'a, str>, Range<usize>) {
    let inner = child(annotation, "text").or_else(|| child(annotation, "value"));
    text_of(inner.unwrap_or(annotation))
}

/// The count of the only token class that occurs, as in `Default,2`. Other classes may be listed with 0 tokens.
fn single_class(text: &str) -> Option<&str> {
    let parts: Vec<_> = text.split(',').map(str::trim).collect();
    let mut counts = parts
        .chunks(2)
        .map(|pair| pair.get(1).copied().unwrap_or(""));
    let first = counts.next()?;
    let mut others = counts.filter(|count| *count != "0");
    match (first, others.next(), others.next()) {
        (first, None, _) => Some(first),
        ("0", Some(only), None) => Some(only),
        _ => None,
    }
}

fn parse_count(text: &str, what: &str, range: Range<usize>) -> Result<u64, PnmlError> {
    let what = what.to_owned();
    let at = label(range);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(text) {
        let count = text.parse().ok().filter(|count| *count <= MAX_TOKENS);
        return count.ok_or(PnmlError::TooLarge { what, at });
    }
    if text.strip_prefix('-').is_some_and(is_number) {
        return Err(PnmlError::Negative { what, at });
    }
    let found = quoted(text);
    Err(PnmlError::NotANumber { what, found, at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml;

    fn check(inner: &str, expected: Result<Option<u64>, &str>) {
        let text = format!("<m>{inner}</m>");
        let document = xml::parse(&text).unwrap();
        let found = read_count(document.root_element(), "it").map_err(|error| error.to_string());
        assert_eq!(
            found.as_ref().map(|n| *n).map_err(|error| &**error),
            expected,
            "{inner}"
        );
    }

    #[test]
    fn counts_in_all_their_forms() {
        check("<text> 12\n</text>", Ok(Some(12)));
        check("<value>7</value>", Ok(Some(7)));
        check("<graphics/><text>1<!-- one -->0</text>", Ok(Some(10)));
        check("5", Ok(Some(5)));
        check("<value>Default,2</value>", Ok(Some(2)));
        check("<value>Default,0,Red,3</value>", Ok(Some(3)));
        check("<value>Default,4,Red,0</value>", Ok(Some(4)));
        check("", Ok(None));
        check("<text/>", Ok(None));
        check("<text>4611686018427387903</text>", Ok(Some(MAX_TOKENS)));
    }

    #[test]
    fn what_is_no_count() {
        check("<text>-3</text>", Err("it is negative"));
        check(
            "<text>1.5</text>",
            Err("it is `1.5`, which is not a number"),
        );
        check(
            "<text>4611686018427387904</text>",
            Err("it is larger than 4611686018427387903"),
        );
        check(
            "<text>99999999999999999999999999</text>",
            Err("it is larger than 4611686018427387903"),
        );
        check(
            "<value>Default,1,Red,2</value>",
            Err("this is a high-level net: it has several classes of tokens"),
        );
        check(
            "<value>Default,</value>",
            Err("it is ``, which is not a number"),
        );
    }
}
