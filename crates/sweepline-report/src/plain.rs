//! Text of others, fit for a terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with everything escaped that a terminal would act on: a name in a model must not move the cursor.
pub fn plain(text: &str) -> Cow<'_, str> {
    escaped(text, is_unfit)
}

/// The same for text of several lines.
pub fn plain_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_unfit(c) && c != '\n')
}

fn escaped(text: &str, unfit: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&unfit) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if !unfit(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    Cow::Owned(out)
}

/// Whether a terminal acts on a character instead of showing it: control characters, and those that turn the direction
/// of what follows.
pub fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        for (text, expected) in [
            ("p_1 → ‘é’", "p_1 → ‘é’"),
            ("a\x1b[2Jb", "a\\u{1b}[2Jb"),
            ("a\u{9b}31mb", "a\\u{9b}31mb"),
            ("a\u{202e}b\x7f", "a\\u{202e}b\\u{7f}"),
            ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ] {
            assert_eq!(plain(text), expected);
        }
        assert_eq!(plain_lines("a\nb\x07"), "a\nb\\u{7}");
    }
}
