//! Which values the slots of a program really take: fewer than their types allow, so states get smaller.
//!
//! Intervals are propagated along the control flow of each process. A slot that only one process writes is followed from
//! location to location; all others have one interval for all times. The elements of an array share their interval, or
//! have one each, depending on the grain. What is stored by an action that can be enabled is covered, also if a later
//! effect of the same action overwrites it.

mod cases;
mod failures;
mod guard;
mod local;
mod values;

pub use failures::Failing;
pub use values::{ValueRanges, Values};

use std::collections::BTreeSet;
use std::ops::Range;

use sweepline_core::{Limits, SlotId, SlotKind, StopReason};

use crate::budget::Budget;
use crate::interval::{Interval, Operate};
use crate::ir::{
    Action, Array, ArrayId, ChannelId, Effect, Expr, LocationId, Move, Overflow, Place, ProcessId,
    Program, SlotType,
};
use local::Local;

/// Rounds in which intervals grow as they are found, before they jump to the next constant of the program.
const PATIENCE: usize = 4;
/// Rounds after which the types must do.
const LAST_ROUND: usize = 400;

/// Arrays of more elements have one interval whatever the grain is: each of their elements would have to be looked at for
/// every computed index.
const LONG: u32 = 1 << 10;

/// The values of every slot in all reachable states, and in all states between two effects.
pub(crate) fn ranges_of(program: &Program, limits: &Limits) -> Result<Vec<Interval>, StopReason> {
    let mut analysis = Analysis::new(program, Grain::Arrays);
    analysis.run(limits)?;
    Ok(analysis.slots())
}

/// How closely values are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grain {
    /// An array has one interval.
    Arrays,
    /// Every element has its own, truth values are followed too, and assignments are split by the conditions in them.
    Elements,
}

/// What was stored where; nothing if it cannot be stored.
type Notes = Vec<Option<(SlotId, Interval)>>;

#[derive(Clone, Debug)]
struct Analysis<'p> {
    program: &'p Program,
    grain: Grain,
    /// The slot that stands for a slot: itself, or the first element of its array.
    cells: Vec<SlotId>,
    /// Which slots are no elements of arrays.
    alone: Vec<bool>,
    /// The process that alone writes a slot.
    writers: Vec<Option<ProcessId>>,
    /// The interval of every cell for all times.
    always: Vec<Interval>,
    /// What the slots of a process are at its locations, for those that can be reached.
    at: Vec<Vec<Option<Local>>>,
    /// How many changes there were so far.
    changes: usize,
    /// The last of them that changed what is known for all times, and those at each location.
    always_changed: usize,
    at_changed: Vec<Vec<usize>>,
    /// Where intervals stop growing for a while.
    marks: BTreeSet<i64>,
    widening: bool,
}

/// A point within an action: what is known there and not for all times.
#[derive(Clone, Debug)]
struct Point<'a> {
    analysis: &'a Analysis<'a>,
    known: Local,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program, grain: Grain) -> Self {
        let grouped = grouped(program, grain);
        let cells = cells(program, &grouped);
        let mut always = at_first(program, grain);
        for (slot, cell) in cells.iter().enumerate() {
            let cell = cell.0 as usize;
            always[cell] = always[cell].join(always[slot]);
        }
        let alone = alone(program, &grouped);
        let writers = writers(program, &alone, grain);
        let mut analysis = Self {
            grain,
            at: Vec::new(),
            changes: 0,
            always_changed: 0,
            at_changed: Vec::new(),
            marks: marks(program),
            widening: false,
            program,
            cells,
            alone,
            writers,
            always,
        };
        analysis.at = (0..)
            .map(ProcessId)
            .zip(program.processes())
            .map(|(id, process)| {
                let mut locations = vec![None; process.locations.len()];
                locations[process.initial.0 as usize] = Some(analysis.start(id));
                locations
            })
            .collect();
        let processes = program.processes().iter();
        let unchanged = processes.map(|process| vec![0; process.locations.len()]);
        analysis.at_changed = unchanged.collect();
        analysis
    }

    /// Propagates until nothing changes. If that takes too long, nothing but the types is known.
    fn run(&mut self, limits: &Limits) -> Result<(), StopReason> {
        let mut budget = Budget::new(limits, self.bytes());
        // The changes that each action has seen. What did not change for it would tell nothing new.
        let mut seen: Vec<Option<usize>> = vec![None; self.program.actions().len()];
        for round in 0..LAST_ROUND {
            self.widening = round >= PATIENCE;
            let before = self.changes;
            for (action, seen) in self.program.actions().iter().zip(&mut seen) {
                if seen.is_none_or(|seen| self.has_changed_for(action, seen)) {
                    *seen = Some(self.changes);
                    budget.spend(self.fire(action))?;
                }
            }
            budget.spend(seen.len())?;
            if self.changes == before {
                return Ok(());
            }
        }
        for (values, slot) in self.always.iter_mut().zip(self.program.slots()) {
            *values = declared(&slot.kind);
        }
        self.at
            .iter_mut()
            .flatten()
            .for_each(|known| *known = Some(Local::default()));
        Ok(())
    }

    /// About how many bytes the program and what is known about it take.
    fn bytes(&self) -> usize {
        let (slots, actions) = (self.program.slots(), self.program.actions());
        let known = self.at.iter().flatten().flatten().map(Local::bytes);
        256 * (slots.len() + actions.len()) + known.sum::<usize>()
    }

    /// Whether something that an action depends on is newer than this change.
    fn has_changed_for(&self, action: &Action, seen: usize) -> bool {
        let mut sources = action
            .moves
            .iter()
            .map(|step| self.at_changed[step.process.0 as usize][step.source.0 as usize]);
        self.always_changed > seen || sources.any(|changed| changed > seen)
    }

    /// What the slots of a process are at the start.
    fn start(&self, process: ProcessId) -> Local {
        let slots = (0..).map(SlotId).zip(self.program.slots());
        let own = slots.filter(|(id, _)| self.writers[id.0 as usize] == Some(process));
        own.map(|(id, slot)| (id, Interval::point(slot.initial)))
            .collect()
    }

    fn slots(&self) -> Vec<Interval> {
        self.cells
            .iter()
            .map(|cell| self.always[cell.0 as usize])
            .collect()
    }

    /// Propagates what an action does; says how much work that was.
    fn fire(&mut self, action: &Action) -> usize {
        let Some(before) = self.before(&action.moves) else {
            return 1;
        };
        let mut point = Point {
            analysis: self,
            known: before,
        };
        let work = 16 + 4 * point.known.len();
        if !point.assume(&action.guard, true) {
            return work;
        }
        let mut stored = Vec::new();
        for effect in &action.effects {
            if !point.run(effect, &mut stored) {
                break;
            }
        }
        let completed = stored.last() != Some(&None);
        let after = point.known;
        for (slot, values) in stored.into_iter().flatten() {
            self.store(slot, values);
        }
        if completed {
            for step in &action.moves {
                self.arrive(step.process, step.target, &after);
            }
        }
        work
    }

    /// What is known when processes are at the sources of these moves, if they can be.
    fn before<'m>(&self, moves: impl IntoIterator<Item = &'m Move>) -> Option<Local> {
        let mut known = Local::default();
        for step in moves {
            let local = &self.at[step.process.0 as usize][step.source.0 as usize];
            known.extend(local.as_ref()?);
        }
        Some(known)
    }

    fn arrive(&mut self, process: ProcessId, location: LocationId, after: &Local) {
        let index = (process.0 as usize, location.0 as usize);
        let own = after
            .iter()
            .filter(|(slot, _)| self.writers[slot.0 as usize] == Some(process));
        let own: Local = own.collect();
        let old = self.at[index.0][index.1].take();
        let mut changed = old.is_none();
        let mut known = old.unwrap_or_else(|| own.clone());
        for (slot, values) in own.iter() {
            let before = known.get(slot).expect("all slots of a process are known");
            let grown = self.grow(before, values, slot);
            if grown != before {
                changed = true;
                known.insert(slot, grown);
            }
        }
        self.at[index.0][index.1] = Some(known);
        if changed {
            self.changes += 1;
            self.at_changed[index.0][index.1] = self.changes;
        }
    }

    fn store(&mut self, slot: SlotId, values: Interval) {
        let cell = self.cells[slot.0 as usize];
        let grown = self.grow(self.always[cell.0 as usize], values, cell);
        if grown != self.always[cell.0 as usize] {
            self.changes += 1;
            self.always_changed = self.changes;
            self.always[cell.0 as usize] = grown;
        }
    }

    /// An interval that contains both, and some more if it has grown too often already.
    fn grow(&self, known: Interval, values: Interval, slot: SlotId) -> Interval {
        if values.within(known) {
            return known;
        }
        let mut grown = known.join(values);
        if !self.widening {
            return grown;
        }
        let limits = declared(&self.program.slot(slot).kind);
        if values.least < known.least {
            let mark = self.marks.range(..=values.least).next_back();
            grown.least = mark.copied().unwrap_or(i64::MIN).max(limits.least);
        }
        if values.greatest > known.greatest {
            let mark = self.marks.range(values.greatest..).next();
            grown.greatest = mark.copied().unwrap_or(i64::MAX).min(limits.greatest);
        }
        grown
    }
}

impl Point<'_> {
    fn values(&self, slot: SlotId) -> Interval {
        let cell = self.analysis.cells[slot.0 as usize];
        let known = self.known.get(cell);
        known.unwrap_or(self.analysis.always[cell.0 as usize])
    }

    /// The values an expression can have here.
    fn eval(&self, expr: &Expr) -> Interval {
        let program = self.analysis.program;
        match expr {
            Expr::Constant(value) => Interval::point(*value),
            Expr::Slot(slot) => self.values(*slot),
            Expr::Element(array, index) => {
                let elements = self.elements(*array, index);
                let values = elements.map(|slot| self.values(SlotId(slot)));
                let all = values.reduce(Interval::join);
                all.unwrap_or_else(|| self.values(program.array(*array).first))
            }
            Expr::Unary(op, operand) => self.eval(operand).unary(*op).0,
            Expr::Binary(op, left, right) => self.eval(left).binary(*op, self.eval(right)).0,
            Expr::Conditional(_, then, otherwise) => self.eval(then).join(self.eval(otherwise)),
            Expr::Length(channel) => self.values(program.channel(*channel).length),
            Expr::Front(channel, component) => {
                let field = program.channel(*channel).fields[*component as usize];
                self.values(program.array(field).first)
            }
            Expr::At(..) | Expr::Full(_) | Expr::Empty(_) => Interval::new(0, 1),
        }
    }

    /// Executes an effect and notes what it stores. Says whether execution can go on; if not, the last note is none.
    fn run(&mut self, effect: &Effect, stored: &mut Notes) -> bool {
        let all = match effect {
            Effect::Assign { place, value } => {
                let values = self.eval_by_cases(value);
                self.assign(place, values, stored)
            }
            Effect::Push { channel, values } => self.push(*channel, values, stored),
            Effect::Pop { channel, places } => self.pop(*channel, places, stored),
        };
        if !all {
            stored.push(None);
        }
        all
    }

    fn push(&mut self, channel: ChannelId, values: &[Expr], stored: &mut Notes) -> bool {
        let program = self.analysis.program;
        let channel = program.channel(channel);
        let values: Vec<_> = values.iter().map(|value| self.eval(value)).collect();
        let mut all = true;
        for (field, values) in channel.fields.iter().zip(values) {
            all &= self.store(program.array(*field).first, values, stored);
        }
        let longer = self.values(channel.length).moved(1);
        all & self.store(channel.length, longer, stored)
    }

    fn pop(&mut self, channel: ChannelId, places: &[Option<Place>], stored: &mut Notes) -> bool {
        let program = self.analysis.program;
        let channel = program.channel(channel);
        let mut all = true;
        for (field, place) in channel.fields.iter().zip(places) {
            if let Some(place) = place {
                let values = self.values(program.array(*field).first);
                all &= self.assign(place, values, stored);
            }
        }
        let shorter = self.values(channel.length).moved(-1);
        all & self.store(channel.length, shorter, stored)
    }

    /// Stores one of these values in a place, if that is possible.
    fn assign(&mut self, place: &Place, values: Interval, stored: &mut Notes) -> bool {
        let targets = match place {
            Place::Slot(slot) => slot.0..slot.0 + 1,
            Place::Element(array, index) => self.elements(*array, index),
        };
        let mut all = !targets.is_empty();
        let certain = targets.len() == 1;
        for slot in targets.map(SlotId) {
            let before = self.values(slot);
            all &= self.store(slot, values, stored);
            if !certain {
                self.set(slot, self.values(slot).join(before));
            }
        }
        all
    }

    fn store(&mut self, slot: SlotId, values: Interval, stored: &mut Notes) -> bool {
        let fitting = fitting(&self.analysis.program.slot(slot).kind, values);
        if let Some(values) = fitting {
            self.set(slot, values);
        }
        stored.push(fitting.map(|values| (slot, values)));
        fitting.is_some()
    }

    /// The numbers of the elements' slots that an index can mean, or of the first for all of them if they are not told apart.
    fn elements(&self, array: ArrayId, index: &Expr) -> Range<u32> {
        let array = self.analysis.program.array(array);
        let first = array.first.0;
        if !self.analysis.is_alone(array.first) {
            return first..first + 1;
        }
        let index = self.eval(index);
        let inside = |end: i64| end.clamp(0, array.length.into());
        let number =
            |end: i64| first + u32::try_from(inside(end)).expect("an array has below 2^32");
        number(index.least)..number(index.greatest.saturating_add(1))
    }

    /// Notes the new value of a slot. Arrays are only known as a whole, so they stay what they are.
    fn set(&mut self, slot: SlotId, values: Interval) {
        let cell = self.analysis.cells[slot.0 as usize];
        let values = if self.analysis.is_alone(slot) {
            values
        } else {
            self.values(cell).join(values)
        };
        self.known.insert(cell, values);
    }
}

impl Analysis<'_> {
    /// Whether a slot is no element of an array.
    fn is_alone(&self, slot: SlotId) -> bool {
        self.alone[slot.0 as usize]
    }
}

/// The slots a place can mean; the first stands for all of a long array.
fn targets(program: &Program, place: &Place) -> Vec<SlotId> {
    match place {
        Place::Slot(slot) => vec![*slot],
        Place::Element(array, Expr::Constant(index)) => {
            program.array(*array).element(*index).into_iter().collect()
        }
        Place::Element(array, _) => {
            let array = program.array(*array);
            let most = if array.length > LONG {
                1
            } else {
                LONG as usize
            };
            array.elements().take(most).collect()
        }
    }
}

fn declared(kind: &SlotType) -> Interval {
    Interval::new(kind.least, kind.greatest)
}

/// What a slot can hold after one of these values was stored in it, if it can be stored at all.
fn fitting(kind: &SlotType, values: Interval) -> Option<Interval> {
    let range = declared(kind);
    if values.within(range) {
        return Some(values);
    }
    match kind.overflow {
        Overflow::Wrap => Some(range),
        Overflow::Error => values.meet(range),
    }
}

/// The interval of each slot as far as initial values are concerned, or all its values if it changes in other ways than
/// by effects.
fn at_first(program: &Program, grain: Grain) -> Vec<Interval> {
    let actions = program.actions().iter();
    let written: BTreeSet<_> = actions
        .flat_map(|action| written(program, action))
        .collect();
    let slots = (0..).map(SlotId).zip(program.slots());
    let first = slots.map(|(id, slot)| match slot.kind.kind {
        SlotKind::Integer => Interval::point(slot.initial),
        _ if grain == Grain::Elements && written.contains(&id) => Interval::point(slot.initial),
        SlotKind::Boolean | SlotKind::Named(_) => declared(&slot.kind),
    });
    first.collect()
}

/// The arrays whose elements share an interval. The contents of channels move, so they always do.
fn grouped(program: &Program, grain: Grain) -> Vec<&Array> {
    let fields = program
        .channels()
        .iter()
        .flat_map(|channel| &channel.fields);
    let fields: BTreeSet<_> = fields.copied().collect();
    let arrays = (0..).map(ArrayId).zip(program.arrays());
    let grouped = arrays
        .filter(|(id, array)| grain == Grain::Arrays || array.length > LONG || fields.contains(id));
    grouped.map(|(_, array)| array).collect()
}

fn cells(program: &Program, grouped: &[&Array]) -> Vec<SlotId> {
    let count = u32::try_from(program.slots().len()).expect("a program has below 2^32 slots");
    let mut cells: Vec<_> = (0..count).map(SlotId).collect();
    for array in grouped {
        for element in array.elements() {
            cells[element.0 as usize] = array.first;
        }
    }
    cells
}

fn alone(program: &Program, grouped: &[&Array]) -> Vec<bool> {
    let mut alone = vec![true; program.slots().len()];
    for element in grouped.iter().flat_map(|array| array.elements()) {
        alone[element.0 as usize] = false;
    }
    alone
}

/// For each slot the one process that takes part in all actions that write it.
fn writers(program: &Program, alone: &[bool], grain: Grain) -> Vec<Option<ProcessId>> {
    let mut writers: Vec<Option<BTreeSet<ProcessId>>> = vec![None; program.slots().len()];
    for action in program.actions() {
        let movers: BTreeSet<_> = action.moves.iter().map(|step| step.process).collect();
        for slot in written(program, action) {
            let known = &mut writers[slot.0 as usize];
            *known = Some(match known.take() {
                None => movers.clone(),
                Some(known) => known.intersection(&movers).copied().collect(),
            });
        }
    }
    let slots = writers.into_iter().enumerate();
    slots
        .map(|(slot, writers)| {
            let number = matches!(program.slots()[slot].kind.kind, SlotKind::Integer);
            let followed = number || grain == Grain::Elements;
            let writers = writers.filter(|_| followed && alone[slot])?;
            writers.first().copied()
        })
        .collect()
}

fn written(program: &Program, action: &Action) -> Vec<SlotId> {
    let mut slots = Vec::new();
    for effect in &action.effects {
        match effect {
            Effect::Assign { place, .. } => slots.extend(targets(program, place)),
            Effect::Push { channel, .. } => slots.push(program.channel(*channel).length),
            Effect::Pop { channel, places } => {
                slots.push(program.channel(*channel).length);
                let places = places.iter().flatten();
                slots.extend(places.flat_map(|place| targets(program, place)));
            }
        }
    }
    slots
}

/// The constants of a program and their neighbours: where counters tend to stop.
fn marks(program: &Program) -> BTreeSet<i64> {
    let mut marks = BTreeSet::new();
    let mut mark = |value: i64| {
        marks.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
    };
    for slot in program.slots() {
        mark(slot.initial);
    }
    let mut walk = |expr: &Expr| {
        expr.walk(&mut |part| {
            if let Expr::Constant(value) = part {
                mark(*value);
            }
        });
    };
    for action in program.actions() {
        walk(&action.guard);
        for effect in &action.effects {
            match effect {
                Effect::Assign { value, .. } => walk(value),
                Effect::Push { values, .. } => values.iter().for_each(&mut walk),
                Effect::Pop { .. } => {}
            }
        }
    }
    marks
}
