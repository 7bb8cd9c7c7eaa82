//! Expressions, predicates and properties as they are written, names not yet looked up.

use sweepline_text::Name;

use crate::ctl::Ctl;
use crate::ltl::Ltl;
use crate::omega::OmegaAutomaton;

/// An integer expression over slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A literal.
    Number(i64),
    /// The value of a slot.
    Slot(Name),
    /// The sum of several expressions (0 if there are none).
    Sum(Vec<Expr>),
    /// Minus.
    Negate(Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A number for each value of a slot, by the value's name or as a number; 0 for those that are not listed.
    Rank(Name, Vec<(Name, i64)>),
}

/// Arithmetic with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
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
    /// A function of the bits of two's complements.
    Bits(BitOp),
}

/// Functions of the bits of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitOp {
    /// `bitand(a, b)`
    And,
    /// `bitor(a, b)`
    Or,
    /// `bitxor(a, b)`
    Xor,
    /// `shl(a, b)`; losing bits is an overflow
    ShiftLeft,
    /// `shr(a, b)`, which keeps the sign
    ShiftRight,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
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
}

/// A predicate on states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pred {
    /// `true` or `false`
    Constant(bool),
    /// A slot that is not zero, or a proposition.
    Holds(Name),
    /// A comparison.
    Compare(CompareOp, Expr, Expr),
    /// At least one of these actions is enabled.
    Fireable(Vec<Name>),
    /// No action is enabled.
    Deadlock,
    /// Not.
    Not(Box<Pred>),
    /// All of them (true if there are none).
    And(Vec<Pred>),
    /// At least one of them (false if there are none).
    Or(Vec<Pred>),
    /// If the first then the second.
    Implies(Box<Pred>, Box<Pred>),
    /// Both or neither.
    Iff(Box<Pred>, Box<Pred>),
}

/// A question about the reachable states: a truth value built from what some or all of them satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// The initial state satisfies it (every initial state, if there are several).
    Initially(Pred),
    /// Some reachable state satisfies it: `EF p`.
    Reachable(Pred),
    /// Every reachable state satisfies it: `AG p`.
    Invariant(Pred),
    /// Not.
    Not(Box<Formula>),
    /// All of them.
    And(Vec<Formula>),
    /// At least one of them.
    Or(Vec<Formula>),
}

/// A named question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The name it is reported under.
    pub name: String,
    /// What is asked.
    pub kind: PropertyKind,
}

/// What a property asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// Is it true?
    Formula(Formula),
    /// What is the largest value in any reachable state?
    Bound(Expr),
    /// Does every run satisfy it? Finite runs stay in their last state for ever.
    AllRuns(Ltl),
    /// Does some run satisfy it?
    SomeRun(Ltl),
    /// Does every initial state satisfy it?
    Ctl(Ctl),
    /// Can an action of each of these groups always be taken again, some time later?
    Live(Vec<Vec<Name>>),
    /// Is there a state that can be reached from every reachable state?
    HomeState,
    /// Does an automaton accept no run?
    NoRun(Box<OmegaAutomaton>),
}
