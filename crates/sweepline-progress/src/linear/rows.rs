//! Measures for what the columns leave: they rise on most transitions and fall on a few.
//!
//! A row orders the states of one column, so only transitions that keep the column matter. Each of them belongs to a
//! T-semiflow, around which a measure that rises must also fall somewhere. Where, is decided by a linear program that
//! weighs falls by how often transitions fire. Without the falling transitions fewer semiflows remain, and the row is a
//! monotone measure of what remains.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::budget::Budget;
use super::columns::{Columns, monotone};
use super::effects::{Effects, Weights};
use super::exact::as_float;
use super::parts::{Part, parts};
use super::quotient::{direction, reversed};
use super::solver::{Program, Relation};
use crate::threads;

/// A measure that may fall.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The measure.
    pub weights: Weights,
    /// Transitions that keep the column and lower the row.
    pub regress: Vec<usize>,
    /// Transitions that keep the column and the row, although they change the marking.
    pub standing: Vec<usize>,
    /// The share of regress transitions among all firings that keep the column and change the marking, from 0 to 1.
    pub cost: f64,
}

/// What is known about the behaviour of a net; all of it may be left empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// How often each transition fires, on any scale; all equally often if empty.
    pub frequency: &'a [f64],
    /// The tokens of each place in the initial marking: a transition that returns tokens to where they came from early
    /// is a good one to regress.
    pub initial: &'a [u64],
}

/// Finds up to four rows to go with columns, best first; none if nothing is left to progress.
///
/// ```
/// use sweepline_progress::linear::{Budget, Effects, Hints, columns, rows};
///
/// // A token goes round through three places, starting at the first.
/// let round = vec![vec![(0, -1), (1, 1)], vec![(1, -1), (2, 1)], vec![(2, -1), (0, 1)]];
/// let net = Effects::new(3, round);
/// let budget = Budget::default();
/// let hints = Hints { initial: &[1, 0, 0], ..Hints::default() };
/// let rows = rows(&net, &columns(&net, &budget), &hints, &budget);
/// assert_eq!(rows[0].weights.of, [(1, 1), (2, 2)]);
/// assert_eq!(rows[0].regress, [2]);
/// ```
pub fn rows(effects: &Effects, columns: &Columns, hints: &Hints, budget: &Budget) -> Vec<Row> {
    const MOST: usize = 4;
    let search = &Search::new(effects, columns, hints);
    let preferences = PREFERENCES.into_iter();
    let preferences: Vec<_> = preferences
        .filter(|&preference| !search.is_known(preference, hints))
        .collect();
    // Each has its own share, whoever is first.
    let share = budget.left() / preferences.len().max(1) as u64;
    let terms = budget.terms();
    let attempts = threads::map(&preferences, |&preference| {
        search.attempts(preference, &Budget::on(terms.clone(), share))
    });
    budget.spend(u64::MAX);
    let mut found: Vec<Row> = Vec::new();
    for weights in attempts.into_iter().flatten() {
        let row = search.row(weights);
        let known = found.iter().any(|other| other.weights == row.weights);
        if !known && search.rises(&row) {
            found.push(row);
        }
    }
    let order = |a: &Row, b: &Row| search.badness(a).total_cmp(&search.badness(b));
    found.sort_by(order);
    found.truncate(MOST);
    found
}

/// What to think of frequencies and of transitions that return tokens when choosing what may fall.
#[derive(Clone, Copy)]
struct Preference {
    by_frequency: bool,
    /// The price of a fall on a returning transition, compared with another one.
    returning: f64,
    /// Whether a transition and its reverse stand, instead of one of them falling.
    pairs_stand: bool,
}

const PREFERENCES: [Preference; 4] = [
    Preference {
        by_frequency: true,
        returning: 0.9,
        pairs_stand: false,
    },
    Preference {
        by_frequency: true,
        returning: 0.1,
        pairs_stand: false,
    },
    Preference {
        by_frequency: true,
        returning: 0.1,
        pairs_stand: true,
    },
    Preference {
        by_frequency: false,
        returning: 0.5,
        pairs_stand: false,
    },
];

struct Search<'a> {
    effects: &'a Effects,
    /// Transitions that keep the column and change the marking.
    kept: Vec<usize>,
    /// How often each transition fires, at least a little.
    frequency: Vec<f64>,
    /// Whether each transition only puts tokens where they may have come from.
    returns: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(effects: &'a Effects, columns: &Columns, hints: &Hints) -> Self {
        let kept = |&t: &usize| !columns.strict[t] && !effects.is_idle(t);
        Self {
            kept: (0..effects.transitions()).filter(kept).collect(),
            frequency: frequency(effects.transitions(), hints.frequency),
            returns: returning(effects, hints.initial),
            effects,
        }
    }

    /// Whether a preference says the same as an earlier one here.
    fn is_known(&self, preference: Preference, hints: &Hints) -> bool {
        let no_frequency = !preference.by_frequency && hints.frequency.is_empty();
        no_frequency || preference.pairs_stand && !self.has_pairs()
    }

    /// Whether some transition and its reverse keep the column.
    fn has_pairs(&self) -> bool {
        let direction = |&t: &usize| direction(self.effects.of(t));
        let directions: BTreeSet<_> = self.kept.iter().map(direction).collect();
        directions
            .iter()
            .any(|direction| directions.contains(&reversed(direction)))
    }

    /// Measures found by letting more and more transitions fall.
    fn attempts(&self, preference: Preference, budget: &Budget) -> Vec<Weights> {
        const ROUNDS: usize = 4;
        // Sets of transitions that were to rise.
        let mut tried = BTreeSet::new();
        let mut found = Vec::new();
        let mut upwards = self.kept.clone();
        let mut standing = upwards.clone();
        for _ in 0..ROUNDS {
            let falls = self.falls(&standing, preference, budget);
            upwards.retain(|t| falls.binary_search(t).is_err());
            if falls.is_empty() || !tried.insert(upwards.clone()) {
                break;
            }
            let Some(weights) = self.upward(&upwards, budget) else {
                break;
            };
            standing.clone_from(&upwards);
            standing.retain(|&t| weights.offset(self.effects, t) == 0);
            found.push(weights);
        }
        found
    }

    /// Which of these transitions should fall, so that the others can rise; sorted.
    fn falls(&self, among: &[usize], preference: Preference, budget: &Budget) -> Vec<usize> {
        let subnet = self.effects.restricted(among);
        let price = |&t: &usize| self.price(t, preference);
        let prices: Vec<f64> = among.iter().map(price).collect();
        let mut falls = Vec::new();
        for part in parts(&subnet) {
            if budget.admits(part.transitions.len()) {
                let own: Vec<f64> = part.transitions.iter().map(|&t| prices[t]).collect();
                let fallen = cheapest_falls(&part, &own, preference.pairs_stand, budget);
                falls.extend(fallen.into_iter().map(|t| among[part.transitions[t]]));
            }
        }
        falls.sort_unstable();
        falls
    }

    /// The price of a fall by one. No two are quite equal, or standing everywhere would be as good as anything.
    fn price(&self, transition: usize, preference: Preference) -> f64 {
        let number = as_float(i64::try_from(transition % 1_000).unwrap_or(0));
        let distinct = 1.0 + (number * 0.618_034).fract() / 64.0;
        let frequency = if preference.by_frequency {
            self.frequency[transition]
        } else {
            1.0
        };
        let returning = if self.returns[transition] {
            preference.returning
        } else {
            1.0
        };
        distinct * frequency * returning
    }

    /// A measure that falls on none of these transitions and rises where it can.
    fn upward(&self, transitions: &[usize], budget: &Budget) -> Option<Weights> {
        let subnet = self.effects.restricted(transitions);
        let of_part = |part: &Part| Some(part.weights(&monotone(&part.effects, budget)?));
        let summands: Vec<_> = parts(&subnet).iter().filter_map(of_part).collect();
        Weights::sum(&summands).filter(|weights| !weights.of.is_empty())
    }

    /// The row of a measure, judged by exact offsets.
    fn row(&self, weights: Weights) -> Row {
        let with = |wanted: i128| {
            let signed = |&&t: &&usize| weights.offset(self.effects, t).signum() == wanted;
            self.kept.iter().filter(signed).copied().collect::<Vec<_>>()
        };
        let (regress, standing) = (with(-1), with(0));
        Row {
            cost: self.share(&regress),
            weights,
            regress,
            standing,
        }
    }

    fn rises(&self, row: &Row) -> bool {
        row.regress.len() + row.standing.len() < self.kept.len()
    }

    /// A regress edge may cost a repeated search; a standing one only makes layers larger.
    fn badness(&self, row: &Row) -> f64 {
        row.cost + self.share(&row.standing) / 2.0
    }

    /// The share of these transitions among the firings that matter.
    fn share(&self, transitions: &[usize]) -> f64 {
        let sum = |of: &[usize]| of.iter().map(|&t| self.frequency[t]).sum::<f64>();
        sum(transitions) / sum(&self.kept).max(f64::MIN_POSITIVE)
    }
}

/// The frequencies relative to the highest one, at least a thousandth.
fn frequency(transitions: usize, given: &[f64]) -> Vec<f64> {
    const LEAST: f64 = 1e-3;
    let highest = given.iter().copied().fold(0.0, f64::max);
    if !(highest.is_finite() && highest > 0.0) {
        return vec![1.0; transitions];
    }
    let relative = |t: usize| {
        given
            .get(t)
            .map_or(LEAST, |given| (given / highest).max(LEAST))
    };
    (0..transitions).map(relative).collect()
}

/// For each transition, whether all it produces could already be there before what it consumes.
fn returning(effects: &Effects, initial: &[u64]) -> Vec<bool> {
    let depths = depths(effects, initial);
    let returns = |t| {
        let ends = |sign: i64| {
            effects
                .of(t)
                .iter()
                .filter(move |entry| entry.1.signum() == sign)
        };
        let before = ends(-1).map(|entry| depths[entry.0]).max().unwrap_or(0);
        ends(1).all(|entry| depths[entry.0] < before)
    };
    (0..effects.transitions()).map(returns).collect()
}

/// How many steps the first token of each place needs at least if tokens were never consumed.
fn depths(effects: &Effects, initial: &[u64]) -> Vec<usize> {
    let inputs = |t: usize| effects.of(t).iter().filter(|entry| entry.1 < 0);
    let outputs = |t: usize| effects.of(t).iter().filter(|entry| entry.1 > 0);
    let mut consumers = vec![Vec::new(); effects.places()];
    let mut missing = vec![0_usize; effects.transitions()];
    for (transition, missing) in missing.iter_mut().enumerate() {
        for &(place, _) in inputs(transition) {
            consumers[place].push(transition);
            *missing += 1;
        }
    }
    let marked = |place: &usize| initial.get(*place).is_some_and(|tokens| *tokens > 0);
    let marked = (0..effects.places()).filter(marked).map(|place| (place, 0));
    let sources = (0..effects.transitions()).filter(|t| missing[*t] == 0);
    let produced = sources.flat_map(outputs).map(|entry| (entry.0, 1));
    let mut queue: VecDeque<(usize, usize)> = marked.chain(produced).collect();
    let mut depths = vec![usize::MAX; effects.places()];
    while let Some((place, depth)) = queue.pop_front() {
        if depths[place] != usize::MAX {
            continue;
        }
        depths[place] = depth;
        for &transition in &consumers[place] {
            missing[transition] -= 1;
            if missing[transition] == 0 {
                queue.extend(outputs(transition).map(|entry| (entry.0, depth + 1)));
            }
        }
    }
    depths
}

/// Transitions that fall when each should rise by one and what is missing has a price.
///
/// This is the relaxation of choosing as few falling transitions as possible. It prefers many shallow falls to a deep
/// one, but all we take from it is who falls.
fn cheapest_falls(part: &Part, prices: &[f64], pairs_stand: bool, budget: &Budget) -> Vec<usize> {
    const FALLS: f64 = -1e-6;
    let effect = |t: usize| part.effects.of(t);
    let mut price: BTreeMap<Vec<(usize, i64)>, f64> = BTreeMap::new();
    for (transition, more) in prices.iter().enumerate() {
        *price.entry(direction(effect(transition))).or_default() += more;
    }
    let mut program = Program::new();
    for _ in 0..2 * part.places.len() {
        program.variable(1e-6, f64::INFINITY);
    }
    for (direction, &more) in &price {
        let terms = direction.iter().flat_map(|&(place, change)| {
            let change = as_float(change);
            [(2 * place, change), (2 * place + 1, -change)]
        });
        if pairs_stand && price.contains_key(&reversed(direction)) {
            program.row(terms, Relation::Equal, 0.0);
        } else {
            let missing = program.variable(more, f64::INFINITY);
            program.row(terms.chain([(missing, 1.0)]), Relation::AtLeast, 1.0);
        }
    }
    let Some(values) = program.minimise(budget) else {
        return Vec::new();
    };
    let weight = |place: usize| values[2 * place] - values[2 * place + 1];
    let change = |&(place, change): &(usize, i64)| as_float(change) * weight(place);
    let falls = |&t: &usize| effect(t).iter().map(change).sum::<f64>() < FALLS;
    (0..prices.len()).filter(falls).collect()
}
