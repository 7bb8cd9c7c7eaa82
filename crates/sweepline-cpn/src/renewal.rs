//! Forgetting markings and values that no stored state refers to.
//!
//! A state has the numbers of markings in tables that only grow, so they would keep what a sweep forgets. When a layer is closed and
//! the tables have become large, the net begins again: with new tables that have the markings of the states that are stored, and
//! the values that occur in these. Whatever is left keeps its order, so that tokens stay sorted; and the order of steps depends on
//! contents only, so that a path that was noted before leads the same way afterwards. Who follows it meets what was forgotten again,
//! so slots have room for as many numbers as there would be had nothing been forgotten.

use std::sync::Arc;

use sweepline_core::{Renewal, Renewed, Renumbering, SlotId, Word};

use crate::encoding::{Encoding, Field};
use crate::engine::{Engine, Table};
use crate::marking::Marking;
use crate::ml::Value;
use crate::system::CpnSystem;

/// A net that is about to begin again.
pub(crate) struct Beginning {
    system: CpnSystem,
    /// For each place with a table: where its number lies, and which numbers are used.
    places: Vec<Used>,
}

/// The markings of a place that states refer to.
struct Used {
    place: usize,
    field: Field,
    /// How many slots show something of them.
    parts: usize,
    numbers: Vec<bool>,
}

impl Beginning {
    pub(crate) fn of(system: &CpnSystem) -> Self {
        let engine = system.shared.engine();
        let encodings = system.shared.encodings.iter().enumerate();
        let places = encodings.filter_map(|(place, encoding)| {
            let Encoding::Interned { parts } = encoding else {
                return None;
            };
            let mut numbers = vec![false; engine.places[place].markings.len()];
            numbers[0] = true; // nothing is number zero
            Some(Used {
                place,
                field: system.code_field(place)?,
                parts: parts.len(),
                numbers,
            })
        });
        Self {
            places: places.collect(),
            system: system.clone(),
        }
    }
}

impl Renewal for Beginning {
    fn keep(&mut self, state: &[Word]) {
        for used in &mut self.places {
            let number = usize::try_from(used.field.read(state));
            let mark = number.ok().and_then(|number| used.numbers.get_mut(number));
            *mark.expect("states have numbers of markings") = true;
        }
    }

    fn finish(self: Box<Self>) -> Renewed {
        let (mut numbers, mut held) = (Renumbering::default(), 0);
        let system = self.system.begun_again(|engine| {
            let encodings = &self.system.shared.encodings;
            let renewed = engine.renewed(&self.places, encodings, &mut numbers);
            held = renewed.bytes();
            renewed
        });
        Renewed {
            system: Arc::new(system),
            numbers,
            held,
        }
    }
}

impl Used {
    /// The used markings of the table.
    fn markings<'t>(&'t self, table: &'t Table) -> impl Iterator<Item = (usize, &'t [u64])> {
        let all = table.markings.iter().enumerate();
        all.filter(|(number, _)| self.numbers.get(*number) == Some(&true))
    }

    fn slot(&self) -> SlotId {
        self.field.id
    }
}

impl Engine {
    /// The same engine with the used markings only, and nothing that was found out about the others.
    fn renewed(&self, used: &[Used], encodings: &[Encoding], numbers: &mut Renumbering) -> Self {
        let words = used
            .iter()
            .flat_map(|used| used.markings(&self.places[used.place]));
        let values = words.flat_map(|(_, words)| Marking::values(words));
        let (declarations, renumbered) = self.declarations.compacted(self.own_values, values);
        let mut engine = self.empty(declarations, encodings);
        let mut words = Vec::new();
        for used in used {
            let (old, new) = (&self.places[used.place], &mut engine.places[used.place]);
            let mut map = vec![None; old.markings.len()];
            for (number, marking) in used.markings(old) {
                words.clear();
                words.extend_from_slice(marking);
                Marking::renumber(&mut words, |value: Value| renumbered.map(value));
                let kept = match new.markings.known(&words) {
                    Some(nothing) => nothing,
                    None => new.add(&words, old.shown(number, used.parts)),
                };
                map[number] = u32::try_from(kept).ok();
            }
            new.forgotten = old.forgotten + old.markings.len() - new.markings.len();
            numbers.add(used.slot(), map);
        }
        engine
    }
}
