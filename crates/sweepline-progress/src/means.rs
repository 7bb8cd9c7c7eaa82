//! What each part of looking for a measure may cost.

use crate::choice::Thrift;
use crate::linear::Budget;

/// Work that may be done, in counts that take about a nanosecond each.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// What is to be saved.
    pub thrift: Thrift,
    /// Expansions near the initial states, and the work they may take.
    pub near: (u64, u64),
    /// Walks farther away.
    pub walks: u64,
    /// Looking into a program.
    pub analysis: u64,
    /// Linear programs of columns: where the state space is small, and elsewhere.
    pub columns: (u64, u64),
    /// Linear programs of rows.
    pub rows: u64,
    /// Trying out candidates.
    pub race: u64,
}

/// Linear programs of columns may cost a millisecond for each action, within limits. Columns never lose, so they are worth
/// more than rows.
const SOLVING: u64 = 700 * Budget::MILLISECOND;
const QUICKLY: u64 = 150 * Budget::MILLISECOND;
const ROWS: u64 = 80 * Budget::MILLISECOND;
/// Expansions of a first look, and the most where time is to be saved.
const FIRST: u64 = 2000;
const MOST: u64 = 30_000;

impl Means {
    /// What may be spent on a system with so many actions.
    pub fn of(thrift: Thrift, actions: usize) -> Self {
        match thrift {
            Thrift::Memory => Self::to_save_memory(actions as u64),
            Thrift::Time { work } => Self::to_save_time(thrift, work, actions as u64),
        }
    }

    fn to_save_memory(actions: u64) -> Self {
        let solving = (Budget::MILLISECOND * actions).clamp(QUICKLY, SOLVING);
        Self {
            thrift: Thrift::Memory,
            near: (FIRST, u64::MAX),
            walks: u64::MAX,
            analysis: u64::MAX,
            columns: (QUICKLY, solving),
            rows: ROWS,
            race: u64::MAX,
        }
    }

    /// Everything has its part, so that one that gets nowhere leaves something for the others.
    fn to_save_time(thrift: Thrift, work: u64, actions: u64) -> Self {
        let part = |tenths: u64| work / 10 * tenths;
        Self {
            thrift,
            near: (MOST * 300 / actions.max(300), part(3)),
            walks: part(1),
            analysis: part(3),
            columns: (part(2), part(2).min(SOLVING)),
            rows: part(1).min(ROWS),
            race: part(4),
        }
    }
}
