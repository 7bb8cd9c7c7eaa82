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
            .min(lines::WIDEST)
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

/// The same with commas, for spreadsheets.
pub fn comma_separated(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = headings.join(",") + "\n";
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

/// Pairs of names and values in three columns, or in fewer if lines would be longer than this. The columns are three groups of
/// four; where there are fewer, what belongs together stands together.
pub fn grid(pairs: &[(&str, String); 12], width: usize) -> Vec<String> {
    let fits = |lines: &Vec<String>| lines.iter().all(|line| line.chars().count() <= width);
    let narrower = [3, 2].map(|columns| grid_lines(pairs, columns));
    let found = narrower.into_iter().find(fits);
    found.unwrap_or_else(|| grid_lines(pairs, 1))
}

fn grid_lines(grid: &[(&str, String); 12], columns: usize) -> Vec<String> {
    let order = |index: usize| match columns {
        3 => index,
        _ => index % 4 * 3 + index / 4,
    };
    let grid: Vec<_> = (0..grid.len()).map(|index| &grid[order(index)]).collect();
    let widths = |column: usize| {
        let cells = grid.iter().skip(column).step_by(columns);
        let names = cells.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
        let values = cells.map(|(_, value)| value.chars().count()).max();
        (names, values.unwrap_or(0).min(lines::WIDEST))
    };
    let line = |line: &[&(&str, String)]| {
        let mut text = String::from(" ");
        for (column, (name, value)) in line.iter().enumerate() {
            let (names, values) = widths(column);
            let _ = write!(text, " {name:<names$}  {value:>values$} ");
        }
        text.trim_end().to_owned()
    };
    grid.chunks(columns).map(line).collect()
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
