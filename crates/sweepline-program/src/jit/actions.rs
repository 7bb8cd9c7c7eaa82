//! Code for processes and their actions.

use std::ops::Range;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, FuncRef, InstBuilder, Value, types};
use cranelift_frontend::{Switch, Variable};
use sweepline_core::ActionId;

use super::expressions::{Emitter, plain};
use crate::lower::{Lowered, LoweredAction, LoweredLocation, LoweredProcess};

/// Which actions are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// All of them.
    All,
    /// Those that involve a process in a committed location.
    Urgent,
}

impl Mode {
    /// The actions that are tried at a location.
    pub(super) fn chosen(self, location: &LoweredLocation) -> &[ActionId] {
        match self {
            Self::All => &location.actions,
            Self::Urgent => &location.urgent,
        }
    }
}

/// Some locations of a process: a process that is too large for one function is compiled to several.
#[derive(Clone)]
pub(super) struct Part<'l> {
    pub(super) process: &'l LoweredProcess,
    pub(super) locations: Range<usize>,
}

/// The frame of a successor function: where the next step is written.
pub(super) struct Frame<'e, 'b> {
    emitter: &'e mut Emitter<'b>,
    state: Value,
    /// Address of the first action.
    start: Value,
    /// Address of the next record.
    record: Variable,
    /// Address of the next action.
    action: Variable,
}

impl<'e, 'b> Frame<'e, 'b> {
    /// A frame for a function with these arguments: state, records, actions.
    pub(super) fn new(emitter: &'e mut Emitter<'b>, arguments: &[Value]) -> Self {
        let record = emitter.builder.declare_var(types::I64);
        let action = emitter.builder.declare_var(types::I64);
        emitter.builder.def_var(record, arguments[1]);
        emitter.builder.def_var(action, arguments[2]);
        Self {
            emitter,
            state: arguments[0],
            start: arguments[2],
            record,
            action,
        }
    }

    /// Returns the number of steps.
    pub(super) fn finish(self) {
        let end = self.emitter.builder.use_var(self.action);
        let bytes = self.emitter.builder.ins().isub(end, self.start);
        let two = self.emitter.constant(2);
        let count = self.emitter.builder.ins().ushr(bytes, two);
        self.emitter.builder.ins().return_(&[count]);
    }

    /// Calls other such functions and returns the number of steps of all of them.
    pub(super) fn call_all(self, functions: &[FuncRef]) {
        for function in functions {
            let record = self.emitter.builder.use_var(self.record);
            let action = self.emitter.builder.use_var(self.action);
            let arguments = [self.state, record, action];
            let call = self.emitter.builder.ins().call(*function, &arguments);
            let count = self.emitter.builder.inst_results(call)[0];
            let good = self
                .emitter
                .compare(IntCC::SignedGreaterThanOrEqual, count, 0);
            self.emitter.require(good);
            let stride = self.emitter.constant(stride(self.emitter.width));
            let bytes = self.emitter.builder.ins().imul(count, stride);
            let record = self.emitter.builder.ins().iadd(record, bytes);
            self.emitter.builder.def_var(self.record, record);
            let two = self.emitter.constant(2);
            let bytes = self.emitter.builder.ins().ishl(count, two);
            let action = self.emitter.builder.ins().iadd(action, bytes);
            self.emitter.builder.def_var(self.action, action);
        }
        self.finish();
    }

    /// The steps of one process at some of its locations: a jump by where it is.
    pub(super) fn process(&mut self, lowered: &Lowered, part: &Part<'_>, mode: Mode) {
        let process = part.process;
        let end = self.emitter.builder.create_block();
        // If there are bits that mean no location, whoever has them is left to the interpreter; one part asks for all.
        let asks = part.locations.start == 0 && process.has_spare_bits();
        let elsewhere = if asks { self.emitter.give_up } else { end };
        let mut switch = Switch::new();
        let mut places = Vec::new();
        for (location, index) in process.locations.iter().zip(0..) {
            let here = usize::try_from(index).is_ok_and(|index| part.locations.contains(&index));
            let idle = mode.chosen(location).is_empty() && location.assertions.is_empty();
            if here && !idle {
                let block = self.emitter.builder.create_block();
                switch.set_entry(index, block);
                places.push((location, block));
            } else if elsewhere != end {
                switch.set_entry(index, end);
            }
        }
        self.emitter.words.clear();
        self.emitter.load(process.location.word);
        let here = self.emitter.bits(process.location);
        switch.emit(&mut self.emitter.builder, here, elsewhere);
        for (location, block) in places {
            self.location(lowered, location, block, mode);
            self.emitter.builder.ins().jump(end, &[]);
        }
        self.emitter.builder.switch_to_block(end);
    }

    fn location(
        &mut self,
        lowered: &Lowered,
        location: &LoweredLocation,
        block: Block,
        mode: Mode,
    ) {
        self.emitter.builder.switch_to_block(block);
        self.emitter.words.clear();
        for assertion in &location.assertions {
            self.emitter.load_all(assertion);
            let value = self.emitter.value(assertion);
            let holds = self.emitter.compare(IntCC::NotEqual, value, 0);
            self.emitter.require(holds);
        }
        for action in mode.chosen(location) {
            self.action(&lowered.actions[action.0 as usize], *action);
        }
    }

    fn action(&mut self, action: &LoweredAction, id: ActionId) {
        // What is loaded here stays known for the actions after this one; what effects change does not.
        self.load_words_of(action);
        let known = self.emitter.words.clone();
        let [enabled, end] = [(); 2].map(|()| self.emitter.builder.create_block());
        if let Some((location, source)) = action.partner {
            let there = self.emitter.is(location, source);
            let next = self.emitter.builder.create_block();
            let ins = self.emitter.builder.ins();
            ins.brif(there, next, &[], end, &[]);
            self.emitter.builder.switch_to_block(next);
        }
        self.emitter.branch(&action.guard, enabled, end);
        self.emitter.builder.switch_to_block(enabled);
        let record = self.emitter.builder.use_var(self.record);
        for effect in &action.effects {
            self.emitter.effect(effect, record);
        }
        self.write(record, id);
        self.emitter.builder.ins().jump(end, &[]);
        self.emitter.builder.switch_to_block(end);
        self.emitter.words = known;
        self.emitter.changed.clear();
    }

    fn load_words_of(&mut self, action: &LoweredAction) {
        if let Some((location, _)) = action.partner {
            self.emitter.load(location.word);
        }
        self.emitter.load_all(&action.guard);
        for effect in &action.effects {
            effect.words(&mut |word| self.emitter.load(word));
        }
    }

    /// Writes the record and the action, and advances.
    fn write(&mut self, record: Value, id: ActionId) {
        let width = u32::try_from(self.emitter.width).expect("a state has fewer than 2^28 words");
        for word in 0..width {
            let value = match self.emitter.words.get(&word) {
                Some(value) => *value,
                None => self.emitter.load_word(self.state, word),
            };
            self.emitter.store_word(value, record, word);
        }
        let stride = self.emitter.constant(stride(self.emitter.width));
        let next = self.emitter.builder.ins().iadd(record, stride);
        self.emitter.builder.def_var(self.record, next);

        let place = self.emitter.builder.use_var(self.action);
        let ins = self.emitter.builder.ins();
        let number = ins.iconst(types::I32, i64::from(id.0));
        let ins = self.emitter.builder.ins();
        ins.store(plain(), number, place, 0);
        let four = self.emitter.constant(4);
        let next = self.emitter.builder.ins().iadd(place, four);
        self.emitter.builder.def_var(self.action, next);
    }
}

/// Bytes of a record.
fn stride(width: usize) -> i64 {
    i64::try_from(width * 8).expect("a state has fewer than 2^28 words")
}
