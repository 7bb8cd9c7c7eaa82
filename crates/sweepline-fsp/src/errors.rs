//! What can be wrong with a model.

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};
use sweepline_core::StopReason;
use sweepline_text::Errors;

/// Everything that is wrong with a model.
pub type FspErrors = Errors<FspError>;

/// Something is wrong with a model.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
pub enum FspError {
    /// A character that means nothing.
    #[error("`{character}` means nothing here")]
    #[diagnostic(code(fsp::stray_character))]
    Stray {
        /// The character.
        character: char,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("not part of the language")]
        at: SourceSpan,
    },

    /// A comment does not end.
    #[error("the comment does not end")]
    #[diagnostic(code(fsp::unclosed_comment), help("close it with `*/`"))]
    UnclosedComment {
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("starts here")]
        at: SourceSpan,
    },

    /// Digits that are no number.
    #[error("`{digits}` is not a number")]
    #[diagnostic(
        code(fsp::bad_number),
        help("numbers are decimal and fit into 64 bits; a name does not begin with a digit")
    )]
    BadNumber {
        /// What stands there, shortened.
        digits: String,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("not a number")]
        at: SourceSpan,
    },

    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    #[diagnostic(code(fsp::unexpected))]
    Unexpected {
        /// What should stand here.
        expected: String,
        /// What stands here.
        found: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("here")]
        at: SourceSpan,
    },

    /// Too many levels.
    #[error("this is nested more than {limit} levels deep")]
    #[diagnostic(code(fsp::too_deep), help("give parts of it names of their own"))]
    TooDeep {
        /// How many levels are allowed.
        limit: usize,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("this is too deep")]
        at: SourceSpan,
    },

    /// A name with the wrong first letter.
    #[error("{what} `{name}` begins with {case} letter")]
    #[diagnostic(code(fsp::wrong_case))]
    WrongCase {
        /// What has the name.
        what: &'static str,
        /// The name.
        name: String,
        /// The wrong case, with an article.
        case: &'static str,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("wrong case")]
        at: SourceSpan,
    },

    /// A name that is not defined.
    #[error("there is no {what} `{name}`")]
    #[diagnostic(code(fsp::undefined))]
    Undefined {
        /// What it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("not defined")]
        at: SourceSpan,
    },

    /// A name that is defined as something else.
    #[error("`{name}` is {is}, not {wanted}")]
    #[diagnostic(code(fsp::wrong_kind))]
    WrongKind {
        /// The name.
        name: String,
        /// What it is.
        is: &'static str,
        /// What it should be.
        wanted: &'static str,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("{is}")]
        at: SourceSpan,
    },

    /// Two definitions of one name.
    #[error("`{name}` is defined twice")]
    #[diagnostic(code(fsp::duplicate), help("rename one of them"))]
    Duplicate {
        /// The name.
        name: String,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The other place.
        #[label("first here")]
        first: SourceSpan,
        /// Where.
        #[label("and again here")]
        at: SourceSpan,
    },

    /// An index outside the range of a local process.
    #[error("there is no local process `{instance}`")]
    #[diagnostic(code(fsp::no_such_index))]
    NoSuchIndex {
        /// The process with its indices.
        instance: String,
        /// Which indices there are.
        range: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("leads out of {range}")]
        at: SourceSpan,
        /// The definition.
        #[label("{range}")]
        because: SourceSpan,
    },

    /// A wrong number of indices or arguments.
    #[error("`{name}` takes {expected}, not {found}")]
    #[diagnostic(code(fsp::wrong_count))]
    WrongCount {
        /// The process.
        name: String,
        /// How many it takes.
        expected: String,
        /// How many are here.
        found: usize,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("{found} here")]
        at: SourceSpan,
        /// The definition.
        #[label("takes {expected}")]
        because: SourceSpan,
    },

    /// An expression without value.
    #[error("the value cannot be computed: {why}")]
    #[diagnostic(code(fsp::arithmetic))]
    Arithmetic {
        /// What goes wrong.
        why: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("here")]
        at: SourceSpan,
    },

    /// A range, set or composition without elements.
    #[error("{what} is empty")]
    #[diagnostic(code(fsp::empty))]
    Empty {
        /// What is empty.
        what: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("nothing in it")]
        at: SourceSpan,
    },

    /// Something is too large.
    #[error("{what} has more than {limit} {of}")]
    #[diagnostic(code(fsp::too_large), help("choose smaller ranges and constants"))]
    TooLarge {
        /// What is too large.
        what: String,
        /// How large it can be.
        limit: usize,
        /// What is counted.
        of: &'static str,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("too large")]
        at: SourceSpan,
    },

    /// A state of a composition that is needed as a whole has more steps than can be listed.
    #[error("{message}")]
    #[diagnostic(
        code(fsp::too_many_steps),
        help("let fewer processes share the action, or choose smaller constants")
    )]
    TooManySteps {
        /// Which steps.
        message: String,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("needed as a whole")]
        at: SourceSpan,
    },

    /// A process that never does anything.
    #[error("`{name}` is defined by itself, without an action")]
    #[diagnostic(
        code(fsp::unguarded_recursion),
        help("put an action in front: `{name} = (action -> …)`")
    )]
    Unguarded {
        /// The process.
        name: String,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("leads back to itself without an action")]
        at: SourceSpan,
    },

    /// A process that is made of itself.
    #[error("`{name}` contains itself")]
    #[diagnostic(code(fsp::recursive))]
    Recursive {
        /// The process.
        name: String,
        /// The way back to it.
        path: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("{path}")]
        at: SourceSpan,
    },

    /// A property that does not know where it is.
    #[error("property `{name}` is not deterministic")]
    #[diagnostic(code(fsp::nondeterministic_property))]
    NondeterministicProperty {
        /// The property.
        name: String,
        /// What is not deterministic.
        why: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("{why}")]
        at: SourceSpan,
    },

    /// Something that has no meaning here.
    #[error("{what} cannot stand here")]
    #[diagnostic(code(fsp::misplaced))]
    Misplaced {
        /// What is misplaced.
        what: &'static str,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("here")]
        at: SourceSpan,
    },

    /// A composition to take that does not exist.
    #[error("there is no process or composition `{name}`")]
    #[diagnostic(code(fsp::unknown_composition))]
    UnknownComposition {
        /// The name.
        name: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
    },

    /// There is nothing to run.
    #[error("the model has no process")]
    #[diagnostic(code(fsp::no_process), help("define one: `P = (action -> P).`"))]
    NoProcess,

    /// A constant to override that does not exist.
    #[error("there is no constant `{name}` to set")]
    #[diagnostic(code(fsp::unknown_constant))]
    UnknownConstant {
        /// The name.
        name: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
    },

    /// A limit was reached before all of the model was known; nothing is wrong with it so far.
    #[error("the model could not be read to its end: {0}")]
    #[diagnostic(code(fsp::stopped))]
    Stopped(StopReason),

    /// Further errors.
    #[error("and {count} more errors")]
    #[diagnostic(code(fsp::more_errors))]
    More {
        /// How many.
        count: usize,
    },
}

/// Something in a model that is allowed but probably not meant.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
pub enum FspWarning {
    /// A label that nobody has.
    #[error("no action `{label}` to {verb}")]
    #[diagnostic(code(fsp::unknown_label), severity(Warning))]
    UnknownLabel {
        /// The label.
        label: String,
        /// What should be done to it.
        verb: &'static str,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("in nobody's alphabet")]
        at: SourceSpan,
    },

    /// A formula of linear temporal logic over fluents.
    #[error("`{word} {name}` is kept, but not checked")]
    #[diagnostic(
        code(fsp::not_checked),
        severity(Warning),
        help("use a `property` process or a `progress` property")
    )]
    NotChecked {
        /// The word it begins with.
        word: &'static str,
        /// Its name.
        name: String,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("a formula of fluents")]
        at: SourceSpan,
    },

    /// A local process that no path leads to.
    #[error("local process `{name}` is never reached")]
    #[diagnostic(
        code(fsp::unreachable),
        severity(Warning),
        help("its labels are part of the alphabet nevertheless, and are refused")
    )]
    Unreachable {
        /// Its name.
        name: String,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("never reached")]
        at: SourceSpan,
    },

    /// Further warnings.
    #[error("and {count} more warnings")]
    #[diagnostic(code(fsp::more_warnings), severity(Warning))]
    More {
        /// How many.
        count: usize,
    },
}

impl FspError {
    /// The limit that was reached, if nothing is wrong with the model so far. Then it is the only one in its list.
    pub fn stopped(&self) -> Option<&StopReason> {
        match self {
            Self::Stopped(reason) => Some(reason),
            _ => None,
        }
    }
}
