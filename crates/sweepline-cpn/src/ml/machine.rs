//! The machine that evaluates.

mod lists;
mod multisets;
mod native;
mod numbers;
mod run;
mod texts;

pub(crate) use texts::real_shown;

use std::collections::HashMap;

use crate::ml::code::{Code, Function, Op};
use crate::ml::core::{FunctionId, Lambda};
use crate::ml::expression::Direct;
use crate::ml::{Colours, Expression, Failure, Renumbering, Value, Values};

/// The number of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantId(pub(crate) u32);

/// How much one evaluation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Calls of functions, elements of lists that are made or walked, and parts of values that are looked at or written.
    pub steps: u64,
    /// Calls inside calls.
    pub depth: usize,
    /// Lists, tuples and strings that were not there before.
    pub values: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: 10_000_000,
            depth: 100_000,
            values: 4_000_000,
        }
    }
}

/// Tokens of one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// How many, at least one.
    pub count: u64,
    /// Of which colour.
    pub value: Value,
    /// How long after now they are ready.
    pub delay: i64,
}

/// Evaluates expressions; owns all values.
#[derive(Clone, Debug)]
pub struct Machine {
    values: Values,
    functions: Vec<Function>,
    constants: Vec<Value>,
    /// Which constant a value is.
    constant_numbers: HashMap<Value, u32>,
    globals: Vec<Value>,
    exceptions: Vec<String>,
    /// The names of reference variables.
    references: Vec<String>,
    /// What functions of colour sets need to know.
    colours: Colours,
    time: i64,
    clock_read: bool,
    budget: Budget,
    /// How many values there may be while an expression is evaluated.
    most_values: usize,
    choices: Option<Choices>,
    stack: Vec<Value>,
    frames: Vec<run::Frame>,
    handlers: Vec<run::Handler>,
}

/// Which values random functions return.
#[derive(Clone, Debug, Default)]
struct Choices {
    /// The choice and the number of possibilities, for each call of a random function.
    made: Vec<(u64, u64)>,
    /// How many calls there have been this time.
    calls: usize,
}

/// Exceptions that the machine raises itself, in the order of their numbers.
pub(crate) const EXCEPTIONS: [&str; 12] = [
    "Match",
    "Bind",
    "Div",
    "Overflow",
    "Subscript",
    "Empty",
    "Chr",
    "Size",
    "Subtract",
    "Domain",
    "OutOfRange",
    "Fail",
];

impl Machine {
    pub(crate) fn new() -> Self {
        Self {
            values: Values::default(),
            functions: Vec::new(),
            constants: Vec::new(),
            constant_numbers: HashMap::new(),
            globals: Vec::new(),
            exceptions: EXCEPTIONS.iter().map(ToString::to_string).collect(),
            references: Vec::new(),
            colours: Colours::default(),
            time: 0,
            clock_read: false,
            budget: Budget::default(),
            most_values: 0,
            choices: None,
            stack: Vec::new(),
            frames: Vec::new(),
            handlers: Vec::new(),
        }
    }

    /// The values.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The values.
    pub fn values_mut(&mut self) -> &mut Values {
        &mut self.values
    }

    /// The value of a constant of a pattern.
    #[inline]
    pub fn constant(&self, constant: ConstantId) -> Value {
        self.constants[constant.0 as usize]
    }

    /// The clock that `time()` reads.
    pub fn time(&self) -> i64 {
        self.time
    }

    /// Sets the clock that `time()` reads.
    #[inline]
    pub fn set_time(&mut self, time: i64) {
        self.time = time;
    }

    /// Sets how much one evaluation may take.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// The value of an expression.
    #[inline]
    pub fn value(&mut self, expression: &Expression, binding: &[Value]) -> Result<Value, Failure> {
        if let Some(Direct::Value(quick)) = expression.direct()
            && let Some(value) = self.quick(quick, binding)
        {
            return Ok(value);
        }
        self.run(expression.code(), binding, &mut Vec::new())
    }

    /// Whether a condition holds.
    #[inline]
    pub fn truth(&mut self, expression: &Expression, binding: &[Value]) -> Result<bool, Failure> {
        Ok(self.value(expression, binding)? == Value::TRUE)
    }

    /// A delay.
    pub fn delay(&mut self, expression: &Expression, binding: &[Value]) -> Result<i64, Failure> {
        let delay = self.value(expression, binding)?.as_int().unwrap_or(0);
        if delay < 0 {
            Err(Failure::NegativeDelay(delay))
        } else {
            Ok(delay)
        }
    }

    /// Appends the tokens of an inscription to `out`. The same colour may come more than once.
    #[inline]
    pub fn tokens(
        &mut self,
        expression: &Expression,
        binding: &[Value],
        out: &mut Vec<Tokens>,
    ) -> Result<(), Failure> {
        if let Some(Direct::Tokens(quick)) = expression.direct() {
            let before = out.len();
            if self.quick_tokens(quick, binding, 0, out).is_some() {
                return Ok(());
            }
            out.truncate(before);
        }
        self.run(expression.code(), binding, out)?;
        Ok(())
    }

    /// From now on random functions return the first value of their range, until [`Machine::next_choice`] says otherwise.
    ///
    /// A step is evaluated completely after this call and after each `next_choice` that is true.
    pub fn start_choices(&mut self) {
        self.choices = Some(Choices::default());
    }

    /// Whether there is another combination of random values since the last start. Evaluate the step again with it if so;
    /// otherwise random functions are refused again.
    pub fn next_choice(&mut self) -> bool {
        let Some(choices) = &mut self.choices else {
            return false;
        };
        choices.made.truncate(choices.calls);
        choices.calls = 0;
        // The last call that has another possibility gets it; what comes behind may be called differently then.
        while let Some((made, of)) = choices.made.last_mut() {
            *made += 1;
            if *made < *of {
                return true;
            }
            choices.made.pop();
        }
        self.choices = None;
        false
    }

    /// One of so many possibilities.
    fn choose(&mut self, name: &str, of: u64) -> Result<u64, Failure> {
        let Some(choices) = &mut self.choices else {
            return Err(Failure::Random(name.to_string()));
        };
        let call = choices.calls;
        choices.calls += 1;
        if call == choices.made.len() {
            choices.made.push((0, of));
        }
        Ok(choices.made[call].0)
    }

    /// The same machine without the contents that nobody needs: the first `whole` stay what they are, those of constants and
    /// of the values to keep get other numbers, all other values are void there.
    pub fn compacted(
        &self,
        whole: usize,
        keep: impl Iterator<Item = Value>,
    ) -> (Self, Renumbering) {
        let own = self.constants.iter().chain(&self.globals).copied();
        let all = self.colours.listed().chain(own).chain(keep);
        let (values, numbers) = self.values.compacted(whole, all);
        let renumbered = |values: &[Value]| -> Vec<Value> {
            values.iter().map(|value| numbers.map(*value)).collect()
        };
        let constants = renumbered(&self.constants);
        let mut colours = self.colours.clone();
        colours.renumber(&numbers);
        let machine = Self {
            values,
            functions: self.functions.clone(),
            constant_numbers: constants.iter().copied().zip(0..).collect(),
            constants,
            globals: renumbered(&self.globals),
            exceptions: self.exceptions.clone(),
            references: self.references.clone(),
            colours,
            time: self.time,
            clock_read: self.clock_read,
            budget: self.budget,
            most_values: 0,
            choices: None,
            stack: Vec::new(),
            frames: Vec::new(),
            handlers: Vec::new(),
        };
        (machine, numbers)
    }

    pub(crate) fn add_constant(&mut self, value: Value) -> ConstantId {
        let next = small(self.constants.len());
        let number = *self.constant_numbers.entry(value).or_insert(next);
        if number == next {
            self.constants.push(value);
        }
        ConstantId(number)
    }

    /// A place for a function, which is compiled later.
    pub(crate) fn add_function(&mut self, lambda: &Lambda) -> FunctionId {
        self.functions.push(Function {
            parameters: small(lambda.parameters.len()),
            unpacked: lambda.unpacked,
            code: Code::default(),
        });
        FunctionId(small(self.functions.len() - 1))
    }

    pub(crate) fn set_function(&mut self, id: FunctionId, function: Function) {
        self.functions[id.0 as usize] = function;
    }

    /// How many parameters a function has, and whether they are the parts of one tuple.
    pub(crate) fn signature(&self, id: FunctionId) -> (u32, bool) {
        let function = &self.functions[id.0 as usize];
        (function.parameters, function.unpacked)
    }

    pub(crate) fn add_global(&mut self, value: Value) -> u32 {
        self.globals.push(value);
        small(self.globals.len() - 1)
    }

    pub(crate) fn global(&self, number: u32) -> Value {
        self.globals[number as usize]
    }

    pub(crate) fn add_reference(&mut self, name: &str) -> u32 {
        self.references.push(name.to_string());
        small(self.references.len() - 1)
    }

    pub(crate) fn add_exception(&mut self, name: &str) -> i32 {
        self.exceptions.push(name.to_string());
        i32::try_from(self.exceptions.len() - 1).expect("fewer exceptions than characters")
    }

    pub(crate) fn function_count(&self) -> usize {
        self.functions.len()
    }

    pub(crate) fn reference_name(&self, reference: u32) -> &str {
        &self.references[reference as usize]
    }

    /// All values of a colour set in their order, if they are not too many.
    pub(crate) fn enumerate(&mut self, colour: crate::ml::ColourId) -> Option<Vec<Value>> {
        self.colours.enumerate(colour, &mut self.values)
    }

    /// The value as the code has it, which is the reference.
    #[cfg(test)]
    pub(crate) fn value_by_code(
        &mut self,
        expression: &Expression,
        binding: &[Value],
    ) -> Result<Value, Failure> {
        self.run(expression.code(), binding, &mut Vec::new())
    }

    /// The tokens as the code has them, which is the reference.
    #[cfg(test)]
    pub(crate) fn tokens_by_code(
        &mut self,
        expression: &Expression,
        binding: &[Value],
    ) -> Result<Vec<Tokens>, Failure> {
        let mut out = Vec::new();
        self.run(expression.code(), binding, &mut out)?;
        Ok(out)
    }

    /// The value of code that has no variables.
    pub(crate) fn run_code(&mut self, code: &Code) -> Result<Value, Failure> {
        self.run(code, &[], &mut Vec::new())
    }

    /// What a function that is a value makes of an argument.
    pub(crate) fn apply_once(
        &mut self,
        function: Value,
        argument: Value,
    ) -> Result<Value, Failure> {
        let ops = vec![
            Op::Push(function),
            Op::Push(argument),
            Op::Apply,
            Op::Return,
        ];
        self.run(&Code { ops, locals: 0 }, &[], &mut Vec::new())
    }

    /// Whether the clock was read since this was asked last.
    pub(crate) fn clock_was_read(&mut self) -> bool {
        std::mem::take(&mut self.clock_read)
    }

    pub(crate) fn colours(&self) -> &Colours {
        &self.colours
    }

    pub(crate) fn colours_mut(&mut self) -> &mut Colours {
        &mut self.colours
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("tables of a model are smaller than its text")
}
