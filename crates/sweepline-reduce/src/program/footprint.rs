//! What an action reads and writes.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::SlotId;
use sweepline_program::{Action, BinaryOp, ChannelId, Effect, Expr, Place, Program, ValueRanges};

use super::conjuncts::{Conjunct, channel_of};

/// What an action does, beyond what its guard asks.
#[derive(Clone, Debug, Default)]
pub(super) struct Footprint {
    /// The slots that decide what the effects do.
    pub(super) reads: BTreeSet<SlotId>,
    /// Channels whose contents decide what the effects do, other than by taking a message.
    pub(super) asked: BTreeSet<ChannelId>,
    /// The slots it writes, locations included and those of channels left out.
    pub(super) writes: BTreeMap<SlotId, Write>,
    /// How often it puts a message into a channel, and takes one.
    pub(super) traffic: BTreeMap<ChannelId, Traffic>,
    /// Whether a process enters a committed location, so that everybody else has to wait.
    pub(super) commits: bool,
    /// Whether it can happen at all.
    pub(super) possible: bool,
}

/// How a slot is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// This value.
    Constant(i64),
    /// So much more, wrapping around at most.
    Add(i64),
    /// Something else.
    Other,
}

/// Messages put and taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traffic {
    pub(super) pushes: u32,
    pub(super) pops: u32,
    /// Whether cells are written by other means.
    pub(super) meddles: bool,
}

impl Footprint {
    pub(super) fn new(program: &Program, action: &Action, ranges: &ValueRanges<'_>) -> Self {
        let mut footprint = Self {
            possible: ranges.before(action).is_some(),
            ..Self::default()
        };
        for effect in &action.effects {
            footprint.effect(program, effect);
        }
        for step in &action.moves {
            let process = program.process(step.process);
            footprint.commits |= process.location(step.target).flags.committed;
            if step.source != step.target {
                let target = Write::Constant(step.target.0.into());
                footprint.writes.insert(process.location, target);
            }
        }
        footprint
    }

    fn effect(&mut self, program: &Program, effect: &Effect) {
        match effect {
            Effect::Assign { place, value } => self.assign(program, place, value),
            Effect::Push { channel, values } => {
                if !program.channel(*channel).transient {
                    self.traffic.entry(*channel).or_default().pushes += 1;
                }
                for value in values {
                    self.read(program, value);
                }
            }
            Effect::Pop { channel, places } => {
                if !program.channel(*channel).transient {
                    self.traffic.entry(*channel).or_default().pops += 1;
                }
                for place in places.iter().flatten() {
                    self.write(program, place, Write::Other);
                }
            }
        }
    }

    fn assign(&mut self, program: &Program, place: &Place, value: &Expr) {
        let added = match place {
            Place::Slot(slot) => added(*slot, value),
            Place::Element(..) => None,
        };
        let write = match (place, value, added) {
            (_, Expr::Constant(value), _) if kind(program, place).contains(*value) => {
                Write::Constant(*value)
            }
            // If it leaves the range in one order it does in the other, and that failure is not missed.
            (_, _, Some(by)) => Write::Add(by),
            _ => Write::Other,
        };
        if !matches!(write, Write::Add(_)) {
            self.read(program, value);
        }
        self.write(program, place, write);
    }

    fn read(&mut self, program: &Program, expr: &Expr) {
        let mut read = Conjunct::of_nothing();
        read.read(program, expr);
        self.reads.extend(read.reads);
        let channels = read.channels.into_keys();
        let lasting = channels.filter(|channel| !program.channel(*channel).transient);
        self.asked.extend(lasting);
        expr.walk(&mut |part| {
            if let Expr::At(process, _) = part {
                self.reads.insert(program.process(*process).location);
            }
        });
    }

    fn write(&mut self, program: &Program, place: &Place, write: Write) {
        match place {
            Place::Slot(slot) => self.write_slot(program, *slot, write),
            Place::Element(array, index) => {
                self.read(program, index);
                let array = program.array(*array);
                match index {
                    Expr::Constant(index) => {
                        if let Some(slot) = array.element(*index) {
                            self.write_slot(program, slot, write);
                        }
                    }
                    _ => {
                        for slot in array.elements() {
                            self.write_slot(program, slot, Write::Other);
                        }
                    }
                }
            }
        }
    }

    fn write_slot(&mut self, program: &Program, slot: SlotId, write: Write) {
        if let Some(channel) = channel_of(program, slot) {
            self.traffic.entry(channel).or_default().meddles = true;
            return;
        }
        let written = match (self.writes.get(&slot), write) {
            (None, write) | (Some(_), write @ Write::Constant(_)) => write,
            (Some(_), _) => {
                // What the first one wrote is part of what the second one writes.
                self.reads.insert(slot);
                Write::Other
            }
        };
        self.writes.insert(slot, written);
    }

    /// Whether a slot is part of a channel that it uses.
    pub(super) fn touches_channel(&self, program: &Program, slot: SlotId) -> bool {
        channel_of(program, slot).is_some_and(|channel| self.traffic.contains_key(&channel))
    }
}

impl Conjunct {
    fn of_nothing() -> Self {
        Self {
            expr: super::untold(),
            reads: BTreeSet::new(),
            channels: BTreeMap::new(),
            opaque: false,
        }
    }
}

fn kind<'p>(program: &'p Program, place: &Place) -> &'p sweepline_program::SlotType {
    let slot = match place {
        Place::Slot(slot) => *slot,
        Place::Element(array, _) => program.array(*array).first,
    };
    &program.slot(slot).kind
}

/// How much is added to a slot, if a value is that.
fn added(slot: SlotId, value: &Expr) -> Option<i64> {
    match value {
        Expr::Binary(op, left, right) => match (op, &**left, &**right) {
            (BinaryOp::Add, Expr::Slot(read), Expr::Constant(by))
            | (BinaryOp::Add, Expr::Constant(by), Expr::Slot(read))
                if *read == slot =>
            {
                Some(*by)
            }
            (BinaryOp::Subtract, Expr::Slot(read), Expr::Constant(by)) if *read == slot => {
                by.checked_neg()
            }
            _ => None,
        },
        _ => None,
    }
}
