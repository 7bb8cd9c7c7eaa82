//! What transitions do to markings, and weighted sums of tokens.

use super::exact::common_divisor;

/// The constant effect of each transition of a net on the places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    places: usize,
    transitions: Vec<Vec<(usize, i64)>>,
}

impl Effects {
    /// The effects of a net with this many places: for each transition, by how much it changes which place.
    ///
    /// Repeated entries of a place are added up; places a transition does not change may be left out.
    /// An effect beyond 64 bits is cut off at the limit.
    ///
    /// # Panics
    /// If a transition changes a place that does not exist.
    pub fn new(places: usize, transitions: Vec<Vec<(usize, i64)>>) -> Self {
        let transitions: Vec<_> = transitions.into_iter().map(sparse).collect();
        let exists = |&(place, _): &(usize, i64)| place < places;
        assert!(transitions.iter().flatten().all(exists), "no such place");
        Self {
            places,
            transitions,
        }
    }

    /// How many places the net has.
    pub fn places(&self) -> usize {
        self.places
    }

    /// How many transitions the net has.
    pub fn transitions(&self) -> usize {
        self.transitions.len()
    }

    /// What a transition changes by how much: sorted by place, without zeros.
    pub fn of(&self, transition: usize) -> &[(usize, i64)] {
        &self.transitions[transition]
    }

    /// The same places with only these transitions, in this order.
    pub(super) fn restricted(&self, transitions: &[usize]) -> Self {
        Self {
            places: self.places,
            transitions: transitions.iter().map(|&t| self.of(t).to_vec()).collect(),
        }
    }

    /// Whether a transition changes nothing.
    pub(super) fn is_idle(&self, transition: usize) -> bool {
        self.of(transition).is_empty()
    }
}

/// A weight for each place: the measure of a marking is the weighted sum of its tokens.
///
/// ```
/// use sweepline_progress::linear::{Effects, Weights};
///
/// // Two places; the transition moves a token from the first to the second.
/// let net = Effects::new(2, vec![vec![(0, -1), (1, 1)]]);
/// let arrived = Weights::new(vec![(1, 1)]);
/// assert_eq!(arrived.offset(&net, 0), 1);
/// assert_eq!(arrived.value(&[3, 4]), 4);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// Places with their weight: sorted by place, without zeros and without common divisor.
    pub of: Vec<(usize, i64)>,
}

impl Weights {
    /// These weights, sorted and divided by their greatest common divisor.
    pub fn new(of: Vec<(usize, i64)>) -> Self {
        let mut of = sparse(of);
        let divisor = of
            .iter()
            .fold(0, |sum, &(_, w)| common_divisor(sum, w.unsigned_abs()));
        for (_, weight) in &mut of {
            *weight = divided(*weight, divisor);
        }
        Self { of }
    }

    /// By how much a transition changes the measure.
    pub fn offset(&self, effects: &Effects, transition: usize) -> i128 {
        product(&self.of, effects.of(transition))
    }

    /// The measure of a marking, given as tokens of each place.
    pub fn value(&self, marking: &[u64]) -> i128 {
        let term =
            |&(place, weight): &(usize, i64)| i128::from(weight) * i128::from(marking[place]);
        exact_sum(self.of.iter().map(term))
    }

    /// Whether no transition lowers the measure.
    pub fn is_monotone(&self, effects: &Effects) -> bool {
        (0..effects.transitions()).all(|t| self.offset(effects, t) >= 0)
    }

    /// The sum of measures; nothing if a weight does not fit.
    pub(super) fn sum(parts: &[Self]) -> Option<Self> {
        let mut of: Vec<(usize, i64)> = Vec::new();
        let mut terms: Vec<_> = parts.iter().flat_map(|part| part.of.clone()).collect();
        terms.sort_unstable();
        for (place, weight) in terms {
            match of.last_mut() {
                Some(last) if last.0 == place => last.1 = last.1.checked_add(weight)?,
                _ => of.push((place, weight)),
            }
        }
        Some(Self::new(of))
    }
}

/// The sum of products of two sparse vectors.
pub(super) fn product(left: &[(usize, i64)], right: &[(usize, i64)]) -> i128 {
    // The shorter one leads, so that long measures cost little on short effects.
    if left.len() > right.len() {
        return product(right, left);
    }
    exact_sum(left.iter().filter_map(|&(place, value)| {
        let other = right.binary_search_by_key(&place, |entry| entry.0).ok()?;
        Some(i128::from(value) * i128::from(right[other].1))
    }))
}

/// A sum whose sign is right whatever its parts are: only the result is cut off at the limit of 128 bits.
fn exact_sum(terms: impl Iterator<Item = i128>) -> i128 {
    const HALF: u32 = 64;
    const LOW: i128 = (1 << HALF) - 1;
    let add = |(high, low), term| (high + (term >> HALF), low + (term & LOW));
    let (high, low) = terms.fold((0, 0), add);
    let high = high + (low >> HALF);
    match high.checked_mul(1 << HALF) {
        Some(high) => high + (low & LOW),
        None if high < 0 => i128::MIN,
        None => i128::MAX,
    }
}

/// Sorted by place, one entry for each, without zeros.
pub(super) fn sparse(mut entries: Vec<(usize, i64)>) -> Vec<(usize, i64)> {
    entries.sort_unstable_by_key(|entry| entry.0);
    entries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = kept.1.saturating_add(next.1);
        }
        same
    });
    entries.retain(|entry| entry.1 != 0);
    entries
}

fn divided(value: i64, divisor: u64) -> i64 {
    match i64::try_from(divisor) {
        Ok(divisor) => value / divisor,
        Err(_) => value.signum(), // 2^63 divides only the least number, whose quotient is -1
    }
}
