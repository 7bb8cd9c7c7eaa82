//! Measures that may fall.

use std::collections::VecDeque;

use sweepline_core::ActionId;
use sweepline_program::{Process, ProcessId, Program};

use super::abstraction::{Abstraction, action_id};
use super::case::Case;
use super::{Coordinate, RowCandidate, Source, Term, plain};
use crate::linear::{self, Budget, Columns, Hints};

/// What rows are made from.
pub(super) struct Search<'a> {
    pub(super) program: &'a Program,
    pub(super) cases: &'a [Case],
    pub(super) abstraction: &'a Abstraction,
    /// How often each action fires, on any scale; all equally often if empty.
    pub(super) frequency: &'a [f64],
}

impl Search<'_> {
    /// Rows to go with columns.
    pub(super) fn rows(
        &self,
        columns: &Columns,
        strict: &[bool],
        budget: &Budget,
    ) -> Vec<RowCandidate> {
        let mut coordinates = self.linear(columns, budget);
        let processes = (0..).map(ProcessId).zip(self.program.processes());
        coordinates.extend(processes.filter_map(|(id, process)| self.depths(id, process)));
        coordinates.extend(self.messages());
        let mut rows: Vec<RowCandidate> = Vec::new();
        for coordinate in coordinates {
            let known = rows
                .iter()
                .any(|row| row.coordinate.terms == coordinate.terms);
            if !known && self.may_rise(&coordinate, strict) {
                rows.push(self.row(coordinate, strict));
            }
        }
        rows
    }

    fn linear(&self, columns: &Columns, budget: &Budget) -> Vec<Coordinate> {
        let actions = &self.abstraction.actions;
        let mut shares = vec![0_usize; self.program.actions().len()];
        for action in actions {
            shares[action.0 as usize] += 1;
        }
        let share = |action: &ActionId| {
            let shares = u32::try_from(shares[action.0 as usize]).unwrap_or(u32::MAX);
            let frequency = self.frequency.get(action.0 as usize).copied();
            frequency.unwrap_or_default() / f64::from(shares)
        };
        let frequency: Vec<f64> = match self.frequency {
            [] => Vec::new(),
            _ => actions.iter().map(share).collect(),
        };
        let hints = Hints {
            frequency: &frequency,
            initial: &self.abstraction.initial,
        };
        let rows = linear::rows(&self.abstraction.effects, columns, &hints, budget);
        let coordinates = rows
            .iter()
            .map(|row| self.abstraction.coordinate(self.program, &row.weights));
        coordinates
            .filter(|found| !found.terms.is_empty())
            .collect()
    }

    /// How many steps of its own a process needs at least from its start.
    fn depths(&self, id: ProcessId, process: &Process) -> Option<Coordinate> {
        let edges = plain::edges(process, self.cases);
        let start = process.initial.0 as usize;
        let mut values = vec![0_i64; process.locations.len()];
        let mut open = VecDeque::from([start]);
        while let Some(location) = open.pop_front() {
            for &(_, target) in edges.iter().filter(|edge| edge.0 == location) {
                if target != start && values[target] == 0 {
                    values[target] = values[location] + 1;
                    open.push_back(target);
                }
            }
        }
        let term = Term::Table {
            slot: process.location,
            values,
        };
        (!edges.is_empty()).then(|| Coordinate {
            terms: vec![term],
            source: Source::ControlFlow {
                processes: vec![id],
            },
        })
    }

    /// How many messages are in all channels together.
    fn messages(&self) -> Option<Coordinate> {
        let channels = self.program.channels();
        let length = |channel: &sweepline_program::Channel| Term::Slot {
            slot: channel.length,
            weight: 1,
        };
        (!channels.is_empty()).then(|| Coordinate {
            terms: channels.iter().map(length).collect(),
            source: Source::Messages,
        })
    }

    /// Whether a coordinate rises in some case of an action on which the columns may stand.
    fn may_rise(&self, coordinate: &Coordinate, strict: &[bool]) -> bool {
        let mut kept = self.cases.iter().filter(|case| !strict[case.action]);
        kept.any(|case| case.least(&coordinate.terms) > Some(0))
    }

    /// The row of a coordinate, judged by what actions do at worst.
    fn row(&self, coordinate: Coordinate, strict: &[bool]) -> RowCandidate {
        let falls = |case: &&Case| case.least(&coordinate.terms).is_none_or(|least| least < 0);
        let kept = |case: &&Case| !strict[case.action];
        let falling = self.cases.iter().filter(kept).filter(falls);
        let mut regress: Vec<_> = falling.map(|case| case.action).collect();
        regress.dedup();
        let mut all: Vec<_> = self
            .cases
            .iter()
            .filter(kept)
            .map(|case| case.action)
            .collect();
        all.dedup();
        let cost = self.share(&regress) / self.share(&all).max(f64::MIN_POSITIVE);
        RowCandidate {
            regress: regress.into_iter().map(action_id).collect(),
            coordinate,
            cost,
        }
    }

    fn share(&self, actions: &[usize]) -> f64 {
        let given = |action: &usize| self.frequency.get(*action).copied();
        let missing = if self.frequency.is_empty() { 1.0 } else { 0.0 };
        let known = |sum: f64, action: &usize| sum + given(action).unwrap_or(missing);
        actions.iter().fold(0.0, known)
    }
}
