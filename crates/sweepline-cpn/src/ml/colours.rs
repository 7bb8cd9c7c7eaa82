//! Colour sets.

mod enumerate;
mod show;

use std::collections::HashMap;

use crate::ml::{Origin, Renumbering, Value, Values};

/// The number of a colour set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColourId(pub(crate) u32);

impl ColourId {
    /// The number, from 0, in the order of declaration.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

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
pub struct Colours {
    list: Vec<Colour>,
    names: HashMap<String, ColourId>,
}

#[derive(Clone, Debug)]
struct Colour {
    name: String,
    timed: bool,
    kind: Kind,
    /// How many values there are, if finitely many.
    size: Option<u64>,
    /// Levels of colour sets it is made of.
    depth: usize,
    /// All values as a list, once somebody has asked.
    all: Option<Value>,
}

/// What the values of a colour set are.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Unit(Option<String>),
    Bool(Option<(String, String)>),
    Int(Option<(i64, i64)>),
    Real,
    Text {
        characters: Option<(char, char)>,
        lengths: Option<(u64, u64)>,
    },
    Enum(Vec<String>),
    Index(String, i64, i64),
    Product(Vec<ColourId>),
    /// Fields in the order they are stored; and for each in the order of declaration, its place there.
    Record(Vec<(String, ColourId)>, Vec<usize>),
    List(ColourId, Option<(u64, u64)>),
    Union(Vec<(String, Option<ColourId>)>),
    /// The values that belong to it, unless they are infinitely many.
    Subset(ColourId, Option<Vec<Value>>),
    Alias(ColourId),
}

impl Colours {
    /// The colour set of this name.
    pub fn find(&self, name: &str) -> Option<ColourId> {
        self.names.get(name).copied()
    }

    /// All colour sets, in the order of declaration.
    pub fn ids(&self) -> impl Iterator<Item = ColourId> + use<> {
        (0..u32::try_from(self.list.len()).unwrap_or(u32::MAX)).map(ColourId)
    }

    /// The name of a colour set.
    pub fn name(&self, colour: ColourId) -> &str {
        &self.at(colour).name
    }

    /// Whether tokens have time stamps.
    pub fn is_timed(&self, colour: ColourId) -> bool {
        self.at(colour).timed
    }

    /// How many values there are; nothing if they are infinitely many (or more than 2^63).
    pub fn size(&self, colour: ColourId) -> Option<u64> {
        self.at(colour).size
    }

    /// Whether the values are integers, or positions of an enumeration, index or truth value: nothing is in the table.
    pub fn is_immediate(&self, colour: ColourId) -> bool {
        match self.plain(colour) {
            Kind::Unit(_) | Kind::Bool(_) | Kind::Int(_) | Kind::Enum(_) | Kind::Index(..) => true,
            Kind::Union(cases) => cases.iter().all(|(_, argument)| argument.is_none()),
            _ => false,
        }
    }

    /// Whether the values are numbers: `int`, perhaps with a range or as a subset.
    pub fn is_integer(&self, colour: ColourId) -> bool {
        matches!(self.plain(colour), Kind::Int(_))
    }

    /// The least and the greatest integer, position or index, where there are such.
    pub fn bounds(&self, colour: ColourId) -> Option<(i64, i64)> {
        match self.plain(colour) {
            Kind::Int(range) => *range,
            Kind::Index(_, low, high) => Some((*low, *high)),
            Kind::Unit(_) => Some((0, 0)),
            Kind::Bool(_) => Some((0, 1)),
            Kind::Enum(names) => Some((0, i64::try_from(names.len()).ok()? - 1)),
            _ => None,
        }
    }

    /// Whether the values are lists.
    pub fn is_list(&self, colour: ColourId) -> bool {
        matches!(self.plain(colour), Kind::List(..))
    }

    /// Whether the value, whose type is right, is in the colour set: ranges, lengths and subsets. Subsets of infinite colour
    /// sets by a function are not looked at.
    pub fn contains(&self, colour: ColourId, value: Value, values: &Values) -> bool {
        let all = |parts: &mut dyn Iterator<Item = ColourId>| {
            let fields = values.fields(value).iter();
            fields
                .zip(parts)
                .all(|(field, part)| self.contains(part, *field, values))
        };
        match &self.at(colour).kind {
            Kind::Unit(_) | Kind::Bool(_) | Kind::Real | Kind::Enum(_) | Kind::Int(None) => true,
            Kind::Int(Some((low, high))) | Kind::Index(_, low, high) => value
                .as_int()
                .is_some_and(|value| (*low..=*high).contains(&value)),
            Kind::Text {
                characters,
                lengths,
            } => {
                let text = values.text(value);
                let allowed =
                    |c: char| characters.is_none_or(|(low, high)| (low..=high).contains(&c));
                within(text.chars().count(), *lengths) && text.chars().all(allowed)
            }
            Kind::Product(parts) => all(&mut parts.iter().copied()),
            Kind::Record(parts, _) => all(&mut parts.iter().map(|(_, part)| *part)),
            Kind::List(of, lengths) => {
                let count = values.elements(value).count();
                within(count, *lengths)
                    && values
                        .elements(value)
                        .all(|part| self.contains(*of, part, values))
            }
            Kind::Union(cases) => match values.fields(value) {
                [tag, argument] => {
                    let case = tag.as_int().and_then(|tag| usize::try_from(tag).ok());
                    let case = case
                        .and_then(|tag| cases.get(tag))
                        .and_then(|(_, part)| *part);
                    case.is_none_or(|part| self.contains(part, *argument, values))
                }
                _ => true,
            },
            Kind::Subset(_, Some(members)) => members.contains(&value),
            Kind::Subset(of, None) | Kind::Alias(of) => self.contains(*of, value, values),
        }
    }

    /// What tokens consist of: names of fields, or their positions from one on, and their colour sets, in the order in which they
    /// are stored.
    pub fn components(&self, colour: ColourId) -> Vec<(String, ColourId)> {
        match self.plain(colour) {
            Kind::Product(parts) => {
                let positions = (1..).map(|at: usize| at.to_string());
                positions.zip(parts.iter().copied()).collect()
            }
            Kind::Record(fields, _) => fields.clone(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn product_parts(&self, colour: ColourId) -> Option<&[ColourId]> {
        match self.plain(colour) {
            Kind::Product(parts) => Some(parts),
            _ => None,
        }
    }

    /// Adds a colour set, or replaces the one of this name for those that come later.
    pub(crate) fn add(&mut self, name: &str, kind: Kind, timed: bool) -> ColourId {
        let id =
            ColourId(u32::try_from(self.list.len()).expect("fewer colour sets than characters"));
        let size = self.size_of(&kind);
        let depth = self.depth_of(&kind);
        self.list.push(Colour {
            name: name.to_string(),
            timed,
            kind,
            size,
            depth,
            all: None,
        });
        self.names.insert(name.to_string(), id);
        id
    }

    /// How many levels of colour sets a colour set would have.
    pub(crate) fn depth_of(&self, kind: &Kind) -> usize {
        let most = |parts: &mut dyn Iterator<Item = ColourId>| {
            let depths = parts.map(|part| self.at(part).depth);
            depths.max().unwrap_or(0)
        };
        1 + match kind {
            Kind::Product(parts) => most(&mut parts.iter().copied()),
            Kind::Record(parts, _) => most(&mut parts.iter().map(|(_, part)| *part)),
            Kind::Union(cases) => most(&mut cases.iter().filter_map(|(_, part)| *part)),
            Kind::List(of, _) | Kind::Subset(of, _) | Kind::Alias(of) => self.at(*of).depth,
            _ => 0,
        }
    }

    /// Forgets the name of a colour set that cannot be used.
    pub(crate) fn forget(&mut self, name: &str) {
        self.names.remove(name);
    }

    /// What the values are, whatever the colour set is called.
    pub(crate) fn plain(&self, colour: ColourId) -> &Kind {
        match &self.at(colour).kind {
            Kind::Alias(of) | Kind::Subset(of, _) => self.plain(*of),
            kind => kind,
        }
    }

    /// The same as a colour set: the one that others are another name or a subset of.
    pub(crate) fn original(&self, colour: ColourId) -> ColourId {
        match &self.at(colour).kind {
            Kind::Alias(of) | Kind::Subset(of, _) => self.original(*of),
            _ => colour,
        }
    }

    fn at(&self, colour: ColourId) -> &Colour {
        &self.list[colour.0 as usize]
    }

    /// Values that must be kept.
    pub(crate) fn listed(&self) -> impl Iterator<Item = Value> + '_ {
        let members = self.list.iter().flat_map(|colour| match &colour.kind {
            Kind::Subset(_, Some(members)) => members.as_slice(),
            _ => &[],
        });
        members
            .copied()
            .chain(self.list.iter().filter_map(|colour| colour.all))
    }

    pub(crate) fn renumber(&mut self, numbers: &Renumbering) {
        for colour in &mut self.list {
            if let Kind::Subset(_, Some(members)) = &mut colour.kind {
                for member in members {
                    *member = numbers.map(*member);
                }
            }
            colour.all = colour.all.map(|all| numbers.map(all));
        }
    }
}

fn within(count: usize, lengths: Option<(u64, u64)>) -> bool {
    lengths.is_none_or(|(least, most)| (least..=most).contains(&(count as u64)))
}
