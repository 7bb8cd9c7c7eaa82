//! What a model file is written in.

use std::path::Path;

use crate::error::Error;
use crate::model::Format;

/// What a file of this name is written in.
pub(crate) fn by_name(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "pnml" => Some(Format::Pnml),
        "cpn" => Some(Format::Cpn),
        "dve" => Some(Format::Dve),
        "lts" | "fsp" => Some(Format::Fsp),
        "aut" => Some(Format::Aut),
        "network" => Some(Format::Network),
        "ss" => Some(Format::Ss),
        "swg" => Some(Format::Swg),
        _ => None,
    }
}

/// What a file with these contents is written in, if it shows at first sight.
pub(crate) fn by_contents(bytes: &[u8]) -> Option<Format> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(START)]);
    let words = start.trim_start_matches('\u{feff}').trim_start();
    if words
        .strip_prefix("des")
        .is_some_and(|rest| rest.trim_start().starts_with('('))
    {
        return Some(Format::Aut);
    }
    if words.starts_with('<') {
        let has = |tag: &str| start.contains(tag);
        let is_cpn = has("<workspaceElements") || has("<cpnet");
        return if has("<pnml") {
            Some(Format::Pnml)
        } else {
            is_cpn.then_some(Format::Cpn)
        };
    }
    let mut lines = start
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line).trim());
    if lines.clone().any(is_process) {
        return Some(Format::Dve);
    }
    lines.any(is_definition).then_some(Format::Fsp)
}

/// How much of a file is looked at.
const START: usize = 1 << 16;

/// `process P {`, as in programs and nowhere else.
fn is_process(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("process") else {
        return false;
    };
    let name = rest.trim_end_matches('{').trim();
    rest.starts_with(char::is_whitespace) && !name.is_empty() && name.chars().all(is_of_name)
}

/// `||NAME = ` and `NAME = (a -> …`, as in FSP and nowhere else.
fn is_definition(line: &str) -> bool {
    let Some((name, body)) = line.split_once('=') else {
        return false;
    };
    let (name, body) = (name.trim(), body.trim_start());
    let is_name = |name: &str| {
        let name = name.split(['(', '[']).next().unwrap_or(name).trim_end();
        name.starts_with(char::is_uppercase) && name.chars().all(is_of_name)
    };
    match name.strip_prefix("||") {
        Some(name) => is_name(name.trim_start()),
        None => is_name(name) && body.starts_with('(') && body.contains("->"),
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A file that is plainly written in something else gives one error, and not one for each of its lines.
pub(crate) fn refuse_other(path: &Path, bytes: &[u8], format: Format) -> Result<(), Error> {
    match by_contents(bytes) {
        Some(other) if other != format && !looks_like(format, bytes) => Err(Error::WrongKind {
            path: path.to_owned(),
            expected: format.described(),
            found: other.described(),
            word: other.typed(),
        }),
        _ => Ok(()),
    }
}

/// Whether a file has something of a format, whatever else it has.
fn looks_like(format: Format, bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(START)]);
    let mut lines = start.lines().map(str::trim);
    match format {
        Format::Pnml | Format::Cpn => start.trim_start().starts_with('<'),
        Format::Dve => lines.any(is_process),
        Format::Fsp => lines.any(is_definition),
        Format::Aut | Format::Network | Format::Ss | Format::Swg | Format::Rust => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_tell_the_kind() {
        for (text, expected) in [
            ("", None),
            ("nothing = special", None),
            ("  des (0,1,2)\n", Some(Format::Aut)),
            ("described = 1", None),
            ("<?xml version='1.0'?>\n<pnml>", Some(Format::Pnml)),
            ("<html>", None),
            ("<workspaceElements>\n<cpnet>", Some(Format::Cpn)),
            ("byte n;\nprocess P {\n", Some(Format::Dve)),
            ("process P_0\n{", Some(Format::Dve)),
            ("processes = 3", None),
            ("const N = 3\n||SYSTEM = (P || Q).", Some(Format::Fsp)),
            ("P = (a -> b -> P).", Some(Format::Fsp)),
            ("BUFFER(N=5) = COUNT[0],", None),
            ("q 1 2\nq = 3 -> 4", None),
        ] {
            assert_eq!(by_contents(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn other_kinds_are_refused() {
        let refused =
            |text: &str, format| refuse_other(Path::new("x"), text.as_bytes(), format).is_err();
        assert!(refused("P = (a -> P).", Format::Dve));
        assert!(refused("process P {", Format::Fsp));
        assert!(refused("des (0, 0, 1)", Format::Ss));
        assert!(refused("process P {", Format::Pnml));
        assert!(!refused("process P {\n P = (a -> P).", Format::Dve), "both");
        assert!(!refused("whatever", Format::Dve), "the parser says more");
        assert!(!refused("<pnml>", Format::Pnml));
    }
}
