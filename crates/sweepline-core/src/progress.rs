//! Progress measures: the order in which states are visited, and when they can be forgotten.

use std::fmt;

use crate::{ActionId, Word};

/// The value of a progress measure: a column and a row in one number, the column in the upper bits.
///
/// Keys are compared as numbers, so by column first. How many of the lower bits are the row is
/// [`Progress::row_bits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Key(pub u128);

impl Key {
    /// Puts a column above a row of `row_bits` bits.
    #[inline]
    pub fn new(column: u128, row: u128, row_bits: u32) -> Self {
        debug_assert!(
            row_bits >= 128 || row >> row_bits == 0,
            "the row fits its bits"
        );
        Self(column.checked_shl(row_bits).unwrap_or(0) | row)
    }

    /// The column: everything above the row.
    #[inline]
    pub fn column(self, row_bits: u32) -> u128 {
        self.0.checked_shr(row_bits).unwrap_or(0)
    }

    /// The row: the lowest `row_bits` bits.
    #[inline]
    pub fn row(self, row_bits: u32) -> u128 {
        if row_bits >= 128 {
            self.0
        } else {
            self.0 & ((1 << row_bits) - 1)
        }
    }
}

/// Maps states to keys.
///
/// The *column* must never decrease along an edge; this is checked on every edge. The *row* may: such an edge is a
/// regress edge, and its target is kept and explored again in a further sweep of the column. Any measure is sound;
/// a good one has few regress edges and small layers.
pub trait Progress {
    /// How many of a key's lower bits are the row: 0 for a measure without rows, 128 for one without columns.
    fn row_bits(&self) -> u32;

    /// The key of a state.
    fn key(&self, state: &[Word]) -> Result<Key, KeyError>;

    /// The key of `target`, reached by `action` from a state with key `source`.
    ///
    /// Measures that grow by a constant per action can avoid looking at the state.
    #[expect(
        clippy::inline_always,
        reason = "a call per edge costs a tenth of a sweep"
    )]
    #[inline(always)]
    fn step_key(&self, source: Key, action: ActionId, target: &[Word]) -> Result<Key, KeyError> {
        let _ = (source, action);
        self.key(target)
    }

    /// Whether all states have the same key, which then nobody needs to compute.
    fn is_constant(&self) -> bool {
        false
    }

    /// The key's values in words the user knows, for messages about an edge.
    fn explain(&self, key: Key) -> String {
        match self.row_bits() {
            0 => key.0.to_string(),
            bits if bits >= 128 => key.0.to_string(),
            bits => format!("column {}, row {}", key.column(bits), key.row(bits)),
        }
    }
}

/// A measure has no key for a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The value needs more bits than the key has for it.
    #[error(
        "progress value {value} of `{measure}` needs more bits than a key of 128 bits has left for it; coarsen the measure"
    )]
    TooLarge {
        /// The coordinate of the measure.
        measure: String,
        /// Its value.
        value: String,
    },
    /// The value cannot be computed.
    #[error("progress measure `{measure}` has no value: {cause}")]
    Undefined {
        /// The coordinate of the measure.
        measure: String,
        /// Why not (overflow, division by zero).
        cause: String,
    },
}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<P: Progress + ?Sized> Progress for $pointer {
            fn row_bits(&self) -> u32 {
                (**self).row_bits()
            }
            #[inline]
            fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
                (**self).key(state)
            }
            #[inline]
            fn step_key(&self, source: Key, action: ActionId, target: &[Word]) -> Result<Key, KeyError> {
                (**self).step_key(source, action, target)
            }
            fn is_constant(&self) -> bool {
                (**self).is_constant()
            }
            fn explain(&self, key: Key) -> String {
                (**self).explain(key)
            }
        }
    )*};
}

delegate!(&P, Box<P>);

/// The constant measure: one layer, nothing is ever forgotten. This is conventional full search.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn row_bits(&self) -> u32 {
        0
    }
    #[inline]
    fn key(&self, _: &[Word]) -> Result<Key, KeyError> {
        Ok(Key(0))
    }
    #[inline]
    fn step_key(&self, _: Key, _: ActionId, _: &[Word]) -> Result<Key, KeyError> {
        Ok(Key(0))
    }
    fn is_constant(&self) -> bool {
        true
    }
}

/// A coarser measure: rows divided by a factor, or columns if the inner measure has no rows.
///
/// Division is monotone, so the result has no regress edge that the inner measure has not.
#[derive(Clone, Copy, Debug)]
pub struct Coarse<P> {
    inner: P,
    factor: u128,
}

impl<P: Progress> Coarse<P> {
    /// Divides the values of `inner` by `factor`, at least 1.
    pub fn new(inner: P, factor: u64) -> Self {
        Self {
            inner,
            factor: u128::from(factor.max(1)),
        }
    }

    /// The measure that is divided.
    pub fn inner(&self) -> &P {
        &self.inner
    }

    /// Dividing numbers of 128 bits takes as long as everything else a key needs, and factors are mostly powers of two.
    #[inline]
    fn divided(&self, value: u128) -> u128 {
        if self.factor.is_power_of_two() {
            value >> self.factor.trailing_zeros()
        } else {
            value / self.factor
        }
    }
}

impl<P: Progress> Progress for Coarse<P> {
    fn row_bits(&self) -> u32 {
        self.inner.row_bits()
    }
    #[inline]
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        let key = self.inner.key(state)?;
        let bits = self.row_bits();
        if bits == 0 {
            return Ok(Key(self.divided(key.0)));
        }
        let row = key.row(bits);
        Ok(Key(key.0 - row + self.divided(row)))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_lie_above_rows() {
        let key = Key::new(3, 5, 8);
        assert_eq!((key.column(8), key.row(8)), (3, 5));
        assert_eq!((Key(7).column(0), Key(7).row(0)), (7, 0));
        assert_eq!((Key(7).column(128), Key(7).row(128)), (0, 7));
    }

    struct Raw(u32);
    impl Progress for Raw {
        fn row_bits(&self) -> u32 {
            self.0
        }
        fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
            Ok(Key(u128::from(state[0])))
        }
    }

    #[test]
    fn coarsening_never_mixes_columns() {
        let coarse = Coarse::new(Raw(4), 10);
        assert_eq!(coarse.key(&[0x1f]).unwrap(), Key(0x11));
        assert_eq!(coarse.key(&[0x20]).unwrap(), Key(0x20));
        assert_eq!(Coarse::new(Raw(0), 10).key(&[39]).unwrap(), Key(3));
        assert_eq!(Coarse::new(Raw(128), 10).key(&[39]).unwrap(), Key(3));
        // Powers of two are shifted away.
        let coarse = Coarse::new(Raw(4), 8);
        assert_eq!(coarse.key(&[0x1f]).unwrap(), Key(0x11));
        assert_eq!(coarse.key(&[0x27]).unwrap(), Key(0x20));
        assert_eq!(Coarse::new(Raw(0), 8).key(&[39]).unwrap(), Key(4));
    }
}
