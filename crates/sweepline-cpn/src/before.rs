//! What is enabled, from one expansion to the next.
//!
//! What a transition can do depends on its input places only, so it stays the same as long as these do. A state is not expanded
//! right after the step that led to it, so what carries over is what was enabled in the state that was expanded *before*, of which
//! most places are the same.

use crate::net::Net;

/// What was enabled in the state that was expanded before. States that are expanded one after the other are alike: most have
/// the same parent, so that only the transitions of a few places have to be looked at again.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// The codes of places, and the clock.
    codes: Vec<i64>,
    clock: i64,
    /// Where the outcomes of each transition begin and end.
    ranges: Vec<(usize, usize)>,
    /// Transitions that have some.
    pub(crate) active: Bits,
    /// Transitions of which that is not known.
    pub(crate) stale: Bits,
}

impl Before {
    /// Finds out which transitions have to be looked at for these codes, and remembers the codes.
    pub(crate) fn pass(&mut self, codes: &[i64], clock: i64, readers: &Readers) {
        if self.codes.len() != codes.len() || self.ranges.len() != readers.transitions {
            self.codes = codes.to_vec();
            self.ranges = vec![(0, 0); readers.transitions];
            self.active = Bits::none(readers.transitions);
            self.stale = Bits::all(readers.transitions);
            self.clock = clock;
            return;
        }
        for (place, (then, now)) in self.codes.iter_mut().zip(codes).enumerate() {
            if then != now {
                *then = *now;
                self.stale.add(&readers.of_places[place]);
            }
        }
        if self.clock != clock {
            self.clock = clock;
            self.stale.add(&readers.of_clock);
        }
    }

    /// Notes the outcomes of a transition.
    pub(crate) fn note(&mut self, transition: usize, range: (usize, usize)) {
        self.ranges[transition] = range;
        self.active.set(transition, range.0 < range.1);
        self.stale.set(transition, false);
    }

    /// Nothing is known of a transition.
    pub(crate) fn forget(&mut self, transition: usize) {
        self.active.set(transition, false);
        self.stale.set(transition, true);
    }

    pub(crate) fn range(&self, transition: usize) -> (usize, usize) {
        self.ranges[transition]
    }
}

/// The transitions that depend on something.
#[derive(Debug)]
pub(crate) struct Readers {
    transitions: usize,
    of_places: Vec<Bits>,
    of_clock: Bits,
}

impl Readers {
    /// `keys` has the places that each transition depends on.
    pub(crate) fn new(net: &Net, keys: &[Vec<usize>]) -> Self {
        let transitions = net.transitions.len();
        let mut of_places = vec![Bits::none(transitions); net.places.len()];
        let mut of_clock = Bits::none(transitions);
        for (index, transition) in net.transitions.iter().enumerate() {
            for &place in &keys[index] {
                of_places[place].set(index, true);
            }
            of_clock.set(index, transition.reads_time);
        }
        Self {
            transitions,
            of_places,
            of_clock,
        }
    }
}

/// A set of transitions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    fn none(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn all(count: usize) -> Self {
        let mut all = Self::none(count);
        for index in 0..count {
            all.set(index, true);
        }
        all
    }

    #[inline]
    fn set(&mut self, index: usize, is_in: bool) {
        let bit = 1 << (index % 64);
        if is_in {
            self.0[index / 64] |= bit;
        } else {
            self.0[index / 64] &= !bit;
        }
    }

    #[inline]
    fn add(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// The first member from an index on.
    #[inline]
    pub(crate) fn next(&self, from: usize) -> Option<usize> {
        let (mut at, mut mask) = (from / 64, u64::MAX << (from % 64));
        loop {
            let word = self.0.get(at)? & mask;
            if word != 0 {
                return Some(at * 64 + word.trailing_zeros() as usize);
            }
            (at, mask) = (at + 1, u64::MAX);
        }
    }
}
