//! The targets of edges as symbols, told from what came before.
//!
//! An edge of an action mostly leads close to where the action led the last time, and otherwise often to an instance that is
//! new: the next one of its layer, or the first of a layer that nothing led to before. So the target is told as a difference
//! from the last one of its action, or as one of these two symbols. The size of a difference is a symbol as well, whose code
//! follows the block; the difference itself is written in as many bits as it has.
//!
//! Who reads predicts with [`Contexts`], and who writes with the same in a shape that is made for it ([`tell`](super::tell)).

use super::bits::{BitReader, unzigzag};
use super::error::Damage;
use super::huffman::Decoder;
use super::place::{LAYERS, Place};
use sweepline_core::LayerId;

/// The next new instance of the layer that is expected.
pub(crate) const NEXT: u8 = 0;
/// The first instance of the next new layer.
pub(crate) const NEW_LAYER: u8 = 1;
/// A number follows.
pub(crate) const NUMBER: u8 = 2;
/// A persistent state follows.
pub(crate) const PERSISTENT: u8 = 3;
/// In the layer that is expected; plus the size of the difference in its index.
pub(crate) const SAME: u8 = 4;
/// In another layer, and an index follows; plus the size of the difference of layers.
pub(crate) const OTHER: u8 = SAME + 34;
/// Below this are all symbols of edges.
pub(crate) const SYMBOLS: usize = OTHER as usize + 34;
/// Below this are all symbols that follow them: the next new instance of a layer, or the size of a difference.
pub(crate) const SECONDS: usize = 1 + 65;

/// What is known of the edges before, in this block.
#[derive(Debug)]
pub(crate) struct Contexts {
    /// By action, as this block counts them: the last edge to a layer, and the last to a number.
    actions: Vec<Last>,
    numbers: Vec<u64>,
    /// What is known of some layers, by their last bits.
    layers: Box<[Known; KNOWN]>,
    /// Layers that something has led to, in the whole file.
    seen: u32,
    persistent: u64,
}

/// The last edge of an action.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    /// How many layers on it led; a layer that comes before another is as many on in numbers of 32 bits.
    further: u32,
    /// Where it led.
    to: u32,
    index: u32,
}

/// What is known of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) layer: u32,
    pub(crate) last: u32,
    /// Behind the largest index so far.
    pub(crate) next: u64,
}

/// Layers that something is known of.
pub(crate) const KNOWN: usize = 256;
pub(crate) const NOTHING: Known = Known {
    layer: u32::MAX,
    next: 0,
    last: 0,
};

/// What is expected of an edge.
#[derive(Clone, Copy, Debug)]
struct Expected {
    /// None of the layers there can be, if that is too far.
    layer: u32,
    /// An index near which it probably is.
    near: u32,
    /// The index of the next new instance there.
    next: u64,
}

impl Contexts {
    pub(crate) fn new() -> Self {
        Self {
            actions: Vec::new(),
            numbers: Vec::new(),
            layers: Box::new([NOTHING; KNOWN]),
            seen: 0,
            persistent: 0,
        }
    }

    /// Begins a block, when edges have led to so many layers.
    pub(crate) fn begin(&mut self, seen: u32) {
        self.actions.clear();
        self.numbers.clear();
        self.layers.fill(NOTHING);
        (self.seen, self.persistent) = (seen, 0);
    }

    /// There is another action in this block.
    pub(crate) fn add_action(&mut self) {
        self.actions.push(Last::default());
        self.numbers.push(0);
    }

    #[inline]
    fn known(&self, layer: u32) -> Known {
        let known = self.layers[layer as usize % KNOWN];
        if known.layer == layer { known } else { NOTHING }
    }

    #[inline]
    fn expected(&self, action: usize, from: u32) -> Expected {
        let last = &self.actions[action];
        // It leads as far as the last time, if layers are as many apart.
        let layer = from.wrapping_add(last.further);
        let known = self.known(layer);
        Expected {
            layer,
            near: if layer == last.to {
                last.index
            } else {
                known.last
            },
            next: known.next,
        }
    }

    #[inline]
    fn note(&mut self, action: usize, from: u32, layer: u32, index: u32) {
        self.actions[action] = Last {
            further: layer.wrapping_sub(from),
            to: layer,
            index,
        };
        let known = &mut self.layers[layer as usize % KNOWN];
        let next = if known.layer == layer { known.next } else { 0 };
        *known = Known {
            layer,
            next: next.max(u64::from(index) + 1),
            last: index,
        };
        self.seen = self.seen.max(layer + 1);
    }

    /// Reads where an edge leads.
    pub(crate) fn read(
        &mut self,
        action: usize,
        from: u32,
        codes: (&Decoder, &Decoder),
        bits: &mut BitReader<'_>,
    ) -> Result<Place, Damage> {
        let (main, second) = codes;
        let symbol = u8::try_from(main.get(bits)?).map_err(|_| Damage::Code)?;
        match symbol {
            NUMBER => {
                let number = follow(second, self.numbers[action], bits)?;
                self.numbers[action] = number;
                return Place::number(number).ok_or(Damage::Number);
            }
            PERSISTENT => {
                self.persistent = follow(second, self.persistent, bits)?;
                return Place::persistent(self.persistent).ok_or(Damage::Number);
            }
            _ => {}
        }
        let expected = self.expected(action, from);
        let (layer, index) = match symbol {
            NEXT => (expected.layer, new_index(expected.next)?),
            NEW_LAYER => (self.seen, 0),
            SAME..OTHER => {
                let rest = unzigzag(sized(symbol - SAME, bits)?);
                (expected.layer, narrow(i64::from(expected.near) + rest)?)
            }
            _ => {
                let rest = unzigzag(sized(symbol - OTHER, bits)?);
                let expected = i64::from(expected.layer.cast_signed());
                let layer = narrow(expected + rest)?;
                let known = self.known(layer);
                (layer, follow_index(second, known, bits)?)
            }
        };
        let place = Place::layer(LayerId(layer), index).ok_or(Damage::Number)?;
        debug_assert!(layer < LAYERS);
        self.note(action, from, layer, index);
        Ok(place)
    }
}

/// The symbols that something comes after.
pub(crate) const HAS_SECOND: [bool; SYMBOLS] = {
    let mut has = [false; SYMBOLS];
    has[NUMBER as usize] = true;
    has[PERSISTENT as usize] = true;
    let mut symbol = OTHER as usize;
    while symbol < SYMBOLS {
        has[symbol] = true;
        symbol += 1;
    }
    has
};

/// The bits that follow each symbol: those of a difference, of which the highest is known.
pub(crate) const MORE: [u8; SYMBOLS] = {
    let mut more = [0; SYMBOLS];
    let mut size = 2;
    while size < OTHER - SAME {
        more[(SAME + size) as usize] = size - 1;
        more[(OTHER + size) as usize] = size - 1;
        size += 1;
    }
    more
};

/// A number told by its difference.
fn follow(code: &Decoder, last: u64, bits: &mut BitReader<'_>) -> Result<u64, Damage> {
    let symbol = u8::try_from(code.get(bits)?).map_err(|_| Damage::Code)?;
    let size = symbol.checked_sub(1).ok_or(Damage::Code)?;
    Ok(last.wrapping_add_signed(unzigzag(sized(size, bits)?)))
}

fn follow_index(code: &Decoder, known: Known, bits: &mut BitReader<'_>) -> Result<u32, Damage> {
    let symbol = u8::try_from(code.get(bits)?).map_err(|_| Damage::Code)?;
    match symbol.checked_sub(1) {
        None => new_index(known.next),
        Some(size) => {
            let rest = unzigzag(sized(size, bits)?);
            narrow(rest.checked_add(known.last.into()).ok_or(Damage::Number)?)
        }
    }
}

/// A number of this size, whose highest bit is known.
#[inline]
fn sized(size: u8, bits: &mut BitReader<'_>) -> Result<u64, Damage> {
    match u32::from(size).checked_sub(1) {
        None => Ok(0),
        Some(more) => Ok(bits.get(more)? | 1 << more),
    }
}

/// The index of a new instance: there may be none left.
#[inline]
fn new_index(next: u64) -> Result<u32, Damage> {
    u32::try_from(next).map_err(|_| Damage::Number)
}

#[inline]
fn narrow(value: i64) -> Result<u32, Damage> {
    u32::try_from(value).map_err(|_| Damage::Number)
}
