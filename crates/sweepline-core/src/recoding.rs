//! Rewriting states from one layout to another.

use std::borrow::Cow;

use crate::renewal::renumbered;
use crate::{Layout, OutOfRange, Renumbering, Slot, Word};

/// How states of one layout are written in another that has the same slots in the same order.
///
/// Slots that move by the same distance within a word move together, so that a state of a thousand slots is rewritten in
/// little more time than its words take to copy.
///
/// ```
/// use sweepline_core::Layout;
///
/// let narrow = Layout::builder().integer("a", 0, 3).integer("b", 0, 3).build();
/// let wide = Layout::builder().integer("a", 0, 1000).integer("b", 0, 3).build();
/// let mut state = [0];
/// narrow.recoding(&wide).apply(&[0b1001], &mut state).unwrap();
/// let values: Vec<_> = wide.slots().iter().map(|slot| slot.read(&state)).collect();
/// assert_eq!(values, [1, 2]);
/// ```
#[derive(Clone, Debug)]
pub struct Recoding {
    moves: Vec<Move>,
    /// Slots whose values may not fit, or are counted from elsewhere.
    others: Vec<(Slot, Slot)>,
    /// Slots whose numbers have become others.
    renumbered: Vec<(Slot, Slot, Box<[u32]>)>,
}

/// Bits of a word that move together.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: usize,
    mask: Word,
    /// Left by so many bits; those that leave the word come in again on the right.
    rotation: u32,
    to: usize,
}

impl Layout {
    /// How states of this layout are written in `other`, which has the same slots in the same order.
    pub fn recoding(&self, other: &Self) -> Recoding {
        self.renumbering(other, &Renumbering::default())
    }

    /// The same, where the numbers in some slots have become others. A state with a number that was not kept cannot be
    /// written.
    pub fn renumbering(&self, other: &Self, numbers: &Renumbering) -> Recoding {
        let (mut moves, mut others) = (Vec::<Move>::new(), Vec::new());
        let mut renumbered = Vec::new();
        for (index, (from, to)) in pairs(self.slots(), other.slots()).into_iter().enumerate() {
            // Slots that are split into bits follow those that have numbers.
            if let Some(numbers) = numbers.of(index) {
                renumbered.push((from.into_owned(), to.into_owned(), numbers.into()));
                continue;
            }
            if !always_fits(&from, &to) {
                others.push((from.into_owned(), to.into_owned()));
                continue;
            }
            let rotation = (Word::BITS + to.shift - from.shift) % Word::BITS;
            let mask = from.mask() << from.shift;
            match moves.last_mut() {
                Some(last)
                    if (last.from, last.rotation, last.to) == (from.word, rotation, to.word) =>
                {
                    last.mask |= mask;
                }
                _ => moves.push(Move {
                    from: from.word,
                    mask,
                    rotation,
                    to: to.word,
                }),
            }
        }
        Recoding {
            moves,
            others,
            renumbered,
        }
    }
}

/// Slots that are the same in two layouts. One that [follows](Layout::followed_by) others may be whole in one of them, and bit by bit
/// in the other.
fn pairs<'s>(from: &'s [Slot], to: &'s [Slot]) -> Vec<(Cow<'s, Slot>, Cow<'s, Slot>)> {
    let mut pairs = Vec::with_capacity(from.len());
    let (mut from, mut to) = (from.iter(), to.iter());
    while let (Some(left), Some(right)) = (from.next(), to.next()) {
        let split = |whole: &Slot, first: &Slot| {
            whole.name != first.name && whole.bit_name(0) == first.name
        };
        if split(left, right) {
            let rest = std::iter::once(right).chain(to.by_ref());
            let bits = (0..left.bits).zip(rest);
            pairs
                .extend(bits.map(|(bit, right)| (Cow::Owned(left.bit(bit)), Cow::Borrowed(right))));
        } else if split(right, left) {
            let rest = std::iter::once(left).chain(from.by_ref());
            let bits = (0..right.bits).zip(rest);
            pairs.extend(bits.map(|(bit, left)| (Cow::Borrowed(left), Cow::Owned(right.bit(bit)))));
        } else {
            pairs.push((Cow::Borrowed(left), Cow::Borrowed(right)));
        }
    }
    pairs
}

/// Whether every value that the bits of a slot can have keeps its meaning in another.
fn always_fits(from: &Slot, to: &Slot) -> bool {
    let capacity = i128::from(from.least) + i128::from(from.mask());
    from.least == to.least && from.bits <= to.bits && capacity <= i128::from(to.greatest)
}

impl Recoding {
    /// Writes a state. Bits of `out` that belong to no slot become zero.
    #[inline]
    pub fn apply(&self, state: &[Word], out: &mut [Word]) -> Result<(), OutOfRange> {
        out.fill(0);
        for step in &self.moves {
            out[step.to] |= (state[step.from] & step.mask).rotate_left(step.rotation);
        }
        for (from, to) in &self.others {
            to.write(out, from.read(state))?;
        }
        for (from, to, numbers) in &self.renumbered {
            to.write(out, renumbered(numbers, from.read(state)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LayoutBuilder, SlotId};

    /// Fields with guards of so many bits each.
    fn guarded(bits: &[u32]) -> Layout {
        let field = |builder: LayoutBuilder, (index, &bits): (usize, &u32)| {
            builder.guarded(format!("f{index}"), bits)
        };
        bits.iter()
            .enumerate()
            .fold(Layout::builder(), field)
            .build()
    }

    #[test]
    fn every_slot_keeps_its_value() {
        let mut random = 1_u64;
        let mut next = |below: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % below
        };
        for _ in 0..300 {
            let narrow: Vec<u32> = (0..next(90))
                .map(|_| 1 + u32::try_from(next(9) * next(9) / 8).unwrap())
                .collect();
            let wide: Vec<u32> = narrow
                .iter()
                .map(|&bits| if next(4) == 0 { bits * 2 } else { bits })
                .collect();
            let (from, to) = (guarded(&narrow), guarded(&wide));
            let mut state = vec![0; from.width().unwrap()];
            for slot in from.slots() {
                slot.write(&mut state, (next(slot.mask() + 1)).cast_signed())
                    .unwrap();
            }
            let mut out = vec![Word::MAX; to.width().unwrap()];
            from.recoding(&to).apply(&state, &mut out).unwrap();
            let mut expected = vec![0; to.width().unwrap()];
            for (old, new) in from.slots().iter().zip(to.slots()) {
                new.write(&mut expected, old.read(&state)).unwrap();
            }
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn numbers_become_others_and_lost_ones_are_reported() {
        let layout = Layout::builder()
            .integer("a", 0, 7)
            .opaque("n", 200)
            .integer("b", -2, 5)
            .build();
        let layout = layout.followed_by_number("q", 3);
        let mut numbers = Renumbering::default();
        numbers.add(SlotId(1), (0..=200).map(|n| (n % 3 == 0).then_some(n / 3)));
        let recoding = layout.renumbering(&layout, &numbers);
        let width = layout.width().unwrap();
        let (mut state, mut out) = (vec![0; width], vec![0; width]);
        for number in 0..=200 {
            for (slot, value) in layout.slots().iter().zip([5, number, -1, 2]) {
                slot.write(&mut state, value).unwrap();
            }
            let written = recoding.apply(&state, &mut out);
            assert_eq!(written.is_ok(), number % 3 == 0);
            if written.is_ok() {
                let values: Vec<_> = layout.slots().iter().map(|slot| slot.read(&out)).collect();
                assert_eq!(values, [5, number / 3, -1, 2]);
            }
        }
    }

    #[test]
    fn values_that_do_not_fit_are_reported() {
        let wide = Layout::builder()
            .integer("a", -5, 300)
            .integer("b", 0, 1)
            .build();
        let narrow = Layout::builder()
            .integer("a", -1, 6)
            .integer("b", 0, 1)
            .build();
        let (mut state, mut out) = ([0], [0]);
        for value in -5..=300 {
            wide.slots()[0].write(&mut state, value).unwrap();
            wide.slots()[1].write(&mut state, 1).unwrap();
            let fits = wide.recoding(&narrow).apply(&state, &mut out).is_ok();
            assert_eq!(fits, (-1..=6).contains(&value));
            if fits {
                let values: Vec<_> = narrow.slots().iter().map(|slot| slot.read(&out)).collect();
                assert_eq!(values, [value, 1]);
            }
        }
    }
}
