//! Bounded sets of fixed size.

use crate::cells::{Cells, bounded, collect, encode_cells};

/// A set of at most `N` values.
///
/// It takes the same number of bits whatever it holds, so that states stay of fixed size. Inserting a value that a full set does
/// not hold is an error of the model: the set remembers it, and whoever hands the state over learns of it.
///
/// ```
/// use sweepline_model::{Encode, Set};
///
/// let mut waiting = Set::<u8, 4>::from_iter([3, 1, 3]);
/// assert_eq!(waiting, Set::from_iter([1, 3]));
/// assert!(waiting.insert(2) && !waiting.insert(2));
/// assert!(waiting.remove(&3));
/// assert_eq!(waiting.iter().collect::<Vec<_>>(), [&1, &2]);
/// assert_eq!(Set::<u8, 4>::BITS, Some(3 + 4 * 8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Set<T, const N: usize>(
    /// Sorted, each value once.
    Cells<T, N>,
);

bounded!(Set);
collect!(Set, [Ord], insert);
encode_cells!(Set);

impl<T: Ord, const N: usize> Set<T, N> {
    /// Puts a value in and says whether it is new.
    #[inline]
    pub fn insert(&mut self, value: T) -> bool {
        let smaller = self.iter().take_while(|other| **other < value).count();
        if self.0.get(smaller) == Some(&value) {
            return false;
        }
        self.0.insert(smaller, value);
        true
    }

    /// Takes a value out and says whether it was there.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack;

    #[test]
    fn only_a_new_value_can_be_too_many() {
        let mut set = Set::<u8, 2>::from_iter([1, 2, 1]);
        assert!(set.is_full() && !set.insert(2));
        assert!(pack(&set, &mut Vec::new()).is_ok());
        set.insert(0);
        let error = pack(&set, &mut Vec::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`` would hold more than 2 values, which is its capacity"
        );
    }
}
