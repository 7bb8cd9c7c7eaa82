//! Expressions and effects over bits of words.

use std::sync::Arc;

use sweepline_core::{Slot, SlotId, Word};

use crate::interval::Interval;
use crate::ir::{ArrayId, BinaryOp, ChannelId, UnaryOp};

/// A bit field of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) word: u32,
    pub(crate) shift: u32,
    /// As many ones as the field has bits.
    pub(crate) mask: Word,
    /// The value stored as 0.
    pub(crate) least: i64,
}

impl Field {
    pub(crate) fn of(slot: &Slot) -> Self {
        Self {
            word: u32::try_from(slot.word).expect("a state has fewer than 2^32 words"),
            shift: slot.shift,
            mask: slot.mask(),
            least: slot.least,
        }
    }

    /// The bits of the field, not yet a value.
    #[inline]
    pub(crate) fn bits(self, state: &[Word]) -> Word {
        (state[self.word as usize] >> self.shift) & self.mask
    }

    #[inline]
    pub(crate) fn read(self, state: &[Word]) -> i64 {
        self.least.wrapping_add_unsigned(self.bits(state))
    }

    #[inline]
    pub(crate) fn write_bits(self, state: &mut [Word], bits: Word) {
        debug_assert!(bits <= self.mask, "values lie in the range that was found");
        let word = &mut state[self.word as usize];
        *word = (*word & !(self.mask << self.shift)) | (bits << self.shift);
    }

    /// The bits that mean a value of the range.
    #[inline]
    pub(crate) fn raw(self, value: i64) -> Word {
        value.wrapping_sub(self.least).cast_unsigned()
    }

    /// Whether a value can be told from others by the bits of the field.
    pub(crate) fn holds(self, value: i64) -> bool {
        self.room().contains(value)
    }

    /// The values that have bits of their own.
    pub(crate) fn room(self) -> Interval {
        Interval::new(self.least, self.least.saturating_add_unsigned(self.mask))
    }

    /// The values that may be read, whatever the bits are.
    pub(crate) fn readable(self) -> Interval {
        match self.least.checked_add_unsigned(self.mask) {
            Some(greatest) => Interval::new(self.least, greatest),
            None => Interval::ALL,
        }
    }
}

/// The elements of an array.
#[derive(Debug)]
pub(crate) struct Elements {
    pub(crate) id: ArrayId,
    pub(crate) first: SlotId,
    pub(crate) fields: Box<[Field]>,
    /// Whether all of them lie in one word, without gaps.
    pub(crate) one_word: bool,
    /// Bits per element.
    pub(crate) bits: u32,
    /// What an element of a channel has where no message is.
    pub(crate) empty: Word,
}

impl Elements {
    pub(crate) fn new(id: ArrayId, first: SlotId, fields: &[Field], empty: i64) -> Self {
        let bits = fields[0].mask.count_ones();
        let mut neighbours = fields.windows(2);
        Self {
            id,
            first,
            one_word: neighbours.all(|pair| pair[0].word == pair[1].word),
            empty: fields[0].raw(empty) & fields[0].mask,
            fields: fields.into(),
            bits,
        }
    }

    pub(crate) fn length(&self) -> u32 {
        u32::try_from(self.fields.len()).expect("an array is not longer than 2^16")
    }

    /// All bits of an array in one word.
    pub(crate) fn region(&self) -> Field {
        Field {
            mask: Word::MAX >> (Word::BITS - self.bits * self.length()),
            ..self.fields[0]
        }
    }
}

/// A channel.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub(crate) id: ChannelId,
    pub(crate) length: Field,
    pub(crate) capacity: u32,
    pub(crate) fields: Vec<Arc<Elements>>,
}

impl Queue {
    /// A message can be added as long as there are fewer: beyond, there is no place for it or none for the length.
    pub(crate) fn room(&self) -> Word {
        Word::from(self.capacity).min(self.length.mask)
    }
}

/// An expression. The flags say that an operation or index never fails.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "jit"),
    expect(dead_code, reason = "the interpreter checks more than it must")
)]
pub(crate) enum Node {
    Constant(i64),
    Read(Field),
    /// Whether a field has these bits.
    Is(Field, Word),
    Element(Arc<Elements>, Box<Node>, bool),
    Unary(UnaryOp, Box<Node>, bool),
    Binary(BinaryOp, Box<[Node; 2]>, bool),
    /// Condition, then, otherwise.
    Conditional(Box<[Node; 3]>),
    /// Length, and what lies at the head if that is not 0.
    Front(Field, Field, ChannelId),
}

/// An effect.
#[derive(Clone, Debug)]
pub(crate) enum Store {
    /// Sets the bits of a field.
    Constant(Field, Word),
    Assign(Target, Node, Check),
    Push(Vec<(Node, Check)>, Queue),
    Pop(Vec<Option<(Target, Check)>>, Queue),
}

/// Where something is stored.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "jit"),
    expect(dead_code, reason = "the interpreter checks more than it must")
)]
pub(crate) enum Target {
    Field(Field, SlotId),
    /// The flag says that the index is always in bounds.
    Element(Arc<Elements>, Box<Node>, bool),
}

/// What must be checked when a value is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// Nothing, it always fits.
    Fits,
    /// It must be one of these values, which are those of the slot that the field has bits for.
    Range(Interval),
    /// It is taken modulo the size of a range, and must then be one of the values the field has bits for.
    Wrap { range: Interval, fits: Interval },
}

/// An operator on operands on which it does not fail.
#[inline]
pub(crate) fn apply(op: BinaryOp, left: i64, right: i64) -> i64 {
    match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide => left.wrapping_div(right),
        BinaryOp::Remainder => left.wrapping_rem(right),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::ShiftLeft => left << (right & 63),
        BinaryOp::ShiftRight => left >> (right & 63),
        BinaryOp::Equal => i64::from(left == right),
        BinaryOp::NotEqual => i64::from(left != right),
        BinaryOp::Less => i64::from(left < right),
        BinaryOp::LessEqual => i64::from(left <= right),
        BinaryOp::Greater => i64::from(left > right),
        BinaryOp::GreaterEqual => i64::from(left >= right),
        BinaryOp::And => i64::from(left != 0 && right != 0),
        BinaryOp::Or => i64::from(left != 0 || right != 0),
        BinaryOp::Imply => i64::from(left == 0 || right != 0),
    }
}
