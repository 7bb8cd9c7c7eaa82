//! From the solver's floating-point numbers back to integers.
//!
//! Corners of a linear program with small integers are fractions with small denominators, so they can be guessed from
//! their approximations. Whoever uses a guess checks it in integers.

/// The greatest common divisor; that of zero and a number is the number.
pub(super) fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Numbers as integers over one denominator.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fractions {
    pub(super) numerators: Vec<i64>,
    pub(super) denominator: i64,
}

/// Larger common denominators are not what a readable measure has.
const LARGEST_DENOMINATOR: i64 = 1 << 24;
/// Numerators must be far enough below 2^53 for their last digits to mean something.
const LARGEST_NUMERATOR: f64 = 1e13;
const TOLERANCE: f64 = 1e-6;

/// The fractions that these numbers most likely stand for.
pub(super) fn fractions(values: &[f64]) -> Option<Fractions> {
    let mut denominator = 1;
    for &value in values {
        denominator *= missing_factor(value * as_float(denominator))?;
        if denominator > LARGEST_DENOMINATOR {
            return None;
        }
    }
    let scale = as_float(denominator);
    let numerators: Option<Vec<_>> = values.iter().map(|value| nearest(value * scale)).collect();
    Some(Fractions {
        numerators: numerators?,
        denominator,
    })
}

/// By what a number must be multiplied to become nearly an integer: its denominator, from its continued fraction.
fn missing_factor(value: f64) -> Option<i64> {
    let tolerance = TOLERANCE * value.abs().max(1.0);
    let (mut rest, mut before, mut denominator) = (value, 0, 1);
    for _ in 0..32 {
        let scaled = value * as_float(denominator);
        if (scaled - scaled.round()).abs() <= tolerance {
            return Some(denominator);
        }
        rest = (rest - rest.floor()).recip();
        let next = nearest(rest.floor())?.checked_mul(denominator)?;
        (before, denominator) = (denominator, next.checked_add(before)?);
        if denominator > LARGEST_DENOMINATOR {
            return None;
        }
    }
    None
}

/// The nearest integer, unless the number is too large to tell.
pub(super) fn nearest(value: f64) -> Option<i64> {
    if value.is_nan() || value.abs() > LARGEST_NUMERATOR {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
    Some(value.round() as i64)
}

/// The nearest floating-point number.
#[expect(
    clippy::cast_precision_loss,
    reason = "solutions are checked in integers"
)]
pub(super) fn as_float(value: i64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_guessed() {
        let check = |values: &[f64], expected: Option<(&[i64], i64)>| {
            let expected = expected.map(|(numerators, denominator)| Fractions {
                numerators: numerators.to_vec(),
                denominator,
            });
            assert_eq!(fractions(values), expected, "{values:?}");
        };
        check(&[], Some((&[], 1)));
        check(&[1.0, -2.0, 1e-10], Some((&[1, -2, 0], 1)));
        check(&[0.5, 1.0 / 3.0], Some((&[3, 2], 6)));
        check(&[-5.0 / 7.0, 3.0], Some((&[-5, 21], 7)));
        check(&[f64::NAN], None);
        check(&[f64::INFINITY], None);
        check(&[1e300], None);
    }
}
