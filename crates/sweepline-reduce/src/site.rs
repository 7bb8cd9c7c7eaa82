//! What a closure knows where it is: the tables in the shape they are read in, the state, and what holds there.

use sweepline_core::Word;

use crate::bits::{Bits, Rows};
use crate::deletion::Reverse;
use crate::facts::Whereabouts;
use crate::few::Few;
use crate::lists::Lists;
use crate::looked::Looked;
use crate::tables::{Conditions, TRUTHS_PER_WORD, Tables, number};

/// How many rows may tell what is brought in where processes stand in certain ways. They should stay near.
const MOST_WAYS: usize = 1 << 12;

/// The tables as they are looked up.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    pub(crate) enabling: Rows,
    /// The actions that each conjunct guards.
    pub(crate) guarded: Rows,
    pub(crate) conflicts: Rows,
    /// The conjuncts of each action, as the bits of `truths` that say *true*.
    pub(crate) guards: Rows,
    /// The conjuncts that say where processes are.
    pub(crate) whereabouts: Whereabouts,
    /// Enabling sets and conflicts once more, if there are few actions.
    pub(crate) few: Option<Few>,
    /// Enabled actions that must not be in a set that puts something off which must be seen.
    pub(crate) barred: Option<Bits>,
    /// Actions that can be seen.
    pub(crate) visible: Bits,
    pub(crate) all_visible: Vec<(u32, u64)>,
    pub(crate) all_failures: Vec<(u32, u64)>,
    /// What deletion needs, if sets are found by it.
    pub(crate) reverse: Option<Reverse>,
}

impl Lookup {
    pub(crate) fn new(
        tables: &Tables,
        cut: Option<&[bool]>,
        visible: &[bool],
        deletes: bool,
        words: usize,
    ) -> Self {
        let visible = Bits::of(visible, tables.actions());
        let barred = cut.map(|cut| {
            let mut barred = Bits::of(cut, tables.actions());
            for (index, bits) in visible.row() {
                barred.add(index, bits);
            }
            barred
        });
        let mut failures = Bits::new(tables.actions());
        tables.failures.clone().for_each(|it| failures.insert(it));
        let guarded = guarded(tables);
        let whereabouts = Whereabouts::new(tables, MOST_WAYS);
        Self {
            all_failures: failures.row(),
            all_visible: visible.row(),
            visible,
            enabling: Rows::of(&tables.enabling),
            guarded: Rows::of(&guarded),
            conflicts: Rows::of(&tables.conflicts),
            guards: truths_of(&tables.guards),
            few: Few::new(tables, &guarded, &whereabouts, words),
            whereabouts,
            barred,
            reverse: deletes.then(|| Reverse::new(tables, &guarded)),
        }
    }

    /// Bytes that it holds, those of few actions left out.
    pub(crate) fn bytes(&self) -> usize {
        let rows = [&self.enabling, &self.guarded, &self.conflicts, &self.guards];
        let rows: usize = rows.map(Rows::bytes).iter().sum();
        rows + self.reverse.as_ref().map_or(0, Reverse::bytes)
    }
}

/// The actions that each conjunct guards.
fn guarded(tables: &Tables) -> Lists {
    let mut guarded = vec![Vec::new(); tables.conjuncts()];
    for action in 0..number(tables.actions()) {
        for conjunct in tables.guards(action) {
            guarded[*conjunct as usize].push(action);
        }
    }
    guarded.into_iter().collect()
}

/// Where each list of conjuncts has the bits that say *true*. They ascend, so that of conjuncts that cost the same the first one is taken,
/// however it is found.
fn truths_of(lists: &Lists) -> Rows {
    let all = (0..number(lists.len())).map(|list| lists.get(list));
    let doubled = all.map(|list| {
        let mut doubled: Vec<u32> = list.iter().map(|conjunct| 2 * conjunct).collect();
        doubled.sort_unstable();
        doubled
    });
    Rows::of(&doubled.collect())
}

/// A state with what decides about its stubborn sets.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) lookup: &'a Lookup,
    pub(crate) conditions: &'a dyn Conditions,
    /// Conjuncts that are simple enough to be asked here.
    pub(crate) looked: &'a Looked,
    pub(crate) state: &'a [Word],
}

impl Site<'_> {
    /// Whether a conjunct holds.
    pub(crate) fn holds(&self, conjunct: u32) -> Option<bool> {
        match self.looked.test(conjunct) {
            Some(test) => Some(test.holds(self.state)),
            None => self.conditions.holds(conjunct, self.state),
        }
    }
}

/// What is known of a conjunct.
pub(crate) const HOLDS: u64 = 1;
pub(crate) const FAILS: u64 = 2;
pub(crate) const UNTOLD: u64 = 3;

/// Where that is: a word, and by how much it is shifted there.
#[inline]
pub(crate) fn place(conjunct: u32) -> (usize, usize) {
    let conjunct = conjunct as usize;
    (conjunct / TRUTHS_PER_WORD, 2 * (conjunct % TRUTHS_PER_WORD))
}

/// The conjunct whose bits begin there.
#[inline]
pub(crate) fn conjunct_at(word: u32, shift: u32) -> u32 {
    word * (u64::BITS / 2) + shift / 2
}
