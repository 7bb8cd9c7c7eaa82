//! Programs as native code.
//!
//! The code follows the same lowered form as the interpreter. Whatever is unusual (an error of the model, or a rare case
//! that is not worth code) makes it give up on a state, which is then interpreted: so both back ends agree, message for
//! message.

mod actions;
mod expressions;
mod functions;
mod native;
mod size;
mod stores;

use sweepline_core::{
    ActionId, AnySystem, Describe, Layout, Limits, Steps, StopReason, System, Word,
};

use crate::conditions::{Conditions, PER_WORD};
use crate::interpreter::ProgramSystem;
use crate::ir::{Expr, Program};
use crate::lower::{Lowered, Lowering};
use native::{ConditionsCode, MeasureCode, Successors};

/// A program that is compiled to native code. It has the same steps, in the same order, as the [`ProgramSystem`] it is
/// made from.
pub struct CompiledSystem {
    interpreter: ProgramSystem,
    successors: Successors,
    /// How many steps a state has at most.
    room: usize,
}

/// An expression over the slots of a program, compiled to native code.
pub struct CompiledExpr {
    code: MeasureCode,
    interpreter: ProgramSystem,
    expr: Expr,
}

/// Conditions over the slots of a program, compiled to one function.
pub struct CompiledConditions(ConditionsCode);

impl CompiledConditions {
    /// Compiles some of many conditions, by their positions. States have so many words.
    pub fn new(
        conditions: &Conditions,
        wanted: impl Fn(usize) -> bool,
        width: usize,
    ) -> Result<Self, CompileError> {
        let all = conditions.nodes().iter().enumerate();
        let wanted: Vec<_> = all.filter(|(position, _)| wanted(*position)).collect();
        Ok(Self(functions::compile_conditions(&wanted, width)?))
    }

    /// Writes what holds in a state, as [`Conditions::write`] does for all of them. What it gives up on gets neither bit.
    /// Words without a condition that is compiled are left alone.
    ///
    /// # Panics
    /// If there is not enough room.
    #[inline]
    pub fn write(&self, state: &[Word], truths: &mut [Word]) {
        self.0.call(state, truths);
    }
}

impl std::fmt::Debug for CompiledConditions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledConditions").finish_non_exhaustive()
    }
}

/// There is no native code; the interpreter can do the work unless the time is over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The machine cannot do it.
    #[error("cannot compile to native code: {0}")]
    Machine(String),
    /// It is not worth the time: interpreting is quicker.
    #[error("too large to be compiled to native code")]
    TooLarge,
    /// It takes more memory than allowed.
    #[error("not compiled to native code: {0}")]
    Memory(StopReason),
    /// Whoever started it wants everything to end.
    #[error("{0}")]
    Stopped(StopReason),
}

impl CompileError {
    /// Why everything is to end, if that is it. In all other cases the interpreter can go on.
    pub fn stopped(&self) -> Option<&StopReason> {
        match self {
            Self::Stopped(reason) => Some(reason),
            Self::Machine(_) | Self::TooLarge | Self::Memory(_) => None,
        }
    }
}

impl From<StopReason> for CompileError {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Memory { .. } | StopReason::OutOfMemory => Self::Memory(reason),
            _ => Self::Stopped(reason),
        }
    }
}

impl CompiledSystem {
    /// Compiles a program, however long it takes.
    pub fn new(interpreter: &ProgramSystem) -> Result<Self, CompileError> {
        Self::within(interpreter, &Limits::default())
    }

    /// Compiles a program within limits.
    pub fn within(interpreter: &ProgramSystem, limits: &Limits) -> Result<Self, CompileError> {
        let lowered = interpreter.lowered();
        Ok(Self {
            successors: functions::compile_successors(lowered, interpreter.width(), limits)?,
            room: most_steps(lowered),
            interpreter: interpreter.clone(),
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.interpreter.program()
    }

    /// The reference, which steps in where the compiled code gives up.
    pub fn interpreter(&self) -> &ProgramSystem {
        &self.interpreter
    }
}

impl CompiledExpr {
    /// Compiles an expression over the slots of a program.
    pub fn new(interpreter: &ProgramSystem, expr: &Expr) -> Result<Self, CompileError> {
        let lowering = Lowering::new(interpreter.program(), interpreter.layout());
        let (node, _) = lowering.expr(expr);
        Ok(Self {
            code: functions::compile_measure(&node, interpreter.width())?,
            interpreter: interpreter.clone(),
            expr: expr.clone(),
        })
    }

    /// The value in a state, or what goes wrong.
    #[inline]
    pub fn evaluate(&self, state: &[Word]) -> Result<i64, String> {
        match self.code.call(state) {
            Some(value) => Ok(value),
            None => self.interpreter.evaluate(&self.expr, state),
        }
    }
}

/// How many steps a state has at most: every process takes the location with the most actions.
fn most_steps(lowered: &Lowered) -> usize {
    let processes = lowered.processes.iter();
    let most = processes.map(|process| {
        let locations = process.locations.iter();
        locations.map(|location| location.actions.len()).max()
    });
    most.map(Option::unwrap_or_default).sum()
}

impl System for CompiledSystem {
    fn layout(&self) -> &Layout {
        self.interpreter.layout()
    }

    fn initial(&self, out: &mut Steps) {
        self.interpreter.initial(out);
    }

    #[inline]
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let mut gave_up = false;
        out.push_many(self.room, |words, actions| {
            let count = self.successors.call(state, words, actions);
            gave_up = count.is_none();
            count.unwrap_or(0)
        });
        if gave_up {
            self.interpreter.successors(state, out);
        }
    }

    fn is_end(&self, state: &[Word]) -> bool {
        self.interpreter.is_end(state)
    }
}

impl Describe for CompiledSystem {
    fn actions(&self) -> &[String] {
        self.interpreter.actions()
    }

    fn step_name(&self, source: &[Word], ordinal: usize, action: ActionId) -> String {
        self.interpreter.step_name(source, ordinal, action)
    }

    fn lines(&self, action: ActionId) -> Vec<usize> {
        self.interpreter.lines(action)
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        self.interpreter.show(state)
    }
}

impl AnySystem for CompiledSystem {}

impl std::fmt::Debug for CompiledSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledSystem")
            .field("program", &self.program().name())
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for CompiledExpr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CompiledExpr").field(&self.expr).finish()
    }
}

impl From<cranelift_module::ModuleError> for CompileError {
    fn from(error: cranelift_module::ModuleError) -> Self {
        Self::Machine(error.to_string())
    }
}
