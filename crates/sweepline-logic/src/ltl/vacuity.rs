//! Formulas that hold for want of anything to hold of [BBER01].
//!
//! `G (req -> F ack)` holds in a model without requests. It does so vacuously: it would hold as well with `F ack` replaced by `false`.
//! So each occurrence of an atom is replaced by what makes the formula hardest to satisfy, `false` where it helps and `true` where it
//! hinders. If the formula still holds, the occurrence did not matter.

use super::formula::{Ltl, Temporal};

/// One occurrence of an atom, replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The atom.
    pub atom: u32,
    /// How many atoms stand before it in the formula.
    pub occurrence: usize,
    /// The formula in which it is replaced. It implies the original, unless the occurrence stands beside `<->`.
    pub ltl: Ltl,
}

impl Ltl {
    /// The atoms as they occur, from left to right.
    pub fn occurrences(&self) -> Vec<u32> {
        let mut atoms = Vec::new();
        occurrences(&self.formula, Helps::Yes, &mut atoms);
        atoms.into_iter().map(|(atom, _)| atom).collect()
    }

    /// Every way to replace one occurrence of an atom by its weakest value. What stands on a side of `<->` helps and hinders at once, so
    /// it is replaced by either value in turn, which gives two formulas; both have to hold for the occurrence not to matter.
    ///
    /// ```
    /// use sweepline_logic::parse_ltl;
    ///
    /// let ltl = parse_ltl("G (req -> F ack)").unwrap().ltl;
    /// let replaced: Vec<String> = ltl.vacuous().iter().map(|one| one.ltl.to_string()).collect();
    /// assert_eq!(replaced, ["G (true -> F ack)", "G (req -> F false)"]);
    /// ```
    pub fn vacuous(&self) -> Vec<Replaced> {
        let mut atoms = Vec::new();
        occurrences(&self.formula, Helps::Yes, &mut atoms);
        let mut all = Vec::new();
        for (occurrence, &(atom, helps)) in atoms.iter().enumerate() {
            let values: &[bool] = match helps {
                Helps::Yes => &[false],
                Helps::No => &[true],
                Helps::Both => &[false, true],
            };
            for &value in values {
                let mut left = occurrence;
                let formula = replaced(&self.formula, &mut left, value);
                all.push(Replaced {
                    atom,
                    occurrence,
                    ltl: Self {
                        atoms: self.atoms.clone(),
                        formula,
                    },
                });
            }
        }
        all
    }
}

/// Whether a formula is easier to satisfy if a part of it holds.
#[derive(Clone, Copy)]
enum Helps {
    Yes,
    No,
    Both,
}

impl Helps {
    fn negated(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Both => Self::Both,
        }
    }
}

fn occurrences(formula: &Temporal, helps: Helps, found: &mut Vec<(u32, Helps)>) {
    match formula {
        Temporal::Atom(atom) => found.push((*atom, helps)),
        Temporal::Not(operand) => occurrences(operand, helps.negated(), found),
        Temporal::Implies(a, b) => {
            occurrences(a, helps.negated(), found);
            occurrences(b, helps, found);
        }
        Temporal::Iff(a, b) => {
            occurrences(a, Helps::Both, found);
            occurrences(b, Helps::Both, found);
        }
        _ => {
            for operand in formula.operands() {
                occurrences(operand, helps, found);
            }
        }
    }
}

/// The formula with a value instead of the atom that has so many before it.
fn replaced(formula: &Temporal, before: &mut usize, value: bool) -> Temporal {
    if !matches!(formula, Temporal::Atom(_)) {
        return formula.map(|operand| replaced(operand, before, value));
    }
    let found = *before == 0;
    *before = before.wrapping_sub(1);
    if found {
        Temporal::Constant(value)
    } else {
        formula.clone()
    }
}

#[cfg(test)]
mod tests {
    use crate::ltl::{Temporal, holds_on, tests};
    use crate::syntax::random_temporal;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        let ltl = crate::parse_ltl(text).unwrap().ltl;
        let found: Vec<String> = ltl
            .vacuous()
            .iter()
            .map(|one| one.ltl.to_string())
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn each_occurrence_is_replaced_by_what_helps_least() {
        check("a U not b", &["(false U (not b))", "(a U (not true))"]);
        check("a and G a", &["(false and G a)", "(a and G false)"]);
        check("a <-> true", &["(false <-> true)", "(true <-> true)"]);
    }

    proptest! {
        #[test]
        fn what_is_replaced_is_harder_to_satisfy(
            formula in random_temporal(true),
            (stem, repeated) in tests::word(),
        ) {
            prop_assume!(!formula.any(&|part| matches!(part, Temporal::Iff(..))));
            for one in tests::ltl(formula.clone()).vacuous() {
                let harder = holds_on(&one.ltl.formula, &stem, &repeated);
                prop_assert!(!harder || holds_on(&formula, &stem, &repeated), "{}", one.ltl);
            }
        }
    }
}
