//! Operators of the past as testers: a bit for each, and formulas of the future that say how it changes.
//!
//! The value of an operator of the past follows from its value one state earlier and from its operands. So it becomes a new atom,
//! and a conjunct says what the atom is in the first state and how it goes on from each state to the next. There is exactly one way
//! to choose the values of the new atoms along a word; an automaton that reads them too accepts, after they are projected away,
//! the words that satisfy the formula. If the operands speak of present and past only, it does not even have to guess.

use std::collections::HashMap;

use super::formula::{Binary, Temporal, Unary};

/// A formula without past, with more atoms, such that some values of these make it true exactly where the original is.
pub(crate) fn without_past(formula: &Temporal, atoms: u32) -> Temporal {
    let mut testers = Testers {
        known: HashMap::new(),
        next: atoms,
        says: Vec::new(),
    };
    let formula = testers.replaced(formula);
    testers.says.insert(0, formula);
    match testers.says.len() {
        1 => testers.says.remove(0),
        _ => Temporal::And(testers.says),
    }
}

struct Testers {
    /// The atom of each operator, by what it is applied to.
    known: HashMap<Temporal, u32>,
    next: u32,
    says: Vec<Temporal>,
}

impl Testers {
    fn replaced(&mut self, formula: &Temporal) -> Temporal {
        let formula = formula.map(|operand| self.replaced(operand));
        if !formula.is_past() {
            return formula;
        }
        if let Some(&atom) = self.known.get(&formula) {
            return Temporal::Atom(atom);
        }
        let bit = Temporal::Atom(self.next);
        self.known.insert(formula.clone(), self.next);
        self.next += 1;
        let (first, then) = rule(&bit, &formula);
        self.says.push(iff(bit.clone(), first));
        self.says
            .push(iff(next(bit.clone()), then).under(Unary::Globally));
        bit
    }
}

/// What a bit is in the first state, and what it is in the next state given what it is in this one.
fn rule(bit: &Temporal, formula: &Temporal) -> (Temporal, Temporal) {
    match formula {
        Temporal::Unary(Unary::Yesterday, a) => (Temporal::Constant(false), (**a).clone()),
        Temporal::Unary(Unary::WeakYesterday, a) => (Temporal::Constant(true), (**a).clone()),
        Temporal::Unary(Unary::Once, a) => ((**a).clone(), bit.clone().or(next((**a).clone()))),
        Temporal::Unary(Unary::Historically, a) => {
            ((**a).clone(), bit.clone().and(next((**a).clone())))
        }
        Temporal::Binary(Binary::Since, a, b) => {
            let since = bit.clone().and(next((**a).clone()));
            ((**b).clone(), next((**b).clone()).or(since))
        }
        _ => unreachable!("only operators of the past have rules"),
    }
}

fn next(formula: Temporal) -> Temporal {
    formula.under(Unary::Next)
}

fn iff(a: Temporal, b: Temporal) -> Temporal {
    Temporal::Iff(Box::new(a), Box::new(b))
}
