//! Automata that read infinite words: what liveness properties become.
//!
//! An [`OmegaAutomaton`] reads the states of an infinite run one by one, the initial one included. It moves along an edge whose
//! [`Guard`] contains the [`Letter`] of the state it reads: which of its atoms hold there. Edges carry marks, and a run is accepted
//! if the set of marks that occur infinitely often satisfies the [`Acceptance`] condition. A generalised Büchi automaton is one whose
//! condition is a conjunction of `Inf`.

pub(crate) mod bdd;
mod classes;
mod degeneralise;
mod dot;
mod emptiness;
mod file;
mod hoa;
mod lasso;
mod never;
mod product;
pub(crate) mod scc;
mod sets;
mod simulation;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod tgba;
mod weak;

pub use classes::{Class, Classes};
pub use emptiness::{AcceptingPart, Lasso, MarkedGraph, accepting_part};
pub use file::{OmegaFileError, read_omega};
pub use lasso::accepts;
pub use product::{Letters, OmegaProduct, Outlook, Part, Ranked, STAY};

use crate::Pred;

/// Which atoms hold in a state: one bit per atom.
pub type Letter = u64;

/// Which acceptance sets an edge is in: one bit per set.
pub type Marks = u64;

/// The most atoms, and the most acceptance sets, an automaton can have.
pub const MOST: usize = 64;

/// The letters in which some atoms are true and some are false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    /// Atoms that must be true.
    pub holds: Letter,
    /// Atoms that must be false.
    pub fails: Letter,
}

impl Cube {
    /// Every letter.
    pub const ANY: Self = Self { holds: 0, fails: 0 };

    /// Whether it contains this letter.
    #[inline]
    pub fn contains(self, letter: Letter) -> bool {
        letter & self.holds == self.holds && letter & self.fails == 0
    }

    /// Whether it contains no letter.
    pub fn is_empty(self) -> bool {
        self.holds & self.fails != 0
    }

    /// The letters in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            holds: self.holds | other.holds,
            fails: self.fails | other.fails,
        }
    }
}

/// A set of letters: those in at least one of its cubes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Guard {
    /// None of them is empty.
    cubes: Vec<Cube>,
}

impl Guard {
    /// Every letter.
    pub fn any() -> Self {
        Self::of([Cube::ANY])
    }

    /// The letters in at least one of these.
    pub fn of(cubes: impl IntoIterator<Item = Cube>) -> Self {
        let cubes = cubes.into_iter().filter(|cube| !cube.is_empty());
        Self {
            cubes: cubes.collect(),
        }
    }

    /// The cubes.
    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// Whether it contains this letter.
    #[inline]
    pub fn contains(&self, letter: Letter) -> bool {
        self.cubes.iter().any(|cube| cube.contains(letter))
    }

    /// Whether it contains no letter.
    pub fn is_empty(&self) -> bool {
        self.cubes.is_empty()
    }
}

/// A state of an [`OmegaAutomaton`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OmegaState(pub u32);

/// A move of an [`OmegaAutomaton`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmegaEdge {
    /// What it reads.
    pub guard: Guard,
    /// Where it leads.
    pub target: OmegaState,
    /// The acceptance sets it is in.
    pub marks: Marks,
}

/// Which infinite runs are accepted, by the marks on their edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Edges of this set are taken infinitely often.
    Inf(u32),
    /// Edges of this set are taken finitely often.
    Fin(u32),
    /// All of them; every run if there are none.
    And(Vec<Acceptance>),
    /// At least one of them; no run if there are none.
    Or(Vec<Acceptance>),
}

impl Acceptance {
    /// Edges of each of so many sets are taken infinitely often: generalised Büchi.
    pub fn all(sets: u32) -> Self {
        Self::And((0..sets).map(Self::Inf).collect())
    }

    /// Whether a run whose edges carry exactly these marks infinitely often is accepted.
    pub fn accepts(&self, marks: Marks) -> bool {
        match self {
            Self::Inf(set) => marks >> set & 1 == 1,
            Self::Fin(set) => marks >> set & 1 == 0,
            Self::And(all) => all.iter().all(|one| one.accepts(marks)),
            Self::Or(all) => all.iter().any(|one| one.accepts(marks)),
        }
    }
}

/// An automaton over infinite words of letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmegaAutomaton {
    /// What the bits of a letter say.
    pub atoms: Vec<Pred>,
    /// The states it can start in.
    pub initial: Vec<OmegaState>,
    /// The moves from each state.
    pub edges: Vec<Vec<OmegaEdge>>,
    /// How many acceptance sets there are.
    pub sets: u32,
    /// Which runs are accepted.
    pub acceptance: Acceptance,
}

impl OmegaAutomaton {
    /// The moves from a state.
    #[inline]
    pub fn moves(&self, state: OmegaState) -> &[OmegaEdge] {
        &self.edges[state.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_are_unions_of_cubes() {
        let cube = |holds, fails| Cube { holds, fails };
        let guard = Guard::of([cube(0b01, 0b10), cube(0b100, 0), cube(1, 1)]);
        assert_eq!(guard.cubes().len(), 2);
        let inside: Vec<Letter> = (0..8).filter(|&letter| guard.contains(letter)).collect();
        assert_eq!(inside, [1, 4, 5, 6, 7]);
        assert!((0..8).all(|letter| Guard::any().contains(letter)));
        assert!(Guard::default().is_empty() && cube(3, 2).is_empty());
    }

    #[test]
    fn conditions_speak_of_marks_that_recur() {
        let both = Acceptance::all(2);
        assert!(both.accepts(0b11) && !both.accepts(0b01));
        assert!(Acceptance::all(0).accepts(0));
        let rabin = Acceptance::And(vec![Acceptance::Fin(0), Acceptance::Inf(1)]);
        assert!(rabin.accepts(0b10) && !rabin.accepts(0b11) && !rabin.accepts(0));
        assert!(!Acceptance::Or(Vec::new()).accepts(1));
    }
}
