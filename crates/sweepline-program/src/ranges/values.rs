//! What others may ask about values.

use sweepline_core::{Limits, SlotId, StopReason};

use crate::interval::Interval;
use crate::ir::{Action, Effect, Expr, Program};

use super::{Analysis, Grain, Point};

/// Which values the slots of a program can have, for all times and when an action fires.
///
/// ```
/// use sweepline_program::{Effect, Expr, ProgramBuilder, SlotType, ValueRanges};
///
/// let mut program = ProgramBuilder::new("counter");
/// let n = program.slot("n", SlotType::integer(0, 255), 0);
/// let process = program.process("P");
/// let run = program.location(process, "run");
/// program
///     .action("count", process, run, run)
///     .guard(Expr::slot(n).less(3))
///     .effect(Effect::assign(n, Expr::slot(n).plus(1)));
/// let program = program.build()?;
///
/// let ranges = ValueRanges::new(&program);
/// assert_eq!(ranges.of(n), (0, 3));
/// let values = ranges.before(&program.actions()[0]).unwrap();
/// assert_eq!(values.of(&Expr::slot(n)), (0, 2));
/// # Ok::<(), sweepline_program::ProgramError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ValueRanges<'p> {
    pub(super) analysis: Analysis<'p>,
}

/// What is known about values at some point of an action.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    point: Point<'a>,
}

impl<'p> ValueRanges<'p> {
    /// Analyses a program; every element of an array is looked at for itself.
    pub fn new(program: &'p Program) -> Self {
        Self::within(program, &Limits::default()).expect("there are no limits")
    }

    /// Analyses a program within limits.
    pub fn within(program: &'p Program, limits: &Limits) -> Result<Self, StopReason> {
        let mut analysis = Analysis::new(program, Grain::Elements);
        analysis.run(limits)?;
        Ok(Self { analysis })
    }

    /// The least and the greatest value a slot can have.
    pub fn of(&self, slot: SlotId) -> (i64, i64) {
        let cell = self.analysis.cells[slot.0 as usize];
        ends(self.analysis.always[cell.0 as usize])
    }

    /// What is known when an action fires, before its first effect; nothing if it can never fire.
    pub fn before(&self, action: &Action) -> Option<Values<'_>> {
        self.before_all(&[action])
    }

    /// What is known where several actions can fire; nothing if there is no such state.
    pub fn before_all(&self, actions: &[&Action]) -> Option<Values<'_>> {
        let moves = actions.iter().flat_map(|action| &action.moves);
        let mut point = Point {
            analysis: &self.analysis,
            known: self.analysis.before(moves)?,
        };
        let mut guards = actions.iter().map(|action| &action.guard);
        guards
            .all(|guard| point.assume(guard, true))
            .then_some(Values { point })
    }
}

impl Values<'_> {
    /// The least and the greatest value an expression can have.
    pub fn of(&self, expr: &Expr) -> (i64, i64) {
        ends(self.point.eval(expr))
    }

    /// Whether an expression may have no value: an index out of bounds, a division by zero.
    pub fn may_fail(&self, expr: &Expr) -> bool {
        self.point.may_fail(expr)
    }

    /// Keeps to states in which a condition is true, or false. Says whether there can be any.
    pub fn assume(&mut self, condition: &Expr, truth: bool) -> bool {
        self.point.assume(condition, truth)
    }

    /// What is known after an effect. Says whether it can succeed.
    pub fn execute(&mut self, effect: &Effect) -> bool {
        self.point.run(effect, &mut Vec::new())
    }
}

fn ends(interval: Interval) -> (i64, i64) {
    (interval.least, interval.greatest)
}
