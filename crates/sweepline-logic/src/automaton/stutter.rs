//! Whether a safety automaton can tell how often a state is repeated.
//!
//! The automaton is made deterministic: its states are sets of states, and all sets that accept are one. It is indifferent to
//! repetition if, wherever it has read a letter, reading the same letter once more leads to a state that accepts the same words.

use std::collections::{BTreeMap, BTreeSet};

use crate::{AutomatonState, Pred, SafetyAutomaton};

/// Atoms up to which all letters are tried.
const MOST_ATOMS: usize = 8;
/// Sets of states beyond which the automaton is taken to be sensitive.
const MOST_SETS: usize = 4096;

/// A letter: the atoms that are true, as bits.
type Letter = u32;

impl SafetyAutomaton {
    /// What its guards ask, each once: comparisons, propositions and whatever else is not built from others.
    pub fn atoms(&self) -> Vec<Pred> {
        let mut atoms = Vec::new();
        for edge in self.edges() {
            gather(&edge.guard, &mut atoms);
        }
        atoms
    }

    /// Whether repeating states changes nothing. If this is too hard to find out, the answer is no.
    ///
    /// ```
    /// use sweepline_logic::{Source, read_automaton};
    ///
    /// let invariant = |text| {
    ///     let automaton = read_automaton(&Source::new("it", text)).unwrap();
    ///     automaton.is_stutter_invariant()
    /// };
    /// // It waits for `p`, and then or at the same time for `q`.
    /// assert!(invariant("a\nc\na true a p b \"p and q\" c\nb true b q c\nc true c\n"));
    /// // It waits for `p`, and later for `q`: a state with both is enough if it is repeated.
    /// assert!(!invariant("a\nc\na true a p b\nb true b q c\nc true c\n"));
    /// // It waits for `p` and `q` right behind it.
    /// assert!(!invariant("a\nc\na true a p b\nb q c\nc true c\n"));
    /// ```
    pub fn is_stutter_invariant(&self) -> bool {
        let atoms = self.atoms();
        if atoms.len() > MOST_ATOMS {
            return false;
        }
        Deterministic::new(self, &atoms).is_some_and(|it| it.is_stutter_invariant())
    }
}

fn gather(pred: &Pred, atoms: &mut Vec<Pred>) {
    match pred {
        Pred::Constant(_) => {}
        Pred::Not(operand) => gather(operand, atoms),
        Pred::And(operands) | Pred::Or(operands) => {
            for operand in operands {
                gather(operand, atoms);
            }
        }
        Pred::Implies(a, b) | Pred::Iff(a, b) => {
            gather(a, atoms);
            gather(b, atoms);
        }
        Pred::Holds(_) | Pred::Compare(..) | Pred::Fireable(_) | Pred::Deadlock => {
            let text = pred.to_string();
            if atoms.iter().all(|atom| atom.to_string() != text) {
                atoms.push(pred.clone());
            }
        }
    }
}

fn holds(pred: &Pred, atoms: &[String], letter: Letter) -> bool {
    match pred {
        Pred::Constant(value) => *value,
        Pred::Not(operand) => !holds(operand, atoms, letter),
        Pred::And(operands) => operands.iter().all(|it| holds(it, atoms, letter)),
        Pred::Or(operands) => operands.iter().any(|it| holds(it, atoms, letter)),
        Pred::Implies(a, b) => !holds(a, atoms, letter) || holds(b, atoms, letter),
        Pred::Iff(a, b) => holds(a, atoms, letter) == holds(b, atoms, letter),
        Pred::Holds(_) | Pred::Compare(..) | Pred::Fireable(_) | Pred::Deadlock => {
            let text = pred.to_string();
            let atom = atoms.iter().position(|atom| *atom == text);
            atom.is_some_and(|atom| (letter >> atom) & 1 != 0)
        }
    }
}

/// A deterministic automaton. Its first state is the one that has accepted, and its second the initial one.
struct Deterministic {
    /// Where each letter leads.
    moves: Vec<Vec<usize>>,
}

impl Deterministic {
    fn new(automaton: &SafetyAutomaton, atoms: &[Pred]) -> Option<Self> {
        let letters = 0..1 << atoms.len();
        let atoms: Vec<String> = atoms.iter().map(ToString::to_string).collect();
        let initial: BTreeSet<_> = automaton.initial().iter().copied().collect();
        let mut numbers = BTreeMap::from([(initial.clone(), 1)]);
        let mut sets = vec![initial];
        let mut moves = vec![vec![0; letters.len()]];
        while let Some(set) = sets.get(moves.len() - 1).cloned() {
            let mut row = Vec::new();
            for letter in letters.clone() {
                let next = read(automaton, &set, &atoms, letter);
                let accepts = automaton.accepting().iter().any(|it| next.contains(it));
                let number = if accepts {
                    0
                } else {
                    let fresh = sets.len() + 1;
                    *numbers.entry(next.clone()).or_insert_with(|| {
                        sets.push(next);
                        fresh
                    })
                };
                row.push(number);
            }
            moves.push(row);
            if sets.len() > MOST_SETS {
                return None;
            }
        }
        Some(Self { moves })
    }

    fn is_stutter_invariant(&self) -> bool {
        let classes = self.classes();
        let mut all = self.moves.iter();
        all.all(|row| {
            let mut letters = row.iter().enumerate();
            letters.all(|(letter, once)| {
                let twice = self.moves[*once][letter];
                classes[twice] == classes[*once]
            })
        })
    }

    /// States that accept the same words have the same class.
    fn classes(&self) -> Vec<usize> {
        let mut classes: Vec<usize> = (0..self.moves.len())
            .map(|state| usize::from(state != 0))
            .collect();
        loop {
            let mut numbers = BTreeMap::new();
            let finer = self.moves.iter().zip(&classes).map(|(row, class)| {
                let leads: Vec<usize> = row.iter().map(|to| classes[*to]).collect();
                let fresh = numbers.len();
                *numbers.entry((*class, leads)).or_insert(fresh)
            });
            let finer: Vec<usize> = finer.collect();
            let count = |classes: &[usize]| classes.iter().collect::<BTreeSet<_>>().len();
            let done = count(&finer) == count(&classes);
            classes = finer;
            if done {
                return classes;
            }
        }
    }
}

/// Where an automaton can be after a letter.
fn read(
    automaton: &SafetyAutomaton,
    set: &BTreeSet<AutomatonState>,
    atoms: &[String],
    letter: Letter,
) -> BTreeSet<AutomatonState> {
    let moves = automaton.edges().iter();
    let moves = moves.filter(|edge| set.contains(&edge.source));
    let open = moves.filter(|edge| holds(&edge.guard, atoms, letter));
    open.map(|edge| edge.target).collect()
}
