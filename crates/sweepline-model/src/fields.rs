//! Where the numbers of a state lie.

use sweepline_core::{Layout, Records, Slot, SlotKind, Word};

use crate::Encode;
use crate::encode::records;

/// More numbers than this are not listed.
const MOST: usize = 1000;

/// A list of the numbers that all values of a type have at the same places, in the order of their bits.
///
/// Measures that are found order states by them. Numbers that cross the boundary between two words and those that do not
/// fit `i64` are left out.
#[derive(Debug, Default)]
pub struct Fields {
    /// The name of the part that is listed.
    path: String,
    /// Where it begins; nothing behind a part of variable size.
    position: Option<u32>,
    slots: Vec<Slot>,
}

impl Fields {
    /// The layout of states of a type.
    pub(crate) fn layout<S: Encode>() -> Layout {
        let records = records::<S>();
        let mut fields = Self {
            position: Some(0),
            ..Self::default()
        };
        if matches!(records, Records::Fixed(_)) {
            S::fields(&mut fields);
        }
        Layout::of_slots(records, fields.slots)
    }

    /// Passes over a part of so many bits of which nothing is said.
    pub fn skip(&mut self, bits: Option<u32>) {
        self.position = self
            .position
            .zip(bits)
            .map(|(position, bits)| position + bits);
    }

    /// A part with a name.
    pub fn part(&mut self, name: &str, list: impl FnOnce(&mut Self)) {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.below(&format!("{dot}{name}"), list);
    }

    /// An element of a sequence.
    pub fn element(&mut self, index: usize, list: impl FnOnce(&mut Self)) {
        self.below(&format!("[{index}]"), list);
    }

    fn below(&mut self, suffix: &str, list: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(suffix);
        list(self);
        self.path.truncate(length);
    }

    /// Whether there is no need to list more.
    pub(crate) fn is_enough(&self) -> bool {
        self.slots.len() >= MOST || self.position.is_none()
    }

    /// A number from `least` to `greatest`, of which so many bits say by how much it exceeds the least.
    pub fn number(&mut self, bits: u32, least: i128, greatest: i128) {
        if let (Ok(least), Ok(greatest)) = (i64::try_from(least), i64::try_from(greatest)) {
            self.slot(bits, least, greatest, SlotKind::Integer);
        }
        self.skip(Some(bits));
    }

    /// A truth value of one bit.
    pub fn truth(&mut self) {
        self.slot(1, 0, 1, SlotKind::Boolean);
        self.skip(Some(1));
    }

    /// So many bits that say which of the alternatives with these names it is.
    pub fn choice(&mut self, bits: u32, names: &[&str]) {
        if let Some(greatest) = names.len().checked_sub(1) {
            let greatest = i64::try_from(greatest).unwrap_or(i64::MAX);
            let names = names.iter().map(|&name| name.to_owned());
            self.slot(bits, 0, greatest, SlotKind::Named(names.collect()));
        }
        self.skip(Some(bits));
    }

    fn slot(&mut self, bits: u32, least: i64, greatest: i64, kind: SlotKind) {
        let Some(position) = self.position.filter(|_| bits > 0 && !self.is_enough()) else {
            return;
        };
        let shift = position % Word::BITS;
        if shift + bits > Word::BITS {
            return;
        }
        let name = match self.path.as_str() {
            "" => "state",
            path => path,
        };
        self.slots.push(Slot {
            name: name.to_owned(),
            word: (position / Word::BITS) as usize,
            shift,
            bits,
            least,
            greatest,
            kind,
        });
    }
}
