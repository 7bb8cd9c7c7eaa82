//! Terms: what arcs, markings and conditions say.

use std::sync::Arc;

use super::sorts::{Colour, SortId, Sorts};

/// Index of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variable(pub(super) usize);

/// The colours of variables, where they are known.
pub(super) type Binding = [Option<Colour>];

/// A term that stands for one colour.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) sort: SortId,
    pub(super) shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Variable(Variable),
    Constant(Colour),
    /// So many further in the circle.
    Shift(Box<Term>, i64),
    Tuple(Vec<Term>),
}

/// A term that stands for a multiset.
#[derive(Clone, Debug)]
pub(super) enum Bag {
    One(Term),
    /// Each of these once.
    Each(Vec<Colour>),
    Times(u64, Box<Bag>),
    Sum(Vec<Bag>),
    Difference(Box<Bag>, Box<Bag>),
    /// Tuples of all combinations.
    Tuple(SortId, Vec<Bag>),
}

/// A condition on variables.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Constant(bool),
    Compare(Comparison, Term, Term),
    /// Parts of a partition, in the order of their declaration.
    CompareParts(Comparison, Part, Part),
    All(Vec<Condition>),
    Some(Vec<Condition>),
    Not(Box<Condition>),
}

/// A part of a partition, by its number.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Named(Colour),
    /// The one that a colour is in: the number for each colour.
    Of(Term, Arc<[Colour]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Why a multiset has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoBag {
    /// Something is taken away that is not there.
    Negative,
    /// Larger than can be counted.
    TooLarge,
}

impl Term {
    /// Its colour, if all its variables are known.
    pub(super) fn value(&self, sorts: &Sorts, binding: &Binding) -> Option<Colour> {
        Some(match &self.shape {
            Shape::Variable(variable) => binding[variable.0]?,
            Shape::Constant(colour) => *colour,
            Shape::Shift(term, by) => sorts.shifted(self.sort, term.value(sorts, binding)?, *by),
            Shape::Tuple(terms) => {
                let parts: Option<Vec<_>> = terms
                    .iter()
                    .map(|term| term.value(sorts, binding))
                    .collect();
                sorts.tuple(self.sort, parts?)
            }
        })
    }

    /// Makes the term this colour by giving values to variables, which are told to `bound`. False if it cannot be.
    pub(super) fn unify(
        &self,
        sorts: &Sorts,
        colour: Colour,
        binding: &mut Binding,
        bound: &mut Vec<Variable>,
    ) -> bool {
        match &self.shape {
            Shape::Variable(variable) => {
                if let Some(known) = binding[variable.0] {
                    return known == colour;
                }
                binding[variable.0] = Some(colour);
                bound.push(*variable);
                true
            }
            Shape::Constant(constant) => *constant == colour,
            Shape::Shift(term, by) => {
                let before = sorts.shifted(self.sort, colour, -by);
                term.unify(sorts, before, binding, bound)
            }
            Shape::Tuple(terms) => {
                let parts = sorts.parts(self.sort, colour);
                let mut pairs = terms.iter().zip(parts);
                pairs.all(|(term, part)| term.unify(sorts, part, binding, bound))
            }
        }
    }

    pub(super) fn variables(&self, out: &mut Vec<Variable>) {
        match &self.shape {
            Shape::Variable(variable) => out.push(*variable),
            Shape::Constant(_) => {}
            Shape::Shift(term, _) => term.variables(out),
            Shape::Tuple(terms) => terms.iter().for_each(|term| term.variables(out)),
        }
    }
}

impl Bag {
    /// Its tokens, sorted and with counts from one on. All variables are known.
    pub(super) fn tokens(
        &self,
        sorts: &Sorts,
        binding: &Binding,
    ) -> Result<Vec<(Colour, u64)>, NoBag> {
        match self {
            Self::One(term) => {
                let colour = term.value(sorts, binding).expect("all variables are known");
                Ok(vec![(colour, 1)])
            }
            Self::Each(colours) => sum(colours.iter().map(|colour| (*colour, 1)).collect()),
            Self::Times(0, _) => Ok(Vec::new()),
            Self::Times(times, bag) => {
                let mut tokens = bag.tokens(sorts, binding)?;
                for (_, count) in &mut tokens {
                    *count = count.checked_mul(*times).ok_or(NoBag::TooLarge)?;
                }
                Ok(tokens)
            }
            Self::Sum(bags) => {
                let mut all = Vec::new();
                for bag in bags {
                    all.extend(bag.tokens(sorts, binding)?);
                }
                sum(all)
            }
            Self::Difference(bag, less) => {
                let mut tokens = bag.tokens(sorts, binding)?;
                for (colour, count) in less.tokens(sorts, binding)? {
                    let at = tokens.binary_search_by_key(&colour, |token| token.0);
                    let token = &mut tokens[at.map_err(|_| NoBag::Negative)?].1;
                    *token = token.checked_sub(count).ok_or(NoBag::Negative)?;
                }
                tokens.retain(|token| token.1 > 0);
                Ok(tokens)
            }
            Self::Tuple(sort, bags) => {
                let mut tuples = vec![(Vec::new(), 1_u64)];
                for bag in bags {
                    let tokens = bag.tokens(sorts, binding)?;
                    if tuples.len().saturating_mul(tokens.len()) > MOST_TOKENS {
                        return Err(NoBag::TooLarge);
                    }
                    let mut longer = Vec::with_capacity(tuples.len() * tokens.len());
                    for (parts, times) in &tuples {
                        for (colour, count) in &tokens {
                            let parts = [&parts[..], &[*colour]].concat();
                            let times = times.checked_mul(*count).ok_or(NoBag::TooLarge)?;
                            longer.push((parts, times));
                        }
                    }
                    tuples = longer;
                }
                let tuples = tuples.into_iter();
                sum(tuples
                    .map(|(parts, count)| (sorts.tuple(*sort, parts), count))
                    .collect())
            }
        }
    }

    pub(super) fn variables(&self, out: &mut Vec<Variable>) {
        match self {
            Self::One(term) => term.variables(out),
            Self::Each(_) => {}
            Self::Times(_, bag) => bag.variables(out),
            Self::Sum(bags) | Self::Tuple(_, bags) => {
                for bag in bags {
                    bag.variables(out);
                }
            }
            Self::Difference(bag, less) => {
                bag.variables(out);
                less.variables(out);
            }
        }
    }

    /// Terms whose colours are surely taken.
    pub(super) fn patterns<'b>(&'b self, out: &mut Vec<&'b Term>) {
        match self {
            Self::One(term) => out.push(term),
            Self::Times(times, bag) if *times > 0 => bag.patterns(out),
            Self::Sum(bags) => bags.iter().for_each(|bag| bag.patterns(out)),
            Self::Times(..) | Self::Each(_) | Self::Difference(..) | Self::Tuple(..) => {}
        }
    }
}

/// Tokens of a multiset that has more different ones are not listed: a net with so many places is not unfolded either.
pub(super) const MOST_TOKENS: usize = 1 << 20;

/// Sorted, and equal colours counted together.
fn sum(mut tokens: Vec<(Colour, u64)>) -> Result<Vec<(Colour, u64)>, NoBag> {
    tokens.sort_unstable_by_key(|token| token.0);
    let mut summed: Vec<(Colour, u64)> = Vec::with_capacity(tokens.len());
    for (colour, count) in tokens {
        match summed.last_mut() {
            Some(last) if last.0 == colour => {
                last.1 = last.1.checked_add(count).ok_or(NoBag::TooLarge)?;
            }
            _ => summed.push((colour, count)),
        }
    }
    Ok(summed)
}

impl Comparison {
    fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::Unequal => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }
}

impl Part {
    /// Its number; all variables are known.
    fn number(&self, sorts: &Sorts, binding: &Binding) -> Colour {
        match self {
            Self::Named(number) => *number,
            Self::Of(term, numbers) => {
                let colour = term.value(sorts, binding).expect("all variables are known");
                numbers[colour as usize]
            }
        }
    }
}

impl Condition {
    /// Whether it holds; all its variables are known.
    pub(super) fn holds(&self, sorts: &Sorts, binding: &Binding) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Compare(comparison, left, right) => {
                let rank = |term: &Term| {
                    let colour = term.value(sorts, binding).expect("all variables are known");
                    sorts.rank(term.sort, colour)
                };
                comparison.holds(rank(left), rank(right))
            }
            Self::CompareParts(comparison, left, right) => {
                let [left, right] = [left, right].map(|part| part.number(sorts, binding));
                comparison.holds(left.into(), right.into())
            }
            Self::All(parts) => parts.iter().all(|part| part.holds(sorts, binding)),
            Self::Some(parts) => parts.iter().any(|part| part.holds(sorts, binding)),
            Self::Not(part) => !part.holds(sorts, binding),
        }
    }

    pub(super) fn variables(&self, out: &mut Vec<Variable>) {
        match self {
            Self::Constant(_) => {}
            Self::Compare(_, left, right) => {
                left.variables(out);
                right.variables(out);
            }
            Self::CompareParts(_, left, right) => {
                for part in [left, right] {
                    if let Part::Of(term, _) = part {
                        term.variables(out);
                    }
                }
            }
            Self::All(parts) | Self::Some(parts) => {
                for part in parts {
                    part.variables(out);
                }
            }
            Self::Not(part) => part.variables(out),
        }
    }

    /// The conditions that all must hold.
    pub(super) fn conjuncts(self) -> Vec<Self> {
        match self {
            Self::All(parts) => parts.into_iter().flat_map(Self::conjuncts).collect(),
            other => vec![other],
        }
    }
}
