//! From the bytes of a file to its text.

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};

use crate::Source;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rendered;

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
