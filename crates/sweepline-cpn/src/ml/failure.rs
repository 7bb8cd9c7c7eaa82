//! Why an evaluation has no value.

/// Why an evaluation has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// An exception that nobody handles: its name, and its argument as CPN ML shows it.
    #[error("exception {0} is raised{why}", why = explained(.0))]
    Exception(String),
    /// More steps than the budget allows: most likely a function that does not end.
    #[error("evaluation takes more than {0} steps; does a function call itself without end?")]
    Steps(u64),
    /// Functions that call each other deeper than the budget allows.
    #[error(
        "functions call each other more than {0} levels deep; does a function call itself without end?"
    )]
    Depth(usize),
    /// More values than the budget allows.
    #[error(
        "evaluation makes more than {0} lists, tuples and strings; does something grow without end?"
    )]
    Values(usize),
    /// A random function, and no choices are made.
    #[error("`{0}` is a random function")]
    Random(String),
    /// A random function without a finite range.
    #[error("`{0}` is a random function without a finite range")]
    Unbounded(String),
    /// A reference variable is read or written.
    #[error("`{0}` is a reference variable, which is not part of the marking")]
    Reference(String),
    /// Something that concerns others than the model: output, files, the simulator.
    #[error("`{0}` concerns others than the model")]
    Outside(String),
    /// A multiset with a negative number of tokens.
    #[error("{0} tokens of one colour: a multiplicity cannot be negative")]
    Negative(i64),
    /// A negative delay.
    #[error("a delay of {0}: time does not go back")]
    NegativeDelay(i64),
    /// More combinations of tokens than anybody would wait for.
    #[error("there are more than {0} combinations of tokens to look at")]
    Bindings(u64),
    /// More tokens are taken at once than anybody would wait for.
    #[error("one binding takes more than {0} tokens")]
    Taken(usize),
    /// The table of values is full.
    #[error("there are too many different values")]
    Full,
}

/// What an exception of the language means, where its name does not say it.
fn explained(name: &str) -> &'static str {
    match name {
        "Subtract" => ": `--` takes away tokens that are not there",
        "Size" => ": a colour set or list is too large to be listed",
        "Match" => ": no clause of a function or case fits",
        "Div" => ": something is divided by zero",
        "Overflow" => ": a number has more than 63 bits",
        "Domain" => ": a function has no value for its argument",
        "OutOfRange" => ": a value is not in its colour set",
        _ => "",
    }
}
