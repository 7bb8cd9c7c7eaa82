//! The targets of edges as symbols, told from what came before.
//!
//! An edge of an action mostly leads close to where the action led the last time, and otherwise often to an instance that is
//! new: the next one of its layer, or the first of a layer that nothing led to before. So the target is told as a difference
//! from the last one of its action, or as one of these two symbols. The size of a difference is a symbol as well, whose code
//! follows the block; the difference itself is written in as many bits as it has.
//!
//! Reading and writing share the [`Contexts`] that predict, and what is told here is the only thing that they are told.

use super::bits::{BitReader, BitWriter, low, unzigzag, zigzag};
use super::error::Damage;
use super::huffman::{Code, Decoder, Word};
use super::place::{Kind, LAYERS, Place};
use sweepline_core::LayerId;

/// The next new instance of the layer that is expected.
const NEXT: u8 = 0;
/// The first instance of the next new layer.
const NEW_LAYER: u8 = 1;
/// A number follows.
const NUMBER: u8 = 2;
/// A persistent state follows.
const PERSISTENT: u8 = 3;
/// In the layer that is expected; plus the size of the difference in its index.
const SAME: u8 = 4;
/// In another layer, and an index follows; plus the size of the difference of layers.
const OTHER: u8 = SAME + 34;
/// Below this are all symbols of edges.
pub(crate) const SYMBOLS: usize = OTHER as usize + 34;
/// Below this are all symbols that follow them: the next new instance of a layer, or the size of a difference.
pub(crate) const SECONDS: usize = 1 + 65;

/// An edge in symbols: seven bits for a symbol, some for the place of its action in the block, and above them the difference
/// whose size the symbol tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told(u64);

/// What follows some symbols: the next new instance of a layer, or the size of a difference and the difference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Second {
    pub(crate) symbol: u8,
    rest: u64,
}

/// What is known of the edges before, in this block.
#[derive(Debug)]
pub(crate) struct Contexts {
    /// By action, as this block counts them: the last edge to a layer, and the last to a number.
    actions: Vec<Last>,
    numbers: Vec<u64>,
    /// What is known of some layers, by their last bits.
    layers: Box<[Known; KNOWN]>,
    /// Layers that something has led to, in the whole file.
    pub(crate) seen: u32,
    persistent: u64,
}

/// The last edge of an action.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    /// The layers it came from and went to.
    from: u32,
    to: u32,
    index: u32,
}

/// What is known of a layer.
#[derive(Clone, Copy, Debug)]
struct Known {
    layer: u32,
    /// Behind the largest index so far.
    next: u32,
    last: u32,
}

const KNOWN: usize = 256;
const NOTHING: Known = Known {
    layer: u32::MAX,
    next: 0,
    last: 0,
};

/// What is expected of an edge.
#[derive(Clone, Copy, Debug)]
struct Expected {
    layer: i64,
    /// An index near which it probably is.
    near: u32,
    /// The index of the next new instance there.
    next: u32,
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
        let layer = i64::from(from) + i64::from(last.to) - i64::from(last.from);
        let known = u32::try_from(layer).map_or(NOTHING, |layer| self.known(layer));
        Expected {
            layer,
            near: if layer == i64::from(last.to) {
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
            from,
            to: layer,
            index,
        };
        let known = &mut self.layers[layer as usize % KNOWN];
        let next = if known.layer == layer { known.next } else { 0 };
        *known = Known {
            layer,
            next: next.max(index.saturating_add(1)),
            last: index,
        };
        self.seen = self.seen.max(layer + 1);
    }

    /// Tells where an edge leads that comes from this layer; some of it may come second.
    #[inline]
    pub(crate) fn tell(
        &mut self,
        action: usize,
        from: u32,
        place: Place,
        seconds: &mut Vec<Second>,
    ) -> Told {
        match place.kind() {
            Kind::Layer(layer, index) => {
                let expected = self.expected(action, from);
                let told = if i64::from(layer) == expected.layer {
                    if index == expected.next {
                        Told::new(NEXT, action, 0)
                    } else {
                        let rest = zigzag(i64::from(index) - i64::from(expected.near));
                        Told::new(SAME + size(rest), action, rest)
                    }
                } else {
                    self.tell_other(action, expected, (layer, index), seconds)
                };
                self.note(action, from, layer, index);
                told
            }
            Kind::Number(number) => {
                let last = std::mem::replace(&mut self.numbers[action], number);
                seconds.push(following(number, last));
                Told::new(NUMBER, action, 0)
            }
            Kind::Persistent(index) => {
                let last = std::mem::replace(&mut self.persistent, index);
                seconds.push(following(index, last));
                Told::new(PERSISTENT, action, 0)
            }
        }
    }

    /// Tells of an instance in another layer than the one that is expected.
    fn tell_other(
        &self,
        action: usize,
        expected: Expected,
        (layer, index): (u32, u32),
        seconds: &mut Vec<Second>,
    ) -> Told {
        if layer == self.seen && index == 0 {
            return Told::new(NEW_LAYER, action, 0);
        }
        let known = self.known(layer);
        seconds.push(if index == known.next {
            Second { symbol: 0, rest: 0 }
        } else {
            Second::of(i64::from(index) - i64::from(known.last))
        });
        let rest = zigzag(i64::from(layer) - expected.layer);
        Told::new(OTHER + size(rest), action, rest)
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
            NEXT => (narrow(expected.layer)?, expected.next),
            NEW_LAYER => (self.seen, 0),
            SAME..OTHER => {
                let rest = unzigzag(sized(symbol - SAME, bits)?);
                let layer = narrow(expected.layer)?;
                (layer, narrow(i64::from(expected.near) + rest)?)
            }
            _ => {
                let rest = unzigzag(sized(symbol - OTHER, bits)?);
                let layer = narrow(expected.layer + rest)?;
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

/// Bits of a symbol, and of a symbol and a place: words of symbols are found by both.
const SYMBOL_BITS: u32 = 7;
const WORD_BITS: u32 = SYMBOL_BITS + 23;

impl Told {
    #[inline]
    fn new(symbol: u8, action: usize, rest: u64) -> Self {
        Self(u64::from(symbol) | (action as u64) << SYMBOL_BITS | rest << WORD_BITS)
    }

    #[inline]
    pub(crate) fn symbol(self) -> usize {
        narrowed(self.0 & low(SYMBOL_BITS))
    }

    /// Writes it with the words of all actions, and then what comes second.
    #[inline]
    pub(crate) fn write(
        self,
        words: &Words,
        seconds: &mut impl Iterator<Item = Second>,
        code: &Code,
        out: &mut BitWriter,
    ) {
        let (bits, length) = words.0[narrowed(self.0 & low(WORD_BITS))];
        let symbol = self.symbol();
        let more = u32::from(MORE[symbol]);
        let rest = self.0 >> WORD_BITS & low(more);
        out.put(u64::from(bits) | rest << length, u32::from(length) + more);
        if HAS_SECOND[symbol]
            && let Some(second) = seconds.next()
        {
            code.put(second.symbol.into(), out);
            let more = u32::from(second.symbol.saturating_sub(2));
            out.put(second.rest & low(more), more);
        }
    }
}

#[inline]
fn narrowed(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// The words of the symbols of each action.
#[derive(Debug, Default)]
pub(crate) struct Words(Vec<Word>);

impl Words {
    /// The words of actions with these codes, in their order.
    pub(crate) fn of<'c>(codes: impl Iterator<Item = &'c Code>) -> Self {
        let mut words = Vec::new();
        for code in codes {
            let end = words.len() + (1 << SYMBOL_BITS);
            words.extend_from_slice(code.words());
            words.resize(end, (0, 0));
        }
        Self(words)
    }
}

/// The symbols that something comes after.
const HAS_SECOND: [bool; SYMBOLS] = {
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
const MORE: [u8; SYMBOLS] = {
    let mut more = [0; SYMBOLS];
    let mut size = 2;
    while size < OTHER - SAME {
        more[(SAME + size) as usize] = size - 1;
        more[(OTHER + size) as usize] = size - 1;
        size += 1;
    }
    more
};

impl Second {
    fn of(difference: i64) -> Self {
        let rest = zigzag(difference);
        Self {
            symbol: 1 + size(rest),
            rest,
        }
    }
}

/// A number told by its difference.
fn following(value: u64, last: u64) -> Second {
    Second::of(value.wrapping_sub(last).cast_signed())
}

fn follow(code: &Decoder, last: u64, bits: &mut BitReader<'_>) -> Result<u64, Damage> {
    let symbol = u8::try_from(code.get(bits)?).map_err(|_| Damage::Code)?;
    let size = symbol.checked_sub(1).ok_or(Damage::Code)?;
    Ok(last.wrapping_add_signed(unzigzag(sized(size, bits)?)))
}

fn follow_index(code: &Decoder, known: Known, bits: &mut BitReader<'_>) -> Result<u32, Damage> {
    let symbol = u8::try_from(code.get(bits)?).map_err(|_| Damage::Code)?;
    match symbol.checked_sub(1) {
        None => Ok(known.next),
        Some(size) => {
            let rest = unzigzag(sized(size, bits)?);
            narrow(rest.checked_add(known.last.into()).ok_or(Damage::Number)?)
        }
    }
}

/// How many bits a number has.
#[inline]
fn size(value: u64) -> u8 {
    u8::try_from(64 - value.leading_zeros()).unwrap_or(64)
}

/// A number of this size, whose highest bit is known.
#[inline]
fn sized(size: u8, bits: &mut BitReader<'_>) -> Result<u64, Damage> {
    match u32::from(size).checked_sub(1) {
        None => Ok(0),
        Some(more) => Ok(bits.get(more)? | 1 << more),
    }
}

#[inline]
fn narrow(value: i64) -> Result<u32, Damage> {
    u32::try_from(value).map_err(|_| Damage::Number)
}
