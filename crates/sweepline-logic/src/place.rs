//! Where a product keeps the state of its automaton.

use sweepline_core::{ActionId, Layout, Steps, Trace, TraceStep, Word};

/// Where the state of an automaton lies in a state of the product.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// In these bits of the last word, which the model leaves free.
    Within {
        /// How far to the left.
        shift: u32,
        /// The bits.
        mask: Word,
    },
    /// In a word of its own, behind the model's.
    Behind,
}

/// A layout that was built says which bits are always zero.
const STRAY: &str = "the model writes bits that its layout calls free";

impl Place {
    /// The place of the last slot of a layout that is this wide without it.
    pub(crate) fn of(layout: &Layout, inner: &Layout) -> Self {
        match layout.slots().last() {
            Some(slot) if layout.width() == inner.width() && layout.width().is_some() => {
                Self::Within {
                    shift: slot.shift,
                    mask: slot.mask() << slot.shift,
                }
            }
            _ => Self::Behind,
        }
    }

    /// The number of the automaton's state in a state of the product.
    #[inline]
    pub(crate) fn number(self, state: &[Word]) -> u32 {
        let word = *state.last().expect("a state has a word");
        let number = match self {
            Self::Within { shift, mask } => (word & mask) >> shift,
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
            Self::Within { mask, .. } if state[last] & mask == 0 => return work(state),
            Self::Within { mask, .. } => mask,
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
            Self::Within { shift, mask } => {
                let words = out.push_copy(action, model);
                let word = words.last_mut().expect("a state has a word");
                assert_eq!(*word & mask, 0, "{STRAY}");
                *word |= Word::from(to) << shift;
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
        let Self::Within { shift, mask } = self else {
            panic!("states of the product have a word more");
        };
        let bits = Word::from(to) << shift;
        for index in first..steps.len() {
            let word = steps.target_mut(index).last_mut();
            let word = word.expect("a state has a word");
            assert_eq!(*word & mask, 0, "{STRAY}");
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
