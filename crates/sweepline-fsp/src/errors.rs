//! What can be wrong with a model.

use miette::{Diagnostic, SourceSpan};
use sweepline_core::StopReason;
use sweepline_text::{Errors, ScanError};

/// Everything that is wrong with a model.
pub type FspErrors = Errors<FspError>;

sweepline_text::located_errors! {
    /// Something is wrong with a model.
    #[derive(Clone, Debug, Diagnostic, thiserror::Error)]
    pub enum FspError: fsp, SourceSpan {
        /// Something else should stand here.
        Unexpected { expected: String, found: String, #[help] help: Option<String> }
            unexpected: "expected {expected}, found {found}" [at: "here"],
        /// Too many levels.
        TooDeep { limit: usize } too_deep: "this is nested more than {limit} levels deep"
            [at: "this is too deep"] (help("give parts of it names of their own")),
        /// A name with the wrong first letter.
        WrongCase { what: &'static str, name: String, case: &'static str, #[help] help: Option<String> }
            wrong_case: "{what} `{name}` begins with {case} letter" [at: "wrong case"],
        /// A name that is not defined.
        Undefined { what: &'static str, name: String, #[help] help: Option<String> }
            undefined: "there is no {what} `{name}`" [at: "not defined"],
        /// A name that is defined as something else.
        WrongKind { name: String, is: &'static str, wanted: &'static str, #[help] help: Option<String> }
            wrong_kind: "`{name}` is {is}, not {wanted}" [at: "{is}"],
        /// Two definitions of one name.
        Duplicate { name: String } duplicate: "`{name}` is defined twice"
            [first: "first here", at: "and again here"] (help("rename one of them")),
        /// An index outside the range of a local process.
        NoSuchIndex { instance: String, range: String, #[help] help: Option<String> }
            no_such_index: "there is no local process `{instance}`"
            [at: "leads out of {range}", because: "{range}"],
        /// A wrong number of indices or arguments.
        WrongCount { name: String, expected: String, found: usize, #[help] help: Option<String> }
            wrong_count: "`{name}` takes {expected}, not {found}"
            [at: "{found} here", because: "takes {expected}"],
        /// An expression without value.
        Arithmetic { why: String, #[help] help: Option<String> } arithmetic: "the value cannot be computed: {why}"
            [at: "here"],
        /// A range, set or composition without elements.
        Empty { what: String, #[help] help: Option<String> } empty: "{what} is empty"
            [at: "nothing in it"],
        /// Something is too large.
        TooLarge { what: String, limit: usize, of: &'static str } too_large: "{what} has more than {limit} {of}"
            [at: "too large"] (help("choose smaller ranges and constants")),
        /// A state of a composition that is needed as a whole has more steps than can be listed.
        TooManySteps { message: String } too_many_steps: "{message}"
            [at: "needed as a whole"] (help("let fewer processes share the action, or choose smaller constants")),
        /// A process that never does anything.
        Unguarded { name: String } unguarded_recursion: "`{name}` is defined by itself, without an action"
            [at: "leads back to itself without an action"] (help("put an action in front: `{name} = (action -> …)`")),
        /// A process that is made of itself.
        Recursive { name: String, path: String, #[help] help: Option<String> } recursive: "`{name}` contains itself"
            [at: "{path}"],
        /// A property that does not know where it is.
        NondeterministicProperty { name: String, why: String, #[help] help: Option<String> }
            nondeterministic_property: "property `{name}` is not deterministic" [at: "{why}"],
        /// Something that has no meaning here.
        Misplaced { what: &'static str, #[help] help: Option<String> } misplaced: "{what} cannot stand here"
            [at: "here"],
        /// A fluent or formula that is not defined.
        NoSuchFormula { name: String, #[help] help: Option<String> }
            no_such_formula: "there is no fluent or formula `{name}`" [at: "not defined"],
        /// A formula that no process stands for.
        NoProcessOfFormula { word: &'static str, name: String, why: String, #[help] help: Option<String> }
            no_process_of_formula: "`{word} {name}` cannot be a process: {why}" [at: "this formula"],
        /// A composition to take that does not exist.
        UnknownComposition { name: String, #[help] help: Option<String> }
            unknown_composition: "there is no process or composition `{name}`",
        /// Arguments of a composition to take that are no numbers.
        BadArguments { written: String } bad_arguments: "cannot read the arguments of `{written}`"
            (help("write numbers in parentheses, for example `DINERS(7)`")),
        /// More arguments for a composition to take than it has parameters.
        TooManyArguments { name: String, count: usize, found: usize } too_many_arguments: "`{name}` has {count} parameters, not {found}"
            (help("leave some out; parameters without argument have their default values")),
        /// There is nothing to run.
        NoProcess {} no_process: "the model has no process"
            (help("define one: `P = (action -> P).`")),
        /// A constant to override that does not exist.
        UnknownConstant { name: String, #[help] help: Option<String> }
            unknown_constant: "there is no constant `{name}` to set",
        /// Further errors.
        More { count: usize } more_errors: "and {count} more errors",
        ;
        /// A limit was reached before all of the model was known; nothing is wrong with it so far.
        #[error("the model could not be read to its end: {0}")]
        #[diagnostic(code(fsp::stopped))]
        Stopped(StopReason),
        /// Characters that are no word or sign of the language.
        #[error(transparent)]
        #[diagnostic(transparent)]
        Scan(#[from] ScanError),
    }
}

sweepline_text::located_errors! {
    /// Something in a model that is allowed but probably not meant.
    #[derive(Clone, Debug, Diagnostic, thiserror::Error)]
    pub enum FspWarning: fsp, SourceSpan {
        /// A label that nobody has.
        UnknownLabel { label: String, verb: &'static str, #[help] help: Option<String> }
            unknown_label: "no action `{label}` to {verb}"
            [at: "in nobody's alphabet"] (severity(Warning)),
        /// A constraint that is part of nothing.
        Idle { name: String } idle_constraint: "`constraint {name}` is in no composition that is looked at, so it restricts nothing"
            [at: "a formula of fluents"]
            (severity(Warning), help("put it into the composition like a process: `||S = (… || {name})`")),
        /// A local process that no path leads to.
        Unreachable { name: String } unreachable: "local process `{name}` is never reached"
            [at: "never reached"]
            (severity(Warning), help("its labels are part of the alphabet nevertheless, and are refused")),
        /// Further warnings.
        More { count: usize } more_warnings: "and {count} more warnings" (severity(Warning)),
    }
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
