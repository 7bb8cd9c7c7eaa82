//! Formulas, rewritten formulas and automata agree on random words.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRng, TestRunner};

use super::arena::Arena;
use super::rewrite::rewritten;
use super::*;
use crate::omega::{Letter, OmegaEdge, accepts};
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
