//! What can be wrong with a model.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use miette::{Diagnostic, LabeledSpan};
use sweepline_net::reading::label;
use sweepline_net::{InputErrors, XmlError};

/// Everything that is wrong with a file.
pub type CpnErrors = InputErrors<CpnError>;

/// Something that is wrong with a model, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpnError {
    code: Cow<'static, str>,
    message: String,
    help: Option<String>,
    label: String,
    at: Option<Range<usize>>,
}

impl CpnError {
    /// What is wrong, and the bytes of the file where that is.
    pub fn new(code: &'static str, message: impl Into<String>, at: Range<usize>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            help: None,
            label: "here".to_owned(),
            at: Some(at),
        }
    }

    /// What is wrong with something that does not stand in the file.
    pub fn nowhere(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            at: None,
            ..Self::new(code, message, 0..0)
        }
    }

    /// The same with advice.
    #[must_use]
    pub fn helped(self, help: impl Into<String>) -> Self {
        let help = Some(help.into());
        Self { help, ..self }
    }

    /// The same with advice, if there is any.
    #[must_use]
    pub fn helped_by(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }

    /// The same with other words beside the place.
    #[must_use]
    pub fn labelled(self, label: impl Into<String>) -> Self {
        let label = label.into();
        Self { label, ..self }
    }
}

impl CpnError {
    /// What somebody else found out about the same file.
    pub fn of(error: &dyn Diagnostic) -> Self {
        let label = error.labels().and_then(|mut labels| labels.next());
        let at = label.as_ref().map(|label| {
            let start = label.offset();
            start..start + label.len()
        });
        let words = label.as_ref().and_then(LabeledSpan::label);
        let code = error.code().map(|code| code.to_string());
        Self {
            code: code.unwrap_or_else(|| "cpn::wrong".to_owned()).into(),
            message: error.to_string(),
            help: error.help().map(|help| help.to_string()),
            label: words.unwrap_or("here").to_owned(),
            at,
        }
    }
}

impl From<XmlError> for CpnError {
    fn from(error: XmlError) -> Self {
        Self::of(&error)
    }
}

impl fmt::Display for CpnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CpnError {}

impl Diagnostic for CpnError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&*self.code))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.help.as_ref()?))
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = label(self.at.clone()?);
        let label = LabeledSpan::new_with_span(Some(self.label.clone()), span);
        Some(Box::new(std::iter::once(label)))
    }
}
