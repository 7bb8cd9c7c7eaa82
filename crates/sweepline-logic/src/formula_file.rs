//! Reading formula files, the format of Section 7.4.3 of the thesis on model checking with the sweep-line method.
//!
//! One formula per line: `EF p`, `AG p`, and combinations of them; `name: EF p` gives it a name. Blank lines and
//! comments (`# …`) are skipped. `EFAG p`, `AGEF p` and whatever else needs it are formulas of CTL.

use miette::Diagnostic;
use sweepline_text::{Errors, Source, lines};

use crate::syntax::property_name;
use crate::{Property, SyntaxError, parse_property};

/// Something is wrong with a formula file.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
pub enum FormulaFileError {
    /// There is no formula.
    #[error("the file contains no formula")]
    #[diagnostic(
        code(formula::empty),
        help("write one per line, for example `AG not p`")
    )]
    Empty,

    /// A formula is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Syntax(#[from] SyntaxError),
}

/// Reads a file of formulas.
///
/// ```
/// use sweepline_logic::read_formulas;
///
/// let formulas = read_formulas(&"# all packets arrive\nEF p\nsafe: AG not q".into()).unwrap();
/// assert_eq!(formulas[0].name, "EF p");
/// assert_eq!(formulas[1].name, "safe");
/// ```
pub fn read_formulas(source: &Source) -> Result<Vec<Property>, Errors<FormulaFileError>> {
    let mut properties = Vec::new();
    let mut errors = Vec::new();
    for line in formula_lines(source) {
        match line.property {
            Ok(property) => properties.push(property),
            Err(wrong) => errors.extend(wrong.into_vec().into_iter().map(FormulaFileError::from)),
        }
    }
    if properties.is_empty() && errors.is_empty() {
        errors.push(FormulaFileError::Empty);
    }
    Errors::unless_none(properties, errors)
}

/// A formula of a file.
#[derive(Clone, Debug)]
pub struct FormulaLine {
    /// What it is called, which is known even if the rest is wrong.
    pub name: String,
    /// The line.
    pub source: Source,
    /// The formula, or what is wrong with it.
    pub property: Result<Property, Errors<SyntaxError>>,
}

/// The formulas of a file one by one, so that one that is wrong does not keep the others from being used.
pub fn formula_lines(source: &Source) -> impl Iterator<Item = FormulaLine> {
    lines(source).map(|line| {
        let source = source.part(line.span);
        FormulaLine {
            name: property_name(&source),
            property: parse_property(source.clone()),
            source,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rendered;
    use insta::assert_snapshot;

    fn check(text: &str, expected: &[&str]) {
        let formulas = read_formulas(&text.into()).unwrap();
        let shown: Vec<String> = formulas
            .iter()
            .map(|property| property.kind.to_string())
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn one_formula_per_line() {
        check("EF p\n", &["EF p"]);
        check(
            "# two\nAG !p\n\n  n2: bound(x)\r\n",
            &["AG (not p)", "bound(x)"],
        );
        check("EFAG p\nhome: AGEF p", &["EF AG p", "AG EF p"]);
    }

    /// The messages of what is wrong, each of which is one of the formula itself.
    fn wrong(text: &str) -> Vec<String> {
        let errors = read_formulas(&text.into()).unwrap_err().into_vec();
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn mistakes_of_branching_time_are_told_as_such() {
        let star = "is a shape of CTL*, neither CTL nor LTL";
        assert_eq!(wrong("E[F G a]"), [format!("`E F G` {star}")]);
        assert_eq!(wrong("named: E[F G a]"), [format!("`E F G` {star}")]);
        assert_eq!(wrong("EF G a"), [format!("`EF G` {star}")]);
        assert_eq!(
            wrong("E[a U b U c]"),
            ["expected an operator such as `U`, or `]`, found `U`"]
        );
        let deep = "E[".repeat(300) + "a" + &" U b]".repeat(300);
        assert_eq!(
            wrong(&deep),
            ["the expression is nested more than 256 levels deep"]
        );
    }

    #[test]
    fn wrong_formulas_are_reported() {
        let error = |text: &str| rendered(&read_formulas(&Source::new("f.txt", text)).unwrap_err());
        assert_snapshot!(error("# nothing"), @r"
        formula::empty

          × the file contains no formula
          help: write one per line, for example `AG not p`
        ");
        assert_snapshot!(error("EF p\nEFAG p\nAGEF p\nAG\n"), @r"
        logic::unexpected

          × expected an operand, found the end of the text
           ╭─[f.txt:4:3]
         3 │ AGEF p
         4 │ AG
           ·   ▲
           ·   ╰── here
           ╰────
        ");
    }
}
