//! Proper ends. The language has no word for a process that may stop, so they are marked in comments, which other tools skip:
//! `// sweepline: end E`, where `E` is an expression of the language. A state without steps in which it is true is no
//! deadlock.

use std::ops::Range;

use sweepline_program::Expr;
use sweepline_text::Source;

use crate::parser::parse_expression;
use crate::resolve::Resolver;

/// What a comment for us begins with.
const MARK: &str = "sweepline:";
/// The word that is ours; others are about measures.
const WORD: &str = "end";

impl Resolver<'_> {
    /// When a state without steps is a proper end, if the model says so. Several comments mean that either is.
    pub fn ends(&mut self) -> Option<Expr> {
        let mut all: Option<Expr> = None;
        for place in marked(self.source) {
            match parse_expression(&self.source.part(place)) {
                Ok(expr) => {
                    let end = self.expr(&expr, None);
                    all = Some(match all {
                        Some(earlier) => earlier.or(end),
                        None => end,
                    });
                }
                Err(errors) => self.errors.extend(errors),
            }
        }
        all
    }
}

/// The places of the expressions.
fn marked(source: &Source) -> impl Iterator<Item = Range<usize>> {
    let mut start = source.range().start;
    source.text().split_inclusive('\n').filter_map(move |line| {
        let line_start = start;
        start += line.len();
        let comment = line.find("//").or_else(|| line.find("/*"))?;
        let mark = comment + line[comment..].find(MARK)? + MARK.len();
        let rest = line[mark..].trim_start();
        let expression = rest.strip_prefix(WORD)?;
        if !expression.is_empty() && !expression.starts_with(char::is_whitespace) {
            return None;
        }
        let from = line.len() - expression.len();
        let expression = expression.split("*/").next().unwrap_or(expression);
        let length = expression.trim_end().len();
        Some(line_start + from..line_start + from + length)
    })
}
