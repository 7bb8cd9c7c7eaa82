//! What can be wrong with a text of CPN ML.

use miette::{Diagnostic, SourceSpan};
use sweepline_text::Errors;

/// Everything that is wrong with a text.
pub type MlErrors = Errors<MlError>;

sweepline_text::located_errors! {
    /// Something is wrong with a text of CPN ML. Each error names the element of the model.
    #[derive(Clone, Debug, Diagnostic, thiserror::Error)]
    pub enum MlError: ml, SourceSpan {
        /// Characters that are no token.
        Scan { element: String, why: String } scan: "{element}: {why}" [at: "here"],
        /// Something else should stand here.
        Unexpected { element: String, expected: String, found: String, #[help] help: Option<String> }
            unexpected: "{element}: expected {expected}, found {found}" [at: "here"],
        /// Too many levels.
        TooDeep { element: String, limit: usize } too_deep: "{element}: this is nested more than {limit} levels deep"
            [at: "this is too deep"] (help("give parts of it names of their own")),
        /// A name that is not declared.
        Unknown { element: String, what: &'static str, name: String, #[help] help: Option<String> }
            unknown: "{element}: there is no {what} `{name}`" [at: "not declared"],
        /// A name whose declaration is wrong.
        Faulty { element: String, name: String, why: String }
            faulty: "{element}: `{name}` cannot be used: {why}" [at: "its declaration is wrong"],
        /// Two types that should be one.
        Mismatch { element: String, expected: String, found: String, #[help] help: Option<String> }
            mismatch: "{element}: expected {expected}, found {found}" [at: "this is {found}"],
        /// Something that is part of Standard ML, but not of what is understood.
        NotUnderstood { element: String, what: String, #[help] help: Option<String> }
            not_understood: "{element}: {what}" [at: "here"],
        /// Something else is wrong.
        Wrong { element: String, why: String, #[help] help: Option<String> }
            wrong: "{element}: {why}" [at: "here"],
        /// A declaration whose value cannot be computed.
        NoValue { element: String, why: String } no_value: "{element}: the value cannot be computed: {why}"
            [at: "evaluated here"],
    }
}
