//! The truth of a formula on an ultimately periodic word, straight from the definition.
//!
//! This is the judge of everything else that is done with formulas, so it is as plain as it can be.

use super::formula::{Binary, Temporal, Unary};
use crate::omega::Letter;

/// Whether the infinite word `stem · loop · loop · …` satisfies a formula at its beginning.
///
/// ```
/// use sweepline_logic::{ltl::holds_on, parse_ltl};
///
/// let ltl = parse_ltl("G (a -> F b)").unwrap().ltl;
/// assert!(holds_on(&ltl.formula, &[0b01], &[0b00, 0b10]));
/// assert!(!holds_on(&ltl.formula, &[0b10], &[0b00, 0b01]));
/// ```
pub fn holds_on(formula: &Temporal, stem: &[Letter], repeated: &[Letter]) -> bool {
    assert!(!repeated.is_empty(), "an infinite word repeats something");
    // What a past operator says in the loop may differ from round to round, for one round more than what it speaks about. Then
    // it repeats: an operator of the past looks back to the nearest position that decides it, and if no position of a round
    // does, all of them agree with the one before.
    let mut word = stem.to_vec();
    for _ in 0..past_operators(formula) {
        word.extend(repeated);
    }
    let back = word.len();
    word.extend(repeated);
    Word { word, back }.values(formula)[0]
}

fn past_operators(formula: &Temporal) -> usize {
    let operands = formula.operands().into_iter();
    usize::from(formula.is_past()) + operands.map(past_operators).sum::<usize>()
}

/// A word whose last position is followed by the position `back`.
struct Word {
    word: Vec<Letter>,
    back: usize,
}

impl Word {
    fn next(&self, at: usize) -> usize {
        if at + 1 < self.word.len() {
            at + 1
        } else {
            self.back
        }
    }

    /// The value at each position.
    fn values(&self, formula: &Temporal) -> Vec<bool> {
        let positions = 0..self.word.len();
        match formula {
            Temporal::Constant(value) => positions.map(|_| *value).collect(),
            Temporal::Atom(atom) => positions.map(|at| self.word[at] >> atom & 1 == 1).collect(),
            Temporal::Not(a) => self.values(a).into_iter().map(|a| !a).collect(),
            Temporal::And(all) => {
                let all: Vec<_> = all.iter().map(|one| self.values(one)).collect();
                positions.map(|at| all.iter().all(|one| one[at])).collect()
            }
            Temporal::Or(all) => {
                let all: Vec<_> = all.iter().map(|one| self.values(one)).collect();
                positions.map(|at| all.iter().any(|one| one[at])).collect()
            }
            Temporal::Implies(a, b) => self.pairs(a, b, |a, b| !a || b),
            Temporal::Iff(a, b) => self.pairs(a, b, |a, b| a == b),
            Temporal::Unary(op, a) => self.unary(*op, &self.values(a)),
            Temporal::Binary(op, a, b) => self.binary(*op, &self.values(a), &self.values(b)),
        }
    }

    fn pairs(&self, a: &Temporal, b: &Temporal, of: impl Fn(bool, bool) -> bool) -> Vec<bool> {
        let (a, b) = (self.values(a), self.values(b));
        a.into_iter().zip(b).map(|(a, b)| of(a, b)).collect()
    }

    fn unary(&self, op: Unary, a: &[bool]) -> Vec<bool> {
        let positions = 0..a.len();
        let forever: Vec<bool> = vec![true; a.len()];
        let never: Vec<bool> = vec![false; a.len()];
        match op {
            Unary::Next => positions.map(|at| a[self.next(at)]).collect(),
            Unary::Finally => self.binary(Binary::Until, &forever, a),
            Unary::Globally => self.binary(Binary::Release, &never, a),
            Unary::Yesterday => positions.map(|at| at > 0 && a[at - 1]).collect(),
            Unary::WeakYesterday => positions.map(|at| at == 0 || a[at - 1]).collect(),
            Unary::Once => self.binary(Binary::Since, &forever, a),
            Unary::Historically => positions.map(|at| a[..=at].iter().all(|&a| a)).collect(),
        }
    }

    fn binary(&self, op: Binary, a: &[bool], b: &[bool]) -> Vec<bool> {
        let positions = 0..a.len();
        match op {
            Binary::Until => positions.map(|at| self.until(at, a, b)).collect(),
            Binary::WeakUntil => positions
                .map(|at| self.until(at, a, b) || self.always(at, a))
                .collect(),
            Binary::StrongRelease => positions.map(|at| self.strong_release(at, a, b)).collect(),
            Binary::Release => positions
                .map(|at| self.strong_release(at, a, b) || self.always(at, b))
                .collect(),
            Binary::Since => positions
                .map(|at| (0..=at).any(|then| b[then] && a[then + 1..=at].iter().all(|&a| a)))
                .collect(),
        }
    }

    /// Whether `b` comes, and `a` until then.
    fn until(&self, from: usize, a: &[bool], b: &[bool]) -> bool {
        let mut way = self.way(from);
        let then = way.iter().position(|&at| b[at]);
        way.truncate(then.unwrap_or(0));
        then.is_some() && way.iter().all(|&at| a[at])
    }

    /// Whether `a` comes, and `b` up to and including that position.
    fn strong_release(&self, from: usize, a: &[bool], b: &[bool]) -> bool {
        let way = self.way(from);
        let then = way.iter().position(|&at| a[at]);
        then.is_some_and(|then| way[..=then].iter().all(|&at| b[at]))
    }

    fn always(&self, from: usize, a: &[bool]) -> bool {
        self.way(from).iter().all(|&at| a[at])
    }

    /// The positions from one on, long enough to pass each of them.
    fn way(&self, from: usize) -> Vec<usize> {
        let mut way = vec![from];
        while way.len() <= self.word.len() {
            way.push(self.next(way[way.len() - 1]));
        }
        way
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_ltl;

    /// Letters are the atoms that hold, separated by blanks; `|` starts the loop.
    fn check(text: &str, word: &str, expected: bool) {
        let ltl = parse_ltl(text).unwrap().ltl;
        let letter = |names: &str| -> Letter {
            let bit = |(at, pred): (usize, &crate::Pred)| {
                Letter::from(names.contains(&pred.to_string())) << at
            };
            ltl.atoms.iter().enumerate().map(bit).sum()
        };
        let letters = |text: &str| text.split_whitespace().map(letter).collect::<Vec<_>>();
        let (stem, repeated) = word.split_once('|').unwrap();
        let found = holds_on(&ltl.formula, &letters(stem), &letters(repeated));
        assert_eq!(found, expected, "{text} on {word}");
    }

    #[test]
    fn the_future_of_a_lasso() {
        check("F a", "- - | -", false);
        check("F a", "- - | - a", true);
        check("G F a", "a | -", false);
        check("G F a", "| - a", true);
        check("F G a", "- | a", true);
        check("F G a", "- | a -", false);
        check("a U b", "a a | b", true);
        check("a U b", "| a", false);
        check("a W b", "| a", true);
        check("a W b", "a | -", false);
        check("a R b", "b ab | -", true);
        check("a R b", "b a | -", false);
        check("a R b", "| b", true);
        check("a M b", "| b", false);
        check("X X a", "- | - a", true);
        check("X[3] a", "- | - a", false);
        check("F[<=1] a", "- - | a", false);
        check("F[<=2] a", "- - | a", true);
        check("G[<=2] a", "a a a | -", true);
    }

    #[test]
    fn the_past_of_a_lasso() {
        check("Y true", "| a", false);
        check("Z false", "| a", true);
        check("X Y a", "a | -", true);
        check("G (b -> O a)", "a - | b", true);
        check("G (b -> O a)", "b a | b", false);
        check("F H a", "a | -", true);
        check("F (b and H a)", "a a | b", false);
        check("X X (a S b)", "b a a | -", true);
        check("X X (a S b)", "b - a | -", false);
        // In the first round of the loop there is no `a` before, in the second there is.
        check("G F (b and Y O a)", "| b a", true);
        check("G (b -> Y O a)", "| b a", false);
        check("X X G (b -> Y O a)", "| b a", true);
        // It takes a round for each of these to settle.
        check("G F (b and Y O (b and Y O (b and Y O a)))", "| b a", true);
    }
}
