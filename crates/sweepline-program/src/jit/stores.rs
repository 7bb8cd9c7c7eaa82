//! Code for effects.

use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::expressions::Emitter;
use crate::lower::{Check, Elements, Field, Node, Queue, Store, Target};

impl Emitter<'_> {
    /// Changes words as an effect does. `record` is where they will be written.
    pub(super) fn effect(&mut self, effect: &Store, record: Value) {
        self.record = Some(record);
        match effect {
            Store::Constant(field, bits) => {
                let bits = self.constant((bits << field.shift).cast_signed());
                self.insert(*field, bits);
            }
            Store::Assign(target, value, check) => {
                let value = self.value(value);
                self.assign(target, *check, value, record);
            }
            Store::Push(values, queue) => self.push(values, queue, record),
            Store::Pop(targets, queue) => self.pop(targets, queue, record),
        }
    }

    fn assign(&mut self, target: &Target, check: Check, value: Value, record: Value) {
        match target {
            Target::Field(field, _) => {
                let bits = self.encode(value, check, *field);
                self.set(*field, bits);
            }
            Target::Element(elements, index, safe) => {
                let index = self.value(index);
                self.check_index(elements, index, *safe);
                let bits = self.encode(value, check, elements.fields[0]);
                self.set_element(elements, index, bits, record);
            }
        }
    }

    /// The bits that mean a value, if it fits.
    fn encode(&mut self, value: Value, check: Check, field: Field) -> Value {
        let mut bits = value;
        if field.least != 0 {
            let least = self.constant(field.least);
            bits = self.builder.ins().isub(value, least);
        }
        let last = match check {
            Check::Fits => return bits,
            Check::Wrap { range, .. }
                if range.least == field.least && field.raw(range.greatest) == field.mask =>
            {
                let mask = self.constant(field.mask.cast_signed());
                return self.builder.ins().band(bits, mask);
            }
            // Ranges of other sizes wrap so rarely that the interpreter may do it.
            Check::Range(fits) | Check::Wrap { fits, .. } => field.raw(fits.greatest),
        };
        let inside = self.compare(IntCC::UnsignedLessThanOrEqual, bits, last.cast_signed());
        self.require(inside);
        bits
    }

    /// Sets a field to bits that fit.
    fn set(&mut self, field: Field, bits: Value) {
        let mut moved = bits;
        if field.shift > 0 {
            let shift = self.constant(i64::from(field.shift));
            moved = self.builder.ins().ishl(bits, shift);
        }
        self.insert(field, moved);
    }

    /// Sets a field to bits that are in their place already.
    fn insert(&mut self, field: Field, moved: Value) {
        let word = self.words[&field.word];
        let mask = self.constant((!(field.mask << field.shift)).cast_signed());
        let rest = self.builder.ins().band(word, mask);
        let word = self.builder.ins().bor(rest, moved);
        self.change(field.word, word);
    }

    fn change(&mut self, word: u32, value: Value) {
        self.words.insert(word, value);
        self.changed.insert(word);
    }

    fn set_element(&mut self, elements: &Elements, index: Value, bits: Value, record: Value) {
        let first = elements.fields[0];
        if elements.one_word {
            let shift = self.shift_in_word(elements, index);
            let word = self.merge(self.words[&first.word], first, bits, shift);
            return self.change(first.word, word);
        }
        self.spill(elements, record);
        let (address, shift) = self.locate(elements, index, record);
        let word = self.load_word(address, 0);
        let word = self.merge(word, first, bits, shift);
        self.store_word(word, address, 0);
        for word in elements.words() {
            let value = self.load_word(record, word);
            self.change(word, value);
        }
    }

    fn merge(&mut self, word: Value, field: Field, bits: Value, shift: Value) -> Value {
        let mask = self.constant(field.mask.cast_signed());
        let mask = self.builder.ins().ishl(mask, shift);
        let moved = self.builder.ins().ishl(bits, shift);
        let rest = self.builder.ins().band_not(word, mask);
        self.builder.ins().bor(rest, moved)
    }

    /// Writes the present words of an array into the record, for computed indices.
    pub(super) fn spill(&mut self, elements: &Elements, record: Value) {
        for word in elements.words() {
            let value = match self.words.get(&word) {
                Some(value) => *value,
                None => self.load_word(self.state, word),
            };
            self.store_word(value, record, word);
        }
    }

    fn push(&mut self, values: &[(Node, Check)], queue: &Queue, record: Value) {
        let length = self.bits(queue.length);
        let room = queue.room().cast_signed();
        let room = self.compare(IntCC::UnsignedLessThan, length, room);
        self.require(room);
        let message = values.iter().zip(&queue.fields);
        let message: Vec<_> = message
            .map(|((value, check), field)| {
                let value = self.value(value);
                (self.encode(value, *check, field.fields[0]), field)
            })
            .collect();
        for (bits, field) in message {
            self.set_element(field, length, bits, record);
        }
        let one = self.constant(1);
        let longer = self.builder.ins().iadd(length, one);
        self.set(queue.length, longer);
    }

    fn pop(&mut self, targets: &[Option<(Target, Check)>], queue: &Queue, record: Value) {
        let length = self.bits(queue.length);
        let some = self.compare(IntCC::NotEqual, length, 0);
        self.require(some);
        for (target, field) in targets.iter().zip(&queue.fields) {
            if let Some((target, check)) = target {
                let head = self.value(&Node::Read(field.fields[0]));
                self.assign(target, *check, head, record);
            }
        }
        for field in &queue.fields {
            self.advance(field);
        }
        let length = self.bits(queue.length);
        let one = self.constant(1);
        let shorter = self.builder.ins().isub(length, one);
        self.set(queue.length, shorter);
    }

    /// Moves every element of an array one place to the front.
    fn advance(&mut self, elements: &Arc<Elements>) {
        if elements.one_word && elements.length() > 1 {
            let region = elements.region();
            let bits = self.bits(region);
            let by = self.constant(i64::from(elements.bits));
            let mut bits = self.builder.ins().ushr(bits, by);
            if elements.empty > 0 {
                let last = elements.empty << (elements.bits * (elements.length() - 1));
                let last = self.constant(last.cast_signed());
                bits = self.builder.ins().bor(bits, last);
            }
            return self.set(region, bits);
        }
        for pair in elements.fields.windows(2) {
            let bits = self.bits(pair[1]);
            self.set(pair[0], bits);
        }
        if let Some(last) = elements.fields.last() {
            let empty = self.constant((elements.empty << last.shift).cast_signed());
            self.insert(*last, empty);
        }
    }
}

impl Elements {
    /// The words that hold elements.
    pub(super) fn words(&self) -> impl Iterator<Item = u32> + use<> {
        let last = self.fields.last().map_or(0, |field| field.word);
        self.fields[0].word..=last
    }
}

impl Store {
    /// Calls `visit` with every word this effect reads or changes in registers.
    pub(super) fn words(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Constant(field, _) => visit(field.word),
            Self::Assign(target, value, _) => {
                value.words(visit);
                target.words(visit);
            }
            Self::Push(values, queue) => {
                for (value, _) in values {
                    value.words(visit);
                }
                queue.words(visit);
            }
            Self::Pop(targets, queue) => {
                for (target, _) in targets.iter().flatten() {
                    target.words(visit);
                }
                queue.words(visit);
            }
        }
    }
}

impl Target {
    fn words(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Field(field, _) => visit(field.word),
            Self::Element(elements, index, _) => {
                index.words(visit);
                elements.words().for_each(visit);
            }
        }
    }
}

impl Queue {
    fn words(&self, visit: &mut impl FnMut(u32)) {
        visit(self.length.word);
        for field in &self.fields {
            field.words().for_each(&mut *visit);
        }
    }
}
