//! What elements mean.

use sweepline_logic::{BinaryOp, CompareOp, Expr, Formula, Pred};

use super::*;

fn net() -> PetriNet {
    let mut net = PetriNet::builder("n");
    let p = net.place("p", 0);
    let q = net.place_named("q", "the other", 0);
    net.rule("t", &[p], &[q]);
    net.rule("u", &[q], &[p]);
    net.build().unwrap()
}

fn read(formula: &str) -> PropertySet {
    let text = format!(
        "<property-set><property><id>x</id><formula>{formula}</formula></property></property-set>"
    );
    read_properties("x.xml", text.as_bytes(), &net()).unwrap()
}

/// Reads a formula in which braces abbreviate elements, and compares it with what it means.
fn check(formula: &str, expected: &str) {
    let formula = formula
        .replace("{p}", "<tokens-count><place>p</place></tokens-count>")
        .replace(
            "{q}",
            "<tokens-count><place>the other</place></tokens-count>",
        )
        .replace("{1}", "<integer-constant> 1 </integer-constant>")
        .replace("{dead}", "<deadlock/>")
        .replace(
            "{EF dead}",
            "<exists-path><finally><deadlock/></finally></exists-path>",
        );
    let set = read(&formula);
    let found = match &set.properties[0].kind {
        PropertyKind::Formula(formula) => show_formula(formula),
        PropertyKind::Bound(expr) => format!("max {}", show_expr(expr)),
        runs => runs.to_string(),
    };
    assert_eq!(found, expected);
}

#[test]
fn numbers() {
    check("<integer-le>{p}{1}</integer-le>", "now(p<=1)");
    check("<integer-lt>{p}{1}</integer-lt>", "now(p<1)");
    check("<integer-ge>{p}{1}</integer-ge>", "now(p>=1)");
    check("<integer-gt>{p}{1}</integer-gt>", "now(p>1)");
    check("<integer-eq>{p}{1}</integer-eq>", "now(p=1)");
    check("<integer-ne>{q}{1}</integer-ne>", "now(q!=1)");
    check(
        "<integer-eq><integer-sum>{p}{q}{1}</integer-sum>
            <integer-difference>{p}<integer-product>{q}{1}</integer-product>{1}</integer-difference></integer-eq>",
        "now((p+q+1)=(p-((q*1)+1)))",
    );
    check(
        "<integer-le>{1}<tokens-count><place>p</place><place>q</place></tokens-count></integer-le>",
        "now(1<=(p+q))",
    );
}

#[test]
fn conditions() {
    check("<true/>", "now(true)");
    check("<false/>", "now(false)");
    check("{dead}", "now(dead)");
    check(
        "<is-fireable><transition>t</transition><transition>u</transition></is-fireable>",
        "now(fire t,u)",
    );
    check("<negation>{dead}</negation>", "now(!dead)");
    check(
        "<implication>{dead}<true/></implication>",
        "now((dead->true))",
    );
    check(
        "<equivalence>{dead}<true/></equivalence>",
        "now((dead<->true))",
    );
    check(
        "<exclusive-disjunction>{dead}<true/></exclusive-disjunction>",
        "now(!(dead<->true))",
    );
    check(
        "<conjunction>{dead}<conjunction><true/><disjunction>{dead}<true/></disjunction></conjunction></conjunction>",
        "now((dead&true&(dead|true)))",
    );
}

#[test]
fn questions() {
    check("{EF dead}", "EF dead");
    check(
        "<all-paths><globally>{dead}</globally></all-paths>",
        "AG dead",
    );
    check("<possibility>{dead}</possibility>", "EF dead");
    check("<invariant>{dead}</invariant>", "AG dead");
    check("<impossibility>{dead}</impossibility>", "AG !dead");
    check("<all-paths>{dead}</all-paths>", "now(dead)");
    check("<place-bound><place>p</place></place-bound>", "max p");
    check(
        "<place-bound><place>p</place><place>q</place></place-bound>",
        "max (p+q)",
    );
}

#[test]
fn combined_questions() {
    check("<negation>{EF dead}</negation>", "!EF dead");
    check(
        "<conjunction>{EF dead}<true/></conjunction>",
        "(EF dead&now(true))",
    );
    check(
        "<disjunction><disjunction>{EF dead}{EF dead}</disjunction>{dead}</disjunction>",
        "(EF dead|EF dead|now(dead))",
    );
    check(
        "<implication>{EF dead}{dead}</implication>",
        "(!EF dead|now(dead))",
    );
    check(
        "<equivalence>{EF dead}{dead}</equivalence>",
        "((EF dead&now(dead))|(!EF dead&!now(dead)))",
    );
    check(
        "<exclusive-disjunction>{EF dead}{dead}</exclusive-disjunction>",
        "!((EF dead&now(dead))|(!EF dead&!now(dead)))",
    );
}

#[test]
fn runs() {
    let until = |a: &str, b: &str| format!("<until><before>{a}</before><reach>{b}</reach></until>");
    let p = "<integer-le>{1}{p}</integer-le>";
    check(
        &format!("<all-paths><globally><finally>{p}</finally></globally></all-paths>"),
        "A G F (1 <= p)",
    );
    check(
        &format!("<exists-path><globally>{p}</globally></exists-path>"),
        "E G (1 <= p)",
    );
    check(
        &format!("<all-paths><next>{p}</next></all-paths>"),
        "A X (1 <= p)",
    );
    check(
        &format!(
            "<all-paths>{}</all-paths>",
            until("{dead}", &until(p, "{dead}"))
        ),
        "A (deadlock U ((1 <= p) U deadlock))",
    );
    check(
        &format!(
            "<all-paths><negation><finally><conjunction>{p}{{dead}}</conjunction></finally></negation></all-paths>"
        ),
        "A (not F ((1 <= p) and deadlock))",
    );
    check(
        &format!("<all-paths><disjunction><finally>{p}</finally>{p}</disjunction></all-paths>"),
        "A (F (1 <= p) or (1 <= p))",
    );
}

#[test]
fn runs_need_one_quantifier_and_operands() {
    for (name, expected) in [
        ("N-CTLCardinality-3", "AX deadlock"),
        ("N-LTLCardinality-3", "A X deadlock"),
    ] {
        let text = format!(
            "<property-set><property><id>{name}</id><formula><all-paths><next><deadlock/></next></all-paths></formula></property></property-set>"
        );
        let set = read_properties("x.xml", text.as_bytes(), &net()).unwrap();
        assert_eq!(set.properties[0].kind.to_string(), expected);
    }
    for wrong in [
        "<all-paths><next><until><reach><deadlock/></reach><before><deadlock/></before></until></next></all-paths>",
        "<all-paths><finally><next/></finally></all-paths>",
        "<all-paths><finally><before><next><deadlock/></next></before></finally></all-paths>",
        "<all-paths><finally><globally><integer-constant>1</integer-constant></globally></finally></all-paths>",
    ] {
        let text = format!(
            "<property-set><property><id>x</id><formula>{wrong}</formula></property></property-set>"
        );
        assert!(
            read_properties("x.xml", text.as_bytes(), &net()).is_err(),
            "{wrong}"
        );
    }
    let deep = "<next>".repeat(1000) + "<deadlock/>" + &"</next>".repeat(1000);
    let text = format!(
        "<property-set><property><id>x</id><formula><all-paths>{deep}</all-paths></formula></property></property-set>"
    );
    assert!(read_properties("x.xml", text.as_bytes(), &net()).is_err());
}

#[test]
fn branches() {
    let until = "<until><before>{dead}</before><reach>{EF dead}</reach></until>";
    check(
        "<all-paths><globally>{EF dead}</globally></all-paths>",
        "AG EF deadlock",
    );
    check(
        &format!("<exists-path>{until}</exists-path>"),
        "E[deadlock U EF deadlock]",
    );
    check(
        "<conjunction><all-paths><finally>{dead}</finally></all-paths>{dead}</conjunction>",
        "(AF deadlock and deadlock)",
    );
    check(
        "<exclusive-disjunction><exists-path><next>{EF dead}</next></exists-path><true/></exclusive-disjunction>",
        "(not (EX EF deadlock <-> true))",
    );
    check(
        "<impossibility><invariant>{dead}</invariant></impossibility>",
        "AG (not AG deadlock)",
    );
    check(
        "<implication>{EF dead}<all-paths>{EF dead}</all-paths></implication>",
        "(!EF dead|EF dead)",
    );
}

#[test]
fn other_combinations_are_refused() {
    let star = "<exists-path><globally><finally>{EF dead}</finally></globally></exists-path>";
    let star = star.replace(
        "{EF dead}",
        "<exists-path><next><deadlock/></next></exists-path>",
    );
    let set = read(&star);
    assert_eq!(set.refused[0].operator, "finally");
    let deep = "<exists-path><next>".repeat(300) + "<true/>" + &"</next></exists-path>".repeat(300);
    let text = format!(
        "<property-set><property><id>x</id><formula>{deep}</formula></property></property-set>"
    );
    assert!(read_properties("x.xml", text.as_bytes(), &net()).is_err());
}

#[test]
fn names_keep_their_place_in_the_text() {
    let set = read("<place-bound><place>\n the other\n</place></place-bound>");
    let PropertyKind::Bound(Expr::Slot(name)) = &set.properties[0].kind else {
        panic!("{set:?}");
    };
    assert_eq!(name.text, "q");
    assert_eq!(&set.source.text()[name.span.clone()], "the other");
}

fn show_formula(formula: &Formula) -> String {
    match formula {
        Formula::Initially(pred) => format!("now({})", show_pred(pred)),
        Formula::Reachable(pred) => format!("EF {}", show_pred(pred)),
        Formula::Invariant(pred) => format!("AG {}", show_pred(pred)),
        Formula::Not(inner) => format!("!{}", show_formula(inner)),
        Formula::And(inner) => joined(inner, "&", show_formula),
        Formula::Or(inner) => joined(inner, "|", show_formula),
    }
}

fn show_pred(pred: &Pred) -> String {
    match pred {
        Pred::Constant(value) => value.to_string(),
        Pred::Holds(name) => name.to_string(),
        Pred::Deadlock => "dead".into(),
        Pred::Fireable(names) => {
            let names: Vec<_> = names.iter().map(|name| &*name.text).collect();
            format!("fire {}", names.join(","))
        }
        Pred::Not(inner) => format!("!{}", show_pred(inner)),
        Pred::And(inner) => joined(inner, "&", show_pred),
        Pred::Or(inner) => joined(inner, "|", show_pred),
        Pred::Implies(left, right) => format!("({}->{})", show_pred(left), show_pred(right)),
        Pred::Iff(left, right) => format!("({}<->{})", show_pred(left), show_pred(right)),
        Pred::Compare(op, left, right) => {
            let op = match op {
                CompareOp::Equal => "=",
                CompareOp::NotEqual => "!=",
                CompareOp::Less => "<",
                CompareOp::LessOrEqual => "<=",
                CompareOp::Greater => ">",
                CompareOp::GreaterOrEqual => ">=",
            };
            format!("{}{op}{}", show_expr(left), show_expr(right))
        }
    }
}

fn show_expr(expr: &Expr) -> String {
    match expr {
        Expr::Number(value) => value.to_string(),
        Expr::Slot(name) => name.to_string(),
        Expr::Sum(inner) => joined(inner, "+", show_expr),
        Expr::Negate(inner) => format!("-{}", show_expr(inner)),
        Expr::Rank(..) => expr.to_string(),
        Expr::Binary(op, left, right) => {
            let op = match op {
                BinaryOp::Add => "+",
                BinaryOp::Subtract => "-",
                BinaryOp::Multiply => "*",
                BinaryOp::Divide => "/",
                BinaryOp::Remainder => "%",
                other @ BinaryOp::Bits(_) => {
                    return format!("{other}({},{})", show_expr(left), show_expr(right));
                }
            };
            format!("({}{op}{})", show_expr(left), show_expr(right))
        }
    }
}

fn joined<T>(parts: &[T], separator: &str, show: impl Fn(&T) -> String) -> String {
    format!(
        "({})",
        parts.iter().map(show).collect::<Vec<_>>().join(separator)
    )
}
