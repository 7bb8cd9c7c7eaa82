//! How far a measure can rise, from the state equation.

use super::budget::Budget;
use super::effects::{Effects, Weights, product};
use super::exact::{as_float, fractions};
use super::parts::{Part, parts};
use super::solver::{Program, Relation};

/// An upper bound of a measure over all reachable markings.
///
/// Every reachable marking is `m = initial + C x` with `x >= 0` and `m >= 0`. We look for weights `u` that are nowhere
/// below the given ones and rise on no transition. Then the measure of a marking is at most its sum by `u`, which is at
/// most that of the initial marking. By duality the least of these bounds is the greatest value over the state
/// equation. The properties of `u` are checked in integers, so the bound holds even if the solver is wrong. Nothing is
/// returned if the measure is unbounded or no such weights are found within the budget.
///
/// ```
/// use sweepline_progress::linear::{Budget, Effects, Weights, greatest_value};
///
/// // Three parts are taken one after the other from a store into a box.
/// let net = Effects::new(2, vec![vec![(0, -1), (1, 1)]]);
/// let boxed = Weights::new(vec![(1, 1)]);
/// assert_eq!(greatest_value(&net, &[3, 0], &boxed, &Budget::default()), Some(3));
/// ```
pub fn greatest_value(
    effects: &Effects,
    initial: &[u64],
    weights: &Weights,
    budget: &Budget,
) -> Option<i128> {
    let mut still = weights.clone(); // weights of places that never change
    let mut greatest: i128 = 0;
    for part in parts(effects) {
        let own = own_weights(&part, weights);
        still
            .of
            .retain(|entry| part.places.binary_search(&entry.0).is_err());
        if own.iter().any(|weight| *weight != 0) {
            let initial: Vec<_> = part.places.iter().map(|&place| initial[place]).collect();
            greatest = greatest.checked_add(part_bound(&part, &initial, &own, budget)?)?;
        }
    }
    greatest.checked_add(still.value(initial))
}

/// The weights of a part's places.
fn own_weights(part: &Part, weights: &Weights) -> Vec<i64> {
    let weight = |place: &usize| {
        let found = weights.of.binary_search_by_key(place, |entry| entry.0);
        found.map_or(0, |at| weights.of[at].1)
    };
    part.places.iter().map(weight).collect()
}

fn part_bound(part: &Part, initial: &[u64], weights: &[i64], budget: &Budget) -> Option<i128> {
    if !budget.admits(part.transitions.len()) {
        return None;
    }
    let above = excess(&part.effects, initial, weights, budget)?;
    let excess = fractions(&above)?;
    certified(
        &part.effects,
        initial,
        weights,
        &excess.numerators,
        excess.denominator,
    )
}

/// By how much the weights `u` exceed the given ones: at least zero, cheapest in the initial marking, and such that no
/// transition raises the sum.
fn excess(
    effects: &Effects,
    initial: &[u64],
    weights: &[i64],
    budget: &Budget,
) -> Option<Vec<f64>> {
    let mut program = Program::new();
    for &tokens in initial {
        let tokens = as_float(i64::try_from(tokens).unwrap_or(i64::MAX));
        program.variable(tokens, f64::INFINITY);
    }
    for transition in 0..effects.transitions() {
        let effect = effects.of(transition);
        let rise: i128 = effect
            .iter()
            .map(|&(p, by)| i128::from(by) * i128::from(weights[p]))
            .sum();
        let falls = effect.iter().map(|&(place, by)| (place, -as_float(by)));
        program.row(
            falls,
            Relation::AtLeast,
            as_float(i64::try_from(rise).ok()?),
        );
    }
    program.minimise(budget)
}

/// The bound that `u = weights + excess / denominator` gives, if it gives one.
fn certified(
    effects: &Effects,
    initial: &[u64],
    weights: &[i64],
    excess: &[i64],
    denominator: i64,
) -> Option<i128> {
    let weight = |(&weight, &excess): (&i64, &i64)| {
        let scaled = weight.checked_mul(denominator)?;
        (excess >= 0).then_some(scaled.checked_add(excess)?)
    };
    let above: Option<Vec<_>> = weights.iter().zip(excess).map(weight).collect();
    let above: Vec<(usize, i64)> = above?.into_iter().enumerate().collect();
    let falls = |t| product(&above, effects.of(t)) <= 0;
    if !(0..effects.transitions()).all(falls) {
        return None;
    }
    let tokens =
        |entry: &(usize, i64)| i128::from(entry.1).checked_mul(i128::from(initial[entry.0]));
    let sum = above
        .iter()
        .try_fold(0_i128, |sum, entry| sum.checked_add(tokens(entry)?))?;
    Some(sum.div_euclid(i128::from(denominator)))
}
