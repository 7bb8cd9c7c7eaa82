//! A cheap look at a text before it is parsed.
//!
//! Parsing takes time and memory in proportion to the text, except for texts made for the purpose: entities that
//! expand, very many attributes or namespace prefixes (compared pairwise), very deep nesting (whoever walks the tree
//! recurses). Such texts are refused here. Everything else that may be wrong is left to the parser.

use std::collections::BTreeSet;
use std::ops::Range;

use super::XmlError;
use crate::diagnostics::label;

/// How deeply elements may be nested. Formulas nest by operator; a few hundred levels have been seen.
pub(super) const DEPTH: usize = 1000;
/// How many attributes an element, and how many namespace prefixes a file may have.
pub(super) const ATTRIBUTES: usize = 200;

/// Refuses texts that would take the parser or its users too long.
pub(super) fn check(text: &str) -> Result<(), XmlError> {
    let mut guard = Guard {
        text,
        at: 0,
        depth: 0,
        prefixes: BTreeSet::new(),
    };
    while let Some(next) = text[guard.at..].find('<') {
        guard.at += next;
        guard.markup()?;
    }
    Ok(())
}

struct Guard<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    prefixes: BTreeSet<&'a str>,
}

impl<'a> Guard<'a> {
    /// Passes whatever starts with the `<` at the current place.
    fn markup(&mut self) -> Result<(), XmlError> {
        let rest = &self.text.as_bytes()[self.at..];
        match rest {
            [b'<', b'!', b'-', b'-', ..] => self.pass("-->"),
            [b'<', b'!', b'[', ..] => self.pass("]]>"),
            [b'<', b'?', ..] => self.pass("?>"),
            [b'<', b'!', ..] if rest.starts_with(b"<!ENTITY") => {
                return Err(XmlError::Entities {
                    at: label(self.at..self.at + 8),
                });
            }
            [b'<', b'!', ..] => self.at += 2,
            [b'<', b'/', ..] => {
                self.depth = self.depth.saturating_sub(1);
                self.at += 2;
            }
            _ => return self.start_tag(),
        }
        Ok(())
    }

    fn pass(&mut self, end: &str) {
        let rest = &self.text[self.at..];
        self.at += rest.find(end).map_or(rest.len(), |at| at + end.len());
    }

    fn start_tag(&mut self) -> Result<(), XmlError> {
        let start = self.at;
        let mut attributes = 0;
        self.at += 1;
        while let Some(next) = self.text[self.at..].find(['"', '\'', '>']) {
            let (before, found) = self.text[self.at..].split_at(next);
            let here = self.at..self.at + next;
            self.at += next + 1;
            if found.starts_with('>') {
                return self.open(start, before.ends_with('/'));
            }
            attributes += 1;
            if attributes > ATTRIBUTES || self.too_many_prefixes(before) {
                return Err(XmlError::TooManyAttributes {
                    at: label(trim(self.text, here)),
                });
            }
            let rest = &self.text[self.at..];
            self.at += rest.find(&found[..1]).map_or(rest.len(), |end| end + 1);
        }
        self.at = self.text.len();
        Ok(())
    }

    fn open(&mut self, start: usize, closed: bool) -> Result<(), XmlError> {
        if !closed {
            self.depth += 1;
        }
        if self.depth > DEPTH {
            return Err(XmlError::TooDeep {
                at: label(start..self.at),
            });
        }
        Ok(())
    }

    /// Notes the prefix if the text before an attribute's value declares one.
    fn too_many_prefixes(&mut self, before: &'a str) -> bool {
        if let Some(at) = before.rfind("xmlns:") {
            self.prefixes.insert(&before[at..]);
        }
        self.prefixes.len() > ATTRIBUTES
    }
}

fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let before = &text[range.clone()];
    range.start + before.len() - before.trim_start().len()..range.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_limited() {
        let nested = |depth| "<a>".repeat(depth) + &"</a>".repeat(depth);
        assert_eq!(check(&nested(DEPTH)), Ok(()));
        assert!(matches!(
            check(&nested(100_000)),
            Err(XmlError::TooDeep { .. })
        ));
        assert_eq!(check(&"<a></a><b/>".repeat(100_000)), Ok(()));
    }

    #[test]
    fn brackets_in_comments_and_values_do_not_nest() {
        let once = "<!-- <a> --><![CDATA[<a>]]><?p <a> ?><b x='<a>' y=\"/>\"/>";
        assert_eq!(check(&once.repeat(3000)), Ok(()));
    }

    #[test]
    fn attributes_and_prefixes_are_limited() {
        let numbered = |piece: fn(usize) -> String| (0..=ATTRIBUTES).map(piece).collect::<String>();
        let element = numbered(|i| format!(" a{i}='1'"));
        let many = numbered(|i| format!("<a xmlns:p{i}='u'/>"));
        for text in [format!("<a{element}/>"), many] {
            let error = check(&text).unwrap_err();
            assert!(matches!(error, XmlError::TooManyAttributes { .. }));
        }
    }

    #[test]
    fn entities_are_refused_where_they_count() {
        assert_eq!(check("<!-- <!ENTITY x 'y'> --><a/>"), Ok(()));
        let bomb = "<!DOCTYPE a [ <!ENTITY x 'y'> ]><a>&x;</a>";
        assert!(matches!(check(bomb), Err(XmlError::Entities { at }) if at.offset() == 14));
    }

    #[test]
    fn unfinished_markup_is_left_to_the_parser() {
        for text in [
            "<",
            "<a",
            "<a b='",
            "<!--",
            "<![CDATA[",
            "<?x",
            "<!DOCTYPE",
            "</",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }
}
