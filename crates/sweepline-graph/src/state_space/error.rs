//! What can be wrong with a `.ss` file.

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};

/// Something is wrong with a `.ss` file.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
pub enum SsError {
    /// There is no state.
    #[error("the state space is empty")]
    #[diagnostic(
        code(ss::empty),
        help(
            "a state is a line `id progress n p1 … pn action successor …`, for example `1 0 1 !p a 2`"
        )
    )]
    Empty,

    /// A line ends too early.
    #[error("{what} is missing")]
    #[diagnostic(
        code(ss::missing),
        help("a state is a line `id progress n p1 … pn action successor …`")
    )]
    Missing {
        /// What should follow.
        what: &'static str,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The line.
        #[label("the line ends here")]
        at: SourceSpan,
    },

    /// A word that should be a number.
    #[error("{what} should be a number, not `{found}`")]
    #[diagnostic(code(ss::not_a_number), help("{help}"))]
    NotANumber {
        /// What it should be the number of.
        what: &'static str,
        /// The word.
        found: String,
        /// What to do about it.
        help: String,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The word's place.
        #[label("expected a number")]
        at: SourceSpan,
    },

    /// A number beyond 64 bits.
    #[error("{what} {found} is too large")]
    #[diagnostic(
        code(ss::large_number),
        help("numbers lie between {} and {}", i64::MIN, i64::MAX)
    )]
    LargeNumber {
        /// What it is the number of.
        what: &'static str,
        /// The number.
        found: String,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The number's place.
        #[label("needs more than 64 bits")]
        at: SourceSpan,
    },

    /// The number of propositions does not fit the line.
    #[error("the number of propositions is {announced}, but {then}")]
    #[diagnostic(code(ss::proposition_count), help("{help}"))]
    PropositionCount {
        /// What the line says.
        announced: String,
        /// What follows.
        then: String,
        /// What to do about it.
        help: String,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The number.
        #[label("this number")]
        count: SourceSpan,
        /// Where it does not fit.
        #[label("does not fit here")]
        at: SourceSpan,
    },

    /// A proposition without a name.
    #[error("a proposition has no name")]
    #[diagnostic(code(ss::nameless_proposition), help("write `!p`, without a blank"))]
    NamelessProposition {
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Its place.
        #[label("no name")]
        at: SourceSpan,
    },

    /// A line mentions a proposition twice.
    #[error("proposition `{name}` is given twice for the same state")]
    #[diagnostic(
        code(ss::repeated_proposition),
        help("write either `{name}` or `!{name}`, once")
    )]
    RepeatedProposition {
        /// The proposition.
        name: String,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The second time.
        #[label("given before")]
        at: SourceSpan,
    },

    /// A proposition has the name of a slot that every state has.
    #[error("a proposition cannot be called `{name}`")]
    #[diagnostic(
        code(ss::reserved_proposition),
        help(
            "`state` is the number of a state and `progress` its progress value; choose another name"
        )
    )]
    ReservedProposition {
        /// The proposition.
        name: String,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Its first place.
        #[label("this name is taken")]
        at: SourceSpan,
    },

    /// Two lines for one state.
    #[error("state {id} has two lines")]
    #[diagnostic(
        code(ss::duplicate_state),
        help("give one of them another number, or remove it")
    )]
    DuplicateState {
        /// The state.
        id: i64,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The first line.
        #[label("first here")]
        first: SourceSpan,
        /// The second line.
        #[label("and again here")]
        at: SourceSpan,
    },

    /// An edge leads nowhere.
    #[error("there is no state {id}")]
    #[diagnostic(
        code(ss::unknown_successor),
        help("every successor needs a line of its own, be it `{id} 0 0`; is the file complete?")
    )]
    UnknownSuccessor {
        /// The state.
        id: i64,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where it is mentioned.
        #[label("no line begins with this number")]
        at: SourceSpan,
    },

    /// An action without a successor.
    #[error("action `{action}` has no successor")]
    #[diagnostic(code(ss::missing_successor), help("{SHAPE}"))]
    MissingSuccessor {
        /// The action.
        action: String,
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Its place.
        #[label("expected a number behind it")]
        at: SourceSpan,
    },

    /// Quotes are not closed on the same line.
    #[error("quotes are not closed")]
    #[diagnostic(
        code(ss::unclosed_quotes),
        help("close them with \"; inside quotes, that mark is written twice")
    )]
    UnclosedQuotes {
        /// The file.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// From the mark on.
        #[label("from here to the end of the line")]
        at: SourceSpan,
    },

    /// More than can be stored.
    #[error("the file has more than {limit} states or actions")]
    #[diagnostic(code(ss::too_large))]
    TooLarge {
        /// What can be stored.
        limit: u32,
    },

    /// Further errors.
    #[error("and {count} more errors")]
    #[diagnostic(code(ss::more_errors))]
    More {
        /// How many.
        count: usize,
    },
}

/// What is expected behind the propositions.
pub(super) const SHAPE: &str =
    "propositions are followed by pairs of an action and the number of a state";
