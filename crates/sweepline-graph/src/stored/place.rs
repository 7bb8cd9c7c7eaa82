//! Where an edge leads, as it is known when it is written.

use sweepline_core::LayerId;

/// A stored instance, by the name it had when an edge to it was found.
///
/// Two bits say which of the three kinds it is. An instance of a layer is named by 30 bits for the layer and 32 for its index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place(u64);

/// The kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The layer and the index in it.
    Layer(u32, u32),
    /// A number.
    Number(u64),
    /// A persistent state, counted through the whole run.
    Persistent(u64),
}

const KIND: u32 = 62;
/// There are fewer layers than this.
pub(crate) const LAYERS: u32 = 1 << 30;
/// Numbers, and those of persistent states, are below this.
pub(crate) const NUMBERS: u64 = 1 << KIND;

impl Place {
    #[inline]
    pub(crate) fn layer(layer: LayerId, index: u32) -> Option<Self> {
        (layer.0 < LAYERS).then(|| Self(u64::from(layer.0) << 32 | u64::from(index)))
    }

    /// Another instance of the same layer, of which this is the first.
    #[inline]
    pub(crate) fn with_index(self, index: u32) -> Self {
        Self(self.0 | u64::from(index))
    }

    /// The upper half of an instance of a layer.
    #[inline]
    pub(crate) fn layer_bits(self) -> u32 {
        halves(self.0).0
    }

    pub(crate) fn number(number: u64) -> Option<Self> {
        (number < NUMBERS).then_some(Self(1 << KIND | number))
    }

    pub(crate) fn persistent(index: u64) -> Option<Self> {
        (index < NUMBERS).then_some(Self(2 << KIND | index))
    }

    #[inline]
    pub(crate) fn kind(self) -> Kind {
        let rest = self.0 & (NUMBERS - 1);
        match self.0 >> KIND {
            0 => {
                let (layer, index) = halves(rest);
                Kind::Layer(layer, index)
            }
            1 => Kind::Number(rest),
            _ => Kind::Persistent(rest),
        }
    }

    /// The bits.
    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// What has these bits, which are those of a place.
    #[inline]
    pub(crate) fn trusted(bits: u64) -> Self {
        debug_assert!(Self::of_bits(bits).is_some());
        Self(bits)
    }

    /// What has these bits.
    pub(crate) fn of_bits(bits: u64) -> Option<Self> {
        (bits >> KIND < 3).then_some(Self(bits))
    }
}

/// The halves of a word, the higher first.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
pub(crate) fn halves(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_come_back() {
        let layer = Place::layer(LayerId(LAYERS - 1), u32::MAX).unwrap();
        assert_eq!(layer.kind(), Kind::Layer(LAYERS - 1, u32::MAX));
        assert_eq!(Place::layer(LayerId(LAYERS), 0), None);
        let number = Place::number(NUMBERS - 1).unwrap();
        assert_eq!(number.kind(), Kind::Number(NUMBERS - 1));
        assert_eq!(Place::number(NUMBERS), None);
        let persistent = Place::persistent(7).unwrap();
        assert_eq!(persistent.kind(), Kind::Persistent(7));
        for place in [layer, number, persistent] {
            assert_eq!(Place::of_bits(place.bits()), Some(place));
        }
        assert_eq!(Place::of_bits(u64::MAX), None);
    }
}
