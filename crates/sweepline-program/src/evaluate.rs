//! Evaluating expressions and executing effects on packed states.

use sweepline_core::{SlotId, Word};

use crate::interval::Interval;
use crate::ir::{ArrayId, BinaryOp, ChannelId, Program, UnaryOp};
use crate::lower::{Check, Elements, Node, Queue, Store, Target, apply};

/// Why an expression has no value or an effect no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trap {
    Overflow(BinaryOp, i64, i64),
    Negation,
    DivisionByZero,
    Shift(i64),
    Index(ArrayId, i64),
    Range(SlotId, i64),
    Full(ChannelId),
    Empty(ChannelId),
    /// The channel never holds so many messages.
    Length(ChannelId, Word),
}

/// Boxed, so that results stay in registers.
pub(crate) type Evaluated<T> = Result<T, Box<Trap>>;

impl Trap {
    /// What went wrong, for people.
    pub(crate) fn describe(&self, program: &Program) -> String {
        match *self {
            Self::Overflow(op, left, right) => {
                format!("the result of {left} {op} {right} does not fit 64 bits")
            }
            Self::Negation => format!("the result of -({}) does not fit 64 bits", i64::MIN),
            Self::DivisionByZero => "division by zero".into(),
            Self::Shift(by) => format!("shift by {by}, outside 0..=63"),
            Self::Index(array, index) => {
                let array = program.array(array);
                let (name, last) = (&array.name, array.length - 1);
                format!("index {index} of `{name}` is out of bounds 0..={last}")
            }
            Self::Range(slot, value) => {
                let slot = program.slot(slot);
                let (least, greatest) = (slot.kind.least, slot.kind.greatest);
                let name = &slot.name;
                if slot.kind.contains(value) {
                    return format!("`{name}` would become {value}, {UNREACHABLE}");
                }
                format!("`{name}` would become {value}, outside its range {least}..={greatest}")
            }
            Self::Full(channel) => format!("`{}` is full", program.channel(channel).name),
            Self::Empty(channel) => format!("`{}` is empty", program.channel(channel).name),
            Self::Length(channel, length) => {
                let name = &program.channel(channel).name;
                format!("`{name}` would hold {length} messages, {UNREACHABLE}")
            }
        }
    }
}

/// Why a step of a state that nobody could have reached has no result: states are only as large as the reachable ones
/// need.
const UNREACHABLE: &str = "which no step from a reachable state does";

#[cold]
fn trap<T>(trap: Trap) -> Evaluated<T> {
    Err(Box::new(trap))
}

impl Node {
    pub(crate) fn evaluate(&self, state: &[Word]) -> Evaluated<i64> {
        match self {
            Self::Constant(value) => Ok(*value),
            Self::Read(field) => Ok(field.read(state)),
            Self::Is(field, bits) => Ok(i64::from(field.bits(state) == *bits)),
            Self::Element(elements, index, _) => {
                let index = elements.index(index.evaluate(state)?)?;
                Ok(elements.fields[index].read(state))
            }
            Self::Unary(op, operand, _) => unary(*op, operand.evaluate(state)?),
            Self::Binary(op, operands, safe) => binary(*op, operands, *safe, state),
            Self::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                if condition.evaluate(state)? == 0 {
                    otherwise.evaluate(state)
                } else {
                    then.evaluate(state)
                }
            }
            Self::Front(length, head, channel) => match length.bits(state) {
                0 => trap(Trap::Empty(*channel)),
                _ => Ok(head.read(state)),
            },
        }
    }

    #[inline]
    pub(crate) fn holds(&self, state: &[Word]) -> Evaluated<bool> {
        Ok(self.evaluate(state)? != 0)
    }
}

impl Elements {
    #[inline]
    fn index(&self, index: i64) -> Evaluated<usize> {
        match usize::try_from(index) {
            Ok(element) if element < self.fields.len() => Ok(element),
            _ => trap(Trap::Index(self.id, index)),
        }
    }

    fn slot(&self, index: usize) -> SlotId {
        let index = u32::try_from(index).expect("an array is not longer than 2^16");
        SlotId(self.first.0 + index)
    }
}

fn unary(op: UnaryOp, operand: i64) -> Evaluated<i64> {
    match op {
        UnaryOp::Negate => operand
            .checked_neg()
            .map_or_else(|| trap(Trap::Negation), Ok),
        UnaryOp::Not => Ok(i64::from(operand == 0)),
        UnaryOp::Complement => Ok(!operand),
    }
}

fn binary(op: BinaryOp, operands: &[Node; 2], safe: bool, state: &[Word]) -> Evaluated<i64> {
    let [left, right] = operands;
    let left = left.evaluate(state)?;
    match (op, left) {
        (BinaryOp::And, 0) => return Ok(0),
        (BinaryOp::Imply, 0) => return Ok(1),
        (BinaryOp::Or, left) if left != 0 => return Ok(1),
        _ => {}
    }
    let right = right.evaluate(state)?;
    if safe {
        return Ok(apply(op, left, right));
    }
    checked(op, left, right)
}

fn checked(op: BinaryOp, left: i64, right: i64) -> Evaluated<i64> {
    let result = match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Subtract => left.checked_sub(right),
        BinaryOp::Multiply => left.checked_mul(right),
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => return trap(Trap::DivisionByZero),
        BinaryOp::Divide => left.checked_div(right),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight if !(0..64).contains(&right) => {
            return trap(Trap::Shift(right));
        }
        BinaryOp::ShiftLeft => {
            let result = apply(op, left, right);
            (apply(BinaryOp::ShiftRight, result, right) == left).then_some(result)
        }
        _ => Some(apply(op, left, right)),
    };
    result.map_or_else(|| trap(Trap::Overflow(op, left, right)), Ok)
}

impl Store {
    /// Executes the effect. If it fails, the state is left half changed.
    pub(crate) fn execute(&self, state: &mut [Word]) -> Evaluated<()> {
        match self {
            Self::Constant(field, bits) => {
                field.write_bits(state, *bits);
                Ok(())
            }
            Self::Assign(target, value, check) => {
                let value = value.evaluate(state)?;
                target.store(*check, value, state)
            }
            Self::Push(values, queue) => queue.push(values, state),
            Self::Pop(targets, queue) => queue.pop(targets, state),
        }
    }
}

impl Target {
    fn store(&self, check: Check, value: i64, state: &mut [Word]) -> Evaluated<()> {
        let (field, slot) = match self {
            Self::Field(field, slot) => (*field, *slot),
            Self::Element(elements, index, _) => {
                let index = elements.index(index.evaluate(state)?)?;
                (elements.fields[index], elements.slot(index))
            }
        };
        let value = check.apply(value, slot)?;
        field.write_bits(state, field.raw(value));
        Ok(())
    }
}

impl Check {
    #[inline]
    fn apply(self, value: i64, slot: SlotId) -> Evaluated<i64> {
        match self {
            Self::Fits => Ok(value),
            Self::Range(range) if range.contains(value) => Ok(value),
            Self::Range(_) => trap(Trap::Range(slot, value)),
            Self::Wrap { range, fits } => match wrap(value, range) {
                wrapped if fits.contains(wrapped) => Ok(wrapped),
                wrapped => trap(Trap::Range(slot, wrapped)),
            },
        }
    }
}

/// The value of the range that is equal to this one modulo the size of the range.
fn wrap(value: i64, range: Interval) -> i64 {
    if range.contains(value) {
        return value;
    }
    let least = i128::from(range.least);
    let size = i128::from(range.greatest) - least + 1;
    let wrapped = least + (i128::from(value) - least).rem_euclid(size);
    i64::try_from(wrapped).expect("it lies in a range of i64")
}

impl Queue {
    fn push(&self, values: &[(Node, Check)], state: &mut [Word]) -> Evaluated<()> {
        let length = self.length.bits(state);
        if length >= Word::from(self.capacity) {
            return trap(Trap::Full(self.id));
        }
        if length >= self.room() {
            return trap(Trap::Length(self.id, length + 1));
        }
        let place = usize::try_from(length).expect("it is less than the capacity");
        if let ([(value, check)], [field]) = (values, &*self.fields) {
            let value = check.apply(value.evaluate(state)?, field.slot(place))?;
            field.fields[place].write_bits(state, field.fields[place].raw(value));
        } else {
            self.push_all(values, place, state)?;
        }
        self.length.write_bits(state, length + 1);
        Ok(())
    }

    /// All values are computed before any is stored.
    fn push_all(
        &self,
        values: &[(Node, Check)],
        place: usize,
        state: &mut [Word],
    ) -> Evaluated<()> {
        let computed = values
            .iter()
            .zip(&self.fields)
            .map(|((value, check), field)| check.apply(value.evaluate(state)?, field.slot(place)));
        let computed = computed.collect::<Evaluated<Vec<_>>>()?;
        for (value, field) in computed.into_iter().zip(&self.fields) {
            let field = field.fields[place];
            field.write_bits(state, field.raw(value));
        }
        Ok(())
    }

    fn pop(&self, targets: &[Option<(Target, Check)>], state: &mut [Word]) -> Evaluated<()> {
        let length = self.length.bits(state);
        if length == 0 {
            return trap(Trap::Empty(self.id));
        }
        for (target, field) in targets.iter().zip(&self.fields) {
            if let Some((target, check)) = target {
                target.store(*check, field.fields[0].read(state), state)?;
            }
        }
        for field in &self.fields {
            field.advance(state);
        }
        self.length.write_bits(state, length - 1);
        Ok(())
    }
}

impl Elements {
    /// Moves every element one place to the front.
    fn advance(&self, state: &mut [Word]) {
        if self.one_word {
            let region = self.region();
            let rest = region.bits(state).checked_shr(self.bits).unwrap_or(0);
            let last = self.empty << (self.bits * (self.length() - 1));
            return region.write_bits(state, rest | last);
        }
        for pair in self.fields.windows(2) {
            let bits = pair[1].bits(state);
            pair[0].write_bits(state, bits);
        }
        if let Some(last) = self.fields.last() {
            last.write_bits(state, self.empty);
        }
    }
}
