use super::*;
use crate::testing::rendered;
use insta::assert_snapshot;
use proptest::prelude::*;

fn check(text: &str, expected: &str) {
    match parse_ctl(text) {
        Ok(parsed) => assert_eq!(parsed.ctl.to_string(), expected, "{text}"),
        Err(errors) => panic!("{}", rendered(&errors)),
    }
}

fn error(text: &str) -> String {
    rendered(&parse_ctl(Source::new("--ctl", text)).unwrap_err())
}

#[test]
fn every_operator_is_read() {
    check("EX p", "EX p");
    check("AX EF AG AF EG p", "AX EF AG AF EG p");
    check("E[p U q]", "E[p U q]");
    check("A [p W q]", "A[p W q]");
    check("E(p R q)", "E[p R q]");
    check("A[p M q]", "A[p M q]");
    check("A[p V q]", "A[p R q]");
    check("E F p", "EF p");
    check("A[] p and E<> q", "(AG p and EF q)");
    check("A[G p] or E(X q)", "(AG p or EX q)");
    check("EFAG p", "EF AG p");
    check("AGEF p", "AG EF p");
    check("E[E[a U b] W A[c R d]]", "E[E[a U b] W A[c R d]]");
}

#[test]
fn operators_bind_as_documented() {
    check("EF p and q", "(EF p and q)");
    check("AG x > 3", "AG (x > 3)");
    check("not EX p -> AF q", "((not EX p) -> AF q)");
    check("E[a U b and c]", "E[a U (b and c)]");
    check("E[a or b U c -> EX d]", "E[(a or b) U (c -> EX d)]");
    check("A[(E[a U b] and c) U d]", "A[(E[a U b] and c) U d]");
    check("EF p <-> EX q", "(EF p <-> EX q)");
}

#[test]
fn predicates_are_atoms_as_a_whole() {
    let ctl = parse_ctl("AG (x > 3 and y -> EF (x > 3 and y))")
        .unwrap()
        .ctl;
    assert_eq!(ctl.atoms.len(), 1);
    let ctl = parse_ctl("AG (x > 3 and !y -> EF (x > 3 or y))")
        .unwrap()
        .ctl;
    assert_eq!((ctl.atoms.len(), ctl.fine().atoms.len()), (2, 2));
    assert_eq!(ctl.fine().to_string(), ctl.to_string());
    check("AG (true and EF deadlock)", "AG (true and EF deadlock)");
    check("EF fireable(t) and \"EF\"", "(EF fireable(t) and \"EF\")");
    check("E[\"U\" U A > 3]", "E[\"U\" U (A > 3)]");
    check("E[x[3] U y[4] == 2]", "E[x[3] U (y[4] == 2)]");
    check("p", "p");
}

#[test]
fn other_logics_are_named() {
    let texts = [
        "E[F G p]",
        "AG p and A[(F p) and (G AX q)]",
        "EF G p",
        "E[F[<=3] p]",
    ];
    assert_snapshot!(texts.map(error).join("\n"));
}

#[test]
fn formulas_of_linear_time_are_asked_otherwise() {
    let check = |text: &str, shape: &str, formula: &str| {
        let errors = parse_ctl(text).unwrap_err().into_vec();
        let [
            SyntaxError::Linear {
                shape: found,
                formula: proposed,
                ..
            },
        ] = &errors[..]
        else {
            panic!("{text}: {errors:?}");
        };
        assert_eq!(
            (found.as_str(), proposed.as_str()),
            (shape, formula),
            "{text}"
        );
        assert!(crate::parse_ltl(proposed.as_str()).is_ok(), "{proposed}");
    };
    check("A[F G p]", "A F G", "F G p");
    check("A G F p", "AG F", "G F p");
    check("AF G p", "AF G", "F G p");
    check("A (G (p -> F q))", "A G F", "G (p -> F q)");
    check("A[p and q U G r or s]", "A U G", "(p and q) U (G r or s)");
    check("G (p -> F q)", "G F", "G (p -> F q)");
    check("never p", "never p", "never p");
    check("A[p leads to q]", "A [p leads to q]", "p leads to q");
    check(
        "absence of p after q",
        "absence of p after q",
        "absence of p after q",
    );
}

#[test]
fn patterns_are_named_by_their_text() {
    let shown = error("E[never p]");
    assert!(
        shown.contains("`E [never p]` is a shape of CTL*"),
        "{shown}"
    );
}

#[test]
fn mistakes_are_located() {
    let texts = [
        "E[p U q",
        "AG (EF p",
        "E[p U]",
        "E[p U q U r]",
        "AG x + 1",
        "",
    ];
    assert_snapshot!(texts.map(error).join("\n"));
}

#[test]
fn questions_about_reachable_states_are_recognised() {
    let formula = |text: &str| parse_ctl(text).unwrap().ctl.as_formula();
    let shown = |text: &str| formula(text).unwrap().to_string();
    assert_eq!(
        shown("EF p and not AG (q -> r)"),
        "(EF p and (not AG (q -> r)))"
    );
    assert_eq!(shown("EF p -> x > 3"), "((not EF p) or initially((x > 3)))");
    for text in [
        "AG EF p",
        "AF p",
        "EF p <-> EF q",
        "E[true U p]",
        "EF (p and EX q)",
    ] {
        assert_eq!(formula(text), None, "{text}");
    }
}

fn branching() -> impl Strategy<Value = Branching> {
    let leaf = prop_oneof![
        (0..3_u32).prop_map(Branching::Atom),
        any::<bool>().prop_map(Branching::Constant)
    ];
    let quantifier = prop::sample::select(vec![Quantifier::Exists, Quantifier::Forall]);
    let unary = prop::sample::select(vec![
        PathUnary::Next,
        PathUnary::Finally,
        PathUnary::Globally,
    ]);
    let binary = prop::sample::select(vec![
        PathBinary::Until,
        PathBinary::WeakUntil,
        PathBinary::Release,
        PathBinary::StrongRelease,
    ]);
    leaf.prop_recursive(5, 24, 3, move |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(Branching::negated),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Branching::And),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Branching::Or),
            two.clone()
                .prop_map(|(a, b)| Branching::Implies(a.into(), b.into())),
            two.prop_map(|(a, b)| Branching::Iff(a.into(), b.into())),
            (quantifier.clone(), unary.clone(), inner.clone())
                .prop_map(|(quantifier, op, operand)| operand.under(quantifier, op)),
            (quantifier.clone(), binary.clone(), inner.clone(), inner)
                .prop_map(|(quantifier, op, a, b)| a.with(quantifier, op, b)),
        ]
    })
}

proptest! {
    /// Parts about single states become atoms of their own, so texts are compared.
    #[test]
    fn printed_formulas_parse_back(formula in branching()) {
        let preds = ["x > 3", "not \"U\"", "A and fireable(t)"];
        let atoms = preds.map(|text| crate::parse_pred(text).unwrap()).to_vec();
        let printed = Ctl { atoms, formula }.to_string();
        let parsed = parse_ctl(printed.as_str()).unwrap();
        prop_assert_eq!(parsed.ctl.to_string(), printed);
    }
}
