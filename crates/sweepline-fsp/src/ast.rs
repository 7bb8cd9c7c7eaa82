//! Models as they are written.

use std::ops::Range;

use sweepline_logic::ltl::{Binary, Unary};
use sweepline_text::Name;

/// Bytes of the text.
pub(crate) type Span = Range<usize>;

/// A whole file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub values: Vec<ValueDef>,
    pub processes: Vec<ProcessDef>,
    pub composites: Vec<CompositeDef>,
    pub progress: Vec<ProgressDef>,
    pub menus: Vec<MenuDef>,
    pub formulas: Vec<FormulaDef>,
}

/// `const N = …`, `range R = …` or `set S = …`.
#[derive(Clone, Debug)]
pub(crate) struct ValueDef {
    pub name: Name,
    pub value: Defined,
}

#[derive(Clone, Debug)]
pub(crate) enum Defined {
    Constant(Expr),
    Range(Expr, Expr),
    Set(SetExpr),
}

/// What stands before a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each word stands there or not"
)]
pub(crate) struct Qualifiers {
    pub property: bool,
    pub minimal: bool,
    pub deterministic: bool,
    /// `compose`: build the product now.
    pub compose: bool,
}

/// A parameter with its default value.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub name: Name,
    pub default: Expr,
}

/// A primitive process. The first of its local definitions is the process itself.
#[derive(Clone, Debug)]
pub(crate) struct ProcessDef {
    pub name: Name,
    pub qualifiers: Qualifiers,
    pub parameters: Vec<Parameter>,
    pub locals: Vec<LocalDef>,
    pub changes: Vec<Change>,
}

/// A local process, or a family of them.
#[derive(Clone, Debug)]
pub(crate) struct LocalDef {
    pub name: Name,
    pub indices: Vec<Index>,
    pub body: Process,
}

#[derive(Clone, Debug)]
pub(crate) enum Process {
    /// `STOP`, `END` or `ERROR`.
    Final(Final, Span),
    /// `P`, `P[i]` or `P(3)`.
    Reference(Reference),
    /// `P;Q;R`: all but the last are processes of their own.
    Sequence(Vec<Process>),
    /// `if … then … else …`
    If(Box<(Expr, Process, Option<Process>)>),
    /// `(… | …)`
    Choice(Vec<Branch>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Final {
    Stop,
    End,
    Error,
}

#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub name: Name,
    pub indices: Vec<Expr>,
    pub arguments: Vec<Expr>,
    pub span: Span,
}

/// `when … a -> b -> P`
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub guard: Option<Expr>,
    pub actions: Vec<Labels>,
    pub then: Process,
}

/// One or several labels: `a.b[i:R].{x,y}`.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    pub parts: Vec<Part>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Name(Name),
    Set(SetExpr),
    Index(Index),
}

/// What stands between brackets; with a name, the name is bound to each of the values.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    pub variable: Option<Name>,
    pub domain: Domain,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Domain {
    /// A value, or the name of a range or set.
    Expr(Expr),
    Range(Expr, Expr),
    Set(SetExpr),
}

#[derive(Clone, Debug)]
pub(crate) enum SetExpr {
    Named(Name),
    Listed(Vec<Labels>, Span),
}

impl SetExpr {
    pub fn span(&self) -> Span {
        match self {
            Self::Named(name) => name.span.clone(),
            Self::Listed(_, span) => span.clone(),
        }
    }
}

/// `+{…}`, `/{…}`, `\{…}`, `@{…}`, `>>{…}` and `<<{…}`, applied in the order they are written.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Extend(SetExpr),
    Relabel(Vec<Relabel>),
    Hide(SetExpr),
    Expose(SetExpr),
    /// `<<` if high.
    Priority {
        high: bool,
        set: SetExpr,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum Relabel {
    Pair { new: Labels, old: Labels },
    Forall(Vec<Index>, Vec<Relabel>),
}

/// `||C = …`
#[derive(Clone, Debug)]
pub(crate) struct CompositeDef {
    pub name: Name,
    pub qualifiers: Qualifiers,
    pub parameters: Vec<Parameter>,
    pub body: Composite,
}

#[derive(Clone, Debug)]
pub(crate) enum Composite {
    Reference(Reference),
    Parallel(Vec<Composite>),
    Forall(Vec<Index>, Box<Composite>),
    If(Box<(Expr, Composite, Option<Composite>)>),
    /// `labels:body`
    Labelled(Labels, Box<Composite>),
    /// `labels::body`
    Shared(Labels, Box<Composite>),
    Changed(Box<Composite>, Vec<Change>),
}

/// `progress P = {…}` or `progress P = if {…} then {…}`
#[derive(Clone, Debug)]
pub(crate) struct ProgressDef {
    pub name: Name,
    pub indices: Vec<Index>,
    pub condition: Option<SetExpr>,
    pub set: SetExpr,
}

#[derive(Clone, Debug)]
pub(crate) struct MenuDef {
    pub name: Name,
    pub set: SetExpr,
}

/// `fluent`, `assert`, `constraint` or `ltl_property`
#[derive(Clone, Debug)]
pub(crate) struct FormulaDef {
    pub word: &'static str,
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub indices: Vec<Index>,
    /// Behind the `=`.
    pub text: Span,
    pub body: FormulaBody,
    /// Labels that the formula does not speak of, and that are in the alphabet of its process.
    pub alphabet: Option<SetExpr>,
}

impl FormulaDef {
    /// Whether a composition can have it as a process.
    pub fn is_process(&self) -> bool {
        matches!(self.word, "constraint" | "ltl_property")
    }
}

#[derive(Clone, Debug)]
pub(crate) enum FormulaBody {
    Fluent(Fluent),
    Formula(FluentFormula),
}

/// `<starts, ends> initially …`
#[derive(Clone, Debug)]
pub(crate) struct Fluent {
    pub starts: Labels,
    pub ends: Labels,
    pub initially: Option<Expr>,
}

/// All of several, or at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Junction {
    All,
    Any,
}

#[derive(Clone, Debug)]
pub(crate) enum FluentFormula {
    /// A fluent or another formula: one of those with these indices, or the one with these arguments.
    Named(Name, Vec<Index>, Vec<Expr>),
    /// One of these actions has just been done.
    Done(Labels),
    /// `rigid(…)`
    Rigid(Expr),
    Not(Box<FluentFormula>),
    Implies(Box<FluentFormula>, Box<FluentFormula>),
    Iff(Box<FluentFormula>, Box<FluentFormula>),
    Unary(Unary, Box<FluentFormula>),
    Binary(Binary, Box<FluentFormula>, Box<FluentFormula>),
    Joined(Junction, Vec<FluentFormula>),
    /// `forall[i:R] …` or `exists[i:R] …`
    Each(Junction, Vec<Index>, Box<FluentFormula>),
}

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Number(i64, Span),
    /// A constant, a parameter or a variable.
    Name(Name),
    /// `'label`
    Quoted(Labels),
    Unary(UnaryOp, Box<Expr>, Span),
    Binary(BinaryOp, Box<(Expr, Expr)>),
    /// `#S`
    Count(SetExpr, Span),
    /// `@(S, i)`
    Element(SetExpr, Box<Expr>, Span),
}

impl Expr {
    pub fn span(&self) -> Span {
        match self {
            Self::Number(_, span)
            | Self::Unary(_, _, span)
            | Self::Count(_, span)
            | Self::Element(_, _, span) => span.clone(),
            Self::Name(name) => name.span.clone(),
            Self::Quoted(labels) => labels.span.clone(),
            Self::Binary(_, sides) => sides.0.span().start..sides.1.span().end,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Negate,
    Plus,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}
