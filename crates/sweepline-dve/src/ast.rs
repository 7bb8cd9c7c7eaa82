//! A model as it is written, names not yet looked up.

use std::ops::Range;

use sweepline_text::Name;

/// A whole file.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Global variables and constants, in the order they stand.
    pub variables: Vec<Variable>,
    /// Channels, in the order they stand.
    pub channels: Vec<Channel>,
    /// Processes, the property process included, in the order they stand.
    pub processes: Vec<Process>,
    /// The `system` line.
    pub system: Option<System>,
}

/// The width of a variable or of a part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `byte`: 0 to 255.
    Byte,
    /// `int`: −32768 to 32767.
    Int,
}

/// A variable, an array or a constant.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Whether it stands behind `const`.
    pub constant: bool,
    /// The type of the variable or of each element.
    pub kind: Type,
    /// Its name.
    pub name: Name,
    /// The number of elements of an array.
    pub size: Option<Expr>,
    /// Its value in the initial state; zero if there is none.
    pub initial: Option<Initial>,
}

/// What stands behind `=` in a declaration.
#[derive(Clone, Debug)]
pub enum Initial {
    /// The value of a variable.
    Value(Expr),
    /// `{…}`: the values of the first elements of an array, and where the list stands.
    List(Vec<Expr>, Range<usize>),
}

/// A channel.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name.
    pub name: Name,
    /// `{byte,int}`: the types of a message, if they are declared.
    pub types: Option<Vec<Type>>,
    /// `[n]`: how many messages it holds; rendezvous if there is none.
    pub capacity: Option<Expr>,
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name.
    pub name: Name,
    /// Local variables and constants.
    pub variables: Vec<Variable>,
    /// Its states, called locations elsewhere so that they are not taken for states of the system.
    pub states: Vec<Name>,
    /// The initial states; exactly one in a correct model.
    pub initial: Vec<Name>,
    /// The committed states.
    pub committed: Vec<Name>,
    /// The accepting states.
    pub accepting: Vec<Name>,
    /// What must hold in which state.
    pub assertions: Vec<Assertion>,
    /// The transitions, in the order they stand.
    pub transitions: Vec<Transition>,
}

/// `assert state: condition`
#[derive(Clone, Debug)]
pub struct Assertion {
    /// Where it must hold.
    pub state: Name,
    /// What must hold.
    pub condition: Expr,
}

/// `from -> to { guard …; sync …; effect …; }`
#[derive(Clone, Debug)]
pub struct Transition {
    /// The state it leaves.
    pub source: Name,
    /// The state it enters.
    pub target: Name,
    /// When it is enabled.
    pub guard: Option<Expr>,
    /// What it sends or receives.
    pub sync: Option<Sync>,
    /// Assignments, executed in this order.
    pub effects: Vec<Assignment>,
    /// Where it stands.
    pub span: Range<usize>,
}

/// The `sync` part of a transition.
#[derive(Clone, Debug)]
pub struct Sync {
    /// The channel.
    pub channel: Name,
    /// Whether it sends or receives.
    pub direction: Direction,
    /// The values sent, or the variables that receive them.
    pub message: Vec<Expr>,
    /// Where it stands.
    pub span: Range<usize>,
}

/// The two ends of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `c!…`
    Send,
    /// `c?…`
    Receive,
}

/// `variable = value`
#[derive(Clone, Debug)]
pub struct Assignment {
    /// What is written: a variable or an element of an array.
    pub target: Expr,
    /// The new value.
    pub value: Expr,
}

/// The `system` line.
#[derive(Clone, Debug)]
pub struct System {
    /// `sync` instead of `async`.
    pub synchronous: bool,
    /// The property process, if there is one.
    pub property: Option<Name>,
    /// Where the line stands.
    pub span: Range<usize>,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Range<usize>,
    /// How many levels it has.
    pub(crate) depth: u32,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number; `true` is 1 and `false` is 0.
    Number(i64),
    /// `x`
    Name(Name),
    /// `a[i]`
    Element(Name, Box<Expr>),
    /// `P.s`: whether process `P` is in state `s`.
    At(Name, Name),
    /// `P->x` or `P->a[i]`: a local variable of process `P`.
    Local(Name, Name, Option<Box<Expr>>),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `~`
    Complement,
    /// `not`
    Not,
}

/// Operators with two operands. Truth values are 0 and 1; everything but 0 counts as true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `imply`
    Imply,
    /// `or`, `||`; the right side is looked at only if the left is false
    Or,
    /// `and`, `&&`; the right side is looked at only if the left is true
    And,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, truncating towards zero
    Divide,
    /// `%`, with the sign of the dividend
    Remainder,
}

impl Type {
    /// The least value.
    pub fn least(self) -> i64 {
        match self {
            Self::Byte => 0,
            Self::Int => i64::from(i16::MIN),
        }
    }

    /// The greatest value.
    pub fn greatest(self) -> i64 {
        match self {
            Self::Byte => i64::from(u8::MAX),
            Self::Int => i64::from(i16::MAX),
        }
    }

    /// The word of the language.
    pub fn word(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Int => "int",
        }
    }
}

impl Initial {
    /// Where it stands.
    pub fn span(&self) -> Range<usize> {
        match self {
            Self::Value(value) => value.span.clone(),
            Self::List(_, span) => span.clone(),
        }
    }
}
