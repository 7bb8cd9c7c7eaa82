//! Specification patterns as formulas, after Dwyer, Avrunin and Corbett [DAC99].
//!
//! The mapping is the one they publish, but for precedence after `q`: theirs, `G !q or F (q & (!p W s))`, is satisfied by any later `q`
//! as well, and not only by the first one, as they say. An interval between `q` and `r` begins with a state that satisfies `q` (and not `r`)
//! and ends before the first that satisfies `r`; `between` requires that such an `r` comes, `after … until` does not.

use super::formula::{Binary, Temporal, Unary};

/// What is required within a scope.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// It never holds.
    Absence(Temporal),
    /// It holds some time.
    Existence(Temporal),
    /// It holds all the time.
    Universality(Temporal),
    /// The first holds before the second may hold.
    Precedence(Temporal, Temporal),
    /// Whenever the first holds, the second holds then or later.
    Response(Temporal, Temporal),
}

/// Where it is required.
#[derive(Clone, Debug)]
pub(crate) enum Scope {
    /// Everywhere.
    Globally,
    /// Before the first such state, if there is one.
    Before(Temporal),
    /// From the first such state on.
    After(Temporal),
    /// From each of the first to the next of the second, which must come.
    Between(Temporal, Temporal),
    /// The same, or for ever if it does not come.
    AfterUntil(Temporal, Temporal),
}

/// A pattern within a scope as a formula.
pub(crate) fn formula(pattern: Pattern, scope: Scope) -> Temporal {
    match scope {
        Scope::Globally => globally(pattern),
        Scope::Before(r) => before(pattern, r),
        Scope::After(q) => match pattern {
            // Only the first `q` counts.
            Pattern::Existence(_) => {
                let never = g(q.clone().negated());
                never.or(f(q.and(globally(pattern))))
            }
            Pattern::Precedence(..) => {
                let from_there = q.clone().and(globally(pattern));
                q.negated().with(Binary::WeakUntil, from_there)
            }
            pattern => g(q.implies(globally(pattern))),
        },
        Scope::Between(q, r) => {
            let open = q.and(r.clone().negated());
            match pattern {
                // It is enough that `r` does not come before `p`.
                Pattern::Existence(_) => g(open.implies(before(pattern, r))),
                pattern => {
                    let closed = Temporal::And(vec![open, f(r.clone())]);
                    g(closed.implies(up_to(pattern, r, Binary::Until)))
                }
            }
        }
        Scope::AfterUntil(q, r) => {
            let open = q.and(r.clone().negated());
            g(open.implies(up_to(pattern, r, Binary::WeakUntil)))
        }
    }
}

fn globally(pattern: Pattern) -> Temporal {
    match pattern {
        Pattern::Absence(p) => g(p.negated()),
        Pattern::Existence(p) => f(p),
        Pattern::Universality(p) => g(p),
        Pattern::Precedence(s, p) => p.negated().with(Binary::WeakUntil, s),
        Pattern::Response(p, s) => g(p.implies(f(s))),
    }
}

fn before(pattern: Pattern, r: Temporal) -> Temporal {
    match pattern {
        Pattern::Existence(p) => {
            let not_r = r.negated();
            not_r.clone().with(Binary::WeakUntil, p.and(not_r))
        }
        pattern => f(r.clone()).implies(up_to(pattern, r, Binary::Until)),
    }
}

/// The pattern up to the first `r`, which must come (`U`) or need not (`W`).
fn up_to(pattern: Pattern, r: Temporal, until: Binary) -> Temporal {
    match pattern {
        Pattern::Absence(p) => p.negated().with(until, r),
        Pattern::Universality(p) => p.with(until, r),
        // Here it must come in any case, since this pattern asks for something.
        Pattern::Existence(p) => {
            let not_r = r.negated();
            not_r.clone().with(Binary::Until, p.and(not_r))
        }
        Pattern::Precedence(s, p) => p.negated().with(until, s.or(r)),
        Pattern::Response(p, s) => {
            let not_r = r.clone().negated();
            let answered = not_r.clone().with(Binary::Until, s.and(not_r));
            p.implies(answered).with(until, r)
        }
    }
}

fn g(formula: Temporal) -> Temporal {
    formula.under(Unary::Globally)
}

fn f(formula: Temporal) -> Temporal {
    formula.under(Unary::Finally)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use crate::ltl::holds_on;
    use crate::omega::Letter;
    use crate::{Pred, parse_ltl};

    /// What is required, and where, in words.
    const PATTERNS: [&str; 7] = [
        "absence of p",
        "existence of p",
        "universality of p",
        "s precedes p",
        "p leads to s",
        "s responds to p",
        "response of s to p",
    ];
    const SCOPES: [&str; 6] = [
        "",
        "globally",
        "before r",
        "after q",
        "between q and r",
        "after q until r",
    ];

    /// The values of p, s, q and r along a word that repeats its end, written out a few times.
    struct Word {
        letters: Vec<Letter>,
        /// What begins behind this begins before it in the same way.
        beginnings: usize,
    }

    impl Word {
        fn has(&self, at: usize, name: char) -> bool {
            let bit = "psqr".find(name).unwrap();
            self.letters[at] >> bit & 1 == 1
        }

        fn first(&self, name: char, from: usize) -> Option<usize> {
            (from..self.letters.len()).find(|&at| self.has(at, name))
        }

        /// The intervals in which something is required. Those to the end go on for ever.
        fn intervals(&self, scope: &str) -> Vec<Range<usize>> {
            let end = self.letters.len();
            let opens = |at: &usize| self.has(*at, 'q') && !self.has(*at, 'r');
            let open = (0..self.beginnings).filter(opens);
            match scope {
                "before r" => self.first('r', 0).map(|r| 0..r).into_iter().collect(),
                "after q" => self.first('q', 0).map(|q| q..end).into_iter().collect(),
                "between q and r" => open.filter_map(|q| Some(q..self.first('r', q)?)).collect(),
                "after q until r" => open.map(|q| q..self.first('r', q).unwrap_or(end)).collect(),
                _ => std::iter::once(0..end).collect(),
            }
        }

        fn satisfies(&self, pattern: &str, mut interval: Range<usize>) -> bool {
            let p = |at: usize| self.has(at, 'p');
            let s = |mut range: Range<usize>| range.any(|at| self.has(at, 's'));
            let Range { start, end } = interval;
            match pattern {
                "absence of p" => !interval.any(p),
                "existence of p" => interval.any(p),
                "universality of p" => interval.all(p),
                "s precedes p" => interval.all(|at| !p(at) || s(start..at + 1)),
                // What is required in the last rounds of an interval without end comes in those behind.
                _ if end == self.letters.len() => {
                    (start..self.beginnings.max(start)).all(|at| !p(at) || s(at..end))
                }
                _ => interval.all(|at| !p(at) || s(at..end)),
            }
        }
    }

    proptest! {
        /// Every pattern in every scope says what its definition says.
        #[test]
        fn patterns_mean_what_is_published(
            stem in prop::collection::vec(0..16_u64, 0..5),
            cycle in prop::collection::vec(0..16_u64, 1..4),
        ) {
            let rounds = |count: usize| cycle.iter().copied().cycle().take(count * cycle.len());
            let word = Word {
                letters: stem.iter().copied().chain(rounds(4)).collect(),
                beginnings: stem.len() + 2 * cycle.len(),
            };
            for (pattern, scope) in PATTERNS.iter().flat_map(|one| SCOPES.map(|scope| (one, scope))) {
                let ltl = parse_ltl(format!("{pattern} {scope}").as_str()).unwrap().ltl;
                let read = |letter: &Letter| -> Letter {
                    let atoms = ltl.atoms.iter().enumerate();
                    let bits = atoms.map(|(at, atom)| {
                        let Pred::Holds(name) = atom else { panic!("{atom}") };
                        (letter >> "psqr".find(&name.text).unwrap() & 1) << at
                    });
                    bits.sum()
                };
                let letters = |letters: &[Letter]| letters.iter().map(read).collect::<Vec<_>>();
                let holds = holds_on(&ltl.formula, &letters(&stem), &letters(&cycle));
                let mut intervals = word.intervals(scope).into_iter();
                let expected = intervals.all(|interval| word.satisfies(pattern, interval));
                prop_assert_eq!(holds, expected, "{} {}: {}", pattern, scope, ltl);
            }
        }
    }
}
