//! Formulas some of whose atoms have the same value in all states.

use super::formula::{Branching, Ctl, PathBinary, PathUnary, Quantifier};
use crate::Pred;

use PathBinary::{Release, StrongRelease, Until, WeakUntil};
use PathUnary::{Finally, Globally, Next};
use Quantifier::{Exists, Forall};

impl Ctl {
    /// The same formula where some atoms, by their places, have the same value in all states that can be reached. It is as short as that
    /// makes it, and has only the atoms that are left. All runs count.
    ///
    /// ```
    /// let ctl = sweepline_logic::parse_ctl("AG (p -> E[q U r])").unwrap().ctl;
    /// let valued = |known: [Option<bool>; 3]| ctl.with_values(&known).to_string();
    /// assert_eq!(valued([None, Some(true), None]), "AG (p -> EF r)");
    /// assert_eq!(valued([Some(false), None, None]), "true");
    /// ```
    #[must_use]
    pub fn with_values(&self, known: &[Option<bool>]) -> Self {
        let mut formula = valued(&self.formula, known);
        let mut atoms = Vec::new();
        renumber(&mut formula, &mut atoms);
        let kept = atoms
            .iter()
            .filter_map(|&atom: &u32| self.atoms.get(atom as usize));
        Self {
            atoms: kept.cloned().collect(),
            formula,
        }
    }
}

impl Ctl {
    /// The same where predicates are known to have the same value in all states that can be reached, also parts of atoms.
    #[must_use]
    pub fn knowing(&self, known: &dyn Fn(&Pred) -> Option<bool>) -> Self {
        let fine = self.fine();
        let values: Vec<Option<bool>> = fine.atoms.iter().map(known).collect();
        if values.iter().all(Option::is_none) {
            return self.clone();
        }
        fine.with_values(&values)
    }
}

/// Numbers atoms as they come; what they were is listed.
fn renumber(formula: &mut Branching, atoms: &mut Vec<u32>) {
    match formula {
        Branching::Constant(_) => {}
        Branching::Atom(atom) => {
            let known = atoms.iter().position(|known| known == atom);
            let place = known.unwrap_or_else(|| {
                atoms.push(*atom);
                atoms.len() - 1
            });
            *atom = u32::try_from(place).expect("there are no more atoms than before");
        }
        Branching::Not(part) | Branching::Unary(_, _, part) => renumber(part, atoms),
        Branching::And(parts) | Branching::Or(parts) => {
            for part in parts {
                renumber(part, atoms);
            }
        }
        Branching::Implies(a, b) | Branching::Iff(a, b) | Branching::Binary(_, _, a, b) => {
            renumber(a, atoms);
            renumber(b, atoms);
        }
    }
}

fn valued(formula: &Branching, known: &[Option<bool>]) -> Branching {
    let one = |part: &Branching| valued(part, known);
    match formula {
        Branching::Constant(value) => Branching::Constant(*value),
        Branching::Atom(atom) => {
            let value = known.get(*atom as usize).copied().flatten();
            value.map_or(Branching::Atom(*atom), Branching::Constant)
        }
        Branching::Not(part) => not(one(part)),
        Branching::And(parts) => junction(parts.iter().map(one), true),
        Branching::Or(parts) => junction(parts.iter().map(one), false),
        Branching::Implies(a, b) => match (one(a), one(b)) {
            (Branching::Constant(false), _) | (_, Branching::Constant(true)) => {
                Branching::Constant(true)
            }
            (Branching::Constant(true), b) => b,
            (a, Branching::Constant(false)) => not(a),
            (a, b) => Branching::Implies(Box::new(a), Box::new(b)),
        },
        Branching::Iff(a, b) => match (one(a), one(b)) {
            (Branching::Constant(true), other) | (other, Branching::Constant(true)) => other,
            (Branching::Constant(false), other) | (other, Branching::Constant(false)) => not(other),
            (a, b) => Branching::Iff(Box::new(a), Box::new(b)),
        },
        Branching::Unary(quantifier, op, part) => unary(*quantifier, *op, one(part)),
        Branching::Binary(quantifier, op, a, b) => binary(*quantifier, *op, one(a), one(b)),
    }
}

fn not(formula: Branching) -> Branching {
    match formula {
        Branching::Constant(value) => Branching::Constant(!value),
        formula => formula.negated(),
    }
}

/// A conjunction, whose neutral operand is true, or a disjunction.
fn junction(parts: impl Iterator<Item = Branching>, neutral: bool) -> Branching {
    let mut left = Vec::new();
    for part in parts {
        match part {
            Branching::Constant(value) if value == neutral => {}
            Branching::Constant(value) => return Branching::Constant(value),
            part => left.push(part),
        }
    }
    match (left.len(), neutral) {
        (0, _) => Branching::Constant(neutral),
        (1, _) => left.remove(0),
        (_, true) => Branching::And(left),
        (_, false) => Branching::Or(left),
    }
}

/// From every state some run starts, and it may end there: so only whether there is a next state is not known.
fn unary(quantifier: Quantifier, op: PathUnary, part: Branching) -> Branching {
    match (quantifier, op, part) {
        (_, Finally | Globally, Branching::Constant(value)) => Branching::Constant(value),
        (Exists, Next, Branching::Constant(false)) => Branching::Constant(false),
        (Forall, Next, Branching::Constant(true)) => Branching::Constant(true),
        (quantifier, op, part) => part.under(quantifier, op),
    }
}

fn binary(quantifier: Quantifier, op: PathBinary, a: Branching, b: Branching) -> Branching {
    use Branching::Constant;
    match (op, a, b) {
        (Until | WeakUntil | Release, _, Constant(true)) | (WeakUntil, Constant(true), _) => {
            Constant(true)
        }
        (Until | Release | StrongRelease, _, Constant(false))
        | (StrongRelease, Constant(false), _) => Constant(false),
        (Until | WeakUntil, Constant(false), part)
        | (Release | StrongRelease, Constant(true), part) => part,
        (Until, Constant(true), part) | (StrongRelease, part, Constant(true)) => {
            unary(quantifier, Finally, part)
        }
        (WeakUntil, part, Constant(false)) | (Release, Constant(false), part) => {
            unary(quantifier, Globally, part)
        }
        (op, a, b) => a.with(quantifier, op, b),
    }
}
