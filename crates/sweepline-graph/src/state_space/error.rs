//! What can be wrong with a `.ss` file.

use miette::{Diagnostic, SourceSpan};

sweepline_text::located_errors! {
    /// Something is wrong with a `.ss` file.
    #[derive(Clone, Debug, Diagnostic, thiserror::Error)]
    pub enum SsError: ss, SourceSpan {
        /// There is no state.
        Empty {} empty: "the state space is empty"
            (help("a state is a line `id progress n p1 … pn action successor …`, for example `1 0 1 !p a 2`")),
        /// A line ends too early.
        Missing { what: &'static str } missing: "{what} is missing"
            [at: "the line ends here"] (help("a state is a line `id progress n p1 … pn action successor …`")),
        /// A word that should be a number.
        NotANumber { what: &'static str, found: String, help: String }
            not_a_number: "{what} should be a number, not `{found}`"
            [at: "expected a number"] (help("{help}")),
        /// A number beyond 64 bits.
        LargeNumber { what: &'static str, found: String } large_number: "{what} {found} is too large"
            [at: "needs more than 64 bits"] (help("numbers lie between {} and {}", i64::MIN, i64::MAX)),
        /// The number of propositions does not fit the line.
        PropositionCount { announced: String, then: String, help: String }
            proposition_count: "the number of propositions is {announced}, but {then}"
            [count: "this number", at: "does not fit here"] (help("{help}")),
        /// A proposition without a name.
        NamelessProposition {} nameless_proposition: "a proposition has no name"
            [at: "no name"] (help("write `!p`, without a blank")),
        /// A line mentions a proposition twice.
        RepeatedProposition { name: String }
            repeated_proposition: "proposition `{name}` is given twice for the same state"
            [at: "given before"] (help("write either `{name}` or `!{name}`, once")),
        /// A proposition has the name of a slot that every state has.
        ReservedProposition { name: String } reserved_proposition: "a proposition cannot be called `{name}`"
            [at: "this name is taken"]
            (help("`state` is the number of a state and `progress` its progress value; choose another name")),
        /// Two lines for one state.
        DuplicateState { id: i64 } duplicate_state: "state {id} has two lines"
            [first: "first here", at: "and again here"] (help("give one of them another number, or remove it")),
        /// An edge leads nowhere.
        UnknownSuccessor { id: i64 } unknown_successor: "there is no state {id}"
            [at: "no line begins with this number"]
            (help("every successor needs a line of its own, be it `{id} 0 0`; is the file complete?")),
        /// An action without a successor.
        MissingSuccessor { action: String } missing_successor: "action `{action}` has no successor"
            [at: "expected a number behind it"] (help("{SHAPE}")),
        /// Quotes are not closed on the same line.
        UnclosedQuotes {} unclosed_quotes: "quotes are not closed"
            [at: "from here to the end of the line"]
            (help("close them with \"; inside quotes, that mark is written twice")),
        /// More than can be stored.
        TooLarge { limit: u32 } too_large: "the file has more than {limit} states or actions",
        /// Further errors.
        More { count: usize } more_errors: "and {count} more errors",
    }
}

/// What is expected behind the propositions.
pub(super) const SHAPE: &str =
    "propositions are followed by pairs of an action and the number of a state";
