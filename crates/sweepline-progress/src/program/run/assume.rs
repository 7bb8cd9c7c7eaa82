//! What conditions say about a run.

use sweepline_program::{BinaryOp, Expr, UnaryOp};

use super::Run;
use crate::program::form::{Form, Small};

/// More facts than this only cost time.
const MOST_FACTS: usize = 24;

impl Run<'_> {
    /// The runs in which a condition is true, or false: one for each way this can be.
    pub(super) fn assuming(mut self, condition: &Expr, truth: bool) -> Vec<Self> {
        match (condition, truth) {
            (Expr::Unary(UnaryOp::Not, operand), _) => self.assuming(operand, !truth),
            (Expr::Binary(BinaryOp::And, left, right), true) => {
                self.both((left, true), (right, true))
            }
            (Expr::Binary(BinaryOp::Or, left, right), false) => {
                self.both((left, false), (right, false))
            }
            (Expr::Binary(BinaryOp::Imply, left, right), false) => {
                self.both((left, true), (right, false))
            }
            (Expr::Binary(BinaryOp::And, left, right), false) => {
                self.either(condition, (left, false), (right, false))
            }
            (Expr::Binary(BinaryOp::Or, left, right), true) => {
                self.either(condition, (left, true), (right, true))
            }
            (Expr::Binary(BinaryOp::Imply, left, right), true) => {
                self.either(condition, (left, false), (right, true))
            }
            _ => {
                if !self.note(condition, truth) {
                    return Vec::new();
                }
                self.compare(condition, truth);
                if self.is_possible() {
                    vec![self]
                } else {
                    Vec::new()
                }
            }
        }
    }

    fn both(self, one: (&Expr, bool), other: (&Expr, bool)) -> Vec<Self> {
        let runs = self.assuming(one.0, one.1).into_iter();
        runs.flat_map(|run| run.assuming(other.0, other.1))
            .collect()
    }

    /// One condition holds, or it does not and the other does.
    fn either(mut self, whole: &Expr, one: (&Expr, bool), other: (&Expr, bool)) -> Vec<Self> {
        if self.splits < 2 {
            // What the intervals can make of it must do.
            let truth = !matches!(whole, Expr::Binary(BinaryOp::And, ..));
            return if self.note(whole, truth) {
                vec![self]
            } else {
                Vec::new()
            };
        }
        let mut runs = self.part(2).assuming(one.0, one.1);
        let rest = self.part(2).assuming(one.0, !one.1);
        runs.extend(
            rest.into_iter()
                .flat_map(|run| run.assuming(other.0, other.1)),
        );
        runs
    }

    /// Tells the intervals; says whether the condition can hold.
    fn note(&mut self, condition: &Expr, truth: bool) -> bool {
        let before = !self.is_untouched(condition) || self.start.assume(condition, truth);
        before && self.now.assume(condition, truth)
    }

    /// Turns a comparison into facts.
    fn compare(&mut self, condition: &Expr, truth: bool) {
        let Expr::Binary(op, left, right) = condition else {
            return;
        };
        let one = Form::constant(1);
        let difference = self.form(left).minus(&self.form(right));
        let opposite = difference.times(-1);
        match (op, truth) {
            (BinaryOp::GreaterEqual, true) | (BinaryOp::Less, false) => self.fact(difference),
            (BinaryOp::Greater, true) | (BinaryOp::LessEqual, false) => {
                self.fact(difference.minus(&one));
            }
            (BinaryOp::LessEqual, true) | (BinaryOp::Greater, false) => self.fact(opposite),
            (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => {
                self.fact(opposite.minus(&one));
            }
            (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => {
                self.fact(difference);
                self.fact(opposite);
            }
            (BinaryOp::NotEqual, true) | (BinaryOp::Equal, false) => {
                for side in [difference, opposite] {
                    if self.least(&side) == 0 {
                        self.fact(side.minus(&one));
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes that a form is at least zero, unless its atoms say so anyway.
    fn fact(&mut self, form: Form) {
        let useful = form.is_small() && form.bounds(|atom| self.ends(atom)).0 < 0;
        if useful && self.facts.len() < MOST_FACTS {
            self.facts.push(form);
        }
    }

    /// Whether no two facts contradict each other.
    fn is_possible(&self) -> bool {
        let greatest = |form: &Form| form.bounds(|atom| self.ends(atom)).1;
        self.facts.iter().enumerate().all(|(number, fact)| {
            let others = &self.facts[number + 1..];
            greatest(fact) >= 0 && others.iter().all(|other| greatest(&fact.plus(other)) >= 0)
        })
    }
}
