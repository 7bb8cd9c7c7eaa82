//! Nets whose inscriptions are compiled.

use crate::ml::{CodeSegment, ColourId, Expression, Tokens, VariableId};
use crate::plan::Plan;

/// A net, ready to be executed. Markings are not part of it.
#[derive(Debug)]
pub(crate) struct Net {
    pub(crate) places: Vec<Place>,
    pub(crate) transitions: Vec<Transition>,
    /// Whether tokens of some place have time stamps.
    pub(crate) is_timed: bool,
}

/// A place, or several that are one.
#[derive(Debug)]
pub(crate) struct Place {
    /// Every name it has, the one it is shown by first.
    pub(crate) names: Vec<String>,
    pub(crate) colour: ColourId,
    pub(crate) kind: Kind,
    pub(crate) is_timed: bool,
    pub(crate) initial: Vec<Tokens>,
}

/// What the values of a colour set are, as far as slots can show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Integers.
    Integer,
    /// Integers with names: those of an enumeration, which may be a larger colour set.
    Named(ColourId),
    /// Something else.
    Other,
}

impl Place {
    pub(crate) fn name(&self) -> &str {
        &self.names[0]
    }
}

/// An instance of a transition.
#[derive(Debug)]
pub(crate) struct Transition {
    pub(crate) name: String,
    /// The line of the file where it begins.
    pub(crate) line: usize,
    pub(crate) inputs: Vec<Arc>,
    pub(crate) outputs: Vec<Arc>,
    /// Places that must be empty.
    pub(crate) inhibitors: Vec<usize>,
    /// Places whose tokens are all taken, whatever they are.
    pub(crate) resets: Vec<usize>,
    pub(crate) guard: Vec<Expression>,
    pub(crate) delay: Option<Expression>,
    pub(crate) code: Option<CodeSegment>,
    /// Smaller numbers come first.
    pub(crate) priority: i64,
    /// All variables, those of which code segments say the value included.
    pub(crate) variables: Vec<VariableId>,
    pub(crate) plan: Plan,
    /// Whether what it does depends on the clock.
    pub(crate) reads_time: bool,
    /// Whether it calls random functions.
    pub(crate) is_random: bool,
}

/// An arc of a transition.
#[derive(Debug)]
pub(crate) struct Arc {
    pub(crate) place: usize,
    pub(crate) expression: Expression,
    /// The arc of the page that it comes from: both directions of one have the same number.
    pub(crate) origin: usize,
    /// Whether something is subtracted or negated in its text.
    pub(crate) subtracts: bool,
}

impl Transition {
    /// The places whose markings decide what it does, perhaps more than once.
    pub(crate) fn looks_at(&self) -> impl Iterator<Item = usize> {
        let inputs = self.inputs.iter().map(|arc| arc.place);
        let others = self.inhibitors.iter().chain(&self.resets);
        inputs.chain(others.copied())
    }

    /// Every expression that is evaluated when it occurs.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let arcs = self.inputs.iter().chain(&self.outputs);
        let code = self.code.as_ref().map(|code| &code.action);
        arcs.map(|arc| &arc.expression)
            .chain(&self.guard)
            .chain(&self.delay)
            .chain(code)
    }
}
