//! Monotone measures without a linear program.

use super::effects::{Effects, Weights};
use super::quotient::{Peel, Quotient};

/// The measure that peeling gives: a class outweighs those that were found after it.
///
/// The transitions of a class touch it and classes found later, or never, but none found before. So weights are chosen
/// from the last class to the first, each as small as its transitions allow. Where a weight would become too large, all
/// later classes are given up, and fewer transitions rise.
pub(super) fn stacked(quotient: &Quotient, effects: &Effects) -> Option<Weights> {
    let mut weights = vec![0; quotient.sizes.len()];
    let mut weighted = Vec::new();
    for peel in quotient.peeled.iter().rev() {
        let mut weight = least_weight(quotient, peel, &weights);
        if weight.is_none() {
            for class in weighted.drain(..) {
                weights[class] = 0;
            }
            weight = least_weight(quotient, peel, &weights);
        }
        weights[peel.class] = peel.sign * weight?;
        weighted.push(peel.class);
    }
    let weights = quotient.weights_of_places(&weights)?;
    let useful = !weights.of.is_empty() && weights.is_monotone(effects);
    useful.then_some(weights)
}

/// The least weight of a class with which all its transitions rise, given the weights of later classes.
fn least_weight(quotient: &Quotient, peel: &Peel, weights: &[i64]) -> Option<i64> {
    const LARGEST: i64 = 1 << 40;
    let mut least = 0;
    for &transition in &peel.transitions {
        let mut own = 0;
        let mut missing: i64 = 1;
        for &(class, change) in &quotient.effects[transition] {
            if class == peel.class {
                own = change.checked_abs()?;
            } else {
                missing = missing.checked_sub(weights[class].checked_mul(change)?)?;
            }
        }
        let weight = missing.div_euclid(own) + i64::from(missing.rem_euclid(own) > 0);
        least = least.max(weight);
    }
    (least <= LARGEST).then_some(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(places: usize, effects: Vec<Vec<(usize, i64)>>, expected: &[(usize, i64)]) {
        let effects = Effects::new(places, effects);
        let weights = stacked(&Quotient::new(&effects), &effects).unwrap();
        assert_eq!(weights.of, expected);
    }

    #[test]
    fn earlier_classes_outweigh_later_ones() {
        // Two tokens at the first place become one at the second, which becomes one at the third.
        let two = vec![vec![(0, -2), (1, 1)], vec![(1, -1), (2, 1)]];
        check(3, two, &[(0, -1), (1, -1)]);
        let five = (0..5).map(|p| vec![(p, -1), (p + 1, 1)]).collect();
        check(6, five, &[(0, -5), (1, -4), (2, -3), (3, -2), (4, -1)]);
    }

    #[test]
    fn too_large_weights_are_given_up() {
        // Each place turns into a thousand of the next one: the first of them would need to weigh 1000^20.
        let growing = (0..20).map(|p| vec![(p, -1), (p + 1, 1_000)]).collect();
        let effects = Effects::new(21, growing);
        let weights = stacked(&Quotient::new(&effects), &effects).unwrap();
        assert!(weights.is_monotone(&effects));
        assert!(weights.offset(&effects, 0) > 0);
    }
}
