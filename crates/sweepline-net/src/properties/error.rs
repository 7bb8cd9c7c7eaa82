//! What can be wrong with a property file.

use miette::{Diagnostic, SourceSpan};

use crate::diagnostics::{InputErrors, SourceText};
use crate::xml::XmlError;

/// One thing that is wrong with a property file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
pub enum PropertyError {
    /// The file is not usable XML.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Xml(#[from] XmlError),

    /// The file is some other kind of document.
    #[error("this is no property file: its root element is `{found}`, not `property-set`")]
    #[diagnostic(code(property::wrong_root))]
    WrongRoot {
        /// The root element.
        found: String,
        /// Where.
        #[label("expected `property-set`")]
        at: SourceSpan,
    },

    /// The file contains no property.
    #[error("there is no property in the file")]
    #[diagnostic(code(property::none))]
    NoProperty {
        /// The root element.
        #[label("contains no `property`")]
        at: SourceSpan,
    },

    /// A property lacks a part.
    #[error("a property has no `{element}`")]
    #[diagnostic(code(property::missing))]
    Missing {
        /// The missing element.
        element: &'static str,
        /// The property.
        #[label("`{element}` is missing here")]
        at: SourceSpan,
    },

    /// Two properties have the same id.
    #[error("two properties have the id `{id}`")]
    #[diagnostic(
        code(property::duplicate_id),
        help("results are reported by id, so ids must differ")
    )]
    DuplicateId {
        /// The id.
        id: String,
        /// The first property.
        #[label("first used here")]
        first: SourceSpan,
        /// The second property.
        #[label(primary, "used again here")]
        at: SourceSpan,
    },

    /// An element is not part of the language.
    #[error("property `{property}`: unexpected element `{element}`")]
    #[diagnostic(code(property::unknown_element))]
    UnknownElement {
        /// The property.
        property: String,
        /// The element.
        element: String,
        /// A similar element.
        #[help]
        help: Option<String>,
        /// Where.
        #[label("not expected here")]
        at: SourceSpan,
    },

    /// An element contains too few or too many others.
    #[error("property `{property}`: `{element}` takes {expected}, not {found}")]
    #[diagnostic(code(property::arity))]
    Arity {
        /// The property.
        property: String,
        /// The element.
        element: String,
        /// What it takes.
        expected: &'static str,
        /// How many there are.
        found: usize,
        /// Where.
        #[label("contains {found}")]
        at: SourceSpan,
    },

    /// A condition stands for a number or the other way round.
    #[error("property `{property}`: `{element}` takes {expected}")]
    #[diagnostic(code(property::sort))]
    Sort {
        /// The property.
        property: String,
        /// The element.
        element: String,
        /// What it takes.
        expected: &'static str,
        /// Where.
        #[label("contains something else")]
        at: SourceSpan,
    },

    /// A constant is not a number.
    #[error("property `{property}`: `{found}` is not a number")]
    #[diagnostic(
        code(property::number),
        help("write a number like 0 or 12, at most 9223372036854775807")
    )]
    NotANumber {
        /// The property.
        property: String,
        /// What stands there.
        found: String,
        /// Where.
        #[label("expected a number")]
        at: SourceSpan,
    },

    /// A place or transition does not exist.
    #[error("property `{property}`: unknown {kind} `{name}`")]
    #[diagnostic(code(property::unknown_node))]
    UnknownNode {
        /// The property.
        property: String,
        /// Place or transition.
        kind: &'static str,
        /// The name.
        name: String,
        /// A similar name.
        #[help]
        help: Option<String>,
        /// Where.
        #[label("the net has no {kind} with this id or name")]
        at: SourceSpan,
    },

    /// Several places or transitions have the name.
    #[error("property `{property}`: several {kind}s are called `{name}`")]
    #[diagnostic(code(property::ambiguous), help("use the id instead of the name"))]
    Ambiguous {
        /// The property.
        property: String,
        /// Place or transition.
        kind: &'static str,
        /// The name.
        name: String,
        /// Where.
        #[label("which one?")]
        at: SourceSpan,
    },

    /// Writing a formula without `equivalence` would make it huge.
    #[error("property `{property}`: too many nested `{element}`s of path formulas")]
    #[diagnostic(code(property::too_large), help("state it as several properties"))]
    TooLarge {
        /// The property.
        property: String,
        /// The element.
        element: String,
        /// Where.
        #[label("here it becomes too large")]
        at: SourceSpan,
    },
}

/// A property that is wrong.
#[derive(Debug)]
pub struct WrongProperty {
    /// Its id, or its number in the file if it has none of its own.
    pub name: String,
    /// What is wrong with it.
    pub errors: InputErrors<PropertyError>,
    pub(super) position: usize,
}

/// Not all properties of a file can be checked.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum IncompleteSet {
    /// Some are wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Wrong(#[from] InputErrors<PropertyError>),
    /// Some need another logic.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Refused(#[from] InputErrors<Refusal>),
}

/// A property that is stated correctly but cannot be checked.
#[derive(Clone, Debug, thiserror::Error, Diagnostic)]
#[error("property `{property}` is a formula of CTL*, neither CTL nor LTL")]
#[diagnostic(
    code(property::temporal),
    help(
        "in CTL every path operator stands directly below a path quantifier; in LTL there is one path quantifier around all"
    )
)]
pub struct Refusal {
    /// The id of the property.
    pub property: String,
    /// The formula as it is written.
    pub text: String,
    /// The first operator that is too much.
    pub operator: String,
    pub(super) position: usize,
    #[source_code]
    pub(super) source_text: SourceText,
    /// Where that operator stands.
    #[label("`{operator}` here makes it CTL*")]
    pub at: SourceSpan,
}
