//! Closing sets of few actions: all of them are a few words, and so is every row of the tables.
//!
//! This is the closure of [`Closure`] for tables with at most 512 actions, which nearly all programs have. What is different is where
//! members wait: there is no list of them, the greatest one comes first, and those that are enabled come before all others, all at once. And
//! not all of them wait: whoever is guarded by a false conjunct that somebody has waited for already brings in nobody. Most actions of a
//! process that is elsewhere are done with by that, since one step brings in all of them that lead from where it is to where it must be.
//!
//! Everything here is in line, in a loop that is compiled twice: once for processors that count and find bits by themselves.

#![expect(
    clippy::inline_always,
    reason = "it is compiled for what the processor can do only where it is called"
)]

mod deleting;
mod rows;
mod set;

use deleting::Deleting;
use rows::Words;
use set::{Closing, End, Set, add, added, has, loaded};

use crate::closure::{Closure, Whole};
use crate::facts::Whereabouts;
use crate::lists::Lists;
use crate::newer;
use crate::site::Site;
use crate::tables::Tables;

/// Rows of as many words as there are.
#[derive(Debug)]
pub(crate) enum Few {
    One(Words<1>),
    Two(Words<2>),
    Three(Words<3>),
    Four(Words<4>),
    Eight(Words<8>),
}

impl Few {
    /// Rows of at least so many words. Nothing if there are too many actions for that.
    pub(crate) fn new(
        tables: &Tables,
        guarded: &Lists,
        whereabouts: &Whereabouts,
        words: usize,
    ) -> Option<Self> {
        Some(match words.max(tables.actions().div_ceil(64)) {
            0 | 1 => Self::One(Words::new(tables, guarded, whereabouts)),
            2 => Self::Two(Words::new(tables, guarded, whereabouts)),
            3 => Self::Three(Words::new(tables, guarded, whereabouts)),
            4 => Self::Four(Words::new(tables, guarded, whereabouts)),
            5..=8 => Self::Eight(Words::new(tables, guarded, whereabouts)),
            _ => return None,
        })
    }
}

/// What is done to a set, and to which.
struct InWords<'w, const W: usize> {
    closure: &'w mut Closure,
    site: &'w Site<'w>,
    words: &'w Words<W>,
    task: Task,
    allowed: usize,
}

impl<const W: usize> newer::Work for InWords<'_, W> {
    type Done = Result<usize, Whole>;

    #[inline(always)]
    fn run(self) -> Self::Done {
        let Self {
            closure,
            site,
            words,
            task,
            allowed,
        } = self;
        match task {
            Task::Close => closure.close_words(site, words, allowed),
            Task::Extend => closure.extend_words(site, words, allowed),
            Task::Delete => Ok(closure.delete_words(site, words, allowed)),
        }
    }
}

/// What is done to a set.
#[derive(Clone, Copy)]
pub(crate) enum Task {
    /// It is closed.
    Close,
    /// It is closed together with one enabled action: the one that brings in the fewest others.
    Extend,
    /// As many enabled actions as possible are taken out of the set of all, but none of this one.
    Delete,
}

impl Closure {
    /// Does it to the set, and says how many enabled actions that has then. Fails if nothing can be left out, or if these are as many as
    /// allowed; where actions are taken out, so many are left at least.
    pub(crate) fn in_few(
        &mut self,
        site: &Site<'_>,
        few: &Few,
        task: Task,
        allowed: usize,
    ) -> Result<usize, Whole> {
        match few {
            Few::One(words) => self.in_words(site, words, task, allowed),
            Few::Two(words) => self.in_words(site, words, task, allowed),
            Few::Three(words) => self.in_words(site, words, task, allowed),
            Few::Four(words) => self.in_words(site, words, task, allowed),
            Few::Eight(words) => self.in_words(site, words, task, allowed),
        }
    }

    fn in_words<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        task: Task,
        allowed: usize,
    ) -> Result<usize, Whole> {
        newer::run(InWords {
            closure: self,
            site,
            words,
            task,
            allowed,
        })
    }

    fn closing<const W: usize>(&self) -> Closing<W> {
        let enabled = loaded(&self.enabled);
        let mut blocked = loaded(&self.blocked);
        for (blocked, enabled) in blocked.iter_mut().zip(&enabled) {
            *blocked &= enabled;
        }
        Closing {
            enabled,
            blocked,
            member: loaded(&self.member),
            left: [0; W],
            settled: [0; W],
            found: self.found,
        }
    }

    #[inline(always)]
    fn close_words<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        allowed: usize,
    ) -> Result<usize, Whole> {
        let mut closing = self.closing();
        // Whoever is a member now has brought in nobody.
        closing.left = closing.member;
        closing.found = 0;
        self.run(site, words, &mut closing, &[0; W], allowed)?;
        self.member.copy_words(&closing.member);
        self.found = closing.found;
        Ok(self.found)
    }

    #[inline(always)]
    fn extend_words<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        allowed: usize,
    ) -> Result<usize, Whole> {
        let mut base = self.closing::<W>();
        let mut least = None;
        for index in 0..self.seeds.len() {
            let seed = self.seeds[index];
            if has(&base.member, seed) {
                continue; // it brings in nobody
            }
            let most = least.unwrap_or(allowed);
            let is_blocked = has(&base.blocked, seed);
            if is_blocked || base.refuses(&words.conflicts[seed as usize], most) {
                self.effort.visited += 1;
            } else {
                let mut closing = base;
                add(&mut closing.member, seed);
                add(&mut closing.left, seed);
                let closed = self.run(site, words, &mut closing, &base.member, most);
                if closed.is_ok() {
                    least = Some(closing.found);
                    self.member.copy_words(&closing.member);
                    self.keep_best();
                    if closing.found == 1 {
                        break;
                    }
                }
            }
            // Whoever brings in this one brings in what it brings in.
            add(&mut base.blocked, seed);
        }
        least.ok_or(Whole)
    }

    #[inline(always)]
    fn delete_words<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        least: usize,
    ) -> usize {
        let Some(reverse) = &site.lookup.reverse else {
            return self.seeds.len();
        };
        let (fails, lost) = (&self.facts.fails[..], &mut self.deletion.gone.conjuncts);
        let before = &mut self.deletion.before.conjuncts;
        for lost in [&mut *lost, &mut *before] {
            lost.clear();
            lost.resize(fails.len(), 0);
        }
        let mut deleting = Deleting::<W> {
            enabled: loaded(&self.enabled),
            required: loaded(&self.member),
            gone: [0; W],
            count: self.seeds.len(),
        };
        for &seed in &self.seeds {
            if has(&deleting.gone, seed) {
                continue;
            }
            let mut trial = deleting;
            let ties = (words, reverse.enables(), fails);
            let visited = &mut self.effort.visited;
            if trial.take_out(seed, ties, lost, least, visited).is_ok() {
                deleting = trial;
                before.copy_from_slice(lost);
            } else {
                lost.copy_from_slice(before);
            }
        }
        self.best.keep_others(&self.enabled, &deleting.gone);
        deleting.count
    }

    /// Closes a set that has these and others. Fails if it has as many enabled actions as are allowed, or if nothing can be left out.
    #[inline(always)]
    fn run<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        closing: &mut Closing<W>,
        before: &Set<W>,
        allowed: usize,
    ) -> Result<(), Whole> {
        let closed = loop {
            match closing.close(words, &self.facts, allowed) {
                End::Closed => break Ok(()),
                End::Useless => break Err(Whole),
                End::Unasked(actions) => self.ask_guards(site, &actions),
                End::Stuck(action) => {
                    if self.take_slowly(site, words, closing, action).is_err() {
                        break Err(Whole);
                    }
                }
            }
        };
        self.effort.visited += added(before, &closing.taken_up());
        closed
    }

    /// Lets a disabled action bring in others of a sort that is rare: it has very many conjuncts, or none is false.
    #[inline(never)]
    fn take_slowly<const W: usize>(
        &mut self,
        site: &Site<'_>,
        words: &Words<W>,
        closing: &mut Closing<W>,
        action: u32,
    ) -> Result<(), Whole> {
        let cheapest = words.cheapest_of_all(action, &self.facts.fails, |row| closing.cost(row));
        if let Some(conjunct) = cheapest {
            return closing.go(words.way(conjunct, &self.facts.standing));
        }
        // Its last conjunct has no value, so that nobody is done with by what it brings in.
        let conjunct = self.subject(site, action).ok_or(Whole)?;
        closing.insert(words.enabling(conjunct))
    }
}
