//! The abstract net of a program.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_core::{ActionId, SlotId};
use sweepline_program::{ProcessId, Program};

use super::case::Case;
use super::{Behaviour, Coordinate, Source, Term};
use crate::linear::{Effects, Weights};

/// More unknowns than this are not told apart in one action.
const MOST_UNKNOWNS: usize = 4;
/// A slot with more values than this has no place for each of them.
const MOST_VALUES: usize = 16;
/// Bounds beyond this are cut off: the solver would not do well with them, and what it finds is checked anyway.
const FAR: i64 = 1 << 16;

/// Places for locations, values and slots; transitions for the cases of actions.
pub(super) struct Abstraction {
    pub(super) effects: Effects,
    /// The action of each transition.
    pub(super) actions: Vec<ActionId>,
    /// The tokens of each place at the start.
    pub(super) initial: Vec<u64>,
    places: Vec<PlaceOf>,
}

#[derive(Clone, Copy)]
enum PlaceOf {
    /// It holds a token while the slot has this value, counted from the least of its type.
    Value(SlotId, usize),
    /// It holds as many tokens as the value of the slot.
    Slot(SlotId),
}

impl Abstraction {
    pub(super) fn new(behaviour: &Behaviour) -> Self {
        let (program, cases) = (&**behaviour.program(), behaviour.cases());
        let mut places = Vec::new();
        let mut tables = BTreeMap::new();
        for (slot, count) in tabled(behaviour) {
            tables.insert(slot, places.len());
            places.extend((0..count).map(|value| PlaceOf::Value(slot, value)));
        }
        let mut slots = BTreeMap::new();
        for slot in followed(cases, |slot| tables.contains_key(slot)) {
            slots.insert(slot, places.len());
            places.push(PlaceOf::Slot(slot));
        }
        let (mut effects, mut actions) = (Vec::new(), Vec::new());
        for case in cases {
            let moved = moved(case, &tables);
            for changed in corners(case, &slots) {
                effects.push([moved.clone(), changed].concat());
                actions.push(action_id(case.action));
            }
        }
        Self {
            effects: Effects::new(places.len(), effects),
            actions,
            initial: places.iter().map(|place| tokens(program, *place)).collect(),
            places,
        }
    }

    /// A measure of the net as one of the program.
    pub(super) fn coordinate(&self, program: &Program, weights: &Weights) -> Coordinate {
        let mut slots = Vec::new();
        let mut tables: BTreeMap<SlotId, Vec<(usize, i64)>> = BTreeMap::new();
        for &(place, weight) in &weights.of {
            match self.places[place] {
                PlaceOf::Slot(slot) => slots.push(Term::Slot { slot, weight }),
                PlaceOf::Value(slot, value) => {
                    tables.entry(slot).or_default().push((value, weight));
                }
            }
        }
        let tables = tables.into_iter().filter_map(|(slot, weights)| {
            let count = |place: &&PlaceOf| matches!(place, PlaceOf::Value(of, _) if *of == slot);
            let mut values = vec![0; self.places.iter().filter(count).count()];
            for (value, weight) in weights {
                values[value] = weight;
            }
            from_zero(&values).map(|values| (slot, values))
        });
        for (slot, values) in tables {
            let of_process = program
                .processes()
                .iter()
                .any(|process| process.location == slot);
            match slope(&values).filter(|_| !of_process) {
                Some(weight) => slots.push(Term::Slot { slot, weight }),
                None => slots.push(Term::Table { slot, values }),
            }
        }
        slots.sort();
        let source = source(program, &slots);
        Coordinate {
            terms: slots,
            source,
        }
    }
}

/// By how much each number exceeds the one before, if it is always the same.
fn slope(values: &[i64]) -> Option<i64> {
    let mut steps = values.windows(2).map(|pair| pair[1] - pair[0]);
    let first = steps.next()?;
    steps.all(|step| step == first).then_some(first)
}

/// Where a sum comes from.
fn source(program: &Program, terms: &[Term]) -> Source {
    let process = |term: &Term| {
        let Term::Table { slot, .. } = term else {
            return None;
        };
        let mut processes = (0..).map(ProcessId).zip(program.processes());
        let found = processes.find(|(_, process)| process.location == *slot);
        found.map(|(id, _)| id)
    };
    match (terms, terms.iter().map(process).collect()) {
        (_, Some(processes)) => Source::ControlFlow { processes },
        ([Term::Slot { .. }], None) => Source::Counter,
        _ => Source::Linear,
    }
}

/// The slots with a place for each value, and how many there are: locations, and slots whose values before and after
/// are known whenever they change. Where numbers alone tell the direction, numbers will do.
fn tabled(behaviour: &Behaviour) -> Vec<(SlotId, usize)> {
    let (program, cases) = (&**behaviour.program(), behaviour.cases());
    let processes = program.processes().iter();
    let locations = processes.map(|process| (process.location, process.locations.len()));
    let mut found: Vec<_> = locations.collect();
    let changed: BTreeSet<SlotId> = cases
        .iter()
        .flat_map(|case| case.changes.keys())
        .copied()
        .collect();
    for slot in changed {
        let count =
            i128::from(behaviour.greatest(slot)) - i128::from(program.slot(slot).kind.least) + 1;
        let Some(count) = usize::try_from(count)
            .ok()
            .filter(|count| *count <= MOST_VALUES)
        else {
            continue;
        };
        let known = cases.iter().all(|case| case.is_known(slot));
        if known && !is_directed(slot, cases) {
            found.push((slot, count));
        }
    }
    found
}

/// Whether a slot only rises or only falls.
fn is_directed(slot: SlotId, cases: &[Case]) -> bool {
    let changes = || cases.iter().map(|case| case.change(slot));
    changes().all(|(least, _)| least >= Some(0))
        || changes().all(|(_, greatest)| greatest.is_some_and(|greatest| greatest <= 0))
}

pub(super) fn action_id(action: usize) -> ActionId {
    ActionId(u32::try_from(action).expect("a program has below 2^32 actions"))
}

fn tokens(program: &Program, place: PlaceOf) -> u64 {
    match place {
        PlaceOf::Value(slot, value) => {
            let declared = program.slot(slot);
            let first = i128::from(declared.initial) - i128::from(declared.kind.least);
            u64::from(usize::try_from(first) == Ok(value))
        }
        PlaceOf::Slot(slot) => u64::try_from(program.slot(slot).initial).unwrap_or_default(),
    }
}

/// Numbers for values, less the least of them: a slot always has some value. Nothing if all are equal.
fn from_zero(values: &[i64]) -> Option<Vec<i64>> {
    let least = values.iter().copied().min()?;
    let values: Vec<_> = values
        .iter()
        .map(|value| value.saturating_sub(least))
        .collect();
    values.iter().any(|value| *value != 0).then_some(values)
}

/// The slots that become places: no case changes one of them in both directions, or has too many unknowns.
fn followed(cases: &[Case], tabled: impl Fn(&SlotId) -> bool) -> Vec<SlotId> {
    let mut slots: BTreeMap<SlotId, usize> = BTreeMap::new();
    for case in cases {
        for (slot, change) in &case.changes {
            *slots.entry(*slot).or_default() += usize::from(change.unknown.is_some());
        }
    }
    slots.retain(|slot, _| !tabled(slot));
    for case in cases {
        slots.retain(|slot, _| !case.wild.contains(slot));
        for slot in case.changes.keys() {
            let (least, greatest) = case.change(*slot);
            let one_way = least.is_some_and(|least| least >= 0)
                || greatest.is_some_and(|greatest| greatest <= 0);
            if !one_way {
                slots.remove(slot);
            }
        }
    }
    for case in cases {
        while unknowns(case, |slot| slots.contains_key(slot)).len() > MOST_UNKNOWNS {
            let uncertain = case
                .changes
                .iter()
                .filter(|(_, change)| change.unknown.is_some());
            let kept = uncertain.filter_map(|(slot, _)| Some((*slots.get(slot)?, *slot)));
            let Some((_, worst)) = kept.max() else { break };
            slots.remove(&worst);
        }
    }
    slots.into_keys().collect()
}

/// The unknowns by which these slots change.
fn unknowns(case: &Case, of: impl Fn(&SlotId) -> bool) -> Vec<usize> {
    let changes = case.changes.iter().filter(|(slot, _)| of(slot));
    let mut found: Vec<_> = changes
        .filter_map(|(_, change)| Some(change.unknown?.0))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn moved(case: &Case, tables: &BTreeMap<SlotId, usize>) -> Vec<(usize, i64)> {
    let steps = case.moves.iter().chain(&case.jumps);
    let ends = steps.filter_map(|step| {
        let first = tables.get(&step.slot)?;
        Some([(first + step.source, -1), (first + step.target, 1)])
    });
    ends.flatten().collect()
}

/// The changes of slots when every unknown is as small or as great as it can be. What no corner lowers, nothing between
/// them does.
fn corners(case: &Case, slots: &BTreeMap<SlotId, usize>) -> Vec<Vec<(usize, i64)>> {
    let unknowns = unknowns(case, |slot| slots.contains_key(slot));
    let mut corners: Vec<Vec<(usize, i64)>> = Vec::new();
    for corner in 0..1_usize << unknowns.len() {
        let value = |unknown: usize| {
            let number = unknowns.binary_search(&unknown).unwrap_or_default();
            let (least, greatest) = case.unknowns[unknown];
            let end = if corner >> number & 1 == 0 {
                least.unwrap_or(i64::MIN)
            } else {
                greatest.unwrap_or(i64::MAX)
            };
            i128::from(end.clamp(-FAR, FAR))
        };
        let change = |(slot, change): (&SlotId, &super::case::Change)| {
            let unknown = change
                .unknown
                .map(|(number, factor)| value(number) * factor);
            let sum = change.constant + unknown.unwrap_or_default();
            Some((*slots.get(slot)?, i64::try_from(sum).ok()?))
        };
        let changed = case.changes.iter().filter_map(change).collect();
        if !corners.contains(&changed) {
            corners.push(changed);
        }
    }
    corners
}
