//! What can be wrong with a `.network` file.

use miette::{Diagnostic, SourceSpan};
use sweepline_core::StopReason;

use crate::aut::AutError;

sweepline_text::located_errors! {
    /// Something is wrong with a `.network` file.
    #[derive(Debug, Diagnostic, thiserror::Error)]
    pub enum NetworkFileError: network, SourceSpan {
        /// There is no component.
        Empty {} empty: "the network has no component"
            (help("a component is a line `name = file.aut` or `file.aut`")),
        /// Something is missing, or something else is in its place.
        Expected { what: &'static str, help: String } expected: "expected {what}"
            [at: "expected {what} here"] (help("{help}")),
        /// Quotes are not closed on the same line.
        UnclosedQuotes {} unclosed_quotes: "quotes are not closed"
            [at: "from here to the end of the line"]
            (help("close them with \"; inside quotes, that mark is written twice")),
        /// Two components have the same name.
        DuplicateName { name: String } duplicate_name: "two components are called `{name}`"
            [first: "first here", at: "and again here"] (help("give one of them another name: `other = file.aut`")),
        /// A label that is not in the alphabet.
        UnknownLabel { owner: String, label: String, #[help] help: Option<String> }
            unknown_label: "{owner} has no label `{label}`" [at: "no such label"],
        /// Priorities are given twice.
        TwoPriorities {} two_priorities: "priorities are given twice"
            [at: "given before"] (help("write one line, `high` or `low`, with all labels")),
        /// The file of a component cannot be read.
        Component { name: String, file: String, #[diagnostic_source] cause: Box<dyn Diagnostic + Send + Sync> }
            component: "component `{name}` cannot be read from `{file}`" [at: "this file"],
        ;
        /// A limit was reached before the whole was known; nothing is wrong with the file so far.
        #[error("the network could not be read to its end: {0}")]
        #[diagnostic(code(network::stopped))]
        Stopped(StopReason),
    }
}

impl NetworkFileError {
    /// The limit that was reached, if nothing is wrong with the file so far.
    pub fn stopped(&self) -> Option<&StopReason> {
        match self {
            Self::Stopped(reason) => Some(reason),
            _ => None,
        }
    }
}

/// Why there is no LTS for a component.
#[derive(Debug)]
pub enum NotLoaded {
    /// Something is wrong with its file.
    Wrong(Box<dyn Diagnostic + Send + Sync>),
    /// A limit was reached first.
    Stopped(StopReason),
}

impl From<Box<dyn Diagnostic + Send + Sync>> for NotLoaded {
    fn from(cause: Box<dyn Diagnostic + Send + Sync>) -> Self {
        Self::Wrong(cause)
    }
}

impl From<AutError> for NotLoaded {
    fn from(error: AutError) -> Self {
        match error {
            AutError::Stopped(reason) => Self::Stopped(reason),
            error => Self::Wrong(Box::new(error)),
        }
    }
}
