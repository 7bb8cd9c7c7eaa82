//! Deleting actions from the set of all of them, as long as the rest is stubborn.
//!
//! The set of all actions is stubborn. Taking one out takes out others: enabled ones that do not accord with it, and disabled ones
//! none of whose false conjuncts has its whole necessary enabling set in the set any more. If nothing goes that must stay, they are
//! out for good; otherwise they come back. This is tried for every enabled action \[Val98, Sect. 7\].
//!
//! It takes longer than closing small sets, and now and then it leaves much less of a net.

use crate::bits::{Bits, Rows, numbers};
use crate::lists::Lists;
use crate::site::Told;
use crate::tables::{Tables, number};

/// The tables the other way round.
#[derive(Debug, Default)]
pub(crate) struct Reverse {
    /// The conjuncts that an action can make true.
    enables: Rows,
    /// The actions that a conjunct guards.
    guards: Rows,
}

impl Reverse {
    pub(crate) fn new(tables: &Tables) -> Self {
        let mut enables = vec![Vec::new(); tables.actions()];
        let mut guards = vec![Vec::new(); tables.conjuncts()];
        for conjunct in 0..number(tables.conjuncts()) {
            for &action in tables.enabling.get(conjunct) {
                enables[action as usize].push(conjunct);
            }
        }
        for action in 0..number(tables.actions()) {
            for &conjunct in tables.guards.get(action) {
                guards[conjunct as usize].push(action);
            }
        }
        let rows = |lists: Vec<Vec<u32>>| Rows::of(&lists.into_iter().collect::<Lists>());
        Self {
            enables: rows(enables),
            guards: rows(guards),
        }
    }
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct Deletion {
    state: u32,
    /// The state in which an action was last taken out.
    out: Vec<u32>,
    /// The state in which a conjunct last lost someone of its enabling set.
    broken: Vec<u32>,
    /// How many false conjuncts of an action have lost nobody, and in which state that was counted.
    whole: Vec<(u32, u32)>,
    trail: Vec<Undo>,
    queue: Vec<u32>,
    pub(crate) visited: u64,
}

#[derive(Clone, Copy, Debug)]
enum Undo {
    Out(u32),
    Broken(u32),
    Counted(u32),
}

/// What must stay.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    pub(crate) enabled: &'a Bits,
    /// Actions that are not taken out.
    pub(crate) required: &'a Bits,
    /// How many enabled actions are left at least.
    pub(crate) least: usize,
}

impl Deletion {
    /// Takes out as many of these enabled actions as possible, one after the other, and leaves the others in `left`.
    pub(crate) fn run(
        &mut self,
        told: Told<'_>,
        reverse: &Reverse,
        kept: Kept<'_>,
        seeds: &[u32],
        left: &mut Bits,
    ) {
        self.make_room(told.site.tables);
        let mut count = seeds.len();
        for &seed in seeds {
            if self.out[seed as usize] == self.state {
                continue;
            }
            self.trail.clear();
            match self.take_out(told, reverse, kept, seed, count) {
                Some(fewer) => count = fewer,
                None => self.undo(),
            }
        }
        left.clear();
        for &seed in seeds {
            if self.out[seed as usize] != self.state {
                left.insert(seed);
            }
        }
    }

    fn make_room(&mut self, tables: &Tables) {
        let (actions, conjuncts) = (tables.actions(), tables.conjuncts());
        if self.state == u32::MAX || self.broken.len() != conjuncts {
            *self = Self {
                visited: self.visited,
                out: vec![0; actions],
                broken: vec![0; conjuncts],
                whole: vec![(0, 0); actions],
                ..Self::default()
            };
        }
        self.state += 1;
    }

    /// Takes out an action with all that must go with it. Says how many enabled ones are left, or nothing if one must stay.
    fn take_out(
        &mut self,
        told: Told<'_>,
        reverse: &Reverse,
        kept: Kept<'_>,
        action: u32,
        mut count: usize,
    ) -> Option<usize> {
        self.queue.clear();
        self.mark_out(action);
        while let Some(action) = self.queue.pop() {
            self.visited += 1;
            if kept.required.contains(action) {
                return None;
            }
            if kept.enabled.contains(action) {
                count -= 1;
                if count < kept.least {
                    return None;
                }
            }
            for &(index, bits) in told.site.lookup.conflicts(action) {
                for other in numbers(index, bits & kept.enabled.word(index)) {
                    self.mark_out(other);
                }
            }
            for &(index, bits) in reverse.enables.get(action) {
                for conjunct in numbers(index, bits) {
                    self.break_conjunct(told, reverse, conjunct);
                }
            }
        }
        Some(count)
    }

    fn mark_out(&mut self, action: u32) {
        let mark = &mut self.out[action as usize];
        if *mark != self.state {
            *mark = self.state;
            self.trail.push(Undo::Out(action));
            self.queue.push(action);
        }
    }

    /// A false conjunct has lost someone: whoever has no other is not held back any more.
    fn break_conjunct(&mut self, told: Told<'_>, reverse: &Reverse, conjunct: u32) {
        if self.broken[conjunct as usize] == self.state || told.holds(conjunct) != Some(false) {
            return;
        }
        self.broken[conjunct as usize] = self.state;
        self.trail.push(Undo::Broken(conjunct));
        for &(index, bits) in reverse.guards.get(conjunct) {
            for action in numbers(index, bits) {
                let (state, count) = self.whole[action as usize];
                let count = if state == self.state {
                    count
                } else {
                    let guards = told.site.tables.guards.get(action).iter();
                    let is_false = |it: &&u32| told.holds(**it) == Some(false);
                    number(guards.filter(is_false).count())
                };
                self.whole[action as usize] = (self.state, count - 1);
                self.trail.push(Undo::Counted(action));
                if count == 1 {
                    self.mark_out(action);
                }
            }
        }
    }

    fn undo(&mut self) {
        while let Some(undo) = self.trail.pop() {
            match undo {
                Undo::Out(action) => self.out[action as usize] = 0,
                Undo::Broken(conjunct) => self.broken[conjunct as usize] = 0,
                Undo::Counted(action) => self.whole[action as usize].1 += 1,
            }
        }
    }
}
