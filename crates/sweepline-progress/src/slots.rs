//! Slots that tell how far a system is, by how they were seen to change.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use sweepline_core::{Components, Layout, SlotKind};
use sweepline_logic::{Coordinate, Expr, Name};

use crate::combine::{Rows, coordinate, sum};
use crate::sample::{Sample, SlotChanges};

/// Steps that may lower a slot, and states that may have the same value, for it to be worth a try; slots to try.
const FALLS: f64 = 0.1;
const SAME: f64 = 0.8;
const SLOTS: usize = 12;
/// Systems with more slots are large nets, which have better measures.
const MOST_SLOTS: usize = 200;

/// Single slots that seldom go down, or seldom up: the number of a packet, of a round, a count of attempts.
pub fn seldom_falling(layout: &Layout, changes: &[SlotChanges]) -> Rows {
    if layout.slots().len() > MOST_SLOTS {
        return Rows::new();
    }
    let mut slots = Vec::new();
    for (name, changes) in numbers(layout, changes) {
        if changes.most_frequent > SAME {
            continue;
        }
        for (sign, falls) in [("", changes.falls), ("-", changes.rises)] {
            if falls < FALLS {
                slots.push((
                    changes.most_frequent * (1.0 + falls * 20.0),
                    format!("{sign}{name}"),
                ));
            }
        }
    }
    slots.sort_by(|a, b| a.0.total_cmp(&b.0));
    let slots = slots.into_iter().take(SLOTS);
    slots.map(|(_, text)| vec![coordinate(&text)]).collect()
}

/// All slots together that never went down, those that never went up, and ranks of names: where nothing is known of a model,
/// they may be what its structure would have told.
pub fn never_falling(layout: &Layout, changes: &[SlotChanges], ranks: Vec<Coordinate>) -> Rows {
    let terms = numbers(layout, changes).filter_map(|(name, changes)| {
        match (changes.rises > 0.0, changes.falls > 0.0) {
            (true, false) => Some(coordinate(&name)),
            (false, true) => Some(coordinate(&format!("-{name}"))),
            _ => None,
        }
    });
    let terms: Vec<_> = terms.collect();
    let mut rows = together(&terms);
    rows.extend(ranks.iter().map(|rank| vec![rank.clone()]));
    if !ranks.is_empty() {
        rows.extend(together(&[terms, ranks].concat()));
    }
    rows
}

/// Several coordinates as a sum and as vectors.
fn together(terms: &[Coordinate]) -> Rows {
    if !(2..=SLOTS).contains(&terms.len()) {
        return Rows::new();
    }
    let reversed = terms.iter().rev().cloned().collect();
    vec![vec![sum(terms)], terms.to_vec(), reversed]
}

/// Values with names, such as variants of an enum, ranked by the order in which they were seen to follow each other.
pub fn ranks(layout: &Layout, sample: &Sample) -> Vec<Coordinate> {
    if layout.slots().len() > MOST_SLOTS {
        return Vec::new();
    }
    let ranked = layout.slots().iter().filter_map(|slot| {
        let SlotKind::Named(names) = &slot.kind else {
            return None;
        };
        let ranks = ranks_of(names.len(), &sample.value_steps(slot))?;
        let entries = names.iter().zip(ranks).filter(|(_, rank)| *rank > 0);
        let entries = entries.map(|(name, rank)| (Name::new(name.as_str()), rank));
        let rank = Expr::Rank(Name::new(slot.name.as_str()), entries.collect());
        Some(coordinate(&rank.to_string()))
    });
    ranked.take(SLOTS).collect()
}

/// The ranks of values that follow each other so: no step lowers them. Nothing if no step raises them either.
fn ranks_of(values: usize, steps: &BTreeSet<(usize, usize)>) -> Option<Vec<i64>> {
    let mut targets = vec![Vec::new(); values];
    for &(from, to) in steps {
        targets.get_mut(from).filter(|_| to < values)?.push(to);
    }
    let components = Components::of_graph(values, |node, edge| targets[node].get(edge).copied());
    let mut ranks = vec![0; components.count as usize];
    // Edges lead to smaller numbers, so what comes before a component has been ranked before it.
    let mut order: Vec<usize> = (0..values).collect();
    order.sort_by_key(|&value| Reverse(components.of[value]));
    for value in order {
        let from = components.of[value] as usize;
        for &target in &targets[value] {
            let to = components.of[target] as usize;
            if to != from {
                ranks[to] = ranks[to].max(ranks[from] + 1);
            }
        }
    }
    let ranks: Vec<i64> = components.of.iter().map(|&of| ranks[of as usize]).collect();
    ranks.iter().any(|rank| *rank > 0).then_some(ranks)
}

/// The slots that hold numbers, by the names that measures use.
fn numbers<'a>(
    layout: &'a Layout,
    changes: &'a [SlotChanges],
) -> impl Iterator<Item = (String, &'a SlotChanges)> {
    changes.iter().filter_map(|changes| {
        let slot = layout.slot(changes.slot);
        let name = Expr::Slot(Name::new(slot.name.as_str())).to_string();
        (!matches!(slot.kind, SlotKind::Named(_))).then_some((name, changes))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_ranked_by_what_follows_them() {
        // 2 comes first, 0 and 3 follow each other, 1 is last; 4 was never seen.
        let steps = BTreeSet::from([(2, 0), (0, 3), (3, 0), (3, 1), (2, 1)]);
        assert_eq!(ranks_of(5, &steps), Some(vec![1, 2, 0, 1, 0]));
        assert_eq!(ranks_of(2, &BTreeSet::from([(0, 1), (1, 0)])), None);
        assert_eq!(ranks_of(2, &BTreeSet::from([(0, 7)])), None);
    }
}
