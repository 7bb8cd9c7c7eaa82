//! Measures of programs in the words of their slots.

use sweepline_core::{ActionId, Layout, SlotId, SlotKind};
use sweepline_logic::{self as logic, Atom, Expr, Name};
use sweepline_program::Program;

use crate::combine::{Monotone, Rows, coordinate, sum, weighted};
use crate::linear::Budget;
use crate::program::{self, Behaviour, Columns, Coordinate, RowCandidate, Term};

/// Sums of values and locations that never decrease.
pub fn monotone(program: &Program, layout: &Layout, columns: &Columns) -> Monotone {
    let in_words = |list: &[Coordinate]| {
        list.iter()
            .map(|one| self::in_words(program, layout, one))
            .collect()
    };
    Monotone {
        fine: in_words(&columns.fine),
        together: in_words(&columns.combined),
    }
}

/// Measures that seldom decrease.
pub fn rows(
    program: &Program,
    layout: &Layout,
    columns: &Columns,
    frequency: &[f64],
    budget: &Budget,
) -> Rows {
    let found = columns.rows(frequency, budget);
    arrays(program, layout)
        .chain(flows_and_sums(program, layout, &found))
        .collect()
}

/// Arrays, as vectors and as sums: what several processes have in common often tells how far they are.
fn arrays<'a>(
    program: &'a Program,
    layout: &'a Layout,
) -> impl Iterator<Item = Vec<logic::Coordinate>> + 'a {
    let arrays = program.arrays().iter();
    let arrays = arrays
        .filter(|array| (2..=16).contains(&array.length))
        .take(2);
    arrays.flat_map(|array| {
        let elements: Vec<_> = array
            .elements()
            .map(|slot| {
                let name = Name::new(layout.slot(slot).name.as_str());
                coordinate(&Expr::Slot(name).to_string())
            })
            .collect();
        [elements.clone(), vec![sum(&elements)]]
    })
}

/// Rows of the program, and control flows below the counters of their processes: a loop that counts its rounds.
fn flows_and_sums(
    program: &Program,
    layout: &Layout,
    found: &[RowCandidate],
) -> impl Iterator<Item = Vec<logic::Coordinate>> {
    let mut rows: Vec<_> = found
        .iter()
        .map(|row| vec![in_words(program, layout, &row.coordinate)])
        .collect();
    let flows = found
        .iter()
        .filter_map(|row| match &row.coordinate.terms[..] {
            [Term::Table { slot, values }] => Some((*slot, values)),
            _ => None,
        });
    for (flow, values) in flows.take(3) {
        let owner = program.slot(flow).owner;
        let height = values.iter().max().map_or(1, |most| most + 1);
        let slots = (0..).map(SlotId).zip(program.slots());
        let counters = slots.filter(|(id, slot)| {
            let range = layout.slot(*id);
            slot.owner == owner && *id != flow && range.greatest - range.least > 2
        });
        let counters = counters.take(2).map(|(slot, _)| Coordinate {
            terms: vec![
                Term::Slot {
                    slot,
                    weight: height,
                },
                Term::Table {
                    slot: flow,
                    values: values.clone(),
                },
            ],
            source: program::Source::Linear,
        });
        rows.extend(counters.map(|row| vec![in_words(program, layout, &row)]));
    }
    rows.into_iter()
}

/// Actions that together lead back to where they started.
pub fn cycle(program: &Behaviour, action: usize, budget: &Budget) -> Option<Vec<(usize, u64)>> {
    let action = ActionId(u32::try_from(action).ok()?);
    let cycle = program::why_not(program, action, budget)?;
    Some(
        cycle
            .into_iter()
            .map(|(action, times)| (action.0 as usize, times))
            .collect(),
    )
}

fn in_words(program: &Program, layout: &Layout, measure: &Coordinate) -> logic::Coordinate {
    let terms = measure.terms.iter().map(|term| match term {
        Term::Slot { slot, weight } => {
            let name = Name::new(layout.slot(*slot).name.as_str());
            (*weight, Expr::Slot(name).to_string())
        }
        Term::Table { slot, values } => {
            let least = program.slot(*slot).kind.least;
            let slot = layout.slot(*slot);
            let entries = values.iter().enumerate().filter(|(_, value)| **value != 0);
            let entries = entries.map(|(index, &value)| {
                let shown = match &slot.kind {
                    SlotKind::Named(names) => names[index].clone(),
                    SlotKind::Integer | SlotKind::Boolean => {
                        least.saturating_add_unsigned(index as u64).to_string()
                    }
                };
                (Name::new(shown), value)
            });
            let rank = Expr::Rank(Name::new(slot.name.as_str()), entries.collect());
            (1, rank.to_string())
        }
    });
    coordinate(&weighted(terms))
}

/// An expression as a sum of slots and tables, if it is one.
pub fn terms_of(program: &Program, layout: &Layout, expr: &Expr) -> Option<Vec<Term>> {
    let terms = expr.terms()?.into_iter().map(|(weight, atom)| match atom {
        Atom::Slot(name) => Some(Term::Slot {
            slot: layout.slot_named(&name.text)?,
            weight,
        }),
        Atom::Rank(name, entries) => table(program, layout, name, entries, weight),
    });
    terms.collect()
}

/// The ranks of a slot's values, by how much they exceed the least value of its type.
fn table(
    program: &Program,
    layout: &Layout,
    name: &Name,
    entries: &[(Name, i64)],
    factor: i64,
) -> Option<Term> {
    let id = layout.slot_named(&name.text)?;
    let (slot, least) = (layout.slot(id), program.slot(id).kind.least);
    let size = usize::try_from(slot.greatest.checked_sub(least)?.checked_add(1)?).ok()?;
    let mut values = vec![0; size.min(1 << 16)];
    for (value, number) in entries {
        let index = match &slot.kind {
            SlotKind::Named(names) => names.iter().position(|name| *name == value.text)?,
            SlotKind::Integer | SlotKind::Boolean => {
                usize::try_from(value.text.parse::<i64>().ok()?.checked_sub(least)?).ok()?
            }
        };
        *values.get_mut(index)? = number.checked_mul(factor)?;
    }
    Some(Term::Table { slot: id, values })
}
