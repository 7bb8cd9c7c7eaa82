//! Colour sets.

use crate::ml::{Origin, Value, Values};

/// The number of a colour set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColourId(pub(crate) u32);

/// A piece of CPN ML inside a declaration, with its place.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text, decoded.
    pub text: String,
    /// Where it stands.
    pub origin: Origin,
}

/// How a colour set is declared. Names are those of colour sets declared before.
#[derive(Clone, Debug)]
pub enum ColourDecl {
    /// `unit`, or `unit with name`
    Unit(Option<String>),
    /// `bool`, or `bool with (no, yes)`: the names of false and true
    Bool(Option<(String, String)>),
    /// `int`, or `int with low..high`
    Int(Option<(Text, Text)>),
    /// `intinf`
    IntInf,
    /// `real`
    Real,
    /// `time`
    Time,
    /// `string`; `string with low..high`; `string with low..high and least..most`
    String {
        /// The first and the last character that is allowed.
        characters: Option<(Text, Text)>,
        /// The least and the greatest length.
        lengths: Option<(Text, Text)>,
    },
    /// `with a | b | c`
    Enum(Vec<String>),
    /// `index name with low..high`
    Index(String, Text, Text),
    /// `product A * B`
    Product(Vec<String>),
    /// `record a: A * b: B`: names of fields and their colour sets
    Record(Vec<(String, String)>),
    /// `list A`, or `list A with least..most` (lengths)
    List(String, Option<(Text, Text)>),
    /// `union a: A + b`: constructors with the colour sets of their arguments
    Union(Vec<(String, Option<String>)>),
    /// `subset A by f`
    SubsetBy(String, Text),
    /// `subset A with [a, b]`
    SubsetWith(String, Text),
    /// `A`
    Alias(String),
}

/// All colour sets of a model.
#[derive(Clone, Debug, Default)]
pub struct Colours {}

impl Colours {
    /// The colour set of this name.
    pub fn find(&self, name: &str) -> Option<ColourId> {
        let _ = name;
        todo!()
    }
    /// The name of a colour set.
    pub fn name(&self, colour: ColourId) -> &str {
        let _ = colour;
        todo!()
    }
    /// Whether tokens have time stamps.
    pub fn is_timed(&self, colour: ColourId) -> bool {
        let _ = colour;
        todo!()
    }
    /// How many values there are; nothing if they are infinitely many (or more than 2^63).
    pub fn size(&self, colour: ColourId) -> Option<u64> {
        let _ = colour;
        todo!()
    }
    /// Whether the value, whose type is right, is in the colour set: ranges, lengths and subsets.
    pub fn contains(&self, colour: ColourId, value: Value, values: &Values) -> bool {
        let _ = (colour, value, values);
        todo!()
    }
    /// The value as CPN Tools shows it.
    pub fn show(&self, colour: ColourId, value: Value, values: &Values) -> String {
        let _ = (colour, value, values);
        todo!()
    }
}
