//! Values and the table of their contents.

use std::cmp::Ordering;

/// A value of a model: an integer, or the number of its contents in the table. Equal contents have equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u64);

impl Value {
    /// `()`
    pub const UNIT: Self = Self(0);
    /// `false`
    pub const FALSE: Self = Self(0);
    /// `true`
    pub const TRUE: Self = Self(2);
    /// `[]`
    pub const NIL: Self = Self(0);

    /// An integer, if it has at most 63 bits.
    #[inline]
    pub const fn int(value: i64) -> Option<Self> {
        let doubled = value.wrapping_mul(2);
        if doubled / 2 == value {
            Some(Self(doubled.cast_unsigned()))
        } else {
            None
        }
    }

    /// A small integer, position or character.
    #[inline]
    pub const fn small(value: i32) -> Self {
        Self((value as i64 * 2).cast_unsigned())
    }

    /// A truth value.
    #[inline]
    pub const fn bool(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// The integer, unless the contents are in the table.
    #[inline]
    pub const fn as_int(self) -> Option<i64> {
        if self.0 & 1 == 0 {
            Some(self.0.cast_signed() >> 1)
        } else {
            None
        }
    }

    /// Whether the contents are in the table.
    #[inline]
    pub const fn is_stored(self) -> bool {
        self.0 & 1 == 1
    }

    /// All of it as a number, for packing. Small integers and early contents are small numbers, unless negative.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// What [`Value::bits`] made a number of.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

/// The contents of values, each once.
#[derive(Clone, Debug, Default)]
pub struct Values {}

impl Values {
    /// A product, record, pair of head and tail, or pair of constructor and argument.
    pub fn tuple(&mut self, fields: &[Value]) -> Value {
        let _ = fields;
        todo!()
    }
    /// A string.
    pub fn string(&mut self, text: &str) -> Value {
        let _ = text;
        todo!()
    }
    /// A list.
    pub fn list(&mut self, elements: &[Value]) -> Value {
        let _ = elements;
        todo!()
    }
    /// The fields of what [`Values::tuple`] made.
    pub fn fields(&self, value: Value) -> &[Value] {
        let _ = value;
        todo!()
    }
    /// The characters of a string.
    pub fn text(&self, value: Value) -> &str {
        let _ = value;
        todo!()
    }
    /// The elements of a list or multiset.
    pub fn elements(&self, list: Value) -> impl Iterator<Item = Value> + '_ {
        let _ = list;
        std::iter::empty()
    }
    /// An order that depends on contents only: integers by size, strings by characters, fields one after the other.
    pub fn compare(&self, a: Value, b: Value) -> Ordering {
        let _ = (a, b);
        todo!()
    }
    /// A hash of the contents, which stays the same when values get other numbers.
    pub fn hash(&self, value: Value) -> u32 {
        let _ = value;
        todo!()
    }
    /// How many contents there are.
    pub fn len(&self) -> usize {
        todo!()
    }
    /// How much memory they take.
    pub fn bytes(&self) -> usize {
        todo!()
    }
}

/// Which values became which when unused contents were forgotten ([`crate::ml::Machine::compact`]).
#[derive(Clone, Debug, Default)]
pub struct Renumbering {}

impl Renumbering {
    /// What has become of a value that was kept.
    pub fn map(&self, value: Value) -> Value {
        let _ = value;
        todo!()
    }
}
