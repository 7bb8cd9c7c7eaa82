//! Inscriptions, ready to be evaluated, and what is known of them.

use crate::ml::{ConstantId, VariableId};

/// An inscription, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Expression {}

impl Expression {
    /// The CPN variables that occur, each once, in the order of their numbers.
    pub fn variables(&self) -> &[VariableId] {
        todo!()
    }
    /// What evaluation depends on besides the binding.
    pub fn effects(&self) -> &Effects {
        todo!()
    }
    /// x
    pub fn token_count(&self) -> Option<u64> {
        todo!()
    }
    /// What it looks like, for binding plans.
    pub fn shape(&self) -> &Shape {
        todo!()
    }
    /// Whether tokens can get a delay from the inscription itself.
    pub fn has_delays(&self) -> bool {
        todo!()
    }
}

/// What evaluation depends on besides the binding, through all functions that are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// It reads the clock: `time()`, or a stamp `c @ t`.
    pub time: bool,
    /// The random functions it calls, by name.
    pub random: Vec<String>,
    /// The reference variables it reads or writes, by name.
    pub references: Vec<String>,
    /// Whether it may call a function that does something to the outside: output, files.
    pub outside: Vec<String>,
}

/// What an inscription looks like.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A sum of terms, whose patterns can be matched with tokens. A single token is one term.
    Sum(Vec<Term>),
    /// `left = right` of a guard, where at least one side is a pattern with variables.
    Equality(Pattern, Pattern),
    /// Anything else: it can be evaluated when its variables are bound.
    Computed,
}

/// So many tokens of one colour.
#[derive(Clone, Debug)]
pub struct Term {
    /// How many.
    pub count: Count,
    /// Of which colour.
    pub pattern: Pattern,
    /// With which delay, if one is written.
    pub delay: Option<Expression>,
}

/// How many tokens.
#[derive(Clone, Debug)]
pub enum Count {
    /// So many.
    Fixed(i64),
    /// As many as an expression says ([`crate::ml::Machine::value`], an integer).
    Computed(Expression),
}

/// The form of a value.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A CPN variable.
    Variable(VariableId),
    /// A value ([`crate::ml::Machine::constant`]).
    Constant(ConstantId),
    /// Anything, where the language allows `_`.
    Any,
    /// Fields in the table: a product, a record, head and tail of a list, or constructor (a constant) and argument.
    Fields(Vec<Pattern>),
    /// The value of an expression ([`crate::ml::Machine::value`]).
    Computed(Expression),
}

/// A code segment without effects: `output` variables get the values of the action.
#[derive(Clone, Debug)]
pub struct CodeSegment {
    /// The variables it names as input.
    pub input: Vec<VariableId>,
    /// The variables that get a value.
    pub output: Vec<VariableId>,
    /// What is computed: one value for a single output, a product for several, `()` for none.
    pub action: Expression,
}
