//! Which values a slot has while a process is at a location.
//!
//! Intervals do not know that `next[0]` is 255 or below 4 and never between. Where a slot is only given numbers, and values of other slots, its
//! values are a small set, and guards take values out of it. With that, an index that a process has looked at before is in bounds although
//! others write it too, and a failure that cannot happen need not be looked for.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::{SlotId, StopReason};
use sweepline_program::{
    Action, BinaryOp, Effect, Expr, LocationId, Place, ProcessId, Program, UnaryOp,
};

use super::conjuncts::split;
use super::instances::{computed, writes};
use crate::pace::Pace;

/// Sets are at most so large.
const MOST: usize = 24;

/// The values of a slot, nothing if they are not known.
type Set = Option<BTreeSet<i64>>;

/// Everything that slots are given.
pub(super) struct Given<'a> {
    program: &'a Program,
    actions: Vec<Giver<'a>>,
    /// For all times.
    always: Vec<Set>,
    /// For each location of a process, as far as somebody has asked.
    at: BTreeMap<(ProcessId, SlotId), AtLocations>,
}

/// An action, with what it is asked for again and again.
struct Giver<'a> {
    action: &'a Action,
    /// The parts of its guard, and what they read.
    parts: Vec<(&'a Expr, BTreeSet<SlotId>)>,
    /// What it may write.
    writes: Vec<SlotId>,
}

impl<'a> Giver<'a> {
    fn new(program: &Program, action: &'a Action) -> Self {
        let mut parts = Vec::new();
        split(&action.guard, &mut parts);
        let parts = parts.into_iter().map(|it| (it, program.reads(it)));
        let mut slots = Vec::new();
        for effect in &action.effects {
            writes(program, effect, &mut slots);
        }
        slots.sort_unstable();
        slots.dedup();
        Self {
            action,
            parts: parts.collect(),
            writes: slots,
        }
    }
}

/// The values of a slot at each location of a process, nothing if they are not known.
type AtLocations = Option<Vec<BTreeSet<i64>>>;

impl<'a> Given<'a> {
    pub(super) fn new(
        program: &'a Program,
        actions: impl Iterator<Item = &'a Action>,
        pace: &Pace<'_>,
    ) -> Result<Self, StopReason> {
        let slots = program.slots().iter();
        let always = slots.map(|slot| Some(BTreeSet::from([slot.initial])));
        let mut given = Self {
            program,
            actions: actions.map(|it| Giver::new(program, it)).collect(),
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
        for giver in &self.actions {
            pace.spend()?;
            for slot in &giver.writes {
                let Some(before) = &self.always[slot.0 as usize] else {
                    continue;
                };
                let after = joined(before, self.after(giver, *slot, before));
                if after.as_ref() != Some(before) {
                    grown = true;
                    self.always[slot.0 as usize] = after;
                }
            }
        }
        Ok(grown)
    }

    /// The values of a slot after an action, if these are its values before it.
    fn after(&self, giver: &Giver<'_>, slot: SlotId, before: &BTreeSet<i64>) -> Set {
        let mut values = before.clone();
        for (part, _) in giver
            .parts
            .iter()
            .filter(|(_, reads)| reads.contains(&slot))
        {
            values.retain(|value| may_hold(self.program, part, slot, *value));
        }
        if values.is_empty() {
            return Some(values); // it does not happen
        }
        let mut passing: Vec<&Expr> = Vec::new();
        for effect in &giver.action.effects {
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
            for giver in &self.actions {
                pace.spend()?;
                let step = giver
                    .action
                    .moves
                    .iter()
                    .find(|step| step.process == process);
                let from = |from: usize, to: usize, at: &mut Vec<BTreeSet<i64>>| {
                    if !at[from].is_empty() {
                        let after = self.after(giver, slot, &at[from])?;
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
    value_where(program, condition, slot, value) != Some(0)
}

/// What an expression is where a slot has a value, if that decides it.
fn value_where(program: &Program, expr: &Expr, slot: SlotId, value: i64) -> Option<i64> {
    let known = |expr: &Expr| value_where(program, expr, slot, value);
    let truth = |expr: &Expr| known(expr).map(|value| (value != 0).into());
    match expr {
        Expr::Constant(value) => Some(*value),
        Expr::Slot(it) => (*it == slot).then_some(value),
        Expr::Element(array, index) => {
            let element = program.array(*array).element(known(index)?);
            (element == Some(slot)).then_some(value)
        }
        Expr::Unary(UnaryOp::Not, operand) => Some((known(operand)? == 0).into()),
        // The right operand is asked for where the left one does not decide.
        Expr::Binary(BinaryOp::And, left, right) => match known(left)? {
            0 => Some(0),
            _ => truth(right),
        },
        Expr::Binary(BinaryOp::Or, left, right) => match known(left)? {
            0 => truth(right),
            _ => Some(1),
        },
        Expr::Binary(BinaryOp::Imply, left, right) => match known(left)? {
            0 => Some(1),
            _ => truth(right),
        },
        Expr::Binary(op, left, right) => computed(*op, known(left)?, known(right)?),
        Expr::Conditional(condition, then, otherwise) => match known(condition)? {
            0 => known(otherwise),
            _ => known(then),
        },
        _ => None,
    }
}
