//! Arithmetic.

use crate::ml::Value;
use crate::ml::machine::Machine;
use crate::ml::machine::native::{Raised, sized};
use crate::ml::machine::run::raised;
use crate::ml::primitives::Primitive;

impl Machine {
    pub(super) fn arithmetic(&mut self, primitive: Primitive) -> Result<Value, Raised> {
        if primitive == Primitive::Negate {
            let value = self.pop();
            return if let Some(value) = value.as_int() {
                sized(value.checked_neg())
            } else {
                let negative = -self.values.as_real(value);
                self.real(negative)
            };
        }
        let (left, right) = self.two();
        let (Some(a), Some(b)) = (left.as_int(), right.as_int()) else {
            return self.real_arithmetic(primitive, left, right);
        };
        if b == 0 && !matches!(primitive, Primitive::Subtract | Primitive::Multiply) {
            return Err(raised("Div"));
        }
        // Integers have 63 bits, so that only sums and products can overflow 64.
        sized(match primitive {
            Primitive::Subtract => a.checked_sub(b),
            Primitive::Multiply => a.checked_mul(b),
            // `div` rounds towards minus infinity, and `mod` has the sign of the divisor.
            Primitive::Div => Some(a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0)),
            Primitive::Mod => {
                let rest = a.rem_euclid(b);
                Some(if b < 0 && rest != 0 { rest + b } else { rest })
            }
            Primitive::Quot => Some(a / b),
            _ => Some(a % b),
        })
    }

    pub(super) fn real_arithmetic(
        &mut self,
        primitive: Primitive,
        left: Value,
        right: Value,
    ) -> Result<Value, Raised> {
        let (a, b) = (self.values.as_real(left), self.values.as_real(right));
        self.real(match primitive {
            Primitive::Add => a + b,
            Primitive::Subtract => a - b,
            Primitive::Multiply => a * b,
            _ => a / b,
        })
    }

    /// A number with a fraction. What is no number would be equal to itself here and to nothing in Standard ML, so there is none.
    fn real(&mut self, value: f64) -> Result<Value, Raised> {
        if value.is_nan() {
            Err(raised("Domain"))
        } else {
            Ok(self.values.real(value))
        }
    }

    pub(super) fn real_function(&mut self, primitive: Primitive) -> Result<Value, Raised> {
        if primitive == Primitive::RealFromInt {
            #[expect(clippy::cast_precision_loss, reason = "reals are not exact")]
            let value = self.pop().as_int().unwrap_or(0) as f64;
            return Ok(self.values.real(value));
        }
        if primitive == Primitive::Power {
            let (base, exponent) = self.two();
            let power = self
                .values
                .as_real(base)
                .powf(self.values.as_real(exponent));
            return self.real(power);
        }
        let argument = self.pop();
        let value = self.values.as_real(argument);
        let rounded = match primitive {
            Primitive::Floor => value.floor(),
            Primitive::Ceil => value.ceil(),
            Primitive::Round => value.round_ties_even(),
            Primitive::Trunc => value.trunc(),
            Primitive::Sqrt => return self.real(value.sqrt()),
            Primitive::Ln => return self.real(value.ln()),
            _ => return self.real(value.exp()),
        };
        if !rounded.is_finite() || rounded.abs() >= 4e18 {
            return Err(raised("Overflow"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "it was looked at")]
        let integer = rounded as i64;
        sized(Some(integer))
    }
}
