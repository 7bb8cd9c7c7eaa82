use super::*;
use crate::Pred;
use crate::testing::{Placeless, rendered};
use insta::assert_snapshot;
use proptest::prelude::*;

fn check(text: &str, expected: &str) {
    match parse_ltl(text) {
        Ok(parsed) => assert_eq!(parsed.ltl.to_string(), expected, "{text}"),
        Err(errors) => panic!("{}", rendered(&errors)),
    }
}

#[test]
fn both_families_of_symbols_are_read() {
    check("[] (p -> <> q)", "G (p -> F q)");
    check("G (p -> F q)", "G (p -> F q)");
    check("[]<>p && <>[]!q", "(G F p and F G (not q))");
    check("GF p & FG !q", "(G F p and F G (not q))");
    check("p V q", "(p R q)");
    check(
        "(p U q) || (p W q) || (p M q)",
        "((p U q) or (p W q) or (p M q))",
    );
    check("X p <-> !X q", "(X p <-> (not X q))");
    check("G(F(p))", "G F p");
}

#[test]
fn predicates_of_the_model_are_atoms() {
    check(
        "G (a + b <= 3 -> F fireable(t))",
        "G (((a + b) <= 3) -> F fireable(t))",
    );
    check("F x > 3 and deadlock", "(F (x > 3) and deadlock)");
    check("\"G\" U \"U\"", "(\"G\" U \"U\")");
    check("G (x > 3 -> F x <= 3)", "G ((x > 3) -> F (not (x > 3)))");
    check("all(G p, any(F p, true))", "(G p and (F p or true))");
    let ltl = parse_ltl("G (x == 1 -> F x == 1 or F x = 1 or x != 1)")
        .unwrap()
        .ltl;
    assert_eq!(ltl.atoms.len(), 1);
}

#[test]
fn operators_bind_as_documented() {
    check("! a U b", "((not a) U b)");
    check("a U b U c", "(a U (b U c))");
    check("a U b and c", "((a U b) and c)");
    check("a -> b U c", "(a -> (b U c))");
    check("a U x + 1 > y", "(a U ((x + 1) > y))");
    check("always a -> b", "G (a -> b)");
    check("G a -> b", "(G a -> b)");
    check("a and never b or c", "(a and G (not (b or c)))");
}

#[test]
fn a_quantifier_may_stand_around_everything() {
    check("A G F p", "G F p");
    check("A (p U q)", "(p U q)");
    check("A[] <> p", "G F p");
    check("A not p", "(not p)");
    check("A A", "A");
    check("A (x > 3 -> F y)", "((x > 3) -> F y)");
}

/// A slot may be called `A`.
#[test]
fn no_quantifier_stands_before_an_operator() {
    check("A", "A");
    check("A > 3", "(A > 3)");
    check("A U b", "(A U b)");
    check("A and F b", "(A and F b)");
    check("A leads to b", "G (A -> F b)");
    check("A until! b", "(A U b)");
    assert!(parse_ltl("A <> 3").is_ok());
    for wrong in ["A (F p) or F q", "A p U q", "G (A F p)", "A E F p", "E F p"] {
        assert!(parse_ltl(wrong).is_err(), "{wrong}");
    }
    assert!(error("A (F p) or F q").contains("in parentheses"));
}

#[test]
fn steps_are_counted() {
    check("X[3] p", "X X X p");
    check("X[0] p", "p");
    check("next[2] p", "X X p");
    check("F[<=2] p", "(p or X (p or X p))");
    check("G[<=1] p", "(p and X p)");
    check("F[<=0] p", "p");
}

#[test]
fn the_past_has_operators() {
    check("G (p -> O q)", "G (p -> O q)");
    check("Y p and Z p and H p", "(Y p and Z p and H p)");
    check("p S q", "(p S q)");
}

#[test]
fn psl_has_words() {
    check("always (p -> next q)", "G (p -> X q)");
    check("never p", "G (not p)");
    check("eventually! p", "F p");
    check("p until! q", "(p U q)");
    check("p until q", "(p W q)");
    check("p until !q", "(p W (not q))");
    check("p until! !q", "(p U (not q))");
    check("p until_ q", "(p W (p and q))");
    check("p until!_ q", "(p U (p and q))");
    check("p before! q", "((not q) U (p and (not q)))");
    check("p before q", "((not q) W (p and (not q)))");
    check("p before_ q", "((not q) W p)");
    check("p before!_ q", "((not q) U p)");
}

#[test]
fn patterns_are_the_published_formulas() {
    check("absence of p", "G (not p)");
    check("absence of p globally", "G (not p)");
    check("absence of p before r", "(F r -> ((not p) U r))");
    check("absence of p after q", "G (q -> G (not p))");
    check(
        "absence of p between q and r",
        "G (((q and (not r)) and F r) -> ((not p) U r))",
    );
    check(
        "absence of p after q until r",
        "G ((q and (not r)) -> ((not p) W r))",
    );
    check("existence of p", "F p");
    check("existence of p before r", "((not r) W (p and (not r)))");
    check("existence of p after q", "(G (not q) or F (q and F p))");
    check(
        "existence of p between q and r",
        "G ((q and (not r)) -> ((not r) W (p and (not r))))",
    );
    check(
        "existence of p after q until r",
        "G ((q and (not r)) -> ((not r) U (p and (not r))))",
    );
    check("universality of x > 3 before r", "(F r -> ((x > 3) U r))");
    check("s precedes p", "((not p) W s)");
    check("precedence of s to p", "((not p) W s)");
    check("s precedes p before r", "(F r -> ((not p) U (s or r)))");
    check("s precedes p after q", "((not q) W (q and ((not p) W s)))");
    check(
        "s precedes p after q until r",
        "G ((q and (not r)) -> ((not p) W (s or r)))",
    );
    check("p leads to s", "G (p -> F s)");
    check("s responds to p", "G (p -> F s)");
    check("response of s to p after q", "G (q -> G (p -> F s))");
    check(
        "p leads to s before r",
        "(F r -> ((p -> ((not r) U (s and (not r)))) U r))",
    );
    check(
        "p leads to s between q and r",
        "G (((q and (not r)) and F r) -> ((p -> ((not r) U (s and (not r)))) U r))",
    );
    check(
        "(absence of p after q) and G r",
        "(G (q -> G (not p)) and G r)",
    );
    check("absence and leads", "(absence and leads)");
}

fn warnings(text: &str) -> String {
    let parsed = parse_ltl(Source::new("--ltl", text)).unwrap();
    let texts: Vec<String> = parsed.warnings.iter().map(|one| rendered(one)).collect();
    texts.join("\n")
}

#[test]
fn ambiguous_precedence_warns() {
    assert_snapshot!("precedence", warnings("G (p -> a U b and c)"));
    for plain in [
        "(a U b) and c",
        "a U (b and c)",
        "G a -> F b",
        "always a -> b",
    ] {
        assert_eq!(warnings(plain), "", "{plain}");
    }
    for ambiguous in ["a U b U c", "c -> a W b", "p leads to q or r"] {
        assert_ne!(warnings(ambiguous), "", "{ambiguous}");
    }
}

fn error(text: &str) -> String {
    rendered(&parse_ltl(Source::new("--ltl", text)).unwrap_err())
}

#[test]
fn errors_say_where_and_what_to_do() {
    let texts = [
        "",
        "G > 3",
        "U and p",
        "AG p",
        "E (G p)",
        "F[<3] p",
        "(F p) > 3",
        "p leads q",
        "absence of p between q",
        "F[<=100000] p",
    ];
    assert_snapshot!("errors", texts.map(error).join("\n\n"));
}

#[test]
fn what_is_deep_or_large_is_refused() {
    for text in [
        "X ".repeat(100_000) + "p",
        "X[999999999999] p".into(),
        "G(".repeat(100_000),
        "p U ".repeat(100_000) + "p",
        "F[<=99] ".repeat(20) + "p",
        "absence of p before (".repeat(50) + "r" + &")".repeat(50),
    ] {
        assert!(parse_ltl(text.as_str()).is_err(), "{}", &text[..20]);
    }
}

#[test]
fn many_predicates_are_gathered() {
    let all: Vec<String> = (0..70).map(|n| format!("x == {n}")).collect();
    let ltl = parse_ltl(format!("F ({}) and G y", all.join(" or ")))
        .unwrap()
        .ltl;
    assert_eq!(ltl.atoms.len(), 2);
    let all: Vec<String> = (0..70).map(|n| format!("F x == {n}")).collect();
    assert!(error(&all.join(" and ")).contains("70 different predicates"));
}

/// Random formulas over atoms 0 to 2.
pub(crate) fn temporal(past: bool) -> impl Strategy<Value = Temporal> {
    use Unary::{Finally, Globally, Historically, Next, Once, WeakYesterday, Yesterday};
    let leaf = prop_oneof![
        9 => (0u32..3).prop_map(Temporal::Atom),
        1 => any::<bool>().prop_map(Temporal::Constant),
    ];
    let mut unary = vec![Next, Finally, Globally];
    let mut binary = vec![
        Binary::Until,
        Binary::Release,
        Binary::WeakUntil,
        Binary::StrongRelease,
    ];
    if past {
        unary.extend([Yesterday, WeakYesterday, Once, Historically]);
        binary.push(Binary::Since);
    }
    leaf.prop_recursive(4, 12, 3, move |inner| {
        let pair = || (inner.clone(), inner.clone());
        let some = || prop::collection::vec(inner.clone(), 2..4);
        let unary = prop::sample::select(unary.clone());
        let binary = prop::sample::select(binary.clone());
        prop_oneof![
            2 => inner.clone().prop_map(Temporal::negated),
            2 => some().prop_map(Temporal::And),
            2 => some().prop_map(Temporal::Or),
            1 => pair().prop_map(|(a, b)| a.implies(b)),
            1 => pair().prop_map(|(a, b)| Temporal::Iff(Box::new(a), Box::new(b))),
            5 => (unary, inner.clone()).prop_map(|(op, a)| a.under(op)),
            5 => (binary, pair()).prop_map(|(op, (a, b))| a.with(op, b)),
        ]
    })
}

proptest! {
    #[test]
    fn printed_formulas_parse_back(formula in temporal(true), names in prop::collection::hash_set("[A-Z]|[a-z]{1,3}|[GFX]{2}|X\\[3\\]|until", 3)) {
        let mut atoms = Atoms::default();
        for name in names {
            atoms.atom(&Pred::Holds(crate::Name::new(name)));
        }
        let ltl = atoms.finish(&formula).unwrap();
        let again = parse_ltl(ltl.to_string()).unwrap().ltl;
        prop_assert_eq!(&again.formula, &ltl.formula);
        prop_assert_eq!(again.atoms.placeless(), ltl.atoms.clone());
        let quantified = parse_ltl(format!("A {ltl}")).unwrap().ltl;
        prop_assert_eq!(&quantified.formula, &ltl.formula);
        prop_assert_eq!(quantified.atoms.placeless(), ltl.atoms);
    }

    #[test]
    fn reading_never_panics(text in "(G|F|X|U| |p|\\(|\\)|<>|\\[\\]|\\[<=9\\]|X\\[3\\]|!|_|until|before|absence of|leads to|between|and|after|->|x > 3|\"){0,20}") {
        let _ = parse_ltl(text);
    }
}
