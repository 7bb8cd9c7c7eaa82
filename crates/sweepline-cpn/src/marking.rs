//! Markings of places: tokens, sorted.

use std::cmp::Ordering;

use crate::ml::{Tokens, Value, Values};

/// Tokens of one colour with one stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) value: Value,
    /// When they are ready, counted from the clock. Zero where tokens have no stamps.
    pub(crate) ready: i64,
    /// At least one.
    pub(crate) count: u64,
}

/// The tokens of a place: by colour, then by stamp, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marking(pub(crate) Vec<Entry>);

/// So many tokens are inserted one after the other.
const FEW: usize = 8;

/// How large a token may be ([`Values::size`]), so that to look at all of it, or to show it, takes no time to speak of.
pub(crate) const MOST_PARTS: usize = 1_000_000;

/// What is wrong with one that is larger.
pub(crate) const TOO_LARGE: &str = "more than 1,000,000 parts; does something grow without end?";

/// How many numbers an entry takes in a table.
const WIDTH: usize = 3;

impl Marking {
    pub(crate) fn of(tokens: &[Tokens], values: &Values) -> Self {
        let mut marking = Self::default();
        let entries = tokens.iter().map(|tokens| Entry {
            value: tokens.value,
            ready: tokens.delay,
            count: tokens.count,
        });
        marking.extend(entries, values);
        marking
    }

    /// How many tokens there are. The largest number stands for all that are larger.
    pub(crate) fn count(&self) -> u64 {
        let counts = self.0.iter().map(|entry| entry.count);
        counts.fold(0, u64::saturating_add)
    }

    /// Adds tokens in any order. Many of them are sorted at once: to insert one after the other takes the square of the time.
    pub(crate) fn extend(&mut self, entries: impl Iterator<Item = Entry>, values: &Values) {
        let mut entries = entries;
        for entry in entries.by_ref().take(FEW) {
            self.add(entry.value, entry.ready, entry.count, values);
        }
        let before = self.0.len();
        self.0.extend(entries);
        if self.0.len() == before {
            return;
        }
        self.0.sort_by(|a, b| {
            let by_value = values.compare(a.value, b.value);
            by_value.then(a.ready.cmp(&b.ready))
        });
        self.0.dedup_by(|next, first| {
            let same = next.value == first.value && next.ready == first.ready;
            if same {
                first.count = first.count.saturating_add(next.count);
            }
            same
        });
    }

    fn find(&self, value: Value, ready: i64, values: &Values) -> Result<usize, usize> {
        self.0.binary_search_by(|entry| {
            let by_value = if entry.value == value {
                Ordering::Equal
            } else {
                values.compare(entry.value, value)
            };
            by_value.then(entry.ready.cmp(&ready))
        })
    }

    pub(crate) fn add(&mut self, value: Value, ready: i64, count: u64, values: &Values) {
        match self.find(value, ready, values) {
            Ok(at) => self.0[at].count = self.0[at].count.saturating_add(count),
            Err(at) => self.0.insert(
                at,
                Entry {
                    value,
                    ready,
                    count,
                },
            ),
        }
    }

    /// Adds all tokens of another marking.
    pub(crate) fn add_all(&mut self, other: &Self, values: &Values) {
        self.extend(other.0.iter().copied(), values);
    }

    /// Lets time pass. Stamps that are over become the present, if wanted.
    pub(crate) fn shift(&mut self, time: i64, clip: bool, values: &Values) {
        if time == 0 && !(clip && self.0.iter().any(|entry| entry.ready < 0)) {
            return;
        }
        for entry in std::mem::take(&mut self.0) {
            let ready = entry.ready.saturating_sub(time);
            let ready = if clip { ready.max(0) } else { ready };
            self.add(entry.value, ready, entry.count, values);
        }
    }

    /// The entries of a colour.
    fn of_value(&self, value: Value) -> impl Iterator<Item = (usize, &Entry)> {
        let entries = self.0.iter().enumerate();
        entries.filter(move |(_, entry)| entry.value == value)
    }

    /// The least time from now on at which tokens of one colour can be taken, if there are so many. `early` says for each of
    /// them how long before it is ready it may be taken, in ascending order.
    pub(crate) fn enabled_after(&self, value: Value, early: &[i64]) -> Option<i64> {
        let mut early = early.iter();
        let mut time = 0;
        for (_, entry) in self.of_value(value) {
            for _ in 0..entry.count {
                let Some(early) = early.next() else {
                    return Some(time);
                };
                time = time.max(entry.ready.saturating_sub(*early));
            }
        }
        early.next().is_none().then_some(time)
    }

    /// Takes tokens that can be taken after some time, the youngest that are ready.
    pub(crate) fn take(&mut self, value: Value, early: &[i64], time: i64) {
        for early in early {
            let limit = time.saturating_add(*early);
            let ready = |entry: &Entry| entry.value == value && entry.ready <= limit;
            let Some(at) = self.0.iter().rposition(ready) else {
                return;
            };
            self.0[at].count -= 1;
            if self.0[at].count == 0 {
                self.0.remove(at);
            }
        }
    }

    /// Takes tokens without stamps, of which there are enough.
    pub(crate) fn take_many(&mut self, value: Value, count: u64) {
        let found = self.of_value(value).map(|(at, _)| at).next();
        let Some(at) = found else { return };
        self.0[at].count -= count.min(self.0[at].count);
        if self.0[at].count == 0 {
            self.0.remove(at);
        }
    }

    /// How many tokens of a colour there are.
    pub(crate) fn count_of(&self, value: Value) -> u64 {
        let counts = self.of_value(value).map(|(_, entry)| entry.count);
        counts.fold(0, u64::saturating_add)
    }

    /// As numbers for a table.
    pub(crate) fn write(&self, out: &mut Vec<u64>) {
        out.clear();
        for entry in &self.0 {
            out.extend([entry.value.bits(), entry.ready.cast_unsigned(), entry.count]);
        }
    }

    /// The values in numbers of a table.
    pub(crate) fn values(numbers: &[u64]) -> impl Iterator<Item = Value> {
        numbers
            .chunks_exact(WIDTH)
            .map(|entry| Value::from_bits(entry[0]))
    }

    /// Gives values other numbers. They must stay in their order.
    pub(crate) fn renumber(numbers: &mut [u64], new: impl Fn(Value) -> Value) {
        for entry in numbers.chunks_exact_mut(WIDTH) {
            entry[0] = new(Value::from_bits(entry[0])).bits();
        }
    }

    /// From a table.
    pub(crate) fn read(numbers: &[u64]) -> Self {
        let entries = numbers.chunks_exact(WIDTH).map(|entry| Entry {
            value: Value::from_bits(entry[0]),
            ready: entry[1].cast_signed(),
            count: entry[2],
        });
        Self(entries.collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Entry, Marking};
    use crate::ml::{Value, Values};

    proptest! {
        /// Adding many tokens at once is the same as adding one after the other.
        #[test]
        fn many_tokens_are_added_like_few(
            some in prop::collection::vec((0..12_i32, -2..3_i64, 1..4_u64), 0..30),
            more in prop::collection::vec((0..12_i32, -2..3_i64, 1..4_u64), 0..30),
        ) {
            let mut values = Values::default();
            // Numbers of contents are in another order than contents.
            let pairs: Vec<Value> = (0..12).rev().map(|n| values.pair(Value::small(n), Value::NIL)).collect();
            let entry = |(value, ready, count): &(i32, i64, u64)| Entry {
                value: pairs[usize::try_from(*value).unwrap()],
                ready: *ready,
                count: *count,
            };
            let mut naive = Marking::default();
            for entry in some.iter().chain(&more).map(entry) {
                naive.add(entry.value, entry.ready, entry.count, &values);
            }
            let mut marking = Marking::default();
            marking.extend(some.iter().map(entry), &values);
            marking.extend(more.iter().map(entry), &values);
            prop_assert_eq!(&marking, &naive);
            let total: u64 = some.iter().chain(&more).map(|(_, _, count)| count).sum();
            prop_assert_eq!(marking.count(), total);
        }
    }
}
