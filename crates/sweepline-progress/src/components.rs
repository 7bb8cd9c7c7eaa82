//! Measures of networks: ranks of the states of their components [KM02b, Sect. 5].

use sweepline_core::{Layout, Slot, SlotKind};
use sweepline_logic::{Coordinate, Expr, Name};
use sweepline_process::Network;
use sweepline_process::measure::{ComponentRank, Ranking, ranks};

use crate::candidate::Candidate;
use crate::combine::{Monotone, Rows, coordinate, sum};

/// The coordinates of every component by one rule: those that never decrease, and the others.
fn coordinates(
    network: &Network,
    layout: &Layout,
    ranking: Ranking,
) -> (Vec<Coordinate>, Vec<Coordinate>) {
    let (mut columns, mut rows) = (Vec::new(), Vec::new());
    for (component, slot) in network.components.iter().zip(layout.slots()) {
        for rank in ranks(&component.lts, ranking) {
            if rank.ranks.iter().all(|&value| value == rank.ranks[0]) {
                continue;
            }
            let list = if rank.monotone {
                &mut columns
            } else {
                &mut rows
            };
            list.push(in_words(slot, &rank));
        }
    }
    (columns, rows)
}

/// The measure that ranks every component by one rule, as a vector or as sums.
pub fn by_rule(network: &Network, layout: &Layout, ranking: Ranking, summed: bool) -> Candidate {
    let (columns, rows) = coordinates(network, layout, ranking);
    let joined = |list: Vec<Coordinate>| match (summed, list.len()) {
        (true, 2..) => vec![sum(&list)],
        _ => list,
    };
    Candidate {
        name: format!("{ranking} of every component"),
        columns: joined(columns),
        rows: joined(rows),
        coarsen: 1,
    }
}

/// How far components have come that never go back.
pub fn monotone(network: &Network, layout: &Layout) -> Monotone {
    let (columns, _) = coordinates(network, layout, Ranking::Scc);
    Monotone {
        fine: columns.clone(),
        together: columns,
    }
}

/// How far components are from their beginnings.
pub fn rows(network: &Network, layout: &Layout) -> Rows {
    let (_, trees) = coordinates(network, layout, Ranking::SccOrTree);
    let mut rows = Vec::new();
    if !trees.is_empty() {
        rows.push(vec![sum(&trees)]);
    }
    if (2..=16).contains(&trees.len()) {
        rows.push(trees.clone());
    }
    rows.extend(trees.into_iter().map(|tree| vec![tree]));
    rows
}

/// The rank of a component's state as an expression over its slot.
fn in_words(slot: &Slot, rank: &ComponentRank) -> Coordinate {
    let name = Name::new(slot.name.as_str());
    if rank
        .ranks
        .iter()
        .zip(0..)
        .all(|(&value, state)| value == state)
    {
        return coordinate(&Expr::Slot(name).to_string());
    }
    let entries = rank.ranks.iter().zip(0..).filter(|(value, _)| **value != 0);
    let entries = entries.map(|(&value, state): (&u64, usize)| {
        let shown = match &slot.kind {
            SlotKind::Named(names) => names[state].clone(),
            SlotKind::Integer | SlotKind::Boolean => state.to_string(),
        };
        (Name::new(shown), i64::try_from(value).unwrap_or(i64::MAX))
    });
    coordinate(&Expr::Rank(name, entries.collect()).to_string())
}
