//! Monotone measures that rise on every transition on which one can.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::effects::{Effects, Weights};
use super::equations::Equations;
use super::exact::{as_float, common_divisor, fractions, nearest};
use super::parts::{Links, Part, parts};
use super::quotient::{Fate, Quotient, direction};
use super::solver::{Program, Relation};
use super::stack::stacked;

/// Measures that no transition lowers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// One measure for each connected part of the net in which something progresses.
    pub coordinates: Vec<Weights>,
    /// For each transition, whether some coordinate rises on it.
    pub strict: Vec<bool>,
}

/// Finds monotone measures, one for each connected part of a net, that together rise on as many transitions as possible.
///
/// By Farkas' lemma these are the transitions that belong to no T-semiflow, and one linear program finds them all; a
/// second one finds small weights. Every measure is checked in integers before it is returned. If the budget is too
/// small or numbers are too large, fewer transitions are claimed.
///
/// ```
/// use sweepline_progress::linear::{Budget, Effects, columns};
///
/// // Parts go from a store (0) to a machine (1) and back, and finally from the machine to a box (2).
/// let effects = vec![vec![(0, -1), (1, 1)], vec![(1, -1), (0, 1)], vec![(1, -1), (2, 1)]];
/// let columns = columns(&Effects::new(3, effects), &Budget::default());
/// assert_eq!(columns.coordinates[0].of, [(2, 1)]); // parts in the box
/// assert_eq!(columns.strict, [false, false, true]);
/// ```
pub fn columns(effects: &Effects, budget: &Budget) -> Columns {
    let of_part = |part: &Part| Some(part.weights(&monotone(&part.effects, budget)?));
    let coordinates: Vec<_> = parts(effects).iter().filter_map(of_part).collect();
    debug_assert!(
        coordinates
            .iter()
            .all(|weights| weights.is_monotone(effects))
    );
    Columns {
        strict: strict(effects, &coordinates),
        coordinates,
    }
}

/// For each transition, whether one of these measures rises on it. They are monotone and share no places.
fn strict(effects: &Effects, coordinates: &[Weights]) -> Vec<bool> {
    let mut all = Weights::default();
    all.of
        .extend(coordinates.iter().flat_map(|weights| &weights.of));
    all.of.sort_unstable();
    let rises = |t| all.offset(effects, t) > 0;
    (0..effects.transitions()).map(rises).collect()
}

/// A monotone measure of a connected part that rises wherever one can, as far as is found.
pub(super) fn monotone(effects: &Effects, budget: &Budget) -> Option<Weights> {
    let mut quotient = Quotient::new(effects);
    let decided = budget.admits(effects.transitions()) && decide(&mut quotient, budget);
    if !quotient.fate.contains(&Fate::Rises) {
        return None;
    }
    let small = || small_weights(&quotient, effects, budget);
    let found = decided.then(small).flatten();
    found.or_else(|| stacked(&quotient, effects))
}

/// Decides the open transitions by a semiflow with as many transitions as possible; says whether that succeeded.
///
/// A transition's count is `z + s` with `z` at most one; the sum of all `z` is maximised. A semiflow can be scaled up,
/// so in an optimum each `z` is zero or one.
fn decide(quotient: &mut Quotient, budget: &Budget) -> bool {
    if !quotient.fate.contains(&Fate::Open) {
        return true;
    }
    let Some(counted) = largest_semiflow(quotient, budget) else {
        return false;
    };
    let Quotient { effects, fate, .. } = quotient;
    for (fate, effect) in fate.iter_mut().zip(effects.iter()) {
        if *fate == Fate::Open {
            *fate = if counted[&direction(effect)] {
                Fate::Stands
            } else {
                Fate::Rises
            };
        }
    }
    true
}

/// For each direction of an open transition, whether a semiflow contains it.
fn largest_semiflow(
    quotient: &Quotient,
    budget: &Budget,
) -> Option<BTreeMap<Vec<(usize, i64)>, bool>> {
    let mut program = Program::new();
    let mut sums: Vec<Vec<(usize, f64)>> = vec![Vec::new(); quotient.sizes.len()];
    let mut add = |variable: usize, direction: &[(usize, i64)]| {
        for &(class, change) in direction {
            sums[class].push((variable, as_float(change)));
        }
    };
    let mut wanted = BTreeMap::new();
    for (direction, fate) in quotient.directions() {
        if fate == Fate::Rises {
            continue;
        }
        add(program.variable(0.0, f64::INFINITY), &direction);
        if fate == Fate::Open {
            let variable = program.variable(-1.0, 1.0);
            add(variable, &direction);
            wanted.insert(direction, variable);
        }
    }
    for sum in sums {
        program.row(sum, Relation::Equal, 0.0);
    }
    let values = program.minimise(budget)?;
    let counted = |(direction, variable): (_, usize)| (direction, values[variable] > 0.5);
    Some(wanted.into_iter().map(counted).collect())
}

/// Programs with more rows than this are large: we do not ask for the very nicest weights.
const LARGE: usize = 400;

/// Small weights that rise by at least one on what can rise.
///
/// Without negative weights a measure is usually easier to read, so they are avoided, unless a few of them would do:
/// "votes cast, less one before the start" beats weights that treat one vote as special.
fn small_weights(quotient: &Quotient, effects: &Effects, budget: &Budget) -> Option<Weights> {
    const CHEAP: f64 = 2.0;
    let large = quotient.directions().len() > LARGE;
    let dear = 2.0 * as_float(i64::try_from(quotient.sizes.len().min(2_000)).ok()?);
    let least = |price| {
        let weights = least_weights(quotient, price, budget)?;
        integers(quotient, effects, &weights, budget)
    };
    if large {
        return least(dear); // one program is enough to wait for
    }
    let free = least(CHEAP)?;
    let negative = free.of.iter().filter(|entry| entry.1 < 0).count();
    if negative * 8 <= free.of.len() {
        return Some(free);
    }
    Some(least(dear).unwrap_or(free))
}

/// Weights of classes that minimise the sum of all rises, then that of the weights, of which negative ones cost more.
///
/// Large programs leave out the rises: without them no cost is negative, and the solver is several times faster.
fn least_weights(quotient: &Quotient, negative: f64, budget: &Budget) -> Option<Vec<f64>> {
    const OF_WEIGHTS: f64 = 1.0 / 1024.0;
    let directions = quotient.directions();
    let mut rises = vec![0.0; quotient.sizes.len()];
    if directions.len() <= LARGE {
        for (direction, _) in directions.iter().filter(|(_, fate)| **fate == Fate::Rises) {
            for &(class, change) in direction {
                rises[class] += as_float(change);
            }
        }
    }
    let mut program = Program::new();
    for (&size, rise) in quotient.sizes.iter().zip(rises) {
        let cost = OF_WEIGHTS * as_float(i64::try_from(size).ok()?);
        program.variable(rise + cost, f64::INFINITY);
        program.variable(-rise + negative * cost, f64::INFINITY);
    }
    for (direction, fate) in &directions {
        let terms = direction.iter().flat_map(|&(class, change)| {
            let change = as_float(change);
            [(2 * class, change), (2 * class + 1, -change)]
        });
        match fate {
            Fate::Rises => program.row(terms, Relation::AtLeast, 1.0),
            Fate::Open | Fate::Stands => program.row(terms, Relation::Equal, 0.0),
        }
    }
    let values = program.minimise(budget)?;
    Some(values.chunks(2).map(|pair| pair[0] - pair[1]).collect())
}

/// Integer weights near these, or near a multiple of them, that rise where they should and fall nowhere.
///
/// Most solutions are integers up to errors of the solver, or fractions that can be guessed. Otherwise rounding a large
/// multiple keeps all rises, but what has to stand must be repaired exactly.
fn integers(
    quotient: &Quotient,
    effects: &Effects,
    weights: &[f64],
    budget: &Budget,
) -> Option<Weights> {
    const FACTORS: [f64; 12] = [
        1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 24.0, 120.0, 1e3, 1e4, 1e6,
    ];
    let multiple = |&factor: &f64| rounded(weights, factor);
    let check = |point: Vec<i64>| quotient.checked(&point, effects);
    let mut simple = FACTORS.iter().filter_map(multiple);
    let found = simple
        .find_map(check)
        .or_else(|| check(fractions(weights)?.numerators));
    found.or_else(|| {
        let repair = quotient.standing(budget)?;
        let repaired = |mut point: Vec<i64>| repair.complete(&mut point).map(|()| point);
        let mut points = FACTORS.iter().filter_map(multiple).filter_map(repaired);
        points.find_map(check)
    })
}

fn rounded(weights: &[f64], factor: f64) -> Option<Vec<i64>> {
    weights
        .iter()
        .map(|weight| nearest(weight * factor))
        .collect()
}

impl Quotient {
    /// The directions of all effects with what is known of their transitions.
    fn directions(&self) -> BTreeMap<Vec<(usize, i64)>, Fate> {
        let directions = self.effects.iter().zip(&self.fate);
        directions
            .filter(|(effect, _)| !effect.is_empty())
            .map(|(effect, &fate)| (direction(effect), fate))
            .collect()
    }

    /// That all transitions which cannot rise stand, as equations between the weights of classes.
    fn standing(&self, budget: &Budget) -> Option<Equations> {
        let directions = self.directions();
        let stands = directions.iter().filter(|(_, fate)| **fate != Fate::Rises);
        let sums = stands.map(|(direction, _)| direction.as_slice());
        Equations::new(self.sizes.len(), sums, budget)
    }

    /// The weights of places that these weights of classes mean, if they are monotone and rise wherever they can.
    fn checked(&self, classes: &[i64], effects: &Effects) -> Option<Weights> {
        let weights = self.weights_of_places(classes)?;
        let holds = |(transition, fate): (usize, &Fate)| match fate {
            Fate::Rises => weights.offset(effects, transition) > 0,
            Fate::Open | Fate::Stands => weights.offset(effects, transition) == 0,
        };
        self.fate.iter().enumerate().all(holds).then_some(weights)
    }

    /// The weights of places that these weights of classes mean.
    pub(super) fn weights_of_places(&self, classes: &[i64]) -> Option<Weights> {
        let weighted = |place: &usize| classes[self.class[*place]] != 0;
        let places: Vec<usize> = (0..self.class.len()).filter(weighted).collect();
        let mut multiple: i64 = 1; // a common multiple of all units
        for &place in &places {
            let unit = self.units[place];
            let shared = common_divisor(multiple.unsigned_abs(), unit.unsigned_abs());
            multiple = multiple.checked_mul(unit / i64::try_from(shared).ok()?)?;
        }
        let weight = |&place: &usize| {
            let factor = multiple / self.units[place];
            Some((place, classes[self.class[place]].checked_mul(factor)?))
        };
        let of: Option<Vec<_>> = places.iter().map(weight).collect();
        Some(Weights::new(of?))
    }
}

/// Splits measures further, into at most sixteen whose places no transition links.
///
/// Coordinates of [`columns`] belong to connected parts of the net. Within a part a measure may still be a sum of
/// several monotone ones, say the packet numbers of a sender and its receiver: every transition changes at most one of
/// them. Together they rise on the same transitions as the columns.
pub fn finer(effects: &Effects, columns: &Columns) -> Vec<Weights> {
    let coordinates = &columns.coordinates;
    if coordinates.len() > MOST {
        let (some, rest) = coordinates.split_at(MOST - 1);
        let rest = Weights::sum(rest).into_iter();
        return some.iter().cloned().chain(rest).collect();
    }
    let split = |weights| split(effects, weights);
    let parts: Vec<Weights> = coordinates.iter().flat_map(split).collect();
    if parts.len() <= MOST {
        parts
    } else {
        coordinates.clone()
    }
}

/// More coordinates than this are not finer but arbitrary.
const MOST: usize = 16;

/// The summands of a measure, as fine as they are monotone each, if they are not too many.
fn split(effects: &Effects, weights: &Weights) -> Vec<Weights> {
    let mut links = Links::new(effects.places());
    let weighted = |place: &usize| {
        weights
            .of
            .binary_search_by_key(place, |entry| entry.0)
            .is_ok()
    };
    for transition in 0..effects.transitions() {
        let touched = effects.of(transition).iter().map(|entry| entry.0);
        links.join(touched.filter(weighted));
    }
    let mut parts: BTreeMap<usize, Vec<(usize, i64)>> = BTreeMap::new();
    for &(place, weight) in &weights.of {
        parts
            .entry(links.find(place))
            .or_default()
            .push((place, weight));
    }
    let parts: Vec<_> = parts.into_values().map(Weights::new).collect();
    if parts.len() <= MOST && parts.iter().all(|part| part.is_monotone(effects)) {
        parts
    } else {
        vec![weights.clone()]
    }
}
