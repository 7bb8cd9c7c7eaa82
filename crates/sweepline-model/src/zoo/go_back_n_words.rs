//! The go-back-N protocol packed by hand.

use sweepline_core::{
    ActionId, Describe, Key, KeyError, Layout, Progress, Records, Steps, System, Word,
};

use super::go_back_n::Action;
use crate::bits::{mask, width};

/// The protocol of [`GoBackN`](super::go_back_n::GoBackN) in two words per state.
///
/// The first word is the sender's, the second the receiver's. From the lowest bit up:
///
/// | | 1st number | 2nd number | length | cells |
/// | --- | --- | --- | --- | --- |
/// | sender | oldest unacknowledged message | next message | of the data channel | oldest message first |
/// | receiver | expected message | 0 | of the acknowledgement channel | oldest acknowledgement first |
///
/// Numbers and cells are as wide as the number of messages takes. Cells not in use are zero.
#[derive(Clone, Debug)]
pub struct GoBackNWords {
    messages: Word,
    window: Word,
    capacity: Word,
    fields: Fields,
    layout: Layout,
    actions: Vec<String>,
}

/// The protocol does not fit two words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a channel of {capacity} cells and two numbers, of {bits} bits each, do not fit one word")]
pub struct TooWide {
    capacity: u32,
    bits: u32,
}

impl GoBackNWords {
    /// The protocol for so many messages, with this window, and channels of this capacity.
    pub fn new(messages: u16, window: u16, capacity: u32) -> Result<Self, TooWide> {
        let bits = width(messages.into()).max(1);
        let fields = Fields::new(bits, width(capacity.into()));
        let room = Word::BITS.checked_sub(fields.cells);
        if room.is_none_or(|room| room / bits < capacity) {
            return Err(TooWide { capacity, bits });
        }
        Ok(Self {
            messages: messages.into(),
            window: window.into(),
            capacity: capacity.into(),
            fields,
            layout: Layout::opaque(Records::Fixed(2)),
            actions: ACTIONS.iter().map(|action| format!("{action:?}")).collect(),
        })
    }

    /// Messages acknowledged and messages accepted, together: it never decreases.
    pub fn measure(&self) -> impl Progress + Copy + use<> {
        Delivered(self.fields)
    }
}

/// In the order in which a state's steps are listed.
const ACTIONS: [Action; 6] = [
    Action::Send,
    Action::TimeOut,
    Action::LoseData,
    Action::Receive,
    Action::LoseAck,
    Action::ReceiveAck,
];

impl System for GoBackNWords {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial(&self, out: &mut Steps) {
        out.push(ActionId(0), &[0, 0]);
    }

    #[inline]
    fn successors(&self, state: &[Word], out: &mut Steps) {
        let fields = self.fields;
        let (sender, receiver) = (state[0], state[1]);
        let (base, next) = (fields.first(sender), fields.second(sender));
        let (data, acks) = (fields.length(sender), fields.length(receiver));
        let mut step = |action, sender, receiver| {
            out.push(ActionId(action), &[sender, receiver]);
        };
        if next < self.messages.min(base + self.window) && data < self.capacity {
            step(0, fields.push(sender, next) + fields.second_one(), receiver);
        }
        if next > base {
            step(1, fields.with_second(sender, base), receiver);
        }
        if data > 0 {
            let popped = fields.pop(sender);
            step(2, popped, receiver);
            if acks < self.capacity {
                // The expected number is the lowest field, so adding one to the word adds it to the number.
                let expected = fields.first(receiver);
                let arrived = Word::from(fields.head(sender) == expected);
                step(
                    3,
                    popped,
                    fields.push(receiver + arrived, expected + arrived),
                );
            }
        }
        if acks > 0 {
            let popped = fields.pop(receiver);
            step(4, sender, popped);
            let ack = fields.head(receiver);
            if ack > base {
                let sender = fields.with_second(sender, next.max(ack));
                step(5, sender - base + ack, popped);
            }
        }
    }
}

impl Describe for GoBackNWords {
    fn actions(&self) -> &[String] {
        &self.actions
    }

    fn show(&self, state: &[Word]) -> Vec<(String, String)> {
        let fields = self.fields;
        let (sender, receiver) = (state[0], state[1]);
        let shown = [
            ("base", fields.first(sender).to_string()),
            ("next", fields.second(sender).to_string()),
            ("expected", fields.first(receiver).to_string()),
            ("data", format!("{:?}", fields.channel(sender))),
            ("acks", format!("{:?}", fields.channel(receiver))),
        ];
        shown.map(|(name, value)| (name.into(), value)).into()
    }
}

/// Where the fields of a word are. See [`GoBackNWords`].
#[derive(Clone, Copy, Debug)]
struct Fields {
    /// Bits of a number or cell.
    bits: u32,
    /// Where the length of the channel begins.
    length: u32,
    /// Where the cells begin.
    cells: u32,
}

impl Fields {
    fn new(bits: u32, length_bits: u32) -> Self {
        Self {
            bits,
            length: 2 * bits,
            cells: 2 * bits + length_bits,
        }
    }

    #[inline]
    fn first(self, word: Word) -> Word {
        word & mask(self.bits)
    }

    #[inline]
    fn second(self, word: Word) -> Word {
        word >> self.bits & mask(self.bits)
    }

    /// What to add to a word to add one to its second number.
    #[inline]
    fn second_one(self) -> Word {
        1 << self.bits
    }

    #[inline]
    fn with_second(self, word: Word, value: Word) -> Word {
        word & !(mask(self.bits) << self.bits) | value << self.bits
    }

    /// How many cells are in use.
    #[inline]
    fn length(self, word: Word) -> Word {
        word >> self.length & mask(self.cells - self.length)
    }

    /// The first cell.
    #[inline]
    fn head(self, word: Word) -> Word {
        word >> self.cells & mask(self.bits)
    }

    /// The word after a value was appended to the channel, which is not full.
    #[inline]
    fn push(self, word: Word, value: Word) -> Word {
        let used = self.length(word) * Word::from(self.bits);
        (word + (1 << self.length)) | (value << self.cells << used)
    }

    /// The word after the first value was taken from the channel, which is not empty.
    #[inline]
    fn pop(self, word: Word) -> Word {
        let below = mask(self.cells);
        ((word & below) - (1 << self.length)) | (word >> self.bits & !below)
    }

    fn channel(self, word: Word) -> Vec<Word> {
        let length = self.length(word);
        let mut cells = word >> self.cells;
        let mut channel = Vec::new();
        for _ in 0..length {
            channel.push(cells & mask(self.bits));
            cells >>= self.bits;
        }
        channel
    }
}

/// The measure: base plus expected message.
#[derive(Clone, Copy, Debug)]
struct Delivered(Fields);

impl Progress for Delivered {
    fn row_bits(&self) -> u32 {
        0
    }

    #[inline]
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        let delivered = self.0.first(state[0]) + self.0.first(state[1]);
        Ok(Key(delivered.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_two_words_is_refused() {
        for (messages, window, capacity) in [(400, 4, 4), (14, 6, 6), (8000, 3, 2), (1, 1, 1)] {
            assert!(GoBackNWords::new(messages, window, capacity).is_ok());
        }
        let error = GoBackNWords::new(400, 4, 5).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a channel of 5 cells and two numbers, of 9 bits each, do not fit one word"
        );
        assert!(GoBackNWords::new(u16::MAX, 4, 40).is_err());
    }

    #[test]
    fn channels_are_queues() {
        let fields = Fields::new(4, 2);
        let mut word = 0x21;
        for value in [7, 8, 9] {
            word = fields.push(word, value);
        }
        word = fields.pop(word);
        assert_eq!(fields.channel(word), [8, 9]);
        assert_eq!((fields.head(word), fields.length(word)), (8, 2));
        assert_eq!((fields.first(word), fields.second(word)), (1, 2));
        assert_eq!(fields.pop(fields.pop(word)), 0x21);
    }
}
