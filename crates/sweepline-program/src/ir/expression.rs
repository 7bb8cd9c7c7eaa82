//! Expressions over slots.

use sweepline_core::SlotId;

use super::{ArrayId, ChannelId, LocationId, ProcessId};

/// An expression. All values are 64-bit numbers; as a condition, anything but 0 is true.
///
/// Evaluation is exact: overflow, division by zero, a shift by less than 0 or more than 63, an index out of bounds and
/// the head of an empty channel are errors of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Constant(i64),
    /// The value of a slot.
    Slot(SlotId),
    /// An element of an array.
    Element(ArrayId, Box<Expr>),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The second operand if the first is true, and the third otherwise; only that one is evaluated.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Whether a process is at a location.
    At(ProcessId, LocationId),
    /// How many messages a channel holds.
    Length(ChannelId),
    /// Whether a channel has no room.
    Full(ChannelId),
    /// Whether a channel has no message.
    Empty(ChannelId),
    /// A component of the message at the head of a channel.
    Front(ChannelId, u32),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-x`
    Negate,
    /// `!x`: 1 if the operand is 0, and 0 otherwise.
    Not,
    /// `~x`: every bit of the two's complement flipped.
    Complement,
}

/// Operators with two operands. Comparisons and connectives yield 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, rounded towards zero.
    Divide,
    /// `%`, with the sign of the dividend.
    Remainder,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`; losing bits is an overflow.
    ShiftLeft,
    /// `>>`, which keeps the sign.
    ShiftRight,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `&&`; the second operand is evaluated only if the first is true.
    And,
    /// `||`; the second operand is evaluated only if the first is false.
    Or,
    /// `->`; the second operand is evaluated only if the first is true.
    Imply,
}

impl Expr {
    /// Always true.
    pub const TRUE: Self = Self::Constant(1);

    /// The value of a slot.
    pub fn slot(slot: SlotId) -> Self {
        Self::Slot(slot)
    }

    /// An element of an array.
    pub fn element(array: ArrayId, index: impl Into<Expr>) -> Self {
        Self::Element(array, Box::new(index.into()))
    }

    /// An operator with one operand.
    pub fn unary(op: UnaryOp, operand: impl Into<Expr>) -> Self {
        Self::Unary(op, Box::new(operand.into()))
    }

    /// An operator with two operands.
    pub fn binary(op: BinaryOp, left: impl Into<Expr>, right: impl Into<Expr>) -> Self {
        Self::Binary(op, Box::new(left.into()), Box::new(right.into()))
    }

    /// `then` if `condition` is true, and `otherwise` if not.
    pub fn conditional(
        condition: impl Into<Expr>,
        then: impl Into<Expr>,
        otherwise: impl Into<Expr>,
    ) -> Self {
        Self::Conditional(
            Box::new(condition.into()),
            Box::new(then.into()),
            Box::new(otherwise.into()),
        )
    }

    /// `!self`
    #[must_use]
    pub fn negated(self) -> Self {
        Self::unary(UnaryOp::Not, self)
    }

    /// `self + other`
    #[must_use]
    pub fn plus(self, other: impl Into<Expr>) -> Self {
        Self::binary(BinaryOp::Add, self, other)
    }

    /// `self - other`
    #[must_use]
    pub fn minus(self, other: impl Into<Expr>) -> Self {
        Self::binary(BinaryOp::Subtract, self, other)
    }

    /// `self == other`
    #[must_use]
    pub fn equals(self, other: impl Into<Expr>) -> Self {
        Self::binary(BinaryOp::Equal, self, other)
    }

    /// `self != other`
    #[must_use]
    pub fn differs(self, other: impl Into<Expr>) -> Self {
        Self::binary(BinaryOp::NotEqual, self, other)
    }

    /// `self < other`
    #[must_use]
    pub fn less(self, other: impl Into<Expr>) -> Self {
        Self::binary(BinaryOp::Less, self, other)
    }

    /// `self > other`
    #[must_use]
    pub fn greater(self, other: impl Into<Expr>) -> Self {
        Self::binary(BinaryOp::Greater, self, other)
    }

    /// `self && other`
    #[must_use]
    pub fn and(self, other: impl Into<Expr>) -> Self {
        Self::binary(BinaryOp::And, self, other)
    }

    /// `self || other`
    #[must_use]
    pub fn or(self, other: impl Into<Expr>) -> Self {
        Self::binary(BinaryOp::Or, self, other)
    }

    /// Calls `visit` with this expression and all its parts, from the outside in.
    pub fn walk<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        visit(self);
        match self {
            Self::Element(_, operand) | Self::Unary(_, operand) => operand.walk(visit),
            Self::Binary(_, left, right) => {
                left.walk(visit);
                right.walk(visit);
            }
            Self::Conditional(condition, then, otherwise) => {
                condition.walk(visit);
                then.walk(visit);
                otherwise.walk(visit);
            }
            Self::Constant(_)
            | Self::Slot(_)
            | Self::At(..)
            | Self::Length(_)
            | Self::Full(_)
            | Self::Empty(_)
            | Self::Front(..) => {}
        }
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        Self::Constant(value)
    }
}

impl From<SlotId> for Expr {
    fn from(slot: SlotId) -> Self {
        Self::Slot(slot)
    }
}
