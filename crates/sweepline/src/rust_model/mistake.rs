//! What is wrong with a text, in words for a panic: no terminal is known there.

use std::fmt::Write;

use miette::{Diagnostic, LabeledSpan};
use sweepline_logic::Errors;

/// All errors in a text: what is wrong, the line with what it points to, and what helps.
pub(crate) fn in_words<E: Diagnostic + 'static>(
    whose: &str,
    text: &str,
    errors: &Errors<E>,
) -> String {
    let mut out = format!("{whose}:");
    for error in errors.iter() {
        let _ = write!(out, "\n{error}");
        for label in error.labels().into_iter().flatten() {
            point(&mut out, text, &label);
        }
        if let Some(help) = error.help() {
            let _ = write!(out, "\n  help: {help}");
        }
    }
    out
}

/// The line a label points into, and marks below what it points to.
fn point(out: &mut String, text: &str, label: &LabeledSpan) {
    let at = text.floor_char_boundary(label.offset());
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let width = |text: &str| text.chars().count();
    let from = (at - start).min(line.len());
    let to = line.floor_char_boundary(from + label.len());
    let marks = "^".repeat(width(&line[from..to]).max(1));
    let what = label.label().unwrap_or_default();
    let indent = " ".repeat(width(&line[..from]));
    let _ = write!(out, "\n  {line}\n  {indent}{marks} {what}");
}
