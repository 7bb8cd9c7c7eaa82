//! Progress measures on typed states.

use std::marker::PhantomData;

use sweepline_core::{Key, KeyError, Progress, Word};

use crate::{Encode, Integer, unpack};

/// A progress measure made of functions from states to integers, compared one after the other.
///
/// Columns are compared before rows, and each kind in the order of declaration. A column claims that it never decreases
/// along a step, which is checked; a row may decrease. See [`Progress`].
///
/// ```
/// use sweepline_core::Progress;
/// use sweepline_model::{Encode, TypedMeasure, pack};
///
/// #[derive(Clone, Debug, PartialEq, Encode)]
/// struct Transfer { received: u16, phase: i8 }
///
/// let measure = TypedMeasure::new()
///     .named_column("packets received", |state: &Transfer| state.received)
///     .row(|state| state.phase);
///
/// let key_of = |state: Transfer| {
///     let mut words = Vec::new();
///     pack(&state, &mut words).unwrap();
///     measure.key(&words).unwrap()
/// };
/// let early = key_of(Transfer { received: 3, phase: 1 });
/// assert!(key_of(Transfer { received: 3, phase: -1 }) < early);
/// assert!(key_of(Transfer { received: 4, phase: -1 }) > early);
/// assert_eq!(measure.explain(early), "packets received 3, row 1");
/// ```
///
/// # Cost
///
/// The state is decoded for every key. The functions are part of the measure's type, so the compiler can leave out the
/// decoding of whatever they do not look at; on a state of fixed size that is a few shifts.
///
/// # Limits
///
/// A key has 128 bits. One or two values have 64 bits each, which is always enough; more of them share the key evenly
/// (three have 42 bits each, four have 32), and a value that does not fit its share is a
/// [`KeyError::TooLarge`]. Signed values are shifted so that the least one becomes zero.
pub struct TypedMeasure<S, C = (), R = ()> {
    columns: C,
    rows: R,
    states: PhantomData<fn(&S)>,
}

impl<S: Encode> TypedMeasure<S> {
    /// The measure without any value, which is the same for all states.
    pub fn new() -> Self {
        Self {
            columns: (),
            rows: (),
            states: PhantomData,
        }
    }
}

impl<S: Encode> Default for TypedMeasure<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Encode, C: Coordinates<S>, R: Coordinates<S>> TypedMeasure<S, C, R> {
    /// Each value's share of the key.
    const BITS: u32 = match C::COUNT + R::COUNT {
        0..=2 => Word::BITS,
        count @ 3..=128 => u128::BITS / count,
        _ => panic!("a measure has at most 128 values"),
    };

    /// Adds a value that never decreases along a step, below the columns so far.
    pub fn column<F, V>(self, value: F) -> TypedMeasure<S, (C, Coordinate<F, V>), R>
    where
        F: Fn(&S) -> V,
        V: Integer,
    {
        self.named_column("column", value)
    }

    /// Adds a value that never decreases along a step; messages call it `name`.
    pub fn named_column<F, V>(
        self,
        name: &'static str,
        value: F,
    ) -> TypedMeasure<S, (C, Coordinate<F, V>), R>
    where
        F: Fn(&S) -> V,
        V: Integer,
    {
        TypedMeasure {
            columns: (self.columns, Coordinate::new(name, value)),
            rows: self.rows,
            states: PhantomData,
        }
    }

    /// Adds a value that may decrease, below the rows so far.
    pub fn row<F, V>(self, value: F) -> TypedMeasure<S, C, (R, Coordinate<F, V>)>
    where
        F: Fn(&S) -> V,
        V: Integer,
    {
        self.named_row("row", value)
    }

    /// Adds a value that may decrease; messages call it `name`.
    pub fn named_row<F, V>(
        self,
        name: &'static str,
        value: F,
    ) -> TypedMeasure<S, C, (R, Coordinate<F, V>)>
    where
        F: Fn(&S) -> V,
        V: Integer,
    {
        TypedMeasure {
            columns: self.columns,
            rows: (self.rows, Coordinate::new(name, value)),
            states: PhantomData,
        }
    }

    /// The key of a typed state.
    #[inline]
    pub fn key_of(&self, state: &S) -> Result<Key, KeyError> {
        let columns = self.columns.rank(state, Self::BITS)?;
        let rows = self.rows.rank(state, Self::BITS)?;
        Ok(Key::new(columns, rows, self.row_bits()))
    }
}

impl<S: Encode, C: Coordinates<S>, R: Coordinates<S>> Progress for TypedMeasure<S, C, R> {
    #[inline]
    fn row_bits(&self) -> u32 {
        if C::COUNT == 0 && R::COUNT > 0 {
            return u128::BITS;
        }
        R::COUNT * Self::BITS
    }

    #[inline]
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        if self.is_constant() {
            return Ok(Key(0)); // whatever the state is
        }
        self.key_of(&unpack(state))
    }

    #[inline]
    fn is_constant(&self) -> bool {
        C::COUNT + R::COUNT == 0
    }

    fn explain(&self, key: Key) -> String {
        let mut parts = Vec::new();
        self.columns
            .explain(key.column(self.row_bits()), Self::BITS, &mut parts);
        self.rows
            .explain(key.row(self.row_bits()), Self::BITS, &mut parts);
        parts.join(", ")
    }
}

impl<S, C: Clone, R: Clone> Clone for TypedMeasure<S, C, R> {
    fn clone(&self) -> Self {
        Self {
            columns: self.columns.clone(),
            rows: self.rows.clone(),
            states: PhantomData,
        }
    }
}

impl<S, C: Copy, R: Copy> Copy for TypedMeasure<S, C, R> {}

/// A list of values of a measure: `()`, or a list and one more [`Coordinate`].
pub trait Coordinates<S> {
    /// How many values there are.
    const COUNT: u32;

    /// The values of a state side by side, `bits` bits each, in the order of the vector of values.
    fn rank(&self, state: &S, bits: u32) -> Result<u128, KeyError>;

    /// Appends the names and values that [`Coordinates::rank`] put into `ranks`.
    fn explain(&self, ranks: u128, bits: u32, out: &mut Vec<String>);
}

impl<S> Coordinates<S> for () {
    const COUNT: u32 = 0;
    #[inline]
    fn rank(&self, _: &S, _: u32) -> Result<u128, KeyError> {
        Ok(0)
    }
    fn explain(&self, _: u128, _: u32, _: &mut Vec<String>) {}
}

impl<S, L: Coordinates<S>, F: Fn(&S) -> V, V: Integer> Coordinates<S> for (L, Coordinate<F, V>) {
    const COUNT: u32 = L::COUNT + 1;
    #[inline]
    fn rank(&self, state: &S, bits: u32) -> Result<u128, KeyError> {
        let (others, last) = self;
        let rank = last.rank((last.value)(state), bits)?;
        Ok(others.rank(state, bits)? << bits | u128::from(rank))
    }
    fn explain(&self, ranks: u128, bits: u32, out: &mut Vec<String>) {
        let (others, last) = self;
        others.explain(ranks >> bits, bits, out);
        out.push(format!(
            "{} {}",
            last.name,
            Coordinate::<F, V>::show(ranks, bits)
        ));
    }
}

/// One value of a measure.
#[derive(Clone, Copy)]
pub struct Coordinate<F, V> {
    name: &'static str,
    value: F,
    values: PhantomData<V>,
}

impl<F, V: Integer> Coordinate<F, V> {
    fn new(name: &'static str, value: F) -> Self {
        Self {
            name,
            value,
            values: PhantomData,
        }
    }

    /// What is added to a value to make the least one zero.
    #[inline]
    fn bias(bits: u32) -> Word {
        if V::SIGNED { 1 << (bits - 1) } else { 0 }
    }

    /// The value as a number of `bits` bits.
    #[inline]
    fn rank(&self, value: V, bits: u32) -> Result<Word, KeyError> {
        // Modulo 2^64 a value below the least one becomes one far above the greatest.
        let rank = value.to_word().wrapping_add(Self::bias(bits));
        if rank.checked_shr(bits).unwrap_or(0) == 0 {
            return Ok(rank);
        }
        Err(self.too_large(value))
    }

    /// The value whose rank is in the lowest `bits` bits.
    fn show(ranks: u128, bits: u32) -> String {
        let rank = Key(ranks).row(bits);
        if V::SIGNED {
            return (rank.cast_signed() - i128::from(Self::bias(bits))).to_string();
        }
        rank.to_string()
    }

    #[cold]
    fn too_large(&self, value: V) -> KeyError {
        KeyError::TooLarge {
            measure: self.name.into(),
            value: value.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack;

    fn words(state: &impl Encode) -> Vec<Word> {
        let mut words = Vec::new();
        pack(state, &mut words).unwrap();
        words
    }

    #[test]
    fn the_whole_range_of_two_signed_values_fits() {
        let measure = TypedMeasure::new()
            .row(|state: &(i64, u64)| state.1)
            .column(|state| state.0);
        let key = |state: (i64, u64)| measure.key(&words(&state)).unwrap();
        let ascending = [
            (i64::MIN, 0),
            (i64::MIN, u64::MAX),
            (-1, 5),
            (0, 4),
            (i64::MAX, 0),
        ];
        assert!(ascending.map(key).is_sorted());
        assert_eq!(key(ascending[0]), Key(0));
        assert_eq!(measure.row_bits(), 64);
        assert_eq!(measure.explain(key((-1, 5))), "column -1, row 5");
    }

    #[test]
    fn rows_alone_take_the_whole_key() {
        let measure = TypedMeasure::new().row(|state: &i8| *state);
        assert_eq!(measure.row_bits(), 128);
        let key = measure.key(&words(&-3i8)).unwrap();
        assert_eq!(measure.explain(key), "row -3");
        assert_eq!(TypedMeasure::<i8>::new().row_bits(), 0);
    }

    #[test]
    fn three_values_share_the_key() {
        let measure = TypedMeasure::new()
            .named_column("first", |state: &[i64; 3]| state[0])
            .column(|state| state[1])
            .row(|state| state[2]);
        assert_eq!(measure.row_bits(), 42);
        let edge = 1_i64 << 41;
        let key = measure.key(&words(&[-edge, edge - 1, 7])).unwrap();
        assert_eq!(
            measure.explain(key),
            "first -2199023255552, column 2199023255551, row 7"
        );
        for state in [[edge, 0, 0], [-edge - 1, 0, 0]] {
            let expected = KeyError::TooLarge {
                measure: "first".into(),
                value: state[0].to_string(),
            };
            assert_eq!(measure.key(&words(&state)), Err(expected));
        }
    }
}
