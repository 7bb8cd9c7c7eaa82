//! Progress measures of programs, found in their text.
//!
//! A program is abstracted to a net. Each process has a token that moves from location to location. Each slot that
//! every action changes in a known way is a place too: usually by a constant, `n := n + 1`, sometimes by something of
//! which only bounds are known, such as `b := ack` where the guard demands `ack > b`. What is known comes from intervals
//! along the control flow, from guards, and from a symbolic execution of the effects. Slots that change otherwise are
//! left out. The net can do whatever the program can, so a measure that no transition of the net lowers is monotone for
//! the program, and those are found by [linear programming](crate::linear).
//!
//! Simpler measures are offered beside: how far a process has come in its control flow, and slots that only ever grow.
//! Whatever is claimed to be monotone is checked against all actions once more before it is returned.
//!
//! ```
//! use sweepline_program::{Effect, Expr, ProgramBuilder, SlotType};
//! use sweepline_progress::linear::Budget;
//! use std::sync::Arc;
//! use sweepline_progress::program::{Behaviour, Term, measures};
//!
//! // A sender numbers its packets: it sends one, waits, and goes on with the next.
//! let mut program = ProgramBuilder::new("sender");
//! let n = program.slot("n", SlotType::integer(0, 100), 0);
//! let sender = program.process("Sender");
//! let [idle, wait] = ["idle", "wait"].map(|name| program.location(sender, name));
//! program.action("send", sender, idle, wait).guard(Expr::slot(n).less(100));
//! let next = Effect::assign(n, Expr::slot(n).plus(1));
//! program.action("acknowledged", sender, wait, idle).effect(next);
//! let program = Arc::new(program.build()?);
//!
//! let found = measures(&Behaviour::new(Arc::clone(&program)), &[], &Budget::default());
//! // The number alone, and twice the number plus one while it waits: that rises on every step.
//! assert_eq!(found.columns[0].terms, [Term::Slot { slot: n, weight: 1 }]);
//! assert_eq!(found.combined[0].describe(&program), "2 n + Sender(wait: 1)");
//! assert_eq!(found.strict, [true, true]);
//! # Ok::<(), sweepline_program::ProgramError>(())
//! ```

mod abstraction;
mod case;
mod describe;
mod exact;
mod form;
mod invariant;
mod plain;
mod rows;
mod run;
mod work;

use sweepline_core::{ActionId, SlotId};
use sweepline_program::{ArrayId, ProcessId, Program};

use crate::linear::{self, Budget};
use abstraction::Abstraction;
use case::{Case, is_monotone};
use rows::Search;

pub use exact::Behaviour;

/// A sum that measures progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coordinate {
    /// What is summed up: slots first, then tables.
    pub terms: Vec<Term>,
    /// Where it comes from.
    pub source: Source,
}

/// A summand of a measure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// The value of a slot with a weight.
    Slot {
        /// The slot.
        slot: SlotId,
        /// Its weight, not zero.
        weight: i64,
    },
    /// A number for each location of a process, or for each value of another slot with few of them.
    Table {
        /// The slot, usually that of a location.
        slot: SlotId,
        /// The numbers: by location, or by how much the value exceeds the least of the slot's type. The least number is
        /// zero, and greater values than those listed do not occur.
        values: Vec<i64>,
    },
}

/// Why a coordinate is worth a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// How far processes have come in their control flow.
    ControlFlow {
        /// The processes.
        processes: Vec<ProcessId>,
    },
    /// A slot that changes by constants in one direction.
    Counter,
    /// A slot that is only set to values that are not less, or with negative weight not greater, than before.
    NeverDecreases,
    /// The sum of an array whose elements only ever change in one direction.
    Elements {
        /// The array.
        array: ArrayId,
    },
    /// How many messages a channel holds.
    Messages,
    /// A combination of slots and locations found by linear programming.
    Linear,
}

/// A measure that may fall: it orders states that the columns do not.
#[derive(Clone, Debug, PartialEq)]
pub struct RowCandidate {
    /// The measure.
    pub coordinate: Coordinate,
    /// Actions that can lower it although no column rises.
    pub regress: Vec<ActionId>,
    /// The share of these among all firings on which no column rises, from 0 to 1.
    pub cost: f64,
}

/// What was found for a program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramMeasures {
    /// Monotone coordinates: the simple ones first, then what the combinations can be split into.
    pub columns: Vec<Coordinate>,
    /// Monotone coordinates that together rise on as many actions as possible, one for each connected part.
    pub combined: Vec<Coordinate>,
    /// Measures that may fall, those of the linear programs first.
    pub rows: Vec<RowCandidate>,
    /// For each action, whether some combined coordinate rises whenever it fires. Actions that never fire count
    /// too. A step that leads to an error state does not count as firing.
    pub strict: Vec<bool>,
    /// For each action, whether it may fire at all.
    pub possible: Vec<bool>,
}

/// Finds measures of a program.
///
/// The frequencies say how often each action fired in a sample, on any scale; without them all count the same. They only
/// matter for the rows.
pub fn measures(program: &Behaviour, frequency: &[f64], budget: &Budget) -> ProgramMeasures {
    let columns = Columns::of(program, budget);
    ProgramMeasures {
        rows: columns.rows(frequency, budget),
        possible: possible(program.program(), program.cases()),
        columns: columns.fine,
        combined: columns.combined,
        strict: columns.strict,
    }
}

/// The monotone coordinates of a program, and what its rows are made from.
pub struct Columns<'a> {
    /// The simple ones first, then what the combinations can be split into.
    pub fine: Vec<Coordinate>,
    /// Those that together rise on as many actions as possible, one for each connected part.
    pub combined: Vec<Coordinate>,
    /// For each action, whether some combined coordinate rises whenever it fires.
    strict: Vec<bool>,
    behaviour: &'a Behaviour,
    abstraction: Abstraction,
    found: linear::Columns,
}

impl<'a> Columns<'a> {
    /// Finds them.
    pub fn of(behaviour: &'a Behaviour, budget: &Budget) -> Self {
        let (program, cases) = (&**behaviour.program(), behaviour.cases());
        let abstraction = Abstraction::new(behaviour);
        let found = linear::columns(&abstraction.effects, budget);
        let verified = |weights: &[linear::Weights]| {
            let coordinates = weights
                .iter()
                .map(|weights| abstraction.coordinate(program, weights));
            let useful =
                |found: &Coordinate| is_monotone(found, cases) && rises(program, found, cases);
            coordinates.filter(useful).collect::<Vec<_>>()
        };
        let combined = verified(&found.coordinates);
        let parts = linear::finer(&abstraction.effects, &found);
        let mut finer = verified(&parts);
        if finer.len() < parts.len() {
            // Some parts say too little alone; the whole keeps what they add to it.
            finer.extend(combined.iter().cloned());
        }
        let mut fine = plain::columns(program, cases);
        for coordinate in finer {
            if fine.iter().all(|known| known.terms != coordinate.terms) {
                fine.push(coordinate);
            }
        }
        Self {
            strict: strict(program, cases, &combined),
            fine,
            combined,
            behaviour,
            abstraction,
            found,
        }
    }

    /// Measures that may fall to go with them.
    pub fn rows(&self, frequency: &[f64], budget: &Budget) -> Vec<RowCandidate> {
        let search = Search {
            program: self.behaviour.program(),
            cases: self.behaviour.cases(),
            abstraction: &self.abstraction,
            frequency,
        };
        search.rows(&self.found, &self.strict, budget)
    }
}

/// For each action, whether it has a case.
fn possible(program: &Program, cases: &[Case]) -> Vec<bool> {
    let mut possible = vec![false; program.actions().len()];
    for case in cases {
        possible[case.action] = true;
    }
    possible
}

/// Whether some action raises a coordinate in all its cases. If not, it may be no more than an invariant that the cases
/// do not know of: the number of forks on the table and in hands, say.
fn rises(program: &Program, coordinate: &Coordinate, cases: &[Case]) -> bool {
    let strict = strict(program, cases, std::slice::from_ref(coordinate));
    let mut actions = possible(program, cases).into_iter().zip(strict);
    actions.any(|(possible, strict)| possible && strict)
}

fn rises_on(coordinate: &Coordinate, case: &Case) -> bool {
    case.least(&coordinate.terms) > Some(0)
}

/// For each action, whether some coordinate rises in each of its cases.
fn strict(program: &Program, cases: &[Case], coordinates: &[Coordinate]) -> Vec<bool> {
    let mut strict = vec![true; program.actions().len()];
    for case in cases {
        let mut coordinates = coordinates.iter();
        strict[case.action] &= coordinates.any(|coordinate| rises_on(coordinate, case));
    }
    strict
}

/// Why no combination rises on an action: actions, this one among them, that together may lead back to where they began,
/// with how often each is taken.
pub fn why_not(
    program: &Behaviour,
    action: ActionId,
    budget: &Budget,
) -> Option<Vec<(ActionId, u64)>> {
    let abstraction = Abstraction::new(program);
    let own = (0..abstraction.actions.len())
        .filter(|transition| abstraction.actions[*transition] == action);
    // Each has the whole budget: what costs nothing to rule out by hand may cost a program everything.
    let mut found =
        own.filter_map(|t| linear::semiflow_containing(&abstraction.effects, t, &budget.clone()));
    let mut counts = std::collections::BTreeMap::new();
    for (transition, count) in found.next()? {
        *counts.entry(abstraction.actions[transition]).or_default() += count;
    }
    Some(counts.into_iter().collect())
}
