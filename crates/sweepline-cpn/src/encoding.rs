//! How the markings of places become numbers in slots.

use sweepline_core::{Layout, LayoutBuilder, Slot, SlotId, Word};

use crate::marking::Marking;
use crate::ml::{ColourId, Count, Declarations, Expression, Shape, Value, Values};
use crate::net::{Arc, Kind, Net, Transition};

/// Colour sets with more values have no names in slots.
const NAMED: u64 = 1 << 12;

/// So many components of a token are shown.
const MOST_PARTS: usize = 4;

/// How the marking of a place is one number, its *code*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// It is always the initial one.
    Constant,
    /// How many tokens there are of the only colour.
    Count(Value),
    /// The only token, which is an integer.
    Integer,
    /// The only token, one of a few: the integer behind it, from the first one on.
    Named { least: i64, names: Vec<String> },
    /// A number in a table of markings, and what slots show of them.
    Interned { parts: Vec<Part> },
}

/// What a slot shows of a marking besides its number, so that predicates and measures can read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// How many tokens there are.
    Count,
    /// How long the only token is, a list.
    Length,
    /// A component of the only token that is one of a few numbers or names.
    Field {
        at: usize,
        name: String,
        least: i64,
        greatest: i64,
        /// Its names, if it has such.
        names: Option<Vec<String>>,
    },
}

impl Part {
    /// The value for a marking.
    pub(crate) fn of(&self, marking: &Marking, values: &Values) -> Option<i64> {
        let only = marking.0.first().map(|entry| entry.value);
        match self {
            Self::Count => i64::try_from(marking.count()).ok(),
            Self::Length => {
                let length = only.map_or(0, |list| values.elements(list).count());
                i64::try_from(length).ok()
            }
            Self::Field { at, least, .. } => {
                let field = only.and_then(|only| values.fields(only).get(*at).copied());
                Some(field.and_then(Value::as_int).unwrap_or(*least))
            }
        }
    }

    /// What the slot of a place is called.
    pub(crate) fn name(&self, place: &str) -> String {
        match self {
            Self::Count => format!("count({place})"),
            Self::Length => format!("length({place})"),
            Self::Field { name, .. } => format!("value({place}).{name}"),
        }
    }
}

/// What can be shown of the only token of a place.
fn parts(colour: ColourId, declarations: &mut Declarations) -> Vec<Part> {
    let colours = declarations.colours();
    if colours.is_list(colour) {
        return vec![Part::Length];
    }
    let mut parts = Vec::new();
    for (at, (name, part)) in colours.components(colour).into_iter().enumerate() {
        let colours = declarations.colours();
        let Some((least, greatest)) = colours.bounds(part) else {
            continue;
        };
        if least == greatest || greatest.abs_diff(least) >= NAMED {
            continue;
        }
        let names = if colours.is_integer(part) {
            None
        } else {
            match named(part, declarations) {
                Some((first, names)) if first == least => Some(names),
                _ => continue,
            }
        };
        parts.push(Part::Field {
            at,
            name,
            least,
            greatest,
            names,
        });
    }
    parts.truncate(MOST_PARTS);
    parts
}

/// Names of a colour set whose values are integers one after the other, from the first on.
fn named(colour: ColourId, declarations: &mut Declarations) -> Option<(i64, Vec<String>)> {
    let values = declarations.all_values(colour, NAMED)?;
    let colours = declarations.colours();
    let least = values.first()?.as_int()?;
    let mut inside = (least..).zip(&values);
    let is_dense = inside.all(|(at, value)| value.as_int() == Some(at));
    let show = |value: &Value| colours.show(colour, *value, declarations.machine().values());
    let names = values.iter().map(show).collect();
    is_dense.then_some((least, names))
}

/// The encoding of each place.
pub(crate) fn encodings(net: &Net, declarations: &mut Declarations) -> Vec<Encoding> {
    let places = 0..net.places.len();
    places
        .map(|place| encoding(net, place, declarations))
        .collect()
}

fn encoding(net: &Net, place: usize, declarations: &mut Declarations) -> Encoding {
    let at = &net.places[place];
    let is_single = is_single(net, place);
    if at.is_timed {
        let mut shown = vec![Part::Count];
        if is_single {
            shown.extend(parts(at.colour, declarations));
        }
        return Encoding::Interned { parts: shown };
    }
    if net
        .transitions
        .iter()
        .all(|transition| only_looks(transition, place))
    {
        return Encoding::Constant;
    }
    if let Some([only]) = declarations.all_values(at.colour, 1).as_deref() {
        return Encoding::Count(*only);
    }
    let named = match at.kind {
        Kind::Integer if is_single => return Encoding::Integer,
        Kind::Named(colour) if is_single => named(colour, declarations),
        _ => None,
    };
    match named {
        Some((least, names)) => Encoding::Named { least, names },
        None if is_single => Encoding::Interned {
            parts: parts(at.colour, declarations),
        },
        None => Encoding::Interned {
            parts: vec![Part::Count],
        },
    }
}

/// Whether a transition puts back whatever it takes from a place, by arcs in both directions.
fn only_looks(transition: &Transition, place: usize) -> bool {
    let at = |arcs: &[Arc]| -> Vec<usize> {
        let arcs = arcs.iter().filter(|arc| arc.place == place);
        arcs.map(|arc| arc.origin).collect()
    };
    at(&transition.inputs) == at(&transition.outputs) && !transition.resets.contains(&place)
}

/// Whether there is always exactly one token on a place.
fn is_single(net: &Net, place: usize) -> bool {
    let initial: u64 = net.places[place]
        .initial
        .iter()
        .map(|tokens| tokens.count)
        .sum();
    let count = |arcs: &[Arc]| -> Option<u64> {
        let arcs = arcs.iter().filter(|arc| arc.place == place);
        arcs.map(|arc| token_count(&arc.expression)).sum()
    };
    let keeps = |transition: &Transition| {
        !transition.resets.contains(&place)
            && matches!(
                (count(&transition.inputs), count(&transition.outputs)),
                (Some(0), Some(0)) | (Some(1), Some(1))
            )
    };
    initial == 1 && net.transitions.iter().all(keeps)
}

/// How many tokens an inscription always stands for, if that shows.
fn token_count(expression: &Expression) -> Option<u64> {
    let Shape::Sum(terms) = expression.shape() else {
        return None;
    };
    let counts = terms.iter().map(|term| match term.count {
        Count::Fixed(count) => u64::try_from(count).ok(),
        Count::Computed(_) => None,
    });
    counts.sum()
}

/// The range of a slot whose values are not known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) least: i64,
    pub(crate) greatest: i64,
}

impl Span {
    /// From zero on, with so many bits.
    pub(crate) fn bits(bits: u32) -> Self {
        Self {
            least: 0,
            greatest: (Word::MAX >> (Word::BITS - bits)).cast_signed(),
        }
    }

    /// The least span of whole bits from the same number on that has a value and some more.
    pub(crate) fn with(self, value: i64) -> Self {
        let distance = value.saturating_sub(self.least).unsigned_abs();
        let bits = (Word::BITS - distance.leading_zeros() + 1).min(62);
        let greatest = self.least.saturating_add(Self::bits(bits).greatest);
        let greatest = greatest.max(self.greatest);
        Self { greatest, ..self }
    }
}

/// Where the integers of a slot begin if negative ones are among the first that are seen.
pub(crate) const NEGATIVE: i64 = -(1 << 31);

/// A slot as firing needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) id: SlotId,
    word: usize,
    shift: u32,
    mask: Word,
    least: i64,
    greatest: i64,
}

impl Field {
    pub(crate) fn new(layout: &Layout, id: SlotId) -> Self {
        let Slot {
            word,
            shift,
            least,
            greatest,
            ..
        } = *layout.slot(id);
        Self {
            id,
            word,
            shift,
            mask: layout.slot(id).mask(),
            least,
            greatest,
        }
    }

    #[inline]
    pub(crate) fn read(&self, state: &[Word]) -> i64 {
        let raw = (state[self.word] >> self.shift) & self.mask;
        self.least.wrapping_add_unsigned(raw)
    }

    /// Writes a value; false if it does not fit.
    #[inline]
    pub(crate) fn write(&self, state: &mut [Word], value: i64) -> bool {
        if value < self.least || value > self.greatest {
            return false;
        }
        let raw = value.wrapping_sub(self.least).cast_unsigned();
        let word = &mut state[self.word];
        *word = (*word & !(self.mask << self.shift)) | (raw << self.shift);
        true
    }
}

/// Adds a number whose range is a guess.
pub(crate) fn guessed(builder: LayoutBuilder, name: String, span: Span) -> LayoutBuilder {
    builder.integer(name, span.least, span.greatest)
}
