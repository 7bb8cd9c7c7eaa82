//! How many tokens places have at most and at least.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use sweepline_core::{Interner, Word};

use crate::marking::Marking;
use crate::ml::Value;
use crate::system::CpnSystem;

/// The bounds of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The place.
    pub place: String,
    /// How many tokens there are at least and at most.
    pub tokens: (u64, u64),
    /// How many of each colour there are at most.
    pub upper: String,
    /// How many of each colour there are at least.
    pub lower: String,
}

/// The bounds of all places, over some states.
pub(super) fn bounds(system: &CpnSystem, states: &Interner<Word>) -> Vec<Bounds> {
    let count = system.place_count();
    let mut codes: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); count];
    for state in states.iter() {
        for (codes, code) in codes.iter_mut().zip(system.codes(state)) {
            codes.insert(code);
        }
    }
    let places = codes.into_iter().enumerate();
    places
        .map(|(place, codes)| of_place(system, place, &codes))
        .collect()
}

fn of_place(system: &CpnSystem, place: usize, codes: &BTreeSet<i64>) -> Bounds {
    let shared = &system.shared;
    let engine = shared.engine();
    let (mut least, mut most) = (u64::MAX, 0);
    let mut upper: HashMap<Value, u64> = HashMap::new();
    // How many there are at least, and in how many markings there are any.
    let mut lower: HashMap<Value, (u64, usize)> = HashMap::new();
    for code in codes {
        let encoding = &shared.encodings[place];
        let marking = engine.marking(&shared.net, encoding, place, *code);
        (least, most) = (least.min(marking.count()), most.max(marking.count()));
        let mut counts: HashMap<Value, u64> = HashMap::new();
        for entry in &marking.0 {
            *counts.entry(entry.value).or_default() += entry.count;
        }
        for (value, count) in counts {
            let known = upper.entry(value).or_default();
            *known = count.max(*known);
            let (known, seen) = lower.entry(value).or_insert((u64::MAX, 0));
            (*known, *seen) = (count.min(*known), *seen + 1);
        }
    }
    let always = lower
        .into_iter()
        .filter(|(_, (_, seen))| *seen == codes.len());
    let lower = always.map(|(value, (count, _))| (value, count));
    let values = engine.declarations.machine().values();
    let marking = |counts: &mut dyn Iterator<Item = (Value, u64)>| {
        let mut marking = Marking::default();
        for (value, count) in counts {
            marking.add(value, 0, count, values);
        }
        marking
    };
    let (upper, lower) = (marking(&mut upper.into_iter()), marking(&mut { lower }));
    Bounds {
        place: shared.net.places[place].name().to_owned(),
        tokens: (if least == u64::MAX { 0 } else { least }, most),
        upper: system.untimed_text(&engine, place, &upper),
        lower: system.untimed_text(&engine, place, &lower),
    }
}
