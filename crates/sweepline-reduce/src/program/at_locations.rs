//! Which values a slot has while a process is at a location.
//!
//! Intervals do not know that `next[0]` is 255 or below 4 and never between. Where a slot is only given numbers, and values of other slots, its
//! values are a small set, and guards take values out of it. With that, an index that a process has looked at before is in bounds although
//! others write it too, and a failure that cannot happen need not be looked for.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::{SlotId, StopReason};
use sweepline_program::{Action, ArrayId, Effect, Expr, LocationId, Place, ProcessId, Program};

use super::conjuncts::split;
use super::instances::{Replace, mapped, writes};
use crate::pace::Pace;

/// Sets are at most so large.
const MOST: usize = 24;

/// The values of a slot, nothing if they are not known.
type Set = Option<BTreeSet<i64>>;

/// Everything that slots are given.
pub(super) struct Given<'a> {
    program: &'a Program,
    actions: &'a [Action],
    /// For all times.
    always: Vec<Set>,
    /// For each location of a process, as far as somebody has asked.
    at: BTreeMap<(ProcessId, SlotId), AtLocations>,
}

/// The values of a slot at each location of a process, nothing if they are not known.
type AtLocations = Option<Vec<BTreeSet<i64>>>;

impl<'a> Given<'a> {
    pub(super) fn new(
        program: &'a Program,
        actions: &'a [Action],
        pace: &Pace<'_>,
    ) -> Result<Self, StopReason> {
        let slots = program.slots().iter();
        let always = slots.map(|slot| Some(BTreeSet::from([slot.initial])));
        let mut given = Self {
            program,
            actions,
            always: always.collect(),
            at: BTreeMap::new(),
        };
        // These change by other means than effects.
        for process in program.processes() {
            given.always[process.location.0 as usize] = None;
        }
        while given.grow(pace)? {}
        Ok(given)
    }

    /// Adds what actions give to slots. Says whether something is new.
    fn grow(&mut self, pace: &Pace<'_>) -> Result<bool, StopReason> {
        let mut grown = false;
        for action in self.actions {
            pace.spend()?;
            let mut slots = Vec::new();
            for effect in &action.effects {
                writes(self.program, effect, &mut slots);
            }
            slots.sort_unstable();
            slots.dedup();
            for slot in slots {
                let before = self.always[slot.0 as usize].clone();
                let after = match before.clone() {
                    None => None,
                    Some(known) => joined(&known, self.after(action, slot, &known)),
                };
                grown |= after != before;
                self.always[slot.0 as usize] = after;
            }
        }
        Ok(grown)
    }

    /// The values of a slot after an action, if these are its values before it.
    fn after(&self, action: &Action, slot: SlotId, before: &BTreeSet<i64>) -> Set {
        let mut parts = Vec::new();
        split(&action.guard, &mut parts);
        let mut values = before.clone();
        values.retain(|value| {
            parts
                .iter()
                .all(|part| may_hold(self.program, part, slot, *value))
        });
        if values.is_empty() {
            return Some(values); // it does not happen
        }
        let mut passing: Vec<&Expr> = Vec::new();
        for effect in &action.effects {
            match effect {
                Effect::Assign { place, value } => {
                    values = self.stored(place, value, slot, values)?;
                }
                Effect::Push {
                    channel,
                    values: sent,
                } => {
                    let transient = self.program.channel(*channel).transient;
                    passing.clear();
                    passing.extend(sent.iter().filter(|_| transient));
                    let mut slots = Vec::new();
                    writes(self.program, effect, &mut slots);
                    (!slots.contains(&slot)).then_some(())?;
                }
                Effect::Pop { places, .. } => {
                    for (place, number) in places.iter().zip(0..) {
                        let Some(place) = place else { continue };
                        match passing.get(number) {
                            Some(value) => values = self.stored(place, value, slot, values)?,
                            None => (!self.may_mean(place, slot)).then_some(())?,
                        }
                    }
                    let mut slots = Vec::new();
                    let bare = Effect::Pop {
                        channel: channel_of(effect)?,
                        places: Vec::new(),
                    };
                    writes(self.program, &bare, &mut slots);
                    (!slots.contains(&slot)).then_some(())?;
                }
            }
        }
        Some(values)
    }

    /// The values of a slot after something is stored somewhere.
    fn stored(&self, place: &Place, value: &Expr, slot: SlotId, before: BTreeSet<i64>) -> Set {
        if !self.may_mean(place, slot) {
            return Some(before);
        }
        let mut values = match value {
            Expr::Constant(value) => BTreeSet::from([*value]),
            Expr::Slot(other) if *other == slot => before.clone(),
            Expr::Slot(other) => self.always[other.0 as usize].clone()?,
            _ => return None,
        };
        let kind = &self.program.slot(slot).kind;
        // What does not fit is a failure, or it wraps around to something unknown.
        values.iter().all(|it| kind.contains(*it)).then_some(())?;
        let certain = matches!(place, Place::Slot(_) | Place::Element(_, Expr::Constant(_)));
        if !certain {
            values.extend(before);
        }
        Some(values)
    }

    fn may_mean(&self, place: &Place, slot: SlotId) -> bool {
        match place {
            Place::Slot(it) => *it == slot,
            Place::Element(array, index) => {
                let array = self.program.array(*array);
                match index {
                    Expr::Constant(index) => array.element(*index) == Some(slot),
                    _ => (array.first.0..array.first.0 + array.length).contains(&slot.0),
                }
            }
        }
    }

    /// The values of a slot while a process is at each of its locations. Many failures ask for the same.
    fn at(
        &mut self,
        process: ProcessId,
        slot: SlotId,
        pace: &Pace<'_>,
    ) -> Result<&AtLocations, StopReason> {
        if !self.at.contains_key(&(process, slot)) {
            let found = self.find_at(process, slot, pace)?;
            self.at.insert((process, slot), found);
        }
        Ok(&self.at[&(process, slot)])
    }

    fn find_at(
        &self,
        process: ProcessId,
        slot: SlotId,
        pace: &Pace<'_>,
    ) -> Result<AtLocations, StopReason> {
        if self.always[slot.0 as usize].is_none() {
            return Ok(None);
        }
        let declared = self.program.process(process);
        let mut at: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); declared.locations.len()];
        at[declared.initial.0 as usize].insert(self.program.slot(slot).initial);
        loop {
            let before = at.clone();
            for action in self.actions {
                pace.spend()?;
                let step = action.moves.iter().find(|step| step.process == process);
                let from = |from: usize, to: usize, at: &mut Vec<BTreeSet<i64>>| {
                    if !at[from].is_empty() {
                        let after = self.after(action, slot, &at[from])?;
                        at[to].extend(after);
                    }
                    Some(())
                };
                let known = match step {
                    Some(step) => from(step.source.0 as usize, step.target.0 as usize, &mut at),
                    None => (0..at.len()).try_for_each(|here| from(here, here, &mut at)),
                };
                if known.is_none() {
                    return Ok(None);
                }
            }
            if at == before {
                return Ok(Some(at));
            }
        }
    }

    /// Whether a process cannot be at a location while all of these conditions hold, because one slot has no value for that.
    pub(super) fn is_impossible(
        &mut self,
        process: ProcessId,
        location: LocationId,
        conditions: &[&Expr],
        pace: &Pace<'_>,
    ) -> Result<bool, StopReason> {
        let program = self.program;
        for condition in conditions {
            let reads = program.reads(condition);
            let mut slots = reads.iter();
            let (Some(slot), None) = (slots.next(), slots.next()) else {
                continue;
            };
            let known = self.at(process, *slot, pace)?.as_ref();
            let impossible = known.is_some_and(|at| {
                !at[location.0 as usize].iter().any(|value| {
                    let mut all = conditions.iter();
                    all.all(|it| may_hold(program, it, *slot, *value))
                })
            });
            if impossible {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn channel_of(effect: &Effect) -> Option<sweepline_program::ChannelId> {
    match effect {
        Effect::Push { channel, .. } | Effect::Pop { channel, .. } => Some(*channel),
        Effect::Assign { .. } => None,
    }
}

/// Both sets, unless that is too much.
fn joined(known: &BTreeSet<i64>, more: Set) -> Set {
    let all: BTreeSet<i64> = known.union(&more?).copied().collect();
    (all.len() <= MOST).then_some(all)
}

/// Whether a condition may hold where a slot has a value.
fn may_hold(program: &Program, condition: &Expr, slot: SlotId, value: i64) -> bool {
    struct Known<'a>(&'a Program, SlotId, i64);
    impl Replace for Known<'_> {
        fn replace(&self, expr: &Expr) -> Option<Expr> {
            (*expr == Expr::Slot(self.1)).then_some(Expr::Constant(self.2))
        }

        fn element(&self, array: ArrayId, index: &Expr) -> Option<Expr> {
            let Expr::Constant(index) = index else {
                return None;
            };
            let meant = self.0.array(array).element(*index) == Some(self.1);
            meant.then_some(Expr::Constant(self.2))
        }
    }
    mapped(condition, &Known(program, slot, value)) != Expr::Constant(0)
}
