//! The declarations of a model, and the inscriptions that use them.

use crate::ml::{ColourDecl, ColourId, Colours, Expression, Machine, MlErrors, Origin};

/// The number of a CPN variable, among all of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub(crate) u32);

impl VariableId {
    /// The place of the variable in a binding.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an inscription is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Exactly one token. Evaluate with [`Machine::value`].
    Token(ColourId),
    /// An arc inscription: tried as a token first, then as a multiset; on timed colour sets also with delays.
    /// Evaluate with [`Machine::tokens`].
    Arc(ColourId),
    /// An initial marking, tried in the same way. It has no variables.
    Marking(ColourId),
    /// A truth value. Evaluate with [`Machine::truth`].
    Bool,
    /// An integer, for priorities and measures. Evaluate with [`Machine::value`].
    Int,
    /// `@+ expression`, or the expression alone. Evaluate with [`Machine::delay`].
    Delay,
}

/// The declarations of a model, in their order, and the machine that evaluates.
#[derive(Debug)]
pub struct Declarations {}

impl Declarations {
    /// Only what every model has: the types, operators and functions of the language.
    pub fn new() -> Self {
        todo!()
    }
    /// Declares a colour set. If something is wrong with it, the name is known as one that cannot be used.
    pub fn colour_set(
        &mut self,
        name: &str,
        decl: &ColourDecl,
        timed: bool,
        origin: &Origin,
    ) -> Result<ColourId, MlErrors> {
        let _ = (name, decl, timed, origin);
        todo!()
    }
    /// Declares CPN variables of a colour set.
    pub fn variables(
        &mut self,
        names: &[&str],
        colour: &str,
        origin: &Origin,
    ) -> Result<Vec<VariableId>, MlErrors> {
        let _ = (names, colour, origin);
        todo!()
    }
    /// Reads declarations as text: `colset`, `var`, `val`, `fun`, `exception`, `local`, `datatype`, `type`, `infix`, `globref`.
    /// All errors are collected; what is right is declared nevertheless. `use` is never executed.
    pub fn declare(&mut self, text: &str, origin: &Origin) -> Result<(), MlErrors> {
        let _ = (text, origin);
        todo!()
    }
    /// Declares a reference variable. Whoever reads or writes it is impure.
    pub fn reference(&mut self, name: &str, text: &str, origin: &Origin) -> Result<(), MlErrors> {
        let _ = (name, text, origin);
        todo!()
    }
    /// Reads an inscription.
    pub fn expression(
        &mut self,
        text: &str,
        expect: Expect,
        origin: &Origin,
    ) -> Result<Expression, MlErrors> {
        let _ = (text, expect, origin);
        todo!()
    }
    /// Reads a guard: one truth value, or a list of them. Returns the conjuncts.
    pub fn guard(&mut self, text: &str, origin: &Origin) -> Result<Vec<Expression>, MlErrors> {
        let _ = (text, origin);
        todo!()
    }
    /// Reads a code segment: `input (x, y); output (z); action …`.
    pub fn code_segment(
        &mut self,
        text: &str,
        origin: &Origin,
    ) -> Result<super::CodeSegment, MlErrors> {
        let _ = (text, origin);
        todo!()
    }
    /// x
    pub fn override_value(&mut self, name: &str, value: i64) {
        let _ = (name, value);
        todo!()
    }
    /// x
    pub fn unused_overrides(&self) -> Vec<String> {
        todo!()
    }
    /// x
    pub fn integer_constants(&self) -> Vec<(String, i64)> {
        todo!()
    }
    /// x
    pub fn marking_variable(&mut self, name: &str, colour: ColourId) -> VariableId {
        let _ = (name, colour);
        todo!()
    }
    /// All colour sets.
    pub fn colours(&self) -> &Colours {
        todo!()
    }
    /// How many CPN variables there are: the length of a binding.
    pub fn variable_count(&self) -> usize {
        todo!()
    }
    /// The CPN variable of this name.
    pub fn variable(&self, name: &str) -> Option<VariableId> {
        let _ = name;
        todo!()
    }
    /// The name of a CPN variable.
    pub fn variable_name(&self, variable: VariableId) -> &str {
        let _ = variable;
        todo!()
    }
    /// The colour set of a CPN variable.
    pub fn variable_colour(&self, variable: VariableId) -> ColourId {
        let _ = variable;
        todo!()
    }
    /// All values of a colour set in their order; nothing if there are more than `most`.
    pub fn all_values(&mut self, colour: ColourId, most: u64) -> Option<Vec<crate::ml::Value>> {
        let _ = (colour, most);
        todo!()
    }
    /// Who evaluates.
    pub fn machine(&self) -> &Machine {
        todo!()
    }
    /// Who evaluates.
    pub fn machine_mut(&mut self) -> &mut Machine {
        todo!()
    }
}
