//! Which values the slots of a program really take: fewer than their types allow, so states get smaller.
//!
//! Intervals are propagated along the control flow of each process. A slot that only one process writes is followed from
//! location to location; all others have one interval for all times, and so has every array. What is stored by an
//! action that can be enabled is covered, also if a later effect of the same action overwrites it.

mod guard;

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::{SlotId, SlotKind};

use crate::interval::Interval;
use crate::ir::{
    Action, BinaryOp, Effect, Expr, LocationId, Overflow, Place, ProcessId, Program, SlotType,
};

/// Rounds in which intervals grow as they are found, before they jump to the next constant of the program.
const PATIENCE: usize = 4;
/// Rounds after which the types must do.
const LAST_ROUND: usize = 400;

/// The values of every slot in all reachable states, and in all states between two effects.
pub(crate) fn ranges_of(program: &Program) -> Vec<Interval> {
    let mut analysis = Analysis::new(program);
    for round in 0..LAST_ROUND {
        analysis.widening = round >= PATIENCE;
        analysis.changed = false;
        for action in program.actions() {
            analysis.fire(action);
        }
        if !analysis.changed {
            return analysis.slots();
        }
    }
    program
        .slots()
        .iter()
        .map(|slot| declared(&slot.kind))
        .collect()
}

/// What is known of the slots that differ from their interval for all times.
type Local = BTreeMap<SlotId, Interval>;

struct Analysis<'p> {
    program: &'p Program,
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
    /// Where intervals stop growing for a while.
    marks: BTreeSet<i64>,
    widening: bool,
    changed: bool,
}

/// A point within an action: what is known there and not for all times.
struct Point<'a> {
    analysis: &'a Analysis<'a>,
    known: Local,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program) -> Self {
        let cells = cells(program);
        let mut always: Vec<Interval> = program
            .slots()
            .iter()
            .map(|slot| match slot.kind.kind {
                SlotKind::Integer => Interval::point(slot.initial),
                SlotKind::Boolean | SlotKind::Named(_) => declared(&slot.kind),
            })
            .collect();
        for (slot, cell) in cells.iter().enumerate() {
            let cell = cell.0 as usize;
            always[cell] = always[cell].join(always[slot]);
        }
        let alone = alone(program);
        let writers = writers(program, &alone);
        let mut analysis = Self {
            at: Vec::new(),
            marks: marks(program),
            widening: false,
            changed: false,
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
        analysis
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

    /// Propagates what an action does.
    fn fire(&mut self, action: &Action) {
        let Some(before) = self.before(action) else {
            return;
        };
        let mut point = Point {
            analysis: self,
            known: before,
        };
        if !point.assume(&action.guard, true) {
            return;
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
    }

    /// What is known when the processes are at their sources, if they can be.
    fn before(&self, action: &Action) -> Option<Local> {
        let mut known = Local::new();
        for step in &action.moves {
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
        let own: Local = own.map(|(slot, values)| (*slot, *values)).collect();
        let Some(mut old) = self.at[index.0][index.1].take() else {
            self.at[index.0][index.1] = Some(own);
            self.changed = true;
            return;
        };
        for (slot, values) in own {
            let known = old
                .get_mut(&slot)
                .expect("all slots of a process are known");
            let grown = self.grow(*known, values, slot);
            self.changed |= grown != *known;
            *known = grown;
        }
        self.at[index.0][index.1] = Some(old);
    }

    fn store(&mut self, slot: SlotId, values: Interval) {
        let cell = self.cells[slot.0 as usize];
        let grown = self.grow(self.always[cell.0 as usize], values, cell);
        self.changed |= grown != self.always[cell.0 as usize];
        self.always[cell.0 as usize] = grown;
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
        let known = self.known.get(&cell).copied();
        known.unwrap_or(self.analysis.always[cell.0 as usize])
    }

    /// The values an expression can have here.
    fn eval(&self, expr: &Expr) -> Interval {
        let program = self.analysis.program;
        match expr {
            Expr::Constant(value) => Interval::point(*value),
            Expr::Slot(slot) => self.values(*slot),
            Expr::Element(array, _) => self.values(program.array(*array).first),
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
    fn run(&mut self, effect: &Effect, stored: &mut Vec<Option<(SlotId, Interval)>>) -> bool {
        let program = self.analysis.program;
        let mut all = true;
        let mut store = |point: &mut Self, slot: SlotId, values: Interval| {
            let fitting = fitting(&program.slot(slot).kind, values);
            if let Some(values) = fitting {
                point.set(slot, values);
            }
            all &= fitting.is_some();
            stored.push(fitting.map(|values| (slot, values)));
        };
        match effect {
            Effect::Assign { place, value } => {
                let values = self.eval(value);
                store(self, target(program, place), values);
            }
            Effect::Push { channel, values } => {
                let channel = program.channel(*channel);
                let values: Vec<_> = values.iter().map(|value| self.eval(value)).collect();
                for (field, values) in channel.fields.iter().zip(values) {
                    store(self, program.array(*field).first, values);
                }
                let longer = self
                    .values(channel.length)
                    .binary(BinaryOp::Add, Interval::point(1));
                store(self, channel.length, longer.0);
            }
            Effect::Pop { channel, places } => {
                let channel = program.channel(*channel);
                for (field, place) in channel.fields.iter().zip(places) {
                    if let Some(place) = place {
                        let values = self.values(program.array(*field).first);
                        store(self, target(program, place), values);
                    }
                }
                let shorter = self
                    .values(channel.length)
                    .binary(BinaryOp::Subtract, Interval::point(1));
                store(self, channel.length, shorter.0);
            }
        }
        if !all {
            stored.push(None);
        }
        all
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

/// The slot a place means, or the array's first element for all of them.
fn target(program: &Program, place: &Place) -> SlotId {
    match place {
        Place::Slot(slot) => *slot,
        Place::Element(array, _) => program.array(*array).first,
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

fn cells(program: &Program) -> Vec<SlotId> {
    let count = u32::try_from(program.slots().len()).expect("a program has below 2^32 slots");
    let mut cells: Vec<_> = (0..count).map(SlotId).collect();
    for array in program.arrays() {
        for element in array.elements() {
            cells[element.0 as usize] = array.first;
        }
    }
    cells
}

fn alone(program: &Program) -> Vec<bool> {
    let mut alone = vec![true; program.slots().len()];
    for element in program.arrays().iter().flat_map(crate::ir::Array::elements) {
        alone[element.0 as usize] = false;
    }
    alone
}

/// For each slot the one process that takes part in all actions that write it.
fn writers(program: &Program, alone: &[bool]) -> Vec<Option<ProcessId>> {
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
            let named = !matches!(program.slots()[slot].kind.kind, SlotKind::Integer);
            let writers = writers.filter(|_| !named && alone[slot])?;
            writers.first().copied()
        })
        .collect()
}

fn written(program: &Program, action: &Action) -> Vec<SlotId> {
    let mut slots = Vec::new();
    for effect in &action.effects {
        match effect {
            Effect::Assign { place, .. } => slots.push(target(program, place)),
            Effect::Push { channel, .. } => slots.push(program.channel(*channel).length),
            Effect::Pop { channel, places } => {
                slots.push(program.channel(*channel).length);
                slots.extend(places.iter().flatten().map(|place| target(program, place)));
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
