//! Lists for people: names that can be told apart, and what is said of each of them.
//!
//! Nothing that tells two things apart is ever cut. Names that are too long for their column lose what they all begin with,
//! which is said once, or have a line of their own.

use std::fmt::Write;

use crate::lines::WIDEST;
use crate::plain::plain;

/// Something with a name.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What stands before the name, as it is printed; all entries of a list have marks of one width.
    pub mark: String,
    /// The name.
    pub name: String,
    /// What is said of it.
    pub text: String,
    /// Whether the text may be cut where there is no room for it.
    pub may_cut: bool,
}

/// How wide a list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// One line for each entry, however long: for files and other programs.
    Any,
    /// So many columns, of which marks take so many.
    Columns {
        /// All of them.
        all: usize,
        /// Those of the marks.
        marks: usize,
    },
}

/// Adds a list of entries.
pub fn entries(out: &mut String, entries: &[Entry], width: Width) {
    let names: Vec<_> = entries.iter().map(|entry| plain(&entry.name)).collect();
    let lengths = |skipped: usize| {
        let lengths = names.iter().map(|name| name.chars().count() - skipped);
        lengths.max().unwrap_or(0)
    };
    let Width::Columns { all, marks } = width else {
        let column = lengths(0).min(WIDEST);
        for (entry, name) in entries.iter().zip(&names) {
            let text = plain(&entry.text);
            line(out, &format!("{}{name:<column$}  {text}", entry.mark));
        }
        return;
    };
    let room = all.saturating_sub(marks + 2);
    let widest = (room * 2 / 5).max(20);
    let longest = lengths(0);
    // Every entry keeps something of its name.
    let prefix = match common_prefix(&names) {
        prefix if longest > widest && prefix.chars().count() >= 8 => prefix,
        _ => "",
    };
    if !prefix.is_empty() {
        line(out, &format!("{}names begin with", " ".repeat(marks)));
        line(out, &format!("{}{prefix}", " ".repeat(marks)));
    }
    let skipped = prefix.chars().count();
    let column = lengths(skipped) + usize::from(skipped > 0);
    for (entry, name) in entries.iter().zip(&names) {
        let name = match name.strip_prefix(prefix) {
            Some(rest) if skipped > 0 => format!("…{rest}"),
            _ => name.to_string(),
        };
        if column <= widest {
            let head = format!("{}{name:<column$}", entry.mark);
            said(out, &head, marks + column, entry, all);
        } else {
            line(out, &format!("{}{name}", entry.mark));
            if !entry.text.is_empty() {
                said(out, &" ".repeat(marks), marks, entry, all);
            }
        }
    }
}

/// Adds what is said of an entry behind a head that takes so many columns.
fn said(out: &mut String, head: &str, taken: usize, entry: &Entry, width: usize) {
    if entry.may_cut {
        let room = width.saturating_sub(taken + 2).max(20);
        line(out, &format!("{head}  {}", shorten(&entry.text, room)));
        return;
    }
    let text = plain(&entry.text);
    let words: Vec<&str> = text.split(' ').collect();
    filled(out, head, taken + 2, &words, width);
}

/// What all names begin with, up to a place where words end.
fn common_prefix<S: AsRef<str>>(names: &[S]) -> &str {
    let [first, others @ ..] = names else {
        return "";
    };
    let first = first.as_ref();
    let mut common = if others.is_empty() { 0 } else { first.len() };
    for other in others {
        let pairs = first.char_indices().zip(other.as_ref().chars());
        let equal = pairs.take_while(|((_, left), right)| left == right);
        let end = equal.map(|((at, c), _)| at + c.len_utf8()).last();
        common = common.min(end.unwrap_or(0));
    }
    let ends = |c: char| !c.is_alphanumeric();
    first[..common].rfind(ends).map_or("", |at| {
        let length = first[at..].chars().next().map_or(0, char::len_utf8);
        &first[..at + length]
    })
}

/// A step, or something else with a number, a name and values.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name; perhaps none.
    pub name: String,
    /// What comes with it.
    pub values: Vec<String>,
}

/// Adds rows, numbered from 0: names in a column, and values behind them, going on below where a line is full. A name that is
/// too long for the column has lines of its own.
pub fn rows(out: &mut String, rows: &[Row], width: usize) {
    let numbers = rows.len().saturating_sub(1).to_string().len();
    let widest = (width / 2).max(24);
    let lengths = rows.iter().map(|row| plain(&row.name).chars().count());
    let column = lengths
        .filter(|length| *length <= widest)
        .max()
        .unwrap_or(0);
    for (number, row) in rows.iter().enumerate() {
        let (name, values) = (
            plain(&row.name),
            row.values.iter().map(|value| plain(value)),
        );
        let last = row.values.len().saturating_sub(1);
        let values = values.enumerate();
        let values = values.map(|(index, value)| {
            if index < last {
                format!("{value},")
            } else {
                value.into()
            }
        });
        let values: Vec<String> = values.collect();
        let head = format!("  {number:>numbers$}  ");
        if name.chars().count() <= column {
            let head = format!("{head}{name:<column$}");
            filled(out, &head, numbers + 4 + column + 2, &values, width);
        } else {
            let words: Vec<&str> = name.split(' ').collect();
            filled(out, head.trim_end(), numbers + 4, &words, width);
            if !values.is_empty() {
                filled(out, "", numbers + 8, &values, width);
            }
        }
    }
}

/// Adds words behind a head, from column `indent` on, going on below where the line is full.
fn filled<S: AsRef<str>>(out: &mut String, head: &str, indent: usize, words: &[S], width: usize) {
    let mut text = head.to_owned();
    let visible = width_of(head);
    text.push_str(&" ".repeat(indent.saturating_sub(visible)));
    let mut used = indent;
    for word in words {
        let word = word.as_ref();
        let length = word.chars().count();
        if used > indent && used + 1 + length > width {
            line(out, &text);
            text = " ".repeat(indent);
            used = indent;
        }
        if used > indent {
            text.push(' ');
            used += 1;
        }
        text += word;
        used += length;
    }
    line(out, &text);
}

/// Columns that a text takes, without the escape sequences of colours.
fn width_of(text: &str) -> usize {
    let mut in_sequence = false;
    let visible = text.chars().filter(|&c| {
        let hidden = in_sequence || c == '\x1b';
        in_sequence = hidden && c != 'm';
        !hidden
    });
    visible.count()
}

fn line(out: &mut String, text: &str) {
    let _ = writeln!(out, "{}", text.trim_end());
}

/// The text as it can be shown, or its beginning if it is longer than this.
pub fn shorten(text: &str, length: usize) -> String {
    let text = plain(text);
    let Some((cut, _)) = text.char_indices().nth(length) else {
        return text.into_owned();
    };
    let last = text[..cut].char_indices().next_back();
    format!("{}…", &text[..last.map_or(0, |(at, _)| at)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(names: &[&str], width: Width) -> String {
        let all: Vec<Entry> = names
            .iter()
            .map(|name| Entry {
                mark: "  holds  ".into(),
                name: (*name).into(),
                text: "AG (something long about many places)".into(),
                may_cut: true,
            })
            .collect();
        let mut out = String::new();
        entries(&mut out, &all, width);
        out
    }

    /// Formulas may be longer than whatever can be padded.
    #[test]
    fn names_of_any_length_are_listed() {
        let long = "x".repeat(100_000);
        for width in [Width::Any, columns(80)] {
            let list = listed(&[&long, "short"], width);
            assert!(list.contains(&long) && list.contains("short"));
            assert!(list.len() < 110_000);
        }
        let table = crate::table::aligned(&["model"], &[vec![long.clone()], vec!["m".into()]]);
        assert!(table.contains(&long) && table.len() < 110_000);
    }

    const CONTEST: [&str; 2] = [
        "AirplaneLD-PT-0010-ReachabilityCardinality-2024-00",
        "AirplaneLD-PT-0010-ReachabilityCardinality-2024-01",
    ];

    fn columns(all: usize) -> Width {
        Width::Columns { all, marks: 9 }
    }

    #[test]
    fn what_names_begin_with_is_said_once() {
        insta::assert_snapshot!(listed(&CONTEST, columns(60)), @"
                 names begin with
                 AirplaneLD-PT-0010-ReachabilityCardinality-2024-
          holds  …00  AG (something long about many places)
          holds  …01  AG (something long about many places)
        ");
        assert_eq!(listed(&CONTEST, columns(60)), listed(&CONTEST, columns(80)));
        assert!(!listed(&CONTEST, columns(160)).contains('…'));
    }

    #[test]
    fn long_names_have_lines_of_their_own() {
        let names = [
            "the_very_first_name_of_a_property",
            "another_name_of_a_property",
        ];
        insta::assert_snapshot!(listed(&names, columns(40)), @"
          holds  the_very_first_name_of_a_property
                   AG (something long about man…
          holds  another_name_of_a_property
                   AG (something long about man…
        ");
    }

    #[test]
    fn nothing_is_cut_for_other_programs() {
        let lines = listed(&CONTEST, Width::Any);
        for (line, name) in lines.lines().zip(CONTEST) {
            assert!(line.contains(name) && line.ends_with("places)"), "{line}");
        }
    }

    #[test]
    fn equal_and_single_names_are_kept() {
        let long = "a-name-that-is-much-too-long-for-the-column";
        assert!(listed(&[long], columns(40)).contains(long));
        let twice = listed(&[long, long], columns(40));
        assert!(twice.contains("…column"), "{twice}");
    }

    #[test]
    fn prefixes_end_where_words_end() {
        for (names, expected) in [
            (&["a-b1", "a-b2"][..], "a-"),
            (&["ab", "ac"], ""),
            (&["é-x", "é-y"], "é-"),
            (&["p q", "p"], ""),
            (&["only-one"], ""),
            (&[], ""),
        ] {
            assert_eq!(common_prefix(names), expected, "{names:?}");
        }
    }

    #[test]
    fn steps_with_long_names_break() {
        let row = |name: &str, values: &[&str]| Row {
            name: name.into(),
            values: values.iter().map(|value| (*value).into()).collect(),
        };
        let all = [
            row("", &["x = 0", "y = 0"]),
            row("P: a -> b (line 3)", &["x = 1"]),
            row(
                "Sender: sending -> waiting, data!{3, 4}, Receiver: idle -> got (lines 12, 40)",
                &[
                    "Sender = waiting",
                    "Receiver = got",
                    "Receiver.message = 3",
                    "y = 4",
                ],
            ),
            row("P: b -> a (line 4)", &[]),
        ];
        let mut out = String::new();
        rows(&mut out, &all, 60);
        insta::assert_snapshot!(out, @"
          0                      x = 0, y = 0
          1  P: a -> b (line 3)  x = 1
          2  Sender: sending -> waiting, data!{3, 4}, Receiver: idle
             -> got (lines 12, 40)
                 Sender = waiting, Receiver = got,
                 Receiver.message = 3, y = 4
          3  P: b -> a (line 4)
        ");
    }
}
