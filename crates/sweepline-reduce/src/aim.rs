//! What a reduction must preserve.

use std::sync::{Arc, OnceLock};

use sweepline_core::{AnySystem, Describe, Limits, Word};
use sweepline_logic::{Definition, Enabled, Pred, Predicate, Scope, Source};

use crate::closure::Purpose;
use crate::goal::{Goal, Goals};
use crate::site::Lookup;
use crate::tables::{Conditions, Irreducible, Tables, Test, Transitions, number};
use crate::trial::{EXPLORED, more_steps, states_left};

/// What a reduction preserves, of a system whose transitions are known.
pub struct Aim {
    transitions: Arc<dyn Transitions>,
    tables: Tables,
    goals: Vec<Goal>,
    /// What is asked for the conjuncts behind those of the transitions.
    leaves: Vec<Pred>,
    purpose: Purpose,
    failures: Failures,
    /// Actions one of which every cycle has. They are enabled in no small set unless it puts nothing off that must be seen.
    cut: Cut,
    /// Actions that can change what is asked. The same is true of them.
    visible: Vec<bool>,
    /// Whether a set needs an enabled action that is not visible, if there is one.
    needs_key: bool,
    /// Whether sets are found by deletion.
    deletes: bool,
    /// Whether the last step is tried first.
    from_the_last: bool,
    /// The fewest words that a row of the tables has.
    words: usize,
    /// What ends the search for a cut and trials. What was found until then is as sound as the rest.
    limits: Limits,
    /// All of this as it is looked up.
    lookup: OnceLock<Lookup>,
}

/// Which actions every cycle has.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cut {
    /// Nobody needs to know.
    Unneeded,
    /// It is found out when it is needed.
    Untried,
    /// These.
    Of(Vec<bool>),
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
            cut: Cut::Unneeded,
            visible: Vec::new(),
            needs_key: true,
            deletes: false,
            from_the_last: false,
            words: 1,
            limits: Limits::default(),
            lookup: OnceLock::new(),
            transitions,
        }
    }

    /// Bytes of main memory that it holds, together with what it knows of transitions.
    pub fn bytes(&self) -> usize {
        self.transitions.tables().bytes() + self.tables.bytes() + self.lookup().bytes()
    }

    /// The same for a run with limits.
    #[must_use]
    pub fn within(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
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
    /// An action is *visible* if it can change a predicate. The sets satisfy the conditions V, I and L of \[Val98\]. A small set has no
    /// enabled action that is visible or belongs to the cut. Any other set has *all* visible actions and all failures, enabled or not,
    /// and an action that is enabled and not visible if there is one (its *key*). Every cycle has an action of the cut, and where that one
    /// is taken nothing visible is put off any longer.
    ///
    /// All enabled actions of our sets accord with everything outside, so they stay enabled whatever happens outside. That states
    /// in between look different from those that they stand for, which weaker sets must fear \[NVW20\], does not happen.
    pub fn runs(
        transitions: Arc<dyn Transitions>,
        system: &dyn Describe,
        atoms: &[Pred],
        definitions: &[Definition],
    ) -> Result<Self, Irreducible> {
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
        let mut visible = vec![false; tables.actions()];
        for conjunct in first..number(tables.conjuncts()) {
            for action in tables.enabling.get(conjunct) {
                visible[*action as usize] = true;
            }
        }
        Ok(Self {
            failures: Failures::NotIgnored,
            cut: Cut::Untried,
            visible,
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
        {
            (self.failures, self.cut) = (failures, Cut::Untried);
            self.lookup = OnceLock::new();
        }
        self
    }

    /// The same with a cut that is chosen by a trial on some states of the system, if there is a choice. A set with an action of the cut
    /// puts nothing off that must be seen, which may take more steps. How many more is the harm that an action does in it.
    ///
    /// This leaves one per cent less of `firewire_link.2` and half as much again of `public_subscribe.4`, so nobody does it unasked.
    #[must_use]
    pub fn tried_on(self, system: &Arc<dyn AnySystem>) -> Self {
        if self.cut == Cut::Unneeded {
            return self;
        }
        let nobody = self.with(Cut::Of(Vec::new()));
        let everybody = self.with(Cut::Of(vec![true; self.tables.actions()]));
        let more = more_steps(nobody, everybody, system, &self.limits);
        let harm: Vec<u64> = more.iter().map(|it| it + 1).collect();
        self.with(Cut::Of(best_cut(&*self.transitions, &harm, &self.limits)))
    }

    /// All states without steps, with sets that are looked for in the way that leaves the fewest states, if a trial on some states of the
    /// system tells: from the first enabled action on, from the last one, or by deletion. It is fixed before anything is explored.
    pub fn deadlocks_tried_on(
        transitions: Arc<dyn Transitions>,
        system: &Arc<dyn AnySystem>,
        limits: &Limits,
    ) -> Self {
        let aim = Self::deadlocks(transitions).within(limits);
        let aim = aim.with_failures(Failures::NotIgnored);
        let last = aim.with(aim.cut.clone()).from_the_last();
        let deleted = aim.with(aim.cut.clone()).by_deletion();
        let deleted = Some(deleted).filter(|it| it.deletes);
        let mut chosen = Arc::new(aim);
        let mut least = states_left(&chosen, system, EXPLORED, limits);
        for candidate in [Some(last), deleted].into_iter().flatten().map(Arc::new) {
            if candidate.deletes && least.is_none() {
                continue; // a state takes long, and there are many
            }
            // Whoever leaves more is not taken.
            let left = states_left(&candidate, system, least.unwrap_or(EXPLORED), limits);
            // To delete takes longer, so there must be something in it. Where so few states are left it does not take long.
            let worth = |left: usize| {
                if candidate.deletes {
                    left + left / 32
                } else {
                    left
                }
            };
            if left.is_some_and(|left| least.is_none_or(|least| worth(left) < least)) {
                (chosen, least) = (candidate, left);
            }
        }
        Arc::into_inner(chosen).expect("nobody else has it")
    }

    fn with(&self, cut: Cut) -> Self {
        Self {
            transitions: Arc::clone(&self.transitions),
            tables: self.tables.clone(),
            goals: self.goals.clone(),
            leaves: self.leaves.clone(),
            visible: self.visible.clone(),
            limits: self.limits.clone(),
            cut,
            lookup: OnceLock::new(),
            ..*self
        }
    }

    /// The same with sets that are looked for from the last enabled action to the first. Of sets that leave the same number of steps another one
    /// is taken then, which may leave more states or fewer.
    #[must_use]
    pub fn from_the_last(mut self) -> Self {
        self.from_the_last = true;
        self
    }

    /// The same with rows of at least so many words, as if there were more actions. Sets of more than eight words are closed in another
    /// way than those of fewer, so this is for tests and measurements.
    #[must_use]
    pub fn in_words(mut self, words: usize) -> Self {
        self.words = words;
        self.lookup = OnceLock::new();
        self
    }

    /// The same for a model in which nothing can fail. What is left out under this aim tells what can be hoped for at best; it
    /// does not preserve failures, so nothing may be concluded from it.
    #[must_use]
    pub fn at_best(mut self) -> Self {
        self.tables.failures = 0..0;
        (self.failures, self.cut) = (Failures::Pursued, Cut::Unneeded);
        self.lookup = OnceLock::new();
        self
    }

    /// The same with sets that are found by taking out actions one by one. It takes longer and may leave less. Nothing changes if
    /// there are failures or visible actions: these are not taken out.
    #[must_use]
    pub fn by_deletion(mut self) -> Self {
        self.deletes = !self.has_failures() && self.cut == Cut::Unneeded;
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

    /// How many actions the system has.
    pub(crate) fn actions(&self) -> usize {
        self.transitions.actions()
    }

    /// Whether the last step is tried first.
    pub(crate) fn begins_at_the_last(&self) -> bool {
        self.from_the_last
    }

    pub(crate) fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// Whether a set needs an enabled action that is not visible, if there is one.
    pub(crate) fn needs_key(&self) -> bool {
        self.needs_key
    }

    /// Whether a set must have all failures: not if it may put something off. A run to a failure can be put off by actions that accord with all of
    /// it, and in every cycle there is a state where it is not.
    pub(crate) fn pursues_failures(&self, puts_nothing_off: bool) -> bool {
        puts_nothing_off || self.failures == Failures::Pursued
    }

    /// The tables as they are looked up.
    pub(crate) fn lookup(&self) -> &Lookup {
        self.lookup.get_or_init(|| {
            let cut = match &self.cut {
                Cut::Unneeded => None,
                Cut::Untried => {
                    let harm = vec![1; self.actions()];
                    Some(best_cut(&*self.transitions, &harm, &self.limits))
                }
                Cut::Of(cut) => Some(cut.clone()),
            };
            let (deletes, words) = (self.deletes, self.words);
            Lookup::new(&self.tables, cut.as_deref(), &self.visible, deletes, words)
        })
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

/// The cut that does the least harm. If none is found, all actions are one.
fn best_cut(transitions: &dyn Transitions, harm: &[u64], limits: &Limits) -> Vec<bool> {
    let mut cuts = transitions.cuts(harm, limits).into_iter();
    cuts.next()
        .unwrap_or_else(|| vec![true; transitions.tables().actions()])
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
