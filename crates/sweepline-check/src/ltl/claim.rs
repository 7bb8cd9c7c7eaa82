//! What is asked of all infinite runs, and what is read of their states.

use std::collections::HashMap;
use std::sync::Arc;

use sweepline_core::{ActionId, Linked, Word};
use sweepline_logic::omega::{Marks, OmegaAutomaton};
use sweepline_logic::{Enabled, Pred};

use crate::question::{Seen, Test};

/// A claim about all infinite runs: an automaton accepts none of them.
///
/// The automaton is that of the negated formula. Finite runs are extended by staying in their last state for ever.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Accepts the runs that violate the claim.
    pub automaton: Arc<OmegaAutomaton>,
    /// Which of the shared atoms each atom of the automaton is.
    pub atoms: Vec<usize>,
}

/// Gives several automata the same atoms: each that occurs, once. They are told apart by how they are written.
pub fn share_atoms(automata: impl IntoIterator<Item = OmegaAutomaton>) -> (Vec<Pred>, Vec<Claim>) {
    let (mut shared, mut known) = (Vec::new(), HashMap::new());
    let mut place = |atom: &Pred| {
        *known.entry(atom.to_string()).or_insert_with(|| {
            shared.push(atom.clone());
            shared.len() - 1
        })
    };
    let claims = automata.into_iter().map(|automaton| Claim {
        atoms: automaton.atoms.iter().map(&mut place).collect(),
        automaton: Arc::new(automaton),
    });
    let claims = claims.collect();
    (shared, claims)
}

/// Which runs count: those that satisfy all of these.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    /// What is assumed of every run.
    pub assumptions: Vec<Assumption>,
}

/// Something that is assumed of every run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// This one of the shared atoms holds infinitely often.
    Recurs(usize),
    /// If one of these actions is enabled from some time on, one of them is taken infinitely often.
    Weak(Vec<ActionId>),
    /// If one of these actions is enabled infinitely often, one of them is taken infinitely often.
    Strong(Vec<ActionId>),
}

impl Assumption {
    /// The actions it is about.
    pub(crate) fn actions(&self) -> &[ActionId] {
        match self {
            Self::Recurs(_) => &[],
            Self::Weak(actions) | Self::Strong(actions) => actions,
        }
    }

    /// How many acceptance sets it needs.
    pub(crate) fn sets(&self) -> u32 {
        match self {
            Self::Recurs(_) | Self::Weak(_) => 1,
            Self::Strong(_) => 2,
        }
    }
}

/// A moment of a run: what was read of a state, what is enabled there, and what is done.
pub(crate) struct FairMoment<'m> {
    pub(crate) read: &'m [Word],
    pub(crate) enabled: &'m [ActionId],
    pub(crate) action: Option<ActionId>,
}

impl Fairness {
    /// Whether a run is fair that repeats these moments for ever.
    pub(crate) fn allows(&self, cycle: &[FairMoment<'_>]) -> bool {
        self.assumptions.iter().all(|assumption| {
            let enabled = |moment: &FairMoment<'_>| {
                let mut enabled = moment.enabled.iter();
                enabled.any(|action| assumption.actions().contains(action))
            };
            let taken = |moment: &FairMoment<'_>| {
                let action = moment.action.as_ref();
                action.is_some_and(|action| assumption.actions().contains(action))
            };
            let mut moments = cycle.iter();
            match assumption {
                Assumption::Recurs(atom) => moments.any(|moment| bit(moment.read, *atom)),
                Assumption::Weak(_) => moments.any(|moment| !enabled(moment) || taken(moment)),
                Assumption::Strong(_) => cycle.iter().any(taken) || !moments.any(enabled),
            }
        })
    }

    /// Whether actions matter.
    pub(crate) fn needs_actions(&self) -> bool {
        let mut all = self.assumptions.iter();
        all.any(|one| !matches!(one, Assumption::Recurs(_)))
    }
}

/// The assumptions an action belongs to, as bits by their position.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActionSets(Vec<Marks>);

impl ActionSets {
    pub(crate) fn new(fairness: &Fairness) -> Self {
        let mut sets = Vec::new();
        for (position, assumption) in fairness.assumptions.iter().enumerate() {
            for action in assumption.actions() {
                let action = action.0 as usize;
                if action >= sets.len() {
                    sets.resize(action + 1, 0);
                }
                sets[action] |= 1 << position;
            }
        }
        Self(sets)
    }

    #[inline]
    pub(crate) fn of(&self, action: ActionId) -> Marks {
        self.0.get(action.0 as usize).copied().unwrap_or(0)
    }
}

/// Reads what all claims of a run want to know of a state: one bit per shared atom, and behind them, if actions matter, one per
/// assumption whose actions are enabled.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    tests: Vec<Test>,
    needs_enabled: bool,
    enabled: Enabled,
    actions: Option<ActionSets>,
    /// Atoms nobody asks for any more.
    idle: Vec<bool>,
}

/// An atom has no value in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undefined {
    pub(crate) atom: usize,
    pub(crate) why: String,
}

/// How many bits a word of letters has.
pub(crate) const WORD: usize = Word::BITS as usize;

impl Reader {
    pub(crate) fn new(tests: Vec<Test>, fairness: &Fairness) -> Self {
        Self {
            needs_enabled: tests.iter().any(Test::needs_enabled),
            enabled: Enabled::default(),
            actions: fairness.needs_actions().then(|| ActionSets::new(fairness)),
            idle: vec![false; tests.len()],
            tests,
        }
    }

    /// The same atoms for another encoding.
    pub(crate) fn rebind(&mut self, tests: Vec<Test>) {
        debug_assert_eq!(tests.len(), self.tests.len());
        self.tests = tests;
    }

    /// Only these atoms are asked for from now on; the others may be anything.
    pub(crate) fn only(&mut self, asked: impl Iterator<Item = usize>) {
        let mut idle = vec![true; self.idle.len()];
        for atom in asked {
            // What was left out before is missing for good.
            idle[atom] = self.idle[atom];
        }
        self.idle = idle;
    }

    /// Whether this atom is not asked for any more.
    pub(crate) fn is_idle(&self, atom: usize) -> bool {
        self.idle[atom]
    }

    /// How many atoms there are.
    pub(crate) fn atoms(&self) -> usize {
        self.tests.len()
    }

    /// The words it reads of a state.
    pub(crate) fn words(&self) -> usize {
        self.atom_words() + usize::from(self.actions.is_some())
    }

    fn atom_words(&self) -> usize {
        self.tests.len().div_ceil(WORD)
    }

    /// Reads a state that has been expanded. Atoms without a value are false, and said to be so.
    pub(crate) fn read(
        &mut self,
        state: &[Word],
        actions: &[ActionId],
        deadlock: bool,
        out: &mut Vec<Word>,
    ) -> Vec<Undefined> {
        out.clear();
        out.resize(self.words(), 0);
        if self.needs_enabled {
            self.enabled.set(actions, deadlock);
        }
        let seen = Seen {
            state,
            actions,
            enabled: &self.enabled,
            deadlock,
        };
        let mut undefined = Vec::new();
        let asked = self.tests.iter().enumerate().zip(&self.idle);
        for ((atom, test), _) in asked.filter(|(_, idle)| !**idle) {
            match test.eval(seen) {
                Ok(holds) => out[atom / WORD] |= Word::from(holds) << (atom % WORD),
                Err(why) => undefined.push(Undefined { atom, why }),
            }
        }
        if let (Some(sets), Some(last)) = (&self.actions, out.last_mut()) {
            *last = actions
                .iter()
                .fold(0, |bits, &action| bits | sets.of(action));
        }
        undefined
    }

    /// The same of what a sweep tells.
    pub(crate) fn read_linked(
        &mut self,
        event: &Linked<'_>,
        out: &mut Vec<Word>,
    ) -> Vec<Undefined> {
        self.read(event.state, event.actions, event.deadlock, out)
    }
}

/// Whether a bit of what was read is set.
#[inline]
pub(crate) fn bit(words: &[Word], position: usize) -> bool {
    words[position / WORD] >> (position % WORD) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use sweepline_logic::omega::{Acceptance, OmegaState};
    use sweepline_logic::{Source, parse_pred};

    fn automaton(atoms: &[&str]) -> OmegaAutomaton {
        let parsed = atoms
            .iter()
            .map(|text| parse_pred(Source::from(*text)).unwrap());
        OmegaAutomaton {
            atoms: parsed.collect(),
            initial: vec![OmegaState(0)],
            edges: vec![Vec::new()],
            sets: 0,
            acceptance: Acceptance::all(0),
        }
    }

    #[test]
    fn atoms_are_shared_wherever_they_stand() {
        let automata = [
            automaton(&["x > 3", "y"]),
            automaton(&["    y", "z", "x > 3"]),
        ];
        let (atoms, claims) = share_atoms(automata);
        assert_eq!(atoms.len(), 3);
        assert_eq!(claims[0].atoms, [0, 1]);
        assert_eq!(claims[1].atoms, [1, 2, 0]);
    }

    #[test]
    fn many_atoms_take_several_words() {
        let tests = (0..70).map(|atom| {
            Test::custom(move |seen| match atom {
                69 => Err("no value".into()),
                atom => Ok(seen.state[0] == atom),
            })
        });
        let fairness = Fairness {
            assumptions: vec![Assumption::Recurs(3), Assumption::Weak(vec![ActionId(5)])],
        };
        let mut reader = Reader::new(tests.collect(), &fairness);
        let mut words = Vec::new();
        let undefined = reader.read(&[65], &[ActionId(5), ActionId(90)], false, &mut words);
        assert_eq!(words, [0, 2, 2]);
        assert_eq!((undefined.len(), undefined[0].atom), (1, 69));
        reader.only([3].into_iter());
        assert!(reader.read(&[65], &[], false, &mut words).is_empty());
        assert_eq!(words, [0, 0, 0]);
        assert!(!bit(&[1, 2], 64) && bit(&[1, 2], 65));
    }
}
