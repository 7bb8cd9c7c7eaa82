//! Inscriptions, ready to be evaluated, and what is known of them.

use std::sync::Arc;

use crate::ml::code::Code;
use crate::ml::quick::{Quick, QuickTokens};
use crate::ml::{ConstantId, VariableId};

/// An inscription, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Expression {
    code: Arc<Code>,
    /// The same in a form that is evaluated directly, if it is small enough.
    quick: Option<Arc<Direct>>,
    variables: Arc<[VariableId]>,
    effects: Arc<Effects>,
    shape: Arc<Shape>,
    delays: bool,
}

impl Expression {
    pub(crate) fn new(code: Code, quick: Option<Direct>, known: Facts, shape: Shape) -> Self {
        Self {
            code: Arc::new(code),
            quick: quick.map(Arc::new),
            variables: known.variables.into(),
            effects: Arc::new(known.effects),
            shape: Arc::new(shape),
            delays: known.delays,
        }
    }

    /// The CPN variables that occur, each once, in the order of their numbers.
    pub fn variables(&self) -> &[VariableId] {
        &self.variables
    }

    /// What evaluation depends on besides the binding.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }

    /// What it looks like, for binding plans.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether tokens can get a delay from the inscription itself.
    pub fn has_delays(&self) -> bool {
        self.delays
    }

    #[inline]
    pub(crate) fn code(&self) -> &Code {
        &self.code
    }

    #[inline]
    pub(crate) fn direct(&self) -> Option<&Direct> {
        self.quick.as_deref()
    }
}

/// An expression or inscription that is evaluated directly.
#[derive(Clone, Debug)]
pub(crate) enum Direct {
    Value(Quick),
    Tokens(QuickTokens),
}

/// What is known of an expression.
#[derive(Default)]
pub(crate) struct Facts {
    pub variables: Vec<VariableId>,
    pub effects: Effects,
    /// Whether tokens can get a delay.
    pub delays: bool,
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
    /// The functions it calls that concern others than the model, by name: output, files, the simulator.
    pub outside: Vec<String>,
}

impl Effects {
    /// Whether the value is the same for the same binding at all times, and nothing else happens.
    pub fn is_pure(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what something else depends on.
    pub(crate) fn add(&mut self, other: &Self) {
        self.time |= other.time;
        let lists = [
            (&mut self.random, &other.random),
            (&mut self.references, &other.references),
            (&mut self.outside, &other.outside),
        ];
        for (all, more) in lists {
            all.extend(more.iter().cloned());
            all.sort();
            all.dedup();
        }
    }
}

/// What an inscription looks like.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A sum of terms, whose patterns can be matched with tokens. A single token is one term.
    Sum(Vec<Term>),
    /// `left = right` of a guard, or a variable alone that must be true.
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
    /// Fields in the table: a product, a record, head and tail of a list, or constructor (a constant) and argument.
    Fields(Vec<Pattern>),
    /// The value of an expression ([`crate::ml::Machine::value`]).
    Computed(Expression),
}

impl Pattern {
    /// The variables that get a value when the pattern is matched with a token.
    pub fn binds(&self, variables: &mut Vec<VariableId>) {
        match self {
            Self::Variable(variable) => variables.push(*variable),
            Self::Fields(parts) => parts.iter().for_each(|part| part.binds(variables)),
            Self::Constant(_) | Self::Computed(_) => {}
        }
    }
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
