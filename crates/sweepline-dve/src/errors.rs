//! What can be wrong with a model.

use miette::{Diagnostic, SourceSpan};
use sweepline_core::StopReason;
use sweepline_text::{Errors, ScanError};

/// Everything that is wrong with a model.
pub type DveErrors = Errors<DveError>;

sweepline_text::located_errors! {
    /// Something is wrong with a model.
    #[derive(Clone, Debug, Diagnostic, thiserror::Error)]
    pub enum DveError: dve, SourceSpan {
        /// Something else should stand here.
        Unexpected { expected: String, found: String, #[help] help: Option<String> }
            unexpected: "expected {expected}, found {found}" [at: "here"],
        /// Too many levels.
        TooDeep { limit: u32 } too_deep: "the expression is nested more than {limit} levels deep"
            [at: "this is too deep"] (help("keep intermediate results in variables, or remove parentheses")),
        /// A name that is not declared.
        Undefined { what: &'static str, name: String, #[help] help: Option<String> }
            undefined: "there is no {what} `{name}`" [at: "not declared"],
        /// A name that is declared as something else.
        WrongKind { name: String, is: &'static str, wanted: &'static str, #[help] help: Option<String> }
            wrong_kind: "`{name}` is {is}, not {wanted}" [at: "{is}"],
        /// Two declarations of one name.
        Duplicate { name: String } duplicate: "`{name}` is declared twice"
            [first: "first here", at: "and again here"]
            (help("rename one of them; variables, states, channels and processes share their names")),
        /// A process does not say where it starts.
        MissingInit { process: String, #[help] help: Option<String> }
            missing_init: "process `{process}` has no initial state" [at: "where does it start?"],
        /// A process starts in several states.
        SeveralInits { process: String, count: usize } several_inits: "process `{process}` has {count} initial states"
            [at: "one too many"] (help("a process starts in one state; let it choose by transitions that leave it")),
        /// An index behind something that has no elements.
        NotAnArray { name: String } not_an_array: "`{name}` is not an array"
            [at: "has an index"] (help("declare it with a size, or remove the index")),
        /// A constant index beyond the end of the array.
        IndexOutOfBounds { name: String, index: i64, size: i64 }
            index_out_of_bounds: "index {index} is out of bounds: `{name}` has {size} elements"
            [at: "no such element"] (help("elements are numbered from 0 to {}", size - 1)),
        /// An array or a buffer of an impossible size.
        BadSize { what: &'static str, size: i64, least: i64, limit: i64 }
            bad_size: "{what} of size {size} is not possible"
            [at: "this size"] (help("sizes lie between {least} and {limit}")),
        /// More variables than a state can hold.
        TooLarge { limit: usize, what: &'static str } too_large: "the model has more than {limit} {what}"
            [at: "exceeded here"] (help("choose smaller arrays and buffers, or fewer processes")),
        /// Not the model is wrong: a limit was reached while it was read.
        Stopped { reason: StopReason } stopped: "{reason}",
        /// A value that is not known before the model runs.
        NotConstant {} not_constant: "the value must be known in advance"
            [at: "not a constant"] (help("use numbers and names declared with `const`")),
        /// A constant that has no value.
        ConstantArithmetic { why: &'static str } constant_arithmetic: "the constant cannot be computed: {why}"
            [at: "here"],
        /// A constant value that does not fit the type.
        OutOfRange { value: i64, kind: String, least: i64, greatest: i64 } out_of_range: "{value} is not {kind}"
            [at: "does not fit"] (help("values of this type lie between {least} and {greatest}")),
        /// An initial value that does not fit the variable.
        BadInitial { name: String, problem: String, #[help] help: Option<String> } bad_initial: "`{name}` {problem}"
            [at: "this initial value"],
        /// A constant without value.
        NoValue { name: String, kind: &'static str } no_value: "constant `{name}` has no value"
            [at: "no value"] (help("write `const {kind} {name} = …;`")),
        /// Something that cannot be written.
        NotAssignable { what: String, #[help] help: Option<String> } not_assignable: "{what} cannot be assigned to"
            [at: "cannot be written"],
        /// A message of another size than the channel's.
        MessageSize { channel: String, expected: String, found: String }
            message_size: "channel `{channel}` carries {expected}, not {found}"
            [because: "{expected}", at: "{found}"] (help("every use of a channel carries the same number of values")),
        /// A part of a transition stands twice.
        RepeatedPart { part: &'static str, #[help] help: Option<String> }
            repeated_part: "the transition has two `{part}` parts" [at: "the second one"],
        /// A synchronous system.
        SynchronousSystem {} synchronous_system: "synchronous systems are not supported"
            [at: "all processes would step together"]
            (help("with `system async;` one process, or two that communicate, take a step at a time")),
        /// There is no `system` line.
        MissingSystem {} missing_system: "the model does not end with a `system` line"
            [at: "the file ends here"] (help("add `system async;`")),
        /// The property process communicates.
        PropertyActs { what: &'static str } property_acts: "the property process cannot {what}"
            [at: "here"] (help("a property process only watches: its transitions have guards and nothing else")),
        /// A constant to override that does not exist.
        UnknownConstant { name: String, #[help] help: Option<String> }
            unknown_constant: "there is no constant `{name}` to set",
        /// A value for a constant that does not fit its type.
        BadSetting { name: String, value: i64, least: i64, greatest: i64 }
            bad_setting: "constant `{name}` cannot be set to {value}"
            (help("values of its type lie between {least} and {greatest}")),
        /// Further errors.
        More { count: usize } more_errors: "and {count} more errors",
        ;
        /// Characters that are no word or sign of the language.
        #[error(transparent)]
        #[diagnostic(transparent)]
        Scan(#[from] ScanError),
    }
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

sweepline_text::located_errors! {
    /// Something in a model that is allowed but probably not meant.
    #[derive(Clone, Debug, Diagnostic, thiserror::Error)]
    pub enum DveWarning: dve, SourceSpan {
        /// No path of transitions leads to a state of a process.
        UnreachableState { process: String, state: String }
            unreachable_state: "state `{state}` of process `{process}` cannot be reached"
            [at: "never entered"]
            (severity(Warning), help("no chain of transitions leads here from the initial state")),
        /// A name of an array without an index.
        WholeArray { name: String } whole_array: "array `{name}` is used without an index"
            [at: "which element?"] (severity(Warning), help("this means its first element; write `{name}[0]`")),
        /// More initial values than elements.
        ExtraValues { name: String, length: usize, count: usize }
            extra_values: "`{name}` has {length} elements, but {count} initial values"
            [at: "too many values"]
            (severity(Warning), help("the last values are ignored; enlarge the array or leave them out")),
        /// A transition that waits for a partner nobody offers.
        NoPartner { channel: String, partner: &'static str } no_partner: "nobody {partner} channel `{channel}`"
            [at: "waits for ever"] (severity(Warning), help("the transition can never be taken")),
    }
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
