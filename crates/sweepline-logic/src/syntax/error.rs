//! What can be wrong with a text.

use miette::{Diagnostic, SourceSpan};

sweepline_text::located_errors! {
    /// A text is not an expression, predicate or formula.
    #[derive(Clone, Debug, Diagnostic, thiserror::Error)]
    pub enum SyntaxError: logic, SourceSpan {
        /// `rank` with something else than a slot and its values.
        WrongRank {} wrong_rank: "`rank` takes a slot and the ranks of its values"
            [at: "here"] (help("write `rank(P, wait == 1, done == 2)`; values that are not listed have rank 0")),
        /// A function of two numbers with more or fewer.
        WrongOperands { function: String } wrong_operands: "`{function}` takes two numbers"
            [at: "here"] (help("write `{function}(x, 3)`")),
        /// There is nothing to read.
        Empty { what: &'static str } empty: "{what} is missing: the text is empty"
            (help("write, for example, `x + y > 3`")),
        /// A character that means nothing outside quotes.
        Stray { character: char } stray_character: "`{character}` means nothing here"
            [at: "not part of the language"]
            (help("names with other characters than letters, digits, `_` and `.` are written in quotes: \"…\"")),
        /// A quoted name does not end.
        UnclosedQuote { mark: char } unclosed_quote: "the quoted name does not end"
            [at: "starts here"] (help("close it with another {mark}; inside the name, that mark is written twice")),
        /// A number beyond 64 bits.
        LargeNumber { digits: String } large_number: "the number {digits} is too large"
            [at: "needs more than 64 bits"] (help("numbers lie between {} and {}", i64::MIN, i64::MAX)),
        /// A name begins with a digit.
        DigitFirst { name: String } digit_first: "`{name}` is neither a number nor a name"
            [at: "begins with a digit"] (help("a name that begins with a digit is written in quotes: \"{name}\"")),
        /// Something else should stand here.
        Unexpected { expected: String, found: String, #[help] help: Option<String> }
            unexpected: "expected {expected}, found {found}" [at: "here"],
        /// A parenthesis is not closed.
        UnclosedParenthesis {} unclosed_parenthesis: "a parenthesis is not closed"
            [at: "opened here"] (help("add the missing `)`")),
        /// Too many levels.
        TooDeep { limit: u32 } too_deep: "the expression is nested more than {limit} levels deep"
            [at: "this is too deep"] (help("define parts of it as propositions of their own, or remove parentheses")),
        /// A function that does not exist.
        UnknownFunction { name: String, help: String } unknown_function: "there is no function `{name}`"
            [at: "unknown"] (help("{help}")),
        /// `a < b < c`
        ChainedComparison {} chained_comparison: "comparisons cannot be chained"
            [at: "compares the outcome of a comparison"]
            (help("write `a < b and b < c`; whether two predicates agree is written `p <-> q`")),
        /// A number where a truth value is needed, or the other way round.
        WrongSort { expected: &'static str, found: &'static str, help: String }
            wrong_sort: "expected {expected}, found {found}"
            [at: "this is {found}"] (help("{help}")),
        /// A branching-time formula.
        NeedsCtl { operator: String } needs_ctl: "`{operator}` needs CTL, and this is about reachable states"
            [at: "needs CTL"]
            (help("ask with `--ctl`; here formulas are built from `EF p` (some reachable state) and `AG p` (all reachable states) where `p` is a predicate on single states")),
        /// A formula that is neither of branching nor of linear time.
        NotCtl { shape: String } not_ctl: "`{shape}` is a shape of CTL*, neither CTL nor LTL"
            [at: "operators without a quantifier of their own"]
            (help("in CTL every X, F, G, U, W, R and M stands directly behind `E` or `A`, as in `EF AG p`; a formula with `A` around it and no other quantifier is asked with `--ltl`")),
        /// A formula about each run where one about the runs from each state is expected.
        Linear { shape: String, formula: String } linear: "`{shape}` is a formula of linear time, not of CTL"
            [at: "LTL"]
            (help("ask with `--ltl '{formula}'`; in CTL every operator stands directly behind `E` or `A`, as in `AG AF p`")),
        /// A linear-time formula.
        NeedsLtl { operator: String } needs_ltl: "`{operator}` speaks about runs, and this is about states"
            [at: "LTL"]
            (help("ask with `--ltl`, or write `AG p` for \"always p\" and `EF p` for \"p is possible\"; quote names: \"{operator}\"")),
        /// A predicate beside a formula, probably for want of parentheses.
        BesideFormula {} beside_formula: "this part speaks about the initial state only"
            [at: "not inside `EF` or `AG`"]
            (help("write `EF (p and q)` if both belong to the same state, or `EF p and initially(q)` if not")),
        /// Equivalences between formulas are written out, which can become very long.
        TooLarge {} too_large: "the formula becomes too large when `<->` is written out"
            [at: "doubles the formula"] (help("check its parts as properties of their own")),
        /// A quantifier over runs in a formula about each run.
        Branching { operator: String } branching: "`{operator}` does not belong into a formula of linear time"
            [at: "speaks about several runs"]
            (help("such a formula is asked about every run: write `G p` for `AG p`, `F p` for `AF p`")),
        /// Bounds and patterns are written out, which can become very long.
        Expanded {} expanded: "the formula becomes too large when this is written out"
            [at: "too large"] (help("use a smaller bound, or check parts as properties of their own")),
        /// More atoms than bits in a letter.
        TooManyAtoms { found: usize } too_many_atoms: "the formula has {found} different predicates, and at most 64 are possible"
            [at: "this formula"] (help("check its parts as properties of their own")),
    }
}

sweepline_text::located_errors! {
    /// A text can be misunderstood.
    #[derive(Clone, Debug, Diagnostic, thiserror::Error)]
    pub enum SyntaxWarning: logic, SourceSpan {
        /// Other tools may read it otherwise.
        Precedence { shown: String } ambiguous_precedence: "parentheses are missing between operators that are often mistaken"
            [at: "which comes first?"]
            (severity(Warning), help("this is read as `{shown}`; add parentheses")),
    }
}
