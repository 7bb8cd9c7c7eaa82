//! What the tests of several modules need.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

/// What a user sees of an error.
pub(crate) fn rendered(error: &dyn Diagnostic) -> String {
    let mut text = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(80)
        .render_report(&mut text, error)
        .unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}
