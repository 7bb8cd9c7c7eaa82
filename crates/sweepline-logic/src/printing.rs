//! Expressions, predicates, formulas and properties as text.
//!
//! What is printed has all its parentheses and parses back to the same AST. Sums of fewer than three operands and
//! conjunctions and disjunctions of fewer than two, which infix signs cannot express, are printed as `sum(…)`,
//! `all(…)` and `any(…)`.

use std::fmt::{self, Display, Formatter};

use crate::syntax::is_plain_name;
use crate::{BinaryOp, BitOp, CompareOp, Expr, Formula, Name, Pred, Property, PropertyKind};

impl Display for BinaryOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Bits(BitOp::And) => "bitand",
            Self::Bits(BitOp::Or) => "bitor",
            Self::Bits(BitOp::Xor) => "bitxor",
            Self::Bits(BitOp::ShiftLeft) => "shl",
            Self::Bits(BitOp::ShiftRight) => "shr",
        })
    }
}

impl Display for CompareOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        })
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => value.fmt(f),
            Self::Slot(name) => quoted(name).fmt(f),
            Self::Sum(operands) if operands.len() < 3 => call(f, "sum", operands),
            Self::Sum(operands) => sum(f, operands),
            // `-5` is the number minus five.
            Self::Negate(operand) if matches!(**operand, Self::Number(_)) => {
                write!(f, "(-({operand}))")
            }
            Self::Negate(operand) => write!(f, "(-{operand})"),
            // The signs that other languages have for these mean something else here.
            Self::Binary(op @ BinaryOp::Bits(_), left, right) => write!(f, "{op}({left}, {right})"),
            Self::Binary(op, left, right) => write!(f, "({left} {op} {right})"),
            Self::Rank(slot, numbers) => {
                write!(f, "rank({}", quoted(slot))?;
                for (value, number) in numbers {
                    match value.text.parse::<i64>() {
                        Ok(value) => write!(f, ", {value} == {number}")?,
                        Err(_) => write!(f, ", {} == {number}", quoted(value))?,
                    }
                }
                f.write_str(")")
            }
        }
    }
}

impl Display for Pred {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => value.fmt(f),
            Self::Holds(name) => quoted(name).fmt(f),
            Self::Compare(op, left, right) => write!(f, "({left} {op} {right})"),
            Self::Fireable(actions) => call(
                f,
                "fireable",
                &actions.iter().map(quoted).collect::<Vec<_>>(),
            ),
            Self::Deadlock => f.write_str("deadlock"),
            Self::Not(operand) => write!(f, "(not {operand})"),
            Self::And(operands) if operands.len() < 2 => call(f, "all", operands),
            Self::And(operands) => chain(f, " and ", operands),
            Self::Or(operands) if operands.len() < 2 => call(f, "any", operands),
            Self::Or(operands) => chain(f, " or ", operands),
            Self::Implies(left, right) => write!(f, "({left} -> {right})"),
            Self::Iff(left, right) => write!(f, "({left} <-> {right})"),
        }
    }
}

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initially(pred) => write!(f, "initially({pred})"),
            Self::Reachable(pred) => write!(f, "EF {pred}"),
            Self::Invariant(pred) => write!(f, "AG {pred}"),
            Self::Not(operand) => write!(f, "(not {operand})"),
            Self::And(operands) if operands.len() < 2 => call(f, "all", operands),
            Self::And(operands) => chain(f, " and ", operands),
            Self::Or(operands) if operands.len() < 2 => call(f, "any", operands),
            Self::Or(operands) => chain(f, " or ", operands),
        }
    }
}

impl Display for PropertyKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Formula(formula) => formula.fmt(f),
            Self::Bound(expr) => write!(f, "bound({expr})"),
            Self::AllRuns(ltl) => write!(f, "A {ltl}"),
            Self::SomeRun(ltl) => write!(f, "E {ltl}"),
            Self::Ctl(ctl) => ctl.fmt(f),
            Self::Live(groups) => match &groups[..] {
                [only] => write!(f, "AG EF {}", Pred::Fireable(only.clone())),
                groups => {
                    let count = groups.len();
                    write!(f, "AG EF fireable(t) for each of {count} actions t")
                }
            },
            Self::HomeState => f.write_str("some state can be reached from all"),
            Self::NoRun(_) => f.write_str("no run is accepted"),
        }
    }
}

impl Display for Property {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Quoted(&self.name), self.kind)
    }
}

/// A name, in quotes if it needs them.
struct Quoted<'a>(&'a str);

fn quoted(name: &Name) -> Quoted<'_> {
    Quoted(&name.text)
}

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if is_plain_name(self.0) {
            f.write_str(self.0)
        } else {
            write!(f, "\"{}\"", self.0.replace('"', "\"\""))
        }
    }
}

/// `(a + b - c)`
fn sum(f: &mut Formatter<'_>, operands: &[Expr]) -> fmt::Result {
    for (index, operand) in operands.iter().enumerate() {
        match operand {
            first if index == 0 => write!(f, "({first}")?,
            Expr::Negate(operand) => write!(f, " - {operand}")?,
            operand => write!(f, " + {operand}")?,
        }
    }
    f.write_str(")")
}

fn call(f: &mut Formatter<'_>, function: &str, arguments: &[impl Display]) -> fmt::Result {
    write!(f, "{function}(")?;
    separated(f, ", ", arguments)?;
    f.write_str(")")
}

fn chain(f: &mut Formatter<'_>, sign: &str, operands: &[impl Display]) -> fmt::Result {
    f.write_str("(")?;
    separated(f, sign, operands)?;
    f.write_str(")")
}

fn separated(f: &mut Formatter<'_>, separator: &str, items: &[impl Display]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Placeless, random};
    use crate::{parse_expr, parse_formula, parse_pred, parse_property};
    use proptest::prelude::*;

    fn check<T: Display + PartialEq + std::fmt::Debug>(ast: &T, text: &str) {
        assert_eq!(ast.to_string(), text);
    }

    #[test]
    fn odd_names_are_quoted() {
        check(&Expr::Slot(Name::new("a.b[2]")), "a.b[2]");
        check(&Expr::Slot(Name::new("a-b")), "\"a-b\"");
        check(&Pred::Holds(Name::new("say \"hi\"")), "\"say \"\"hi\"\"\"");
        check(&Pred::Holds(Name::new("not")), "\"not\"");
        check(&Pred::Fireable(vec![Name::new("*")]), "fireable(\"*\")");
    }

    #[test]
    fn what_infix_signs_cannot_express_is_printed_as_a_function() {
        check(&Expr::Sum(vec![]), "sum()");
        check(
            &Expr::Sum(vec![Expr::Number(1), Expr::Number(-2)]),
            "sum(1, -2)",
        );
        check(&Pred::And(vec![Pred::Deadlock]), "all(deadlock)");
        check(&Formula::Or(vec![]), "any()");
    }

    #[test]
    fn bits_are_combined_by_functions() {
        let [x, y] = ["x", "y"].map(|name| Box::new(Expr::Slot(Name::new(name))));
        check(
            &Expr::Binary(BinaryOp::Bits(BitOp::And), x.clone(), y.clone()),
            "bitand(x, y)",
        );
        check(
            &Expr::Binary(BinaryOp::Bits(BitOp::ShiftLeft), x, y),
            "shl(x, y)",
        );
    }

    /// As deep as expressions can be.
    #[test]
    fn deep_expressions_parse_back() {
        for (open, many) in [("-", 130), ("-", 255), ("- -", 120), ("2 * -", 120)] {
            let text = format!("{}x", open.repeat(many));
            let expr = parse_expr(text.as_str()).unwrap().placeless();
            let printed = expr.to_string();
            assert!(!printed.contains("--"), "{printed}");
            assert_eq!(parse_expr(printed).unwrap().placeless(), expr, "{text}");
        }
        for (open, many) in [("not ", 255), ("p -> ", 255), ("p -> not ", 127)] {
            let text = format!("{}x", open.repeat(many));
            let pred = parse_pred(text.as_str()).unwrap().placeless();
            let again = parse_pred(pred.to_string()).unwrap().placeless();
            assert_eq!(again, pred, "{text}");
        }
    }

    #[test]
    fn a_property_is_printed_with_its_name() {
        let expr = Expr::Slot(Name::new("x"));
        let property = Property {
            name: "N-1".into(),
            kind: PropertyKind::Bound(expr),
        };
        check(&property, "\"N-1\": bound(x)");
    }

    fn name() -> impl Strategy<Value = String> + Clone {
        let words = [
            "and", "EF", "A", "G", "sum", "x'", "'", "\"", "`\"'", "a[1].b", "a.", "7",
        ];
        prop_oneof![
            "[a-z]{1,3}",
            prop::sample::select(words.to_vec()).prop_map(String::from),
            any::<String>(),
        ]
    }

    proptest! {
        #[test]
        fn printed_expressions_parse_back(expr in random::expr(name())) {
            prop_assert_eq!(parse_expr(expr.to_string()).unwrap().placeless(), expr);
        }

        #[test]
        fn printed_predicates_parse_back(pred in random::pred(name(), name())) {
            prop_assert_eq!(parse_pred(pred.to_string()).unwrap().placeless(), pred);
        }

        #[test]
        fn printed_formulas_parse_back(formula in random::formula(random::pred(name(), name()).boxed())) {
            prop_assert_eq!(parse_formula(formula.to_string()).unwrap().placeless(), formula);
        }

        #[test]
        fn printed_properties_parse_back(
            name in name(),
            expr in random::expr(name()),
            formula in random::formula(random::pred(name(), name()).boxed()),
        ) {
            for kind in [PropertyKind::Bound(expr), PropertyKind::Formula(formula)] {
                let property = Property { name: name.clone(), kind };
                let parsed = parse_property(property.to_string()).unwrap();
                let kind = match parsed.kind {
                    PropertyKind::Bound(expr) => PropertyKind::Bound(expr.placeless()),
                    PropertyKind::Formula(formula) => PropertyKind::Formula(formula.placeless()),
                    _ => {
                        unreachable!("none of these was printed")
                    }
                };
                prop_assert_eq!(Property { name: parsed.name, kind }, property);
            }
        }
    }
}
