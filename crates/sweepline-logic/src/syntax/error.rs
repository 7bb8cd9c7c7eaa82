//! What can be wrong with a text.

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};

/// A text is not an expression, predicate or formula.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
pub enum SyntaxError {
    /// `rank` with something else than a slot and its values.
    #[error("`rank` takes a slot and the ranks of its values")]
    #[diagnostic(
        code(logic::wrong_rank),
        help("write `rank(P, wait == 1, done == 2)`; values that are not listed have rank 0")
    )]
    WrongRank {
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The call.
        #[label("here")]
        at: SourceSpan,
    },

    /// A function of two numbers with more or fewer.
    #[error("`{function}` takes two numbers")]
    #[diagnostic(code(logic::wrong_operands), help("write `{function}(x, 3)`"))]
    WrongOperands {
        /// Name of the function.
        function: String,
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("here")]
        at: SourceSpan,
    },

    /// There is nothing to read.
    #[error("{what} is missing: the text is empty")]
    #[diagnostic(code(logic::empty), help("write, for example, `x + y > 3`"))]
    Empty {
        /// What was expected.
        what: &'static str,
    },

    /// A character that means nothing outside quotes.
    #[error("`{character}` means nothing here")]
    #[diagnostic(
        code(logic::stray_character),
        help(
            "names with other characters than letters, digits, `_` and `.` are written in quotes: \"…\""
        )
    )]
    Stray {
        /// The character.
        character: char,
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where it stands.
        #[label("not part of the language")]
        at: SourceSpan,
    },

    /// A quoted name does not end.
    #[error("the quoted name does not end")]
    #[diagnostic(
        code(logic::unclosed_quote),
        help("close it with another {mark}; inside the name, that mark is written twice")
    )]
    UnclosedQuote {
        /// The mark that opened it.
        mark: char,
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// From the mark on.
        #[label("starts here")]
        at: SourceSpan,
    },

    /// A number beyond 64 bits.
    #[error("the number {digits} is too large")]
    #[diagnostic(
        code(logic::large_number),
        help("numbers lie between {} and {}", i64::MIN, i64::MAX)
    )]
    LargeNumber {
        /// The number as written, shortened.
        digits: String,
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where it stands.
        #[label("needs more than 64 bits")]
        at: SourceSpan,
    },

    /// A name begins with a digit.
    #[error("`{name}` is neither a number nor a name")]
    #[diagnostic(
        code(logic::digit_first),
        help("a name that begins with a digit is written in quotes: \"{name}\"")
    )]
    DigitFirst {
        /// The would-be name.
        name: String,
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where it stands.
        #[label("begins with a digit")]
        at: SourceSpan,
    },

    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    #[diagnostic(code(logic::unexpected))]
    Unexpected {
        /// What should stand here.
        expected: String,
        /// What stands here.
        found: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("here")]
        at: SourceSpan,
    },

    /// A parenthesis is not closed.
    #[error("a parenthesis is not closed")]
    #[diagnostic(code(logic::unclosed_parenthesis), help("add the missing `)`"))]
    UnclosedParenthesis {
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The opening parenthesis.
        #[label("opened here")]
        at: SourceSpan,
    },

    /// Too many levels.
    #[error("the expression is nested more than {limit} levels deep")]
    #[diagnostic(
        code(logic::too_deep),
        help("define parts of it as propositions of their own, or remove parentheses")
    )]
    TooDeep {
        /// How many levels are allowed.
        limit: u32,
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where the limit was exceeded.
        #[label("this is too deep")]
        at: SourceSpan,
    },

    /// A function that does not exist.
    #[error("there is no function `{name}`")]
    #[diagnostic(code(logic::unknown_function), help("{help}"))]
    UnknownFunction {
        /// Its name.
        name: String,
        /// What to do about it.
        help: String,
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where it is called.
        #[label("unknown")]
        at: SourceSpan,
    },

    /// `a < b < c`
    #[error("comparisons cannot be chained")]
    #[diagnostic(
        code(logic::chained_comparison),
        help("write `a < b and b < c`; whether two predicates agree is written `p <-> q`")
    )]
    ChainedComparison {
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The second comparison.
        #[label("compares the outcome of a comparison")]
        at: SourceSpan,
    },

    /// A number where a truth value is needed, or the other way round.
    #[error("expected {expected}, found {found}")]
    #[diagnostic(code(logic::wrong_sort), help("{help}"))]
    WrongSort {
        /// What is needed.
        expected: &'static str,
        /// What is there.
        found: &'static str,
        /// What to do about it.
        help: String,
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("this is {found}")]
        at: SourceSpan,
    },

    /// A branching-time formula.
    #[error("`{operator}` needs CTL, which this version cannot check")]
    #[diagnostic(
        code(logic::needs_ctl),
        help(
            "formulas are built from `EF p` (some reachable state) and `AG p` (all reachable states) where `p` is a predicate on single states"
        )
    )]
    NeedsCtl {
        /// The operator or combination of operators.
        operator: String,
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("needs CTL")]
        at: SourceSpan,
    },

    /// A linear-time formula.
    #[error("`{operator}` needs LTL, which this version cannot check")]
    #[diagnostic(
        code(logic::needs_ltl),
        help(
            "write `AG p` for \"always p\" and `EF p` for \"p is possible\"; quote names: \"{operator}\""
        )
    )]
    NeedsLtl {
        /// The operator.
        operator: String,
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// Where.
        #[label("needs LTL")]
        at: SourceSpan,
    },

    /// A predicate beside a formula, probably for want of parentheses.
    #[error("this part speaks about the initial state only")]
    #[diagnostic(
        code(logic::beside_formula),
        help(
            "write `EF (p and q)` if both belong to the same state, or `EF p and initially(q)` if not"
        )
    )]
    BesideFormula {
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The predicate.
        #[label("not inside `EF` or `AG`")]
        at: SourceSpan,
    },

    /// Equivalences between formulas are written out, which can become very long.
    #[error("the formula becomes too large when `<->` is written out")]
    #[diagnostic(
        code(logic::too_large),
        help("check its parts as properties of their own")
    )]
    TooLarge {
        /// The text.
        #[source_code]
        text: NamedSource<Arc<str>>,
        /// The equivalence.
        #[label("doubles the formula")]
        at: SourceSpan,
    },
}
