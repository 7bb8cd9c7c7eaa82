//! Text in SVG: escaping, and guessing how wide it will be.

/// Text as it may stand in XML, in content and in attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // XML has no way to write these.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// About how wide a text is in a font of this size, rather too wide than too narrow.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars()
        .map(|character| size * advance(character))
        .sum()
}

fn advance(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | 't' | 'f' | '('
        | ')' => 0.38,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.9,
        'A'..='Z' => 0.72,
        other if other.is_ascii() => 0.62,
        other if (other as u32) < 0x1100 => 0.65,
        _ => 1.0,
    }
}

/// Breaks a text between words into lines that are not wider than `room`, where words allow it.
pub(super) fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + size * 0.4 <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// The text, cut so that it is not wider than `room`.
pub(super) fn cut(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.into();
    }
    let mut kept = String::new();
    for character in text.chars() {
        if width(&kept, size) + size * (advance(character) + 1.0) > room {
            break;
        }
        kept.push(character);
    }
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        for (text, expected) in [
            ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
            ("\"it's\"", "&quot;it&#39;s&quot;"),
            ("bell\u{7}, null\0, \u{ffff}", "bell , null , \u{fffd}"),
            ("größer ≤ 3", "größer ≤ 3"),
        ] {
            assert_eq!(escape(text), expected);
        }
    }

    #[test]
    fn lines_break_between_words() {
        for (text, room, expected) in [
            ("", 50.0, &[][..]),
            ("one", 1.0, &["one"]),
            ("one two three", 50.0, &["one two", "three"]),
            ("one two three", 500.0, &["one two three"]),
        ] {
            assert_eq!(wrapped(text, 10.0, room), expected);
        }
        assert_eq!(cut("short", 10.0, 100.0), "short");
        assert_eq!(cut("rather a long name", 10.0, 50.0), "rather …");
    }
}
