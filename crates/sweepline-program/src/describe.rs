//! States and steps of programs in the words of their models.

use sweepline_core::{ActionId, SlotId, Word};

use crate::interpreter::Model;
use crate::ir::{Channel, Program};
use crate::lower::{Lowering, Node};

/// How the slots of a program are shown, in their order.
#[derive(Debug)]
pub(crate) enum Shown {
    Slot(SlotId),
    /// A channel, where its first slot is.
    Channel(usize),
}

/// What is shown of a state: every slot, but channels as a whole.
pub(crate) fn shown(program: &Program) -> Vec<Shown> {
    let slots = (0..).map(SlotId).take(program.slots().len());
    let mut shown: Vec<Option<Shown>> = slots.map(|slot| Some(Shown::Slot(slot))).collect();
    for (index, channel) in program.channels().iter().enumerate() {
        let fields = channel.fields.iter();
        let elements = fields.flat_map(|field| program.array(*field).elements());
        let mut first = channel.length;
        for slot in elements.chain([channel.length]) {
            first = first.min(slot);
            shown[slot.0 as usize] = None;
        }
        if !channel.transient {
            shown[first.0 as usize] = Some(Shown::Channel(index));
        }
    }
    shown.into_iter().flatten().collect()
}

impl Model {
    pub(crate) fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        let pairs = self.shown.iter().map(|shown| match shown {
            Shown::Slot(slot) => {
                let slot = self.layout.slot(*slot);
                (slot.name.clone(), slot.show(slot.read(state)))
            }
            Shown::Channel(index) => {
                let channel = &self.program.channels()[*index];
                (channel.name.clone(), self.contents(channel, state))
            }
        });
        pairs.collect()
    }

    /// The messages of a channel, the next one first: `[3, 5]`, or `[[3, 1], [5, 0]]` if messages have several values.
    fn contents(&self, channel: &Channel, state: &[Word]) -> String {
        let length = self.layout.slot(channel.length).read(state);
        let messages = (0..length).map(|message| {
            let fields = channel.fields.iter().map(|field| {
                let element = self.program.array(*field).element(message);
                element.map_or_else(String::new, |slot| {
                    let slot = self.layout.slot(slot);
                    slot.show(slot.read(state))
                })
            });
            let fields: Vec<String> = fields.collect();
            match &fields[..] {
                [field] => field.clone(),
                fields => format!("[{}]", fields.join(", ")),
            }
        });
        format!("[{}]", messages.collect::<Vec<_>>().join(", "))
    }

    /// The name of an action, with the values that are passed when it happens in this state: `P: s -> t, c!3`.
    pub(crate) fn step_name(&self, source: &[Word], action: ActionId) -> String {
        let index = action.0 as usize;
        let Some(action) = self.program.actions().get(index) else {
            return format!("action {}", action.0);
        };
        let Some(message) = action.message.as_ref().filter(|_| !source.is_empty()) else {
            return action.name.clone();
        };
        let values = self.messages()[index].iter().map(|value| {
            let value = value.evaluate(source);
            value.map_or_else(|_| "?".to_owned(), |value| value.to_string())
        });
        let values: Vec<String> = values.collect();
        let values = match &values[..] {
            [value] => value.clone(),
            [] => String::new(),
            values => format!("{{{}}}", values.join(", ")),
        };
        format!("{}{values}{}", message.before, message.after)
    }

    /// The values of every action's message. Only who shows steps needs them.
    fn messages(&self) -> &[Vec<Node>] {
        self.messages.get_or_init(|| {
            let lowering = Lowering::new(&self.program, &self.layout);
            let actions = self.program.actions().iter();
            let values = actions.map(|action| {
                let message = action.message.iter();
                let values = message.flat_map(|message| &message.values);
                values.map(|value| lowering.expr(value).0).collect()
            });
            values.collect()
        })
    }
}
