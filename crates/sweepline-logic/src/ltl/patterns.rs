//! Specification patterns as formulas, after Dwyer, Avrunin and Corbett [DAC99].
//!
//! The mapping is the one they publish. An interval between `q` and `r` begins with a state that satisfies `q` (and not `r`)
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
            Pattern::Existence(_) | Pattern::Precedence(..) => {
                // Only the first `q` counts.
                let never = g(q.clone().negated());
                never.or(f(q.and(globally(pattern))))
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
