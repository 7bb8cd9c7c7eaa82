//! What can be wrong with a model.

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};
use sweepline_core::StopReason;
use sweepline_text::Errors;

/// Everything that is wrong with a model.
pub type DveErrors = Errors<DveError>;

/// Something is wrong with a model.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
pub enum DveError {
    /// A character that means nothing.
    #[error("`{character}` means nothing here")]
    #[diagnostic(code(dve::stray_character))]
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
    #[diagnostic(code(dve::unclosed_comment), help("close it with `*/`"))]
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
        code(dve::bad_number),
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
    #[diagnostic(code(dve::unexpected))]
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
    #[error("the expression is nested more than {limit} levels deep")]
    #[diagnostic(
        code(dve::too_deep),
        help("keep intermediate results in variables, or remove parentheses")
    )]
    TooDeep {
        /// How many levels are allowed.
        limit: u32,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("this is too deep")]
        at: SourceSpan,
    },

    /// A name that is not declared.
    #[error("there is no {what} `{name}`")]
    #[diagnostic(code(dve::undefined))]
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
        #[label("not declared")]
        at: SourceSpan,
    },

    /// A name that is declared as something else.
    #[error("`{name}` is {is}, not {wanted}")]
    #[diagnostic(code(dve::wrong_kind))]
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

    /// Two declarations of one name.
    #[error("`{name}` is declared twice")]
    #[diagnostic(
        code(dve::duplicate),
        help("rename one of them; variables, states, channels and processes share their names")
    )]
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

    /// A process does not say where it starts.
    #[error("process `{process}` has no initial state")]
    #[diagnostic(code(dve::missing_init))]
    MissingInit {
        /// The process.
        process: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("where does it start?")]
        at: SourceSpan,
    },

    /// A process starts in several states.
    #[error("process `{process}` has {count} initial states")]
    #[diagnostic(
        code(dve::several_inits),
        help("a process starts in one state; let it choose by transitions that leave it")
    )]
    SeveralInits {
        /// The process.
        process: String,
        /// How many.
        count: usize,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("one too many")]
        at: SourceSpan,
    },

    /// An index behind something that has no elements.
    #[error("`{name}` is not an array")]
    #[diagnostic(
        code(dve::not_an_array),
        help("declare it with a size, or remove the index")
    )]
    NotAnArray {
        /// The name.
        name: String,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("has an index")]
        at: SourceSpan,
    },

    /// A constant index beyond the end of the array.
    #[error("index {index} is out of bounds: `{name}` has {size} elements")]
    #[diagnostic(code(dve::index_out_of_bounds), help("elements are numbered from 0 to {}", size - 1))]
    IndexOutOfBounds {
        /// The array.
        name: String,
        /// The index.
        index: i64,
        /// How many elements there are.
        size: i64,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("no such element")]
        at: SourceSpan,
    },

    /// An array or a buffer of an impossible size.
    #[error("{what} of size {size} is not possible")]
    #[diagnostic(code(dve::bad_size), help("sizes lie between {least} and {limit}"))]
    BadSize {
        /// What has the size.
        what: &'static str,
        /// The size.
        size: i64,
        /// The least size.
        least: i64,
        /// The largest size that is supported.
        limit: i64,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("this size")]
        at: SourceSpan,
    },

    /// More variables than a state can hold.
    #[error("the model has more than {limit} {what}")]
    #[diagnostic(
        code(dve::too_large),
        help("choose smaller arrays and buffers, or fewer processes")
    )]
    TooLarge {
        /// How many there can be.
        limit: usize,
        /// Of what.
        what: &'static str,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("exceeded here")]
        at: SourceSpan,
    },

    /// Not the model is wrong: a limit was reached while it was read.
    #[error("{reason}")]
    #[diagnostic(code(dve::stopped))]
    Stopped {
        /// The limit.
        reason: StopReason,
    },

    /// A value that is not known before the model runs.
    #[error("the value must be known in advance")]
    #[diagnostic(
        code(dve::not_constant),
        help("use numbers and names declared with `const`")
    )]
    NotConstant {
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("not a constant")]
        at: SourceSpan,
    },

    /// A constant that has no value.
    #[error("the constant cannot be computed: {why}")]
    #[diagnostic(code(dve::constant_arithmetic))]
    ConstantArithmetic {
        /// What goes wrong.
        why: &'static str,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("here")]
        at: SourceSpan,
    },

    /// A constant value that does not fit the type.
    #[error("{value} is not {kind}")]
    #[diagnostic(
        code(dve::out_of_range),
        help("values of this type lie between {least} and {greatest}")
    )]
    OutOfRange {
        /// The value.
        value: i64,
        /// The type, with an article.
        kind: String,
        /// The least value of the type.
        least: i64,
        /// The greatest value of the type.
        greatest: i64,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("does not fit")]
        at: SourceSpan,
    },

    /// An initial value that does not fit the variable.
    #[error("`{name}` {problem}")]
    #[diagnostic(code(dve::bad_initial))]
    BadInitial {
        /// The variable.
        name: String,
        /// What is wrong.
        problem: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("this initial value")]
        at: SourceSpan,
    },

    /// A constant without value.
    #[error("constant `{name}` has no value")]
    #[diagnostic(code(dve::no_value), help("write `const {kind} {name} = …;`"))]
    NoValue {
        /// The constant.
        name: String,
        /// The word of its type.
        kind: &'static str,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("no value")]
        at: SourceSpan,
    },

    /// Something that cannot be written.
    #[error("{what} cannot be assigned to")]
    #[diagnostic(code(dve::not_assignable))]
    NotAssignable {
        /// What it is.
        what: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("cannot be written")]
        at: SourceSpan,
    },

    /// A message of another size than the channel's.
    #[error("channel `{channel}` carries {expected}, not {found}")]
    #[diagnostic(
        code(dve::message_size),
        help("every use of a channel carries the same number of values")
    )]
    MessageSize {
        /// The channel.
        channel: String,
        /// What it carries.
        expected: String,
        /// What is here.
        found: String,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The other place.
        #[label("{expected}")]
        because: SourceSpan,
        /// Where.
        #[label("{found}")]
        at: SourceSpan,
    },

    /// A part of a transition stands twice.
    #[error("the transition has two `{part}` parts")]
    #[diagnostic(code(dve::repeated_part))]
    RepeatedPart {
        /// Which part.
        part: &'static str,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("the second one")]
        at: SourceSpan,
    },

    /// A synchronous system.
    #[error("synchronous systems are not supported")]
    #[diagnostic(
        code(dve::synchronous_system),
        help("with `system async;` one process, or two that communicate, take a step at a time")
    )]
    SynchronousSystem {
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("all processes would step together")]
        at: SourceSpan,
    },

    /// There is no `system` line.
    #[error("the model does not end with a `system` line")]
    #[diagnostic(code(dve::missing_system), help("add `system async;`"))]
    MissingSystem {
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("the file ends here")]
        at: SourceSpan,
    },

    /// The property process communicates.
    #[error("the property process cannot {what}")]
    #[diagnostic(
        code(dve::property_acts),
        help("a property process only watches: its transitions have guards and nothing else")
    )]
    PropertyActs {
        /// What it tries.
        what: &'static str,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("here")]
        at: SourceSpan,
    },

    /// A constant to override that does not exist.
    #[error("there is no constant `{name}` to set")]
    #[diagnostic(code(dve::unknown_constant))]
    UnknownConstant {
        /// The name.
        name: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
    },

    /// A value for a constant that does not fit its type.
    #[error("constant `{name}` cannot be set to {value}")]
    #[diagnostic(
        code(dve::bad_setting),
        help("values of its type lie between {least} and {greatest}")
    )]
    BadSetting {
        /// The constant.
        name: String,
        /// The value.
        value: i64,
        /// The least value of the type.
        least: i64,
        /// The greatest value of the type.
        greatest: i64,
    },

    /// Further errors.
    #[error("and {count} more errors")]
    #[diagnostic(code(dve::more_errors))]
    More {
        /// How many.
        count: usize,
    },
}

impl DveError {
    /// The limit that was reached, if that is all that is wrong.
    pub fn stopped(&self) -> Option<&StopReason> {
        match self {
            Self::Stopped { reason } => Some(reason),
            _ => None,
        }
    }
}

/// Something in a model that is allowed but probably not meant.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
pub enum DveWarning {
    /// No path of transitions leads to a state of a process.
    #[error("state `{state}` of process `{process}` cannot be reached")]
    #[diagnostic(
        code(dve::unreachable_state),
        severity(Warning),
        help("no chain of transitions leads here from the initial state")
    )]
    UnreachableState {
        /// The process.
        process: String,
        /// The state.
        state: String,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where it is declared.
        #[label("never entered")]
        at: SourceSpan,
    },

    /// A name of an array without an index.
    #[error("array `{name}` is used without an index")]
    #[diagnostic(
        code(dve::whole_array),
        severity(Warning),
        help("this means its first element; write `{name}[0]`")
    )]
    WholeArray {
        /// The array.
        name: String,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("which element?")]
        at: SourceSpan,
    },

    /// More initial values than elements.
    #[error("`{name}` has {length} elements, but {count} initial values")]
    #[diagnostic(
        code(dve::extra_values),
        severity(Warning),
        help("the last values are ignored; enlarge the array or leave them out")
    )]
    ExtraValues {
        /// The array.
        name: String,
        /// How many elements it has.
        length: usize,
        /// How many values there are.
        count: usize,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The values.
        #[label("too many values")]
        at: SourceSpan,
    },

    /// A transition that waits for a partner nobody offers.
    #[error("nobody {partner} channel `{channel}`")]
    #[diagnostic(
        code(dve::no_partner),
        severity(Warning),
        help("the transition can never be taken")
    )]
    NoPartner {
        /// The channel.
        channel: String,
        /// What nobody does.
        partner: &'static str,
        /// The model.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The transition.
        #[label("waits for ever")]
        at: SourceSpan,
    },
}

/// At most this many errors are listed.
const MOST: usize = 50;

/// Cuts a long list of errors short.
pub(crate) fn abridged(mut errors: Vec<DveError>) -> Vec<DveError> {
    if errors.len() > MOST {
        let count = errors.len() - MOST;
        errors.truncate(MOST);
        errors.push(DveError::More { count });
    }
    errors
}
