//! From [`Core`] to [`Code`].

mod emission;
mod forms;
mod functions;

pub(crate) use emission::Inscription;
pub(crate) use functions::top_level;
use std::collections::HashMap;

use crate::ml::Machine;
use crate::ml::code::{Code, Op};
use crate::ml::core::{Core, FunctionId, Local};

/// Where a name is found.
#[derive(Clone, Copy, Debug)]
enum Place {
    Slot(u32),
    Captured(u32),
    /// A function that captures nothing.
    Function(FunctionId),
    /// A function whose captures are in a local.
    With(FunctionId, u32),
    /// A function of the group whose body is being compiled.
    Sibling(FunctionId),
    /// A global value.
    Global(u32),
}

/// What the top level knows of names: functions and values of the same declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outer {
    Function(FunctionId),
    Global(u32),
}

/// Compiles one expression or the body of one function.
pub(crate) struct Compiler<'a> {
    machine: &'a mut Machine,
    /// The positions of fields.
    positions: &'a [usize],
    ops: Vec<Op>,
    places: HashMap<Local, Place>,
    /// How many locals are in use, and how many ever were.
    used: u32,
    most: u32,
}

impl<'a> Compiler<'a> {
    pub fn new(
        machine: &'a mut Machine,
        positions: &'a [usize],
        outer: &HashMap<Local, Outer>,
    ) -> Self {
        let places = outer.iter().map(|(local, outer)| {
            let place = match outer {
                Outer::Function(id) => Place::Function(*id),
                Outer::Global(global) => Place::Global(*global),
            };
            (*local, place)
        });
        Self {
            machine,
            positions,
            ops: Vec::new(),
            places: places.collect(),
            used: 0,
            most: 0,
        }
    }

    /// An expression that leaves a value.
    pub fn expression(mut self, core: &Core) -> Code {
        self.value(core, true);
        self.finish()
    }

    fn finish(mut self) -> Code {
        self.ops.push(Op::Return);
        Code {
            ops: self.ops,
            locals: self.most,
        }
    }

    fn slot(&mut self) -> u32 {
        self.used += 1;
        self.most = self.most.max(self.used);
        self.used - 1
    }

    fn here(&self) -> u32 {
        u32::try_from(self.ops.len()).expect("code is not longer than its text by much")
    }

    /// A jump whose target is not known yet.
    fn hole(&mut self, op: Op) -> usize {
        self.ops.push(op);
        self.ops.len() - 1
    }

    /// Makes a jump lead to here.
    fn land(&mut self, hole: usize) {
        let here = self.here();
        match &mut self.ops[hole] {
            Op::Jump(to)
            | Op::JumpUnless(to)
            | Op::UnlessSmall(_, _, to)
            | Op::UnlessConstant(_, _, to)
            | Op::UnlessStored(_, to)
            | Op::UnlessTag(_, _, to)
            | Op::Try(to) => *to = here,
            op => unreachable!("{op:?} does not jump"),
        }
    }

    fn land_all(&mut self, holes: Vec<usize>) {
        for hole in holes {
            self.land(hole);
        }
    }

    fn values(&mut self, all: &[Core]) {
        for core in all {
            self.value(core, false);
        }
    }

    /// Code that leaves the value on the stack. At the end of a function, calls replace it.
    fn value(&mut self, core: &Core, tail: bool) {
        match core {
            Core::Value(value) => self.ops.push(Op::Push(*value)),
            Core::Constant(constant) => self.ops.push(Op::Constant(*constant)),
            Core::Local(local) => self.local(*local),
            Core::Variable(variable) => self.ops.push(Op::Variable(variable.0)),
            Core::Global(global) => self.ops.push(Op::Global(*global)),
            Core::Function(id) => self.closure_without_captures(*id),
            Core::Primitive(primitive, arguments) => {
                self.values(arguments);
                self.ops.push(Op::Primitive(*primitive));
            }
            Core::Call(id, arguments) => {
                self.values(arguments);
                self.ops.push(if tail {
                    Op::TailCall(*id)
                } else {
                    Op::Call(*id)
                });
            }
            Core::Apply(..) => self.apply(core, tail),
            Core::Fields(parts) => {
                self.values(parts);
                self.fields(parts.len());
            }
            Core::Construct(tag, argument) => {
                self.value(argument, false);
                self.ops.push(Op::Construct(*tag));
            }
            Core::Index(colour, argument) => {
                self.value(argument, false);
                self.ops.push(Op::Index(*colour));
            }
            Core::Field(record, slot) => {
                self.value(record, false);
                let position = number(self.positions[slot.0 as usize]);
                self.ops.push(Op::Field(position));
            }
            Core::List(parts) => {
                self.values(parts);
                self.ops.push(Op::Push(crate::ml::Value::NIL));
                let pairs = std::iter::repeat_n(Op::Pair, parts.len());
                self.ops.extend(pairs);
            }
            Core::If(parts) => self.conditional(parts, |compiler, part| compiler.value(part, tail)),
            Core::Match(rows) => self.rows(rows, |compiler, body| compiler.value(body, tail)),
            Core::Lambda(lambda) => self.lambda(lambda),
            Core::Functions(group, body) => {
                self.group(group, |compiler| compiler.value(body, tail));
            }
            Core::Sequence(parts) => {
                self.sequence(parts, |compiler, last| compiler.value(last, tail));
            }
            Core::Raise(exception) => {
                self.value(exception, false);
                self.ops.push(Op::Raise);
            }
            Core::Handle(parts) => self.handled(&parts.0, parts.1, &parts.2),
            Core::Reference(reference) => self.ops.push(Op::Reference(*reference)),
        }
    }

    fn fields(&mut self, count: usize) {
        let op = match count {
            2 => Op::Pair,
            _ => Op::Fields(number(count)),
        };
        self.ops.push(op);
    }

    fn local(&mut self, local: Local) {
        match self.places.get(&local).copied() {
            Some(Place::Slot(slot)) => self.ops.push(Op::Local(slot)),
            Some(Place::Captured(number)) => self.ops.push(Op::Captured(number)),
            Some(Place::Function(id)) => self.closure_without_captures(id),
            Some(Place::With(id, slot)) => self.ops.extend([Op::Local(slot), Op::Closure(id)]),
            Some(Place::Sibling(id)) => self.ops.push(Op::Sibling(id)),
            Some(Place::Global(global)) => self.ops.push(Op::Global(global)),
            None => unreachable!("every name was bound before it was used"),
        }
    }

    fn closure_without_captures(&mut self, id: FunctionId) {
        self.ops
            .extend([Op::Push(crate::ml::Value::UNIT), Op::Closure(id)]);
    }

    fn conditional(&mut self, parts: &[Core; 3], mut branch: impl FnMut(&mut Self, &Core)) {
        self.value(&parts[0], false);
        let otherwise = self.hole(Op::JumpUnless(0));
        branch(self, &parts[1]);
        let end = self.hole(Op::Jump(0));
        self.land(otherwise);
        branch(self, &parts[2]);
        self.land(end);
    }

    fn sequence(&mut self, parts: &[Core], last: impl FnOnce(&mut Self, &Core)) {
        let Some((end, before)) = parts.split_last() else {
            return;
        };
        for part in before {
            self.value(part, false);
            self.ops.push(Op::Pop);
        }
        last(self, end);
    }

    fn handled(&mut self, tried: &Core, exception: Local, handler: &Core) {
        let handling = self.hole(Op::Try(0));
        self.value(tried, false);
        self.ops.push(Op::EndTry);
        let end = self.hole(Op::Jump(0));
        self.land(handling);
        let used = self.used;
        let slot = self.slot();
        self.places.insert(exception, Place::Slot(slot));
        self.ops.push(Op::Store(slot));
        self.value(handler, false);
        self.used = used;
        self.land(end);
    }
}

/// A position or a number of fields in an instruction.
fn number(number: usize) -> u32 {
    u32::try_from(number).expect("records are not longer than texts")
}
