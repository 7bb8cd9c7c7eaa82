//! The declarations of a model, and the inscriptions that use them.

mod colset;
mod given;
mod inscription;
mod standard;
mod top_level;

use crate::ml::environment::{Entity, Environment, TypeName};
use crate::ml::errors::{Checked, Report};
use crate::ml::parser::Parser;
use crate::ml::syntax::{Dec, DecKind, Span};
use crate::ml::{ColourDecl, ColourId, Colours, Machine, MlErrors, Origin, Renumbering, Value};

/// The number of a CPN variable, among all of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub(crate) u32);

impl VariableId {
    /// The place of the variable in a binding.
    #[inline]
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
///
/// ```
/// use sweepline_cpn::ml::{Declarations, Expect, Origin};
///
/// let mut model = Declarations::new();
/// let text = "colset NO = int; colset DATA = string; colset NOxDATA = product NO * DATA; var n: NO; var d: DATA;";
/// model.declare(text, &Origin::of_text("declarations", text)).unwrap();
/// let place = model.colours().find("NOxDATA").unwrap();
/// let text = "if n = 1 then 2`(n+1, d) else empty";
/// let arc = model.expression(text, Expect::Arc(place), &Origin::of_text("arc", text)).unwrap();
///
/// let machine = model.machine_mut();
/// let data = machine.values_mut().string("COL");
/// let binding = [sweepline_cpn::ml::Value::small(1), data];
/// let mut tokens = Vec::new();
/// machine.tokens(&arc, &binding, &mut tokens).unwrap();
/// assert_eq!(tokens[0].count, 2);
/// assert_eq!(model.colours().show(place, tokens[0].value, model.machine().values()), r#"(2,"COL")"#);
/// ```
#[derive(Clone, Debug)]
pub struct Declarations {
    environment: Environment,
    machine: Machine,
}

impl Default for Declarations {
    fn default() -> Self {
        Self::new()
    }
}

impl Declarations {
    /// Only what every model has: the types, operators and functions of the language.
    pub fn new() -> Self {
        let mut declarations = Self {
            environment: Environment::new(),
            machine: Machine::new(),
        };
        declarations.add_standard();
        declarations
    }

    /// Declares a colour set. If something is wrong with it, the name is known as one that cannot be used.
    pub fn colour_set(
        &mut self,
        name: &str,
        decl: &ColourDecl,
        timed: bool,
        origin: &Origin,
    ) -> Result<ColourId, MlErrors> {
        let text = origin.source().text();
        let mut report = Report::new(text, origin);
        let result = self.new_colour_set(name, decl, timed, &mut report);
        if result.is_err() {
            self.spoil(&[name.to_string()], &report);
            self.machine.colours_mut().forget(name);
        }
        report.finish(result)
    }

    /// Declares CPN variables of a colour set.
    pub fn variables(
        &mut self,
        names: &[&str],
        colour: &str,
        origin: &Origin,
    ) -> Result<Vec<VariableId>, MlErrors> {
        let text = origin.source().text();
        let mut report = Report::new(text, origin);
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let at = Span::new(0, text.len());
        let result = self.new_variables(&names, colour, at, &mut report);
        if result.is_err() {
            self.spoil(&names, &report);
        }
        report.finish(result)
    }

    /// Reads declarations as text: `colset`, `var`, `val`, `fun`, `exception`, `local`, `datatype`, `type`, `infix`, `globref`.
    /// All errors are collected; what is right is declared nevertheless. `use` is never executed.
    pub fn declare(&mut self, text: &str, origin: &Origin) -> Result<(), MlErrors> {
        let mut report = Report::new(text, origin);
        let decs = Parser::new(&mut report, &mut self.environment.fixities)
            .map(|mut parser| parser.program());
        let mut result = decs.as_ref().map(|_| ()).map_err(|reported| *reported);
        for dec in decs.unwrap_or_default() {
            let declared = self.declare_one(&dec, &mut report);
            if declared.is_err() || matches!(dec.kind, DecKind::Broken(_)) {
                self.spoil(&dec.names(), &report);
            }
            result = result.and(declared);
        }
        report.finish(result)
    }

    /// Declares a reference variable. Whoever reads or writes it is impure.
    pub fn reference(&mut self, name: &str, text: &str, origin: &Origin) -> Result<(), MlErrors> {
        let mut report = Report::new(text, origin);
        let expr =
            Parser::new(&mut report, &mut self.environment.fixities).and_then(|mut parser| {
                let expr = parser.expression()?;
                parser.expect_end()?;
                Ok(expr)
            });
        let result = expr.and_then(|expr| self.new_reference(name, &expr, &mut report));
        if result.is_err() {
            self.spoil(&[name.to_string()], &report);
        }
        report.finish(result)
    }

    fn declare_one(&mut self, dec: &Dec, report: &mut Report) -> Checked<()> {
        match &dec.kind {
            DecKind::Colset(colset) => {
                let result = self.new_colour_set(&colset.name, &colset.decl, colset.timed, report);
                result.map(|_| ())
            }
            DecKind::Variables(names, colour, at) => {
                self.new_variables(names, colour, *at, report).map(|_| ())
            }
            DecKind::Reference(name, expr) => self.new_reference(name, expr, report),
            _ => self.ordinary(dec, report),
        }
    }

    /// Makes names known as ones that cannot be used, with the last error as the reason.
    fn spoil(&mut self, names: &[String], report: &Report) {
        let why = report
            .errors
            .last()
            .map_or_else(String::new, crate::ml::MlError::cause);
        for name in names {
            self.environment
                .values
                .insert(name.clone(), Entity::Faulty(why.clone()));
            if self.machine.colours().find(name).is_none() {
                self.environment
                    .types
                    .insert(name.clone(), TypeName::Faulty(why.clone()));
            }
        }
    }

    fn new_variables(
        &mut self,
        names: &[String],
        colour: &str,
        at: Span,
        report: &mut Report,
    ) -> Checked<Vec<VariableId>> {
        let colour = self.find_colour(colour, at, report)?;
        let all = names.iter().map(|name| {
            let number =
                u32::try_from(self.environment.variables.len()).expect("fewer than characters");
            let variable = VariableId(number);
            self.environment.variables.push((name.clone(), colour));
            self.environment
                .values
                .insert(name.clone(), Entity::Variable(variable));
            variable
        });
        Ok(all.collect())
    }

    /// All colour sets.
    pub fn colours(&self) -> &Colours {
        self.machine.colours()
    }

    /// How many CPN variables there are: the length of a binding.
    pub fn variable_count(&self) -> usize {
        self.environment.variables.len()
    }

    /// The CPN variable of this name.
    pub fn variable(&self, name: &str) -> Option<VariableId> {
        match self.environment.values.get(name) {
            Some(Entity::Variable(variable)) => Some(*variable),
            _ => None,
        }
    }

    /// The name of a CPN variable.
    pub fn variable_name(&self, variable: VariableId) -> &str {
        &self.environment.variables[variable.index()].0
    }

    /// The colour set of a CPN variable.
    pub fn variable_colour(&self, variable: VariableId) -> ColourId {
        self.environment.variables[variable.index()].1
    }

    /// All values of a colour set in their order; nothing if there are more than `most`.
    pub fn all_values(&mut self, colour: ColourId, most: u64) -> Option<Vec<Value>> {
        self.colours().size(colour).filter(|size| *size <= most)?;
        self.machine.enumerate(colour)
    }

    /// The same declarations without the values that nobody needs; see [`Machine::compacted`].
    pub fn compacted(
        &self,
        whole: usize,
        keep: impl Iterator<Item = Value>,
    ) -> (Self, Renumbering) {
        let (machine, numbers) = self.machine.compacted(whole, keep);
        let environment = self.environment.clone();
        let declarations = Self {
            environment,
            machine,
        };
        (declarations, numbers)
    }

    /// Who evaluates.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Who evaluates.
    #[inline]
    pub fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }
}
