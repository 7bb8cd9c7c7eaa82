//! The progress of a network: the numbers of all components in one key.

use std::fmt;

use miette::Diagnostic;
use sweepline_core::{Key, KeyError, Layout, Progress, Slot, Word};

use super::rank::{ComponentRank, Ranking, ranks};
use crate::network::Network;
use crate::network_system::{layout, local};

/// How vectors of numbers are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Linearisation {
    /// By the first component, then by the second, and so on.
    #[default]
    Lexicographic,
    /// By the sum of all numbers, then lexicographically.
    Sum,
}

impl Linearisation {
    /// Every order.
    pub const ALL: [Self; 2] = [Self::Lexicographic, Self::Sum];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lexicographic => "lexicographic",
            Self::Sum => "sum",
        }
    }
}

impl fmt::Display for Linearisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A measure of networks, made of the numbers of their components.
///
/// Columns are the numbers that never regress, in the order of the components; rows are the others. Each of the two is
/// ordered on its own. A number that is the same for all states is left out.
///
/// ```
/// use sweepline_core::Progress;
/// use sweepline_process::{Lts, Network, measure::{Linearisation, NetworkMeasure, Ranking}};
///
/// /// A component that counts to `last`.
/// let counter = |name: &str, last: u32| {
///     let mut builder = Lts::builder();
///     let label = builder.label(name);
///     let mut state = builder.state();
///     let initial = state;
///     for _ in 0..last {
///         let next = builder.state();
///         builder.edge(state, label, next);
///         state = next;
///     }
///     builder.build(initial)
/// };
/// let network = Network::parallel([("x", counter("x", 3)), ("y", counter("y", 3))]);
/// let measure = NetworkMeasure::new(&network, Ranking::Scc, Linearisation::Lexicographic).unwrap();
/// let key = measure.key(&[0b01_10]).unwrap();
/// assert_eq!(measure.explain(key), "scc(x) = 2, scc(y) = 1");
/// ```
#[derive(Clone, Debug)]
pub struct NetworkMeasure {
    row_bits: u32,
    parts: Vec<Part>,
    fields: Vec<Field>,
}

/// What a component adds to the key.
#[derive(Clone, Debug)]
struct Part {
    word: usize,
    shift: u32,
    mask: Word,
    /// By state of the component. The contributions of all components are simply added.
    contributions: Vec<u128>,
}

/// A number in the key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    name: String,
    shift: u32,
    bits: u32,
}

/// The numbers of a network's components do not fit into a key.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, thiserror::Error)]
#[error("the measure needs at least {bits} bits, but a key has 128")]
#[diagnostic(
    code(measure::too_wide),
    help(
        "measure fewer components, measure by scc only, or order lexicographically instead of by the sum"
    )
)]
pub struct TooWide {
    /// How many bits the numbers need that were placed before it was refused.
    pub bits: u32,
}

/// A number of a component that is not the same for all its states.
struct Coordinate {
    component: usize,
    rank: ComponentRank,
    greatest: u64,
}

impl NetworkMeasure {
    /// Measures all components in the same way.
    pub fn new(network: &Network, ranking: Ranking, order: Linearisation) -> Result<Self, TooWide> {
        let components = network.components.iter();
        let all = components.map(|component| ranks(&component.lts, ranking));
        Self::of_ranks(network, all.collect(), order)
    }

    /// A measure of the given numbers: one list per component, as [`ranks`] makes them.
    ///
    /// # Panics
    /// If there are not as many lists as components, or not as many numbers as states.
    pub fn of_ranks(
        network: &Network,
        ranks: Vec<Vec<ComponentRank>>,
        order: Linearisation,
    ) -> Result<Self, TooWide> {
        assert_eq!(
            ranks.len(),
            network.components.len(),
            "a list per component"
        );
        let names: Vec<&str> = network.components.iter().map(|c| &c.name[..]).collect();
        let (columns, rows) = split(ranks);
        let mut placing = Placing::new(network, &layout(network));
        // From the lowest bits up: rows lie below columns.
        placing.place(&rows, order, &names)?;
        let row_bits = placing.used;
        placing.place(&columns, order, &names)?;
        let Placing {
            parts, mut fields, ..
        } = placing;
        fields.reverse();
        Ok(Self {
            row_bits,
            parts: parts
                .into_iter()
                .filter(|part| part.contributions.iter().any(|&key| key != 0))
                .collect(),
            fields,
        })
    }

    /// How many bits of a key it uses.
    pub fn bits(&self) -> u32 {
        self.fields.iter().map(|field| field.bits).sum()
    }
}

/// Numbers that never regress, and others, without those that are the same for all states.
fn split(ranks: Vec<Vec<ComponentRank>>) -> (Vec<Coordinate>, Vec<Coordinate>) {
    let mut all = Vec::new();
    for (component, ranks) in ranks.into_iter().enumerate() {
        all.extend(ranks.into_iter().map(|rank| Coordinate {
            component,
            greatest: rank.ranks.iter().copied().max().unwrap_or(0),
            rank,
        }));
    }
    all.retain(|coordinate| coordinate.greatest > 0);
    all.into_iter()
        .partition(|coordinate| coordinate.rank.monotone)
}

/// Gives numbers their places in the key, from the lowest bits up.
struct Placing {
    parts: Vec<Part>,
    fields: Vec<Field>,
    used: u32,
}

impl Placing {
    fn new(network: &Network, layout: &Layout) -> Self {
        let part = |(slot, states): (&Slot, usize)| Part {
            word: slot.word,
            shift: slot.shift,
            mask: slot.mask(),
            contributions: vec![0; states],
        };
        let states = network
            .components
            .iter()
            .map(|component| component.lts.len());
        Self {
            parts: layout.slots().iter().zip(states).map(part).collect(),
            fields: Vec::new(),
            used: 0,
        }
    }

    /// Places the vector, the last component lowest, and above it perhaps the sum.
    fn place(
        &mut self,
        coordinates: &[Coordinate],
        order: Linearisation,
        names: &[&str],
    ) -> Result<(), TooWide> {
        for coordinate in coordinates.iter().rev() {
            let name = format!("{}({})", coordinate.rank.kind, names[coordinate.component]);
            let shift = self.field(name, coordinate.greatest.into())?;
            self.add(coordinate, shift);
        }
        if order == Linearisation::Sum && coordinates.len() > 1 {
            let greatest = coordinates.iter().map(|c| u128::from(c.greatest)).sum();
            let shift = self.field("sum".to_string(), greatest)?;
            for coordinate in coordinates {
                self.add(coordinate, shift);
            }
        }
        Ok(())
    }

    /// Room for a number.
    fn field(&mut self, name: String, greatest: u128) -> Result<u32, TooWide> {
        let (shift, bits) = (self.used, u128::BITS - greatest.leading_zeros());
        self.used += bits;
        if self.used > u128::BITS {
            return Err(TooWide { bits: self.used });
        }
        self.fields.push(Field { name, shift, bits });
        Ok(shift)
    }

    fn add(&mut self, coordinate: &Coordinate, shift: u32) {
        let contributions = &mut self.parts[coordinate.component].contributions;
        assert_eq!(
            contributions.len(),
            coordinate.rank.ranks.len(),
            "a number per state"
        );
        for (contribution, &rank) in contributions.iter_mut().zip(&coordinate.rank.ranks) {
            *contribution += u128::from(rank) << shift;
        }
    }
}

impl Progress for NetworkMeasure {
    fn row_bits(&self) -> u32 {
        self.row_bits
    }

    #[inline]
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        let mut key = 0;
        for part in &self.parts {
            let local = local((state[part.word] >> part.shift) & part.mask);
            key += part.contributions[local];
        }
        Ok(Key(key))
    }

    fn explain(&self, key: Key) -> String {
        let value = |field: &Field| {
            let value = (key.0 >> field.shift) & (u128::MAX >> (u128::BITS - field.bits));
            format!("{} = {value}", field.name)
        };
        let values: Vec<String> = self.fields.iter().map(value).collect();
        values.join(", ")
    }
}
