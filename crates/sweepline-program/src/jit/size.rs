//! How much code something becomes, so that nobody waits for what is not worth it.

use super::CompileError;
use super::actions::Mode;
use crate::lower::{Elements, Lowered, LoweredAction, LoweredLocation, Node, Queue, Store, Target};

/// The largest action that is compiled, in instructions or so.
const LARGEST_ACTION: usize = 1 << 17;
/// The largest location, with all its actions. It becomes one function, during which no limit is looked at.
const LARGEST_LOCATION: usize = 1 << 18;
/// The largest program that is compiled.
const LARGEST_PROGRAM: usize = 1 << 20;
/// What an element of a channel counts that is moved by one place. Many such elements make the allocation of registers slow,
/// far more than in proportion.
const MOVED: usize = 16;
/// Bytes that are held per instruction while code is made.
const BYTES: usize = 160;

/// Sizes of the actions of a program.
pub(super) struct Sizes {
    actions: Vec<usize>,
    pub(super) total: usize,
}

impl Sizes {
    /// The sizes, unless something is too large.
    pub(super) fn new(lowered: &Lowered, width: usize) -> Result<Self, CompileError> {
        let actions = lowered.actions.iter();
        let actions: Vec<_> = actions.map(|action| action.size() + 2 * width).collect();
        let total = actions.iter().sum();
        let largest = actions.iter().max().copied().unwrap_or(0);
        let sizes = Self { actions, total };
        let processes = lowered.processes.iter();
        let mut locations = processes.flat_map(|process| &process.locations);
        let too_large = largest > LARGEST_ACTION
            || total > LARGEST_PROGRAM
            || locations.any(|place| sizes.location(place, Mode::All) > LARGEST_LOCATION);
        if too_large {
            return Err(CompileError::TooLarge);
        }
        Ok(sizes)
    }

    /// What a location becomes.
    pub(super) fn location(&self, location: &LoweredLocation, mode: Mode) -> usize {
        let actions = mode.chosen(location).iter();
        let assertions = location.assertions.iter().map(Node::size);
        let actions = actions.map(|action| self.actions[action.0 as usize]);
        assertions.sum::<usize>() + actions.sum::<usize>()
    }

    /// Bytes that are held while code of this size is made.
    pub(super) fn bytes(size: usize) -> usize {
        size.saturating_mul(BYTES)
    }
}

impl LoweredAction {
    fn size(&self) -> usize {
        self.guard.size() + self.effects.iter().map(Store::size).sum::<usize>()
    }
}

impl Node {
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Constant(_) => 1,
            Self::Read(_) | Self::Is(..) | Self::Front(..) => 4,
            Self::Element(elements, index, _) => index.size() + 8 + elements.spilled(),
            Self::Unary(_, operand, _) => operand.size() + 2,
            Self::Binary(_, operands, _) => operands.iter().map(Self::size).sum::<usize>() + 4,
            Self::Conditional(parts) => parts.iter().map(Self::size).sum::<usize>() + 4,
        }
    }
}

impl Store {
    fn size(&self) -> usize {
        match self {
            Self::Constant(..) => 3,
            Self::Assign(target, value, _) => target.size() + value.size() + 6,
            Self::Push(values, queue) => {
                let values = values.iter().map(|(value, _)| value.size() + 6);
                let stored = queue.fields.iter().map(|field| 8 + 2 * field.spilled());
                values.chain(stored).sum()
            }
            Self::Pop(targets, queue) => {
                let targets = targets.iter().flatten();
                targets.map(|(target, _)| target.size() + 6).sum::<usize>() + queue.advanced()
            }
        }
    }
}

impl Target {
    fn size(&self) -> usize {
        match self {
            Self::Field(..) => 4,
            Self::Element(elements, index, _) => index.size() + 8 + 2 * elements.spilled(),
        }
    }
}

impl Queue {
    /// Moving all messages by one place.
    fn advanced(&self) -> usize {
        let fields = self.fields.iter();
        let moved = fields.map(|field| {
            if field.one_word {
                1
            } else {
                field.fields.len()
            }
        });
        MOVED * moved.sum::<usize>()
    }
}

impl Elements {
    /// Words that go through memory for a computed index.
    fn spilled(&self) -> usize {
        if self.one_word {
            0
        } else {
            self.words().count()
        }
    }
}
