//! The text syntax of expressions, predicates and formulas.
//!
//! ```text
//! formula   EF pred   AG pred   initially(pred)   and not, and, or, ->, <-> of formulas; or just a pred
//! pred      true  false  deadlock  fireable(t1, t2)  NAME  expr < expr
//!           not p   p and q   p or q   p -> q   p <-> q   all(p, …)   any(p, …)
//! expr      12  NAME  -e  e * e  e / e  e % e  e + e  e - e  sum(e, …)
//!           bitand(e, e)  bitor(e, e)  bitxor(e, e)  shl(e, e)  shr(e, e)
//! ```
//!
//! - From loose to tight: `<->`, `->` (to the right), `or`, `and`, `not` and `EF`/`AG`, comparisons, `+ -`, `* / %`,
//!   `-`. So `not x > 3` is `not (x > 3)`, and `EF p and q` is `(EF p) and q`.
//! - Other spellings: `=` for `==`, `<>` for `!=`, `&` `&&`, `|` `||`, `!` `~`, `=>` `implies`, `<=>` `iff`, `E F`,
//!   `A G`.
//! - A name consists of letters, digits, `_` and `.`, begins with a letter or `_`, and may contain `'` and indices such
//!   as `[3]`: `buffer[3].head`, `Protocol'NextSend`. A minus is always a minus. Every other name, and a name that is
//!   also a word of this language (`and`, `deadlock`, `EF`, …), is put in quotes: `"…"`, `'…'` or `` `…` ``. Inside
//!   quotes the mark itself is written twice.
//! - A name alone is a predicate: the slot is not zero, or the proposition of that name holds.
//! - `true` and `false` stand for 1 and 0 where a number is expected: `open == true`.
//! - A formula that mentions the initial state beside `EF` or `AG` says so: `initially(p) and EF q`. Without this rule
//!   a missing parenthesis in `EF p and q` would go unnoticed.
//!
//! A text goes through three stages: tokens, terms (which know nothing about numbers and truth values), and the AST.
//! Every stage goes on after an error, so that all errors are reported at once.

mod branching;
mod error;
mod operator;
mod parser;
mod runs;
mod sort;
mod term;
mod token;

pub use branching::{ParsedCtl, parse_ctl};
pub use error::{SyntaxError, SyntaxWarning};
#[cfg(test)]
pub(crate) use runs::random_temporal;
pub use runs::{ParsedLtl, parse_ltl};
pub(crate) use token::{is_plain_name, quoted_for_runs};

use crate::{Definition, Errors, Expr, Formula, Pred, Property, PropertyKind, Source};
use parser::Parser;
use sort::Sorter;
use sweepline_text::Kind;
use token::{Language, tokens};

/// How deeply expressions can be nested. Chains of `+`, `and` and `or` count as one level.
pub const MAX_DEPTH: u32 = 256;

/// How deeply signs and parentheses can be nested: what is printed has parentheses around every operator, and must be
/// readable if it is [`MAX_DEPTH`] levels deep.
const MAX_NESTING: u32 = 2 * MAX_DEPTH + 2;

/// Reads an integer expression.
pub fn parse_expr(source: impl Into<Source>) -> Result<Expr, Errors<SyntaxError>> {
    let source = source.into();
    let mut parser = Parser::new(&source, "an expression");
    let node = parser.whole();
    Sorter::sort(&source, parser.errors, |sorter| sorter.expr(node))
}

/// Reads integer expressions separated by commas, each with its own part of the text.
pub fn parse_exprs(source: impl Into<Source>) -> Result<Vec<(Expr, Source)>, Errors<SyntaxError>> {
    let source = source.into();
    let mut parser = Parser::new(&source, "an expression");
    let nodes = parser.list();
    Sorter::sort(&source, parser.errors, |sorter| {
        let mut exprs = Vec::new();
        for node in nodes {
            let part = source.part(node.span.clone());
            exprs.push((sorter.expr(node)?, part));
        }
        Some(exprs)
    })
}

/// Reads a state predicate.
///
/// ```
/// use sweepline_logic::parse_pred;
///
/// let pred = parse_pred("x > 3 & !ready").unwrap();
/// assert_eq!(pred.to_string(), "((x > 3) and (not ready))");
/// ```
pub fn parse_pred(source: impl Into<Source>) -> Result<Pred, Errors<SyntaxError>> {
    let source = source.into();
    let mut parser = Parser::new(&source, "a predicate");
    let node = parser.whole();
    Sorter::sort(&source, parser.errors, |sorter| sorter.pred(node))
}

/// Reads a formula about the reachable states; a predicate alone speaks about the initial state.
///
/// ```
/// use sweepline_logic::parse_formula;
///
/// let formula = parse_formula("EF deadlock -> AG x < 3").unwrap();
/// assert_eq!(formula.to_string(), "((not EF deadlock) or AG (x < 3))");
/// assert!(parse_formula("AG EF ready").unwrap_err().to_string().contains("CTL"));
/// ```
pub fn parse_formula(source: impl Into<Source>) -> Result<Formula, Errors<SyntaxError>> {
    let source = source.into();
    let mut parser = Parser::new(&source, "a formula");
    let node = parser.whole();
    Sorter::sort(&source, parser.errors, |sorter| sorter.formula(node))
}

/// Reads `name: formula` or `name: bound(expr)`; the formula may be one of branching time. Without a name the text itself is the name.
pub fn parse_property(source: impl Into<Source>) -> Result<Property, Errors<SyntaxError>> {
    let source = source.into();
    let mut parser = Parser::new(&source, "a property");
    let name = parser.property_name();
    // What stands behind the name.
    let start = name.as_ref().map(|_| parser.tokens.span().start);
    let name = name.unwrap_or_else(|| source.text().trim().to_string());
    let node = parser.whole();
    let sorted = Sorter::sort(&source, parser.errors, |sorter| {
        Some(match node.into_bound() {
            Ok(expr) => PropertyKind::Bound(sorter.expr(expr)?),
            Err(node) => PropertyKind::Formula(sorter.formula(node)?),
        })
    });
    let kind = sorted.or_else(|errors| {
        let start = start.unwrap_or(source.range().start);
        let formula = source.part(start..source.range().end);
        match parse_ctl(formula) {
            // A parenthesis that is missing there is missing here.
            Ok(parsed) if !errors.iter().any(is_beside) => Ok(PropertyKind::Ctl(parsed.ctl)),
            Err(wrong) if errors.iter().any(needs_ctl) || looks_like_ctl(&source) => Err(wrong),
            Err(wrong) if wrong.iter().any(is_ctl_star) => Err(wrong),
            _ => Err(errors),
        }
    });
    kind.map(|kind| Property { name, kind })
}

fn needs_ctl(error: &SyntaxError) -> bool {
    matches!(error, SyntaxError::NeedsCtl { .. })
}

fn is_ctl_star(error: &SyntaxError) -> bool {
    matches!(error, SyntaxError::NotCtl { .. })
}

/// Whether `E[` or `A[` occurs, which stands in formulas of branching time only.
fn looks_like_ctl(source: &Source) -> bool {
    let tokens = tokens(Language::Branching, source, &mut Vec::new());
    tokens.windows(2).any(|pair| {
        let bracket = pair[1].kind == Kind::Sign("[");
        bracket && matches!(&pair[0].kind, Kind::Name(name) if name == "E" || name == "A")
    })
}

fn is_beside(error: &SyntaxError) -> bool {
    matches!(error, SyntaxError::BesideFormula { .. })
}

/// The name of a property, even if the rest cannot be read.
pub(crate) fn property_name(source: &Source) -> String {
    let name = Parser::new(source, "a property").property_name();
    name.unwrap_or_else(|| source.text().trim().to_string())
}

/// Reads `name = predicate`, the definition of a proposition.
pub fn parse_definition(source: impl Into<Source>) -> Result<Definition, Errors<SyntaxError>> {
    let source = source.into();
    let mut parser = Parser::new(&source, "a definition such as `p = x > 3`");
    let name = parser.defined_name();
    let node = parser.whole();
    Sorter::sort(&source, parser.errors, |sorter| {
        let pred = sorter.pred(node);
        Some(Definition {
            name: name?,
            pred: pred?,
            source: source.clone(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rendered;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    fn check(text: &str, expected: &str) {
        match parse_formula(text) {
            Ok(Formula::Initially(pred)) => assert_eq!(pred.to_string(), expected, "{text}"),
            Ok(formula) => assert_eq!(formula.to_string(), expected, "{text}"),
            Err(errors) => panic!("{}", rendered(&errors)),
        }
    }

    #[test]
    fn operators_bind_as_documented() {
        check("a or b and c", "(a or (b and c))");
        check("not a and b", "((not a) and b)");
        check("not x > 3", "(not (x > 3))");
        check("a -> b -> c", "(a -> (b -> c))");
        check("a <-> b <-> c", "((a <-> b) <-> c)");
        check("a -> b or c", "(a -> (b or c))");
        check("x + y * 2 == z", "((x + (y * 2)) == z)");
        check("x - y - z > 0", "((x - y - z) > 0)");
        check("x - (y - z) > 0", "((x - (y - z)) > 0)");
        check("8 / 4 / 2 > 0", "(((8 / 4) / 2) > 0)");
        check("-x * y > 0", "(((-x) * y) > 0)");
        check("- x - -3 > 0", "(((-x) - -3) > 0)");
        check("x<-1", "(x < -1)");
        check("(a and b) and c", "((a and b) and c)");
        check("a and b and c", "(a and b and c)");
    }

    #[test]
    fn operators_have_several_spellings() {
        check("a & b && c", "(a and b and c)");
        check("a | b || c", "(a or b or c)");
        check("!a & ~b", "((not a) and (not b))");
        check("a => b", "(a -> b)");
        check("a implies b", "(a -> b)");
        check("a iff b", "(a <-> b)");
        check("a <=> b", "(a <-> b)");
        check("x = 1 or x <> 2", "((x == 1) or (x != 2))");
        check("open == true", "(open == 1)");
    }

    #[test]
    fn atoms_are_recognised() {
        check("deadlock", "deadlock");
        check("fireable(t1, \"t 2\")", "fireable(t1, \"t 2\")");
        check("'x y' > `z`", "(\"x y\" > z)");
        check("x == -9223372036854775808", "(x == -9223372036854775808)");
        check("A > G", "(A > G)");
        check("sum(x, y) > 2 and all()", "((sum(x, y) > 2) and all())");
        check("sum > 2", "(sum > 2)");
    }

    #[test]
    fn formulas_are_told_from_predicates() {
        check("EF p", "EF p");
        check("E F p", "EF p");
        check("A G x > 3", "AG (x > 3)");
        check("AG (p and q)", "AG (p and q)");
        check("EF p and AG q", "(EF p and AG q)");
        check("!EF p", "(not EF p)");
        check("EF p or initially(q)", "(EF p or initially(q))");
        check(
            "EF p <-> AG q",
            "(((not EF p) or AG q) and (EF p or (not AG q)))",
        );
    }

    #[test]
    fn properties_may_have_names() {
        let property = parse_property("safe: AG x < 3").unwrap();
        assert_eq!(property.name, "safe");
        assert_eq!(property.to_string(), "safe: AG (x < 3)");
        let property = parse_property("live: AG E[p U q]").unwrap();
        assert_eq!(property.to_string(), "live: AG E[p U q]");
        assert!(parse_property("EF p and q").is_err());
        let property = parse_property(" bound(x + y) ").unwrap();
        assert_eq!(property.to_string(), "\"bound(x + y)\": bound((x + y))");
    }

    #[test]
    fn lists_keep_the_text_of_each_expression() {
        let exprs = parse_exprs("b + r, sum(x, y) , 3").unwrap();
        let texts: Vec<&str> = exprs.iter().map(|(_, source)| source.text()).collect();
        assert_eq!(texts, ["b + r", "sum(x, y)", "3"]);
    }

    #[test]
    fn long_chains_are_not_deep() {
        let long = vec!["x"; 50_000].join(" + ");
        assert!(parse_expr(long).is_ok());
        let long = vec!["p"; 50_000].join(" and ");
        assert!(parse_pred(long).is_ok());
    }

    fn error(text: &str) -> String {
        rendered(&parse_formula(Source::new("--property", text)).unwrap_err())
    }

    #[test]
    fn nothing_is_an_error() {
        assert_snapshot!(error("  "), @r"
        logic::empty

          × a formula is missing: the text is empty
          help: write, for example, `x + y > 3`
        ");
    }

    #[test]
    fn all_errors_are_reported() {
        assert_snapshot!(error("x + > 3 and $ (y == 99999999999999999999"), @r#"
          × 4 errors

        Error: logic::unexpected

          × expected an operand, found `>`
           ╭─[--property:1:5]
         1 │ x + > 3 and $ (y == 99999999999999999999
           ·     ┬
           ·     ╰── here
           ╰────

        Error: logic::stray_character

          × `$` means nothing here
           ╭─[--property:1:13]
         1 │ x + > 3 and $ (y == 99999999999999999999
           ·             ┬
           ·             ╰── not part of the language
           ╰────
          help: names with other characters than letters, digits, `_` and `.` are
                written in quotes: "…"

        Error: logic::unclosed_parenthesis

          × a parenthesis is not closed
           ╭─[--property:1:15]
         1 │ x + > 3 and $ (y == 99999999999999999999
           ·               ┬
           ·               ╰── opened here
           ╰────
          help: add the missing `)`

        Error: logic::large_number

          × the number 99999999999999999999 is too large
           ╭─[--property:1:21]
         1 │ x + > 3 and $ (y == 99999999999999999999
           ·                     ──────────┬─────────
           ·                               ╰── needs more than 64 bits
           ╰────
          help: numbers lie between -9223372036854775808 and 9223372036854775807
        "#);
    }

    #[test]
    fn missing_operators_and_operands_are_reported() {
        assert_snapshot!(error("x > 3 AND y"), @r"
        logic::unexpected

          × expected an operator or the end, found `AND`
           ╭─[--property:1:7]
         1 │ x > 3 AND y
           ·       ─┬─
           ·        ╰── here
           ╰────
          help: operators are written in lower case: `and`
        ");
        assert_snapshot!(error("and x"), @r"
        logic::unexpected

          × expected a formula, found `and`
           ╭─[--property:1:1]
         1 │ and x
           · ─┬─
           ·  ╰── here
           ╰────
        ");
        assert_snapshot!(error("x > 3)"), @r"
        logic::unexpected

          × expected an operator or the end, found `)`
           ╭─[--property:1:6]
         1 │ x > 3)
           ·      ┬
           ·      ╰── here
           ╰────
        ");
        assert_snapshot!(error("x == 3 y == 4 z"), @r"
          × 2 errors

        Error: logic::unexpected

          × expected an operator or the end, found `y`
           ╭─[--property:1:8]
         1 │ x == 3 y == 4 z
           ·        ┬
           ·        ╰── here
           ╰────

        Error: logic::unexpected

          × expected an operator or the end, found `z`
           ╭─[--property:1:15]
         1 │ x == 3 y == 4 z
           ·               ┬
           ·               ╰── here
           ╰────
        ");
    }

    #[test]
    fn names_that_need_quotes_are_reported() {
        assert_snapshot!(error("2pc > 0"), @r#"
        logic::digit_first

          × `2pc` is neither a number nor a name
           ╭─[--property:1:1]
         1 │ 2pc > 0
           · ─┬─
           ·  ╰── begins with a digit
           ╰────
          help: a name that begins with a digit is written in quotes: "2pc"
        "#);
        assert_snapshot!(error("\"a b > 0"), @r#"
        logic::unclosed_quote

          × the quoted name does not end
           ╭─[--property:1:1]
         1 │ "a b > 0
           · ────┬───
           ·     ╰── starts here
           ╰────
          help: close it with another "; inside the name, that mark is written twice
        "#);
        assert_snapshot!(error("fireable(7)"), @r#"
        logic::unexpected

          × expected the name of an action, found `7`
           ╭─[--property:1:10]
         1 │ fireable(7)
           ·          ┬
           ·          ╰── here
           ╰────
          help: write it in quotes: fireable("7")
        "#);
        assert_snapshot!(error("firable(t)"), @r"
        logic::unknown_function

          × there is no function `firable`
           ╭─[--property:1:1]
         1 │ firable(t)
           · ───┬───
           ·    ╰── unknown
           ╰────
          help: did you mean `fireable`?
        ");
    }

    #[test]
    fn numbers_are_not_truth_values() {
        assert_snapshot!(error("x + 1"), @r"
        logic::wrong_sort

          × expected a predicate, found a number
           ╭─[--property:1:1]
         1 │ x + 1
           · ──┬──
           ·   ╰── this is a number
           ╰────
          help: compare it with another number, as in `x + y > 3`
        ");
        assert_snapshot!(error("1 < x < 3"), @r"
        logic::chained_comparison

          × comparisons cannot be chained
           ╭─[--property:1:1]
         1 │ 1 < x < 3
           · ──┬──
           ·   ╰── compares the outcome of a comparison
           ╰────
          help: write `a < b and b < c`; whether two predicates agree is written `p
                <-> q`
        ");
        assert_snapshot!(error("x + (y and z) > 3"), @r"
        logic::wrong_sort

          × expected a number, found a predicate
           ╭─[--property:1:5]
         1 │ x + (y and z) > 3
           ·     ────┬────
           ·         ╰── this is a predicate
           ╰────
          help: predicates are combined with `and`, `or`, `not`, `->` and `<->`
        ");
        assert_snapshot!(error("x > 9223372036854775808"), @r"
        logic::large_number

          × the number 9223372036854775808 is too large
           ╭─[--property:1:5]
         1 │ x > 9223372036854775808
           ·     ─────────┬─────────
           ·              ╰── needs more than 64 bits
           ╰────
          help: numbers lie between -9223372036854775808 and 9223372036854775807
        ");
    }

    #[test]
    fn other_logics_are_refused() {
        assert_snapshot!(error("AGEF p"), @r"
        logic::needs_ctl

          × `AGEF` needs CTL, and this is about reachable states
           ╭─[--property:1:1]
         1 │ AGEF p
           · ───┬──
           ·    ╰── needs CTL
           ╰────
          help: ask with `--ctl`; here formulas are built from `EF p` (some reachable
                state) and `AG p` (all reachable states) where `p` is a predicate on
                single states
        ");
        assert_snapshot!(error("EF (q and A G p)"), @r"
        logic::needs_ctl

          × `EF AG` needs CTL, and this is about reachable states
           ╭─[--property:1:1]
         1 │ EF (q and A G p)
           · ────────┬───────
           ·         ╰── needs CTL
           ╰────
          help: ask with `--ctl`; here formulas are built from `EF p` (some reachable
                state) and `AG p` (all reachable states) where `p` is a predicate on
                single states
        ");
        assert_snapshot!(error("AF p"), @r"
        logic::needs_ctl

          × `AF` needs CTL, and this is about reachable states
           ╭─[--property:1:1]
         1 │ AF p
           · ──┬─
           ·   ╰── needs CTL
           ╰────
          help: ask with `--ctl`; here formulas are built from `EF p` (some reachable
                state) and `AG p` (all reachable states) where `p` is a predicate on
                single states
        ");
        assert_snapshot!(error("A(p U q)"), @r"
        logic::needs_ctl

          × `A` needs CTL, and this is about reachable states
           ╭─[--property:1:1]
         1 │ A(p U q)
           · ┬
           · ╰── needs CTL
           ╰────
          help: ask with `--ctl`; here formulas are built from `EF p` (some reachable
                state) and `AG p` (all reachable states) where `p` is a predicate on
                single states
        ");
        assert_snapshot!(error("G p"), @r#"
        logic::needs_ltl

          × `G` speaks about runs, and this is about states
           ╭─[--property:1:1]
         1 │ G p
           · ┬
           · ╰── LTL
           ╰────
          help: ask with `--ltl`, or write `AG p` for "always p" and `EF p` for "p is
                possible"; quote names: "G"
        "#);
        assert_snapshot!(error("p U q"), @r#"
        logic::needs_ltl

          × `U` speaks about runs, and this is about states
           ╭─[--property:1:3]
         1 │ p U q
           ·   ┬
           ·   ╰── LTL
           ╰────
          help: ask with `--ltl`, or write `AG p` for "always p" and `EF p` for "p is
                possible"; quote names: "U"
        "#);
    }

    #[test]
    fn a_predicate_beside_a_formula_is_refused() {
        assert_snapshot!(error("EF p and q"), @r"
        logic::beside_formula

          × this part speaks about the initial state only
           ╭─[--property:1:10]
         1 │ EF p and q
           ·          ┬
           ·          ╰── not inside `EF` or `AG`
           ╰────
          help: write `EF (p and q)` if both belong to the same state, or `EF p and
                initially(q)` if not
        ");
        assert_snapshot!(rendered(&parse_pred("x > 1 and EF p").unwrap_err()), @r"
        logic::wrong_sort

          × expected a predicate, found a formula
           ╭─[expression:1:11]
         1 │ x > 1 and EF p
           ·           ──┬─
           ·             ╰── this is a formula
           ╰────
          help: a predicate speaks about a single state: leave out `EF`, `AG` and
                `initially`
        ");
    }

    #[test]
    fn a_definition_needs_a_name() {
        assert_snapshot!(rendered(&parse_definition("x > 3").unwrap_err()), @r"
        logic::unexpected

          × expected `=` and a predicate, found `>`
           ╭─[expression:1:3]
         1 │ x > 3
           ·   ┬
           ·   ╰── here
           ╰────
          help: write `p = x > 3`
        ");
        assert_eq!(parse_definition("p = x = 3").unwrap().name.text, "p");
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_crash() {
        let nested = |open: &str, count: usize, close: &str| {
            format!("{}x{}", open.repeat(count), close.repeat(count))
        };
        assert!(parse_pred(nested("(", 255, ")")).is_ok());
        let deep = [
            nested("(", 100_000, ")"),
            nested("not ", 100_000, ""),
            nested("p -> ", 100_000, ""),
            nested("EF ", 100_000, ""),
            nested("all(", 100_000, ")"),
            nested("(", 100_000, ""),
            nested("", 100_000, " * 2") + " > 0",
            nested("", 100_000, " <-> p"),
            nested("- ", 100_000, "") + " > 0",
            format!("{}x{} > 0", "(".repeat(200), " * 2 * 2 * 2)".repeat(200)),
        ];
        for text in deep {
            let errors = parse_formula(text).unwrap_err();
            let too_deep = |error: &SyntaxError| matches!(error, SyntaxError::TooDeep { .. });
            assert_eq!(
                errors.iter().filter(|error| too_deep(error)).count(),
                1,
                "{errors:?}"
            );
        }
        let doubling = vec!["EF p"; 200].join(" <-> ");
        let errors = parse_formula(doubling).unwrap_err().into_vec();
        assert!(
            matches!(errors[..], [SyntaxError::TooLarge { .. }]),
            "{errors:?}"
        );
    }

    #[test]
    fn not_every_error_of_a_hopeless_text_is_reported() {
        let errors = parse_pred("$ ".repeat(10_000)).unwrap_err().into_vec();
        assert_eq!(errors.len(), 50);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in any::<String>()) {
            let _ = parse_property(text);
        }

        #[test]
        fn no_tokens_make_the_parser_panic(
            tokens in prop::collection::vec(prop::sample::select(vec![
                "(", ")", ",", ":", "x", "'y", "3", "+", "-", "*", "<", "==", "and", "not", "->", "<->", "EF",
                "A", "G", "U", "fireable", "all", "sum", "bound", "initially", "deadlock", "true", "$",
            ]), 0..40),
        ) {
            let text = tokens.join(" ");
            if let Ok(property) = parse_property(text.as_str()) {
                parse_property(property.to_string()).unwrap();
            }
            let _ = parse_exprs(text.as_str());
            let _ = parse_definition(text.as_str());
        }
    }
}
