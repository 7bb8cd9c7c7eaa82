//! Closing a set of actions under what may not be separated from them.

use sweepline_core::{ActionId, Word};

use crate::aim::Aim;
use crate::goal::Goal;
use crate::stubborn::Effort;
use crate::tables::{Conditions, Tables};

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
    /// The last set.
    set: u32,
    /// The state in which an action was last enabled.
    enabled: Vec<u32>,
    /// The enabled actions, each once, in the order of steps.
    seeds: Vec<u32>,
    /// The set in which an action was last.
    member: Vec<u32>,
    /// The state in which a conjunct was last looked at, and whether it held.
    asked: Vec<(u32, Option<bool>)>,
    stack: Vec<u32>,
    /// The members of the set that are enabled.
    found: Vec<u32>,
    /// Those of the best set so far.
    best: Vec<u32>,
    /// Those that goals bring in, enabled or not.
    base: Vec<u32>,
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

/// A state with what decides about its stubborn sets.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) conditions: &'a dyn Conditions,
    /// Enabled actions that must not be in a set, unless nothing is left out.
    pub(crate) cut: Option<&'a [bool]>,
    pub(crate) state: &'a [Word],
}

/// Nothing can be left out.
struct Whole;

/// What a disabled action that is not yet in the set costs, and an enabled one.
const DISABLED: u64 = 1;
const ENABLED: u64 = 1 << 20;

impl Closure {
    /// Whether something can be left out. If so, [`Closure::keeps`] tells what stays.
    pub(crate) fn find(&mut self, site: Site<'_>, enabled: &[ActionId], aim: &Aim) -> bool {
        self.begin(site, enabled);
        let count = self.seeds.len();
        let alone = match aim.purpose() {
            Purpose::Deadlocks => 1,
            Purpose::Goals => 0,
        };
        if count <= alone || site.conditions.is_special(site.state) {
            return false;
        }
        self.search(site, aim).is_ok() && self.best.len() < count
    }

    /// Whether the steps of an enabled action stay.
    pub(crate) fn keeps(&self, action: ActionId) -> bool {
        self.member[action.0 as usize] == self.set
    }

    fn begin(&mut self, site: Site<'_>, enabled: &[ActionId]) {
        let (actions, conjuncts) = (site.tables.actions(), site.tables.conjuncts());
        if self.state > u32::MAX / 2 || self.set > u32::MAX / 2 || self.member.len() != actions {
            *self = Self {
                effort: self.effort,
                ..Self::default()
            };
            self.enabled.resize(actions, 0);
            self.member.resize(actions, 0);
            self.asked.resize(conjuncts, (0, None));
        }
        self.state += 1;
        self.seeds.clear();
        for action in enabled {
            let mark = &mut self.enabled[action.0 as usize];
            if *mark != self.state {
                *mark = self.state;
                self.seeds.push(action.0);
            }
        }
    }

    fn search(&mut self, site: Site<'_>, aim: &Aim) -> Result<(), Whole> {
        self.start();
        for failure in aim.pursued() {
            self.insert(failure);
        }
        for goal in aim.goals() {
            self.pursue(site, goal)?;
        }
        self.close(site, self.seeds.len())?;
        if aim.purpose() == Purpose::Goals || !self.found.is_empty() {
            std::mem::swap(&mut self.best, &mut self.found);
            return Ok(());
        }
        self.extend_by_seed(site)
    }

    /// Closes what goals brought in, together with one enabled action: the one that brings in the fewest others.
    fn extend_by_seed(&mut self, site: Site<'_>) -> Result<(), Whole> {
        let base = std::mem::take(&mut self.base);
        let mut least = self.seeds.len();
        let mut chosen = None;
        for index in 0..self.seeds.len() {
            self.start();
            for &action in &base {
                self.insert(action);
            }
            // All of this is closed already.
            self.stack.clear();
            self.insert(self.seeds[index]);
            if self.close(site, least).is_ok() {
                least = self.found.len();
                std::mem::swap(&mut self.best, &mut self.found);
                chosen = Some(self.set);
                if least == 1 {
                    break;
                }
            }
        }
        self.base = base;
        let Some(_) = chosen else { return Err(Whole) };
        // Later trials have overwritten the marks.
        self.set += 1;
        for &action in &self.best {
            self.member[action as usize] = self.set;
        }
        Ok(())
    }

    fn start(&mut self) {
        self.set += 1;
        self.stack.clear();
        self.found.clear();
        self.base.clear();
    }

    #[inline]
    fn insert(&mut self, action: u32) {
        let index = action as usize;
        if self.member[index] != self.set {
            self.member[index] = self.set;
            self.stack.push(action);
        }
    }

    /// Closes the set. Fails if it has as many enabled actions as are allowed, or if nothing can be left out.
    fn close(&mut self, site: Site<'_>, allowed: usize) -> Result<(), Whole> {
        while let Some(action) = self.stack.pop() {
            self.effort.visited += 1;
            self.base.push(action);
            if self.enabled[action as usize] == self.state {
                self.found.push(action);
                let cut = site.cut.is_some_and(|cut| cut[action as usize]);
                if cut || self.found.len() >= allowed {
                    return Err(Whole);
                }
                for &other in site.tables.conflicts.get(action) {
                    self.insert(other);
                }
            } else {
                let guards = site.tables.guards.get(action);
                let conjunct = match self.cheapest(site, guards.iter().copied()) {
                    Some(conjunct) => conjunct,
                    None => self.subject(site, action).ok_or(Whole)?,
                };
                for &other in site.tables.enabling.get(conjunct) {
                    self.insert(other);
                }
            }
        }
        Ok(())
    }

    /// The false conjunct that brings in the least.
    fn cheapest(&mut self, site: Site<'_>, conjuncts: impl Iterator<Item = u32>) -> Option<u32> {
        let mut best = None;
        let mut least = u64::MAX;
        for conjunct in conjuncts {
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
    fn cost(&self, site: Site<'_>, conjunct: u32, least: u64) -> u64 {
        let mut cost = 0;
        for &action in site.tables.enabling.get(conjunct) {
            let index = action as usize;
            if self.member[index] != self.set {
                let enabled = self.enabled[index] == self.state;
                cost += if enabled { ENABLED } else { DISABLED };
                if cost >= least {
                    break;
                }
            }
        }
        cost
    }

    #[inline]
    fn holds(&mut self, site: Site<'_>, conjunct: u32) -> Option<bool> {
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
            Goal::Conjunct(conjunct) => {
                for &action in site.tables.enabling.get(*conjunct) {
                    self.insert(action);
                }
                Ok(())
            }
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
