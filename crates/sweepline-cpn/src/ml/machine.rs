//! The machine that evaluates.

use crate::ml::{Expression, Failure, Renumbering, Value, Values};

/// The number of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantId(pub(crate) u32);

/// How much one evaluation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Instructions.
    pub steps: u64,
    /// Calls inside calls.
    pub depth: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: 20_000_000,
            depth: 100_000,
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
#[derive(Debug)]
pub struct Machine {}

impl Machine {
    /// The values.
    pub fn values(&self) -> &Values {
        todo!()
    }
    /// The values.
    pub fn values_mut(&mut self) -> &mut Values {
        todo!()
    }
    /// The value of a constant of a pattern.
    pub fn constant(&self, constant: ConstantId) -> Value {
        let _ = constant;
        todo!()
    }
    /// Sets the clock that `time()` reads.
    pub fn set_time(&mut self, time: i64) {
        let _ = time;
        todo!()
    }
    /// Sets how much one evaluation may take.
    pub fn set_budget(&mut self, budget: Budget) {
        let _ = budget;
        todo!()
    }
    /// The value of an expression.
    pub fn value(&mut self, expression: &Expression, binding: &[Value]) -> Result<Value, Failure> {
        let _ = (expression, binding);
        todo!()
    }
    /// Whether a condition holds.
    pub fn truth(&mut self, expression: &Expression, binding: &[Value]) -> Result<bool, Failure> {
        let _ = (expression, binding);
        todo!()
    }
    /// A delay.
    pub fn delay(&mut self, expression: &Expression, binding: &[Value]) -> Result<i64, Failure> {
        let _ = (expression, binding);
        todo!()
    }
    /// Appends the tokens of an inscription to `out`. The same colour may come more than once.
    pub fn tokens(
        &mut self,
        expression: &Expression,
        binding: &[Value],
        out: &mut Vec<Tokens>,
    ) -> Result<(), Failure> {
        let _ = (expression, binding, out);
        todo!()
    }
    /// From now on random functions return the first value of their range, until [`Machine::next_choice`] says otherwise.
    ///
    /// A step is evaluated completely after this call and after each `next_choice` that is true.
    pub fn start_choices(&mut self) {
        todo!()
    }
    /// Whether there is another combination of random values since the last start. Evaluate the step again with it if so;
    /// otherwise random functions are refused again.
    pub fn next_choice(&mut self) -> bool {
        todo!()
    }
    /// Forgets all contents but those of constants and of the values to keep. All other values are void afterwards.
    pub fn compact(&mut self, keep: impl Iterator<Item = Value>) -> Renumbering {
        let _ = keep;
        todo!()
    }
}
