//! Parts of formulas that are about single states.

use sweepline_logic::ctl::Branching;

use super::backwards::Node;

/// Says whether something about single states holds at a node.
pub(super) struct Evaluator<'f> {
    formula: &'f Branching,
    places: &'f [usize],
    /// The atoms it is about, and its value for each combination of them, if these are few.
    table: Option<(Vec<usize>, Vec<bool>)>,
}

/// Atoms for which there is a table.
const TABLED: usize = 10;

impl<'f> Evaluator<'f> {
    pub(super) fn new(formula: &'f Branching, places: &'f [usize]) -> Self {
        let atoms: Vec<usize> = (0..places.len())
            .filter(|&atom| mentions(formula, atom))
            .collect();
        let table = (atoms.len() <= TABLED).then(|| {
            let values = (0..1_usize << atoms.len()).map(|bits| {
                let value = |atom: u32| {
                    let at = atoms.iter().position(|&one| one == atom as usize);
                    at.map(|at| bits >> at & 1 == 1)
                };
                evaluate(formula, &value) == Some(true)
            });
            let values = values.collect();
            let places = atoms.iter().map(|&atom| places[atom]).collect();
            (places, values)
        });
        Self {
            formula,
            places,
            table,
        }
    }

    #[inline]
    pub(super) fn holds(&self, node: &Node<'_>) -> bool {
        match &self.table {
            Some((places, values)) => {
                let bits = places.iter().enumerate();
                let bits = bits.map(|(at, &place)| usize::from(node.atom(place)) << at);
                values[bits.sum::<usize>()]
            }
            None => self.value(node, &[]) == Some(true),
        }
    }

    /// Its value if these atoms have none.
    pub(super) fn value(&self, node: &Node<'_>, undefined: &[u32]) -> Option<bool> {
        let value = |atom: u32| {
            let known = !undefined.contains(&atom);
            known.then(|| node.atom(self.places[atom as usize]))
        };
        evaluate(self.formula, &value)
    }
}

fn mentions(formula: &Branching, atom: usize) -> bool {
    let one = |part: &Branching| mentions(part, atom);
    match formula {
        Branching::Constant(_) => false,
        Branching::Atom(this) => *this as usize == atom,
        Branching::Not(operand) | Branching::Unary(_, _, operand) => one(operand),
        Branching::And(parts) | Branching::Or(parts) => parts.iter().any(one),
        Branching::Implies(a, b) | Branching::Iff(a, b) | Branching::Binary(_, _, a, b) => {
            one(a) || one(b)
        }
    }
}

/// The value of something about a single state, some of whose atoms may have none.
pub(crate) fn evaluate(formula: &Branching, value: &impl Fn(u32) -> Option<bool>) -> Option<bool> {
    let all = |parts: &[Branching], decisive: bool| {
        let mut known = true;
        for part in parts {
            match evaluate(part, value) {
                Some(truth) if truth == decisive => return Some(decisive),
                Some(_) => {}
                None => known = false,
            }
        }
        known.then_some(!decisive)
    };
    match formula {
        Branching::Constant(value) => Some(*value),
        Branching::Atom(atom) => value(*atom),
        Branching::Not(operand) => evaluate(operand, value).map(|truth| !truth),
        Branching::And(parts) => all(parts, false),
        Branching::Or(parts) => all(parts, true),
        Branching::Implies(a, b) => match (evaluate(a, value), evaluate(b, value)) {
            (Some(false), _) | (_, Some(true)) => Some(true),
            (Some(true), Some(false)) => Some(false),
            _ => None,
        },
        Branching::Iff(a, b) => Some(evaluate(a, value)? == evaluate(b, value)?),
        Branching::Unary(..) | Branching::Binary(..) => None,
    }
}
