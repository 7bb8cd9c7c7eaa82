//! Labels that no operator needs any more: on disk, until somebody wants to know why.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use sweepline_core::StopReason;
use sweepline_explore::{LogPlace, Tape};

use super::labels::Label;
use super::sets::Set;

/// The labels of parts, of which some are on disk.
pub(super) struct Archive {
    tape: Tape,
    labels: Vec<Filed>,
    numbers: u32,
    /// Why one could not be read again.
    lost: RefCell<Option<String>>,
}

/// A label, where it is.
enum Filed {
    Held(Label),
    /// On the tape: there and there at most, or one set if nothing is unknown. It is read again when somebody asks for it.
    Stored(Vec<Range<u64>>, OnceCell<Label>),
}

/// Words that are gathered before they are written.
const GATHERED: usize = 1 << 12;

impl Archive {
    /// No labels yet, of so many numbers. Where nothing may be written, all stay in memory.
    pub(super) fn new(numbers: u32, place: &LogPlace) -> Self {
        Self {
            tape: Tape::new(place.clone()).gathering(GATHERED),
            labels: Vec::new(),
            numbers,
            lost: RefCell::default(),
        }
    }

    /// How many parts have labels.
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    /// The label of the next part.
    pub(super) fn push(&mut self, label: Label) {
        self.labels.push(Filed::Held(label));
    }

    /// The label of a part, if it has one already.
    pub(super) fn known(&self, part: usize) -> Option<&Label> {
        (part < self.labels.len()).then(|| self.label(part))
    }

    /// The label of a part. If it cannot be read, it says nothing, and [`Archive::check`] says why.
    pub(super) fn label(&self, part: usize) -> &Label {
        match &self.labels[part] {
            Filed::Held(label) => label,
            Filed::Stored(sets, label) => label.get_or_init(|| self.read(sets)),
        }
    }

    /// Writes the label of a part, if it is in memory, and gives away what was in memory. Constants and what was written before are copied.
    pub(super) fn store(&mut self, part: usize) -> Label {
        let sets: Vec<&Set> = match &self.labels[part] {
            Filed::Held(Label::Exactly(set)) => vec![set],
            Filed::Held(Label::Between { lower, upper }) => vec![lower, upper],
            Filed::Held(Label::Constant(_)) | Filed::Stored(..) => return self.label(part).clone(),
        };
        let mut stored = Vec::with_capacity(sets.len());
        for set in sets {
            let start = self.tape.len();
            for words in set.words().chunks(GATHERED / 2) {
                self.tape
                    .extend(words.iter().flat_map(|word| halves(*word)));
            }
            stored.push(start..self.tape.len());
        }
        let filed = Filed::Stored(stored, OnceCell::new());
        match std::mem::replace(&mut self.labels[part], filed) {
            Filed::Held(label) => label,
            Filed::Stored(..) => Label::Constant(false),
        }
    }

    /// All labels, in memory.
    pub(super) fn into_all(mut self) -> Result<Vec<Label>, StopReason> {
        let mut all = Vec::with_capacity(self.labels.len());
        for filed in std::mem::take(&mut self.labels) {
            all.push(match filed {
                Filed::Held(label) => label,
                Filed::Stored(sets, read) => {
                    let label = read.into_inner();
                    label.unwrap_or_else(|| self.read(&sets))
                }
            });
        }
        self.check().map(|()| all)
    }

    fn read(&self, sets: &[Range<u64>]) -> Label {
        let mut all = sets.iter().map(|range| self.read_set(range.clone()));
        match (all.next(), all.next()) {
            (Some(Some(exactly)), None) => Label::Exactly(exactly),
            (Some(Some(lower)), Some(Some(upper))) => Label::Between { lower, upper },
            _ => Label::Between {
                lower: Set::filled(self.numbers, false),
                upper: Set::filled(self.numbers, true),
            },
        }
    }

    fn read_set(&self, range: Range<u64>) -> Option<Set> {
        let (mut words, mut block) = (Vec::with_capacity(Set::bytes(self.numbers) / 8), Vec::new());
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + GATHERED as u64);
            if let Err(error) = self.tape.read(start..end, &mut block) {
                self.lost.borrow_mut().get_or_insert(error.to_string());
                return None;
            }
            let (pairs, _) = block.as_chunks();
            words.extend(
                pairs
                    .iter()
                    .map(|&[low, high]| u64::from(low) | u64::from(high) << 32),
            );
            start = end;
        }
        Some(Set::of_words(words, self.numbers))
    }

    /// Whether everything could be read that somebody asked for. Otherwise nothing that was concluded counts.
    pub(super) fn check(&self) -> Result<(), StopReason> {
        self.lost.borrow().as_ref().map_or(Ok(()), |why| {
            let why = format!("labels could not be kept on disk: {why}");
            Err(StopReason::Other(why))
        })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the halves of a word")]
fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}
