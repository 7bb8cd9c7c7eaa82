//! The sets of enabled actions, each written once.

use sweepline_core::{ActionId, Interner};

use super::bits::{BitReader, BitWriter, unzigzag, zigzag};
use super::error::Damage;

/// Sets of a page before it is closed, and items in them.
pub(crate) const PAGE: usize = 1 << 15;
const ITEMS: usize = 1 << 18;
/// No model has more actions.
pub(crate) const ACTIONS: u32 = 1 << 24;
/// No state has more steps.
pub(crate) const STEPS: usize = 1 << 22;

/// The sets that states were found to enable lately, as lists of actions in the order of the steps.
///
/// Models may have about as many sets as states. So there is a dictionary for some time only, and then the next one.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    /// Actions, behind a word that says whether the state is a deadlock.
    sets: Interner<u64>,
    items: usize,
    buffer: Vec<u64>,
}

impl Dictionary {
    /// The number of a set.
    #[inline]
    pub(crate) fn number(&mut self, actions: &[ActionId], deadlock: bool) -> u32 {
        self.buffer.clear();
        self.buffer.push(deadlock.into());
        self.buffer
            .extend(actions.iter().map(|action| u64::from(action.0)));
        let known = self.sets.len();
        let number = self.sets.number(&self.buffer);
        if number == known {
            self.items += self.buffer.len();
        }
        u32::try_from(number).expect("pages are short")
    }

    /// The actions of a set.
    #[inline]
    pub(crate) fn actions(&self, set: u32) -> &[u64] {
        &self.sets.get(set as usize)[1..]
    }

    pub(crate) fn is_full(&self, most: usize) -> bool {
        self.sets.len() >= most || self.items >= ITEMS
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.sets.bytes() + self.buffer.capacity() * size_of::<u64>()
    }

    /// Writes the page and begins the next.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let mut out = BitWriter::default();
        out.gamma(self.sets.len() as u64);
        for set in self.sets.iter() {
            let (deadlock, actions) = (set[0], &set[1..]);
            out.gamma(actions.len() as u64);
            if actions.is_empty() {
                out.put(deadlock, 1);
            }
            // Most systems list actions in their order.
            let mut expected = 0;
            for &action in actions {
                out.gamma(zigzag(action.cast_signed() - expected));
                expected = action.cast_signed() + 1;
            }
        }
        (self.sets, self.items) = (Interner::default(), 0);
        out.finish()
    }
}

/// A page that is read.
#[derive(Debug)]
pub(crate) struct Page {
    actions: Vec<ActionId>,
    /// Where each set ends.
    ends: Vec<usize>,
    deadlocks: Vec<bool>,
}

impl Page {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Damage> {
        let mut bits = BitReader::new(bytes);
        let count = bits.gamma_up_to(bytes.len() as u64 * 8)?;
        let mut page = Self {
            actions: Vec::new(),
            ends: Vec::new(),
            deadlocks: Vec::new(),
        };
        for _ in 0..count {
            let length = bits.gamma_up_to(STEPS as u64)?;
            let deadlock = length == 0 && bits.get(1)? == 1;
            let mut expected = 0_i64;
            for _ in 0..length {
                let action = expected
                    .checked_add(unzigzag(bits.gamma()?))
                    .and_then(|action| u32::try_from(action).ok())
                    .filter(|&action| action < ACTIONS)
                    .ok_or(Damage::Number)?;
                page.actions.push(ActionId(action));
                expected = i64::from(action) + 1;
            }
            page.ends.push(page.actions.len());
            page.deadlocks.push(deadlock);
        }
        Ok(page)
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The actions of a set that exists.
    #[inline]
    pub(crate) fn actions(&self, set: usize) -> &[ActionId] {
        let start = set.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.actions[start..self.ends[set]]
    }

    /// Whether states with this set, which exists, are deadlocks.
    #[inline]
    pub(crate) fn is_deadlock(&self, set: usize) -> bool {
        self.deadlocks[set]
    }
}
