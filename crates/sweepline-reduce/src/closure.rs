//! Closing a set of actions under what may not be separated from them.

use sweepline_core::{ActionId, Steps, Word};

use crate::aim::Aim;
use crate::bits::{Bits, Rows, numbers};
use crate::deletion::{Deletion, Kept, Reverse};
use crate::goal::Goal;
use crate::stubborn::Effort;
use crate::tables::{Conditions, Tables, Test};

/// Finds stubborn sets, state by state. It holds nothing but memory that is used again.
///
/// The closure is that of \[Val98, LPLP13\]: an enabled action of the set brings with it the actions that it does not accord
/// with; a disabled one brings the necessary enabling set of one of its false conjuncts. Which conjunct is free, and we
/// take the one that costs least at this moment. The closure is tried from every enabled action, and the one with the
/// fewest enabled actions is taken. It is a function of the values of slots: the order of trials is that of the
/// steps, and nothing of earlier states is remembered.
#[derive(Debug, Default)]
pub(crate) struct Closure {
    /// The last state.
    state: u32,
    enabled: Bits,
    /// The enabled actions, each once, in the order of steps.
    seeds: Vec<u32>,
    /// The action of the tables for each step.
    steps: Vec<u32>,
    /// The set.
    member: Bits,
    /// What goals bring in.
    base: Bits,
    /// Whether actions of the cut may be in the set.
    ignores_cut: bool,
    /// Members that have not brought in others yet: those that are enabled first, since they leave no choice.
    enabled_left: Vec<u32>,
    disabled_left: Vec<u32>,
    /// The members of the set that are enabled.
    found: Vec<u32>,
    /// Those of the best set so far.
    best: Vec<u32>,
    /// The same, to be looked up.
    kept: Bits,
    /// The state in which a conjunct was last looked at, and whether it held.
    asked: Vec<(u32, Option<bool>)>,
    deletion: Deletion,
    pub(crate) effort: Effort,
}

/// What a stubborn set is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// All states without steps: there is always an enabled action in the set.
    Deadlocks,
    /// The goals and nothing else: the set may have no enabled action.
    Goals,
}

/// The tables as they are looked up.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    enabling: Rows,
    conflicts: Rows,
    /// Enabled actions that must not be in a set, unless nothing is left out.
    cut: Option<Bits>,
    /// What deletion needs, if sets are found by it.
    reverse: Option<Reverse>,
}

impl Lookup {
    pub(crate) fn new(tables: &Tables, cut: Option<&[bool]>, deletes: bool) -> Self {
        Self {
            enabling: Rows::of(&tables.enabling),
            conflicts: Rows::of(&tables.conflicts),
            cut: cut.map(|cut| Bits::of(cut, tables.actions())),
            reverse: deletes.then(|| Reverse::new(tables)),
        }
    }

    pub(crate) fn conflicts(&self, action: u32) -> &[(u32, u64)] {
        self.conflicts.get(action)
    }

    pub(crate) fn is_cut(&self, action: u32) -> bool {
        self.cut.as_ref().is_some_and(|cut| cut.contains(action))
    }
}

/// A state with what decides about its stubborn sets.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) lookup: &'a Lookup,
    pub(crate) conditions: &'a dyn Conditions,
    /// Conjuncts that are simple enough to be asked here.
    pub(crate) tests: &'a [Option<Test>],
    pub(crate) state: &'a [Word],
}

impl Site<'_> {
    /// Whether a conjunct holds.
    pub(crate) fn holds(&self, conjunct: u32) -> Option<bool> {
        match &self.tests[conjunct as usize] {
            Some(test) => Some(test.holds(self.state)),
            None => self.conditions.holds(conjunct, self.state),
        }
    }
}

/// Nothing can be left out.
struct Whole;

/// What a disabled action that is not yet in the set costs, and an enabled one.
const DISABLED: u64 = 1;
const ENABLED: u64 = 1 << 20;

impl Closure {
    /// Leaves out steps from `first` on, which are those of the state.
    pub(crate) fn leave_out(&mut self, site: Site<'_>, aim: &Aim, out: &mut Steps, first: usize) {
        let enabled = &out.actions()[first..];
        self.effort.steps += enabled.len() as u64;
        if out.fault().is_none() && self.find(site, enabled, aim) {
            out.retain_from(first, |index| self.keeps(index - first));
        } else {
            out.retain_from(out.len(), |_| true);
        }
        self.effort.kept += (out.len() - first) as u64;
    }

    /// Whether something can be left out. If so, [`Closure::keeps`] tells what stays.
    fn find(&mut self, site: Site<'_>, enabled: &[ActionId], aim: &Aim) -> bool {
        let alone = match aim.purpose() {
            Purpose::Deadlocks => 1,
            Purpose::Goals => 0,
        };
        if enabled.len() <= alone || site.conditions.is_special(site.state) {
            return false;
        }
        self.make_room(site.tables);
        if self.begin(site, enabled).is_err() || self.seeds.len() <= alone {
            return false;
        }
        self.search(site, aim).is_ok() && self.best.len() < self.seeds.len()
    }

    /// Whether a step stays, by its position.
    fn keeps(&self, step: usize) -> bool {
        self.kept.contains(self.steps[step])
    }

    fn make_room(&mut self, tables: &Tables) {
        let (actions, conjuncts) = (tables.actions(), tables.conjuncts());
        if self.state == u32::MAX || self.asked.len() != conjuncts {
            *self = Self {
                effort: self.effort,
                enabled: Bits::new(actions),
                member: Bits::new(actions),
                base: Bits::new(actions),
                kept: Bits::new(actions),
                asked: vec![(0, None); conjuncts],
                ..Self::default()
            };
        }
        self.state += 1;
    }

    /// Notes what is enabled.
    fn begin(&mut self, site: Site<'_>, enabled: &[ActionId]) -> Result<(), Whole> {
        self.enabled.clear();
        self.seeds.clear();
        self.steps.clear();
        for action in enabled {
            let action = self.instance(site, action.0).ok_or(Whole)?;
            self.steps.push(action);
            if !self.enabled.contains(action) {
                self.enabled.insert(action);
                self.seeds.push(action);
            }
        }
        Ok(())
    }

    /// The instance of an enabled action that is enabled.
    fn instance(&mut self, site: Site<'_>, action: u32) -> Option<u32> {
        let Some(instances) = &site.tables.instances else {
            return Some(action);
        };
        let all = instances.of.get(action);
        let mut here = all.iter().copied().filter(|it| {
            let told_by = instances.told_by[*it as usize] as usize;
            let told_by = &site.tables.guards.get(*it)[..told_by];
            told_by.iter().all(|it| self.holds(site, *it) == Some(true))
        });
        here.next()
    }

    fn search(&mut self, site: Site<'_>, aim: &Aim) -> Result<(), Whole> {
        self.ignores_cut = false;
        let mut found = self.search_with(site, aim, aim.pursued());
        if let (Err(Whole), Some(failures)) = (&found, aim.pursued_instead()) {
            self.ignores_cut = true;
            found = self.search_with(site, aim, failures);
        }
        self.keep_best();
        found
    }

    /// Finds a set that has these failures in it.
    fn search_with(
        &mut self,
        site: Site<'_>,
        aim: &Aim,
        failures: std::ops::Range<u32>,
    ) -> Result<(), Whole> {
        self.member.clear();
        self.start();
        for failure in failures {
            self.insert(site, failure)?;
        }
        for goal in aim.goals() {
            self.pursue(site, goal)?;
        }
        if let Some(reverse) = &site.lookup.reverse {
            return self.delete(site, reverse, aim);
        }
        self.close(site, self.seeds.len())?;
        if aim.purpose() == Purpose::Goals || !self.found.is_empty() {
            std::mem::swap(&mut self.best, &mut self.found);
            return Ok(());
        }
        self.extend_by_seed(site)
    }

    fn keep_best(&mut self) {
        self.kept.clear();
        for &action in &self.best {
            self.kept.insert(action);
        }
    }

    /// Takes out whatever is not needed. What goals bring in must stay.
    fn delete(&mut self, site: Site<'_>, reverse: &Reverse, aim: &Aim) -> Result<(), Whole> {
        let kept = Kept {
            enabled: &self.enabled,
            required: &self.member,
            least: usize::from(aim.purpose() == Purpose::Deadlocks),
        };
        let deletion = &mut self.deletion;
        deletion.run(site, reverse, kept, &self.seeds, &mut self.best);
        self.effort.visited += std::mem::take(&mut deletion.visited);
        if self.best.iter().any(|it| site.lookup.is_cut(*it)) {
            return Err(Whole);
        }
        Ok(())
    }

    /// Closes what goals brought in, together with one enabled action: the one that brings in the fewest others.
    fn extend_by_seed(&mut self, site: Site<'_>) -> Result<(), Whole> {
        std::mem::swap(&mut self.base, &mut self.member);
        let mut least = self.seeds.len();
        let mut chosen = false;
        for index in 0..self.seeds.len() {
            self.member.copy_from(&self.base);
            self.start();
            let seed = self.seeds[index];
            let closed = self
                .insert(site, seed)
                .and_then(|()| self.close(site, least));
            if closed.is_ok() {
                least = self.found.len();
                std::mem::swap(&mut self.best, &mut self.found);
                chosen = true;
                if least == 1 {
                    break;
                }
            }
        }
        if chosen { Ok(()) } else { Err(Whole) }
    }

    fn start(&mut self) {
        self.enabled_left.clear();
        self.disabled_left.clear();
        self.found.clear();
    }

    fn insert(&mut self, site: Site<'_>, action: u32) -> Result<(), Whole> {
        self.insert_all(site, &[(action / 64, 1 << (action % 64))])
    }

    /// Adds actions. Fails if one of them is in the cut.
    #[inline]
    fn insert_all(&mut self, site: Site<'_>, row: &[(u32, u64)]) -> Result<(), Whole> {
        for &(index, bits) in row {
            let new = bits & !self.member.word(index);
            if new == 0 {
                continue;
            }
            self.member.add(index, new);
            let enabled = new & self.enabled.word(index);
            self.disabled_left.extend(numbers(index, new & !enabled));
            if enabled != 0 {
                let cut = site.lookup.cut.as_ref();
                if !self.ignores_cut && cut.is_some_and(|cut| cut.word(index) & enabled != 0) {
                    return Err(Whole);
                }
                self.enabled_left.extend(numbers(index, enabled));
                self.found.extend(numbers(index, enabled));
            }
        }
        Ok(())
    }

    /// Closes the set. Fails if it has as many enabled actions as are allowed, or if nothing can be left out.
    fn close(&mut self, site: Site<'_>, allowed: usize) -> Result<(), Whole> {
        loop {
            if self.found.len() >= allowed {
                return Err(Whole);
            }
            if let Some(action) = self.enabled_left.pop() {
                self.effort.visited += 1;
                self.insert_all(site, site.lookup.conflicts.get(action))?;
            } else if let Some(action) = self.disabled_left.pop() {
                self.effort.visited += 1;
                let guards = site.tables.guards.get(action);
                let conjunct = match self.cheapest(site, guards) {
                    Some(conjunct) => conjunct,
                    None => self.subject(site, action).ok_or(Whole)?,
                };
                self.insert_all(site, site.lookup.enabling.get(conjunct))?;
            } else {
                return Ok(());
            }
        }
    }

    /// The false conjunct that brings in the least.
    #[inline]
    fn cheapest(&mut self, site: Site<'_>, conjuncts: &[u32]) -> Option<u32> {
        let mut best = None;
        let mut least = u64::MAX;
        for &conjunct in conjuncts {
            if self.holds(site, conjunct) != Some(false) {
                continue;
            }
            let cost = self.cost(site, conjunct, least);
            if cost < least {
                (best, least) = (Some(conjunct), cost);
            }
            if cost == 0 {
                break;
            }
        }
        best
    }

    /// The last conjunct of a failure, which says that something goes wrong. If all others hold and the steps of the state are
    /// known, nothing went wrong here, so it does not hold although it has no value.
    fn subject(&mut self, site: Site<'_>, failure: u32) -> Option<u32> {
        let (last, others) = site.tables.guards.get(failure).split_last()?;
        let is_failure = site.tables.failures.contains(&failure);
        let hold = others.iter().all(|it| self.holds(site, *it) == Some(true));
        let untold = self.holds(site, *last).is_none();
        (is_failure && hold && untold).then_some(*last)
    }

    /// What the enabling set of a conjunct costs, or more than `least` if it is too much.
    #[inline]
    fn cost(&self, site: Site<'_>, conjunct: u32, least: u64) -> u64 {
        let mut cost = 0;
        for &(index, bits) in site.lookup.enabling.get(conjunct) {
            let new = bits & !self.member.word(index);
            if new == 0 {
                continue;
            }
            let enabled = new & self.enabled.word(index);
            cost += u64::from((new & !enabled).count_ones()) * DISABLED;
            if enabled != 0 {
                cost += u64::from(enabled.count_ones()) * ENABLED;
            }
            if cost >= least {
                break;
            }
        }
        cost
    }

    #[inline]
    fn holds(&mut self, site: Site<'_>, conjunct: u32) -> Option<bool> {
        if let Some(test) = &site.tests[conjunct as usize] {
            return Some(test.holds(site.state));
        }
        let (state, value) = self.asked[conjunct as usize];
        if state == self.state {
            return value;
        }
        let value = site.conditions.holds(conjunct, site.state);
        self.asked[conjunct as usize] = (self.state, value);
        value
    }

    /// Adds an up-set of a goal: actions one of which every path to the goal has. Nothing is needed where it is reached.
    fn pursue(&mut self, site: Site<'_>, goal: &Goal) -> Result<(), Whole> {
        match self.value(site, goal) {
            Some(true) => return Ok(()),
            Some(false) => {}
            None => return Err(Whole),
        }
        match goal {
            Goal::Conjunct(conjunct) => self.insert_all(site, site.lookup.enabling.get(*conjunct)),
            Goal::All(parts) => {
                let mut least = (u64::MAX, None);
                for part in parts {
                    if self.value(site, part) == Some(false) {
                        let cost = self.price(site, part);
                        if cost < least.0 {
                            least = (cost, Some(part));
                        }
                    }
                }
                self.pursue(site, least.1.ok_or(Whole)?)
            }
            Goal::Any(parts) => parts.iter().try_for_each(|part| self.pursue(site, part)),
        }
    }

    /// The truth of a goal, if it has one: a false part decides whatever the other parts are.
    fn value(&mut self, site: Site<'_>, goal: &Goal) -> Option<bool> {
        match goal {
            Goal::Conjunct(conjunct) => self.holds(site, *conjunct),
            Goal::All(parts) => self.decide(site, parts, false),
            Goal::Any(parts) => self.decide(site, parts, true),
        }
    }

    fn decide(&mut self, site: Site<'_>, parts: &[Goal], decisive: bool) -> Option<bool> {
        let mut value = Some(!decisive);
        for part in parts {
            match self.value(site, part) {
                Some(truth) if truth == decisive => return Some(decisive),
                Some(_) => {}
                None => value = None,
            }
        }
        value
    }

    /// What the up-set of a goal that is not reached costs.
    fn price(&mut self, site: Site<'_>, goal: &Goal) -> u64 {
        match goal {
            Goal::Conjunct(conjunct) => self.cost(site, *conjunct, u64::MAX),
            Goal::All(parts) => {
                let mut least = u64::MAX;
                for part in parts {
                    if self.value(site, part) == Some(false) {
                        least = least.min(self.price(site, part));
                    }
                }
                least
            }
            Goal::Any(parts) => {
                let prices = parts.iter().map(|part| self.price(site, part));
                prices.fold(0, u64::saturating_add)
            }
        }
    }
}
