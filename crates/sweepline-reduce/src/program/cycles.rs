//! Actions that every cycle has.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::{Limits, SlotId};
use sweepline_program::{ChannelId, Overflow, Program};

use super::footprint::{Footprint, Write};
use crate::cut::{self, Changes, back_edges};

/// Sets of actions one of which happens in every cycle of states, found in two ways; those with the least harm first.
pub(super) fn cuts(
    program: &Program,
    footprints: &[Footprint],
    harm: &[u64],
    limits: &Limits,
) -> Vec<Vec<bool>> {
    let (changes, quantities) = changes(program, footprints);
    let mut cuts = cut::cuts(&changes, quantities, harm, limits);
    cuts.push(going_back_by_search(program));
    cuts.sort_by_key(|cut| cut::total(cut, harm));
    cuts.dedup();
    cuts
}

/// What actions add to quantities: a process is at a location, a counter that only changes by fixed steps and does not wrap
/// around, the number of messages in a channel.
fn changes(program: &Program, footprints: &[Footprint]) -> (Vec<Changes>, usize) {
    let mut first = Vec::new();
    let mut quantities = 0;
    for process in program.processes() {
        first.push(quantities);
        quantities += process.locations.len();
    }
    let mut counters: BTreeMap<SlotId, usize> = BTreeMap::new();
    let mut others: BTreeSet<SlotId> = BTreeSet::new();
    let mut channels: BTreeMap<ChannelId, usize> = BTreeMap::new();
    let mut meddled: BTreeSet<ChannelId> = BTreeSet::new();
    for footprint in footprints {
        for (slot, write) in &footprint.writes {
            let wraps = program.slot(*slot).kind.overflow == Overflow::Wrap;
            if wraps || !matches!(write, Write::Add(_)) {
                others.insert(*slot);
            }
        }
        let traffic = footprint.traffic.iter();
        meddled.extend(
            traffic
                .filter(|(_, it)| it.meddles)
                .map(|(channel, _)| *channel),
        );
    }
    for footprint in footprints {
        for slot in footprint
            .writes
            .keys()
            .filter(|slot| !others.contains(slot))
        {
            let next = quantities;
            quantities += usize::from(!counters.contains_key(slot));
            counters.entry(*slot).or_insert(next);
        }
        for channel in footprint.traffic.keys().filter(|it| !meddled.contains(it)) {
            let next = quantities;
            quantities += usize::from(!channels.contains_key(channel));
            channels.entry(*channel).or_insert(next);
        }
    }
    let changes = program
        .actions()
        .iter()
        .zip(footprints)
        .map(|(action, footprint)| {
            let mut changes = Changes::new();
            for step in action
                .moves
                .iter()
                .filter(|step| step.source != step.target)
            {
                let first = first[step.process.0 as usize];
                changes.push((first + step.source.0 as usize, -1));
                changes.push((first + step.target.0 as usize, 1));
            }
            for (slot, write) in &footprint.writes {
                if let (Some(counter), Write::Add(by)) = (counters.get(slot), write) {
                    changes.push((*counter, *by));
                }
            }
            for (channel, traffic) in &footprint.traffic {
                if let Some(quantity) = channels.get(channel) {
                    let by = i64::from(traffic.pushes) - i64::from(traffic.pops);
                    changes.push((*quantity, by));
                }
            }
            changes
        });
    (changes.collect(), quantities)
}

/// The actions by which a process goes back.
///
/// Every action moves some process, and in a cycle of states that process comes back to where it was. So its moves make
/// a cycle of its control flow, which has an edge to a location that a depth-first search has entered and not left.
fn going_back_by_search(program: &Program) -> Vec<bool> {
    let processes = program.processes().iter();
    let mut edges: Vec<_> = processes
        .map(|process| vec![Vec::new(); process.locations.len()])
        .collect();
    for step in program.actions().iter().flat_map(|action| &action.moves) {
        let edges: &mut Vec<Vec<usize>> = &mut edges[step.process.0 as usize];
        edges[step.source.0 as usize].push(step.target.0 as usize);
    }
    let processes = program.processes().iter().zip(&edges);
    let back = processes.map(|(process, edges)| {
        let back = back_edges(edges, process.initial.0 as usize);
        back.into_iter().collect::<BTreeSet<(usize, usize)>>()
    });
    let back: Vec<_> = back.collect();
    let actions = program.actions().iter();
    let cut = actions.map(|action| {
        let mut moves = action.moves.iter();
        moves.any(|step| {
            let edge = (step.source.0 as usize, step.target.0 as usize);
            back[step.process.0 as usize].contains(&edge)
        })
    });
    cut.collect()
}
