//! Colours: the sorts of a symmetric net, and numbers for their values.

use std::collections::HashMap;

/// Index of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SortId(pub(super) usize);

/// A value of a sort, counted from zero; tuples are numbered like the digits of a number, the first counting most.
pub(super) type Colour = u32;

/// A finite set of colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Black tokens.
    Dot,
    /// Values by name, in a circle.
    Enumeration(Vec<String>),
    /// Whole numbers, in a circle.
    Range { start: i64, end: i64 },
    /// Tuples.
    Product(Vec<SortId>),
}

/// All sorts of a net.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorts {
    sorts: Vec<(Sort, Colour)>,
    by_id: HashMap<String, SortId>,
}

impl Sorts {
    /// Adds a sort, unless it has too many colours to be numbered, or none.
    pub(super) fn add(&mut self, sort: Sort) -> Option<SortId> {
        let size = match &sort {
            Sort::Dot => 1,
            Sort::Enumeration(names) => u64::try_from(names.len()).ok()?,
            Sort::Range { start, end } => {
                u64::try_from(end.checked_sub(*start)?.checked_add(1)?).ok()?
            }
            Sort::Product(parts) => parts.iter().try_fold(1_u64, |size, part| {
                size.checked_mul(self.size(*part).into())
            })?,
        };
        let size = Colour::try_from(size).ok().filter(|size| *size > 0)?;
        self.sorts.push((sort, size));
        Some(SortId(self.sorts.len() - 1))
    }

    pub(super) fn name(&mut self, id: &str, sort: SortId) {
        self.by_id.insert(id.to_owned(), sort);
    }

    pub(super) fn named(&self, id: &str) -> Option<SortId> {
        self.by_id.get(id).copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<_> = self.by_id.keys().map(String::as_str).collect();
        names.sort_unstable();
        names.into_iter()
    }

    /// A sort that is written out instead of named.
    pub(super) fn find(&self, sort: &Sort) -> Option<SortId> {
        self.sorts
            .iter()
            .position(|known| known.0 == *sort)
            .map(SortId)
    }

    pub(super) fn get(&self, sort: SortId) -> &Sort {
        &self.sorts[sort.0].0
    }

    /// How many colours there are.
    pub(super) fn size(&self, sort: SortId) -> Colour {
        self.sorts[sort.0].1
    }

    /// Whether a colour of the one is the same number in the other.
    pub(super) fn agree(&self, one: SortId, other: SortId) -> bool {
        if one == other {
            return true;
        }
        match (self.get(one), self.get(other)) {
            (Sort::Product(one), Sort::Product(other)) => {
                one.len() == other.len()
                    && one
                        .iter()
                        .zip(other)
                        .all(|(one, other)| self.agree(*one, *other))
            }
            (Sort::Enumeration(_), _) | (_, Sort::Enumeration(_)) => false,
            (one, other) => one == other,
        }
    }

    /// The parts of a tuple.
    pub(super) fn parts(&self, sort: SortId, mut colour: Colour) -> Vec<Colour> {
        let Sort::Product(sorts) = self.get(sort) else {
            return vec![colour];
        };
        let mut parts = vec![0; sorts.len()];
        for (part, sort) in parts.iter_mut().zip(sorts).rev() {
            let size = self.size(*sort);
            *part = colour % size;
            colour /= size;
        }
        parts
    }

    /// The tuple of these parts.
    pub(super) fn tuple(&self, sort: SortId, parts: impl IntoIterator<Item = Colour>) -> Colour {
        let Sort::Product(sorts) = self.get(sort) else {
            return parts.into_iter().next().unwrap_or(0);
        };
        let parts = parts.into_iter().zip(sorts);
        parts.fold(0, |colour, (part, sort)| colour * self.size(*sort) + part)
    }

    /// So many further in the circle.
    pub(super) fn shifted(&self, sort: SortId, colour: Colour, by: i64) -> Colour {
        let size = i64::from(self.size(sort));
        let shifted = (i64::from(colour) + by).rem_euclid(size);
        Colour::try_from(shifted).expect("it is smaller than the number of colours")
    }

    /// What is compared by `<` and the like.
    pub(super) fn rank(&self, sort: SortId, colour: Colour) -> i64 {
        match self.get(sort) {
            Sort::Range { start, .. } => start + i64::from(colour),
            _ => i64::from(colour),
        }
    }

    /// The colour in words; nothing for black tokens.
    pub(super) fn words(&self, sort: SortId, colour: Colour) -> Vec<String> {
        match self.get(sort) {
            Sort::Dot => Vec::new(),
            Sort::Enumeration(names) => vec![names[colour as usize].clone()],
            Sort::Range { start, .. } => vec![(start + i64::from(colour)).to_string()],
            Sort::Product(sorts) => {
                let parts = self.parts(sort, colour);
                let words = sorts.iter().zip(parts);
                words
                    .flat_map(|(sort, part)| self.words(*sort, part))
                    .collect()
            }
        }
    }
}
