//! Code for expressions.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, Variable};
use sweepline_core::Word;

use super::native::Tables;
use crate::ir::{BinaryOp, UnaryOp};
use crate::lower::{Elements, Field, LoweredProcess, Node};

/// Writes the code of one function.
///
/// Words of the state are kept in registers: `words` maps the number of a word to its present value. Effects replace
/// values in it, so that nothing is read back from memory that was just written.
pub(super) struct Emitter<'b> {
    pub(super) builder: FunctionBuilder<'b>,
    tables: &'b mut Tables,
    /// Address of the state.
    pub(super) state: Value,
    /// Words of a state.
    pub(super) width: usize,
    pub(super) words: BTreeMap<u32, Value>,
    /// Those of the words that effects have changed.
    pub(super) changed: BTreeSet<u32>,
    /// Where effects will be written.
    pub(super) record: Option<Value>,
    /// Where to go to give up.
    pub(super) give_up: Block,
}

/// What compiled code assumes of memory: addresses are valid and aligned.
pub(super) fn plain() -> MemFlagsData {
    MemFlagsData::trusted()
}

impl<'b> Emitter<'b> {
    pub(super) fn new(
        mut builder: FunctionBuilder<'b>,
        state: Value,
        width: usize,
        tables: &'b mut Tables,
    ) -> Self {
        let give_up = builder.create_block();
        builder.set_cold_block(give_up);
        Self {
            builder,
            tables,
            state,
            width,
            words: BTreeMap::new(),
            changed: BTreeSet::new(),
            record: None,
            give_up,
        }
    }

    /// Ends the function with the code for giving up.
    pub(super) fn finish(mut self, target: TargetFrontendConfig) {
        self.builder.switch_to_block(self.give_up);
        let failure = self.constant(-1);
        self.builder.ins().return_(&[failure]);
        self.builder.seal_all_blocks();
        self.builder.finalize(target);
    }

    pub(super) fn constant(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(types::I64, value)
    }

    fn word_constant(&mut self, value: Word) -> Value {
        self.constant(value.cast_signed())
    }

    pub(super) fn load_word(&mut self, address: Value, word: u32) -> Value {
        let ins = self.builder.ins();
        ins.load(types::I64, plain(), address, offset(word))
    }

    pub(super) fn store_word(&mut self, value: Value, address: Value, word: u32) {
        let ins = self.builder.ins();
        ins.store(plain(), value, address, offset(word));
    }

    /// Loads the words an expression reads, at a place that comes before all its parts.
    pub(super) fn load_all(&mut self, node: &Node) {
        node.words(&mut |word| self.load(word));
    }

    /// Loads a word of the state unless it is there.
    pub(super) fn load(&mut self, word: u32) {
        if !self.words.contains_key(&word) {
            let value = self.load_word(self.state, word);
            self.words.insert(word, value);
        }
    }

    fn word(&self, word: u32) -> Value {
        *self
            .words
            .get(&word)
            .expect("words are loaded before expressions that read them")
    }

    /// Gives up unless the condition holds.
    pub(super) fn require(&mut self, condition: Value) {
        let go_on = self.builder.create_block();
        let ins = self.builder.ins();
        ins.brif(condition, go_on, &[], self.give_up, &[]);
        self.builder.switch_to_block(go_on);
    }

    pub(super) fn compare(&mut self, how: IntCC, left: Value, right: i64) -> Value {
        let right = self.constant(right);
        self.builder.ins().icmp(how, left, right)
    }

    /// The bits of a field, not yet a value.
    pub(super) fn bits(&mut self, field: Field) -> Value {
        let word = self.word(field.word);
        self.extract(word, field)
    }

    pub(super) fn extract(&mut self, word: Value, field: Field) -> Value {
        let mut bits = word;
        if field.shift > 0 {
            let shift = self.constant(i64::from(field.shift));
            bits = self.builder.ins().ushr(bits, shift);
        }
        if field.shift + field.mask.count_ones() < Word::BITS {
            let mask = self.word_constant(field.mask);
            bits = self.builder.ins().band(bits, mask);
        }
        bits
    }

    /// Whether a field has these bits.
    pub(super) fn is(&mut self, field: Field, bits: Word) -> Value {
        let word = self.word(field.word);
        let small = field.mask <= 0x7fff_ffff && field.shift >= 31;
        if small {
            // Masks that do not fit an instruction cost more than a shift.
            let found = self.extract(word, field);
            return self.compare(IntCC::Equal, found, bits.cast_signed());
        }
        let mask = self.word_constant(field.mask << field.shift);
        let found = self.builder.ins().band(word, mask);
        let wanted = (bits << field.shift).cast_signed();
        self.compare(IntCC::Equal, found, wanted)
    }

    fn decode(&mut self, bits: Value, field: Field) -> Value {
        if field.least == 0 {
            return bits;
        }
        let least = self.constant(field.least);
        self.builder.ins().iadd(bits, least)
    }

    fn read(&mut self, field: Field) -> Value {
        let bits = self.bits(field);
        self.decode(bits, field)
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, node: &Node) -> Value {
        match node {
            Node::Constant(value) => self.constant(*value),
            Node::Read(field) => self.read(*field),
            Node::Element(elements, index, safe) => {
                let index = self.value(index);
                self.check_index(elements, index, *safe);
                self.element(elements, index)
            }
            Node::Unary(UnaryOp::Negate, operand, safe) => {
                let operand = self.value(operand);
                if !safe {
                    let fits = self.compare(IntCC::NotEqual, operand, i64::MIN);
                    self.require(fits);
                }
                self.builder.ins().ineg(operand)
            }
            Node::Unary(UnaryOp::Complement, operand, _) => {
                let operand = self.value(operand);
                self.builder.ins().bnot(operand)
            }
            Node::Binary(op, operands, safe) if comparison(*op).is_none() && !is_logic(*op) => {
                let (left, right) = (self.value(&operands[0]), self.value(&operands[1]));
                self.arithmetic(*op, left, right, *safe)
            }
            Node::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.choice(
                    condition,
                    |emitter| emitter.value(then),
                    |emitter| emitter.value(otherwise),
                )
            }
            Node::Front(length, head, _) => {
                let length = self.bits(*length);
                let some = self.compare(IntCC::NotEqual, length, 0);
                self.require(some);
                self.read(*head)
            }
            Node::Is(..) | Node::Unary(UnaryOp::Not, ..) | Node::Binary(..) => {
                self.truth_as_number(node)
            }
        }
    }

    fn truth_as_number(&mut self, node: &Node) -> Value {
        if let Some(truth) = self.simple_truth(node) {
            return self.builder.ins().uextend(types::I64, truth);
        }
        self.choice(
            node,
            |emitter| emitter.constant(1),
            |emitter| emitter.constant(0),
        )
    }

    /// A value that depends on a condition.
    fn choice(
        &mut self,
        condition: &Node,
        then: impl FnOnce(&mut Self) -> Value,
        otherwise: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let result = self.builder.declare_var(types::I64);
        let [yes, no, end] = [(); 3].map(|()| self.builder.create_block());
        self.branch(condition, yes, no);
        self.builder.switch_to_block(yes);
        let value = then(self);
        self.builder.def_var(result, value);
        self.builder.ins().jump(end, &[]);
        self.builder.switch_to_block(no);
        let value = otherwise(self);
        self.builder.def_var(result, value);
        self.builder.ins().jump(end, &[]);
        self.builder.switch_to_block(end);
        self.builder.use_var(result)
    }

    /// Conditions as two bits each: that it holds, and above it that it does not. Neither where it gives up.
    pub(super) fn truths<'n>(
        &mut self,
        conditions: impl Iterator<Item = (usize, &'n Node)>,
    ) -> Value {
        let result = self.builder.declare_var(types::I64);
        let none = self.constant(0);
        self.builder.def_var(result, none);
        for (position, node) in conditions {
            self.load_all(node);
            let end = self.builder.create_block();
            let elsewhere = std::mem::replace(&mut self.give_up, end);
            let [yes, no] = [1_u64, 2].map(|bits| bits << (2 * position));
            if let Some(truth) = self.simple_truth(node) {
                let (yes, no) = (self.word_constant(yes), self.word_constant(no));
                let bits = self.builder.ins().select(truth, yes, no);
                self.add_bits(result, bits);
                self.builder.ins().jump(end, &[]);
            } else {
                let blocks = [(); 2].map(|()| self.builder.create_block());
                self.branch(node, blocks[0], blocks[1]);
                for (block, bits) in blocks.into_iter().zip([yes, no]) {
                    self.builder.switch_to_block(block);
                    let bits = self.word_constant(bits);
                    self.add_bits(result, bits);
                    self.builder.ins().jump(end, &[]);
                }
            }
            self.builder.switch_to_block(end);
            self.give_up = elsewhere;
        }
        self.builder.use_var(result)
    }

    fn add_bits(&mut self, to: Variable, bits: Value) {
        let known = self.builder.use_var(to);
        let all = self.builder.ins().bor(known, bits);
        self.builder.def_var(to, all);
    }

    /// Goes to `yes` or `no` depending on a condition.
    pub(super) fn branch(&mut self, node: &Node, yes: Block, no: Block) {
        match node {
            Node::Constant(0) => {
                self.builder.ins().jump(no, &[]);
            }
            Node::Constant(_) => {
                self.builder.ins().jump(yes, &[]);
            }
            Node::Unary(UnaryOp::Not, operand, _) => self.branch(operand, no, yes),
            Node::Binary(op, operands, _) if is_logic(*op) => {
                let [left, right] = &**operands;
                let second = self.builder.create_block();
                match op {
                    BinaryOp::And => self.branch(left, second, no),
                    BinaryOp::Or => self.branch(left, yes, second),
                    _ => self.branch(left, second, yes),
                }
                self.builder.switch_to_block(second);
                self.branch(right, yes, no);
            }
            _ => {
                let truth = match self.simple_truth(node) {
                    Some(truth) => truth,
                    None => self.value(node),
                };
                self.builder.ins().brif(truth, yes, &[], no, &[]);
            }
        }
    }

    /// A comparison, as an 8-bit truth value.
    fn simple_truth(&mut self, node: &Node) -> Option<Value> {
        match node {
            Node::Is(field, bits) => Some(self.is(*field, *bits)),
            Node::Binary(op, operands, _) => {
                let how = comparison(*op)?;
                let (left, right) = (self.value(&operands[0]), self.value(&operands[1]));
                Some(self.builder.ins().icmp(how, left, right))
            }
            _ => None,
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Value, right: Value, safe: bool) -> Value {
        if safe {
            return self.unchecked(op, left, right);
        }
        match op {
            BinaryOp::Divide | BinaryOp::Remainder => {
                let some = self.compare(IntCC::NotEqual, right, 0);
                self.require(some);
                if op == BinaryOp::Divide {
                    self.require_quotient(left, right);
                }
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let small = self.compare(IntCC::UnsignedLessThan, right, 64);
                self.require(small);
            }
            _ => {}
        }
        let result = self.unchecked(op, left, right);
        self.require_exact(op, left, right, result);
        result
    }

    /// Only the least number divided by -1 does not fit.
    fn require_quotient(&mut self, left: Value, right: Value) {
        let numerator = self.compare(IntCC::NotEqual, left, i64::MIN);
        let denominator = self.compare(IntCC::NotEqual, right, -1);
        let fits = self.builder.ins().bor(numerator, denominator);
        self.require(fits);
    }

    /// Gives up if a sum, difference, product or shift lost bits.
    fn require_exact(&mut self, op: BinaryOp, left: Value, right: Value, result: Value) {
        let exact = match op {
            BinaryOp::Add | BinaryOp::Subtract => {
                // The sign is wrong iff it differs from that of both summands; a difference is a sum the other way.
                let (sum, summand) = match op {
                    BinaryOp::Add => (result, left),
                    _ => (left, result),
                };
                let ins = self.builder.ins();
                let first = ins.bxor(sum, summand);
                let second = self.builder.ins().bxor(sum, right);
                let wrong = self.builder.ins().band(first, second);
                self.compare(IntCC::SignedGreaterThanOrEqual, wrong, 0)
            }
            BinaryOp::Multiply => {
                let high = self.builder.ins().smulhi(left, right);
                let by = self.constant(63);
                let sign = self.builder.ins().sshr(result, by);
                self.builder.ins().icmp(IntCC::Equal, high, sign)
            }
            BinaryOp::ShiftLeft => {
                let back = self.builder.ins().sshr(result, right);
                self.builder.ins().icmp(IntCC::Equal, back, left)
            }
            _ => return,
        };
        self.require(exact);
    }

    fn unchecked(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        let ins = self.builder.ins();
        match op {
            BinaryOp::Add => ins.iadd(left, right),
            BinaryOp::Subtract => ins.isub(left, right),
            BinaryOp::Multiply => ins.imul(left, right),
            BinaryOp::Divide => ins.sdiv(left, right),
            BinaryOp::Remainder => ins.srem(left, right),
            BinaryOp::BitAnd => ins.band(left, right),
            BinaryOp::BitOr => ins.bor(left, right),
            BinaryOp::BitXor => ins.bxor(left, right),
            BinaryOp::ShiftLeft => ins.ishl(left, right),
            BinaryOp::ShiftRight => ins.sshr(left, right),
            _ => unreachable!("comparisons and connectives are branches"),
        }
    }

    pub(super) fn check_index(&mut self, elements: &Elements, index: Value, safe: bool) {
        if !safe {
            let length = i64::from(elements.length());
            let inside = self.compare(IntCC::UnsignedLessThan, index, length);
            self.require(inside);
        }
    }

    /// An element of an array whose index is in bounds.
    fn element(&mut self, elements: &Elements, index: Value) -> Value {
        let first = elements.fields[0];
        let bits = if elements.one_word {
            let shift = self.shift_in_word(elements, index);
            let word = self.word(first.word);
            self.builder.ins().ushr(word, shift)
        } else {
            let memory = self.memory_of(elements);
            let (address, shift) = self.locate(elements, index, memory);
            let word = self.load_word(address, 0);
            self.builder.ins().ushr(word, shift)
        };
        let mask = self.word_constant(first.mask);
        let bits = self.builder.ins().band(bits, mask);
        self.decode(bits, first)
    }

    /// Where an array that spans words can be read: in the state, unless effects have changed it.
    fn memory_of(&mut self, elements: &Elements) -> Value {
        let changed = elements.words().any(|word| self.changed.contains(&word));
        match self.record {
            Some(record) if changed => {
                self.spill(elements, record);
                record
            }
            _ => self.state,
        }
    }

    /// How far an element of an array in one word is shifted.
    pub(super) fn shift_in_word(&mut self, elements: &Elements, index: Value) -> Value {
        let bits = self.constant(i64::from(elements.bits));
        let distance = self.builder.ins().imul(index, bits);
        let start = self.constant(i64::from(elements.fields[0].shift));
        self.builder.ins().iadd(distance, start)
    }

    /// The address of the word that holds an element, and how far the element is shifted in it.
    pub(super) fn locate(
        &mut self,
        elements: &Elements,
        index: Value,
        record: Value,
    ) -> (Value, Value) {
        let table = self.tables.address_of(elements);
        let table = i64::try_from(table).expect("addresses of user programs are positive");
        let table = self.constant(table);
        let two = self.constant(2);
        let distance = self.builder.ins().ishl(index, two);
        let entry = self.builder.ins().iadd(table, distance);
        let ins = self.builder.ins();
        let entry = ins.uload32(plain(), entry, 0);
        let low = self.constant(63);
        let shift = self.builder.ins().band(entry, low);
        let six = self.constant(6);
        let word = self.builder.ins().ushr(entry, six);
        let three = self.constant(3);
        let distance = self.builder.ins().ishl(word, three);
        let address = self.builder.ins().iadd(record, distance);
        (address, shift)
    }

    /// Goes to `committed` if the process is in a committed location.
    pub(super) fn branch_if_committed(&mut self, process: &LoweredProcess, committed: Block) {
        let locations = process.locations.iter().zip(0..);
        for (_, index) in locations.filter(|(location, _)| location.committed) {
            self.load(process.location.word);
            let here = self.is(process.location, index);
            let next = self.builder.create_block();
            self.builder.ins().brif(here, committed, &[], next, &[]);
            self.builder.switch_to_block(next);
        }
    }
}

fn offset(word: u32) -> i32 {
    i32::try_from(word * 8).expect("a state has fewer than 2^28 words")
}

fn is_logic(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Imply)
}

fn comparison(op: BinaryOp) -> Option<IntCC> {
    Some(match op {
        BinaryOp::Equal => IntCC::Equal,
        BinaryOp::NotEqual => IntCC::NotEqual,
        BinaryOp::Less => IntCC::SignedLessThan,
        BinaryOp::LessEqual => IntCC::SignedLessThanOrEqual,
        BinaryOp::Greater => IntCC::SignedGreaterThan,
        BinaryOp::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
        _ => return None,
    })
}

impl Node {
    /// Calls `visit` with every word this expression reads from registers.
    pub(super) fn words(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Constant(_) => {}
            Self::Read(field) | Self::Is(field, _) => visit(field.word),
            Self::Element(elements, index, _) => {
                if elements.one_word {
                    visit(elements.fields[0].word);
                }
                index.words(visit);
            }
            Self::Unary(_, operand, _) => operand.words(visit),
            Self::Binary(_, operands, _) => operands.iter().for_each(|part| part.words(visit)),
            Self::Conditional(parts) => parts.iter().for_each(|part| part.words(visit)),
            Self::Front(length, head, _) => {
                visit(length.word);
                visit(head.word);
            }
        }
    }
}
