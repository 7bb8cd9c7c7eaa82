//! Bounded sequences of fixed size.

#![expect(
    clippy::inline_always,
    reason = "positions in a word become constants only if the code that counts them is inlined"
)]

use std::ops::{Index, IndexMut};

use crate::cells::{Cells, bounded, collect};
use crate::code::{Code, Collection, encode_collection};
use crate::encode::repeated;
use crate::{EncodeError, Fields, Reader, Writer};

/// A sequence of at most `N` values: an array whose length is known when the model is made, such as one entry per process.
///
/// It takes the same number of bits whatever it holds, so that states stay of fixed size, and measures can be found that speak
/// of its values. Pushing onto a full one is an error of the model: it is remembered, and whoever hands the state over learns of
/// it.
///
/// ```
/// use sweepline_model::{Array, Encode};
///
/// /// As many processes as the model says, and no more than eight.
/// let processes = 3;
/// let mut rounds = Array::<u8, 8>::filled(0, processes);
/// rounds[1] += 1;
/// assert_eq!(rounds, Array::from_iter([0, 1, 0]));
/// assert_eq!(rounds.len(), 3);
/// assert_eq!(Array::<u8, 8>::BITS, Some(4 + 8 * 8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Array<T, const N: usize>(Cells<T, N>);

bounded!(Array);
collect!(Array, [], push);

impl<T, const N: usize> Array<T, N> {
    /// So many times the same value.
    #[inline]
    pub fn filled(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        std::iter::repeat_n(value, len).collect()
    }

    /// Appends a value.
    #[inline]
    pub fn push(&mut self, value: T) {
        self.0.append(value);
    }

    /// Takes the last value.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.0.remove(self.len().checked_sub(1)?)
    }

    /// The value at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.0.get(index)
    }

    /// The value at `index`, for changing.
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.0.get_mut(index)
    }
}

impl<T, const N: usize> Index<usize> for Array<T, N> {
    type Output = T;
    #[inline]
    fn index(&self, index: usize) -> &T {
        match self.get(index) {
            Some(value) => value,
            None => out_of_bounds(index, self.len()),
        }
    }
}

impl<T, const N: usize> IndexMut<usize> for Array<T, N> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        let len = self.len();
        match self.get_mut(index) {
            Some(value) => value,
            None => out_of_bounds(index, len),
        }
    }
}

#[cold]
fn out_of_bounds(index: usize, len: usize) -> ! {
    panic!("the index is {index}, and the array has {len} values")
}

impl<T, C: Code<T>, const N: usize> Collection<C> for Array<T, N> {
    const BITS: Option<u32> = <Cells<T, N> as Collection<C>>::BITS;
    #[inline(always)]
    fn put(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        Collection::<C>::put(&self.0, out)
    }
    #[inline(always)]
    fn take(input: &mut Reader<'_>) -> Self {
        Self(Collection::<C>::take(input))
    }
    /// Where there is no value, a number has its least one.
    fn fields(out: &mut Fields) {
        Cells::<T, N>::length_field(out);
        for index in 0..N {
            if out.is_enough() {
                return out.skip(repeated(C::BITS, N - index));
            }
            out.element(index, C::fields);
        }
    }
}
encode_collection!(Array<T, N>, [], const N);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack;

    #[test]
    fn a_value_too_many_is_an_error() {
        let array = Array::<bool, 2>::filled(true, 3);
        assert!(pack(&array, &mut Vec::new()).is_err());
    }

    #[test]
    #[should_panic(expected = "the index is 2, and the array has 2 values")]
    fn only_values_that_are_there_can_be_used() {
        let array = Array::<u8, 4>::filled(0, 2);
        let _ = array[2];
    }
}
