//! What a reduction must preserve.

use std::sync::{Arc, OnceLock};

use sweepline_core::{Describe, Word};
use sweepline_logic::{Definition, Enabled, Pred, Predicate, Scope, Source};

use crate::closure::{Lookup, Purpose};
use crate::goal::{Goal, Goals};
use crate::tables::{Conditions, Irreducible, Tables, Test, Transitions, number};

/// What a reduction preserves, of a system whose transitions are known.
pub struct Aim {
    transitions: Arc<dyn Transitions>,
    tables: Tables,
    goals: Vec<Goal>,
    /// What is asked for the conjuncts behind those of the transitions.
    leaves: Vec<Pred>,
    purpose: Purpose,
    failures: Failures,
    /// Actions whose states nothing is left out of.
    whole: Option<Vec<bool>>,
    /// Whether it is enough, where nothing may be left out, to follow failures.
    or_pursued: bool,
    /// Whether sets are found by deletion.
    deletes: bool,
    /// All of this as it is looked up.
    lookup: OnceLock<Lookup>,
}

/// How failures of programs are kept from being missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    /// Whatever leads to them stays.
    Pursued,
    /// Nothing is left out for ever: every cycle has a state in which whatever leads to them stays.
    NotIgnored,
}

impl Aim {
    /// All states without steps can be reached, and no others are without steps.
    pub fn deadlocks(transitions: Arc<dyn Transitions>) -> Self {
        Self {
            tables: transitions.tables().clone(),
            goals: Vec::new(),
            leaves: Vec::new(),
            purpose: Purpose::Deadlocks,
            failures: Failures::Pursued,
            whole: None,
            or_pursued: false,
            deletes: false,
            lookup: OnceLock::new(),
            transitions,
        }
    }

    /// Whether a state can be reached in which a predicate has the value beside it, for each of them. Predicates are about the
    /// slots of the system and may use definitions.
    pub fn reaching(
        transitions: Arc<dyn Transitions>,
        system: &dyn Describe,
        wanted: &[(Pred, bool)],
        definitions: &[Definition],
    ) -> Result<Self, Irreducible> {
        let mut aim = Self {
            purpose: Purpose::Goals,
            ..Self::deadlocks(transitions)
        };
        let mut goals = Goals {
            transitions: &*aim.transitions,
            system,
            definitions,
            tables: &mut aim.tables,
            leaves: Vec::new(),
        };
        for (pred, truth) in wanted {
            aim.goals.push(goals.goal(pred, *truth)?);
        }
        aim.leaves = goals.leaves;
        Ok(aim)
    }

    /// The same for predicates of which nothing is known but who can change them: for each of them these actions.
    #[must_use]
    pub fn and_changed_by(mut self, changing: impl IntoIterator<Item = Vec<u32>>) -> Self {
        for actions in changing {
            // It counts as one that does not hold. Where it does, whoever can change it is not needed, and does no harm.
            self.leaves.push(Pred::Constant(false));
            let conjunct = self.tables.add_conjunct(actions);
            self.goals.push(Goal::Conjunct(conjunct));
        }
        self.lookup = OnceLock::new();
        self
    }

    /// All runs, as far as a formula about these predicates can tell that cannot tell how often a state is repeated. Predicates are
    /// about the slots of the system and may use definitions.
    ///
    /// These are the conditions C0 to C3 of ample sets \[BK08, Sect. 8.2.2\]: an action that can change a predicate, or that belongs
    /// to the cut, is never among those of a smaller set.
    pub fn runs(
        transitions: Arc<dyn Transitions>,
        system: &dyn Describe,
        atoms: &[Pred],
        definitions: &[Definition],
    ) -> Result<Self, Irreducible> {
        let cut = transitions.cuts().into_iter().next();
        let mut whole = cut.ok_or(Irreducible::NoCut)?;
        let aim = Self::deadlocks(transitions);
        let mut tables = aim.tables.clone();
        let mut goals = Goals {
            transitions: &*aim.transitions,
            system,
            definitions,
            tables: &mut tables,
            leaves: Vec::new(),
        };
        let first = number(aim.tables.conjuncts());
        for atom in atoms {
            // Whoever can make it true, and whoever can make it false.
            goals.goal(atom, true)?;
            goals.goal(atom, false)?;
        }
        for conjunct in first..number(tables.conjuncts()) {
            for action in tables.enabling.get(conjunct) {
                whole[*action as usize] = true;
            }
        }
        Ok(Self {
            failures: Failures::NotIgnored,
            whole: Some(whole),
            ..aim
        })
    }

    /// The same with another way to keep failures from being missed. Goals that are reached by following them are not
    /// preserved by leaving nothing out for ever, so this is for deadlocks only.
    #[must_use]
    pub fn with_failures(mut self, failures: Failures) -> Self {
        if self.purpose == Purpose::Deadlocks
            && self.has_failures()
            && failures == Failures::NotIgnored
            && let Some(cut) = self.transitions.cuts().into_iter().next()
        {
            (self.failures, self.whole) = (failures, Some(cut));
            self.or_pursued = true;
            self.lookup = OnceLock::new();
        }
        self
    }

    /// The same for a model in which nothing can fail. What is left out under this aim tells what can be hoped for at best; it
    /// does not preserve failures, so nothing may be concluded from it.
    #[must_use]
    pub fn at_best(mut self) -> Self {
        self.tables.failures = 0..0;
        (self.failures, self.whole) = (Failures::Pursued, None);
        self.or_pursued = false;
        self.lookup = OnceLock::new();
        self
    }

    /// The same with sets that are found by taking out actions one by one. It takes longer and may leave less. Nothing changes if
    /// there are failures: these are not taken out.
    #[must_use]
    pub fn by_deletion(mut self) -> Self {
        self.deletes = !self.has_failures();
        self.lookup = OnceLock::new();
        self
    }

    /// Whether deadlocks are preserved, so that they can be counted.
    pub fn counts_deadlocks(&self) -> bool {
        self.purpose == Purpose::Deadlocks
    }

    /// Whether there are failures that must not be missed.
    pub fn has_failures(&self) -> bool {
        !self.tables.failures.is_empty()
    }

    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    pub(crate) fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// The failures that are pursued where a set would have an action of the cut. A run to a failure can be put off by actions that
    /// accord with all of it, and in every cycle there is a state where it is not.
    pub(crate) fn pursued_instead(&self) -> Option<std::ops::Range<u32>> {
        self.or_pursued.then(|| self.tables.failures.clone())
    }

    /// The failures that are pursued in every state.
    pub(crate) fn pursued(&self) -> std::ops::Range<u32> {
        match self.failures {
            Failures::Pursued => self.tables.failures.clone(),
            Failures::NotIgnored => 0..0,
        }
    }

    /// The tables as they are looked up.
    pub(crate) fn lookup(&self) -> &Lookup {
        let lookup = || Lookup::new(&self.tables, self.whole.as_deref(), self.deletes);
        self.lookup.get_or_init(lookup)
    }

    pub(crate) fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// The conjuncts on states of this system.
    pub(crate) fn conditions(&self, system: &dyn Describe) -> Box<dyn Conditions> {
        let inner = self.transitions.conditions(system.layout());
        if self.leaves.is_empty() {
            return inner;
        }
        let scope = Scope::of(system);
        let source = Source::from("");
        let leaves = self.leaves.iter();
        let leaves = leaves.map(|pred| Predicate::resolve(pred, &scope, &source).ok());
        Box::new(WithLeaves {
            first: self.transitions.tables().conjuncts(),
            inner,
            leaves: leaves.collect(),
            nothing: Enabled::default(),
        })
    }
}

/// Conjuncts of a system, and comparisons behind them.
struct WithLeaves {
    inner: Box<dyn Conditions>,
    first: usize,
    leaves: Vec<Option<Predicate>>,
    nothing: Enabled,
}

impl Conditions for WithLeaves {
    fn holds(&self, conjunct: u32, state: &[Word]) -> Option<bool> {
        let Some(leaf) = (conjunct as usize).checked_sub(self.first) else {
            return self.inner.holds(conjunct, state);
        };
        let predicate = self.leaves[leaf].as_ref()?;
        predicate.eval(state, &self.nothing).ok()
    }

    fn test(&self, conjunct: u32) -> Option<Test> {
        let inner = (conjunct as usize) < self.first;
        inner.then(|| self.inner.test(conjunct)).flatten()
    }

    fn conjuncts(&self, state: &[Word], truths: &mut [Word]) -> bool {
        self.inner.conjuncts(state, truths)
    }

    fn is_special(&self, state: &[Word]) -> bool {
        self.inner.is_special(state)
    }
}

#[cfg(test)]
mod tests;
