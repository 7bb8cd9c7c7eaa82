//! Formulas, rewritten formulas and automata agree on random words.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRng, TestRunner};

use super::arena::Arena;
use super::rewrite::rewritten;
use super::*;
use crate::omega::{Letter, OmegaEdge, accepts, read_omega};
use crate::syntax::random_temporal;
use crate::{Name, Pred};

/// A formula over atoms 0 to 2, called a, b and c.
pub(crate) fn ltl(formula: Temporal) -> Ltl {
    let name = |name: &str| Pred::Holds(Name::new(name));
    Ltl {
        atoms: vec![name("a"), name("b"), name("c")],
        formula,
    }
}

/// Words: a stem and a loop.
pub(crate) fn word() -> impl Strategy<Value = (Vec<Letter>, Vec<Letter>)> {
    let letters = |range| prop::collection::vec(0u64..8, range);
    (letters(0..5), letters(1..6))
}

/// Everything that is made of a formula agrees with its definition on some words.
fn check(formula: &Temporal, words: &[(Vec<Letter>, Vec<Letter>)]) {
    let ltl = ltl(formula.clone());
    let mut arena = Arena::default();
    let future = (!formula.has_past()).then(|| arena.normal(formula));
    let rewritten = future.map(|id| rewritten(&mut arena, id));
    let rewritten = rewritten.map(|id| arena.tree(id));
    let automaton = translate(&ltl).unwrap();
    let written = read_omega(&automaton.to_hoa().as_str().into()).unwrap();
    let states = translate_to_states(&ltl).unwrap();
    let uniform = |edges: &Vec<_>| {
        edges
            .iter()
            .all(|edge: &OmegaEdge| edge.marks == edges[0].marks)
    };
    assert!(states.edges.iter().all(uniform), "{ltl}");
    for (stem, repeated) in words {
        let expected = holds_on(formula, stem, repeated);
        let on = format!("{ltl} on {stem:?} | {repeated:?}");
        if let Some(rewritten) = &rewritten {
            let shown = ltl.shown(rewritten);
            assert_eq!(
                holds_on(rewritten, stem, repeated),
                expected,
                "{on}: {shown}"
            );
        }
        assert_eq!(accepts(&automaton, stem, repeated), expected, "{on}, edges");
        assert_eq!(accepts(&written, stem, repeated), expected, "{on}, HOA");
        assert_eq!(accepts(&states, stem, repeated), expected, "{on}, states");
    }
}

/// So many random formulas, half of them with past, on twenty words each.
fn random_formulas(count: usize) {
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let words = prop::collection::vec(word(), 20);
    for round in 0..count {
        let past = round % 2 == 1;
        let formula = random_temporal(past)
            .new_tree(&mut runner)
            .unwrap()
            .current();
        let words = words.new_tree(&mut runner).unwrap().current();
        check(&formula, &words);
    }
}

#[test]
fn random_formulas_agree_on_random_words() {
    random_formulas(200);
}

/// Named for those who change the translation: `cargo test --release -p sweepline-logic -- --ignored hundred_thousand`.
#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_random_formulas_agree_on_random_words() {
    random_formulas(100_000);
}

/// The automata of a formula accept words of the one kind and not of the other.
fn accepts_exactly(text: &str, accepted: &[[&[Letter]; 2]], rejected: &[[&[Letter]; 2]]) {
    let ltl = crate::parse_ltl(text).unwrap().ltl;
    for automaton in [translate(&ltl).unwrap(), translate_to_states(&ltl).unwrap()] {
        for [stem, repeated] in accepted {
            assert!(
                accepts(&automaton, stem, repeated),
                "{text} on {stem:?} | {repeated:?}"
            );
        }
        for [stem, repeated] in rejected {
            assert!(
                !accepts(&automaton, stem, repeated),
                "{text} on {stem:?} | {repeated:?}"
            );
        }
    }
}

/// If successors were simplified, a run could promise `b` and `a & b` in turn and keep neither promise.
#[test]
fn promises_are_kept_however_they_look() {
    accepts_exactly(
        "G (F b and X (a U (a and b)))",
        &[[&[], &[3]]],
        &[[&[], &[2]], [&[], &[0]]],
    );
    accepts_exactly(
        "(F a) U (G F b)",
        &[[&[], &[2]]],
        &[[&[], &[1]], [&[2], &[1]]],
    );
    accepts_exactly("G (a U b or b U a)", &[[&[], &[1, 2]]], &[[&[1], &[0]]]);
    // Rewriting what comes next makes the promise another one here.
    accepts_exactly("(F X a) W a", &[[&[0], &[1]]], &[[&[], &[0]]]);
}

/// An edge between components has no marks on either side of a simulation, or all on both.
#[test]
fn the_exit_of_a_waiting_state_survives_simulation() {
    accepts_exactly(
        "F G not a",
        &[[&[1, 0, 1], &[0]]],
        &[[&[], &[0, 1]], [&[0], &[1]]],
    );
    accepts_exactly(
        "F G not a and F b",
        &[[&[1, 2], &[0]]],
        &[[&[2], &[1]], [&[1], &[0]]],
    );
}

/// A set is needed for edges not to be in, as long as a component rejects.
#[test]
fn waiting_for_ever_is_not_accepted() {
    accepts_exactly("F a", &[[&[0, 0, 1], &[0]]], &[[&[], &[0]]]);
    accepts_exactly("a U b", &[[&[1, 2], &[0]]], &[[&[], &[1]]]);
}

/// What has many atoms is translated, and what becomes too large is refused soon.
#[test]
fn many_atoms_do_not_matter() {
    let any = |count: usize| -> String {
        let all: Vec<String> = (0..count)
            .map(|atom| format!("(x{atom} and not y{atom})"))
            .collect();
        all.join(" or ")
    };
    let response = format!(
        "G (({}) -> F ({}))",
        any(15),
        any(15).replace('x', "z").replace('y', "z1")
    );
    let ltl = crate::parse_ltl(response).unwrap().ltl;
    assert!(ltl.atoms.len() > 40);
    assert_eq!(translate(&ltl).unwrap().edges.len(), 2);
    let fair: Vec<String> = (0..20).map(|n| format!("G (a{n} -> F b{n})")).collect();
    let ltl = crate::parse_ltl(fair.join(" and ")).unwrap().ltl;
    assert!(translate(&ltl).is_err());
    let ltl = crate::parse_ltl(format!("not ({})", fair.join(" and ")))
        .unwrap()
        .ltl;
    assert_eq!(translate(&ltl).unwrap().edges.len(), 21);
}
