//! T-semiflows: why a transition cannot progress.

use super::budget::Budget;
use super::effects::Effects;
use super::equations::Equations;
use super::exact::{as_float, fractions};
use super::parts::parts;
use super::solver::{Program, Relation};

/// How often to fire which transitions, this one among them, so that together they change nothing.
///
/// If there is such a T-semiflow, no monotone measure rises on the transition: firing it all leads back to where it
/// began. The answer is checked in integers. Nothing is returned if there is none, or if the budget does not suffice.
///
/// ```
/// use sweepline_progress::linear::{Budget, Effects, semiflow_containing};
///
/// // A token goes from one place to another and back.
/// let net = Effects::new(2, vec![vec![(0, -1), (1, 1)], vec![(0, 1), (1, -1)]]);
/// assert_eq!(semiflow_containing(&net, 0, &Budget::default()), Some(vec![(0, 1), (1, 1)]));
/// ```
pub fn semiflow_containing(
    effects: &Effects,
    transition: usize,
    budget: &Budget,
) -> Option<Vec<(usize, u64)>> {
    if effects.is_idle(transition) {
        return Some(vec![(transition, 1)]);
    }
    let parts = parts(effects);
    let mut found = parts.iter().filter_map(|part| {
        let own = part.transitions.binary_search(&transition).ok()?;
        Some((part, own))
    });
    let (part, own) = found.next()?;
    if !budget.admits(part.transitions.len()) {
        return None;
    }
    let counts = smallest(&part.effects, own, budget)?;
    let whole = |&(own, count): &(usize, u64)| (part.transitions[own], count);
    Some(counts.iter().map(whole).collect())
}

/// The semiflow with the smallest sum in which this transition fires at least once.
fn smallest(effects: &Effects, transition: usize, budget: &Budget) -> Option<Vec<(usize, u64)>> {
    let mut program = Program::new();
    let mut sums = vec![Vec::new(); effects.places()];
    for other in 0..effects.transitions() {
        let variable = program.variable(1.0, f64::INFINITY);
        for &(place, change) in effects.of(other) {
            sums[place].push((variable, as_float(change)));
        }
    }
    for sum in sums {
        program.row(sum, Relation::Equal, 0.0);
    }
    program.row([(transition, 1.0)], Relation::AtLeast, 1.0);
    let values = program.minimise(budget)?;
    let guessed = || fractions(&values).map(|fractions| fractions.numerators);
    let check = |counts: Vec<i64>| checked(effects, transition, &counts);
    let found = guessed().and_then(check);
    found.or_else(|| check(solved(effects, &values, budget)?))
}

/// The counts if they are a semiflow that contains a transition.
fn checked(effects: &Effects, transition: usize, counts: &[i64]) -> Option<Vec<(usize, u64)>> {
    let count = |(t, &count): (usize, &i64)| Some((t, u64::try_from(count).ok()?));
    let counts: Option<Vec<_>> = counts.iter().enumerate().map(count).collect();
    let mut counts = counts?;
    counts.retain(|entry| entry.1 > 0);
    let contained = counts.iter().any(|entry| entry.0 == transition);
    (contained && is_semiflow(effects, &counts)).then_some(counts)
}

/// The semiflow of the transitions with positive values. The solver returns minimal semiflows, which are determined by
/// their transitions up to a factor.
fn solved(effects: &Effects, values: &[f64], budget: &Budget) -> Option<Vec<i64>> {
    const POSITIVE: f64 = 1e-9;
    let mut sums: Vec<Vec<(usize, i64)>> = vec![Vec::new(); effects.places()];
    let mut counts = vec![0; values.len()];
    for (transition, count) in counts.iter_mut().enumerate() {
        if values[transition] > POSITIVE {
            *count = 1;
            for &(place, change) in effects.of(transition) {
                sums[place].push((transition, change));
            }
        }
    }
    let sums = sums.iter().map(Vec::as_slice);
    let equations = Equations::new(counts.len(), sums, budget)?;
    equations.complete(&mut counts)?;
    Some(counts)
}

/// Whether firing transitions this often changes nothing.
fn is_semiflow(effects: &Effects, counts: &[(usize, u64)]) -> bool {
    let mut change = vec![0_i128; effects.places()];
    for &(transition, count) in counts {
        for &(place, by) in effects.of(transition) {
            let by = i128::from(by) * i128::from(count);
            let Some(sum) = change[place].checked_add(by) else {
                return false;
            };
            change[place] = sum;
        }
    }
    change.iter().all(|change| *change == 0)
}
