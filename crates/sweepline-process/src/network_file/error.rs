//! What can be wrong with a `.network` file.

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};
use sweepline_core::StopReason;

use crate::aut::AutError;

/// Something is wrong with a `.network` file.
#[derive(Debug, Diagnostic, thiserror::Error)]
pub enum NetworkFileError {
    /// There is no component.
    #[error("the network has no component")]
    #[diagnostic(
        code(network::empty),
        help("a component is a line `name = file.aut` or `file.aut`")
    )]
    Empty,

    /// Something is missing, or something else is in its place.
    #[error("expected {what}")]
    #[diagnostic(code(network::expected), help("{help}"))]
    Expected {
        /// What should be there.
        what: &'static str,
        /// What to do about it.
        help: String,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where it should be.
        #[label("expected {what} here")]
        at: SourceSpan,
    },

    /// Quotes are not closed on the same line.
    #[error("quotes are not closed")]
    #[diagnostic(
        code(network::unclosed_quotes),
        help("close them with \"; inside quotes, that mark is written twice")
    )]
    UnclosedQuotes {
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// From the mark on.
        #[label("from here to the end of the line")]
        at: SourceSpan,
    },

    /// Two components have the same name.
    #[error("two components are called `{name}`")]
    #[diagnostic(
        code(network::duplicate_name),
        help("give one of them another name: `other = file.aut`")
    )]
    DuplicateName {
        /// The name.
        name: String,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The first component.
        #[label("first here")]
        first: SourceSpan,
        /// The second component.
        #[label("and again here")]
        at: SourceSpan,
    },

    /// A label that is not in the alphabet.
    #[error("{owner} has no label `{label}`")]
    #[diagnostic(code(network::unknown_label))]
    UnknownLabel {
        /// The component, or the network.
        owner: String,
        /// The label.
        label: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The label's place.
        #[label("no such label")]
        at: SourceSpan,
    },

    /// Priorities are given twice.
    #[error("priorities are given twice")]
    #[diagnostic(
        code(network::two_priorities),
        help("write one line, `high` or `low`, with all labels")
    )]
    TwoPriorities {
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The second line.
        #[label("given before")]
        at: SourceSpan,
    },

    /// The file of a component cannot be read.
    #[error("component `{name}` cannot be read from `{file}`")]
    #[diagnostic(code(network::component))]
    Component {
        /// The component.
        name: String,
        /// Its file.
        file: String,
        /// What is wrong with it.
        #[diagnostic_source]
        cause: Box<dyn Diagnostic + Send + Sync>,
        /// The network's file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where the component's file is named.
        #[label("this file")]
        at: SourceSpan,
    },

    /// A limit was reached before the whole was known; nothing is wrong with the file so far.
    #[error("the network could not be read to its end: {0}")]
    #[diagnostic(code(network::stopped))]
    Stopped(StopReason),
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
