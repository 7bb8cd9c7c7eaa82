//! Whether a formula can tell how often a state is repeated [MDL15].
//!
//! Reductions that leave out steps keep the truth of formulas that cannot. A formula without operators for the next and the last state never
//! can. With such operators it is a matter of its language: it must be impossible that the same word is a stretched word of the
//! formula and a stretched word of its negation.

use std::collections::HashMap;

use super::formula::Ltl;
use super::translate::{TranslateError, translate};
use crate::omega::{Acceptance, Letter, OmegaAutomaton, accepting_part};

/// Atoms up to which all letters are tried.
const MOST_ATOMS: usize = 8;

/// Pairs of states beyond which the formula is taken to be sensitive.
const MOST_PAIRS: usize = 200_000;

impl Ltl {
    /// Whether repeating states changes nothing. If this is too hard to find out, the answer is no.
    ///
    /// ```
    /// use sweepline_logic::parse_ltl;
    ///
    /// let invariant = |text| parse_ltl(text).unwrap().ltl.is_stutter_invariant().unwrap();
    /// assert!(invariant("G (a -> F b)"));
    /// assert!(invariant("F (a and X (not a))")); // F a and F not a, in this order
    /// assert!(!invariant("X a"));
    /// ```
    pub fn is_stutter_invariant(&self) -> Result<bool, TranslateError> {
        if !self.formula.has_next() {
            return Ok(true);
        }
        if self.atoms.len() > MOST_ATOMS {
            return Ok(false);
        }
        let (yes, no) = (translate(self)?, translate(&self.negated())?);
        Ok(!have_common_stretched_word(&yes, &no))
    }
}

/// Whether two generalised Büchi automata accept words that are equal after letters are repeated.
fn have_common_stretched_word(left: &OmegaAutomaton, right: &OmegaAutomaton) -> bool {
    // Each side moves, or stays where it is if the letter is the one it read last. They never stay both.
    type Node = (u32, u32, Option<Letter>);
    let mut numbers: HashMap<Node, usize> = HashMap::new();
    let mut nodes: Vec<Node> = Vec::new();
    for &from in &left.initial {
        for &there in &right.initial {
            let node = (from.0, there.0, None);
            numbers.insert(node, nodes.len());
            nodes.push(node);
        }
    }
    let mut edges = Vec::new();
    while let Some(&(from, there, last)) = nodes.get(edges.len()) {
        let mut moves = Vec::new();
        for letter in 0..1 << left.atoms.len() {
            let again = last == Some(letter);
            let ways = |automaton: &OmegaAutomaton, state: u32| {
                let edges = automaton.edges[state as usize].iter();
                let edges = edges.filter(|edge| edge.guard.contains(letter));
                let mut ways: Vec<_> = edges
                    .map(|edge| (edge.target.0, edge.marks, true))
                    .collect();
                ways.extend(again.then_some((state, 0, false)));
                ways
            };
            let others = ways(right, there);
            for (to, marks, moved) in ways(left, from) {
                for &(other, more, other_moved) in &others {
                    if !moved && !other_moved {
                        continue;
                    }
                    let node = (to, other, Some(letter));
                    let next = nodes.len();
                    let number = *numbers.entry(node).or_insert(next);
                    if number == next {
                        nodes.push(node);
                    }
                    // The sets of the right come behind those of the left.
                    let more = more.checked_shl(left.sets).unwrap_or(0);
                    moves.push((number, marks | more));
                }
            }
        }
        edges.push(moves);
        if nodes.len() > MOST_PAIRS {
            return true;
        }
    }
    let sets = left.sets + right.sets;
    if sets > u64::BITS {
        return true;
    }
    accepting_part(&edges, &Acceptance::all(sets)).is_some()
}

#[cfg(test)]
mod tests {
    use crate::ltl::{holds_on, tests};
    use crate::omega::Letter;
    use crate::parse_ltl;
    use crate::syntax::random_temporal;
    use proptest::prelude::*;

    fn check(text: &str, expected: bool) {
        let found = parse_ltl(text).unwrap().ltl.is_stutter_invariant();
        assert_eq!(found, Ok(expected), "{text}");
    }

    #[test]
    fn next_does_not_always_count() {
        check("G F X a", true);
        check("F (a and X not a)", true);
        check("X a or X not a", true);
        check("a and X a", false);
        check("X X a", false);
        check("G (a -> Y b)", false);
        check("G (a -> O b)", true);
    }

    proptest! {
        #[test]
        fn repeating_letters_changes_nothing_where_we_say_so(
            formula in random_temporal(true),
            (stem, repeated) in tests::word(),
            times in prop::collection::vec(1..4_usize, 12),
        ) {
            let ltl = tests::ltl(formula);
            prop_assume!(ltl.is_stutter_invariant() == Ok(true));
            let stretched = |word: &[Letter], from: usize| -> Vec<Letter> {
                let letters = word.iter().zip(&times[from..]);
                letters.flat_map(|(&letter, &times)| vec![letter; times]).collect()
            };
            let expected = holds_on(&ltl.formula, &stem, &repeated);
            let found = holds_on(&ltl.formula, &stretched(&stem, 0), &stretched(&repeated, 5));
            prop_assert_eq!(found, expected, "{}", ltl);
        }
    }
}
