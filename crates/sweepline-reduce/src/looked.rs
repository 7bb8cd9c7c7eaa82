//! Conjuncts that are tests of one slot, and what all of them say at once.

use sweepline_core::Word;

use crate::bits::Rows;
use crate::lists::Lists;
use crate::site::{FAILS, HOLDS, place};
use crate::tables::{Test, number};

/// The tests among the conjuncts. Where few slots with few values decide them, there is a row for each value: what holds is looked up
/// and not asked.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    tests: Vec<Option<Test>>,
    slots: Vec<Slot>,
    /// The bits that say what holds, for each value of each slot.
    rows: Rows,
}

/// A slot that tests are about.
#[derive(Debug)]
struct Slot {
    word: u32,
    shift: u32,
    mask: Word,
    /// The row of its first value.
    first: u32,
}

/// Slots with greater values are asked test by test.
const GREATEST: Word = 255;
/// If there are more slots, most of them are not asked for in most states.
const MOST_SLOTS: usize = 256;

impl Looked {
    pub(crate) fn new(tests: Vec<Option<Test>>) -> Self {
        let mut places: Vec<_> = tests.iter().flatten().map(Test::place).collect();
        places.retain(|(_, _, mask)| *mask <= GREATEST);
        places.sort_unstable();
        places.dedup();
        if places.len() > MOST_SLOTS {
            places.clear();
        }
        let mut rows = Lists::default();
        let mut slots = Vec::new();
        for place in places {
            let (word, shift, mask) = place;
            slots.push(Slot {
                word,
                shift,
                mask,
                first: number(rows.len()),
            });
            let numbered = (0..).zip(&tests);
            let asked = numbered.filter_map(|(conjunct, test)| Some((conjunct, test.as_ref()?)));
            let own: Vec<_> = asked.filter(|(_, test)| test.place() == place).collect();
            for value in 0..=mask {
                rows.push(told(&own, value));
            }
        }
        Self {
            rows: Rows::of(&rows),
            slots,
            tests,
        }
    }

    /// The test that a conjunct is.
    #[inline]
    pub(crate) fn test(&self, conjunct: u32) -> Option<&Test> {
        self.tests[conjunct as usize].as_ref()
    }

    /// Adds what is looked up to what is known of all conjuncts.
    #[inline]
    pub(crate) fn write(&self, state: &[Word], truths: &mut [u64]) {
        for slot in &self.slots {
            let value = (state[slot.word as usize] >> slot.shift) & slot.mask;
            let value = u32::try_from(value).expect("it is small");
            for &(word, bits) in self.rows.get(slot.first + value) {
                truths[word as usize] |= bits;
            }
        }
    }
}

/// The numbers of the bits that say what holds of some tests of one slot, where it has this value.
fn told(tests: &[(u32, &Test)], value: Word) -> impl Iterator<Item = u32> {
    tests.iter().map(move |(conjunct, test)| {
        let truth = if test.holds_for(value) { HOLDS } else { FAILS };
        let (word, shift) = place(*conjunct);
        number(word * 64 + shift) + truth.trailing_zeros()
    })
}

#[cfg(test)]
mod tests {
    use sweepline_core::{Layout, SlotId};

    use super::*;

    /// Tests of two small slots, more than a word has room for, and one of a slot that is too large.
    #[test]
    fn what_is_looked_up_is_what_tests_say() {
        let layout = Layout::builder()
            .integer("a", -2, 5)
            .integer("b", 0, 100)
            .integer("c", 0, 1000)
            .build();
        let [a, b, c] = [0, 1, 2].map(|slot| layout.slot(SlotId(slot)));
        let mut tests: Vec<_> = (0..40)
            .map(|it| Some(Test::between(b, it, 2 * it)))
            .collect();
        tests.push(None);
        tests.extend((-3..7).map(|it| Some(Test::between(a, it, it))));
        tests.push(Some(Test::between(a, 0, 3).negated()));
        tests.push(Some(Test::between(c, 7, 7)));
        let large = tests.len() - 1;
        let looked = Looked::new(tests);
        for (at_a, at_b) in [(-2, 0), (0, 17), (3, 64), (5, 100)] {
            let mut state = vec![0; layout.width().expect("it is fixed")];
            a.write(&mut state, at_a).expect("it has room");
            b.write(&mut state, at_b).expect("it has room");
            let mut truths = [0; 2];
            looked.write(&state, &mut truths);
            for conjunct in 0..number(large + 1) {
                let (word, shift) = place(conjunct);
                let told = (truths[word] >> shift) & 3;
                let test = looked.test(conjunct).filter(|_| conjunct as usize != large);
                let expected = test.map(|it| if it.holds(&state) { HOLDS } else { FAILS });
                assert_eq!(told, expected.unwrap_or(0), "{conjunct} at {at_a}, {at_b}");
            }
        }
    }
}
