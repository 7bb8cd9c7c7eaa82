//! Measures that need no linear program.

use sweepline_core::SlotId;
use sweepline_program::{ArrayId, Process, ProcessId, Program};

use super::case::{Case, is_monotone};
use super::{Coordinate, Source, Term};

/// More single slots than this are not offered.
const MOST_SLOTS: usize = 64;

/// Slots, sums of arrays, and ranks in the control flow.
pub(super) fn columns(program: &Program, cases: &[Case]) -> Vec<Coordinate> {
    let weights = directions(program, cases);
    let mut found: Vec<_> = slots(&weights, cases).take(MOST_SLOTS).collect();
    found.extend(sums(program, &weights));
    let processes = (0..).map(ProcessId).zip(program.processes());
    found.extend(processes.filter_map(|(id, process)| rank(id, process, cases)));
    found.retain(|coordinate| is_monotone(coordinate, cases));
    found
}

/// For each slot 1 if it only rises, -1 if it only falls, and 0 otherwise.
fn directions(program: &Program, cases: &[Case]) -> Vec<i64> {
    let mut rises = vec![true; program.slots().len()];
    let mut falls = vec![true; program.slots().len()];
    let mut moves = vec![false; program.slots().len()];
    for case in cases {
        for slot in case.changes.keys().chain(&case.wild) {
            let (least, greatest) = case.change(*slot);
            let slot = slot.0 as usize;
            rises[slot] &= least.is_some_and(|least| least >= 0);
            falls[slot] &= greatest.is_some_and(|greatest| greatest <= 0);
            moves[slot] = true;
        }
    }
    let direction = |slot: usize| match (moves[slot], rises[slot], falls[slot]) {
        (true, true, false) => 1,
        (true, false, true) => -1,
        _ => 0,
    };
    (0..program.slots().len()).map(direction).collect()
}

fn slots(weights: &[i64], cases: &[Case]) -> impl Iterator<Item = Coordinate> {
    let slots = (0..).map(SlotId).zip(weights);
    slots
        .filter(|(_, weight)| **weight != 0)
        .map(|(slot, &weight)| {
            let constant = |case: &Case| {
                let change = case.changes.get(&slot);
                change.is_none_or(|change| change.unknown.is_none())
            };
            Coordinate {
                terms: vec![Term::Slot { slot, weight }],
                source: if cases.iter().all(constant) {
                    Source::Counter
                } else {
                    Source::NeverDecreases
                },
            }
        })
}

/// The sums of arrays in which some elements change, all of them in the same direction.
fn sums(program: &Program, weights: &[i64]) -> impl Iterator<Item = Coordinate> {
    let arrays = (0..).map(ArrayId).zip(program.arrays());
    arrays.filter_map(|(id, array)| {
        let weight = |slot: SlotId| weights[slot.0 as usize];
        let terms = array.elements().filter(|slot| weight(*slot) != 0);
        let terms: Vec<_> = terms.map(|slot| (slot, weight(slot))).collect();
        let same = terms.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let term = |(slot, weight)| Term::Slot { slot, weight };
        (terms.len() > 1 && same).then(|| Coordinate {
            terms: terms.into_iter().map(term).collect(),
            source: Source::Elements { array: id },
        })
    })
}

/// How many strongly connected components of its control flow a process has left for good.
fn rank(id: ProcessId, process: &Process, cases: &[Case]) -> Option<Coordinate> {
    let edges = edges(process, cases);
    let count = process.locations.len();
    let reach: Vec<_> = (0..count)
        .map(|from| reachable(count, &edges, from))
        .collect();
    let mut values = vec![0_i64; count];
    let mut changed = true;
    while changed {
        changed = false;
        for &(source, target) in &edges {
            let returns = reach[target][source];
            let least = values[source] + i64::from(!returns);
            changed |= values[target] < least;
            values[target] = values[target].max(least);
        }
    }
    let risen = values.iter().any(|value| *value != 0);
    risen.then(|| Coordinate {
        terms: vec![Term::Table {
            slot: process.location,
            values,
        }],
        source: Source::ControlFlow {
            processes: vec![id],
        },
    })
}

/// The moves of a process from location to location.
pub(super) fn edges(process: &Process, cases: &[Case]) -> Vec<(usize, usize)> {
    let moves = cases.iter().flat_map(|case| &case.moves);
    let own = moves.filter(|step| step.slot == process.location);
    let mut edges: Vec<_> = own.map(|step| (step.source, step.target)).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn reachable(count: usize, edges: &[(usize, usize)], from: usize) -> Vec<bool> {
    let mut seen = vec![false; count];
    seen[from] = true;
    let mut open = vec![from];
    while let Some(location) = open.pop() {
        for &(source, target) in edges {
            if source == location && !seen[target] {
                seen[target] = true;
                open.push(target);
            }
        }
    }
    seen
}
