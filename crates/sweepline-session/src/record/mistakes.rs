//! Wrong input as data.

use miette::{Diagnostic, LabeledSpan, SourceCode};
use serde::Serialize;

use super::SCHEMA;

/// What comes instead of a result if the input is wrong.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorRecord {
    /// Version of the contract.
    pub schema: u32,
    /// The name of the model, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What is wrong.
    pub error: Mistake,
}

/// Something that is wrong with the input.
#[derive(Clone, Debug, Serialize)]
pub struct Mistake {
    /// In a sentence.
    pub message: String,
    /// What kind of mistake it is, such as `dve::unknown_name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<MistakePlace>,
    /// Its parts, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Mistake>,
}

/// A place in a text.
#[derive(Clone, Debug, Serialize)]
pub struct MistakePlace {
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line; the first is 1.
    pub line: usize,
    /// The column; the first is 1.
    pub column: usize,
    /// What is wrong there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl ErrorRecord {
    /// What is wrong, in all detail.
    pub fn new(model: Option<String>, diagnostic: &dyn Diagnostic) -> Self {
        Self {
            schema: SCHEMA,
            model,
            error: Mistake::new(diagnostic, diagnostic.source_code()),
        }
    }
}

impl Mistake {
    /// `source` is the text that places are in if the diagnostic has none of its own.
    fn new(diagnostic: &dyn Diagnostic, source: Option<&dyn SourceCode>) -> Self {
        let source = diagnostic.source_code().or(source);
        let labels = diagnostic.labels().into_iter().flatten();
        let place = |label: LabeledSpan| {
            let seen = source?.read_span(label.inner(), 0, 0).ok()?;
            Some(MistakePlace {
                file: seen.name().map(str::to_owned),
                line: seen.line() + 1,
                column: seen.column() + 1,
                label: label.label().map(str::to_owned),
            })
        };
        let parts = diagnostic.related().into_iter().flatten();
        Self {
            message: diagnostic.to_string(),
            code: diagnostic.code().map(|code| code.to_string()),
            help: diagnostic.help().map(|help| help.to_string()),
            places: labels.filter_map(place).collect(),
            errors: parts.map(|part| Self::new(part, source)).collect(),
        }
    }
}
