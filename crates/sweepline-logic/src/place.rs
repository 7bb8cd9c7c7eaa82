//! Where a product keeps the state of its automaton.

use sweepline_core::{ActionId, Layout, Steps, Trace, TraceStep, Word};

/// Where the state of an automaton lies in a state of the product.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// In these bits of the last word, which the model leaves free.
    Within(Spare),
    /// In a word of its own, behind the model's.
    Behind,
}

/// Bits of a word that hold a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spare {
    mask: Word,
    /// How far to the left they lie, if side by side.
    shift: Option<u32>,
}

impl Spare {
    fn new(mask: Word) -> Self {
        let shift = mask.trailing_zeros();
        let together = (mask >> shift).trailing_ones() == mask.count_ones();
        Self {
            mask,
            shift: together.then_some(shift),
        }
    }

    #[inline]
    fn read(self, word: Word) -> Word {
        match self.shift {
            Some(shift) => (word & self.mask) >> shift,
            None => gathered(word, self.mask),
        }
    }

    /// The word with this number, given that the bits are zero.
    #[inline]
    fn written(self, number: Word) -> Word {
        match self.shift {
            Some(shift) => number << shift,
            None => scattered(number, self.mask),
        }
    }
}

/// The bits of a word under a mask, side by side.
#[inline]
fn gathered(word: Word, mut mask: Word) -> Word {
    let (mut number, mut bit) = (0, 1);
    while mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        if word & lowest != 0 {
            number |= bit;
        }
        mask ^= lowest;
        bit <<= 1;
    }
    number
}

/// The other way round.
#[inline]
fn scattered(mut number: Word, mut mask: Word) -> Word {
    let mut word = 0;
    while number != 0 && mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        if number & 1 != 0 {
            word |= lowest;
        }
        mask ^= lowest;
        number >>= 1;
    }
    word
}

/// A layout that was built says which bits are always zero.
const STRAY: &str = "the model writes bits that its layout calls free";

impl Place {
    /// The place of what a layout has behind those of another, which it [follows](Layout::followed_by).
    pub(crate) fn of(layout: &Layout, inner: &Layout) -> Self {
        if layout.width() != inner.width() || layout.width().is_none() {
            return Self::Behind;
        }
        let added = &layout.slots()[inner.slots().len()..];
        let mask = added.iter().map(|slot| slot.mask() << slot.shift);
        Self::Within(Spare::new(mask.fold(0, |all, bits| all | bits)))
    }

    /// The number of the automaton's state in a state of the product.
    #[inline]
    pub(crate) fn number(self, state: &[Word]) -> u32 {
        let word = *state.last().expect("a state has a word");
        let number = match self {
            Self::Within(spare) => spare.read(word),
            Self::Behind => word,
        };
        u32::try_from(number).expect("the automaton has fewer than 2^32 states")
    }

    /// Lends the state of the model in a state of the product.
    #[inline]
    pub(crate) fn with_model<T>(self, state: &[Word], work: impl FnOnce(&[Word]) -> T) -> T {
        /// States of so many words are copied to where no memory has to be asked for.
        const FEW: usize = 16;
        let last = state.len() - 1;
        let mask = match self {
            Self::Behind => return work(&state[..last]),
            Self::Within(Spare { mask, .. }) if state[last] & mask == 0 => return work(state),
            Self::Within(Spare { mask, .. }) => mask,
        };
        let (mut few, mut many) = ([0; FEW], Vec::new());
        let model = if state.len() <= FEW {
            let model = &mut few[..state.len()];
            model.copy_from_slice(state);
            model
        } else {
            many.extend_from_slice(state);
            &mut many[..]
        };
        model[last] &= !mask;
        work(model)
    }

    /// Adds a step to a state of the model and one of the automaton.
    #[inline]
    pub(crate) fn push(self, action: ActionId, model: &[Word], to: u32, out: &mut Steps) {
        match self {
            Self::Within(spare) => {
                let words = out.push_copy(action, model);
                let word = words.last_mut().expect("a state has a word");
                assert_eq!(*word & spare.mask, 0, "{STRAY}");
                *word |= spare.written(to.into());
            }
            Self::Behind => out.push_with(action, |words| {
                words.extend_from_slice(model);
                words.push(to.into());
            }),
        }
    }

    /// Makes the model's steps from `first` on the product's, which is possible if they differ only in bits of the last word.
    #[inline]
    pub(crate) fn set_from(self, steps: &mut Steps, first: usize, to: u32) {
        let Self::Within(spare) = self else {
            panic!("states of the product have a word more");
        };
        let bits = spare.written(to.into());
        for index in first..steps.len() {
            let word = steps.target_mut(index).last_mut();
            let word = word.expect("a state has a word");
            assert_eq!(*word & spare.mask, 0, "{STRAY}");
            *word |= bits;
        }
    }
}

/// A path of an adapted system with the states of the model. It is none of the model before it has been replayed there.
pub(crate) fn projected(trace: &Trace, place: Place) -> Trace {
    let project = |state: &[Word]| place.with_model(state, |model| model.into());
    let steps = trace.steps.iter().map(|step| TraceStep {
        state: project(&step.state),
        ..step.clone()
    });
    Trace {
        initial: project(&trace.initial),
        steps: steps.collect(),
        loop_start: trace.loop_start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_out_as_they_went_in() {
        for mask in [
            0b1,
            0b1110,
            0x8888,
            0x8000_0000_0000_0001,
            0xff00_00f0_0f0e_0001,
        ] {
            let spare = Spare::new(mask);
            for number in 0..1 << mask.count_ones().min(10) {
                let word = spare.written(number);
                assert_eq!(word & !mask, 0);
                assert_eq!(spare.read(word), number);
                assert_eq!(spare.read(word | !mask), number);
            }
        }
        let all = |mask: Word| (0..16).map(|n| scattered(n, mask)).max();
        assert_eq!(all(0x8888), Some(0x8888));
    }

    #[test]
    fn the_place_is_where_the_layout_says() {
        let field =
            |layout: sweepline_core::LayoutBuilder, at: u32| layout.guarded(at.to_string(), 3);
        let inner = (0..16).fold(Layout::builder(), field).build();
        let outer = inner.followed_by_number("automaton", 3);
        let place = Place::of(&outer, &inner);
        let mut steps = Steps::for_layout(&outer);
        for number in 0..4 {
            place.push(ActionId(0), &[0x7777_7777_7777_7777], number, &mut steps);
        }
        for (number, index) in (0..4).zip(0..) {
            let state = steps.target(index);
            assert_eq!(place.number(state), number);
            place.with_model(state, |model| assert_eq!(model, [0x7777_7777_7777_7777]));
        }
    }
}
