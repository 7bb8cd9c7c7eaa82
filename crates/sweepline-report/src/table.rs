//! Tables for reading.

use std::fmt::Write;

use crate::lines;

/// The first column to the left, the others to the right.
pub fn align(table: &[Vec<String>]) -> String {
    let width = |column: usize| {
        table
            .iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table[0].len()).map(width).collect();
    let mut text = String::new();
    for row in table {
        let _ = write!(text, "  {:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
    text
}

/// The same with a line of headings.
pub fn aligned(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = vec![headings.iter().map(ToString::to_string).collect()];
    table.extend_from_slice(rows);
    align(&table)
}

/// The same where lines have no more than so many characters: a table that is wider becomes a list, with all figures of a
/// row below its name.
pub fn fitting(headings: &[&str], rows: &[Vec<String>], width: usize) -> String {
    let table = aligned(headings, rows);
    if table.lines().all(|line| line.chars().count() <= width) {
        return table;
    }
    let mut list = String::new();
    for row in rows {
        let Some((name, cells)) = row.split_first() else {
            continue;
        };
        let _ = writeln!(list, "  {name}");
        let last = cells.len();
        let named = (1..).zip(headings.iter().skip(1).zip(cells));
        let named = named.map(|(number, (heading, cell))| {
            format!("{heading} {cell}{}", if number < last { "," } else { "" })
        });
        let named: Vec<String> = named.collect();
        list += &lines::pieces("    ", named.iter().map(String::as_str), width);
    }
    list
}

/// A Markdown table.
pub fn markdown(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!(
        "| {} |\n|{}\n",
        headings.join(" | "),
        " --- |".repeat(headings.len())
    );
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

/// A field of a file with comma-separated values.
pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
