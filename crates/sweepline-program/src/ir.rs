//! What a program consists of.
//!
//! Everything a language can say is reduced to slots with ranges, processes with locations, and actions of one or two
//! processes. A rendezvous is a joint action, which the front end makes; a buffered channel is a group of arrays with a
//! length, on which effects push and pop.

mod access;
mod builder;
mod expression;
mod printing;
mod text;
mod validity;

pub use access::Access;
pub use builder::{ActionBuilder, ProgramBuilder};
pub use expression::{BinaryOp, Expr, UnaryOp};
pub use text::SourceText;
pub use validity::ProgramError;

use sweepline_core::{ActionId, SlotId, SlotKind};

/// A closed program: slots, arrays, channels, processes and actions, all of them in the order of their declaration.
///
/// Made by a [`ProgramBuilder`], which checks that everything refers to something that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub(crate) name: String,
    /// What it was made from; spans are about this.
    pub(crate) text: SourceText,
    pub(crate) slots: Vec<SlotDecl>,
    pub(crate) arrays: Vec<Array>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) processes: Vec<Process>,
    pub(crate) actions: Vec<Action>,
    /// When a state without steps is a proper end.
    pub(crate) end: Option<Expr>,
    /// The slot that marks states in which nothing but errors can happen, if they are wanted.
    pub(crate) error: Option<SlotId>,
}

/// A range of bytes in the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// Index of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub u32);

/// Index of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub u32);

/// Index of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(pub u32);

/// Index of a location within its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(pub u32);

/// A slot of a program. Its id is its id in the layout of the program's systems too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotDecl {
    /// The name as the user knows it; elements of arrays are called `a[0]`, `a[1]`, ….
    pub name: String,
    /// Values and what happens to others.
    pub kind: SlotType,
    /// The value at the start.
    pub initial: i64,
    /// The process whose local slot this is.
    pub owner: Option<ProcessId>,
    /// The declaration.
    pub span: Span,
}

/// The values of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotType {
    /// Least value.
    pub least: i64,
    /// Greatest value.
    pub greatest: i64,
    /// What the values mean.
    pub kind: SlotKind,
    /// What storing another value does.
    pub overflow: Overflow,
}

/// What happens when a value outside the range of a slot is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// It is an error of the model.
    Error,
    /// The value is taken modulo the size of the range, as machine integers do.
    Wrap,
}

/// Slots of one type, one after the other, that can be addressed by a computed index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The name as the user knows it.
    pub name: String,
    /// The slot of element 0.
    pub first: SlotId,
    /// Number of elements, at least 1.
    pub length: u32,
    /// The declaration.
    pub span: Span,
}

/// A first-in first-out buffer of messages, each a tuple of values.
///
/// The message at the head has index 0. Elements behind the last message hold 0, or the value of their type next to it, so
/// that channels of equal contents are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The name as the user knows it.
    pub name: String,
    /// One array per component of a message, as long as the capacity.
    pub fields: Vec<ArrayId>,
    /// The number of messages in the channel.
    pub length: SlotId,
    /// How many messages fit, at least 1.
    pub capacity: u32,
    /// Whether it is empty before and after every step, so that nobody needs to see it.
    pub transient: bool,
    /// The declaration.
    pub span: Span,
}

/// A process: a control-flow graph whose edges are actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The name as the user knows it.
    pub name: String,
    /// The slot that holds the index of the current location; it has the name of the process.
    pub location: SlotId,
    /// The locations.
    pub locations: Vec<Location>,
    /// Where the process starts.
    pub initial: LocationId,
    /// The declaration.
    pub span: Span,
}

/// A control location of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The name as the user knows it.
    pub name: String,
    /// Its properties.
    pub flags: LocationFlags,
    /// What must hold whenever the process is here.
    pub assertions: Vec<Assertion>,
    /// The declaration.
    pub span: Span,
}

/// Properties of a location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocationFlags {
    /// While some process is in a committed location, only actions that involve a process in one are enabled.
    pub committed: bool,
    /// The location belongs to the acceptance condition of the process.
    pub accepting: bool,
}

/// A condition that must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// True unless it evaluates to 0.
    pub condition: Expr,
    /// The source text.
    pub span: Span,
}

/// A guarded action of one process, or of two that synchronise.
///
/// It is enabled if all processes are at their sources and the guard holds. Effects are executed in order and see what
/// earlier ones did; the processes move to their targets after the last effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The name as the user knows it.
    pub name: String,
    /// Who takes part; the first is the owner, which decides the order of steps.
    pub moves: Vec<Move>,
    /// When it is enabled: anything but 0 is true.
    pub guard: Expr,
    /// What it does.
    pub effects: Vec<Effect>,
    /// What is said when it happens, for people.
    pub message: Option<Message>,
    /// The source text, for the first process.
    pub span: Span,
    /// The source text for the second process, if there is one.
    pub partner_span: Option<Span>,
}

/// What is sent or received in an action: the name of a step with values in it, such as `P: s -> t, c!3`. It has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What is said before the values.
    pub before: String,
    /// The values, computed in the state before the step.
    pub values: Vec<Expr>,
    /// What is said after them.
    pub after: String,
}

/// How a process takes part in an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The process.
    pub process: ProcessId,
    /// Where it must be.
    pub source: LocationId,
    /// Where it will be.
    pub target: LocationId,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Stores a value.
    Assign {
        /// Where to.
        place: Place,
        /// The value.
        value: Expr,
    },
    /// Appends a message to a channel. A full channel is an error of the model, so guards should ask.
    Push {
        /// The channel.
        channel: ChannelId,
        /// One value per component.
        values: Vec<Expr>,
    },
    /// Takes the message at the head. An empty channel is an error of the model, so guards should ask.
    ///
    /// All places receive their values, from left to right, before the message is removed.
    Pop {
        /// The channel.
        channel: ChannelId,
        /// Where each component goes; `None` drops it.
        places: Vec<Option<Place>>,
    },
}

/// Something that can be assigned to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A slot.
    Slot(SlotId),
    /// An element of an array.
    Element(ArrayId, Expr),
}

impl Span {
    /// The bytes from `start` to before `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

impl SlotType {
    /// Numbers from `least` to `greatest`; others are errors of the model.
    pub fn integer(least: i64, greatest: i64) -> Self {
        Self {
            least,
            greatest,
            kind: SlotKind::Integer,
            overflow: Overflow::Error,
        }
    }

    /// Numbers from `least` to `greatest`; others wrap around.
    pub fn wrapping(least: i64, greatest: i64) -> Self {
        Self {
            overflow: Overflow::Wrap,
            ..Self::integer(least, greatest)
        }
    }

    /// Truth values: 0 and 1.
    pub fn boolean() -> Self {
        Self {
            kind: SlotKind::Boolean,
            ..Self::integer(0, 1)
        }
    }

    /// An enumeration: value 0 is called `names[0]`, and so on.
    pub fn named(names: Vec<String>) -> Self {
        let greatest = i64::try_from(names.len()).unwrap_or(i64::MAX).max(1) - 1;
        Self {
            kind: SlotKind::Named(names),
            ..Self::integer(0, greatest)
        }
    }

    /// Whether the range is the one that truth values or names have.
    pub(crate) fn is_consistent(&self) -> bool {
        let expected = match &self.kind {
            SlotKind::Integer => return true,
            SlotKind::Boolean => Self::boolean(),
            SlotKind::Named(names) => Self::named(names.clone()),
        };
        (self.least, self.greatest) == (expected.least, expected.greatest)
    }

    /// What stands in a channel where no message is: 0, if it can.
    pub(crate) fn empty(&self) -> i64 {
        0.clamp(self.least, self.greatest.max(self.least))
    }

    /// Whether a value lies in the range.
    pub fn contains(&self, value: i64) -> bool {
        (self.least..=self.greatest).contains(&value)
    }
}

impl Effect {
    /// Stores a value in a slot or, given a [`Place`], in an element of an array.
    pub fn assign(place: impl Into<Place>, value: impl Into<Expr>) -> Self {
        Self::Assign {
            place: place.into(),
            value: value.into(),
        }
    }
}

impl Place {
    /// An element of an array.
    pub fn element(array: ArrayId, index: impl Into<Expr>) -> Self {
        Self::Element(array, index.into())
    }
}

impl From<SlotId> for Place {
    fn from(slot: SlotId) -> Self {
        Self::Slot(slot)
    }
}

impl Program {
    /// The name of the program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it was made from.
    pub fn text(&self) -> &SourceText {
        &self.text
    }

    /// All slots; the index is the [`SlotId`].
    pub fn slots(&self) -> &[SlotDecl] {
        &self.slots
    }

    /// All arrays.
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }

    /// All channels.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// All processes.
    pub fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// All actions; the index is the [`ActionId`].
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The same program, which goes on after errors: a step that fails is left out. A state that has no other steps leads
    /// to an *error state*, which is the state itself with one more slot, `error`, set to true; nothing leaves it.
    #[must_use]
    pub fn with_error_states(mut self) -> Self {
        let slot = SlotId(u32::try_from(self.slots.len()).expect("below 2^32 slots"));
        self.slots.push(SlotDecl {
            name: "error".into(),
            kind: SlotType::boolean(),
            initial: 0,
            owner: None,
            span: Span::default(),
        });
        self.error = Some(slot);
        self
    }

    /// When a state without steps is a proper end and no deadlock, if ever.
    pub fn end(&self) -> Option<&Expr> {
        self.end.as_ref()
    }

    /// Whether it goes on after errors.
    pub fn has_error_states(&self) -> bool {
        self.error.is_some()
    }

    /// A slot.
    pub fn slot(&self, id: SlotId) -> &SlotDecl {
        &self.slots[id.0 as usize]
    }

    /// An array.
    pub fn array(&self, id: ArrayId) -> &Array {
        &self.arrays[id.0 as usize]
    }

    /// A channel.
    pub fn channel(&self, id: ChannelId) -> &Channel {
        &self.channels[id.0 as usize]
    }

    /// A process.
    pub fn process(&self, id: ProcessId) -> &Process {
        &self.processes[id.0 as usize]
    }

    /// An action.
    pub fn action(&self, id: ActionId) -> &Action {
        &self.actions[id.0 as usize]
    }

    /// Every assertion with the process and the location where it must hold.
    pub fn assertions(&self) -> impl Iterator<Item = (ProcessId, LocationId, &Assertion)> {
        let processes = (0..).map(ProcessId).zip(&self.processes);
        processes.flat_map(|(process, declared)| {
            let locations = (0..).map(LocationId).zip(&declared.locations);
            locations.flat_map(move |(location, declared)| {
                let assertions = declared.assertions.iter();
                assertions.map(move |assertion| (process, location, assertion))
            })
        })
    }
}

impl Process {
    /// A location.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.0 as usize]
    }
}

impl Array {
    /// The slots of all elements.
    pub fn elements(&self) -> impl Iterator<Item = SlotId> + use<> {
        (self.first.0..self.first.0 + self.length).map(SlotId)
    }

    /// The slot of one element, if it exists.
    pub fn element(&self, index: i64) -> Option<SlotId> {
        let index = u32::try_from(index).ok()?;
        (index < self.length).then(|| SlotId(self.first.0 + index))
    }
}
