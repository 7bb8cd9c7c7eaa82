//! Slots that tell how far a system is, by how they were seen to change.

use sweepline_core::{Layout, SlotKind};
use sweepline_logic::{Expr, Name};

use crate::combine::{Rows, coordinate, sum};
use crate::sample::SlotChanges;

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

/// All slots together that never went down, and those that never went up: where nothing is known of a model, they may be
/// what its structure would have told.
pub fn never_falling(layout: &Layout, changes: &[SlotChanges]) -> Rows {
    let terms = numbers(layout, changes).filter_map(|(name, changes)| {
        match (changes.rises > 0.0, changes.falls > 0.0) {
            (true, false) => Some(coordinate(&name)),
            (false, true) => Some(coordinate(&format!("-{name}"))),
            _ => None,
        }
    });
    let terms: Vec<_> = terms.collect();
    if !(2..=SLOTS).contains(&terms.len()) {
        return Rows::new();
    }
    let reversed = terms.iter().rev().cloned().collect();
    vec![vec![sum(&terms)], terms, reversed]
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
