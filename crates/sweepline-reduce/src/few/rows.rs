//! The tables in a few words.

use super::set::{Set, add, unite};
use crate::bits::Rows;
use crate::facts::{Facts, Whereabouts};
use crate::lists::Lists;
use crate::tables::{Tables, number};

/// The tables, with a row of words for each set of actions.
#[derive(Debug)]
pub(crate) struct Words<const W: usize> {
    pub(super) conflicts: Vec<Set<W>>,
    guards: Vec<Guards>,
    /// The same where they do not fit in.
    all_guards: Rows,
    /// The necessary enabling set of each conjunct.
    enabling: Vec<Set<W>>,
    /// The actions that each conjunct guards.
    guarded: Vec<Set<W>>,
    ways: Vec<Way<W>>,
    /// The first way of each conjunct, and the process that it is about.
    first_way: Vec<(u32, u32)>,
}

/// What a false conjunct brings in, and who is done with then.
///
/// A conjunct that says where a process is brings in whoever leads there. Where these start from the process may not be either: that is false,
/// too, and brings in whoever leads there; and so on. All of them are brought in at once. Nothing but where the process is decides who they
/// are, so there is a way for every place where it may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way<const W: usize> {
    pub(super) brings: Set<W>,
    /// Actions with a false conjunct all of whose necessary enabling set is in the set now: they bring in nobody.
    pub(super) settles: Set<W>,
}

/// The conjuncts of an action, as bits of a few words.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Guards {
    words: [u32; NEAR],
    bits: [u64; NEAR],
    /// How many words there are: none if they do not fit in.
    count: u32,
}

/// How many words of conjuncts fit in. Hardly any action has more of them.
const NEAR: usize = 4;

impl Guards {
    fn new(row: &[(u32, u64)]) -> Self {
        let mut guards = Self::default();
        if row.len() <= NEAR {
            guards.count = number(row.len());
            for (place, (word, bits)) in row.iter().enumerate() {
                (guards.words[place], guards.bits[place]) = (*word, *bits);
            }
        }
        guards
    }
}

impl<const W: usize> Words<W> {
    pub(super) fn new(tables: &Tables, guarded: &Lists, whereabouts: &Whereabouts) -> Self {
        let enabling = rows(&tables.enabling);
        let guarded = rows(guarded);
        let mut ways = Vec::new();
        let mut first_way = Vec::new();
        for conjunct in 0..number(tables.conjuncts()) {
            let process = whereabouts.process(conjunct);
            first_way.push((number(ways.len()), process));
            for standing in 0..whereabouts.ways(process) {
                let mut way = Way {
                    brings: [0; W],
                    settles: [0; W],
                };
                for it in whereabouts.false_together(tables, conjunct, standing) {
                    unite(&mut way.brings, &enabling[it as usize]);
                    unite(&mut way.settles, &guarded[it as usize]);
                }
                ways.push(way);
            }
        }
        let actions = 0..number(tables.actions());
        let all_guards = Rows::sorted(&tables.guards);
        Self {
            conflicts: rows(&tables.conflicts),
            guards: actions.map(|it| Guards::new(all_guards.get(it))).collect(),
            all_guards,
            enabling,
            guarded,
            ways,
            first_way,
        }
    }

    /// What a false conjunct brings in, where processes stand like this.
    #[inline(always)]
    pub(super) fn way(&self, conjunct: u32, standing: &[u32]) -> &Way<W> {
        let (first, process) = self.first_way[conjunct as usize];
        &self.ways[(first + standing[process as usize]) as usize]
    }

    /// The necessary enabling set of a conjunct.
    #[inline(always)]
    pub(super) fn enabling(&self, conjunct: u32) -> &Set<W> {
        &self.enabling[conjunct as usize]
    }

    /// The actions that a conjunct guards.
    #[inline(always)]
    pub(super) fn guarded(&self, conjunct: u32) -> &Set<W> {
        &self.guarded[conjunct as usize]
    }

    /// Whether a false conjunct guards an action that is not among these.
    #[inline(always)]
    pub(super) fn is_held(&self, action: u32, fails: &[u64], others: &[u64]) -> bool {
        let guards = &self.guards[action as usize];
        let mut near = guards.words.iter().zip(&guards.bits);
        let holds = |word: u32, bits: u64| {
            let word = word as usize;
            bits & fails[word] & !others[word] != 0
        };
        if guards.count == 0 {
            let mut all = self.all_guards.get(action).iter();
            return all.any(|&(word, bits)| holds(word, bits));
        }
        near.any(|(word, bits)| holds(*word, *bits))
    }

    /// Whether something must be asked before these actions are taken up.
    #[inline(never)]
    pub(super) fn lack(&self, facts: &Facts, actions: [u32; 2]) -> bool {
        let mut guards = actions.iter().flat_map(|it| self.all_guards.get(*it));
        facts.is_lost || guards.any(|(word, bits)| facts.unasked[*word as usize] & bits != 0)
    }

    /// The false conjunct of an action that costs least, the first of those. Nobody asks for costs unless there is a choice. Nothing if there
    /// is none, or if more must be looked at than what is near.
    #[inline(always)]
    pub(super) fn cheapest(
        &self,
        action: u32,
        fails: &[u64],
        cost: impl Fn(&Set<W>) -> u64,
    ) -> Option<u32> {
        let guards = &self.guards[action as usize];
        let near = guards.words.iter().zip(&guards.bits);
        let mut choice = Choice::default();
        for (word, bits) in near.take(guards.count as usize) {
            let fails = fails[*word as usize] & bits;
            choice.choose(*word, fails, |it| cost(self.enabling(it)));
        }
        choice.best
    }

    /// The same among all conjuncts of an action, however many.
    pub(super) fn cheapest_of_all(
        &self,
        action: u32,
        fails: &[u64],
        cost: impl Fn(&Set<W>) -> u64,
    ) -> Option<u32> {
        let mut choice = Choice::default();
        for &(word, bits) in self.all_guards.get(action) {
            let fails = fails[word as usize] & bits;
            choice.choose(word, fails, |it| cost(self.enabling(it)));
        }
        choice.best
    }
}

/// The cheapest conjunct so far. What it costs is not asked unless there is another one.
#[derive(Default)]
struct Choice {
    best: Option<u32>,
    least: Option<u64>,
}

impl Choice {
    #[inline(always)]
    fn choose(&mut self, word: u32, mut fails: u64, cost: impl Fn(u32) -> u64) {
        while fails != 0 && self.least != Some(0) {
            let other = word * 64 + fails.trailing_zeros();
            fails &= fails - 1;
            let Some(best) = self.best else {
                self.best = Some(other);
                continue;
            };
            let least = *self.least.get_or_insert_with(|| cost(best));
            let more = cost(other);
            if more < least {
                (self.best, self.least) = (Some(other), Some(more));
            }
        }
    }
}

fn rows<const W: usize>(lists: &Lists) -> Vec<Set<W>> {
    let rows = (0..number(lists.len())).map(|list| {
        let mut row = [0; W];
        for number in lists.get(list) {
            add(&mut row, *number);
        }
        row
    });
    rows.collect()
}
