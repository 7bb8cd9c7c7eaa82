//! Formulas that hold vacuously: which of their atoms do not matter.

use std::collections::HashMap;
use std::sync::Arc;

use sweepline_logic::ltl::{Ltl, translate};
use sweepline_logic::omega::OmegaAutomaton;

use crate::ltl::{Claim, Harder};

/// A formula that all runs are claimed to satisfy.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The formula, as it is written.
    pub ltl: Ltl,
    /// The values of atoms that have the same one in all states.
    pub known: Vec<Option<bool>>,
}

/// An occurrence of an atom in a formula that holds, and would hold whatever stood there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vacuous {
    /// The atom, as it is written.
    pub atom: String,
    /// Which of its occurrences it is, from left to right, from 1 on.
    pub occurrence: usize,
    /// How many there are.
    pub occurrences: usize,
}

impl Vacuous {
    /// The occurrence before which so many atoms stand in the formula.
    pub(crate) fn of(formula: &Ltl, before: usize) -> Option<Self> {
        let all = formula.occurrences();
        let atom = *all.get(before)?;
        let count = |atoms: &[u32]| atoms.iter().filter(|&&other| other == atom).count();
        Some(Self {
            atom: formula.atoms.get(atom as usize)?.to_string(),
            occurrence: count(&all[..=before]),
            occurrences: count(&all),
        })
    }

    /// Says it of a formula that holds; nothing if all its atoms matter.
    ///
    /// ```
    /// use sweepline_check::Vacuous;
    ///
    /// let second = Vacuous { atom: "req".into(), occurrence: 2, occurrences: 3 };
    /// let only = Vacuous { atom: "ack".into(), occurrence: 1, occurrences: 1 };
    /// let words = Vacuous::words(&[second, only]).unwrap();
    /// assert_eq!(words, "vacuously: occurrence 2 of `req` and `ack` never matter");
    /// assert_eq!(Vacuous::words(&[]), None);
    /// ```
    pub fn words(all: &[Self]) -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        for one in all {
            let alike = all.iter().filter(|other| other.atom == one.atom).count();
            let name = if alike == one.occurrences {
                format!("`{}`", one.atom)
            } else {
                format!("occurrence {} of `{}`", one.occurrence, one.atom)
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let last = names.pop()?;
        Some(if names.is_empty() {
            format!("vacuously: {last} never matters")
        } else {
            format!("vacuously: {} and {last} never matter", names.join(", "))
        })
    }
}

/// Formulas with more atoms than this are not looked at: each takes an automaton and a search.
const MOST_OCCURRENCES: usize = 32;

/// The claims that a formula would make if an occurrence of an atom had its weakest value. Those that cannot be made with these
/// atoms, which have places, are left out, and so are their occurrences.
pub(crate) fn harder(claimed: &Claimed, places: &HashMap<String, usize>) -> Vec<Harder> {
    let formula = &claimed.ltl;
    if formula.occurrences().len() > MOST_OCCURRENCES {
        return Vec::new();
    }
    let (mut all, mut refused) = (Vec::new(), Vec::new());
    for replaced in formula.vacuous() {
        let automaton = translate(&replaced.ltl.with_values(&claimed.known).negated());
        match automaton.ok().and_then(|made| claim(made, places)) {
            Some(claim) => all.push(Harder {
                occurrence: replaced.occurrence,
                claim,
            }),
            None => refused.push(replaced.occurrence),
        }
    }
    all.retain(|one| !refused.contains(&one.occurrence));
    all
}

fn claim(automaton: OmegaAutomaton, places: &HashMap<String, usize>) -> Option<Claim> {
    let atoms = automaton.atoms.iter();
    let atoms = atoms.map(|atom| places.get(&atom.to_string()).copied());
    Some(Claim {
        atoms: atoms.collect::<Option<Vec<usize>>>()?,
        automaton: Arc::new(automaton),
    })
}
