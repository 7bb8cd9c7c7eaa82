//! What the machine executes.

use crate::ml::core::FunctionId;
use crate::ml::primitives::Primitive;
use crate::ml::{ColourId, ConstantId, Value};

/// One instruction. Operands and results are on a stack; `Local` numbers count from the beginning of the function's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Push(Value),
    Constant(ConstantId),
    Local(u32),
    /// A variable of the net.
    Variable(u32),
    /// Something that the function found where it was made.
    Captured(u32),
    Global(u32),
    /// Takes the top into a local.
    Store(u32),
    Pop,
    /// Makes contents of so many fields.
    Fields(u32),
    Pair,
    Construct(i32),
    /// Looks whether the top is in the range of an index colour set.
    Index(ColourId),
    Field(u32),
    LocalField(u32, u32),
    Jump(u32),
    JumpUnless(u32),
    /// Jumps unless a local is this integer.
    UnlessSmall(u32, i32, u32),
    UnlessConstant(u32, ConstantId, u32),
    /// Jumps unless a local has contents in the table: a list that is not empty.
    UnlessStored(u32, u32),
    /// Jumps unless a local is a constructor with an argument.
    UnlessTag(u32, i32, u32),
    /// A function as a value, with what it captures on the stack.
    Closure(FunctionId),
    /// A function of the same group as the current one, as a value.
    Sibling(FunctionId),
    Call(FunctionId),
    /// Calls a function of the same group as the current one.
    CallSibling(FunctionId),
    /// Calls a function with what it captures on the stack, behind the arguments.
    CallWith(FunctionId),
    /// Calls the function on the stack with one argument.
    Apply,
    TailCall(FunctionId),
    TailSibling(FunctionId),
    TailApply,
    Return,
    /// The end of an inscription.
    Stop,
    Primitive(Primitive),
    Raise,
    RaiseMatch,
    RaiseBind,
    /// From here on, exceptions lead to this place.
    Try(u32),
    EndTry,
    /// Reference variables have no value.
    Reference(u32),
    /// So many tokens of one colour.
    Emit,
    /// One token.
    EmitOne,
    /// All elements of a list.
    EmitList,
    /// All elements of a list, which have time stamps.
    EmitStamped,
    /// One token with a time stamp.
    EmitStampedOne,
    /// What follows is delayed by so much more.
    AddDelay,
    /// The delay is again what it was; the top says by how much it was more.
    DropDelay(u32),
}

/// Instructions, and how many locals they need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub ops: Vec<Op>,
    pub locals: u32,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub code: Code,
    pub parameters: u32,
    /// Whether the parameters are the parts of one tuple.
    pub unpacked: bool,
}
