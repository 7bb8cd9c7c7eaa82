//! What the bounded collections have in common.

#![expect(
    clippy::inline_always,
    reason = "positions in a word become constants only if the code that counts them is inlined"
)]

use std::fmt;

use crate::bits::width;
use crate::code::{Code, Collection};
use crate::encode::{repeated, sum};
use crate::{EncodeError, Fields, Misfit, Reader, Writer};

/// A list of at most `N` values, in the first cells of an array.
///
/// A value too many is not stored but remembered: `len` is `N + 1` then and stays so, and the list cannot be encoded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Cells<T, const N: usize> {
    cells: [Option<T>; N],
    len: usize,
}

impl<T, const N: usize> Cells<T, N> {
    const LENGTH_BITS: u32 = width(N as u64);

    #[inline]
    pub(crate) const fn new() -> Self {
        Self {
            cells: [const { None }; N],
            len: 0,
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len.min(N)
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.cells.get(index)?.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.cells.get_mut(index)?.as_mut()
    }

    #[inline]
    pub(crate) fn iter(&self) -> Iter<'_, T> {
        Iter(self.cells.iter())
    }

    /// Lists how many values there are.
    pub(crate) fn length_field(out: &mut Fields) {
        out.part("len", |out| out.number(Self::LENGTH_BITS, 0, N as i128));
    }

    /// Puts `value` behind all others.
    #[inline]
    pub(crate) fn append(&mut self, value: T) {
        match self.cells.get_mut(self.len) {
            Some(cell) => {
                *cell = Some(value);
                self.len += 1;
            }
            None => self.len = N + 1,
        }
    }

    /// Puts `value` in front of the one at `index`.
    #[inline]
    pub(crate) fn insert(&mut self, index: usize, value: T) {
        let last = self.len();
        self.append(value);
        if self.len <= N {
            self.cells[index..=last].rotate_right(1);
        }
    }

    /// Takes out the value at `index` and closes the gap.
    #[inline]
    pub(crate) fn remove(&mut self, index: usize) -> Option<T> {
        let value = self.cells.get_mut(index)?.take()?;
        for cell in index + 1..N {
            self.cells[cell - 1] = self.cells[cell].take();
        }
        if self.len <= N {
            self.len -= 1;
        }
        Some(value)
    }
}

impl<T, C: Code<T>, const N: usize> Collection<C> for Cells<T, N> {
    const BITS: Option<u32> = sum(&[Some(Self::LENGTH_BITS), repeated(C::BITS, N)]);
    #[inline(always)]
    fn put(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        if self.len > N {
            return Err(EncodeError::new(Misfit::Overfull { capacity: N }));
        }
        out.put(self.len as u64, Self::LENGTH_BITS);
        for (index, cell) in self.cells.iter().enumerate() {
            match cell {
                Some(value) => C::put(value, out).map_err(|error| error.at(index))?,
                None => out.pad(C::BITS),
            }
        }
        Ok(())
    }
    #[inline(always)]
    fn take(input: &mut Reader<'_>) -> Self {
        let len = input.take(Self::LENGTH_BITS);
        let len = usize::try_from(len).expect("the length was a usize when it was written");
        let mut cells = [const { None }; N];
        // A plain loop, because `array::from_fn` is not always inlined.
        for (index, cell) in cells.iter_mut().enumerate() {
            if index < len {
                *cell = Some(C::take(input));
            } else {
                input.pad(C::BITS);
            }
        }
        Self { cells, len }
    }
    fn fields(out: &mut Fields) {
        Self::length_field(out);
        out.skip(repeated(C::BITS, N));
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Cells<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The values of a bounded collection in its order: oldest first, first one first, or least first.
#[derive(Clone, Debug)]
pub struct Iter<'a, T>(std::slice::Iter<'a, Option<T>>);

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;
    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        self.0.next()?.as_ref()
    }
}

/// Gives a collection around [`Cells`] of `T` what all of them have.
macro_rules! bounded {
    ($collection:ident) => {
        impl<T, const N: usize> $collection<T, N> {
            /// How many values it holds at most.
            pub const CAPACITY: usize = N;

            /// One that holds nothing.
            #[inline]
            pub const fn new() -> Self {
                Self($crate::cells::Cells::new())
            }

            /// The values in their order.
            #[inline]
            pub fn iter(&self) -> $crate::Iter<'_, T> {
                self.0.iter()
            }

            /// How many values it holds.
            #[inline]
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether it holds nothing.
            #[inline]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Whether there is no room for another value.
            #[inline]
            pub fn is_full(&self) -> bool {
                self.len() == N
            }
        }

        impl<T, const N: usize> Default for $collection<T, N> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<'a, T, const N: usize> IntoIterator for &'a $collection<T, N> {
            type Item = &'a T;
            type IntoIter = $crate::Iter<'a, T>;
            fn into_iter(self) -> $crate::Iter<'a, T> {
                self.iter()
            }
        }

        impl<T: std::fmt::Debug, const N: usize> std::fmt::Debug for $collection<T, N> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
pub(crate) use bounded;

/// Lets such a collection be made of values, added one by one with `$add`.
macro_rules! collect {
    ($collection:ident, [$($bound:ident)?], $add:ident) => {
        impl<T $(: $bound)?, const N: usize> FromIterator<T> for $collection<T, N> {
            fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
                let mut collection = Self::new();
                collection.extend(values);
                collection
            }
        }

        impl<T $(: $bound)?, const N: usize> Extend<T> for $collection<T, N> {
            fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
                for value in values {
                    self.$add(value);
                }
            }
        }
    };
}
pub(crate) use collect;

/// Encodes such a collection as its cells are.
macro_rules! encode_cells {
    ($collection:ident) => {
        impl<T, C: $crate::code::Code<T>, const N: usize> $crate::code::Collection<C>
            for $collection<T, N>
        {
            const BITS: Option<u32> = <Cells<T, N> as $crate::code::Collection<C>>::BITS;
            #[inline(always)]
            fn put(&self, out: &mut $crate::Writer<'_>) -> Result<(), $crate::EncodeError> {
                $crate::code::Collection::<C>::put(&self.0, out)
            }
            #[inline(always)]
            fn take(input: &mut $crate::Reader<'_>) -> Self {
                Self($crate::code::Collection::<C>::take(input))
            }
            fn fields(out: &mut $crate::Fields) {
                <Cells<T, N> as $crate::code::Collection<C>>::fields(out);
            }
        }
        $crate::code::encode_collection!($collection<T, N>, [], const N);
    };
}
pub(crate) use encode_cells;
