//! Homogeneous linear equations, solved exactly.

use super::budget::Budget;
use super::effects::sparse;
use super::exact::common_divisor;
use super::quotient::direction;

/// Equations `sum = 0`, each solved for one unknown that no later equation contains.
///
/// A point found by rounding breaks equations; it meets them again when these unknowns are computed from the others.
pub(super) struct Equations {
    solved: Vec<(usize, Vec<(usize, i64)>)>,
}

/// The work of an unknown in an elimination.
const EACH: u64 = 50;

impl Equations {
    /// Solves equations by elimination; nothing if numbers grow too large or that takes too much work.
    pub(super) fn new<'a>(
        unknowns: usize,
        sums: impl Iterator<Item = &'a [(usize, i64)]>,
        budget: &Budget,
    ) -> Option<Self> {
        let mut position = vec![None; unknowns];
        let mut equations = Self { solved: Vec::new() };
        for sum in sums {
            let sum = equations.reduced(sum.to_vec(), &position, budget)?;
            let Some(&(unknown, _)) = sum.iter().min_by_key(|entry| entry.1.unsigned_abs()) else {
                continue; // it follows from the others
            };
            position[unknown] = Some(equations.solved.len());
            equations.solved.push((unknown, sum));
        }
        Some(equations)
    }

    /// The sum without the unknowns that are solved for, in the order in which they were.
    fn reduced(
        &self,
        mut sum: Vec<(usize, i64)>,
        position: &[Option<usize>],
        budget: &Budget,
    ) -> Option<Vec<(usize, i64)>> {
        let first = |sum: &[(usize, i64)]| sum.iter().filter_map(|entry| position[entry.0]).min();
        while let Some(next) = first(&sum) {
            let (unknown, equation) = &self.solved[next];
            let work = EACH * (sum.len() + equation.len() + 1) as u64;
            if !budget.spend(work) {
                return None;
            }
            sum = eliminated(&sum, equation, *unknown)?;
        }
        Some(sum)
    }

    /// Multiplies a point so that it stays an integer one and changes the unknowns that are solved for so that all
    /// equations hold.
    pub(super) fn complete(&self, point: &mut [i64]) -> Option<()> {
        for (unknown, equation) in self.solved.iter().rev() {
            let mut divisor = 0;
            let mut rest: i64 = 0;
            for &(other, factor) in equation {
                if other == *unknown {
                    divisor = factor;
                } else {
                    rest = rest.checked_sub(factor.checked_mul(point[other])?)?;
                }
            }
            let shared = common_divisor(rest.unsigned_abs(), divisor.unsigned_abs());
            let factor = divisor.checked_abs()? / i64::try_from(shared).ok()?;
            if factor > 1 {
                for value in &mut *point {
                    *value = value.checked_mul(factor)?;
                }
            }
            point[*unknown] = rest.checked_mul(factor)?.checked_div(divisor)?;
        }
        Some(())
    }
}

/// The combination of two sums that does not contain an unknown of both.
fn eliminated(
    sum: &[(usize, i64)],
    by: &[(usize, i64)],
    unknown: usize,
) -> Option<Vec<(usize, i64)>> {
    let factor = |sum: &[(usize, i64)]| {
        let found = sum.binary_search_by_key(&unknown, |entry| entry.0);
        found.map_or(0, |at| sum[at].1)
    };
    let (left, right) = (factor(sum), factor(by));
    let scaled = |sum: &[(usize, i64)], by: i64| {
        let entry = |&(unknown, factor): &(usize, i64)| Some((unknown, factor.checked_mul(by)?));
        sum.iter().map(entry).collect::<Option<Vec<_>>>()
    };
    let mut terms = scaled(sum, right)?;
    terms.extend(scaled(by, left.checked_neg()?)?);
    let small = terms.iter().all(|entry| entry.1.unsigned_abs() < 1 << 60);
    small.then(|| direction(&sparse(terms)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_points_meet_the_equations_again() {
        // 2x = 3y and y + z = 2u.
        let sums: [&[(usize, i64)]; 2] = [&[(0, 2), (1, -3)], &[(1, 1), (2, 1), (3, -2)]];
        let equations = Equations::new(4, sums.into_iter(), &Budget::default()).unwrap();
        let mut point = vec![1, 1, 1, 1];
        equations.complete(&mut point).unwrap();
        assert!(point.iter().any(|value| *value != 0));
        assert_eq!(2 * point[0], 3 * point[1]);
        assert_eq!(point[1] + point[2], 2 * point[3]);
    }
}
