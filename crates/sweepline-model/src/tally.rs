//! Numbers that tell how far a state of variable size is.

use sweepline_core::{Layout, Records, Slot, SlotKind, Word};

use crate::Encode;

/// Numbers that are told apart at most.
const MOST: usize = 16;
/// Types may contain themselves; parts of parts are looked into so often.
const DEEPEST: u32 = 6;
/// Bits of a number in the header of a state. Larger ones count as the largest: they only order states.
const BITS: u32 = 32;

/// Adds up the numbers of a value: those of a collection are the sums over its elements.
///
/// What grows in a collection makes a sum grow, so measures that are found order states of variable size by them.
#[derive(Debug)]
pub struct Tally<'t> {
    task: Task<'t>,
    node: usize,
    depth: u32,
}

#[derive(Debug)]
enum Task<'t> {
    /// Finds out which numbers there are.
    Learn(&'t mut Header),
    /// Adds them up.
    Count(&'t Header, [i64; MOST]),
}

impl Tally<'_> {
    /// The value, or the part of it that is told, is this number.
    pub fn number(&mut self, value: i64) {
        match &mut self.task {
            Task::Learn(header) => header.learn(self.node),
            Task::Count(header, sums) => {
                if let Some(place) = header.nodes[self.node].place {
                    sums[place] = sums[place].saturating_add(value);
                }
            }
        }
    }

    /// The same of a number of any size.
    pub fn any_number(&mut self, value: impl TryInto<i64>) {
        self.number(value.try_into().unwrap_or(i64::MAX));
    }

    /// A part with a name. All values of a type give the same part the same index.
    pub fn part(&mut self, index: usize, name: &str, tell: impl FnOnce(&mut Self)) {
        let child = match &mut self.task {
            _ if self.depth >= DEEPEST => None,
            Task::Learn(header) => header.child(self.node, index, name),
            Task::Count(header, _) => {
                let children = &header.nodes[self.node].children;
                children.get(index).copied().flatten()
            }
        };
        if let Some(child) = child {
            let parent = std::mem::replace(&mut self.node, child);
            self.depth += 1;
            tell(self);
            self.depth -= 1;
            self.node = parent;
        }
    }

    /// A collection: its length and the sums over its elements.
    pub fn collection<'a, T: Encode + 'a>(
        &mut self,
        elements: impl ExactSizeIterator<Item = &'a T>,
    ) {
        self.part(0, "len", |out| out.any_number(elements.len()));
        self.elements(elements);
    }

    /// The sums over elements whose number says nothing.
    pub(crate) fn elements<'a, T: Encode + 'a>(&mut self, elements: impl Iterator<Item = &'a T>) {
        for element in elements {
            self.part(1, "sum", |out| element.tally(out));
        }
    }
}

/// The numbers that come before the words of a state of variable size, so that measures find them at fixed places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    /// The parts of a state; the first is the state itself.
    nodes: Vec<Node>,
    names: Vec<String>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    path: String,
    children: Vec<Option<usize>>,
    /// Its place among the numbers, if it is one of them.
    place: Option<usize>,
}

impl Header {
    /// How many words it takes.
    #[inline]
    pub(crate) fn words(&self) -> usize {
        self.names.len().div_ceil((Word::BITS / BITS) as usize)
    }

    /// Learns which numbers a state has.
    pub(crate) fn learn_from(&mut self, state: &impl Encode) {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let (node, depth) = (0, 0);
        state.tally(&mut Tally {
            task: Task::Learn(self),
            node,
            depth,
        });
    }

    /// Keeps the numbers with these names only.
    pub(crate) fn keep(&mut self, wanted: impl Fn(&str) -> bool) {
        let old = std::mem::take(&mut self.names);
        for node in &mut self.nodes {
            node.place = node
                .place
                .filter(|&place| wanted(&old[place]))
                .map(|place| {
                    self.names.push(old[place].clone());
                    self.names.len() - 1
                });
        }
        // Children come behind their parents.
        for node in (0..self.nodes.len()).rev() {
            let mut children = std::mem::take(&mut self.nodes[node].children);
            for child in &mut children {
                let leads = |child: &usize| {
                    let child = &self.nodes[*child];
                    child.place.is_some() || child.children.iter().any(Option::is_some)
                };
                *child = child.filter(leads);
            }
            self.nodes[node].children = children;
        }
    }

    /// Appends the numbers of a state to `out`.
    #[inline]
    pub(crate) fn write(&self, state: &impl Encode, out: &mut Vec<Word>) {
        if !self.names.is_empty() {
            self.write_numbers(state, out);
        }
    }

    fn write_numbers(&self, state: &impl Encode, out: &mut Vec<Word>) {
        let (node, depth) = (0, 0);
        let mut tally = Tally {
            task: Task::Count(self, [0; MOST]),
            node,
            depth,
        };
        state.tally(&mut tally);
        let Task::Count(_, sums) = tally.task else {
            return; // it counts
        };
        let (least, greatest) = Self::range();
        let numbers = sums[..self.names.len()].iter().map(|sum| {
            let number = (*sum).clamp(least, greatest) - least;
            number.cast_unsigned()
        });
        let mut word = 0;
        for (index, number) in (0u32..).zip(numbers) {
            let shift = index * BITS % Word::BITS;
            if index > 0 && shift == 0 {
                out.push(word);
                word = 0;
            }
            word |= number << shift;
        }
        out.push(word);
    }

    /// The layout of states that begin with the numbers.
    pub(crate) fn layout(&self) -> Layout {
        let (least, greatest) = Self::range();
        let slots = (0u32..).zip(&self.names).map(|(index, name)| {
            let position = index * BITS;
            Slot {
                name: name.clone(),
                word: (position / Word::BITS) as usize,
                shift: position % Word::BITS,
                bits: BITS,
                least,
                greatest,
                kind: SlotKind::Integer,
            }
        });
        Layout::of_slots(Records::Variable, slots.collect())
    }

    fn range() -> (i64, i64) {
        (i32::MIN.into(), i32::MAX.into())
    }

    fn learn(&mut self, node: usize) {
        if self.nodes[node].place.is_none() && self.names.len() < MOST {
            let node = &mut self.nodes[node];
            node.place = Some(self.names.len());
            let name = if node.path.is_empty() {
                "state"
            } else {
                &node.path
            };
            self.names.push(name.to_owned());
        }
    }

    fn child(&mut self, node: usize, index: usize, name: &str) -> Option<usize> {
        let known = self.nodes[node].children.get(index).copied().flatten();
        if known.is_some() || self.names.len() >= MOST {
            return known;
        }
        let path = &self.nodes[node].path;
        let dot = if path.is_empty() { "" } else { "." };
        let child = Node {
            path: format!("{path}{dot}{name}"),
            ..Node::default()
        };
        let number = self.nodes.len();
        self.nodes.push(child);
        let children = &mut self.nodes[node].children;
        if children.len() <= index {
            children.resize(index + 1, None);
        }
        children[index] = Some(number);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Encode)]
    enum Phase {
        Idle,
        Busy { since: u8 },
    }

    #[derive(Clone, Debug, PartialEq, Encode)]
    struct State {
        round: u64,
        phases: Vec<Phase>,
        debts: BTreeMap<u8, i16>,
    }

    fn numbers(header: &Header, state: &State) -> Vec<(String, i64)> {
        let mut words = Vec::new();
        header.write(state, &mut words);
        assert_eq!(words.len(), header.words());
        let layout = header.layout();
        let slots = layout.slots().iter();
        slots
            .map(|slot| (slot.name.clone(), slot.read(&words)))
            .collect()
    }

    #[test]
    fn numbers_of_collections_are_sums() {
        let state = State {
            round: 1 << 40,
            phases: vec![
                Phase::Idle,
                Phase::Busy { since: 3 },
                Phase::Busy { since: 4 },
            ],
            debts: BTreeMap::from([(1, -5), (9, 2)]),
        };
        let mut header = Header::default();
        header.learn_from(&state);
        let expected = [
            ("round", i64::from(i32::MAX)), // larger ones count as the largest
            ("phases.len", 3),
            ("phases.sum", 2),
            ("phases.sum.Busy.since", 7),
            ("debts.len", 2),
            ("debts.sum", -3),
        ];
        let expected: Vec<_> = expected
            .map(|(name, value)| (name.to_owned(), value))
            .into();
        assert_eq!(numbers(&header, &state), expected);
        header.keep(|name| name == "phases.sum.Busy.since" || name == "debts.len");
        assert_eq!(
            numbers(&header, &state),
            [expected[3].clone(), expected[4].clone()]
        );
        header.keep(|_| false);
        assert_eq!(header.words(), 0);
    }

    #[test]
    fn types_may_contain_themselves() {
        #[derive(Clone, Debug, PartialEq, Encode)]
        enum List {
            End,
            Cons(u8, Box<List>),
        }
        let mut list = List::End;
        for number in 0..100 {
            list = List::Cons(number, Box::new(list));
        }
        let mut header = Header::default();
        header.learn_from(&list);
        assert!(header.names.len() <= MOST);
        let mut words = Vec::new();
        header.write(&list, &mut words);
        assert_eq!(words.len(), header.words());
    }
}
