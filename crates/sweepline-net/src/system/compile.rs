//! From transitions to rules on packed words.

use std::collections::BTreeMap;

use sweepline_core::{ActionId, Layout, Slot, SlotId, Word};

use super::firing::{Candidates, Dense, FiringOrder, Groups, Rule, Table, Touch};
use crate::net::{PetriNet, PlaceArc, PlaceId, Transition};

/// Turns transitions into rules.
pub(super) struct Compiler<'a> {
    pub(super) net: &'a PetriNet,
    pub(super) layout: &'a Layout,
    pub(super) guards: &'a [Word],
}

impl Compiler<'_> {
    pub(super) fn all(&self) -> FiringOrder {
        let mut table = Table::default();
        for (transition, action) in self.net.transitions().iter().zip((0..).map(ActionId)) {
            self.add(transition, action, &mut table);
        }
        let dense = match self.guards.len() {
            1 => self.dense(&table).map(FiringOrder::Dense1),
            2 => self.dense(&table).map(FiringOrder::Dense2),
            3 => self.dense(&table).map(FiringOrder::Dense3),
            4 => self.dense(&table).map(FiringOrder::Dense4),
            _ => None,
        };
        dense.unwrap_or(FiringOrder::Sparse(Candidates::All(table)))
    }

    /// The same rules in dense form, unless one of them has inhibitors.
    fn dense<const W: usize>(&self, table: &Table) -> Option<Dense<W>> {
        let mut dense = Dense {
            needs: Vec::with_capacity(table.rules.len()),
            effects: Vec::with_capacity(table.rules.len()),
        };
        for rule in &table.rules {
            let (mut need, mut change) = ([0; W], [0; W]);
            for touch in std::iter::once(&rule.lead).chain(table.more_of(rule)) {
                let word = touch.word as usize;
                if touch.want != self.guards[word] {
                    return None;
                }
                (need[word], change[word]) = (touch.need, touch.change);
            }
            dense.needs.push(need);
            dense.effects.push((change, rule.action));
        }
        Some(dense)
    }

    pub(super) fn groups(&self, keys: &[Option<PlaceId>]) -> Groups {
        let mut members: Vec<_> = keys.iter().zip(self.net.transition_ids()).collect();
        members.sort_by_key(|(place, _)| **place);
        let mut groups = Groups {
            table: Table::default(),
            always: 0,
            fields: vec![(0, 0); self.guards.len()],
            by_guard: vec![(0, 0); self.guards.len() * Word::BITS as usize],
        };
        for group in members.chunk_by(|left, right| left.0 == right.0) {
            let start = groups.table.rules.len();
            for (_, transition) in group {
                self.add(
                    self.net.transition(*transition),
                    ActionId(transition.0),
                    &mut groups.table,
                );
            }
            let end = groups.table.rules.len();
            match group[0].0 {
                None => groups.always = end,
                Some(place) => self.place_group(*place, (start, end), &mut groups),
            }
        }
        groups
    }

    fn place_group(&self, place: PlaceId, (start, end): (usize, usize), groups: &mut Groups) {
        let slot = self.slot(place);
        let bit = slot.word * Word::BITS as usize + guard(slot).trailing_zeros() as usize;
        groups.by_guard[bit] = (small(start), small(end));
        let (ones, guards) = &mut groups.fields[slot.word];
        *ones |= 1 << slot.shift;
        *guards |= guard(slot);
    }

    /// Adds a transition to the table, unless it needs more tokens than its places can hold.
    fn add(&self, transition: &Transition, action: ActionId, table: &mut Table) {
        let Some(touches) = self.touches(transition) else {
            return;
        };
        let start = table.more.len();
        table.more.extend(&touches[1..]);
        table.rules.push(Rule {
            lead: touches[0],
            action,
            more: (small(start), small(table.more.len())),
        });
    }

    /// What a transition asks of which words, at least one; those that can fail come first.
    fn touches(&self, transition: &Transition) -> Option<Vec<Touch>> {
        let mut words = BTreeMap::new();
        for arc in &transition.inputs {
            let slot = self.slot(arc.place);
            if arc.weight > slot.mask() {
                return None;
            }
            self.touch(&mut words, slot).need += arc.weight << slot.shift;
        }
        for (slot, change) in self.changes(transition) {
            let touch = self.touch(&mut words, slot);
            touch.change = touch.change.wrapping_add(change);
        }
        let mut windows = BTreeMap::new();
        for arc in &transition.inhibitors {
            let slot = self.slot(arc.place);
            if arc.weight > slot.mask() {
                continue; // There are never that many tokens.
            }
            // A word can be asked only one question per field; a second one takes a touch of its own.
            let asked = transition
                .inputs
                .binary_search_by_key(&arc.place, |input| input.place)
                .is_ok();
            let touch = self.touch(if asked { &mut windows } else { &mut words }, slot);
            touch.need += arc.weight << slot.shift;
            touch.want &= !guard(slot);
        }
        let mut touches: Vec<_> = words.into_values().chain(windows.into_values()).collect();
        if touches.is_empty() {
            touches.push(self.untouched(0));
        }
        touches.sort_by_key(|touch| touch.need == 0);
        Some(touches)
    }

    /// What firing adds to the word of each slot.
    fn changes(&self, transition: &Transition) -> impl Iterator<Item = (&Slot, Word)> {
        let mut places: BTreeMap<PlaceId, (u64, u64)> = BTreeMap::new();
        for PlaceArc { place, weight } in &transition.inputs {
            places.entry(*place).or_default().0 = *weight;
        }
        for PlaceArc { place, weight } in &transition.outputs {
            places.entry(*place).or_default().1 = *weight;
        }
        places.into_iter().map(|(place, (taken, put))| {
            let slot = self.slot(place);
            // An increase the field has no room for at all must not run into the next field. Setting the guard says
            // what has to be said: the place outgrows its field.
            let most = slot.mask() + 1;
            let change = if put > taken {
                (put - taken).min(most)
            } else {
                put.wrapping_sub(taken)
            };
            (slot, change << slot.shift)
        })
    }

    fn touch<'t>(&self, words: &'t mut BTreeMap<usize, Touch>, slot: &Slot) -> &'t mut Touch {
        words
            .entry(slot.word)
            .or_insert_with(|| self.untouched(slot.word))
    }

    fn untouched(&self, word: usize) -> Touch {
        Touch {
            word: small(word),
            need: 0,
            want: self.guards[word],
            change: 0,
        }
    }

    fn slot(&self, place: PlaceId) -> &Slot {
        self.layout.slot(SlotId(place.0))
    }
}

/// The bit above a slot.
pub(super) fn guard(slot: &Slot) -> Word {
    1 << (slot.shift + slot.bits)
}

fn small(index: usize) -> u32 {
    u32::try_from(index).expect("a net has fewer than 2^32 arcs: its file would not fit in memory")
}
