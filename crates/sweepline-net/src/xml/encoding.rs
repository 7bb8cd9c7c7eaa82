//! From bytes to text.

use super::XmlError;
use crate::diagnostics::{SourceText, label, quoted};

/// The text of a file. A text that cannot be decoded comes with the reason, so that a message can still show it.
pub fn decode(name: &str, bytes: &[u8]) -> (SourceText, Result<(), XmlError>) {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let encoding = declared(bytes).to_ascii_lowercase();
    match &*encoding {
        "" | "utf-8" | "utf8" | "us-ascii" | "ascii" => utf8(name, bytes),
        "iso-8859-1" | "iso8859-1" | "iso_8859-1" | "latin1" | "latin-1" => {
            let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            (SourceText::new(name, text), Ok(()))
        }
        _ => {
            let error = XmlError::Encoding {
                encoding: quoted(&encoding).to_uppercase(),
            };
            (SourceText::new(name, ""), Err(error))
        }
    }
}

fn utf8(name: &str, bytes: &[u8]) -> (SourceText, Result<(), XmlError>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (SourceText::new(name, text), Ok(())),
        Err(error) => {
            let start = error.valid_up_to();
            let text = String::from_utf8_lossy(bytes);
            let at = label(start..start + char::REPLACEMENT_CHARACTER.len_utf8());
            (SourceText::new(name, text), Err(XmlError::NotUtf8 { at }))
        }
    }
}

/// The encoding a file declares, or seems to have. Empty if it says nothing.
fn declared(bytes: &[u8]) -> &str {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [b'<', 0, ..] | [0, b'<', ..] => "utf-16",
        _ => from_declaration(bytes).unwrap_or(""),
    }
}

/// Reads `<?xml version="1.0" encoding="…"?>`.
fn from_declaration(bytes: &[u8]) -> Option<&str> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let end = declaration.iter().position(|byte| *byte == b'>')?;
    let declaration = std::str::from_utf8(&declaration[..end]).ok()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let (source, result) = decode("f", bytes);
        let found = result
            .map(|()| source.text().to_owned())
            .map_err(|error| error.to_string());
        assert_eq!(found.as_deref().map_err(|error| &**error), expected);
    }

    #[test]
    fn encodings() {
        check(b"\xEF\xBB\xBF<a/>", Ok("<a/>"));
        check("<a>ü</a>".as_bytes(), Ok("<a>ü</a>"));
        check(
            b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xFC</a>",
            Ok("<?xml version='1.0' encoding='ISO-8859-1'?><a>ü</a>"),
        );
        check(
            b"<?xml version=\"1.0\" encoding = \"us-ascii\"?><a/>",
            Ok("<?xml version=\"1.0\" encoding = \"us-ascii\"?><a/>"),
        );
        check(b"<a>\xFC</a>", Err("the file is not valid UTF-8"));
        check(b"\xFF\xFE<\0a\0", Err("encoding `UTF-16` is not supported"));
        check(
            b"<?xml version=\"1.0\" encoding=\"EBCDIC\"?>",
            Err("encoding `EBCDIC` is not supported"),
        );
    }
}
