//! What every program must satisfy before it can run.

use std::collections::HashSet;

use sweepline_core::SlotId;

use super::{Action, ChannelId, Effect, Expr, Move, Place, Program};

/// Something is wrong with a program as a whole. Front ends find most of this themselves and say it better.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// An array has no elements, or too many.
    #[error("array `{name}` must have from 1 to 65536 elements")]
    ArrayLength {
        /// Name of the array.
        name: String,
    },
    /// The range of a slot is empty, is not that of its names, or its initial value lies outside.
    #[error("`{name}` starts with {initial}, outside its range {least}..={greatest}")]
    Initial {
        /// Name of the slot.
        name: String,
        /// The initial value.
        initial: i64,
        /// Least value of the range.
        least: i64,
        /// Greatest value of the range.
        greatest: i64,
    },
    /// A process has no locations.
    #[error("process `{name}` has no locations")]
    NoLocations {
        /// Name of the process.
        name: String,
    },
    /// The processes of an action are not one or two different ones.
    #[error("action `{name}` must involve one process or two different ones")]
    Participants {
        /// Name of the action.
        name: String,
    },
    /// Something refers to a part of the program that does not exist.
    #[error("{what} of {place} does not exist")]
    Missing {
        /// What is referred to.
        what: &'static str,
        /// Who refers to it.
        place: String,
    },
    /// A message has another number of components than its channel.
    #[error("{place} passes {given} values through `{channel}`, which takes {expected}")]
    Arity {
        /// Who sends or receives.
        place: String,
        /// Name of the channel.
        channel: String,
        /// Number of values given.
        given: usize,
        /// Number of values per message.
        expected: usize,
    },
    /// An effect assigns to a slot that only moves, pushes and pops may change.
    #[error("{place} assigns to `{slot}`, which is the state of a process or a channel")]
    Reserved {
        /// Who assigns.
        place: String,
        /// Name of the slot.
        slot: String,
    },
}

/// Checks that everything refers to something that exists, and that values lie in their ranges.
pub(super) fn check(program: &Program) -> Result<(), ProgramError> {
    for array in &program.arrays {
        if array.length == 0 {
            let name = array.name.clone();
            return Err(ProgramError::ArrayLength { name });
        }
    }
    for process in &program.processes {
        if process.locations.is_empty() {
            let name = process.name.clone();
            return Err(ProgramError::NoLocations { name });
        }
    }
    for slot in &program.slots {
        if !slot.kind.contains(slot.initial) || !slot.kind.is_consistent() {
            return Err(ProgramError::Initial {
                name: slot.name.clone(),
                initial: slot.initial,
                least: slot.kind.least,
                greatest: slot.kind.greatest,
            });
        }
    }
    let mut checker = Checker::new(program);
    for (process, location, assertion) in program.assertions() {
        let process = program.process(process);
        checker.place = format!("`{}.{}`", process.name, process.location(location).name);
        checker.expr(&assertion.condition)?;
    }
    if let Some(end) = &program.end {
        "the condition of proper ends".clone_into(&mut checker.place);
        checker.expr(end)?;
    }
    program.actions.iter().try_for_each(|action| {
        checker.place = format!("action `{}`", action.name);
        checker.action(action)
    })
}

struct Checker<'p> {
    program: &'p Program,
    /// What is being checked.
    place: String,
    /// Slots that only moves, pushes and pops may change.
    reserved: HashSet<SlotId>,
}

impl<'p> Checker<'p> {
    fn new(program: &'p Program) -> Self {
        let locations = program.processes.iter().map(|process| process.location);
        let lengths = program.channels.iter().map(|channel| channel.length);
        let fields = program.channels.iter().flat_map(|channel| &channel.fields);
        let messages = fields.flat_map(|field| program.array(*field).elements());
        Self {
            program,
            place: String::new(),
            reserved: locations.chain(lengths).chain(messages).collect(),
        }
    }

    fn action(&self, action: &Action) -> Result<(), ProgramError> {
        let distinct = match &*action.moves {
            [_] => true,
            [left, right] => left.process != right.process,
            _ => false,
        };
        if !distinct {
            let name = action.name.clone();
            return Err(ProgramError::Participants { name });
        }
        action.moves.iter().try_for_each(|step| self.step(step))?;
        self.expr(&action.guard)?;
        let told = action.message.iter().flat_map(|message| &message.values);
        told.into_iter().try_for_each(|value| self.expr(value))?;
        action.effects.iter().try_for_each(|e| self.effect(e))
    }

    fn step(&self, step: &Move) -> Result<(), ProgramError> {
        let process = self.program.processes.get(step.process.0 as usize);
        let process = process.ok_or_else(|| self.missing("a process"))?;
        for location in [step.source, step.target] {
            let location = process.locations.get(location.0 as usize);
            location.ok_or_else(|| self.missing("a location"))?;
        }
        Ok(())
    }

    fn effect(&self, effect: &Effect) -> Result<(), ProgramError> {
        match effect {
            Effect::Assign { place, value } => {
                self.place(place)?;
                self.expr(value)
            }
            Effect::Push { channel, values } => {
                self.arity(*channel, values.len())?;
                values.iter().try_for_each(|value| self.expr(value))
            }
            Effect::Pop { channel, places } => {
                self.arity(*channel, places.len())?;
                let mut places = places.iter().flatten();
                places.try_for_each(|place| self.place(place))
            }
        }
    }

    fn place(&self, place: &Place) -> Result<(), ProgramError> {
        match place {
            Place::Slot(slot) if self.reserved.contains(slot) => Err(ProgramError::Reserved {
                place: self.place.clone(),
                slot: self.program.slot(*slot).name.clone(),
            }),
            Place::Slot(slot) => self.exists("a slot", slot.0, self.program.slots.len()),
            Place::Element(array, index) => {
                self.exists("an array", array.0, self.program.arrays.len())?;
                self.place(&Place::Slot(self.program.array(*array).first))?;
                self.expr(index)
            }
        }
    }

    fn expr(&self, expr: &Expr) -> Result<(), ProgramError> {
        let mut result = Ok(());
        expr.walk(&mut |part| {
            if result.is_ok() {
                result = self.part(part);
            }
        });
        result
    }

    fn part(&self, part: &Expr) -> Result<(), ProgramError> {
        match part {
            Expr::Slot(slot) => self.exists("a slot", slot.0, self.program.slots.len()),
            Expr::Element(array, _) => self.exists("an array", array.0, self.program.arrays.len()),
            Expr::At(process, location) => self.step(&Move {
                process: *process,
                source: *location,
                target: *location,
            }),
            Expr::Length(channel) | Expr::Full(channel) | Expr::Empty(channel) => {
                self.exists("a channel", channel.0, self.program.channels.len())
            }
            Expr::Front(channel, component) => {
                self.exists("a channel", channel.0, self.program.channels.len())?;
                let components = self.program.channel(*channel).fields.len();
                self.exists("a component of a message", *component, components)
            }
            Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => {
                Ok(())
            }
        }
    }

    fn arity(&self, channel: ChannelId, given: usize) -> Result<(), ProgramError> {
        self.exists("a channel", channel.0, self.program.channels.len())?;
        let channel = self.program.channel(channel);
        if channel.fields.len() == given {
            return Ok(());
        }
        Err(ProgramError::Arity {
            place: self.place.clone(),
            channel: channel.name.clone(),
            given,
            expected: channel.fields.len(),
        })
    }

    fn exists(&self, what: &'static str, index: u32, count: usize) -> Result<(), ProgramError> {
        if (index as usize) < count {
            return Ok(());
        }
        Err(self.missing(what))
    }

    fn missing(&self, what: &'static str) -> ProgramError {
        ProgramError::Missing {
            what,
            place: self.place.clone(),
        }
    }
}
