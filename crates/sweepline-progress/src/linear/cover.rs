//! Whether a marking with so many tokens can be reached, from the state equation.

use super::budget::Budget;
use super::effects::{Effects, product};
use super::exact::{as_float, fractions};
use super::parts::{Part, parts};
use super::solver::{Program, Relation};

/// Whether no reachable marking has at least so many tokens on these places. May say no although there is none.
///
/// We look for weights `u >= 0` that rise on no transition, and by which the demand weighs more than the initial marking. A
/// marking that has at least what is demanded would weigh more than it can. By Farkas' lemma there are such weights if and only
/// if the state equation has no solution in fractions. They are checked in integers, so the answer is right even if the solver
/// is wrong.
///
/// ```
/// use sweepline_progress::linear::{Budget, Effects, is_beyond};
///
/// // A token is here or there, so both places are never marked at once.
/// let net = Effects::new(2, vec![vec![(0, -1), (1, 1)], vec![(1, -1), (0, 1)]]);
/// let budget = Budget::default();
/// assert!(is_beyond(&net, &[1, 0], &[(0, 1), (1, 1)], &budget));
/// assert!(!is_beyond(&net, &[2, 0], &[(0, 1), (1, 1)], &budget));
/// ```
pub fn is_beyond(
    effects: &Effects,
    initial: &[u64],
    demand: &[(usize, u64)],
    budget: &Budget,
) -> bool {
    let (mut still, mut beyond) = (demand.to_vec(), false);
    for part in parts(effects) {
        let own = own_demand(&part, demand);
        still.retain(|entry| part.places.binary_search(&entry.0).is_err());
        let initial: Vec<_> = part.places.iter().map(|&place| initial[place]).collect();
        if own.iter().any(|tokens| *tokens != 0) {
            beyond = beyond || is_beyond_part(&part, &initial, &own, budget);
        }
    }
    // The other places never change.
    beyond || still.iter().any(|&(place, tokens)| initial[place] < tokens)
}

/// The demand on a part's places.
fn own_demand(part: &Part, demand: &[(usize, u64)]) -> Vec<u64> {
    let tokens = |place: &usize| {
        let found = demand.iter().filter(|entry| entry.0 == *place);
        found.map(|entry| entry.1).max().unwrap_or(0)
    };
    part.places.iter().map(tokens).collect()
}

fn is_beyond_part(part: &Part, initial: &[u64], demand: &[u64], budget: &Budget) -> bool {
    if !budget.admits(part.transitions.len()) {
        return false;
    }
    let weights = weights(&part.effects, initial, demand, budget);
    let exact = weights.and_then(|weights| fractions(&weights));
    exact.is_some_and(|exact| is_certified(&part.effects, initial, demand, &exact.numerators))
}

/// The weights by which the initial marking weighs least, if the demand weighs one and no transition makes anything weigh more.
fn weights(
    effects: &Effects,
    initial: &[u64],
    demand: &[u64],
    budget: &Budget,
) -> Option<Vec<f64>> {
    let tokens = |tokens: u64| as_float(i64::try_from(tokens).unwrap_or(i64::MAX));
    let mut program = Program::new();
    for &initial in initial {
        program.variable(tokens(initial), f64::INFINITY);
    }
    for transition in 0..effects.transitions() {
        let effect = effects.of(transition).iter();
        let falls = effect.map(|&(place, by)| (place, -as_float(by)));
        program.row(falls, Relation::AtLeast, 0.0);
    }
    let demanded = demand
        .iter()
        .enumerate()
        .filter(|(_, wanted)| **wanted != 0);
    let demanded = demanded.map(|(place, &wanted)| (place, tokens(wanted)));
    program.row(demanded, Relation::AtLeast, 1.0);
    program.minimise(budget)
}

/// Whether these weights show that the demand is never met.
fn is_certified(effects: &Effects, initial: &[u64], demand: &[u64], weights: &[i64]) -> bool {
    let sparse: Vec<(usize, i64)> = weights.iter().copied().enumerate().collect();
    let falls = |transition| product(&sparse, effects.of(transition)) <= 0;
    let weight_of = |marking: &[u64]| {
        let mut terms = weights.iter().zip(marking);
        terms.try_fold(0_i128, |sum, (&weight, &tokens)| {
            sum.checked_add(i128::from(weight).checked_mul(i128::from(tokens))?)
        })
    };
    weights.iter().all(|weight| *weight >= 0)
        && (0..effects.transitions()).all(falls)
        && matches!(
            (weight_of(initial), weight_of(demand)),
            (Some(initial), Some(demand)) if initial < demand
        )
}
