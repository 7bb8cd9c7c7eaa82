//! Several errors at once.

use std::fmt;

use miette::{Diagnostic, LabeledSpan, Severity, SourceCode};

/// Everything that is wrong with an input; never empty.
///
/// As a [`Diagnostic`] a single error looks like itself, and several are shown as related to each other.
#[derive(Clone, Debug, thiserror::Error)]
pub struct Errors<E: Diagnostic + 'static> {
    list: Vec<E>,
}

impl<E: Diagnostic + 'static> Errors<E> {
    /// The value if nothing is wrong, and all errors otherwise.
    pub fn unless_none<T>(value: T, errors: Vec<E>) -> Result<T, Self> {
        if errors.is_empty() {
            Ok(value)
        } else {
            Err(Self { list: errors })
        }
    }

    /// The same, with the errors in the order of the text they point into.
    pub fn in_order<T>(value: T, mut errors: Vec<E>) -> Result<T, Self> {
        errors.sort_by_key(position);
        Self::unless_none(value, errors)
    }

    /// All errors.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.list.iter()
    }

    /// All errors, to keep.
    pub fn into_vec(self) -> Vec<E> {
        self.list
    }

    fn only(&self) -> Option<&E> {
        match &self.list[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// Where an error points to. Errors that point nowhere come last.
fn position(error: &impl Diagnostic) -> usize {
    let first = error.labels().and_then(|mut labels| labels.next());
    first.map_or(usize::MAX, |label| label.offset())
}

impl<E: Diagnostic + 'static> From<E> for Errors<E> {
    fn from(error: E) -> Self {
        Self { list: vec![error] }
    }
}

impl<E: Diagnostic + 'static> fmt::Display for Errors<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.only() {
            Some(only) => fmt::Display::fmt(only, f),
            None => write!(f, "{} errors", self.list.len()),
        }
    }
}

impl<E: Diagnostic + 'static> Diagnostic for Errors<E> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.only()?.code()
    }
    fn severity(&self) -> Option<Severity> {
        self.only()?.severity()
    }
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.only()?.help()
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.only()?.source_code()
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.only()?.labels()
    }
    fn diagnostic_source(&self) -> Option<&dyn Diagnostic> {
        self.only()?.diagnostic_source()
    }
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        match self.only() {
            Some(only) => only.related(),
            None => Some(Box::new(
                self.list.iter().map(|error| error as &dyn Diagnostic),
            )),
        }
    }
}
