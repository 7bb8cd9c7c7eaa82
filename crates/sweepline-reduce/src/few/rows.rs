//! The tables in a few words.

use super::set::{Set, add, unite};
use crate::bits::Rows;
use crate::facts::Whereabouts;
use crate::lists::Lists;
use crate::tables::{Tables, number};

/// The tables, with a row of words for each set of actions.
#[derive(Debug)]
pub(crate) struct Words<const W: usize> {
    pub(super) conflicts: Vec<Set<W>>,
    guards: Vec<Guards>,
    /// The same for those that have too many.
    far: Rows,
    /// The necessary enabling set of each conjunct.
    pub(super) enabling: Vec<Set<W>>,
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

/// The conjuncts of an action, as bits of a few words. Behind the last one are words without any.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Guards {
    words: [u32; NEAR],
    bits: [u64; NEAR],
    /// How many words there are. If they are more than fit in, they are looked up somewhere else.
    count: u32,
}

/// How many words of conjuncts fit in. Hardly any action has more of them.
const NEAR: usize = 4;

impl Guards {
    fn new(row: &[(u32, u64)]) -> Self {
        let mut guards = Self {
            count: number(row.len()),
            ..Self::default()
        };
        for (place, (word, bits)) in row.iter().take(NEAR).enumerate() {
            (guards.words[place], guards.bits[place]) = (*word, *bits);
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
        let far = Rows::sorted(&tables.guards);
        Self {
            conflicts: rows(&tables.conflicts),
            guards: actions.map(|it| Guards::new(far.get(it))).collect(),
            far,
            enabling,
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

    /// Whether some conjuncts are among those of an action.
    #[inline(always)]
    pub(super) fn guard(&self, action: u32, conjuncts: &[u64]) -> bool {
        let guards = &self.guards[action as usize];
        if guards.count as usize > NEAR {
            let far = self.far.get(action).iter();
            return far.fold(0, |all, (word, bits)| {
                all | conjuncts[*word as usize] & bits
            }) != 0;
        }
        let near = guards.words.iter().zip(&guards.bits);
        near.fold(0, |all, (word, bits)| {
            all | conjuncts[*word as usize] & bits
        }) != 0
    }

    /// The false conjunct of an action that costs least, the first of those. Nobody asks for costs unless there is a choice.
    #[inline(always)]
    pub(super) fn cheapest(
        &self,
        action: u32,
        fails: &[u64],
        cost: impl Fn(&Set<W>) -> u64,
    ) -> Option<u32> {
        let guards = &self.guards[action as usize];
        let mut choice = Choice {
            best: None,
            least: None,
        };
        let cost = |conjunct: u32| cost(&self.enabling[conjunct as usize]);
        if guards.count as usize > NEAR {
            for &(word, bits) in self.far.get(action) {
                choice.choose(word, fails[word as usize] & bits, &cost);
            }
        } else {
            for (word, bits) in guards
                .words
                .iter()
                .zip(&guards.bits)
                .take(guards.count as usize)
            {
                choice.choose(*word, fails[*word as usize] & bits, &cost);
            }
        }
        choice.best
    }
}

/// The cheapest conjunct so far. What it costs is not asked unless there is another one.
struct Choice {
    best: Option<u32>,
    least: Option<u64>,
}

impl Choice {
    #[inline(always)]
    fn choose(&mut self, word: u32, mut fails: u64, cost: &impl Fn(u32) -> u64) {
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
