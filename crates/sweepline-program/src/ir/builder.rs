//! Building programs piece by piece.

use sweepline_core::{ActionId, SlotId, SlotKind};

use super::validity::{self, ProgramError};
use super::{
    Action, Array, ArrayId, Assertion, Channel, ChannelId, Effect, Expr, Location, LocationFlags,
    LocationId, Message, Move, Process, ProcessId, Program, SlotDecl, SlotType, SourceText, Span,
};

/// Collects the parts of a program; [`build`](ProgramBuilder::build) checks them.
///
/// The order of declarations is the order of slots in a state and the order of steps.
#[derive(Clone, Debug)]
pub struct ProgramBuilder {
    program: Program,
    /// Arrays that are longer than allowed; they have no elements.
    oversized: Vec<String>,
}

/// The parts of an action that are optional.
#[derive(Debug)]
pub struct ActionBuilder<'b> {
    id: ActionId,
    action: &'b mut Action,
}

/// The most elements an array can have.
const LONGEST: usize = 1 << 16;

impl ProgramBuilder {
    /// Starts an empty program.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            program: Program {
                name: name.into(),
                text: SourceText::default(),
                slots: Vec::new(),
                arrays: Vec::new(),
                channels: Vec::new(),
                processes: Vec::new(),
                actions: Vec::new(),
                end: None,
                error: None,
            },
            oversized: Vec::new(),
        }
    }

    /// Says what the program is made from: the text that spans are about.
    #[must_use]
    pub fn from_text(mut self, text: &str) -> Self {
        self.program.text = SourceText::new(text);
        self
    }

    /// The program so far, for looking up what has been declared.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Declares a slot.
    pub fn slot(&mut self, name: impl Into<String>, kind: SlotType, initial: i64) -> SlotId {
        let id = SlotId(index(self.program.slots.len()));
        self.program.slots.push(SlotDecl {
            name: name.into(),
            kind,
            initial,
            owner: None,
            span: Span::default(),
        });
        id
    }

    /// Says where a slot is declared, and which process it belongs to.
    pub fn describe_slot(&mut self, slot: SlotId, owner: Option<ProcessId>, span: Span) {
        let slot = &mut self.program.slots[slot.0 as usize];
        (slot.owner, slot.span) = (owner, span);
    }

    /// Declares an array with these initial values, one per element.
    pub fn array(
        &mut self,
        name: impl Into<String>,
        element: &SlotType,
        initial: &[i64],
    ) -> ArrayId {
        let name = name.into();
        let id = ArrayId(index(self.program.arrays.len()));
        let first = SlotId(index(self.program.slots.len()));
        let mut initial = initial;
        if initial.len() > LONGEST {
            self.oversized.push(name.clone());
            initial = &[];
        }
        for (element_index, value) in initial.iter().enumerate() {
            self.slot(format!("{name}[{element_index}]"), element.clone(), *value);
        }
        self.program.arrays.push(Array {
            name,
            first,
            length: index(initial.len()),
            span: Span::default(),
        });
        id
    }

    /// Says where an array is declared, and which process it belongs to.
    pub fn describe_array(&mut self, array: ArrayId, owner: Option<ProcessId>, span: Span) {
        let elements = self.program.array(array).elements();
        self.program.arrays[array.0 as usize].span = span;
        for element in elements {
            self.describe_slot(element, owner, span);
        }
    }

    /// Declares a buffered channel whose messages have components of these types.
    ///
    /// The array of component `i` is called `name.i`, or just `name` if there is only one.
    pub fn channel(
        &mut self,
        name: impl Into<String>,
        components: &[SlotType],
        capacity: u32,
    ) -> ChannelId {
        let name = name.into();
        let id = ChannelId(index(self.program.channels.len()));
        let arrays = components.iter().enumerate().map(|(component, kind)| {
            let array = match components.len() {
                1 => name.clone(),
                _ => format!("{name}.{component}"),
            };
            self.array(array, kind, &vec![kind.empty(); capacity as usize])
        });
        let fields = arrays.collect();
        let length = SlotType::integer(0, i64::from(capacity));
        let length = self.slot(format!("{name}.length"), length, 0);
        self.program.channels.push(Channel {
            name,
            fields,
            length,
            capacity,
            transient: false,
            span: Span::default(),
        });
        id
    }

    /// Says that a channel is empty before and after every step, so that nobody needs to see it.
    pub fn make_transient(&mut self, channel: ChannelId) {
        self.program.channels[channel.0 as usize].transient = true;
    }

    /// Says where a channel is declared.
    pub fn describe_channel(&mut self, channel: ChannelId, span: Span) {
        let declared = &mut self.program.channels[channel.0 as usize];
        declared.span = span;
        let (fields, length) = (declared.fields.clone(), declared.length);
        self.describe_slot(length, None, span);
        for field in fields {
            self.describe_array(field, None, span);
        }
    }

    /// Declares a process without locations. It starts in its first location unless [`start`](Self::start) says
    /// otherwise.
    pub fn process(&mut self, name: impl Into<String>) -> ProcessId {
        let name = name.into();
        let id = ProcessId(index(self.program.processes.len()));
        let location = self.slot(name.clone(), SlotType::named(Vec::new()), 0);
        self.program.slots[location.0 as usize].owner = Some(id);
        self.program.processes.push(Process {
            name,
            location,
            locations: Vec::new(),
            initial: LocationId(0),
            span: Span::default(),
        });
        id
    }

    /// Says where a process is declared.
    pub fn describe_process(&mut self, process: ProcessId, span: Span) {
        let declared = &mut self.program.processes[process.0 as usize];
        declared.span = span;
        let location = declared.location;
        self.describe_slot(location, Some(process), span);
    }

    /// Adds a location to a process.
    pub fn location(&mut self, process: ProcessId, name: impl Into<String>) -> LocationId {
        let process = &mut self.program.processes[process.0 as usize];
        let id = LocationId(index(process.locations.len()));
        process.locations.push(Location {
            name: name.into(),
            flags: LocationFlags::default(),
            assertions: Vec::new(),
            span: Span::default(),
        });
        id
    }

    /// A declared location, for setting its flags, assertions and span.
    pub fn location_mut(&mut self, process: ProcessId, location: LocationId) -> &mut Location {
        &mut self.program.processes[process.0 as usize].locations[location.0 as usize]
    }

    /// Says what must hold whenever a process is at a location.
    pub fn assert(
        &mut self,
        process: ProcessId,
        location: LocationId,
        condition: Expr,
        span: Span,
    ) {
        let assertion = Assertion { condition, span };
        self.location_mut(process, location)
            .assertions
            .push(assertion);
    }

    /// Says where a process starts.
    pub fn start(&mut self, process: ProcessId, location: LocationId) {
        self.program.processes[process.0 as usize].initial = location;
    }

    /// Says when a state without steps is a proper end and no deadlock.
    pub fn end(&mut self, condition: impl Into<Expr>) {
        self.program.end = Some(condition.into());
    }

    /// Adds an action of one process, which is always enabled and does nothing until more is said.
    pub fn action(
        &mut self,
        name: impl Into<String>,
        process: ProcessId,
        source: LocationId,
        target: LocationId,
    ) -> ActionBuilder<'_> {
        let id = ActionId(index(self.program.actions.len()));
        self.program.actions.push(Action {
            name: name.into(),
            moves: vec![Move {
                process,
                source,
                target,
            }],
            guard: Expr::TRUE,
            effects: Vec::new(),
            message: None,
            span: Span::default(),
            partner_span: None,
        });
        let action = self.program.actions.last_mut();
        ActionBuilder {
            id,
            action: action.expect("an action was added just now"),
        }
    }

    /// The finished program, or the first thing that is wrong with it.
    pub fn build(mut self) -> Result<Program, ProgramError> {
        if let Some(name) = self.oversized.pop() {
            return Err(ProgramError::ArrayLength { name });
        }
        for process in &self.program.processes {
            let names = process.locations.iter().map(|place| place.name.clone());
            let names = names.collect::<Vec<_>>();
            let slot = &mut self.program.slots[process.location.0 as usize];
            slot.initial = i64::from(process.initial.0);
            slot.kind.greatest = i64::try_from(names.len()).unwrap_or(i64::MAX).max(1) - 1;
            slot.kind.kind = SlotKind::Named(names);
        }
        validity::check(&self.program)?;
        Ok(self.program)
    }
}

impl ActionBuilder<'_> {
    /// Lets a second process take part.
    #[expect(clippy::return_self_not_must_use, reason = "it changes the program")]
    pub fn with(self, process: ProcessId, source: LocationId, target: LocationId) -> Self {
        self.action.moves.push(Move {
            process,
            source,
            target,
        });
        self
    }

    /// Adds a condition; all of them must hold.
    #[expect(clippy::return_self_not_must_use, reason = "it changes the program")]
    pub fn guard(self, condition: impl Into<Expr>) -> Self {
        let before = std::mem::replace(&mut self.action.guard, Expr::TRUE);
        self.action.guard = match before {
            Expr::TRUE => condition.into(),
            before => before.and(condition),
        };
        self
    }

    /// Adds an effect after those given so far.
    #[expect(clippy::return_self_not_must_use, reason = "it changes the program")]
    pub fn effect(self, effect: Effect) -> Self {
        self.action.effects.push(effect);
        self
    }

    /// Says where the action is written.
    #[expect(clippy::return_self_not_must_use, reason = "it changes the program")]
    pub fn span(self, span: impl Into<Span>) -> Self {
        self.action.span = span.into();
        self
    }

    /// Says where the part of the second process is written.
    #[expect(clippy::return_self_not_must_use, reason = "it changes the program")]
    pub fn partner_span(self, span: impl Into<Span>) -> Self {
        self.action.partner_span = Some(span.into());
        self
    }

    /// Says what is sent or received.
    #[expect(clippy::return_self_not_must_use, reason = "it changes the program")]
    pub fn message(self, message: Message) -> Self {
        self.action.message = Some(message);
        self
    }

    /// The id of the action.
    pub fn id(&self) -> ActionId {
        self.id
    }
}

fn index(length: usize) -> u32 {
    u32::try_from(length).expect("a program has fewer than 2^32 parts of any kind")
}
