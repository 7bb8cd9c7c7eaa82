//! Systems whose states refer to contents by numbers, and that forget what no state refers to any more.

use std::sync::Arc;

use crate::{AnySystem, SlotId, Word};

/// A system that numbers contents begins again, with the contents of some states only.
///
/// States are shown to it first; then there is a second system, which knows nothing else, and the states are rewritten for it.
/// The first system stays as it is, so that whoever still has states of it can go on asking it.
pub trait Renewal {
    /// Shows a state that is stored: one of the system, or one of an adapted system, which has the slots of the system where
    /// they are in the system itself.
    fn keep(&mut self, state: &[Word]);

    /// The system that knows the contents of these states only.
    fn finish(self: Box<Self>) -> Renewed;
}

/// A system that has begun again.
pub struct Renewed {
    /// The system. It has the slots of the first one in the same order, some perhaps wider, and the same steps.
    pub system: Arc<dyn AnySystem>,
    /// What the numbers in its slots have become.
    pub numbers: Renumbering,
    /// How much memory it holds.
    pub held: usize,
}

/// What the numbers in some slots have become.
#[derive(Clone, Debug, Default)]
pub struct Renumbering {
    slots: Vec<(SlotId, Box<[u32]>)>,
}

/// A number that no state refers to.
const UNUSED: u32 = u32::MAX;

impl Renumbering {
    /// In this slot the numbers from zero on have become those of the list; nothing where no state has the number.
    pub fn add(&mut self, slot: SlotId, numbers: impl IntoIterator<Item = Option<u32>>) {
        let numbers = numbers.into_iter().map(|new| new.unwrap_or(UNUSED));
        self.slots.push((slot, numbers.collect()));
    }

    /// What the numbers of a slot have become, if they change.
    pub(crate) fn of(&self, slot: usize) -> Option<&[u32]> {
        let mut slots = self.slots.iter();
        let found = slots.find(|(at, _)| at.0 as usize == slot);
        found.map(|(_, numbers)| &**numbers)
    }
}

/// What a number has become. One that was not kept becomes a value that fits into no slot.
pub(crate) fn renumbered(numbers: &[u32], old: i64) -> i64 {
    let new = usize::try_from(old).ok().and_then(|old| numbers.get(old));
    match new {
        Some(&new) if new != UNUSED => i64::from(new),
        _ => i64::MAX,
    }
}
