//! Whether a program can go wrong: checks that intervals do not rule out.

use crate::interval::{Interval, Operate};
use crate::ir::{
    Action, Assertion, BinaryOp, Channel, Effect, Expr, LocationId, Overflow, Place, ProcessId,
    Program,
};

use super::{Point, ValueRanges, declared};

/// Where an action may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// When its guard is asked, so perhaps where it is not enabled.
    Guard,
    /// When its effects are executed.
    Effects,
}

impl Program {
    /// Whether some reachable state may violate an assertion or have a step that fails: a value out of range, an index
    /// out of bounds, a division by zero, a channel without room or message.
    ///
    /// The answer is careful: `false` is certain, `true` means that intervals of values do not rule it out. An
    /// exploration that ends early has not found all failures of such a program.
    ///
    /// ```
    /// use sweepline_program::{Effect, Expr, ProgramBuilder, SlotType};
    ///
    /// let counter = |most| {
    ///     let mut program = ProgramBuilder::new("counter");
    ///     let n = program.slot("n", SlotType::integer(0, 9), 0);
    ///     let process = program.process("P");
    ///     let run = program.location(process, "run");
    ///     program
    ///         .action("count", process, run, run)
    ///         .guard(Expr::slot(n).less(most))
    ///         .effect(Effect::assign(n, Expr::slot(n).plus(1)));
    ///     program.build()
    /// };
    /// assert!(!counter(9)?.can_fail());
    /// assert!(counter(10)?.can_fail());
    /// # Ok::<(), sweepline_program::ProgramError>(())
    /// ```
    pub fn can_fail(&self) -> bool {
        ValueRanges::new(self).can_fail()
    }
}

impl ValueRanges<'_> {
    /// Whether an assertion may be violated or a step may fail; see [`Program::can_fail`].
    pub fn can_fail(&self) -> bool {
        let program = self.analysis.program;
        let mut assertions = program.assertions();
        assertions
            .any(|(process, location, assertion)| self.may_violate(process, location, assertion))
            || program
                .actions()
                .iter()
                .any(|action| self.may_fail(action).is_some())
    }

    /// Whether an assertion at a location may be violated.
    pub fn may_violate(
        &self,
        process: ProcessId,
        location: LocationId,
        assertion: &Assertion,
    ) -> bool {
        self.at(process, location).is_some_and(|mut point| {
            point.may_fail(&assertion.condition) || point.assume(&assertion.condition, false)
        })
    }

    /// What is known while a process is at a location, if it ever is.
    fn at(&self, process: ProcessId, location: LocationId) -> Option<Point<'_>> {
        let known = &self.analysis.at[process.0 as usize][location.0 as usize];
        Some(Point {
            analysis: &self.analysis,
            known: known.clone()?,
        })
    }

    /// Where an action may fail, if it may: see [`Program::can_fail`].
    pub fn may_fail(&self, action: &Action) -> Option<Failing> {
        let known = self.analysis.before(&action.moves)?;
        let mut point = Point {
            analysis: &self.analysis,
            known,
        };
        if point.may_fail(&action.guard) {
            return Some(Failing::Guard);
        }
        let mut effects = action.effects.iter();
        let fails = point.assume(&action.guard, true)
            && effects
                .any(|effect| point.effect_may_fail(effect) || !point.run(effect, &mut Vec::new()));
        fails.then_some(Failing::Effects)
    }
}

impl Point<'_> {
    /// Whether an expression may have no value here.
    pub(super) fn may_fail(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Element(array, index) => {
                let length = self.analysis.program.array(*array).length;
                let inside = Interval::new(0, i64::from(length) - 1);
                self.may_fail(index) || !self.eval(index).within(inside)
            }
            Expr::Unary(op, operand) => self.may_fail(operand) || self.eval(operand).unary(*op).1,
            Expr::Binary(op, left, right) => {
                self.may_fail(left)
                    || match op {
                        BinaryOp::And | BinaryOp::Imply => self.may_fail_if(left, true, right),
                        BinaryOp::Or => self.may_fail_if(left, false, right),
                        _ => {
                            self.may_fail(right) || self.eval(left).binary(*op, self.eval(right)).1
                        }
                    }
            }
            Expr::Conditional(condition, then, otherwise) => {
                self.may_fail(condition)
                    || self.may_fail_if(condition, true, then)
                    || self.may_fail_if(condition, false, otherwise)
            }
            Expr::Front(channel, _) => self.may_be_empty(self.analysis.program.channel(*channel)),
            Expr::Constant(_)
            | Expr::Slot(_)
            | Expr::At(..)
            | Expr::Length(_)
            | Expr::Full(_)
            | Expr::Empty(_) => false,
        }
    }

    /// Whether an expression may have no value where a condition is true, or false.
    fn may_fail_if(&self, condition: &Expr, truth: bool, expr: &Expr) -> bool {
        let mut point = self.clone();
        point.assume(condition, truth) && point.may_fail(expr)
    }

    fn may_be_empty(&self, channel: &Channel) -> bool {
        self.values(channel.length).least <= 0
    }

    fn effect_may_fail(&self, effect: &Effect) -> bool {
        let program = self.analysis.program;
        match effect {
            Effect::Assign { place, value } => {
                self.may_fail(value) || self.store_may_fail(place, self.eval_by_cases(value))
            }
            Effect::Push { channel, values } => {
                let channel = program.channel(*channel);
                let full = self.values(channel.length).greatest >= i64::from(channel.capacity);
                full || values.iter().zip(&channel.fields).any(|(value, field)| {
                    let first = Place::Slot(program.array(*field).first);
                    self.may_fail(value) || self.store_may_fail(&first, self.eval(value))
                })
            }
            Effect::Pop { channel, places } => {
                let channel = program.channel(*channel);
                let mut point = self.clone();
                self.may_be_empty(channel)
                    || places.iter().zip(&channel.fields).any(|(place, field)| {
                        let values = point.values(program.array(*field).first);
                        place.as_ref().is_some_and(|place| {
                            let fails = point.store_may_fail(place, values);
                            point.assign(place, values, &mut Vec::new());
                            fails
                        })
                    })
            }
        }
    }

    /// Whether a place may not exist or not take one of these values.
    fn store_may_fail(&self, place: &Place, values: Interval) -> bool {
        let program = self.analysis.program;
        let (slot, outside) = match place {
            Place::Slot(slot) => (*slot, false),
            Place::Element(array, index) => {
                let element = Expr::element(*array, index.clone());
                (program.array(*array).first, self.may_fail(&element))
            }
        };
        let kind = &program.slot(slot).kind;
        outside || kind.overflow == Overflow::Error && !values.within(declared(kind))
    }
}
