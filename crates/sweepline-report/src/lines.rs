//! Text in lines that are not too long.

use std::fmt::Write;

use crate::plain::plain;

/// Columns of texts are not wider: what is longer stands out, and nobody would see the next column below.
pub(crate) const WIDEST: usize = 1000;

/// The text behind a head, broken between words where a line is full, with the lines below the first as far to the right as
/// the text began. A word that is longer than a line has one of its own.
///
/// ```
/// use sweepline_report::lines::hanging;
///
/// let text = hanging("  measure   ", "columns sent + received, about 3 % of the states stored", 42);
/// assert_eq!(text, "  measure   columns sent + received, about\n            3 % of the states stored\n");
/// ```
pub fn hanging(head: &str, text: &str, width: usize) -> String {
    let text = plain(text);
    let mut words = Lines::new(head, width);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        words.add(word);
    }
    words.finish()
}

/// The same for pieces that are not broken.
pub fn pieces<'p>(head: &str, pieces: impl IntoIterator<Item = &'p str>, width: usize) -> String {
    let mut lines = Lines::new(head, width);
    for piece in pieces {
        lines.add(&plain(piece));
    }
    lines.finish()
}

/// How many lines that takes.
pub fn height(head: &str, text: &str, width: usize) -> usize {
    hanging(head, text, width).lines().count()
}

/// Lines that are being filled.
struct Lines {
    text: String,
    line: String,
    used: usize,
    indent: usize,
    width: usize,
}

impl Lines {
    fn new(head: &str, width: usize) -> Self {
        let indent = head.chars().count();
        Self {
            text: String::new(),
            line: head.to_owned(),
            used: indent,
            indent,
            width,
        }
    }

    fn add(&mut self, word: &str) {
        let length = word.chars().count();
        if self.used > self.indent {
            if self.used + 1 + length > self.width {
                let _ = writeln!(self.text, "{}", self.line.trim_end());
                self.line = " ".repeat(self.indent);
                self.used = self.indent;
            } else {
                self.line.push(' ');
                self.used += 1;
            }
        }
        self.line += word;
        self.used += length;
    }

    fn finish(mut self) -> String {
        let _ = writeln!(self.text, "{}", self.line.trim_end());
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_and_lines_are_full() {
        let text = "a bb ccc dddd eeeee a-word-that-is-longer-than-a-line f";
        for width in 8..70 {
            let lines = hanging("> ", text, width);
            let words: Vec<&str> = lines[2..].split_whitespace().collect();
            assert_eq!(words.join(" "), text);
            let fits = |line: &str| line.chars().count() <= width || !line.trim().contains(' ');
            assert!(lines.lines().all(fits), "{lines}");
        }
        assert_eq!(hanging("> ", "", 10), ">\n");
        assert_eq!(height("> ", text, 80), 1);
        assert_eq!(pieces("> ", ["a b,", "c d"], 7), "> a b,\n  c d\n");
    }
}
