//! Measures that could be used, and how they are used.

use sweepline_core::{ActionId, Coarse, Describe, Key, KeyError, Progress, SlotId, Word};

use crate::program::Behaviour;
use crate::program_words::terms_of;
use std::sync::Arc;
use sweepline_logic::{Coordinate, Errors, Leading, Measure, MeasureError, Ranges, Scope};

/// A measure somebody proposes: columns that never decrease, rows that may, and how coarse it is.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it stands for, in a few words.
    pub name: String,
    /// Coordinates that never decrease.
    pub columns: Vec<Coordinate>,
    /// Coordinates that may decrease.
    pub rows: Vec<Coordinate>,
    /// Values are divided by this.
    pub coarsen: u64,
}

/// What is known of how actions change slots, so that keys can be carried along.
#[derive(Debug)]
pub enum Changes {
    /// Each action changes slots by constants (nets).
    Slots(Vec<Vec<(SlotId, i64)>>),
    /// What the actions of a program do.
    Program(Arc<Behaviour>),
}

/// A measure on the states of a system.
#[derive(Clone, Debug)]
pub enum Bound {
    /// Computed from the state.
    Plain(Measure),
    /// Carried along where an action always adds the same to the key.
    Stepwise(Measure, Vec<Option<u128>>),
    /// Divided.
    Coarse(Coarse<Measure>),
}

impl Candidate {
    /// The measure on the states of a system. With constant changes of slots, keys are carried along.
    pub fn bind(
        &self,
        system: &dyn Describe,
        ranges: Ranges,
        changes: Option<&Changes>,
    ) -> Result<Bound, Errors<MeasureError>> {
        let measure = Measure::new(&self.columns, &self.rows, &Scope::of(system), ranges)?;
        if self.coarsen > 1 {
            return Ok(Bound::Coarse(Coarse::new(measure, self.coarsen)));
        }
        let constants = changes.and_then(|changes| self.constants(&measure, system, changes));
        Ok(match constants {
            Some(constants) => Bound::Stepwise(measure, constants),
            None => Bound::Plain(measure),
        })
    }

    /// How much each action adds to the key, as far as it is always the same.
    fn constants(
        &self,
        measure: &Measure,
        system: &dyn Describe,
        changes: &Changes,
    ) -> Option<Vec<Option<u128>>> {
        match changes {
            Changes::Slots(actions) => Some(measure.key_changes(actions.iter().map(Vec::as_slice))),
            Changes::Program(behaviour) => {
                let program = behaviour.program();
                let coordinates = self.columns.iter().chain(&self.rows);
                let by_coordinate = coordinates.map(|coordinate| {
                    let terms = terms_of(program, system.layout(), &coordinate.expr)?;
                    Some(behaviour.constant_changes(&terms))
                });
                let by_coordinate: Vec<_> = by_coordinate.collect::<Option<_>>()?;
                let action = |index: usize| {
                    let values = by_coordinate.iter().map(|changes| changes[index]);
                    measure.key_of_changes(&values.collect::<Option<Vec<_>>>()?)
                };
                Some((0..program.actions().len()).map(action).collect())
            }
        }
    }

    /// The texts of coordinates, as the command line takes them.
    pub fn text(coordinates: &[Coordinate]) -> String {
        let texts = coordinates
            .iter()
            .map(|coordinate| coordinate.source.text().trim());
        texts.collect::<Vec<_>>().join(", ")
    }
}

impl Bound {
    /// What a key costs on the average step: the fields of a state it is computed from, where no step carries it along.
    /// Actions happen so often, on any scale.
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    pub fn effort(&self, frequency: &[f64]) -> f64 {
        match self {
            Self::Plain(measure) => measure.effort() as f64,
            Self::Coarse(measure) => measure.inner().effort() as f64,
            Self::Stepwise(measure, changes) => {
                let known = changes.iter().zip(frequency);
                let computed = known.filter(|(change, _)| change.is_none());
                let all: f64 = frequency.iter().sum();
                let computed: f64 = computed.map(|(_, often)| often).sum();
                computed / all.max(1e-9) * measure.effort() as f64
            }
        }
    }

    /// Where the first coordinate lies in keys; coarser keys do not have it.
    pub fn leading(&self) -> Option<Leading> {
        match self {
            Self::Plain(measure) | Self::Stepwise(measure, _) => measure.leading(),
            Self::Coarse(_) => None,
        }
    }
}

impl Progress for Bound {
    fn row_bits(&self) -> u32 {
        match self {
            Self::Plain(measure) | Self::Stepwise(measure, _) => measure.row_bits(),
            Self::Coarse(measure) => measure.row_bits(),
        }
    }

    // Most keys are carried along, and only that is worth inlining.
    #[inline(never)]
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        match self {
            Self::Plain(measure) | Self::Stepwise(measure, _) => measure.key(state),
            Self::Coarse(measure) => measure.key(state),
        }
    }

    #[inline]
    fn step_key(&self, source: Key, action: ActionId, target: &[Word]) -> Result<Key, KeyError> {
        if let Self::Stepwise(_, changes) = self
            && let Some(change) = changes[action.0 as usize]
        {
            return Ok(Key(source.0.wrapping_add(change)));
        }
        self.key(target)
    }

    fn explain(&self, key: Key) -> String {
        match self {
            Self::Plain(measure) | Self::Stepwise(measure, _) => measure.explain(key),
            Self::Coarse(measure) => measure.explain(key),
        }
    }
}
