//! What [`Queue`](crate::Queue) and [`Bag`](crate::Bag) have in common.

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
    pub(crate) fn iter(&self) -> Iter<'_, T> {
        Iter(self.cells.iter())
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
        out.part("len", |out| out.number(Self::LENGTH_BITS, 0, N as i128));
        out.skip(repeated(C::BITS, N));
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Cells<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The values of a [`Queue`](crate::Queue), oldest first, or of a [`Bag`](crate::Bag), least first.
#[derive(Clone, Debug)]
pub struct Iter<'a, T>(std::slice::Iter<'a, Option<T>>);

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;
    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        self.0.next()?.as_ref()
    }
}
