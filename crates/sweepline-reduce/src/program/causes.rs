//! Why an action fails, as conditions on the state before it.

use std::collections::BTreeMap;

use sweepline_core::SlotId;
use sweepline_program::{
    Action, BinaryOp, ChannelId, Effect, Expr, Overflow, Place, Program, ValueRanges, Values,
};

use super::instances::{reads_any, writes};

/// Conditions one of which holds wherever an action whose guard holds fails. Nothing if they cannot be told: they are about what is
/// there between its effects, or have no value themselves.
pub(super) fn causes(
    program: &Program,
    ranges: &ValueRanges<'_>,
    action: &Action,
) -> Option<Vec<Expr>> {
    let mut search = Search {
        program,
        values: ranges.before(action)?,
        written: Vec::new(),
        passing: BTreeMap::new(),
        causes: Vec::new(),
    };
    for effect in &action.effects {
        search.look_at(effect)?;
        if !search.values.execute(effect) {
            break; // it always fails here
        }
        writes(program, effect, &mut search.written);
    }
    let found = !search.causes.is_empty();
    found.then_some(search.causes)
}

struct Search<'a> {
    program: &'a Program,
    values: Values<'a>,
    written: Vec<SlotId>,
    /// Messages that are passed within the action.
    passing: BTreeMap<ChannelId, &'a [Expr]>,
    causes: Vec<Expr>,
}

impl<'a> Search<'a> {
    fn look_at(&mut self, effect: &'a Effect) -> Option<()> {
        match effect {
            Effect::Assign { place, value } => self.store(place, value),
            Effect::Push { channel, values } => {
                let declared = self.program.channel(*channel);
                let before = values.iter().all(|it| !self.is_late(it));
                (declared.transient && before).then_some(())?;
                for value in values {
                    self.evaluate(value)?;
                }
                self.passing.insert(*channel, values);
                Some(())
            }
            Effect::Pop { channel, places } => {
                let values = self.passing.remove(channel)?;
                for (place, value) in places.iter().zip(values) {
                    if let Some(place) = place {
                        self.store(place, value)?;
                    }
                }
                Some(())
            }
        }
    }

    /// Whether an expression sees what earlier effects have done.
    fn is_late(&self, expr: &Expr) -> bool {
        reads_any(self.program, expr, &self.written)
    }

    /// Adds why an expression has no value.
    fn evaluate(&mut self, expr: &Expr) -> Option<()> {
        let mut certain = true;
        let mut indices = Vec::new();
        expr.walk(&mut |part| match part {
            Expr::Element(array, index) => indices.push((*array, &**index)),
            Expr::Binary(
                BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::ShiftLeft | BinaryOp::ShiftRight,
                _,
                right,
            ) => certain &= matches!(**right, Expr::Constant(1..=62)),
            Expr::Front(..) | Expr::Conditional(..) => certain = false,
            // Only one operand may be asked for.
            Expr::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Imply, _, right) => {
                certain &= matches!(**right, Expr::Constant(_) | Expr::Slot(_));
            }
            _ => {}
        });
        let (least, greatest) = self.values.of(expr);
        (certain && least > i64::MIN && greatest < i64::MAX).then_some(())?;
        for (array, index) in indices {
            self.element(array, index)?;
        }
        Some(())
    }

    /// Adds why there is no such element.
    fn element(&mut self, array: sweepline_program::ArrayId, index: &Expr) -> Option<()> {
        let last = i64::from(self.program.array(array).length) - 1;
        self.outside(index, 0, last)
    }

    /// Adds that an expression has a value outside an interval, if it can.
    fn outside(&mut self, expr: &Expr, first: i64, last: i64) -> Option<()> {
        let (least, greatest) = self.values.of(expr);
        if least >= first && greatest <= last {
            return Some(());
        }
        (!self.is_late(expr)).then_some(())?;
        if least < first {
            self.causes.push(expr.clone().less(first));
        }
        if greatest > last {
            self.causes.push(expr.clone().greater(last));
        }
        Some(())
    }

    fn store(&mut self, place: &Place, value: &Expr) -> Option<()> {
        self.evaluate(value)?;
        let slot = match place {
            Place::Slot(slot) => *slot,
            Place::Element(array, index) => {
                self.evaluate(index)?;
                self.element(*array, index)?;
                self.program.array(*array).first
            }
        };
        let kind = &self.program.slot(slot).kind;
        if kind.overflow == Overflow::Wrap {
            return Some(());
        }
        self.outside(value, kind.least, kind.greatest)
    }
}
