//! Which slots an action may read and write.

use std::collections::BTreeSet;

use sweepline_core::{ActionId, SlotId};

use super::{Action, Array, ChannelId, Effect, Expr, Place, Program};

/// The slots an action may read and those it may write, locations of its processes included.
///
/// With a constant index only that element of an array is meant, otherwise all of them are. Pushing and popping read and
/// write a whole channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// What the guard and the effects may depend on.
    pub reads: BTreeSet<SlotId>,
    /// What may be different afterwards.
    pub writes: BTreeSet<SlotId>,
}

impl Program {
    /// What an action reads and writes.
    pub fn access(&self, action: ActionId) -> Access {
        Access::of_action(self, self.action(action))
    }

    /// What an expression reads.
    pub fn reads(&self, expr: &Expr) -> BTreeSet<SlotId> {
        let mut access = Access::default();
        access.read(self, expr);
        access.reads
    }
}

impl Access {
    fn of_action(program: &Program, action: &Action) -> Self {
        let mut access = Self::default();
        for step in &action.moves {
            let location = program.process(step.process).location;
            access.reads.insert(location);
            if step.source != step.target {
                access.writes.insert(location);
            }
        }
        access.read(program, &action.guard);
        for effect in &action.effects {
            access.effect(program, effect);
        }
        access
    }

    fn effect(&mut self, program: &Program, effect: &Effect) {
        match effect {
            Effect::Assign { place, value } => {
                self.read(program, value);
                self.write(program, place);
            }
            Effect::Push { channel, values } => {
                for value in values {
                    self.read(program, value);
                }
                self.channel(program, *channel);
            }
            Effect::Pop { channel, places } => {
                self.channel(program, *channel);
                for place in places.iter().flatten() {
                    self.write(program, place);
                }
            }
        }
    }

    fn channel(&mut self, program: &Program, channel: ChannelId) {
        let channel = program.channel(channel);
        let elements = channel
            .fields
            .iter()
            .flat_map(|field| program.array(*field).elements());
        for slot in elements.chain([channel.length]) {
            self.reads.insert(slot);
            self.writes.insert(slot);
        }
    }

    fn write(&mut self, program: &Program, place: &Place) {
        match place {
            Place::Slot(slot) => {
                self.writes.insert(*slot);
            }
            Place::Element(array, index) => {
                self.read(program, index);
                self.writes.extend(elements(program.array(*array), index));
            }
        }
    }

    fn read(&mut self, program: &Program, expr: &Expr) {
        expr.walk(&mut |part| match part {
            Expr::Slot(slot) => {
                self.reads.insert(*slot);
            }
            Expr::Element(array, index) => {
                self.reads.extend(elements(program.array(*array), index));
            }
            Expr::At(process, _) => {
                self.reads.insert(program.process(*process).location);
            }
            Expr::Length(channel) | Expr::Full(channel) | Expr::Empty(channel) => {
                self.reads.insert(program.channel(*channel).length);
            }
            Expr::Front(channel, component) => {
                let channel = program.channel(*channel);
                self.reads.insert(channel.length);
                self.reads
                    .insert(program.array(channel.fields[*component as usize]).first);
            }
            Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => {}
        });
    }
}

/// The elements an index can mean. A constant index out of bounds is an error when it is evaluated, and means none.
fn elements(array: &Array, index: &Expr) -> impl Iterator<Item = SlotId> {
    let constant = match index {
        Expr::Constant(index) => Some(array.element(*index)),
        _ => None,
    };
    let all = constant.is_none().then(|| array.elements());
    all.into_iter().flatten().chain(constant.flatten())
}
