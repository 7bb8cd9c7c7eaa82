//! Integer expressions as code.

use std::sync::Arc;

use sweepline_core::{Interval, Observation, Word};

use crate::linear::{Linear, LinearForm, Table};
use crate::resolution::{ResolveError, Resolver};
use crate::{BinaryOp, BitOp, Errors, Expr, Name, Scope, Source};

/// An integer expression that knows where its slots lie.
///
/// Arithmetic is exact on 64 bits: a sum, product or quotient that does not fit is an error, and so is a division by
/// zero. A sum is one operation, so only its value has to fit, in whatever order it is added up; a negated operand of
/// a sum is subtracted.
///
/// ```
/// # use sweepline_core::{Describe, Layout, Steps, System, Word};
/// # struct Two(Layout);
/// # impl System for Two {
/// #     fn layout(&self) -> &Layout { &self.0 }
/// #     fn initial(&self, out: &mut Steps) {}
/// #     fn successors(&self, state: &[Word], out: &mut Steps) {}
/// # }
/// # impl Describe for Two { fn actions(&self) -> &[String] { &[] } }
/// # let system = Two(Layout::builder().integer("sent", 0, 255).integer("got", 0, 255).build());
/// use sweepline_logic::{IntExpr, Scope, Source, parse_expr};
///
/// let text = Source::from("2 * sent - got");
/// let expr = IntExpr::resolve(&parse_expr(&text).unwrap(), &Scope::of(&system), &text).unwrap();
/// assert_eq!(expr.eval(&[7 + (3 << 8)]), Ok(11));
/// ```
#[derive(Clone, Debug)]
pub struct IntExpr {
    code: Code,
    /// The expression as a sum of slots times numbers, if it is one that cannot go wrong.
    form: Option<LinearForm>,
    capacity: Interval,
    expected: Interval,
}

/// An expression has no value in a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// The value does not fit 64 bits.
    #[error("`{expr}` does not fit 64 bits")]
    Overflow {
        /// The part of the expression.
        expr: Arc<str>,
    },
    /// Division by zero.
    #[error("`{expr}` divides by zero")]
    DivisionByZero {
        /// The part of the expression.
        expr: Arc<str>,
    },
    /// The system cannot tell it of this state.
    #[error("`{expr}` has no value: {why}")]
    Unobserved {
        /// The part of the expression.
        expr: Arc<str>,
        /// Why.
        why: Arc<str>,
    },
    /// A shift by less than 0 or more than 63 bits.
    #[error("`{expr}` shifts by less than 0 or more than 63 bits")]
    Shift {
        /// The part of the expression.
        expr: Arc<str>,
    },
}

impl IntExpr {
    /// Looks up the names of an expression whose spans lie in `source`.
    pub fn resolve(
        expr: &Expr,
        scope: &Scope<'_>,
        source: &Source,
    ) -> Result<Self, Errors<ResolveError>> {
        Self::resolve_expecting(expr, Resolver::new(scope, source, Interval::declared))
    }

    pub(crate) fn resolve_expecting(
        expr: &Expr,
        mut resolver: Resolver<'_, '_>,
    ) -> Result<Self, Errors<ResolveError>> {
        let draft = resolver.draft(expr);
        let resolved = Self {
            form: draft.form().cloned(),
            capacity: draft.capacity,
            expected: draft.expected,
            code: draft.into_code(),
        };
        resolver.finish(resolved)
    }

    /// The value in a state.
    #[inline]
    pub fn eval(&self, state: &[Word]) -> Result<i64, EvalError> {
        self.code.eval(state)
    }

    /// The values it has if every slot keeps to its expected range.
    pub(crate) fn expected(&self) -> Interval {
        self.expected
    }

    /// The values it can have, whatever the bits of its slots are.
    pub(crate) fn capacity(&self) -> Interval {
        self.capacity
    }

    /// The expression as a sum, if it is one that cannot go wrong.
    pub(crate) fn form(&self) -> Option<&LinearForm> {
        self.form.as_ref()
    }
}

/// How a value is computed.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    /// Cannot go wrong.
    Linear(Linear),
    /// Every operation is checked.
    Checked(Box<Checked>),
}

#[derive(Clone, Debug)]
pub(crate) struct Checked {
    operation: Operation,
    /// The expression, for messages.
    text: Arc<str>,
}

#[derive(Clone, Debug)]
enum Operation {
    Sum(Box<[(Sign, Code)]>),
    Multiply(Code, Code),
    Divide(Code, Code),
    Remainder(Code, Code),
    Bits(BitFunction, Code, Code),
    Shift(Shift, Code, Code),
    /// What the system tells of the state.
    Observed(Observation),
}

/// Where bits are moved to.
#[derive(Clone, Copy, Debug)]
enum Shift {
    Left,
    Right,
}

/// An operator on bits.
type BitFunction = fn(i64, i64) -> i64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

impl Code {
    #[inline]
    pub fn eval(&self, state: &[Word]) -> Result<i64, EvalError> {
        match self {
            Self::Linear(linear) => Ok(linear.eval(state)),
            Self::Checked(checked) => checked.eval(state),
        }
    }
}

impl Checked {
    fn eval(&self, state: &[Word]) -> Result<i64, EvalError> {
        let value = match &self.operation {
            Operation::Sum(operands) => Some(sum(operands, state)?),
            Operation::Multiply(a, b) => {
                Some(i128::from(a.eval(state)?) * i128::from(b.eval(state)?))
            }
            Operation::Divide(a, b) => {
                i128::from(a.eval(state)?).checked_div(b.eval(state)?.into())
            }
            Operation::Remainder(a, b) => {
                i128::from(a.eval(state)?).checked_rem(b.eval(state)?.into())
            }
            Operation::Bits(op, a, b) => Some(op(a.eval(state)?, b.eval(state)?).into()),
            Operation::Observed(observation) => {
                Some(i128::from(observation.value(state).map_err(|why| {
                    EvalError::Unobserved {
                        expr: Arc::clone(&self.text),
                        why: why.into(),
                    }
                })?))
            }
            Operation::Shift(op, a, b) => {
                let (value, by) = (i128::from(a.eval(state)?), b.eval(state)?);
                if !(0..64).contains(&by) {
                    let expr = Arc::clone(&self.text);
                    return Err(EvalError::Shift { expr });
                }
                Some(match op {
                    Shift::Left => value << by,
                    Shift::Right => value >> by,
                })
            }
        };
        let expr = || Arc::clone(&self.text);
        let value = value.ok_or_else(|| EvalError::DivisionByZero { expr: expr() })?;
        i64::try_from(value).map_err(|_| EvalError::Overflow { expr: expr() })
    }
}

fn sum(operands: &[(Sign, Code)], state: &[Word]) -> Result<i128, EvalError> {
    let mut sum = 0;
    for (sign, operand) in operands {
        let value = i128::from(operand.eval(state)?);
        match sign {
            Sign::Plus => sum += value,
            Sign::Minus => sum -= value,
        }
    }
    Ok(sum)
}

/// An expression on its way to code.
pub(crate) struct Draft {
    value: DraftValue,
    /// The values it can have, given the bits of its slots.
    capacity: Interval,
    /// The values it has if every slot keeps to its expected range.
    expected: Interval,
}

enum DraftValue {
    /// Always fits 64 bits, and so do its coefficients.
    Linear(LinearForm, Linear),
    Checked(Checked),
}

impl Draft {
    /// The linear form, if it has one.
    pub fn form(&self) -> Option<&LinearForm> {
        match &self.value {
            DraftValue::Linear(form, _) => Some(form),
            DraftValue::Checked(_) => None,
        }
    }

    pub fn into_code(self) -> Code {
        match self.value {
            DraftValue::Linear(_, linear) => Code::Linear(linear),
            DraftValue::Checked(checked) => Code::Checked(Box::new(checked)),
        }
    }
}

impl Resolver<'_, '_> {
    /// Translates an expression: linear as far as that is safe, checked where not.
    pub fn draft(&mut self, expr: &Expr) -> Draft {
        match expr {
            Expr::Number(value) => self.always_linear(LinearForm::number(*value)),
            Expr::Slot(name) if self.observes(name) => self.observed(expr, name),
            Expr::Slot(name) => {
                let form = self.slot(name).map(LinearForm::slot);
                self.always_linear(form.unwrap_or_default())
            }
            Expr::Rank(name, entries) => {
                let form = self.rank(name, entries);
                let linear = form.and_then(|form| self.linear(form));
                linear.unwrap_or_else(|| self.always_linear(LinearForm::default()))
            }
            Expr::Sum(operands) => {
                let signed = operands.iter().map(|operand| match operand {
                    Expr::Negate(operand) => (Sign::Minus, &**operand),
                    operand => (Sign::Plus, operand),
                });
                self.sum(expr, signed)
            }
            Expr::Negate(operand) => self.sum(expr, [(Sign::Minus, &**operand)]),
            Expr::Binary(BinaryOp::Add, a, b) => {
                self.sum(expr, [(Sign::Plus, &**a), (Sign::Plus, &**b)])
            }
            Expr::Binary(BinaryOp::Subtract, a, b) => {
                self.sum(expr, [(Sign::Plus, &**a), (Sign::Minus, &**b)])
            }
            Expr::Binary(BinaryOp::Multiply, a, b) => self.product(expr, a, b),
            Expr::Binary(BinaryOp::Divide, a, b) => {
                self.quotient(expr, [a, b], Operation::Divide, Interval::over)
            }
            Expr::Binary(BinaryOp::Remainder, a, b) => {
                self.quotient(expr, [a, b], Operation::Remainder, Interval::modulo)
            }
            Expr::Binary(BinaryOp::Bits(op), a, b) => {
                let operation: fn(Code, Code) -> Operation = match op {
                    BitOp::And => |a, b| Operation::Bits(|a, b| a & b, a, b),
                    BitOp::Or => |a, b| Operation::Bits(|a, b| a | b, a, b),
                    BitOp::Xor => |a, b| Operation::Bits(|a, b| a ^ b, a, b),
                    BitOp::ShiftLeft => |a, b| Operation::Shift(Shift::Left, a, b),
                    BitOp::ShiftRight => |a, b| Operation::Shift(Shift::Right, a, b),
                };
                let bounds: fn(Interval, Interval) -> Interval = match op {
                    BitOp::And => Interval::bit_and,
                    BitOp::Or | BitOp::Xor => Interval::bit_or,
                    BitOp::ShiftLeft => |a, b| a.shifted(b, |a, by| a << by),
                    BitOp::ShiftRight => |a, b| a.shifted(b, |a, by| a >> by),
                };
                self.quotient(expr, [a, b], operation, bounds)
            }
        }
    }

    /// Whether a name tells something of states that no slot does.
    pub(crate) fn observes(&self, name: &Name) -> bool {
        self.scope.slot(&name.text).is_none()
            && self.scope.proposition(&name.text).is_none()
            && self.scope.observation(&name.text).is_some()
    }

    fn observed(&mut self, expr: &Expr, name: &Name) -> Draft {
        let observation = self.observation(name);
        let observation = observation.unwrap_or_else(|| Observation::new(|_| Ok(0)));
        let all = Interval::ALL_OF_64_BITS;
        checked(expr, Operation::Observed(observation), (all, all))
    }

    fn rank(&mut self, name: &Name, entries: &[(Name, i64)]) -> Option<LinearForm> {
        let id = self.slot(name)?;
        let slot = self.scope.layout().slot(id);
        if slot.bits > Table::MOST_BITS {
            self.wide_rank(name);
            return None;
        }
        let entries: Option<Vec<_>> = entries
            .iter()
            .map(|(value, number)| Some((self.value_of(slot, value)?, *number)))
            .collect();
        Some(LinearForm::table(id, Table::new(slot, &entries?)))
    }

    fn sum<'e>(
        &mut self,
        expr: &Expr,
        operands: impl IntoIterator<Item = (Sign, &'e Expr)>,
    ) -> Draft {
        let drafts: Vec<(Sign, Draft)> = operands
            .into_iter()
            .map(|(sign, operand)| (sign, self.draft(operand)))
            .collect();
        if let Some(draft) = added(&drafts).and_then(|form| self.linear(form)) {
            return draft;
        }
        let total = |of: fn(&Draft) -> Interval| {
            let zero = Interval::point(0);
            drafts.iter().fold(zero, |total, (sign, draft)| match sign {
                Sign::Plus => total.plus(of(draft)),
                Sign::Minus => total.minus(of(draft)),
            })
        };
        let bounds = (total(|draft| draft.capacity), total(|draft| draft.expected));
        let codes = drafts
            .into_iter()
            .map(|(sign, draft)| (sign, draft.into_code()));
        checked(expr, Operation::Sum(codes.collect()), bounds)
    }

    fn product(&mut self, expr: &Expr, a: &Expr, b: &Expr) -> Draft {
        let (a, b) = (self.draft(a), self.draft(b));
        if let Some(draft) = scaled(&a, &b).and_then(|form| self.linear(form)) {
            return draft;
        }
        let bounds = (a.capacity.times(b.capacity), a.expected.times(b.expected));
        let operation = Operation::Multiply(a.into_code(), b.into_code());
        checked(expr, operation, bounds)
    }

    fn quotient(
        &mut self,
        expr: &Expr,
        operands: [&Expr; 2],
        operation: fn(Code, Code) -> Operation,
        bounds: fn(Interval, Interval) -> Interval,
    ) -> Draft {
        let [a, b] = operands.map(|operand| self.draft(operand));
        let bounds = (
            bounds(a.capacity, b.capacity),
            bounds(a.expected, b.expected),
        );
        checked(expr, operation(a.into_code(), b.into_code()), bounds)
    }

    /// A form whose value fits 64 bits in every state, or nothing.
    fn linear(&self, form: LinearForm) -> Option<Draft> {
        let layout = self.scope.layout();
        let capacity = form.interval(|id| Interval::capacity(layout.slot(id)))?;
        let expected = form.interval(|id| (self.expected)(layout.slot(id)))?;
        let linear = form.compile(layout).filter(|_| capacity.fits())?;
        Some(Draft {
            value: DraftValue::Linear(form, linear),
            capacity,
            expected: expected.clipped(),
        })
    }

    fn always_linear(&self, form: LinearForm) -> Draft {
        self.linear(form)
            .expect("a number or a slot by itself always fits 64 bits")
    }
}

/// The sum of linear forms.
fn added(drafts: &[(Sign, Draft)]) -> Option<LinearForm> {
    let mut sum = LinearForm::default();
    for (sign, draft) in drafts {
        let factor = if *sign == Sign::Plus { 1 } else { -1 };
        sum = sum.add(draft.form()?, factor)?;
    }
    Some(sum)
}

/// The product of linear forms of which one is a constant.
fn scaled(a: &Draft, b: &Draft) -> Option<LinearForm> {
    let (a, b) = (a.form()?, b.form()?);
    let (form, factor) = match (a.constant(), b.constant()) {
        (_, Some(factor)) => (a, factor),
        (Some(factor), _) => (b, factor),
        _ => return None,
    };
    LinearForm::default().add(form, factor)
}

fn checked(expr: &Expr, operation: Operation, (capacity, expected): (Interval, Interval)) -> Draft {
    let text = abridged(expr.to_string()).into();
    Draft {
        value: DraftValue::Checked(Checked { operation, text }),
        capacity: capacity.clipped(),
        expected: expected.clipped(),
    }
}

/// Characters of an expression that a message shows.
const SHOWN: usize = 160;

/// The text without its middle if it is too long for a message.
fn abridged(text: String) -> String {
    let characters = text.chars().count();
    if characters <= SHOWN {
        return text;
    }
    let start = text.chars().take(SHOWN / 2);
    let end = text.chars().skip(characters - SHOWN / 2);
    start.chain(" … ".chars()).chain(end).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::parse_expr;
    use crate::testing::{Toy, random};
    use proptest::prelude::*;
    use sweepline_core::System;

    /// The value of an expression, straight from its definition.
    pub fn naive(expr: &Expr, toy: &Toy, state: &[Word]) -> Option<i64> {
        let value = |expr: &Expr| naive(expr, toy, state).map(i128::from);
        let exact = match expr {
            Expr::Number(value) => i128::from(*value),
            Expr::Slot(name) => {
                let id = toy.layout().slot_named(&name.text).unwrap();
                toy.layout().value(state, id).into()
            }
            Expr::Sum(operands) => {
                let mut sum = 0;
                for operand in operands {
                    sum += match operand {
                        Expr::Negate(operand) => -value(operand)?,
                        operand => value(operand)?,
                    };
                }
                sum
            }
            Expr::Negate(operand) => -value(operand)?,
            Expr::Rank(name, entries) => {
                let id = toy.layout().slot_named(&name.text).unwrap();
                let value = toy.layout().value(state, id).to_string();
                let entry = entries.iter().rev().find(|(name, _)| name.text == value);
                entry.map_or(0, |(_, number)| i128::from(*number))
            }
            Expr::Binary(BinaryOp::Add, a, b) => value(a)? + value(b)?,
            Expr::Binary(BinaryOp::Subtract, a, b) => value(a)? - value(b)?,
            Expr::Binary(BinaryOp::Multiply, a, b) => value(a)? * value(b)?,
            Expr::Binary(BinaryOp::Divide, a, b) => value(a)?.checked_div(value(b)?)?,
            Expr::Binary(BinaryOp::Remainder, a, b) => value(a)?.checked_rem(value(b)?)?,
            Expr::Binary(BinaryOp::Bits(op), a, b) => {
                let (value, by) = (value(a)?, value(b)?);
                let power = || Some(1_i128 << u32::try_from(by).ok().filter(|by| *by < 64)?);
                match op {
                    BitOp::And => value & by,
                    BitOp::Or => value | by,
                    BitOp::Xor => value ^ by,
                    BitOp::ShiftLeft => value * power()?,
                    BitOp::ShiftRight => value.div_euclid(power()?),
                }
            }
        };
        i64::try_from(exact).ok()
    }

    fn resolved(text: &str, toy: &Toy) -> IntExpr {
        let source = Source::from(text);
        IntExpr::resolve(&parse_expr(text).unwrap(), &Scope::of(toy), &source).unwrap()
    }

    fn check(text: &str, values: &[(&str, i64)], expected: Result<i64, &str>) {
        let toy = Toy::protocol();
        let value = resolved(text, &toy).eval(&toy.state(values));
        assert_eq!(
            value.map_err(|error| error.to_string()),
            expected.map_err(String::from),
            "{text}"
        );
    }

    #[test]
    fn values_are_exact() {
        check("sent * 2 - lost", &[("sent", 5), ("lost", -4)], Ok(14));
        check("sent - sent", &[("sent", 5)], Ok(0));
        check("lost / 2", &[("lost", -3)], Ok(-1));
        check("lost % 2", &[("lost", -3)], Ok(-1));
        check("clock % -1", &[("clock", i64::MIN)], Ok(0));
        check("clock - 1 + 1", &[("clock", i64::MIN)], Ok(i64::MIN));
        check(
            "sent - clock",
            &[("sent", 0), ("clock", -i64::MAX)],
            Ok(i64::MAX),
        );
        check("sum()", &[], Ok(0));
    }

    #[test]
    fn values_that_do_not_fit_are_errors() {
        let most = [("clock", i64::MAX), ("sent", 1)];
        check(
            "clock + 1",
            &most,
            Err("`(clock + 1)` does not fit 64 bits"),
        );
        check(
            "2 * clock",
            &most,
            Err("`(2 * clock)` does not fit 64 bits"),
        );
        check(
            "1 / (sent - 1)",
            &most,
            Err("`(1 / (sent - 1))` divides by zero"),
        );
        check(
            "1 % (sent - 1)",
            &most,
            Err("`(1 % (sent - 1))` divides by zero"),
        );
        let least = [("clock", i64::MIN)];
        check("-clock", &least, Err("`(-clock)` does not fit 64 bits"));
        check(
            "clock / -1",
            &least,
            Err("`(clock / -1)` does not fit 64 bits"),
        );
    }

    #[test]
    fn sums_of_small_slots_are_linear() {
        let toy = Toy::protocol();
        let linear = |text| matches!(resolved(text, &toy).code, Code::Linear(_));
        assert!(linear("3 * (sent - 2 * lost) + phase - -4"));
        assert!(linear("clock"));
        assert!(!linear("clock + 1"));
        assert!(!linear("sent * lost"));
    }

    proptest! {
        #[test]
        fn code_agrees_with_the_definition(expr in random::expr(Toy::slot_name()), state in Toy::random_state()) {
            let toy = Toy::protocol();
            let code = IntExpr::resolve(&expr, &Scope::of(&toy), &"".into()).unwrap();
            let value = code.eval(&state).ok();
            prop_assert_eq!(value, naive(&expr, &toy, &state));
            if let Some(value) = value {
                let Interval { least: low, greatest: high } = code.expected();
                prop_assert!((low..=high).contains(&value.into()));
            }
        }
    }
}
