//! Functions and calls.
//!
//! A function that is made inside another one captures what it uses from there. Functions that call each other capture the
//! same things, all that any of them uses, so that they can call each other with what they have.

use std::collections::{BTreeSet, HashMap};

use crate::ml::Machine;
use crate::ml::code::{Function, Op};
use crate::ml::compile::{Compiler, Outer, Place, number};
use crate::ml::core::{Core, Form, FunctionId, Lambda, Local};

/// Compiles functions of the top level, whose numbers are known already.
pub(crate) fn top_level(
    machine: &mut Machine,
    positions: &[usize],
    outer: &HashMap<Local, Outer>,
    functions: &[(FunctionId, &Lambda)],
) {
    for (id, lambda) in functions {
        let compiler = Compiler::new(machine, positions, outer);
        let function = compiler.body(lambda);
        machine.set_function(*id, function);
    }
}

impl Compiler<'_> {
    /// The body of a function, whose parameters are the first locals.
    fn body(mut self, lambda: &Lambda) -> Function {
        for parameter in &lambda.parameters {
            let slot = self.slot();
            self.places.insert(*parameter, Place::Slot(slot));
        }
        self.value(&lambda.body, true);
        Function {
            parameters: number(lambda.parameters.len()),
            unpacked: lambda.unpacked,
            code: self.finish(),
        }
    }

    /// A function as a value.
    pub(super) fn lambda(&mut self, lambda: &Lambda) {
        let captures = self.captures(&[lambda], &[]);
        let id = self.machine.add_function(lambda);
        self.inner(id, lambda, &captures, &[]);
        self.environment(&captures);
        self.ops.push(Op::Closure(id));
    }

    /// Functions that may call each other, and what uses them.
    pub(super) fn group(&mut self, group: &[(Local, Lambda)], body: impl FnOnce(&mut Self)) {
        let names: Vec<Local> = group.iter().map(|(local, _)| *local).collect();
        let lambdas: Vec<&Lambda> = group.iter().map(|(_, lambda)| lambda).collect();
        let captures = self.captures(&lambdas, &names);
        let ids: Vec<FunctionId> = lambdas
            .iter()
            .map(|lambda| self.machine.add_function(lambda))
            .collect();
        let used = self.used;
        let siblings: Vec<(Local, FunctionId)> = names.iter().copied().zip(ids).collect();
        if captures.is_empty() {
            for (local, id) in &siblings {
                self.places.insert(*local, Place::Function(*id));
            }
        }
        for ((_, id), lambda) in siblings.iter().zip(&lambdas) {
            self.inner(*id, lambda, &captures, &siblings);
        }
        if !captures.is_empty() {
            self.environment(&captures);
            let slot = self.slot();
            self.ops.push(Op::Store(slot));
            for (local, id) in &siblings {
                self.places.insert(*local, Place::With(*id, slot));
            }
        }
        body(self);
        self.used = used;
    }

    /// What functions use from outside, apart from what needs no capture.
    fn captures(&self, lambdas: &[&Lambda], group: &[Local]) -> Vec<Local> {
        let mut free = BTreeSet::new();
        for lambda in lambdas {
            free_of(lambda, &mut free);
        }
        let needed = |local: &Local| {
            let place = self.places.get(local);
            !group.contains(local)
                && !matches!(place, None | Some(Place::Function(_) | Place::Global(_)))
        };
        free.into_iter().filter(needed).collect()
    }

    /// Leaves what is captured on the stack.
    fn environment(&mut self, captures: &[Local]) {
        if captures.is_empty() {
            self.ops.push(Op::Push(crate::ml::Value::UNIT));
            return;
        }
        for local in captures {
            self.local(*local);
        }
        self.ops.push(Op::Fields(number(captures.len())));
    }

    /// Compiles a function that is made inside this one.
    fn inner(
        &mut self,
        id: FunctionId,
        lambda: &Lambda,
        captures: &[Local],
        group: &[(Local, FunctionId)],
    ) {
        let mut places: HashMap<Local, Place> = self
            .places
            .iter()
            .filter(|(_, place)| matches!(place, Place::Function(_) | Place::Global(_)))
            .map(|(local, place)| (*local, *place))
            .collect();
        places.extend(captures.iter().copied().zip((0..).map(Place::Captured)));
        if !captures.is_empty() {
            places.extend(
                group
                    .iter()
                    .map(|(local, id)| (*local, Place::Sibling(*id))),
            );
        }
        let compiler = Compiler {
            machine: &mut *self.machine,
            positions: self.positions,
            ops: Vec::new(),
            places,
            used: 0,
            most: 0,
        };
        let function = compiler.body(lambda);
        self.machine.set_function(id, function);
    }

    /// A function with its arguments, one behind the other.
    pub(super) fn apply(&mut self, core: &Core, tail: bool) {
        let mut arguments = Vec::new();
        let mut head = core;
        while let Core::Apply(function, argument) = head {
            arguments.push(&**argument);
            head = function;
        }
        arguments.reverse();
        let direct = match head {
            Core::Local(local) => self.direct(*local, &arguments, tail),
            Core::Function(id) => self.known(Place::Function(*id), *id, &arguments, tail),
            _ => None,
        };
        let done = direct.unwrap_or_else(|| {
            self.value(head, false);
            0
        });
        let last = arguments.len();
        for (number, argument) in arguments.into_iter().enumerate().skip(done) {
            self.value(argument, false);
            let end = tail && number + 1 == last;
            self.ops.push(if end { Op::TailApply } else { Op::Apply });
        }
    }

    /// Calls a function of a group. Returns how many arguments that took.
    fn direct(&mut self, local: Local, arguments: &[&Core], tail: bool) -> Option<usize> {
        let place = self.places.get(&local).copied()?;
        match place {
            Place::Function(id) | Place::With(id, _) | Place::Sibling(id) => {
                self.known(place, id, arguments, tail)
            }
            _ => None,
        }
    }

    fn known(
        &mut self,
        place: Place,
        id: FunctionId,
        arguments: &[&Core],
        tail: bool,
    ) -> Option<usize> {
        let (parameters, unpacked) = self.machine.signature(id);
        let parameters = parameters as usize;
        let (taken, parts): (usize, Vec<&Core>) = match arguments.first() {
            Some(Core::Fields(parts)) if unpacked && parts.len() == parameters => {
                (1, parts.iter().collect())
            }
            _ if !unpacked && arguments.len() >= parameters => {
                (parameters, arguments[..parameters].to_vec())
            }
            _ => return None,
        };
        for part in parts {
            self.value(part, false);
        }
        let tail = tail && taken == arguments.len();
        match place {
            Place::With(_, slot) => self.ops.extend([Op::Local(slot), Op::CallWith(id)]),
            Place::Sibling(_) if tail => self.ops.push(Op::TailSibling(id)),
            Place::Sibling(_) => self.ops.push(Op::CallSibling(id)),
            _ if tail => self.ops.push(Op::TailCall(id)),
            _ => self.ops.push(Op::Call(id)),
        }
        Some(taken)
    }
}

/// The names that a function uses from outside.
fn free_of(lambda: &Lambda, free: &mut BTreeSet<Local>) {
    let mut used = BTreeSet::new();
    let mut bound: BTreeSet<Local> = lambda.parameters.iter().copied().collect();
    lambda.body.visit(&mut |core| match core {
        Core::Local(local) => {
            used.insert(*local);
        }
        Core::Match(rows) => {
            let forms = rows.rows.iter().flat_map(|(forms, _)| forms);
            forms.for_each(|form| bound_by(form, &mut bound));
        }
        Core::Lambda(inner) => bound.extend(&inner.parameters),
        Core::Functions(all, _) => {
            for (local, inner) in all {
                bound.insert(*local);
                bound.extend(&inner.parameters);
            }
        }
        Core::Handle(parts) => {
            bound.insert(parts.1);
        }
        _ => {}
    });
    // Every binding has a number of its own, so what is bound somewhere inside is bound wherever it is used.
    free.extend(used.difference(&bound));
}

fn bound_by(form: &Form, bound: &mut BTreeSet<Local>) {
    match form {
        Form::Bind(local) => {
            bound.insert(*local);
        }
        Form::Both(local, inner) => {
            bound.insert(*local);
            bound_by(inner, bound);
        }
        Form::Fields(parts) => parts.iter().for_each(|(_, part)| bound_by(part, bound)),
        Form::Construct(_, inner) => bound_by(inner, bound),
        Form::Cons(both) => both.iter().for_each(|part| bound_by(part, bound)),
        Form::Any | Form::Value(_) | Form::Constant(_) => {}
    }
}
