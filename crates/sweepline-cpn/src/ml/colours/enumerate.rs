//! How many values colour sets have, and which.

use crate::ml::colours::{Colours, Kind};
use crate::ml::{ColourId, Value, Values};

/// Colour sets with more values are not listed.
const MOST: u64 = 1_000_000;

impl Colours {
    pub(super) fn size_of(&self, kind: &Kind) -> Option<u64> {
        let product = |parts: &mut dyn Iterator<Item = ColourId>| {
            let sizes = parts.map(|part| self.size(part));
            sizes
                .reduce(|product, size| product?.checked_mul(size?))
                .unwrap_or(Some(1))
        };
        let size = match kind {
            Kind::Unit(_) => Some(1),
            Kind::Bool(_) => Some(2),
            Kind::Int(None) | Kind::Real => None,
            Kind::Int(Some((low, high))) | Kind::Index(_, low, high) => {
                Some(u64::try_from(high.checked_sub(*low)?).map_or(0, |range| range + 1))
            }
            Kind::Text {
                characters,
                lengths,
            } => {
                let (low, high) = (*characters)?;
                let count = u64::from(u32::from(high)).checked_sub(u64::from(u32::from(low)));
                sequences(count.map_or(0, |range| range + 1), *lengths)
            }
            Kind::Enum(names) => Some(names.len() as u64),
            Kind::Product(parts) => product(&mut parts.iter().copied()),
            Kind::Record(parts, _) => product(&mut parts.iter().map(|(_, part)| *part)),
            Kind::List(of, lengths) => sequences(self.size(*of)?, *lengths),
            Kind::Union(cases) => {
                let sizes = cases
                    .iter()
                    .map(|(_, part)| part.map_or(Some(1), |part| self.size(part)));
                sizes.sum()
            }
            Kind::Subset(_, members) => members.as_ref().map(|members| members.len() as u64),
            Kind::Alias(of) => self.size(*of),
        };
        size.filter(|size| *size < 1 << 63)
    }

    /// All values as a list, in their order, if they are not too many.
    pub(crate) fn all(&mut self, colour: ColourId, values: &mut Values) -> Option<Value> {
        if let Some(all) = self.at(colour).all {
            return Some(all);
        }
        let elements = self.enumerate(colour, values)?;
        let all = values.list(&elements);
        self.list[colour.0 as usize].all = Some(all);
        Some(all)
    }

    /// All values in their order, if they are not too many.
    pub(crate) fn enumerate(&self, colour: ColourId, values: &mut Values) -> Option<Vec<Value>> {
        self.size(colour).filter(|size| *size <= MOST)?;
        match &self.at(colour).kind {
            Kind::Unit(_) => Some(vec![Value::UNIT]),
            Kind::Bool(_) => Some(vec![Value::FALSE, Value::TRUE]),
            Kind::Int(None) | Kind::Real => None,
            Kind::Int(Some((low, high))) | Kind::Index(_, low, high) => {
                (*low..=*high).map(Value::int).collect()
            }
            Kind::Enum(names) => (0..).take(names.len()).map(Value::int).collect(),
            Kind::Text {
                characters,
                lengths,
            } => {
                let (low, high) = (*characters)?;
                let letters: Vec<char> = (low..=high).collect();
                let words = words(&letters, (*lengths)?);
                let text = |word: Vec<char>| values.string(&word.into_iter().collect::<String>());
                Some(words.into_iter().map(text).collect())
            }
            Kind::Product(parts) => {
                let all = parts.iter().map(|part| self.enumerate(*part, values));
                let rows = combinations(&all.collect::<Option<Vec<_>>>()?);
                Some(rows.iter().map(|row| values.tuple(row)).collect())
            }
            Kind::Record(parts, order) => {
                let declared = order.iter().map(|at| self.enumerate(parts[*at].1, values));
                let rows = combinations(&declared.collect::<Option<Vec<_>>>()?);
                Some(
                    rows.iter()
                        .map(|row| values.tuple(&stored(row, order)))
                        .collect(),
                )
            }
            Kind::List(of, lengths) => {
                let elements = self.enumerate(*of, values)?;
                let lists = words(&elements, (*lengths)?);
                Some(lists.iter().map(|list| values.list(list)).collect())
            }
            Kind::Union(cases) => {
                let mut all = Vec::new();
                for (tag, (_, part)) in (0..).map(Value::small).zip(cases) {
                    match part {
                        None => all.push(tag),
                        Some(part) => {
                            let arguments = self.enumerate(*part, values)?;
                            all.extend(
                                arguments
                                    .iter()
                                    .map(|argument| values.tuple(&[tag, *argument])),
                            );
                        }
                    }
                }
                Some(all)
            }
            Kind::Subset(_, members) => members.clone(),
            Kind::Alias(of) => self.enumerate(*of, values),
        }
    }
}

/// How many sequences of so many different elements have a length between these.
fn sequences(elements: u64, lengths: Option<(u64, u64)>) -> Option<u64> {
    let (least, most) = lengths?;
    if most > 1000 && elements != 0 {
        return None;
    }
    let mut sum = 0_u64;
    for length in least..=most.min(1000) {
        let power = elements.checked_pow(u32::try_from(length).ok()?)?;
        sum = sum.checked_add(power)?;
    }
    Some(sum)
}

/// All sequences, shorter ones first.
fn words<T: Copy>(elements: &[T], lengths: (u64, u64)) -> Vec<Vec<T>> {
    let mut all = Vec::new();
    let mut rows: Vec<Vec<T>> = vec![Vec::new()];
    for length in 0..=lengths.1.min(1000) {
        if length >= lengths.0 {
            all.extend(rows.iter().cloned());
        }
        if length < lengths.1 {
            rows = longer(&rows, elements);
        }
    }
    all
}

/// One of each, the last one fastest.
fn combinations(all: &[Vec<Value>]) -> Vec<Vec<Value>> {
    all.iter()
        .fold(vec![Vec::new()], |rows, elements| longer(&rows, elements))
}

fn longer<T: Copy>(rows: &[Vec<T>], elements: &[T]) -> Vec<Vec<T>> {
    let extended = rows.iter().flat_map(|row| {
        elements
            .iter()
            .map(move |element| [row.as_slice(), &[*element]].concat())
    });
    extended.collect()
}

/// Fields in the order of declaration as they are stored.
fn stored(row: &[Value], order: &[usize]) -> Vec<Value> {
    let mut fields = vec![Value::UNIT; row.len()];
    for (value, at) in row.iter().zip(order) {
        fields[*at] = *value;
    }
    fields
}
