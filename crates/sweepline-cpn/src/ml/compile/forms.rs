//! Matching: rows of forms, tried one after the other.

use crate::ml::code::Op;
use crate::ml::compile::{Compiler, Place, number};
use crate::ml::core::{At, Core, Form, Local, Match, Otherwise};

impl Compiler<'_> {
    /// The first row that fits decides which body is next.
    pub(super) fn rows(&mut self, rows: &Match, mut body: impl FnMut(&mut Self, &Core)) {
        let used = self.used;
        let subjects: Vec<u32> = rows
            .subjects
            .iter()
            .map(|subject| self.subject(subject))
            .collect();
        let mut ends = Vec::new();
        for (forms, result) in &rows.rows {
            let mut misses = Vec::new();
            let inner = self.used;
            for (slot, form) in subjects.iter().zip(forms) {
                self.form(*slot, form, &mut misses);
            }
            body(self, result);
            self.used = inner;
            ends.push(self.hole(Op::Jump(0)));
            self.land_all(misses);
        }
        match rows.otherwise {
            Otherwise::Match => self.ops.push(Op::RaiseMatch),
            Otherwise::Bind => self.ops.push(Op::RaiseBind),
            Otherwise::Again => self.ops.extend([Op::Local(subjects[0]), Op::Raise]),
        }
        self.land_all(ends);
        self.used = used;
    }

    /// The local in which a subject is, perhaps because it is put there.
    fn subject(&mut self, subject: &Core) -> u32 {
        if let Core::Local(local) = subject
            && let Some(Place::Slot(slot)) = self.places.get(local)
        {
            return *slot;
        }
        self.value(subject, false);
        let slot = self.slot();
        self.ops.push(Op::Store(slot));
        slot
    }

    /// Looks whether a local has a form, and binds names.
    fn form(&mut self, slot: u32, form: &Form, misses: &mut Vec<usize>) {
        match form {
            Form::Any => {}
            Form::Bind(local) => self.bind(*local, slot),
            Form::Both(local, inner) => {
                self.bind(*local, slot);
                self.form(slot, inner, misses);
            }
            Form::Value(value) => {
                let small = value.as_int().and_then(|value| i32::try_from(value).ok());
                let op = match small {
                    Some(small) => Op::UnlessSmall(slot, small, 0),
                    None => Op::UnlessConstant(slot, self.machine.add_constant(*value), 0),
                };
                misses.push(self.hole(op));
            }
            Form::Constant(constant) => {
                misses.push(self.hole(Op::UnlessConstant(slot, *constant, 0)));
            }
            Form::Fields(parts) => {
                for (at, part) in parts {
                    let position = match at {
                        At::Known(position) => *position,
                        At::Slot(slot) => self.positions[slot.0 as usize],
                    };
                    self.part(slot, position, part, misses);
                }
            }
            Form::Construct(tag, argument) => {
                misses.push(self.hole(Op::UnlessTag(slot, *tag, 0)));
                self.part(slot, 1, argument, misses);
            }
            Form::Cons(both) => {
                misses.push(self.hole(Op::UnlessStored(slot, 0)));
                self.part(slot, 0, &both[0], misses);
                self.part(slot, 1, &both[1], misses);
            }
        }
    }

    fn bind(&mut self, local: Local, slot: u32) {
        self.places.insert(local, Place::Slot(slot));
    }

    /// Looks at a field, unless it does not matter.
    fn part(&mut self, slot: u32, position: usize, form: &Form, misses: &mut Vec<usize>) {
        if matches!(form, Form::Any) {
            return;
        }
        let position = number(position);
        let part = self.slot();
        self.ops
            .extend([Op::LocalField(slot, position), Op::Store(part)]);
        self.form(part, form, misses);
    }
}
