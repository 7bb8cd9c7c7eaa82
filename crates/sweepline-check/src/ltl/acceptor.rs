//! The automaton of a claim as the search uses it: pruned, and with what is assumed of runs among its acceptance sets.

use sweepline_core::{ActionId, Word};
use sweepline_logic::omega::{Acceptance, Class, Cube, Letter, MOST, Marks, OmegaEdge, Outlook};

use super::claim::{ActionSets, Assumption, Claim, Fairness, WORD, bit};

/// An automaton that reads what a [`Reader`](super::claim::Reader) read, and accepts only fair runs.
///
/// Assumptions are acceptance: `Recurs` and `Weak` are a set that must recur, `Strong` is a set that must not or another one
/// that must [BK08, Sect. 3.5]. Their marks are on the steps of the model.
#[derive(Clone, Debug)]
pub(crate) struct Acceptor {
    /// The states it can start in, if something can be accepted from there.
    pub(crate) initial: Vec<u32>,
    /// The moves from each state to states from which something can be accepted.
    moves: Vec<Vec<Move>>,
    pub(crate) acceptance: Acceptance,
    /// States from which every run is accepted.
    universal: Vec<bool>,
    /// States that lie on a cycle which could be accepted.
    recurrent: Vec<bool>,
    outlook: Outlook,
    /// Which bit of what is read each atom is.
    atoms: Vec<usize>,
    assumptions: Vec<(Assumption, u32)>,
    /// Where the bits of assumptions begin in what is read.
    enabled: usize,
    actions: ActionSets,
}

/// A move of the automaton.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    cubes: Box<[Cube]>,
    pub(crate) target: u32,
    pub(crate) marks: Marks,
    /// Its position among the moves of its source, all of them.
    pub(crate) edge: u32,
}

/// A claim cannot be checked as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// There are more acceptance sets than can be told apart.
    #[error(
        "{needed} acceptance sets are needed, fairness included, and there can be {MOST}; assume less"
    )]
    TooManySets {
        /// How many are needed.
        needed: usize,
    },
    /// There are more assumptions than can be told apart.
    #[error(
        "there are {given} assumptions of fairness, and there can be {MOST}; put actions together"
    )]
    TooManyAssumptions {
        /// How many are given.
        given: usize,
    },
    /// The automaton makes no sense.
    #[error("the automaton {what}")]
    Malformed {
        /// What is wrong with it.
        what: &'static str,
    },
}

impl Acceptor {
    /// `atoms` is how many atoms are shared.
    pub(crate) fn new(
        claim: &Claim,
        fairness: &Fairness,
        atoms: usize,
    ) -> Result<Self, ClaimError> {
        check(claim, fairness, atoms)?;
        let automaton = &claim.automaton;
        let (acceptance, assumptions) = fair(&automaton.acceptance, automaton.sets, fairness)?;
        let classes = automaton.classes();
        let outlook = automaton.outlook(&classes);
        let class_of = |rank: &u32| classes.components[*rank as usize];
        let moves = automaton.edges.iter();
        let moves = moves.map(|edges| moves_within(edges, &outlook.live));
        let initial = automaton.initial.iter().map(|state| state.0);
        let terminal = |rank| assumptions.is_empty() && class_of(rank) == Class::Terminal;
        Ok(Self {
            moves: moves.collect(),
            initial: initial
                .filter(|&state| outlook.live[state as usize])
                .collect(),
            universal: classes.rank.iter().map(terminal).collect(),
            recurrent: (classes.rank.iter())
                .map(|rank| class_of(rank) != Class::Rejecting)
                .collect(),
            outlook,
            acceptance,
            atoms: claim.atoms.clone(),
            assumptions,
            enabled: atoms.div_ceil(WORD) * WORD,
            actions: ActionSets::new(fairness),
        })
    }

    /// How many states it has.
    pub(crate) fn states(&self) -> usize {
        self.moves.len()
    }

    /// Whether every run is accepted from this state on.
    #[inline]
    pub(crate) fn is_universal(&self, state: u32) -> bool {
        self.universal[state as usize]
    }

    /// Whether the state lies on a cycle that could be accepted.
    #[inline]
    pub(crate) fn is_recurrent(&self, state: u32) -> bool {
        self.recurrent[state as usize]
    }

    /// The position of the state's component in topological order.
    pub(crate) fn rank(&self, state: u32) -> u32 {
        self.outlook.ranks[state as usize]
    }

    /// What a product with the automaton has to know.
    pub(crate) fn outlook(&self) -> &Outlook {
        &self.outlook
    }

    /// Whether it asks for this one of the shared atoms, or an assumption does.
    pub(crate) fn asks(&self, atom: usize) -> bool {
        let assumed = |(one, _): &(Assumption, u32)| *one == Assumption::Recurs(atom);
        self.atoms.contains(&atom) || self.assumptions.iter().any(assumed)
    }

    /// The letter in what was read.
    pub(crate) fn letter(&self, read: &[Word]) -> Letter {
        let holds = self.atoms.iter().map(|&atom| Letter::from(bit(read, atom)));
        (0..)
            .zip(holds)
            .fold(0, |letter, (at, holds)| letter | holds << at)
    }

    /// The marks of assumptions on every step from a state, as far as they do not depend on the step.
    pub(crate) fn state_marks(&self, read: &[Word]) -> Marks {
        let enabled = read.get(self.enabled / WORD).copied().unwrap_or(0);
        self.marks_of(|atom| bit(read, atom), enabled)
    }

    /// The same, by which atoms hold and whether an action of each assumption is enabled.
    pub(crate) fn marks_of(&self, holds: impl Fn(usize) -> bool, enabled: Marks) -> Marks {
        let mut marks = 0;
        for (position, (assumption, set)) in self.assumptions.iter().enumerate() {
            let is_enabled = enabled >> position & 1 == 1;
            let marked = match assumption {
                Assumption::Recurs(atom) => holds(*atom),
                Assumption::Weak(_) => !is_enabled,
                Assumption::Strong(_) => is_enabled,
            };
            marks |= Marks::from(marked) << set;
        }
        marks
    }

    /// The assumptions that these actions belong to, as bits by their position.
    pub(crate) fn enabled_by(&self, actions: impl Iterator<Item = ActionId>) -> Marks {
        actions.fold(0, |all, action| all | self.actions.of(action))
    }

    /// The marks of the assumptions that these atoms recur.
    pub(crate) fn recurring_marks(&self, is_meant: impl Fn(usize) -> bool) -> Marks {
        let all = self.assumptions.iter();
        all.fold(0, |marks, (assumption, set)| match assumption {
            Assumption::Recurs(atom) if is_meant(*atom) => marks | 1 << set,
            _ => marks,
        })
    }

    /// The marks of assumptions on a step with this action.
    #[inline]
    pub(crate) fn step_marks(&self, action: Option<ActionId>) -> Marks {
        let Some(action) = action else { return 0 };
        let taken = self.actions.of(action);
        let mut marks = 0;
        if taken != 0 {
            for (position, (assumption, set)) in self.assumptions.iter().enumerate() {
                let set = match assumption {
                    Assumption::Recurs(_) => continue,
                    Assumption::Weak(_) => *set,
                    Assumption::Strong(_) => set + 1,
                };
                marks |= (taken >> position & 1) << set;
            }
        }
        marks
    }

    /// The moves from a state that read this letter.
    pub(crate) fn reading(&self, state: u32, letter: Letter) -> impl Iterator<Item = &Move> {
        let moves = self.moves[state as usize].iter();
        moves.filter(move |step| step.cubes.iter().any(|cube| cube.contains(letter)))
    }
}

fn check(claim: &Claim, fairness: &Fairness, atoms: usize) -> Result<(), ClaimError> {
    let automaton = &claim.automaton;
    let states = automaton.edges.len();
    let known = |state: u32| (state as usize) < states;
    let targets = automaton.edges.iter().flatten().map(|edge| edge.target.0);
    let mut mentioned = automaton.initial.iter().map(|state| state.0).chain(targets);
    let recurring = fairness.assumptions.iter().filter_map(|one| match one {
        Assumption::Recurs(atom) => Some(atom),
        Assumption::Weak(_) | Assumption::Strong(_) => None,
    });
    let what = if !mentioned.all(known) {
        "leads to a state it does not have"
    } else if automaton.sets as usize > MOST || claim.atoms.len() > MOST {
        "has more than 64 atoms or acceptance sets"
    } else if claim
        .atoms
        .iter()
        .chain(recurring)
        .any(|&atom| atom >= atoms)
    {
        "asks for an atom that is not among those given"
    } else {
        return Ok(());
    };
    Err(ClaimError::Malformed { what })
}

/// The condition with all assumptions, and the first acceptance set of each.
fn fair(
    acceptance: &Acceptance,
    sets: u32,
    fairness: &Fairness,
) -> Result<(Acceptance, Vec<(Assumption, u32)>), ClaimError> {
    let given = fairness.assumptions.len();
    if given > MOST {
        return Err(ClaimError::TooManyAssumptions { given });
    }
    let (mut all, mut assumptions, mut next) = (vec![acceptance.clone()], Vec::new(), sets);
    for assumption in &fairness.assumptions {
        all.push(match assumption {
            Assumption::Recurs(_) | Assumption::Weak(_) => Acceptance::Inf(next),
            Assumption::Strong(_) => {
                Acceptance::Or(vec![Acceptance::Fin(next), Acceptance::Inf(next + 1)])
            }
        });
        assumptions.push((assumption.clone(), next));
        next += assumption.sets();
    }
    let needed = next as usize;
    if needed > MOST {
        return Err(ClaimError::TooManySets { needed });
    }
    let condition = if all.len() == 1 {
        acceptance.clone()
    } else {
        Acceptance::And(all)
    };
    Ok((condition, assumptions))
}

/// The moves of a state that lead to states from which something can be accepted.
fn moves_within(edges: &[OmegaEdge], live: &[bool]) -> Vec<Move> {
    let kept = (0..)
        .zip(edges)
        .filter(|(_, edge)| live[edge.target.0 as usize] && !edge.guard.is_empty());
    kept.map(|(position, edge)| Move {
        cubes: edge.guard.cubes().into(),
        target: edge.target.0,
        marks: edge.marks,
        edge: position,
    })
    .collect()
}

/// Whether a condition holds if `recur` are marks that surely recur, and `occur` all that may occur.
pub(crate) fn holds(acceptance: &Acceptance, recur: Marks, occur: Marks) -> bool {
    match acceptance {
        Acceptance::Inf(set) => recur >> set & 1 == 1,
        Acceptance::Fin(set) => occur >> set & 1 == 0,
        Acceptance::And(all) => all.iter().all(|one| holds(one, recur, occur)),
        Acceptance::Or(all) => all.iter().any(|one| holds(one, recur, occur)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use sweepline_logic::Pred;
    use sweepline_logic::omega::{Guard, OmegaAutomaton, OmegaState};

    fn cube(holds: Letter, fails: Letter) -> Cube {
        Cube { holds, fails }
    }

    /// Waits for the first atom, then accepts everything; and a way into nothing.
    fn eventually() -> Claim {
        let edge = |holds, target, marks| OmegaEdge {
            guard: Guard::of([cube(holds, 0)]),
            target: OmegaState(target),
            marks,
        };
        let automaton = OmegaAutomaton {
            atoms: vec![Pred::Constant(true)],
            initial: vec![OmegaState(0), OmegaState(2)],
            edges: vec![
                vec![edge(0, 0, 0), edge(0, 2, 0), edge(1, 1, 0)],
                vec![edge(0, 1, 1)],
                vec![edge(0, 2, 0)],
            ],
            sets: 1,
            acceptance: Acceptance::all(1),
        };
        Claim {
            automaton: Arc::new(automaton),
            atoms: vec![1],
        }
    }

    #[test]
    fn states_without_a_future_are_pruned() {
        let acceptor = Acceptor::new(&eventually(), &Fairness::default(), 2).unwrap();
        assert_eq!(acceptor.initial, [0]);
        assert_eq!(acceptor.moves[0].len(), 2);
        assert!(acceptor.is_universal(1) && !acceptor.is_universal(0));
        assert!(acceptor.rank(0) < acceptor.rank(1));
        assert!(!acceptor.is_recurrent(0) && acceptor.is_recurrent(1));
        assert_eq!(acceptor.letter(&[0b10]), 1);
        let read: Vec<u32> = acceptor.reading(0, 0).map(|step| step.edge).collect();
        assert_eq!(read, [0]);
        assert_eq!(acceptor.reading(0, 1).count(), 2);
    }

    #[test]
    fn assumptions_are_acceptance_sets() {
        let fairness = Fairness {
            assumptions: vec![
                Assumption::Recurs(0),
                Assumption::Weak(vec![ActionId(4)]),
                Assumption::Strong(vec![ActionId(4), ActionId(5)]),
            ],
        };
        let acceptor = Acceptor::new(&eventually(), &fairness, 2).unwrap();
        assert!(!acceptor.is_universal(1), "the rest must be fair");
        // Sets: 0 of the automaton, 1 recurs, 2 weak, 3 and 4 strong.
        assert_eq!(acceptor.state_marks(&[1, 0]), 0b00110);
        assert_eq!(acceptor.state_marks(&[0, 0b110]), 0b01000);
        assert_eq!(acceptor.step_marks(Some(ActionId(4))), 0b10100);
        assert_eq!(acceptor.step_marks(Some(ActionId(5))), 0b10000);
        assert_eq!(acceptor.step_marks(None), 0);
        assert!(acceptor.acceptance.accepts(0b00111));
        assert!(!acceptor.acceptance.accepts(0b01111));
        assert!(acceptor.acceptance.accepts(0b11111));
        let many = Fairness {
            assumptions: vec![Assumption::Strong(Vec::new()); 40],
        };
        let error = Acceptor::new(&eventually(), &many, 2).unwrap_err();
        assert!(
            error.to_string().starts_with("81 acceptance sets"),
            "{error}"
        );
        assert!(Acceptor::new(&eventually(), &Fairness::default(), 1).is_err());
    }
}
