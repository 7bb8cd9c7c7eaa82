//! The parts of a line of an `.aut` file, byte by byte.

use std::borrow::Cow;
use std::ops::Range;

/// The first line of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub first: Number,
    pub transitions: Number,
    pub states: Number,
}

/// A line that is a transition.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Transition {
    pub from: Number,
    /// Where the label is.
    pub label: Range<usize>,
    pub to: Number,
}

/// A number and its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub value: u64,
    pub at: Range<usize>,
}

/// What is wrong with a line, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub wrong: Wrong,
    pub at: Range<usize>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    Header,
    /// What should be there, and what to do about it.
    Expected(&'static str, &'static str),
    Large(&'static str),
    Unclosed,
    NotText,
}

const HEADER: &str = "a header is `des (first, transitions, states)`";
const TRANSITION: &str = "a transition is `(from, \"label\", to)`";

/// Reads a header.
pub(super) fn header(line: &[u8]) -> Result<Header, Problem> {
    let mut cursor = Cursor {
        line,
        at: 0,
        help: HEADER,
    };
    cursor.skip_blanks();
    if !line[cursor.at..].starts_with(b"des") {
        return Err(Problem {
            wrong: Wrong::Header,
            at: word_at(line, cursor.at),
        });
    }
    cursor.at += 3;
    cursor.expect(b'(', "`(`")?;
    let first = cursor.number("the number of the first state")?;
    cursor.expect(b',', "`,`")?;
    let transitions = cursor.number("the number of transitions")?;
    cursor.expect(b',', "`,`")?;
    let states = cursor.number("the number of states")?;
    cursor.expect(b')', "`)`")?;
    cursor.skip_blanks();
    if cursor.at < line.len() {
        return Err(cursor.expected("the end of the line"));
    }
    Ok(Header {
        first,
        transitions,
        states,
    })
}

/// A line as most tools write it, read in one go.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainLine {
    pub from: u64,
    /// Where the label is, with its quotes.
    pub label: Range<usize>,
    pub to: u64,
    /// How many bytes the line has, with its end.
    pub length: usize,
}

/// Reads a line like `(1, "label", 2)`, with or without these blanks, with the bytes behind it. Files have millions of
/// them; nothing for all others, which are right or wrong.
#[inline]
pub(super) fn plain_line(bytes: &[u8]) -> Option<PlainLine> {
    let (from, at) = plain_number(bytes, behind(bytes, 0, b'(')?)?;
    let start = skip_blank(bytes, behind(bytes, at, b',')?);
    let inside = behind(bytes, start, b'"')?;
    let mut marks = bytes[inside..].iter();
    let end = inside + marks.position(|byte| matches!(byte, b'"' | b'\n'))?;
    let end = behind(bytes, end, b'"')?;
    let (to, at) = plain_number(bytes, skip_blank(bytes, behind(bytes, end, b',')?))?;
    Some(PlainLine {
        from,
        label: start..end,
        to,
        length: behind(bytes, behind(bytes, at, b')')?, b'\n')?,
    })
}

/// The place behind a byte, if it stands here.
#[inline]
fn behind(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    (bytes.get(at) == Some(&byte)).then_some(at + 1)
}

#[inline]
fn skip_blank(bytes: &[u8], at: usize) -> usize {
    at + usize::from(bytes.get(at) == Some(&b' '))
}

/// A number of a few digits, and the place behind it.
#[inline]
fn plain_number(bytes: &[u8], start: usize) -> Option<(u64, usize)> {
    const MOST_DIGITS: usize = 18;
    let (mut value, mut at) = (0, start);
    while let Some(digit) = bytes.get(at).filter(|byte| byte.is_ascii_digit()) {
        value = value * 10 + u64::from(digit - b'0');
        at += 1;
        if at - start > MOST_DIGITS {
            return None;
        }
    }
    (at > start).then_some((value, at))
}

/// Reads a transition: from the left up to the first comma, and from the right down to the last one.
#[inline]
pub(super) fn transition(line: &[u8]) -> Result<Transition, Problem> {
    let mut cursor = Cursor {
        line,
        at: 0,
        help: TRANSITION,
    };
    cursor.expect(b'(', "`(`")?;
    let from = cursor.number("the number of the source state")?;
    cursor.expect(b',', "`,`")?;
    let start = cursor.at;
    let (end, to) = target(line, start)?;
    let label = trimmed(line, start..end);
    if label.is_empty() {
        cursor.at = label.start;
        return Err(cursor.expected("a label"));
    }
    Ok(Transition { from, label, to })
}

/// The last comma of a line, not before `start`, and the number behind it.
#[inline]
fn target(line: &[u8], start: usize) -> Result<(usize, Number), Problem> {
    let wrong = |what, at| Problem {
        wrong: Wrong::Expected(what, TRANSITION),
        at,
    };
    let mut end = trimmed(line, start..line.len()).end;
    if end == start || line[end - 1] != b')' {
        return Err(wrong("`)`", end.max(start)..end.max(start)));
    }
    end -= 1;
    let digits_end = trimmed(line, start..end).end;
    let digits = line[start..digits_end]
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit());
    let digits_start = digits_end - digits.count();
    let before = trimmed(line, start..digits_start).end;
    let is_comma = before > start && line[before - 1] == b',';
    if is_comma && digits_start < digits_end {
        let mut cursor = Cursor {
            line,
            at: digits_start,
            help: TRANSITION,
        };
        let to = cursor.number("the number of the target state")?;
        return Ok((before - 1, to));
    }
    // The line is wrong; it remains to find out where.
    let comma = line[start..end].iter().rposition(|&byte| byte == b',');
    Err(match comma {
        Some(comma) => {
            let behind = trimmed(line, start + comma + 1..end);
            wrong("the number of the target state", behind)
        }
        None => wrong("`,` and the number of the target state", end..end + 1),
    })
}

/// Such bytes without blanks at both ends.
#[inline]
fn trimmed(line: &[u8], range: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = range;
    while start < end && is_blank(line[start]) {
        start += 1;
    }
    while start < end && is_blank(line[end - 1]) {
        end -= 1;
    }
    start..end
}

#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0b' | b'\x0c')
}

/// The word at a place, or an empty place at the end of the line.
fn word_at(line: &[u8], at: usize) -> Range<usize> {
    let length = line[at..].iter().take_while(|byte| !is_blank(**byte));
    at..at + length.count()
}

struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
    help: &'static str,
}

impl Cursor<'_> {
    #[inline]
    fn skip_blanks(&mut self) {
        while self.at < self.line.len() && is_blank(self.line[self.at]) {
            self.at += 1;
        }
    }

    #[inline]
    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Problem> {
        self.skip_blanks();
        if self.line.get(self.at) != Some(&byte) {
            return Err(self.expected(what));
        }
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn number(&mut self, what: &'static str) -> Result<Number, Problem> {
        self.skip_blanks();
        let start = self.at;
        let mut value: u64 = 0;
        let mut fits = true;
        while let Some(digit) = self.line.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            let next = value.checked_mul(10);
            let next = next.and_then(|value| value.checked_add(u64::from(digit - b'0')));
            fits &= next.is_some();
            value = next.unwrap_or(0);
            self.at += 1;
        }
        let at = start..self.at;
        if at.is_empty() {
            return Err(self.expected(what));
        }
        if !fits {
            let wrong = Wrong::Large(what);
            return Err(Problem { wrong, at });
        }
        Ok(Number { value, at })
    }

    #[cold]
    fn expected(&self, what: &'static str) -> Problem {
        let here = self.at..self.line.len().min(self.at + 1);
        Problem {
            wrong: Wrong::Expected(what, self.help),
            at: here,
        }
    }
}

/// What a label means, from how it is written; nothing if it is the internal step.
pub(super) fn meaning(label: &[u8]) -> Result<Option<Cow<'_, str>>, Wrong> {
    let text = std::str::from_utf8(label).map_err(|_| Wrong::NotText)?;
    let opened = text.starts_with('"');
    if opened != text.ends_with('"') || text == "\"" {
        return Err(Wrong::Unclosed);
    }
    if !opened {
        return Ok((!is_internal(text)).then_some(text.into()));
    }
    let inside = &text[1..text.len() - 1];
    if inside == "\\i" {
        return Ok(Some("i".into()));
    }
    Ok((!is_internal(inside)).then(|| unescaped(inside)))
}

fn is_internal(name: &str) -> bool {
    matches!(name, "i" | "tau")
}

fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        match rest.peek() {
            Some(&next @ ('"' | '\\')) if char == '\\' => {
                rest.next();
                result.push(next);
            }
            _ => result.push(char),
        }
    }
    result.into()
}

/// A label in quotes, as [`meaning`] understands it.
pub(super) fn quoted(label: &str) -> String {
    match label {
        "i" => "\"\\i\"".to_string(),
        _ => format!("\"{}\"", label.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(line: &str, expected: (u64, &str, u64)) {
        let found = transition(line.as_bytes()).unwrap();
        let label = &line[found.label];
        assert_eq!((found.from.value, label, found.to.value), expected);
    }

    #[test]
    fn most_lines_are_plain() {
        let is_plain = |text: &str| plain_line(text.as_bytes()).map(|line| line.length);
        assert_eq!(is_plain("(0,\"a b\",17)\n(1"), Some(13));
        assert_eq!(is_plain("(3, \"a,\", 4)\n"), Some(13));
        for other in [
            "",
            "(3, i, 4)\n",
            "(3,\"a\"b\",4)\n",
            "(3,\"a\",4)",
            "(3,\"a\n(4,\"b\",5)\n",
        ] {
            assert_eq!(is_plain(other), None, "{other}");
        }
    }

    #[test]
    fn labels_reach_from_the_first_comma_to_the_last() {
        check("(0,a,1)", (0, "a", 1));
        check(" ( 10 ,\ta b , 007 ) \r", (10, "a b", 7));
        check("(0,\"a,b\",1)", (0, "\"a,b\"", 1));
        check("(0, c2(d1, 3), 4)", (0, "c2(d1, 3)", 4));
        check("(0, a, 1, 2)", (0, "a, 1", 2));
        check("(0,,,1)", (0, ",", 1));
    }

    #[track_caller]
    fn check_meaning(label: &str, expected: Result<Option<&str>, Wrong>) {
        let found = meaning(label.as_bytes());
        assert_eq!(found, expected.map(|name| name.map(Cow::Borrowed)));
    }

    #[test]
    fn labels_have_quotes_and_escapes() {
        for internal in ["i", "tau", "\"i\"", "\"tau\""] {
            check_meaning(internal, Ok(None));
        }
        check_meaning("a", Ok(Some("a")));
        check_meaning("\"a\"", Ok(Some("a")));
        check_meaning("\"\\i\"", Ok(Some("i")));
        check_meaning("\"\"", Ok(Some("")));
        check_meaning(r#""a "b" \"c\" \\ \d \""#, Ok(Some(r#"a "b" "c" \ \d \"#)));
        check_meaning("\"", Err(Wrong::Unclosed));
        check_meaning("\"a", Err(Wrong::Unclosed));
        check_meaning("a\"", Err(Wrong::Unclosed));
    }

    proptest! {
        #[test]
        fn plain_lines_are_read_as_any_other(
            line in "\\(? ?[0-9]{0,20},? ?\"?[\",)( 0-9a]{0,6}\"?,? ?[0-9]{0,20} ?\\)? ?",
            behind in "\n?[(0]{0,3}",
        ) {
            let text = format!("{line}{behind}");
            if let Some(plain) = plain_line(text.as_bytes()) {
                prop_assert_eq!(&text[plain.length - 1..plain.length], "\n");
                let line = &text[..plain.length - 1];
                let any = transition(line.as_bytes()).unwrap();
                let any = (any.from.value, any.label, any.to.value);
                prop_assert_eq!((plain.from, plain.label, plain.to), any, "{}", line);
            }
        }

        #[test]
        fn quoted_labels_mean_what_they_say(label in "[i\"\\\\,() a]{0,6}") {
            let quoted = quoted(&label);
            prop_assert_eq!(meaning(quoted.as_bytes()), Ok(Some(Cow::Owned(label))));
        }

        #[test]
        fn no_line_is_too_odd(line in "[(),\" 0-9a-c]{0,20}") {
            let wrong = [transition(line.as_bytes()).err(), header(line.as_bytes()).err()];
            for Problem { at, .. } in wrong.into_iter().flatten() {
                prop_assert!(at.start <= at.end && at.end <= line.len());
            }
        }
    }
}
