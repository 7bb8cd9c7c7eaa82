//! What can be wrong with an `.aut` file.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use sweepline_core::StopReason;

/// Something is wrong with an `.aut` file.
#[derive(Debug, Diagnostic, thiserror::Error)]
pub enum AutError {
    /// The file could not be read.
    #[error("the file could not be read")]
    #[diagnostic(code(aut::io))]
    Io(#[from] io::Error),

    /// A limit was reached before the end of the file; nothing is wrong with it.
    #[error("the file could not be read to its end: {0}")]
    #[diagnostic(code(aut::stopped))]
    Stopped(StopReason),

    /// There is no line.
    #[error("the file is empty")]
    #[diagnostic(
        code(aut::empty),
        help("the first line is `des (first, transitions, states)`, for example `des (0, 2, 2)`")
    )]
    Empty,

    /// The first line is not a header.
    #[error("the file does not begin with a header")]
    #[diagnostic(
        code(aut::header),
        help("the first line is `des (first, transitions, states)`, for example `des (0, 2, 2)`")
    )]
    Header {
        /// The line.
        #[source_code]
        text: Excerpt,
        /// What is there instead.
        #[label("expected `des`")]
        at: SourceSpan,
    },

    /// Something is missing, or something else is in its place.
    #[error("expected {what}")]
    #[diagnostic(code(aut::expected), help("{help}"))]
    Expected {
        /// What should be there.
        what: &'static str,
        /// What to do about it.
        help: &'static str,
        /// The line.
        #[source_code]
        text: Excerpt,
        /// Where it should be.
        #[label("expected {what} here")]
        at: SourceSpan,
    },

    /// A number that is too large.
    #[error("{what} is too large")]
    #[diagnostic(
        code(aut::large_number),
        help("there can be at most {} states", u32::MAX)
    )]
    LargeNumber {
        /// What it is the number of.
        what: &'static str,
        /// The line.
        #[source_code]
        text: Excerpt,
        /// The number.
        #[label("too large")]
        at: SourceSpan,
    },

    /// A state number that the header does not allow.
    #[error("there is no state {state}: the header announces {states} states")]
    #[diagnostic(code(aut::no_such_state), help("{help}"))]
    NoSuchState {
        /// The number.
        state: u64,
        /// How many states there are.
        states: u64,
        /// What to do about it.
        help: String,
        /// The line.
        #[source_code]
        text: Excerpt,
        /// The number's place.
        #[label("no such state")]
        at: SourceSpan,
    },

    /// A label begins or ends with a quotation mark, but not both.
    #[error("quotes are not closed")]
    #[diagnostic(
        code(aut::unclosed_quotes),
        help("put quotes on both sides of the label, or on none")
    )]
    UnclosedQuotes {
        /// The line.
        #[source_code]
        text: Excerpt,
        /// The label.
        #[label("this label")]
        at: SourceSpan,
    },

    /// A label is not text.
    #[error("a label is not UTF-8 text")]
    #[diagnostic(
        code(aut::not_text),
        help("is it the right file? If so, convert it to UTF-8")
    )]
    NotText {
        /// The line.
        #[source_code]
        text: Excerpt,
        /// The label.
        #[label("this label")]
        at: SourceSpan,
    },

    /// Fewer transitions than the header says.
    #[error("the header announces {announced} transitions, but there are only {found}")]
    #[diagnostic(
        code(aut::too_few_transitions),
        help("is the file complete? If so, write {found} instead")
    )]
    TooFewTransitions {
        /// What the header says.
        announced: u64,
        /// What there is.
        found: u64,
        /// The header.
        #[source_code]
        text: Excerpt,
        /// The number.
        #[label("this number")]
        at: SourceSpan,
    },

    /// More transitions than the header says.
    #[error("the header announces {announced} transitions, but there are more")]
    #[diagnostic(
        code(aut::too_many_transitions),
        help("correct the header, or remove what follows")
    )]
    TooManyTransitions {
        /// What the header says.
        announced: u64,
        /// The first line that is too many.
        #[source_code]
        text: Excerpt,
        /// All of it.
        #[label("one too many")]
        at: SourceSpan,
    },

    /// Many more states than there can be in the transitions.
    #[error(
        "the header announces {announced} states, but there are only {transitions} transitions"
    )]
    #[diagnostic(
        code(aut::too_many_states),
        help("most of these states could not be reached; correct the header")
    )]
    TooManyStates {
        /// What the header says.
        announced: u64,
        /// How many transitions there are.
        transitions: u64,
        /// The header.
        #[source_code]
        text: Excerpt,
        /// The number.
        #[label("this number")]
        at: SourceSpan,
    },
}

impl AutError {
    /// The limit that was reached, if nothing is wrong with the file so far.
    pub fn stopped(&self) -> Option<&StopReason> {
        match self {
            Self::Stopped(reason) => Some(reason),
            _ => None,
        }
    }
}

/// A part of one line of a file: files can be too large to keep for the sake of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    name: Arc<str>,
    /// Both count from 0.
    line: usize,
    column: usize,
    text: String,
}

/// Bytes of a line that are shown on each side of what is wrong.
const MARGIN: usize = 100;

impl Excerpt {
    /// The surroundings of some bytes of a line, and the place of these bytes in them.
    pub(super) fn new(
        name: &str,
        number: usize,
        line: &[u8],
        at: Range<usize>,
    ) -> (Self, SourceSpan) {
        let start = at.start.saturating_sub(MARGIN);
        let shown_end = at.end.min(at.start + MARGIN);
        let end = (shown_end + MARGIN).min(line.len());
        let before = String::from_utf8_lossy(&line[start..at.start]);
        let inside = String::from_utf8_lossy(&line[at.start..shown_end]);
        let after = String::from_utf8_lossy(&line[shown_end..end]);
        // Behind the last character there must be something to point at.
        let line_end = if end == line.len() { "\n" } else { "" };
        let span = (before.len(), inside.len()).into();
        let excerpt = Self {
            name: name.into(),
            line: number,
            column: start,
            text: [&before, &inside, &after, line_end].concat(),
        };
        (excerpt, span)
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.to_string(),
            inner.data(),
            *inner.span(),
            self.line + inner.line(),
            self.column + inner.column(),
            inner.line_count(),
        )))
    }
}
