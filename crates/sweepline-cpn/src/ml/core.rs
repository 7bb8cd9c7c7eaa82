//! What is left of a text when names and types are resolved.

use crate::ml::primitives::Primitive;
use crate::ml::{ColourId, ConstantId, Value, VariableId};

/// A name that is bound inside a text. Each binding has a number of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Local(pub u32);

/// The number of a function of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FunctionId(pub u32);

/// A field of a record, whose position is known when all types are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(pub u32);

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Core {
    /// An integer, position or character.
    Value(Value),
    Constant(ConstantId),
    Local(Local),
    Variable(VariableId),
    /// A value that was declared.
    Global(u32),
    /// A function that was declared, as a value.
    Function(FunctionId),
    /// A primitive function with all its arguments.
    Primitive(Primitive, Vec<Core>),
    /// A declared function with all its arguments, those of a tuple one by one.
    Call(FunctionId, Vec<Core>),
    Apply(Box<Core>, Box<Core>),
    Fields(Vec<Core>),
    /// A constructor with an argument.
    Construct(i32, Box<Core>),
    /// An element of an index colour set, which has bounds.
    Index(ColourId, Box<Core>),
    Field(Box<Core>, Slot),
    List(Vec<Core>),
    If(Box<[Core; 3]>),
    Match(Box<Match>),
    Lambda(Box<Lambda>),
    /// Functions that may call each other, and what uses them.
    Functions(Vec<(Local, Lambda)>, Box<Core>),
    Sequence(Vec<Core>),
    Raise(Box<Core>),
    /// What is tried; where the exception is; what is done about it.
    Handle(Box<(Core, Local, Core)>),
    /// A reference variable, by its number.
    Reference(u32),
}

/// The first row whose forms all fit decides.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub subjects: Vec<Core>,
    pub rows: Vec<(Vec<Form>, Core)>,
    pub otherwise: Otherwise,
}

/// What happens if no row fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Otherwise {
    /// The exception `Match`.
    Match,
    /// The exception `Bind`.
    Bind,
    /// The first subject, an exception, is raised again.
    Again,
}

/// A form that a value may have.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Any,
    Bind(Local),
    Both(Local, Box<Form>),
    Value(Value),
    Constant(ConstantId),
    Fields(Vec<(At, Form)>),
    /// A constructor with an argument.
    Construct(i32, Box<Form>),
    Cons(Box<[Form; 2]>),
}

/// Which field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Known(usize),
    Slot(Slot),
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Lambda {
    pub parameters: Vec<Local>,
    /// Whether the parameters are the parts of one tuple; otherwise they come one after the other.
    pub unpacked: bool,
    pub body: Core,
}

impl Core {
    /// Calls a function for this expression and all inside it.
    pub fn visit(&self, see: &mut dyn FnMut(&Core)) {
        see(self);
        match self {
            Self::Primitive(_, all)
            | Self::Call(_, all)
            | Self::Fields(all)
            | Self::List(all)
            | Self::Sequence(all) => all.iter().for_each(|part| part.visit(see)),
            Self::Apply(function, argument) => {
                function.visit(see);
                argument.visit(see);
            }
            Self::Construct(_, inner)
            | Self::Index(_, inner)
            | Self::Field(inner, _)
            | Self::Raise(inner) => inner.visit(see),
            Self::If(all) => all.iter().for_each(|part| part.visit(see)),
            Self::Match(rows) => {
                rows.subjects.iter().for_each(|part| part.visit(see));
                rows.rows.iter().for_each(|(_, body)| body.visit(see));
            }
            Self::Lambda(lambda) => lambda.body.visit(see),
            Self::Functions(all, body) => {
                for (_, lambda) in all {
                    lambda.body.visit(see);
                }
                body.visit(see);
            }
            Self::Handle(parts) => {
                parts.0.visit(see);
                parts.2.visit(see);
            }
            Self::Value(_)
            | Self::Constant(_)
            | Self::Local(_)
            | Self::Variable(_)
            | Self::Global(_)
            | Self::Function(_)
            | Self::Reference(_) => {}
        }
    }
}
