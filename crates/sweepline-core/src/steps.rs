//! The steps that leave a state, as one reusable batch.

use crate::{Layout, Records, SlotId, Word};

/// Index of an action (a transition of a net, a statement of a program) in its system's list of actions.
///
/// It looks like its number in memory: compiled code writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ActionId(pub u32);

/// A batch of steps: an action and a target state each.
///
/// The caller owns the batch and reuses it, so nothing is allocated per step. Targets lie one after the other in a
/// single buffer. The position of a step among those of its source is its *ordinal*: as systems are deterministic,
/// source and ordinal name a step for ever, which is all a trace has to remember.
#[derive(Clone, Debug)]
pub struct Steps {
    records: Records,
    words: Vec<Word>,
    /// Where each target ends; kept only if states differ in size.
    ends: Vec<usize>,
    actions: Vec<ActionId>,
    fault: Option<Fault>,
}

/// Why a system could not produce a successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The model itself is wrong here (value out of range, division by zero, failed assertion).
    Model {
        /// The action that went wrong.
        action: ActionId,
        /// What went wrong, as a lower-case fragment.
        message: String,
    },
    /// A slot whose range was only guessed is too small; the system can be encoded wider.
    Outgrown {
        /// The slot that is too small.
        slot: SlotId,
    },
}

impl Steps {
    /// An empty batch for states of this layout.
    pub fn for_layout(layout: &Layout) -> Self {
        Self {
            records: layout.records(),
            words: Vec::new(),
            ends: Vec::new(),
            actions: Vec::new(),
            fault: None,
        }
    }

    /// Adds a step.
    #[inline]
    pub fn push(&mut self, action: ActionId, target: &[Word]) {
        self.words.extend_from_slice(target);
        self.finish_record(action);
    }

    /// Adds a step to a copy of `source` and returns the copy for changing.
    #[inline]
    pub fn push_copy(&mut self, action: ActionId, source: &[Word]) -> &mut [Word] {
        let start = self.words.len();
        self.push(action, source);
        &mut self.words[start..]
    }

    /// Adds a step whose target `write` appends to the buffer it is given, which holds earlier targets.
    #[inline]
    pub fn push_with(&mut self, action: ActionId, write: impl FnOnce(&mut Vec<Word>)) {
        write(&mut self.words);
        self.finish_record(action);
    }

    /// Adds a step as [`Steps::push_with`] does, unless `write` fails; then nothing is added.
    #[inline]
    pub fn try_push_with<E>(
        &mut self,
        action: ActionId,
        write: impl FnOnce(&mut Vec<Word>) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = self.words.len();
        let written = write(&mut self.words);
        match written {
            Ok(()) => self.finish_record(action),
            Err(_) => self.words.truncate(start),
        }
        written
    }

    /// Adds up to `room` steps at once. `write` puts targets one after the other into the words and their actions beside
    /// them, and says how many there are.
    ///
    /// # Panics
    /// If states differ in size, or there are more steps than room.
    #[inline]
    pub fn push_many(
        &mut self,
        room: usize,
        write: impl FnOnce(&mut [Word], &mut [ActionId]) -> usize,
    ) {
        let Records::Fixed(width) = self.records else {
            panic!("steps can be added at once only if all states have the same size");
        };
        let (words, actions) = (self.words.len(), self.actions.len());
        self.words.resize(words + room * width, 0);
        self.actions.resize(actions + room, ActionId(0));
        let count = write(&mut self.words[words..], &mut self.actions[actions..]);
        assert!(count <= room, "there are more steps than room for them");
        self.words.truncate(words + count * width);
        self.actions.truncate(actions + count);
    }

    #[inline]
    fn finish_record(&mut self, action: ActionId) {
        self.actions.push(action);
        match self.records {
            Records::Fixed(width) => debug_assert_eq!(self.words.len(), self.actions.len() * width),
            Records::Variable => self.ends.push(self.words.len()),
        }
    }

    /// Reports that a successor could not be produced. Only the first fault of a batch is kept.
    #[cold]
    pub fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    /// The first fault reported since the batch was cleared.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Number of steps.
    #[inline]
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether there is no step.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// Forgets all steps and faults but keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
        self.actions.clear();
        self.fault = None;
    }

    /// Forgets all steps from `len` on, and faults.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.words.truncate(self.range(len).start);
            self.ends.truncate(len);
            self.actions.truncate(len);
        }
        self.fault = None;
    }

    /// The actions of all steps.
    #[inline]
    pub fn actions(&self) -> &[ActionId] {
        &self.actions
    }

    /// The target of step `index`.
    #[inline]
    pub fn target(&self, index: usize) -> &[Word] {
        let range = self.range(index);
        &self.words[range]
    }

    /// The target of step `index`, for adapters that change targets in place.
    #[inline]
    pub fn target_mut(&mut self, index: usize) -> &mut [Word] {
        let range = self.range(index);
        &mut self.words[range]
    }

    /// All targets one after the other.
    #[inline]
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    #[inline]
    fn range(&self, index: usize) -> std::ops::Range<usize> {
        match self.records {
            Records::Fixed(width) => index * width..(index + 1) * width,
            Records::Variable => {
                index.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[index]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_variable_size_keep_their_bounds() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Variable));
        steps.push(ActionId(0), &[1]);
        steps.push(ActionId(1), &[2, 3, 4]);
        steps.push_copy(ActionId(2), &[5, 6])[1] = 7;
        assert_eq!(steps.target(0), [1]);
        assert_eq!(steps.target(1), [2, 3, 4]);
        assert_eq!(steps.target(2), [5, 7]);
    }

    #[test]
    fn a_target_that_cannot_be_written_is_not_added() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Fixed(2)));
        steps.push(ActionId(0), &[1, 2]);
        let failed = steps.try_push_with(ActionId(1), |words| {
            words.push(3);
            Err("no")
        });
        assert_eq!(failed, Err("no"));
        assert_eq!((steps.len(), steps.words()), (1, &[1, 2][..]));
    }

    #[test]
    fn steps_added_at_once_take_only_the_room_they_need() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Fixed(2)));
        steps.push(ActionId(0), &[1, 2]);
        steps.push_many(3, |words, actions| {
            assert_eq!((words.len(), actions.len()), (6, 3));
            words[..2].copy_from_slice(&[3, 4]);
            actions[0] = ActionId(7);
            1
        });
        assert_eq!(steps.words(), [1, 2, 3, 4]);
        assert_eq!(steps.actions(), [ActionId(0), ActionId(7)]);
    }

    #[test]
    fn the_first_fault_is_kept_until_cleared() {
        let mut steps = Steps::for_layout(&Layout::opaque(Records::Fixed(1)));
        steps.fail(Fault::Outgrown { slot: SlotId(3) });
        steps.fail(Fault::Outgrown { slot: SlotId(4) });
        assert_eq!(steps.fault(), Some(&Fault::Outgrown { slot: SlotId(3) }));
        steps.clear();
        assert_eq!(steps.fault(), None);
    }
}
