//! What must not be missed: predicates as goals.

use std::collections::BTreeMap;

use sweepline_core::{Describe, Layout, SlotId};
use sweepline_logic::{BinaryOp, CompareOp, Definition, Expr, Name, Pred};

use crate::tables::{Change, Irreducible, Tables, Transitions, number};

/// A condition on states, built from conjuncts of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// A conjunct holds.
    Conjunct(u32),
    /// All of them.
    All(Vec<Goal>),
    /// One of them.
    Any(Vec<Goal>),
}

/// Goals have at most so many comparisons.
const MOST_LEAVES: usize = 10_000;

/// Makes goals of predicates: negations go down to the comparisons, which become conjuncts.
pub(crate) struct Goals<'a> {
    pub(crate) transitions: &'a dyn Transitions,
    pub(crate) system: &'a dyn Describe,
    pub(crate) definitions: &'a [Definition],
    pub(crate) tables: &'a mut Tables,
    /// What is asked for each conjunct that is added.
    pub(crate) leaves: Vec<Pred>,
}

impl Goals<'_> {
    /// The goal that a predicate has this value.
    pub(crate) fn goal(&mut self, pred: &Pred, truth: bool) -> Result<Goal, Irreducible> {
        Ok(match pred {
            Pred::Constant(value) if *value == truth => Goal::All(Vec::new()),
            Pred::Constant(_) => Goal::Any(Vec::new()),
            Pred::Deadlock | Pred::Fireable(_) => return Err(Irreducible::AsksForSteps),
            Pred::Not(operand) => self.goal(operand, !truth)?,
            Pred::And(operands) => self.several(operands, truth, truth)?,
            Pred::Or(operands) => self.several(operands, truth, !truth)?,
            Pred::Implies(a, b) => {
                let parts = vec![self.goal(a, !truth)?, self.goal(b, truth)?];
                if truth {
                    Goal::Any(parts)
                } else {
                    Goal::All(parts)
                }
            }
            Pred::Iff(a, b) => {
                let same = vec![self.goal(a, true)?, self.goal(b, truth)?];
                let other = vec![self.goal(a, false)?, self.goal(b, !truth)?];
                Goal::Any(vec![Goal::All(same), Goal::All(other)])
            }
            Pred::Holds(name) => {
                if let Some((pred, before)) = self.defined(name) {
                    // It may use those before it, and a slot of the same name.
                    let all = std::mem::replace(&mut self.definitions, before);
                    let goal = self.goal(&pred, truth);
                    self.definitions = all;
                    return goal;
                }
                let op = if truth {
                    CompareOp::NotEqual
                } else {
                    CompareOp::Equal
                };
                self.comparison(op, &Expr::Slot(name.clone()), &Expr::Number(0))?
            }
            Pred::Compare(op, a, b) => {
                let op = if truth { *op } else { op.opposite() };
                self.comparison(op, a, b)?
            }
        })
    }

    fn several(&mut self, operands: &[Pred], truth: bool, all: bool) -> Result<Goal, Irreducible> {
        let parts = operands.iter().map(|operand| self.goal(operand, truth));
        let parts = parts.collect::<Result<_, _>>()?;
        Ok(if all {
            Goal::All(parts)
        } else {
            Goal::Any(parts)
        })
    }

    fn comparison(&mut self, op: CompareOp, a: &Expr, b: &Expr) -> Result<Goal, Irreducible> {
        if is_partial(a) || is_partial(b) {
            return Err(Irreducible::Partial);
        }
        let layout = self.system.layout();
        let mut form = BTreeMap::new();
        let linear =
            add(layout, a, 1, &mut form).is_some() && add(layout, b, -1, &mut form).is_some();
        if !linear {
            let mut slots = Vec::new();
            mentioned(layout, a, &mut slots);
            mentioned(layout, b, &mut slots);
            let actions = 0..number(self.tables.actions());
            let real = actions.filter(|action| !self.tables.failures.contains(action));
            let touching = real.filter(|action| {
                let mut slots = slots.iter();
                slots.any(|slot| self.transitions.change(*action, *slot) != Change::By(0))
            });
            let touching: Vec<u32> = touching.collect();
            return self.leaf(Pred::Compare(op, a.clone(), b.clone()), touching);
        }
        let parts = match op {
            // One of the two is false, and who makes it true goes in one direction.
            CompareOp::Equal => vec![CompareOp::LessOrEqual, CompareOp::GreaterOrEqual],
            CompareOp::NotEqual => vec![CompareOp::Less, CompareOp::Greater],
            op => vec![op],
        };
        let parts = parts.into_iter().map(|op| {
            let enabling = self.moving(op, &form);
            self.leaf(Pred::Compare(op, a.clone(), b.clone()), enabling)
        });
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        Ok(match op {
            CompareOp::NotEqual => Goal::Any(parts),
            _ => Goal::All(parts),
        })
    }

    /// The actions that move a linear form in the direction in which a comparison with zero becomes true.
    fn moving(&self, op: CompareOp, form: &BTreeMap<SlotId, i64>) -> Vec<u32> {
        let down = matches!(op, CompareOp::Less | CompareOp::LessOrEqual);
        let actions = 0..number(self.tables.actions());
        let real = actions.filter(|action| !self.tables.failures.contains(action));
        let moving = real.filter(|action| {
            let mut change = 0_i128;
            for (slot, factor) in form.iter().filter(|(_, factor)| **factor != 0) {
                match self.transitions.change(*action, *slot) {
                    Change::By(by) => change += i128::from(by) * i128::from(*factor),
                    Change::Any => return true,
                }
            }
            if down { change < 0 } else { change > 0 }
        });
        moving.collect()
    }

    fn leaf(&mut self, pred: Pred, enabling: Vec<u32>) -> Result<Goal, Irreducible> {
        if self.leaves.len() >= MOST_LEAVES {
            return Err(Irreducible::TooLarge);
        }
        self.leaves.push(pred);
        Ok(Goal::Conjunct(self.tables.add_conjunct(enabling)))
    }
}

impl<'a> Goals<'a> {
    /// What a name is defined as, and the definitions before that one.
    fn defined(&self, name: &Name) -> Option<(Pred, &'a [Definition])> {
        let definitions = self.definitions;
        let at = definitions
            .iter()
            .rposition(|it| it.name.text == name.text)?;
        Some((definitions[at].pred.clone(), &definitions[..at]))
    }
}

/// Adds a multiple of an expression to a linear form, without its constant. Nothing if it is not linear, or too large.
fn add(layout: &Layout, expr: &Expr, factor: i64, form: &mut BTreeMap<SlotId, i64>) -> Option<()> {
    match expr {
        Expr::Number(_) => Some(()),
        Expr::Slot(name) => {
            // Whatever is no slot is the name of a value.
            if let Some(slot) = layout.slot_named(&name.text) {
                let known = form.entry(slot).or_insert(0);
                *known = known.checked_add(factor)?;
            }
            Some(())
        }
        Expr::Sum(parts) => parts
            .iter()
            .try_for_each(|part| add(layout, part, factor, form)),
        Expr::Negate(operand) => add(layout, operand, factor.checked_neg()?, form),
        Expr::Binary(BinaryOp::Add, a, b) => {
            add(layout, a, factor, form)?;
            add(layout, b, factor, form)
        }
        Expr::Binary(BinaryOp::Subtract, a, b) => {
            add(layout, a, factor, form)?;
            add(layout, b, factor.checked_neg()?, form)
        }
        Expr::Binary(BinaryOp::Multiply, a, b) => match (&**a, &**b) {
            (Expr::Number(by), other) | (other, Expr::Number(by)) => {
                add(layout, other, factor.checked_mul(*by)?, form)
            }
            _ => None,
        },
        Expr::Binary(..) | Expr::Rank(..) => None,
    }
}

/// Whether a predicate has a value in every state, as far as its own text tells; what the names in it stand for is not looked at.
pub fn is_total(pred: &Pred) -> bool {
    match pred {
        Pred::Constant(_) | Pred::Holds(_) | Pred::Fireable(_) | Pred::Deadlock => true,
        Pred::Compare(_, a, b) => !is_partial(a) && !is_partial(b),
        Pred::Not(operand) => is_total(operand),
        Pred::And(parts) | Pred::Or(parts) => parts.iter().all(is_total),
        Pred::Implies(a, b) | Pred::Iff(a, b) => is_total(a) && is_total(b),
    }
}

/// Whether an expression divides or shifts. A state in which it has no value must not be missed.
fn is_partial(expr: &Expr) -> bool {
    match expr {
        Expr::Number(_) | Expr::Slot(_) | Expr::Rank(..) => false,
        Expr::Sum(parts) => parts.iter().any(is_partial),
        Expr::Negate(operand) => is_partial(operand),
        Expr::Binary(op, a, b) => {
            let total = matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply);
            !total || is_partial(a) || is_partial(b)
        }
    }
}

/// The slots that an expression mentions.
fn mentioned(layout: &Layout, expr: &Expr, slots: &mut Vec<SlotId>) {
    match expr {
        Expr::Number(_) => {}
        Expr::Slot(name) | Expr::Rank(name, _) => slots.extend(layout.slot_named(&name.text)),
        Expr::Sum(parts) => {
            for part in parts {
                mentioned(layout, part, slots);
            }
        }
        Expr::Negate(operand) => mentioned(layout, operand, slots),
        Expr::Binary(_, a, b) => {
            mentioned(layout, a, slots);
            mentioned(layout, b, slots);
        }
    }
}
