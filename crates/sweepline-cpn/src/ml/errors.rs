//! What can be wrong with a text of CPN ML.

use miette::{Diagnostic, SourceSpan};
use sweepline_text::{Errors, shortened_to};

use crate::ml::Origin;
use crate::ml::syntax::Span;

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

impl MlError {
    /// The message without the element, for those who use the names of a wrong declaration.
    pub(crate) fn cause(&self) -> String {
        let message = self.to_string();
        let (Self::Scan { element, .. }
        | Self::Unexpected { element, .. }
        | Self::TooDeep { element, .. }
        | Self::Unknown { element, .. }
        | Self::Faulty { element, .. }
        | Self::Mismatch { element, .. }
        | Self::NotUnderstood { element, .. }
        | Self::Wrong { element, .. }
        | Self::NoValue { element, .. }) = self;
        let cause = message.strip_prefix(&format!("{element}: "));
        cause.unwrap_or(&message).to_string()
    }
}

/// What was reported; whoever returns it has reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// Either what was asked for, or an error was reported.
pub(crate) type Checked<T> = Result<T, Reported>;

/// The errors of one text, as they are found.
pub(crate) struct Report<'a> {
    pub text: &'a str,
    pub origin: &'a Origin,
    pub errors: Vec<MlError>,
}

/// At most this many errors of one text are listed.
const MOST: usize = 20;

impl<'a> Report<'a> {
    pub fn new(text: &'a str, origin: &'a Origin) -> Self {
        Self {
            text,
            origin,
            errors: Vec::new(),
        }
    }

    /// What the text is, or what is wrong with it.
    pub fn finish<T>(self, result: Checked<T>) -> Result<T, MlErrors> {
        match result {
            Ok(value) => Errors::in_order(value, self.errors),
            Err(Reported) => {
                Err(Errors::in_order((), self.errors).expect_err("an error was reported"))
            }
        }
    }

    fn push<T>(&mut self, error: MlError) -> Checked<T> {
        if self.errors.len() < MOST {
            self.errors.push(error);
        }
        Err(Reported)
    }

    fn element(&self) -> String {
        self.origin.element().to_string()
    }

    fn at(&self, span: Span) -> SourceSpan {
        self.origin.locate(self.text, span.range()).into()
    }

    fn source(&self) -> miette::NamedSource<std::sync::Arc<str>> {
        self.origin.source().named()
    }

    pub fn scan<T>(&mut self, span: Span, why: String) -> Checked<T> {
        let (element, text, at) = (self.element(), self.source(), self.at(span));
        self.push(MlError::Scan {
            element,
            why,
            text,
            at,
        })
    }

    pub fn unexpected<T>(
        &mut self,
        span: Span,
        expected: &str,
        found: String,
        help: Option<String>,
    ) -> Checked<T> {
        let (element, text, at) = (self.element(), self.source(), self.at(span));
        let expected = expected.to_string();
        self.push(MlError::Unexpected {
            element,
            expected,
            found,
            help,
            text,
            at,
        })
    }

    pub fn too_deep<T>(&mut self, span: Span, limit: usize) -> Checked<T> {
        let (element, text, at) = (self.element(), self.source(), self.at(span));
        self.push(MlError::TooDeep {
            element,
            limit,
            text,
            at,
        })
    }

    pub fn unknown<T>(
        &mut self,
        span: Span,
        what: &'static str,
        name: &str,
        help: Option<String>,
    ) -> Checked<T> {
        let (element, text, at) = (self.element(), self.source(), self.at(span));
        let name = shortened_to(name, 60);
        self.push(MlError::Unknown {
            element,
            what,
            name,
            help,
            text,
            at,
        })
    }

    pub fn faulty<T>(&mut self, span: Span, name: &str, why: &str) -> Checked<T> {
        let (element, text, at) = (self.element(), self.source(), self.at(span));
        let (name, why) = (shortened_to(name, 60), why.to_string());
        self.push(MlError::Faulty {
            element,
            name,
            why,
            text,
            at,
        })
    }

    pub fn mismatch<T>(
        &mut self,
        span: Span,
        expected: String,
        found: String,
        help: Option<String>,
    ) -> Checked<T> {
        let (element, text, at) = (self.element(), self.source(), self.at(span));
        self.push(MlError::Mismatch {
            element,
            expected,
            found,
            help,
            text,
            at,
        })
    }

    pub fn not_understood<T>(
        &mut self,
        span: Span,
        what: String,
        help: Option<String>,
    ) -> Checked<T> {
        let (element, text, at) = (self.element(), self.source(), self.at(span));
        self.push(MlError::NotUnderstood {
            element,
            what,
            help,
            text,
            at,
        })
    }

    pub fn wrong<T>(&mut self, span: Span, why: String, help: Option<String>) -> Checked<T> {
        let (element, text, at) = (self.element(), self.source(), self.at(span));
        self.push(MlError::Wrong {
            element,
            why,
            help,
            text,
            at,
        })
    }

    pub fn no_value<T>(&mut self, span: Span, why: String) -> Checked<T> {
        let (element, text, at) = (self.element(), self.source(), self.at(span));
        self.push(MlError::NoValue {
            element,
            why,
            text,
            at,
        })
    }
}
