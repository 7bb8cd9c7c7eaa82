//! Closing a set of actions under what may not be separated from them.

use sweepline_core::{ActionId, Steps};

use crate::aim::Aim;
use crate::bits::{Bits, Stack};
use crate::deletion::{Deletion, Kept, Reverse, Ties};
use crate::facts::Facts;
use crate::few::Task;
use crate::goal::Goal;
use crate::site::{FAILS, HOLDS, Site, UNTOLD, conjunct_at, place};
use crate::stubborn::Effort;
use crate::tables::{TRUTHS_PER_WORD, number};

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
    conjuncts: usize,
    pub(crate) enabled: Bits,
    /// The enabled actions, each once, in the order of steps or the other way round.
    pub(crate) seeds: Vec<u32>,
    /// The action of the tables for each step.
    steps: Vec<u32>,
    /// The set.
    pub(crate) member: Bits,
    /// What goals bring in, and how many of it are enabled.
    base: Bits,
    base_found: usize,
    /// Members that have not brought in others yet: those that are enabled first, since they leave no choice.
    pub(crate) enabled_left: Stack,
    pub(crate) disabled_left: Stack,
    /// Actions one of whose false conjuncts has its whole necessary enabling set in the set: they bring in nobody.
    settled: Bits,
    /// How many members of the set are enabled.
    pub(crate) found: usize,
    /// The enabled members of the best set so far.
    pub(crate) best: Bits,
    /// What is known of conjuncts in this state, two bits each: nothing, that it holds, that it does not, that it has no value.
    truths: Vec<u64>,
    /// The same as it was when many were asked last.
    pub(crate) facts: Facts,
    /// Whether conjuncts were looked up in this state, or will be when one begins because they were in the last. Where enabled actions are
    /// all there is in sets, nobody asks for any.
    is_told: bool,
    /// The state for which compiled code was last asked, unless there is none.
    looked_at: Option<u32>,
    /// Enabled actions that make a set useless: those that are barred where that matters, and those whose own sets are known already.
    pub(crate) blocked: Bits,
    pub(crate) deletion: Deletion,
    pub(crate) effort: Effort,
}

/// A sort of stubborn sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// All of them.
    Any,
    /// Those without enabled actions that are barred.
    Unbarred,
    /// Those that put nothing off that must be seen: all failures and all visible actions are in them.
    Complete,
}

/// What a stubborn set is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// All states without steps: there is always an enabled action in the set.
    Deadlocks,
    /// The goals and nothing else: the set may have no enabled action.
    Goals,
}

/// Nothing can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Whole;

/// A trial looks at fewer states than this. For more, conjuncts are worth being compiled.
const COMPILED_AFTER: u32 = 1000;

/// What a disabled action that is not yet in the set costs, and an enabled one.
pub(crate) const DISABLED: u64 = 1;
pub(crate) const ENABLED: u64 = 1 << 20;

impl Closure {
    /// Leaves out steps from `first` on, which are those of the state.
    pub(crate) fn leave_out(&mut self, site: &Site<'_>, aim: &Aim, out: &mut Steps, first: usize) {
        let enabled = &out.actions()[first..];
        self.effort.steps += enabled.len() as u64;
        if out.fault().is_none() && self.find(site, enabled, aim) {
            out.retain_from(first, |index| self.keeps(index - first));
        } else {
            out.retain_from(out.len(), |_| true);
        }
        self.effort.kept += (out.len() - first) as u64;
    }

    /// Where the step that has this position among those that stay is among all steps of the state.
    pub(crate) fn position(
        &mut self,
        site: &Site<'_>,
        aim: &Aim,
        all: &Steps,
        ordinal: usize,
    ) -> usize {
        if all.fault().is_some() || !self.find(site, all.actions(), aim) {
            return ordinal;
        }
        let mut kept = (0..all.len()).filter(|step| self.keeps(*step));
        kept.nth(ordinal).unwrap_or(ordinal)
    }

    /// Whether something can be left out. If so, [`Closure::keeps`] tells what stays.
    pub(crate) fn find(&mut self, site: &Site<'_>, enabled: &[ActionId], aim: &Aim) -> bool {
        self.prepare(site, enabled, aim) && self.search(site, aim).is_ok() && self.leaves_out()
    }

    /// The same if nothing that is enabled is looked at: what begins and ends a search.
    pub(crate) fn find_unseen(&mut self, site: &Site<'_>, enabled: &[ActionId], aim: &Aim) -> bool {
        self.prepare(site, enabled, aim) && {
            self.seeds.clear();
            let found = self.search(site, aim);
            self.leaves_out() && found.is_ok()
        }
    }

    /// Notes what is enabled in a state and looks up what holds there. Says whether something may be left out.
    pub(crate) fn prepare(&mut self, site: &Site<'_>, enabled: &[ActionId], aim: &Aim) -> bool {
        let alone = match aim.purpose() {
            Purpose::Deadlocks => 1,
            Purpose::Goals => 0,
        };
        if enabled.len() <= alone || site.conditions.is_special(site.state) {
            return false;
        }
        self.make_room(site);
        self.begin(site, enabled, aim).is_ok() && self.seeds.len() > alone
    }

    fn leaves_out(&self) -> bool {
        let mut words = self.enabled.words().iter().zip(self.best.words());
        words.any(|(enabled, best)| enabled != best)
    }

    /// Whether a step stays, by its position.
    #[inline]
    fn keeps(&self, step: usize) -> bool {
        self.best.contains(self.steps[step])
    }

    fn make_room(&mut self, site: &Site<'_>) {
        let (actions, conjuncts) = (site.tables.actions(), site.tables.conjuncts());
        if self.state == u32::MAX || self.conjuncts != conjuncts {
            *self = Self {
                effort: self.effort,
                enabled: Bits::new(actions),
                member: Bits::new(actions),
                base: Bits::new(actions),
                best: Bits::new(actions),
                settled: Bits::new(actions),
                truths: vec![0; conjuncts.div_ceil(TRUTHS_PER_WORD)],
                looked_at: Some(0),
                blocked: Bits::new(actions),
                conjuncts,
                ..Self::default()
            };
            self.facts.make_room(conjuncts, &site.lookup.whereabouts);
        }
        self.state += 1;
        self.truths.fill(0);
        if self.is_told {
            self.tell(site); // what was asked for in the last state will be in this one
        } else {
            self.facts.forget();
        }
    }

    /// Looks up what can be looked up, and asks compiled code if that was asked in the last state: it will be in this one.
    fn tell(&mut self, site: &Site<'_>) {
        self.is_told = true;
        let again = self.state > 1 && self.looked_at == Some(self.state - 1);
        if !(again && self.ask_all(site)) {
            site.looked.write(site.state, &mut self.truths);
            self.note(site);
        }
    }

    /// Takes over what is known of conjuncts.
    fn note(&mut self, site: &Site<'_>) {
        let whereabouts = &site.lookup.whereabouts;
        self.facts.note(&self.truths, self.conjuncts, whereabouts);
    }

    /// Asks for the conjuncts of some actions, and where processes are if that is not known.
    #[inline(never)]
    pub(crate) fn ask_guards(&mut self, site: &Site<'_>, actions: &[u32]) {
        for action in actions {
            for conjunct in site.tables.guards(*action) {
                self.truth(site, *conjunct);
            }
        }
        if self.facts.is_lost {
            for conjunct in site.lookup.whereabouts.conjuncts() {
                self.truth(site, conjunct);
            }
            self.note(site);
            return;
        }
        for action in actions {
            for &(word, _) in site.lookup.guards.get(*action) {
                // Truths have two bits.
                let word = word as usize / 2;
                self.facts.note_word(word, &self.truths, self.conjuncts);
            }
        }
    }

    /// Notes what is enabled.
    fn begin(&mut self, site: &Site<'_>, enabled: &[ActionId], aim: &Aim) -> Result<(), Whole> {
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
        if aim.begins_at_the_last() {
            self.seeds.reverse();
        }
        Ok(())
    }

    /// The instance of an enabled action that is enabled.
    fn instance(&mut self, site: &Site<'_>, action: u32) -> Option<u32> {
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

    /// Finds a set. If it has barred actions it is taken only if a complete set is as small; otherwise the smallest is taken of those that
    /// are complete and those without such actions.
    fn search(&mut self, site: &Site<'_>, aim: &Aim) -> Result<(), Whole> {
        let all = self.seeds.len();
        let small = self.search_for(Sort::Any, site, aim, all)?;
        if self.has_barred(site) {
            let complete = self.search_for(Sort::Complete, site, aim, all);
            let least = complete.unwrap_or(all);
            if least > small {
                let unbarred = self.search_for(Sort::Unbarred, site, aim, least);
                unbarred.or(complete)?;
            }
        }
        Ok(())
    }

    /// Whether an enabled action of the best set is barred.
    fn has_barred(&self, site: &Site<'_>) -> bool {
        site.lookup.barred.as_ref().is_some_and(|barred| {
            let mut words = barred.words().iter().zip(self.best.words());
            words.any(|(barred, best)| barred & best != 0)
        })
    }

    /// Finds a set with fewer enabled actions than allowed, and says how many. If there is none, the best one of before stays.
    fn search_for(
        &mut self,
        sort: Sort,
        site: &Site<'_>,
        aim: &Aim,
        allowed: usize,
    ) -> Result<usize, Whole> {
        match &site.lookup.barred {
            Some(barred) if sort == Sort::Unbarred => self.blocked.copy_from(barred),
            _ => self.blocked.clear(),
        }
        self.member.clear();
        self.start(0);
        if aim.pursues_failures(sort == Sort::Complete) {
            self.insert_all(&site.lookup.all_failures)?;
        }
        if sort == Sort::Complete {
            self.insert_all(&site.lookup.all_visible)?;
        }
        for goal in aim.goals() {
            self.pursue(site, goal)?;
        }
        if let Some(reverse) = &site.lookup.reverse {
            return Ok(self.delete(site, reverse, aim));
        }
        match &site.lookup.few {
            _ if self.member.is_empty() => {}
            Some(few) => self.in_few(site, few, Task::Close, allowed).map(drop)?,
            None => self.close(site, allowed)?,
        }
        if aim.purpose() == Purpose::Goals || self.has_key(site, aim) {
            self.keep_best();
            return Ok(self.found);
        }
        match &site.lookup.few {
            Some(few) => self.in_few(site, few, Task::Extend, allowed),
            None => self.extend_by_seed(site, allowed),
        }
    }

    /// Whether there is an enabled action in the set, and one that cannot be seen if such an action is enabled at all.
    fn has_key(&self, site: &Site<'_>, aim: &Aim) -> bool {
        let visible = &site.lookup.visible;
        let unseen = |it: &&u32| !visible.contains(**it);
        let mut others = self.seeds.iter().filter(unseen);
        let of_all = || self.seeds.iter().all(|it| visible.contains(*it));
        self.found > 0
            && (!aim.needs_key() || others.any(|it| self.member.contains(*it)) || of_all())
    }

    /// The set is the best one so far.
    pub(crate) fn keep_best(&mut self) {
        self.best.keep_both(&self.member, &self.enabled);
    }

    /// Takes out whatever is not needed. What goals bring in must stay. Says how many enabled actions are left.
    fn delete(&mut self, site: &Site<'_>, reverse: &Reverse, aim: &Aim) -> usize {
        if !self.is_told {
            self.tell(site);
        }
        self.ask_all(site);
        if self.facts.is_partial {
            for conjunct in 0..number(self.conjuncts) {
                self.truth(site, conjunct);
            }
            self.note(site);
        }
        let least = usize::from(aim.purpose() == Purpose::Deadlocks);
        if let Some(few) = &site.lookup.few {
            return self
                .in_few(site, few, Task::Delete, least)
                .unwrap_or(self.seeds.len());
        }
        let kept = Kept {
            enabled: &self.enabled,
            required: &self.member,
            least,
        };
        let deletion = &mut self.deletion;
        let ties = Ties {
            conflicts: &site.lookup.conflicts,
            reverse,
            fails: &self.facts.fails,
        };
        deletion.run(ties, kept, &self.seeds, &mut self.best);
        self.effort.visited += std::mem::take(&mut deletion.visited);
        let left = self.seeds.iter().filter(|it| self.best.contains(**it));
        left.count()
    }

    /// Closes what goals brought in, together with one enabled action: the one that brings in the fewest others. Says how many enabled
    /// actions there are then.
    fn extend_by_seed(&mut self, site: &Site<'_>, allowed: usize) -> Result<usize, Whole> {
        std::mem::swap(&mut self.base, &mut self.member);
        self.base_found = self.found;
        let mut least = None;
        for index in 0..self.seeds.len() {
            let seed = self.seeds[index];
            if self.base.contains(seed) {
                continue; // it brings in nobody
            }
            self.member.copy_from(&self.base);
            self.start(self.base_found);
            let most = least.unwrap_or(allowed);
            let closed = self.insert(seed).and_then(|()| self.close(site, most));
            if closed.is_ok() {
                least = Some(self.found);
                self.keep_best();
                if self.found == 1 {
                    break;
                }
            }
            // Whoever brings in this one brings in what it brings in.
            self.blocked.insert(seed);
        }
        least.ok_or(Whole)
    }

    fn start(&mut self, found: usize) {
        self.enabled_left.clear();
        self.disabled_left.clear();
        self.settled.clear();
        self.found = found;
    }

    fn insert(&mut self, action: u32) -> Result<(), Whole> {
        self.insert_all(&[(action / 64, 1 << (action % 64))])
    }

    /// Adds actions. Fails if one of them is blocked.
    #[inline]
    fn insert_all(&mut self, row: &[(u32, u64)]) -> Result<(), Whole> {
        for &(index, bits) in row {
            let new = self.member.add(index, bits);
            if new == 0 {
                continue;
            }
            let enabled = new & self.enabled.word(index);
            let settled = self.settled.word(index);
            self.disabled_left.push(index, new & !(enabled | settled));
            self.effort.visited += u64::from((new & settled).count_ones());
            if enabled != 0 {
                if self.blocked.word(index) & enabled != 0 {
                    return Err(Whole);
                }
                self.enabled_left.push(index, enabled);
                self.found += enabled.count_ones() as usize;
            }
        }
        Ok(())
    }

    /// Closes the set. Fails if it has as many enabled actions as are allowed, or if nothing can be left out.
    fn close(&mut self, site: &Site<'_>, allowed: usize) -> Result<(), Whole> {
        loop {
            if self.found >= allowed {
                return Err(Whole);
            }
            if let Some(action) = self.enabled_left.pop() {
                self.effort.visited += 1;
                self.insert_all(site.lookup.conflicts.get(action))?;
            } else if let Some(action) = self.disabled_left.pop() {
                self.effort.visited += 1;
                if self.settled.contains(action) {
                    continue;
                }
                if let Some(conjunct) = self.cheapest_of_many(site, action) {
                    self.insert_all(site.lookup.enabling.get(conjunct))?;
                    for &(index, bits) in site.lookup.guarded.get(conjunct) {
                        self.settled.add(index, bits);
                    }
                } else {
                    let subject = self.subject(site, action).ok_or(Whole)?;
                    self.insert_all(site.lookup.enabling.get(subject))?;
                }
            } else {
                return Ok(());
            }
        }
    }

    /// The false conjunct of an action that brings in the least, the first of those. What it brings in is not looked at unless there is
    /// a choice.
    #[expect(clippy::inline_always, reason = "for what the processor can do")]
    #[inline(always)]
    pub(crate) fn cheapest(
        &mut self,
        site: &Site<'_>,
        action: u32,
        cost: impl Fn(u32) -> u64,
    ) -> Option<u32> {
        let mut best = None;
        let mut least = None;
        for &(word, asked) in site.lookup.guards.get(action) {
            let mut fails = self.failing(site, word as usize, asked);
            while fails != 0 {
                let conjunct = conjunct_at(word, fails.trailing_zeros());
                fails &= fails - 1;
                let Some(before) = best else {
                    best = Some(conjunct);
                    continue;
                };
                let most = *least.get_or_insert_with(|| cost(before));
                if most == 0 {
                    return best;
                }
                let other = cost(conjunct);
                if other < most {
                    (best, least) = (Some(conjunct), Some(other));
                }
            }
        }
        best
    }

    /// Those of the conjuncts whose bits are asked for that do not hold.
    #[expect(clippy::inline_always, reason = "for what the processor can do")]
    #[inline(always)]
    fn failing(&mut self, site: &Site<'_>, word: usize, asked: u64) -> u64 {
        let truths = self.truths[word];
        let known = (truths | truths >> 1) & asked;
        let truths = if known == asked {
            truths
        } else {
            self.ask_those(site, word, asked & !known)
        };
        (truths >> 1) & !truths & asked
    }

    /// Asks for conjuncts of one word, and says what is known of all of it then.
    #[inline(never)]
    fn ask_those(&mut self, site: &Site<'_>, word: usize, mut asked: u64) -> u64 {
        if !self.is_told {
            self.tell(site);
        }
        let truths = self.truths[word];
        asked &= !(truths | truths >> 1);
        while asked != 0 {
            let conjunct = conjunct_at(number(word), asked.trailing_zeros());
            asked &= asked - 1;
            self.truth(site, conjunct);
        }
        self.truths[word]
    }

    /// The last conjunct of a failure, which says that something goes wrong. If all others hold and the steps of the state are
    /// known, nothing went wrong here, so it does not hold although it has no value.
    pub(crate) fn subject(&mut self, site: &Site<'_>, failure: u32) -> Option<u32> {
        let (last, others) = site.tables.guards.get(failure).split_last()?;
        let is_failure = site.tables.failures.contains(&failure);
        let hold = others.iter().all(|it| self.holds(site, *it) == Some(true));
        let untold = self.holds(site, *last).is_none();
        (is_failure && hold && untold).then_some(*last)
    }

    /// [`Closure::cheapest`] in a set of many words.
    fn cheapest_of_many(&mut self, site: &Site<'_>, action: u32) -> Option<u32> {
        // They are not changed meanwhile; borrowed apart from what is asked they could not be looked at.
        let member = std::mem::take(&mut self.member);
        let enabled = std::mem::take(&mut self.enabled);
        let cost = |conjunct| cost(site.lookup.enabling.get(conjunct), &member, &enabled);
        let conjunct = self.cheapest(site, action, cost);
        (self.member, self.enabled) = (member, enabled);
        conjunct
    }

    #[inline]
    fn holds(&mut self, site: &Site<'_>, conjunct: u32) -> Option<bool> {
        match self.truth(site, conjunct) {
            HOLDS => Some(true),
            FAILS => Some(false),
            _ => None,
        }
    }

    /// What is known of a conjunct, as two bits. It is asked once in each state.
    #[inline]
    fn truth(&mut self, site: &Site<'_>, conjunct: u32) -> u64 {
        match self.known(conjunct) {
            0 => self.ask(site, conjunct),
            known => known,
        }
    }

    /// What is known of a conjunct without asking.
    #[inline]
    fn known(&self, conjunct: u32) -> u64 {
        let (word, shift) = place(conjunct);
        (self.truths[word] >> shift) & 3
    }

    #[inline(never)]
    fn ask(&mut self, site: &Site<'_>, conjunct: u32) -> u64 {
        if !self.is_told {
            self.tell(site);
        }
        if self.known(conjunct) == 0 && site.looked.test(conjunct).is_none() {
            self.ask_all(site);
        }
        let known = self.known(conjunct);
        if known != 0 {
            return known;
        }
        let truth = match site.holds(conjunct) {
            Some(true) => HOLDS,
            Some(false) => FAILS,
            None => UNTOLD,
        };
        let (word, shift) = place(conjunct);
        self.truths[word] |= truth << shift;
        truth
    }

    /// Asks compiled code, once in each state, unless there is none. What was known is asked again.
    fn ask_all(&mut self, site: &Site<'_>) -> bool {
        match self.looked_at {
            Some(state) if state != self.state && self.state >= COMPILED_AFTER => {
                let is_told = site.conditions.conjuncts(site.state, &mut self.truths);
                self.looked_at = is_told.then_some(self.state);
                site.looked.write(site.state, &mut self.truths);
                self.note(site);
                is_told
            }
            _ => false,
        }
    }

    /// Adds an up-set of a goal: actions one of which every path to the goal has. Nothing is needed where it is reached.
    fn pursue(&mut self, site: &Site<'_>, goal: &Goal) -> Result<(), Whole> {
        match self.value(site, goal) {
            Some(true) => return Ok(()),
            Some(false) => {}
            None => return Err(Whole),
        }
        match goal {
            Goal::Conjunct(conjunct) => self.insert_all(site.lookup.enabling.get(*conjunct)),
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
    fn value(&mut self, site: &Site<'_>, goal: &Goal) -> Option<bool> {
        match goal {
            Goal::Conjunct(conjunct) => self.holds(site, *conjunct),
            Goal::All(parts) => self.decide(site, parts, false),
            Goal::Any(parts) => self.decide(site, parts, true),
        }
    }

    fn decide(&mut self, site: &Site<'_>, parts: &[Goal], decisive: bool) -> Option<bool> {
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
    fn price(&mut self, site: &Site<'_>, goal: &Goal) -> u64 {
        match goal {
            Goal::Conjunct(conjunct) => {
                let row = site.lookup.enabling.get(*conjunct);
                cost(row, &self.member, &self.enabled)
            }
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

/// What a row of actions costs, as far as they are no members.
#[inline]
fn cost(row: &[(u32, u64)], member: &Bits, all_enabled: &Bits) -> u64 {
    let mut cost = 0;
    for &(index, bits) in row {
        let new = bits & !member.word(index);
        if new == 0 {
            continue;
        }
        let enabled = new & all_enabled.word(index);
        if new.is_power_of_two() {
            // To count takes longer, and mostly there is nothing to count.
            cost += if enabled == 0 { DISABLED } else { ENABLED };
        } else {
            cost += u64::from((new & !enabled).count_ones()) * DISABLED;
            cost += u64::from(enabled.count_ones()) * ENABLED;
        }
    }
    cost
}
