//! Reading links from the last node to the first.

use std::collections::HashMap;
use std::io;

use sweepline_core::{LayerId, Limits, StopReason};

use super::taped::{
    ESCAPE, INDEX_BITS, NAMED, Name, PERSISTENT, Taped, UNKNOWN,
    code::{self, BITS, MASK},
};

/// Words that are read at a time.
pub(super) const BLOCK: usize = if cfg!(test) { 8 } else { 1 << 15 };
/// Nodes between two looks at the limits.
const PACE: u32 = 1 << 16;

/// A node, as it was written.
pub(crate) struct Node<'a> {
    pub(crate) number: u32,
    links: &'a [u32],
    atoms: &'a [u32],
    last: u32,
    names: &'a Names<'a>,
}

impl<'a> Node<'a> {
    /// The numbers its steps lead to, in their order; nothing where one waits.
    #[inline]
    pub(crate) fn targets(&self) -> Targets<'a> {
        Targets {
            words: self.links.iter(),
            names: self.names,
        }
    }

    /// Whether it has no steps.
    pub(crate) fn is_end(&self) -> bool {
        self.links.is_empty()
    }

    /// Whether one of the atoms is true.
    #[inline]
    pub(crate) fn atom(&self, place: usize) -> bool {
        if self.atoms.is_empty() {
            self.last >> BITS >> place & 1 == 1
        } else {
            self.atoms[place / 32] >> (place % 32) & 1 == 1
        }
    }
}

/// Where the steps of a node lead.
pub(crate) struct Targets<'a> {
    words: std::slice::Iter<'a, u32>,
    names: &'a Names<'a>,
}

impl Iterator for Targets<'_> {
    type Item = Option<u32>;

    #[inline]
    fn next(&mut self) -> Option<Option<u32>> {
        let word = *self.words.next()?;
        if word < NAMED && !self.names.some_gone {
            return Some(Some(word));
        }
        let number = if word < NAMED {
            self.names.now(word)
        } else if word == ESCAPE {
            let layer = *self.words.next()?;
            let index = *self.words.next()?;
            self.names.in_full(layer, index)
        } else {
            self.names.named(word)
        };
        Some((number != UNKNOWN).then_some(number))
    }
}

/// What names mean where the tape is read.
struct Names<'t> {
    taped: &'t Taped,
    /// The layers by their place, and the numbers of their first instances.
    layers: Vec<LayerId>,
    firsts: Vec<u32>,
    persistent: Vec<u32>,
    /// Where instances went when the measure changed.
    moved: HashMap<Name, u32>,
    /// Whether some of these had numbers.
    some_gone: bool,
}

impl Names<'_> {
    /// The number that stands for a number: what had it may have gone elsewhere.
    fn now(&self, number: u32) -> u32 {
        if self.some_gone {
            let gone = self.moved.get(&Name::Number(number));
            return gone.copied().unwrap_or(number);
        }
        number
    }

    #[inline]
    fn named(&self, word: u32) -> u32 {
        let place = word >> INDEX_BITS & 0x7f;
        let index = word & ((1 << INDEX_BITS) - 1);
        if place == PERSISTENT {
            return self.resolve(Name::Persistent(index));
        }
        match self.firsts.get(place as usize) {
            Some(&first) if first != UNKNOWN && !self.some_gone => first + index,
            Some(_) => self.resolve(Name::Ahead(self.layers[place as usize], index)),
            None => UNKNOWN,
        }
    }

    fn in_full(&self, layer: u32, index: u32) -> u32 {
        self.resolve(if layer == UNKNOWN {
            Name::Persistent(index)
        } else {
            Name::Ahead(LayerId(layer), index)
        })
    }

    fn resolve(&self, name: Name) -> u32 {
        let known = match name {
            Name::Number(number) => return self.now(number),
            Name::Ahead(layer, index) => match self.first(layer) {
                UNKNOWN => UNKNOWN,
                first => first.saturating_add(index),
            },
            Name::Persistent(index) => {
                let known = self.persistent.get(index as usize);
                known.copied().unwrap_or(UNKNOWN)
            }
        };
        if known == UNKNOWN {
            return self.moved.get(&name).copied().unwrap_or(UNKNOWN);
        }
        self.now(known)
    }

    /// The number of the first instance of a layer.
    fn first(&self, layer: LayerId) -> u32 {
        let (layer, firsts) = (layer.0 as usize, &self.taped.firsts);
        if layer < firsts.len() {
            firsts.get(layer)
        } else {
            UNKNOWN
        }
    }

    fn set_layers(&mut self, layers: impl Iterator<Item = LayerId>) {
        self.layers.clear();
        self.layers.extend(layers);
        let firsts = self.layers.iter().map(|&layer| self.first(layer));
        self.firsts = firsts.collect();
    }

    /// Instances moved, in this order. What was written before is about what they were then. Layers have names that are never
    /// used again, persistent states have not.
    fn set_moves(&mut self, moves: impl DoubleEndedIterator<Item = (Name, Name)>) {
        let mut persistent = Vec::new();
        for (from, to) in moves.rev() {
            let to = self.resolve(to);
            self.some_gone |= matches!(from, Name::Number(_));
            if matches!(from, Name::Persistent(_)) {
                persistent.push((from, to));
            } else {
                self.moved.insert(from, to);
            }
        }
        self.moved
            .retain(|name, _| !matches!(name, Name::Persistent(_)));
        self.moved.extend(persistent);
        self.persistent.clear();
    }
}

/// Reads everything once, from the end.
pub(crate) struct Backwards<'t> {
    names: Names<'t>,
    /// Some words, those from this position on, of which the first are still to be read.
    block: Vec<u32>,
    start: u64,
    left: usize,
    number: u32,
    /// The numbers of the initial states, when everything has been read.
    initial: Vec<Option<u32>>,
}

impl<'t> Backwards<'t> {
    pub(crate) fn new(taped: &'t Taped) -> Self {
        let mut names = Names {
            taped,
            layers: Vec::new(),
            firsts: Vec::new(),
            persistent: Vec::new(),
            moved: HashMap::new(),
            some_gone: false,
        };
        names.set_moves(taped.moves.iter().copied());
        names.set_layers(taped.layers.iter().copied());
        names.persistent.clone_from(&taped.persistent);
        Self {
            names,
            block: Vec::new(),
            start: taped.tape.len(),
            left: 0,
            number: taped.numbers(),
            initial: Vec::new(),
        }
    }

    /// Visits all nodes, from the last to the first, and says where runs start.
    pub(crate) fn visit(
        mut self,
        limits: &Limits,
        mut visit: impl FnMut(&Node<'_>),
    ) -> Result<Vec<Option<u32>>, StopReason> {
        let mut pace = 0;
        while self.start + self.left as u64 > 0 {
            let is_node = self.record(&mut visit).map_err(|error| {
                StopReason::Other(format!("links could not be kept on disk: {error}"))
            })?;
            pace += u32::from(is_node);
            if pace == PACE {
                pace = 0;
                limits.allow(0)?;
            }
        }
        if let Some(why) = self.names.taped.firsts.failure() {
            let why = format!("links could not be kept on disk: {why}");
            return Err(StopReason::Other(why));
        }
        Ok(self.initial)
    }

    /// Makes sure that so many words can be read.
    #[inline]
    fn need(&mut self, words: usize) -> io::Result<()> {
        if self.left >= words {
            return Ok(());
        }
        self.fetch(words)
    }

    #[cold]
    fn fetch(&mut self, words: usize) -> io::Result<()> {
        let end = self.start + self.left as u64;
        self.start = end.saturating_sub(words.max(BLOCK) as u64);
        let tape = &self.names.taped.tape;
        tape.read(self.start..end, &mut self.block)?;
        self.left = self.block.len();
        if self.left < words {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Takes a word off the end.
    fn word(&mut self) -> io::Result<u32> {
        self.need(1)?;
        self.left -= 1;
        Ok(self.block[self.left])
    }

    /// Takes so many words off the end, which are there then.
    fn words(&mut self, count: usize) -> io::Result<&[u32]> {
        self.need(count)?;
        self.left -= count;
        Ok(&self.block[self.left..][..count])
    }

    /// Reads the last record; whether it was a node.
    #[inline]
    fn record(&mut self, visit: &mut impl FnMut(&Node<'_>)) -> io::Result<bool> {
        let last = self.word()?;
        let links = match last & MASK {
            code::LONG => self.word()?,
            words if words <= code::MOST => words,
            code => {
                self.other(code)?;
                return Ok(false);
            }
        };
        let atoms = self.names.taped.atom_words();
        let links = links as usize;
        let number = self.number.checked_sub(1);
        self.number = number.ok_or(io::ErrorKind::InvalidData)?;
        self.need(links + atoms)?;
        self.left -= links + atoms;
        let words = &self.block[self.left..][..links + atoms];
        visit(&Node {
            number: self.number,
            links: &words[..links],
            atoms: &words[links..],
            last,
            names: &self.names,
        });
        Ok(true)
    }

    /// Reads a record that is no node.
    #[cold]
    fn other(&mut self, code: u32) -> io::Result<()> {
        let count = self.word()?;
        let many = count as usize;
        match code {
            code::GAP => self.number = count,
            code::LAYERS => {
                let layers: Vec<u32> = self.words(many)?.to_vec();
                self.names.set_layers(layers.into_iter().map(LayerId));
            }
            code::COLUMN => {
                let numbers = self.words(many)?.to_vec();
                self.names.persistent = numbers;
            }
            code::MOVES => {
                let words = self.words(many.saturating_mul(6))?.to_vec();
                let (moves, _) = words.as_chunks();
                let name = Name::of_words;
                let moves = moves
                    .iter()
                    .map(|&[a, b, c, d, e, f]| (name([a, b, c]), name([d, e, f])));
                self.names.set_moves(moves);
            }
            code::INITIAL => {
                let words = self.words(many)?.to_vec();
                let targets = Targets {
                    words: words.iter(),
                    names: &self.names,
                };
                self.initial = targets.collect();
            }
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
        Ok(())
    }
}
