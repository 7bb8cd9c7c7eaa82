//! What can be said about a net without a linear program, which makes the programs that follow small.
//!
//! Three observations are used, each again and again. They rest on Farkas' lemma: a monotone measure can rise on a
//! transition if and only if no T-semiflow contains it, and it is constant on all transitions of every T-semiflow.
//!
//! - A place that only gains, or only loses, takes part in no semiflow: the transitions that touch it progress.
//! - Transitions that move a token from place to place along a cycle are a semiflow: the places on the cycle have equal
//!   weight in every monotone measure and become one class.
//! - A transition and its reverse are a semiflow.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::Components;

use super::effects::{Effects, Weights, sparse};
use super::exact::common_divisor;
use super::parts::Links;

/// A net with some places merged into classes and some transitions decided.
pub(super) struct Quotient {
    /// The class of each place.
    pub(super) class: Vec<usize>,
    /// How many places a class has.
    pub(super) sizes: Vec<usize>,
    /// All changes of a place are multiples of its unit: weights of classes count units.
    pub(super) units: Vec<i64>,
    /// The effect of each transition on the classes, in units.
    pub(super) effects: Vec<Vec<(usize, i64)>>,
    /// What is known about each transition.
    pub(super) fate: Vec<Fate>,
    /// How rising transitions were found, in this order.
    pub(super) peeled: Vec<Peel>,
}

/// A class that only gains or only loses by the transitions left at that time.
pub(super) struct Peel {
    pub(super) class: usize,
    /// One if the class gains, minus one if it loses.
    pub(super) sign: i64,
    /// The transitions left that touch the class.
    pub(super) transitions: Vec<usize>,
}

/// Whether some monotone measure can rise on a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Not known yet.
    Open,
    /// It can.
    Rises,
    /// It cannot, for the transition belongs to a T-semiflow.
    Stands,
}

impl Quotient {
    /// Decides and merges what can be decided and merged cheaply.
    pub(super) fn new(effects: &Effects) -> Self {
        const ROUNDS: usize = 64; // each is linear, and few nets need more than three
        let units = units(effects);
        let mut links = Links::new(effects.places());
        let mut quotient = Self::by(effects, &units, &mut links);
        for _ in 0..ROUNDS {
            quotient.match_reverses();
            if !quotient.close_cycles(effects, &mut links) {
                break;
            }
            let known = std::mem::take(&mut quotient.fate);
            quotient = Self::by(effects, &units, &mut links);
            quotient.remember(&known);
        }
        quotient.peel();
        quotient
    }

    fn by(effects: &Effects, units: &[i64], links: &mut Links) -> Self {
        let (class, sizes) = classes(effects.places(), links);
        let merged = |t| merged(effects.of(t), &class, units);
        let merged: Vec<_> = (0..effects.transitions()).map(merged).collect();
        let idle = |effect: &Vec<_>| {
            if effect.is_empty() {
                Fate::Stands
            } else {
                Fate::Open
            }
        };
        Self {
            fate: merged.iter().map(idle).collect(),
            effects: merged,
            class,
            sizes,
            units: units.to_vec(),
            peeled: Vec::new(),
        }
    }

    /// Takes over that transitions stand.
    fn remember(&mut self, known: &[Fate]) {
        for (fate, known) in self.fate.iter_mut().zip(known) {
            if *known == Fate::Stands {
                *fate = Fate::Stands;
            }
        }
    }

    /// Removes transitions that touch a class which only gains or only loses, again and again.
    fn peel(&mut self) {
        let mut touching: Vec<Vec<usize>> = vec![Vec::new(); self.sizes.len()];
        let mut gains = vec![0_usize; self.sizes.len()];
        let mut losses = vec![0_usize; self.sizes.len()];
        for (transition, effect) in self.effects.iter().enumerate() {
            for &(class, change) in effect {
                touching[class].push(transition);
                *count_of(change, class, &mut gains, &mut losses) += 1;
            }
        }
        let mut candidates: BTreeSet<usize> = (0..self.sizes.len()).collect();
        while let Some(class) = candidates.pop_first() {
            let sign = match (gains[class], losses[class]) {
                (0, 0) => continue,
                (_, 0) => 1,
                (0, _) => -1,
                _ => continue,
            };
            let mut transitions = std::mem::take(&mut touching[class]);
            transitions.retain(|&transition| self.fate[transition] != Fate::Rises);
            for &transition in &transitions {
                self.fate[transition] = Fate::Rises;
                for &(class, change) in &self.effects[transition] {
                    *count_of(change, class, &mut gains, &mut losses) -= 1;
                    candidates.insert(class);
                }
            }
            self.peeled.push(Peel {
                class,
                sign,
                transitions,
            });
        }
    }

    /// Transitions whose exact reverse, or a multiple of it, is there too.
    fn match_reverses(&mut self) {
        let directions: Vec<_> = self
            .effects
            .iter()
            .map(|effect| direction(effect))
            .collect();
        let all: BTreeSet<&[(usize, i64)]> = directions.iter().map(Vec::as_slice).collect();
        for (fate, direction) in self.fate.iter_mut().zip(&directions) {
            if *fate == Fate::Open && all.contains(reversed(direction).as_slice()) {
                *fate = Fate::Stands;
            }
        }
    }

    /// Merges the places on cycles of transitions that only move tokens; says whether there were any.
    fn close_cycles(&self, effects: &Effects, links: &mut Links) -> bool {
        let mut targets = vec![Vec::new(); self.sizes.len()];
        for effect in &self.effects {
            if let Some((from, to)) = moved(effect) {
                targets[from].push(to);
            }
        }
        let found =
            Components::of_graph(targets.len(), |node, edge| targets[node].get(edge).copied());
        let mut together: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for place in 0..effects.places() {
            let component = found.of[self.class[place]];
            together.entry(component).or_default().push(place);
        }
        together
            .into_values()
            .fold(false, |changed, places| links.join(places) | changed)
    }
}

fn count_of<'a>(
    change: i64,
    class: usize,
    gains: &'a mut [usize],
    losses: &'a mut [usize],
) -> &'a mut usize {
    if change > 0 {
        &mut gains[class]
    } else {
        &mut losses[class]
    }
}

/// The greatest common divisor of all changes of each place.
fn units(effects: &Effects) -> Vec<i64> {
    let mut units = vec![0_u64; effects.places()];
    for transition in 0..effects.transitions() {
        for &(place, change) in effects.of(transition) {
            units[place] = common_divisor(units[place], change.unsigned_abs());
        }
    }
    let unit = |unit: u64| i64::try_from(unit).unwrap_or(1).max(1);
    units.into_iter().map(unit).collect()
}

/// Numbers the classes: the class of each place and the size of each class.
fn classes(places: usize, links: &mut Links) -> (Vec<usize>, Vec<usize>) {
    let mut number = vec![usize::MAX; places];
    let mut sizes = Vec::new();
    let mut class = Vec::with_capacity(places);
    for place in 0..places {
        let number = &mut number[links.find(place)];
        if *number == usize::MAX {
            *number = sizes.len();
            sizes.push(0);
        }
        sizes[*number] += 1;
        class.push(*number);
    }
    (class, sizes)
}

/// An effect on classes in units.
fn merged(effect: &[(usize, i64)], class: &[usize], units: &[i64]) -> Vec<(usize, i64)> {
    let unit = |&(place, change): &(usize, i64)| (class[place], change / units[place]);
    sparse(effect.iter().map(unit).collect())
}

/// The effect divided by its greatest common divisor.
pub(super) fn direction(effect: &[(usize, i64)]) -> Vec<(usize, i64)> {
    Weights::new(effect.to_vec()).of
}

/// The opposite of an effect.
pub(super) fn reversed(effect: &[(usize, i64)]) -> Vec<(usize, i64)> {
    let reverse = |&(place, change): &(usize, i64)| (place, change.saturating_neg());
    effect.iter().map(reverse).collect()
}

/// From where to where a transition moves tokens, if it does nothing else.
fn moved(effect: &[(usize, i64)]) -> Option<(usize, usize)> {
    match *effect {
        [(a, left), (b, right)] if left.checked_add(right) == Some(0) => {
            if left < 0 {
                Some((a, b))
            } else {
                Some((b, a))
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_is_decided_without_a_program() {
        use Fate::{Open, Rises, Stands};
        let check = |places, effects: &[&[(usize, i64)]], fates: &[Fate], classes: usize| {
            let effects = effects.iter().map(|effect| effect.to_vec()).collect();
            let quotient = Quotient::new(&Effects::new(places, effects));
            assert_eq!(quotient.fate, fates);
            assert_eq!(quotient.sizes.len(), classes);
        };
        let (forth, back): (&[_], &[_]) = (&[(0, -1), (1, 1)], &[(0, 1), (1, -1)]);
        check(2, &[forth], &[Rises], 2);
        check(2, &[forth, back], &[Stands, Stands], 1);
        // Once the first two places are one, the others turn out to be a cycle.
        let (out, home): (&[_], &[_]) = (&[(0, -1), (2, 1)], &[(1, 1), (2, -1)]);
        check(3, &[forth, back, out, home], &[Stands; 4], 1);
        // A join and a fork that are each other's reverse, and one that leads away.
        let (join, fork): (&[_], &[_]) = (&[(0, -1), (1, -1), (2, 1)], &[(0, 2), (1, 2), (2, -2)]);
        check(
            4,
            &[join, fork, &[(2, -1), (3, 1)]],
            &[Stands, Stands, Rises],
            4,
        );
        // Only a program sees that these three belong together.
        let (split, left, right): (&[_], &[_], &[_]) = (
            &[(0, -1), (1, 1), (2, 1)],
            &[(1, -1), (3, 1)],
            &[(2, -1), (3, -1), (0, 1)],
        );
        check(4, &[split, left, right], &[Open; 3], 4);
    }
}
