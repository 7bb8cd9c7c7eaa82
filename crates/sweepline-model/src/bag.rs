//! Bounded multisets of fixed size.

use crate::cells::{Cells, bounded, collect, encode_cells};

/// A multiset of at most `N` values, as in a network that may reorder messages.
///
/// Bags with the same values are equal, in whatever order these were put in. It takes the same number of bits whatever
/// it holds. Inserting into a full bag is an error of the model: the bag remembers it, and whoever hands the state
/// over learns of it.
///
/// ```
/// use sweepline_model::Bag;
///
/// let network = Bag::<u8, 4>::from_iter([3, 1, 3]);
/// assert_eq!(network, Bag::from_iter([3, 3, 1]));
/// assert_eq!(network.count(&3), 2);
/// assert_eq!(network.distinct().collect::<Vec<_>>(), [&1, &3]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bag<T, const N: usize>(
    /// Sorted.
    Cells<T, N>,
);

bounded!(Bag);
collect!(Bag, [Ord], insert);
encode_cells!(Bag);

impl<T: Ord, const N: usize> Bag<T, N> {
    /// Puts a value in.
    #[inline]
    pub fn insert(&mut self, value: T) {
        let smaller = self.iter().take_while(|other| **other < value).count();
        self.0.insert(smaller, value);
    }

    /// Takes one occurrence of a value out and says whether there was one.
    #[inline]
    pub fn remove(&mut self, value: &T) -> bool {
        let found = self.iter().position(|other| other == value);
        found.is_some_and(|index| self.0.remove(index).is_some())
    }

    /// Whether it holds a value.
    #[inline]
    pub fn contains(&self, value: &T) -> bool {
        self.iter().any(|other| other == value)
    }

    /// How many times it holds a value.
    #[inline]
    pub fn count(&self, value: &T) -> usize {
        self.iter().filter(|other| *other == value).count()
    }

    /// The values in order, each once.
    #[inline]
    pub fn distinct(&self) -> impl Iterator<Item = &T> {
        let mut last = None;
        self.iter()
            .filter(move |value| last.replace(*value) != Some(*value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pack, unpack};

    #[test]
    fn the_order_of_insertion_leaves_no_trace() {
        let mut bag = Bag::<u8, 4>::from_iter([9, 2, 5, 2]);
        assert!(bag.remove(&2) && !bag.remove(&4));
        let (mut words, mut sorted) = (Vec::new(), Vec::new());
        pack(&bag, &mut words).unwrap();
        pack(&Bag::<u8, 4>::from_iter([2, 5, 9]), &mut sorted).unwrap();
        assert_eq!(words, sorted);
        assert_eq!(unpack::<Bag<u8, 4>>(&words), bag);
        assert_eq!(format!("{bag:?}"), "[2, 5, 9]");
    }

    #[test]
    fn a_value_too_many_is_an_error() {
        let bag = Bag::<u8, 2>::from_iter([1, 2, 3]);
        assert!(pack(&bag, &mut Vec::new()).is_err());
    }
}
