//! Programs over bits: names resolved to places in words, and checks left out where they cannot fail.
//!
//! Both back ends work on this form, so they agree on what has to be checked. A check is left out only if it cannot fail
//! whatever bits the words of a state have: that a value never occurs in a reachable state is no reason, since nobody
//! promises that a state was reached.

mod layout;
mod tree;

pub(crate) use layout::layout_of;
pub(crate) use tree::{Check, Elements, Field, Node, Queue, Store, Target, apply};

use std::sync::Arc;

use sweepline_core::{ActionId, Layout, Limits, SlotId, StopReason, Word};

use crate::budget::Budget;
use crate::interval::{Interval, Operate};
use crate::ir::{
    Action, ArrayId, BinaryOp, ChannelId, Effect, Expr, LocationId, Overflow, Place, ProcessId,
    Program, UnaryOp,
};

/// A program whose names are resolved.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    pub(crate) actions: Vec<LoweredAction>,
    pub(crate) processes: Vec<LoweredProcess>,
    /// Whether some location is committed.
    pub(crate) has_committed: bool,
    /// Set in error states, which have no steps.
    #[cfg(feature = "jit")]
    pub(crate) error: Option<Field>,
}

/// A process by location.
#[derive(Clone, Debug)]
pub(crate) struct LoweredProcess {
    pub(crate) location: Field,
    pub(crate) locations: Vec<LoweredLocation>,
}

#[cfg(feature = "jit")]
impl LoweredProcess {
    /// Whether the slot of the location can hold a number that is none.
    pub(crate) fn has_spare_bits(&self) -> bool {
        let last = self.locations.len() - 1;
        Word::try_from(last).is_ok_and(|last| last < self.location.mask)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct LoweredLocation {
    pub(crate) committed: bool,
    pub(crate) assertions: Vec<Node>,
    /// The actions the process owns here.
    pub(crate) actions: Vec<ActionId>,
    /// Those of them that involve a process in a committed location.
    pub(crate) urgent: Vec<ActionId>,
}

#[derive(Clone, Debug)]
pub(crate) struct LoweredAction {
    /// Where the second process must be.
    pub(crate) partner: Option<(Field, Word)>,
    pub(crate) guard: Node,
    pub(crate) effects: Vec<Store>,
}

impl Lowered {
    pub(crate) fn new(
        program: &Program,
        layout: &Layout,
        limits: &Limits,
    ) -> Result<Self, StopReason> {
        let lowering = Lowering::new(program, layout);
        let mut budget = Budget::new(
            limits,
            256 * (layout.slots().len() + program.actions().len()),
        );
        let actions = program.actions().iter().map(|action| {
            budget.spend(16 * (1 + action.effects.len()))?;
            Ok(lowering.action(action))
        });
        let actions = actions.collect::<Result<_, StopReason>>()?;
        let processes = (0..program.processes().len()).map(|process| lowering.process(process));
        let processes: Vec<_> = processes.collect();
        let mut locations = processes.iter().flat_map(|process| &process.locations);
        Ok(Self {
            actions,
            has_committed: locations.any(|location| location.committed),
            #[cfg(feature = "jit")]
            error: program.error.map(|error| lowering.field(error)),
            processes,
        })
    }
}

/// Resolves names.
pub(crate) struct Lowering<'p> {
    program: &'p Program,
    fields: Vec<Field>,
    arrays: Vec<Arc<Elements>>,
    /// The actions that a process owns at each location.
    owned: Vec<Vec<Vec<ActionId>>>,
}

impl<'p> Lowering<'p> {
    pub(crate) fn new(program: &'p Program, layout: &Layout) -> Self {
        let fields: Vec<_> = layout.slots().iter().map(Field::of).collect();
        let arrays = program.arrays().iter().zip(0..).map(|(array, id)| {
            let first = array.first.0 as usize;
            let fields = &fields[first..first + array.length as usize];
            let initial = program.slot(array.first).initial;
            Arc::new(Elements::new(ArrayId(id), array.first, fields, initial))
        });
        Self {
            program,
            arrays: arrays.collect(),
            owned: owned(program),
            fields,
        }
    }

    fn process(&self, index: usize) -> LoweredProcess {
        let process = &self.program.processes()[index];
        let locations = process.locations.iter().zip((0..).map(LocationId));
        LoweredProcess {
            location: self.field(process.location),
            locations: locations
                .map(|(location, id)| {
                    let actions = self.owned[index][id.0 as usize].clone();
                    let urgent = actions.iter().copied();
                    LoweredLocation {
                        committed: location.flags.committed,
                        assertions: location
                            .assertions
                            .iter()
                            .map(|assertion| self.expr(&assertion.condition).0)
                            .collect(),
                        urgent: urgent.filter(|action| self.is_urgent(*action)).collect(),
                        actions,
                    }
                })
                .collect(),
        }
    }

    fn is_urgent(&self, action: ActionId) -> bool {
        let moves = &self.program.action(action).moves;
        moves.iter().any(|step| {
            let process = self.program.process(step.process);
            process.location(step.source).flags.committed
        })
    }

    fn action(&self, action: &Action) -> LoweredAction {
        let partner = action.moves.get(1).map(|step| {
            let location = self.program.process(step.process).location;
            (self.field(location), Word::from(step.source.0))
        });
        let mut effects: Vec<_> = action.effects.iter().map(|e| self.effect(e)).collect();
        for step in &action.moves {
            if step.source != step.target {
                let field = self.field(self.program.process(step.process).location);
                effects.push(Store::Constant(field, Word::from(step.target.0)));
            }
        }
        LoweredAction {
            partner,
            guard: self.expr(&action.guard).0,
            effects,
        }
    }

    fn effect(&self, effect: &Effect) -> Store {
        match effect {
            Effect::Assign { place, value } => {
                let (value, values) = self.expr(value);
                let (target, check) = self.target(place, values);
                match (&target, &value, check) {
                    (Target::Field(field, _), Node::Constant(value), Check::Fits) => {
                        Store::Constant(*field, field.raw(*value))
                    }
                    _ => Store::Assign(target, value, check),
                }
            }
            Effect::Push { channel, values } => {
                let queue = self.queue(*channel);
                let lowered = values.iter().zip(&queue.fields).map(|(value, field)| {
                    let (value, values) = self.expr(value);
                    (value, self.check(field.first, values))
                });
                Store::Push(lowered.collect(), queue)
            }
            Effect::Pop { channel, places } => {
                let queue = self.queue(*channel);
                let lowered = places.iter().zip(&queue.fields).map(|(place, field)| {
                    let values = self.values(field.first);
                    place.as_ref().map(|place| self.target(place, values))
                });
                Store::Pop(lowered.collect(), queue)
            }
        }
    }

    /// Where a place is, and what must be checked when one of `values` is stored there.
    fn target(&self, place: &Place, values: Interval) -> (Target, Check) {
        match place {
            Place::Slot(slot) => {
                let target = Target::Field(self.field(*slot), *slot);
                (target, self.check(*slot, values))
            }
            Place::Element(array, index) => {
                let elements = &self.arrays[array.0 as usize];
                let target = match self.index(elements, index) {
                    Index::Known(slot) => Target::Field(self.field(slot), slot),
                    Index::Computed(index, safe) => {
                        Target::Element(Arc::clone(elements), Box::new(index), safe)
                    }
                };
                (target, self.check(elements.first, values))
            }
        }
    }

    /// An expression, and the values it can have.
    pub(crate) fn expr(&self, expr: &Expr) -> (Node, Interval) {
        match expr {
            Expr::Constant(value) => (Node::Constant(*value), Interval::point(*value)),
            Expr::Slot(slot) => (Node::Read(self.field(*slot)), self.values(*slot)),
            Expr::Element(array, index) => {
                let elements = &self.arrays[array.0 as usize];
                let node = match self.index(elements, index) {
                    Index::Known(slot) => Node::Read(self.field(slot)),
                    Index::Computed(index, safe) => {
                        Node::Element(Arc::clone(elements), Box::new(index), safe)
                    }
                };
                (node, self.values(elements.first))
            }
            Expr::Unary(op, operand) => self.unary(*op, operand),
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::Conditional(condition, then, otherwise) => {
                let (condition, _) = self.expr(condition);
                let ((then, left), (otherwise, right)) = (self.expr(then), self.expr(otherwise));
                let branches = Box::new([condition, then, otherwise]);
                (Node::Conditional(branches), left.join(right))
            }
            Expr::At(process, location) => self.at(*process, *location),
            Expr::Length(channel) => {
                let length = self.program.channel(*channel).length;
                (Node::Read(self.field(length)), self.values(length))
            }
            Expr::Full(channel) => {
                let channel = self.program.channel(*channel);
                self.is(channel.length, Word::from(channel.capacity))
            }
            Expr::Empty(channel) => self.is(self.program.channel(*channel).length, 0),
            Expr::Front(channel, component) => {
                let queue = self.queue(*channel);
                let head = queue.fields[*component as usize].first;
                let node = Node::Front(queue.length, self.field(head), *channel);
                (node, self.values(head))
            }
        }
    }

    fn unary(&self, op: UnaryOp, operand: &Expr) -> (Node, Interval) {
        let (operand, values) = self.expr(operand);
        let (results, fails) = values.unary(op);
        (Node::Unary(op, Box::new(operand), !fails), results)
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> (Node, Interval) {
        let ((left, left_values), (right, right_values)) = (self.expr(left), self.expr(right));
        let (results, fails) = left_values.binary(op, right_values);
        let node = match (op, &left, &right) {
            // Comparing the bits of a field with those of a constant takes no shift.
            (BinaryOp::Equal, Node::Read(field), Node::Constant(value))
            | (BinaryOp::Equal, Node::Constant(value), Node::Read(field))
                if field.holds(*value) =>
            {
                Node::Is(*field, field.raw(*value))
            }
            (_, Node::Constant(left), Node::Constant(right)) if !fails => {
                Node::Constant(tree::apply(op, *left, *right))
            }
            _ => Node::Binary(op, Box::new([left, right]), !fails),
        };
        (node, results)
    }

    fn at(&self, process: ProcessId, location: LocationId) -> (Node, Interval) {
        let process = self.program.process(process);
        self.is(process.location, Word::from(location.0))
    }

    fn is(&self, slot: SlotId, raw: Word) -> (Node, Interval) {
        let field = self.field(slot);
        if raw > field.mask {
            return (Node::Constant(0), Interval::point(0));
        }
        (Node::Is(field, raw), Interval::new(0, 1))
    }

    fn index(&self, elements: &Elements, index: &Expr) -> Index {
        let (index, values) = self.expr(index);
        let last = i64::from(elements.length()) - 1;
        match index {
            Node::Constant(index) if (0..=last).contains(&index) => {
                let index = u32::try_from(index).expect("it is an index of the array");
                Index::Known(SlotId(elements.first.0 + index))
            }
            _ => Index::Computed(index, values.within(Interval::new(0, last))),
        }
    }

    fn queue(&self, id: ChannelId) -> Queue {
        let channel = self.program.channel(id);
        let fields = channel.fields.iter();
        Queue {
            id,
            length: self.field(channel.length),
            capacity: channel.capacity,
            fields: fields
                .map(|field| Arc::clone(&self.arrays[field.0 as usize]))
                .collect(),
        }
    }

    fn field(&self, slot: SlotId) -> Field {
        self.fields[slot.0 as usize]
    }

    /// The values a slot can have, whatever the words are.
    fn values(&self, slot: SlotId) -> Interval {
        self.field(slot).readable()
    }

    /// What must be checked when one of `values` is stored in a slot.
    fn check(&self, slot: SlotId, values: Interval) -> Check {
        let kind = &self.program.slot(slot).kind;
        let room = self.field(slot).room();
        let range = Interval::new(kind.least, kind.greatest);
        let fits = range.meet(room).unwrap_or(room);
        match kind.overflow {
            _ if values.within(fits) => Check::Fits,
            Overflow::Error => Check::Range(fits),
            Overflow::Wrap => Check::Wrap { range, fits },
        }
    }
}

/// The actions that a process owns at each of its locations.
fn owned(program: &Program) -> Vec<Vec<Vec<ActionId>>> {
    let processes = program.processes().iter();
    let mut owned: Vec<_> = processes
        .map(|process| vec![Vec::new(); process.locations.len()])
        .collect();
    for (id, action) in (0..).map(ActionId).zip(program.actions()) {
        let owner = &action.moves[0];
        owned[owner.process.0 as usize][owner.source.0 as usize].push(id);
    }
    owned
}

enum Index {
    Known(SlotId),
    /// An index, and whether it is always in bounds.
    Computed(Node, bool),
}
