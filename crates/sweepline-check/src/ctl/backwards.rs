//! Reading links from the last node to the first.

use std::collections::HashMap;
use std::io;

use sweepline_core::{ActionId, LayerId, Limits, StopReason};

use super::pace::Pace;
use super::taped::{
    ESCAPE, INDEX_BITS, NAMED, Name, PERSISTENT, Taped, UNKNOWN,
    code::{self, BITS, MASK},
};

/// Words that are read at a time.
pub(super) const BLOCK: usize = if cfg!(test) { 8 } else { 1 << 14 };
/// Nodes after which it is asked which is wanted next.
const SKIPPED: u32 = if cfg!(test) { 4 } else { 512 };

/// A node.
pub(crate) struct Node<'a> {
    pub(crate) number: u32,
    /// The numbers its steps lead to, in their order; [`UNKNOWN`] where one waits without a number.
    pub(crate) targets: &'a [u32],
    /// The actions of its steps, if they are noted.
    actions: &'a [u32],
    atoms: &'a [u32],
    last: u32,
}

impl Node<'_> {
    /// The actions of its steps, in their order, if they are noted.
    pub(crate) fn actions(&self) -> impl Iterator<Item = ActionId> {
        self.actions.iter().map(|&action| ActionId(action))
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
    /// The numbers that words stand for.
    fn read(&self, words: &[u32], out: &mut Vec<u32>) {
        out.clear();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            out.push(match word {
                ESCAPE => match (words.next(), words.next()) {
                    (Some(&layer), Some(&index)) => self.in_full(layer, index),
                    _ => UNKNOWN,
                },
                word if word < NAMED => self.now(word),
                word => self.named(word),
            });
        }
    }

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

/// Looks at nodes.
pub(crate) trait Visitor {
    /// Whether it wants to see a node.
    fn wants(&self, number: u32) -> bool {
        let _ = number;
        true
    }

    /// The largest number below this one that it wants to see.
    fn last_below(&self, limit: u32) -> Option<u32> {
        limit.checked_sub(1)
    }

    /// Sees one.
    fn visit(&mut self, node: &Node<'_>);
}

impl<F: FnMut(&Node<'_>)> Visitor for F {
    #[inline]
    fn visit(&mut self, node: &Node<'_>) {
        self(node);
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
    /// Where the steps of a node lead, if that is not what is written.
    targets: Vec<u32>,
    /// How many words are read next.
    ahead: usize,
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
            targets: Vec::new(),
            ahead: BLOCK,
        }
    }

    /// Where runs start, if everything has been read, or nothing has to be.
    pub(crate) fn initial(&self) -> Vec<Option<u32>> {
        let names = self.names.taped.initial.iter();
        let numbers = names.map(|&name| self.names.resolve(name));
        let known = |number: u32| (number != UNKNOWN).then_some(number);
        numbers.map(known).collect()
    }

    /// Visits all nodes that are wanted, from the last to the first, and says where runs start.
    pub(crate) fn visit(
        mut self,
        limits: &Limits,
        visitor: &mut impl Visitor,
    ) -> Result<Vec<Option<u32>>, StopReason> {
        let mut pace = Pace::new(limits);
        while self.start + self.left as u64 > 0 {
            let is_node = self.record(visitor).map_err(|error| {
                StopReason::Other(format!("links could not be kept on disk: {error}"))
            })?;
            if is_node {
                pace.step()?;
            }
        }
        if let Some(why) = self.names.taped.firsts.failure() {
            let why = format!("links could not be kept on disk: {why}");
            return Err(StopReason::Other(why));
        }
        Ok(self.initial())
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
        let ahead = std::mem::replace(&mut self.ahead, BLOCK);
        self.start = end.saturating_sub(words.max(ahead) as u64);
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
    fn record(&mut self, visitor: &mut impl Visitor) -> io::Result<bool> {
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
        let mut behind = atoms;
        if self.names.taped.has_actions() {
            self.need(atoms + 1)?;
            behind += 1 + self.block[self.left - atoms - 1] as usize;
        }
        self.need(links + behind)?;
        self.left -= links + behind;
        if !visitor.wants(self.number) {
            if self.number.is_multiple_of(SKIPPED) {
                self.skip(visitor);
            }
            return Ok(true);
        }
        let words = &self.block[self.left..][..links + behind];
        let (mut targets, behind) = words.split_at(links);
        let (noted, atoms) = behind.split_at(behind.len() - atoms);
        // Behind the actions is their number.
        let actions = noted.split_last().map_or(&[][..], |(_, actions)| actions);
        if !self.names.taped.is_plain() {
            self.names.read(targets, &mut self.targets);
            targets = &self.targets;
        }
        visitor.visit(&Node {
            number: self.number,
            targets,
            actions,
            atoms,
            last,
        });
        Ok(true)
    }

    /// Goes on where the next node is that is wanted, or not far above.
    #[cold]
    fn skip(&mut self, visitor: &impl Visitor) {
        let (number, position) = match visitor.last_below(self.number) {
            None => (0, 0),
            Some(next) => match self.names.taped.mark_after(next) {
                Some(mark) if mark.0 < self.number => mark,
                _ => return,
            },
        };
        if number == 0 && !self.names.taped.is_plain() {
            // What names mean is still to be read.
            return;
        }
        self.number = number;
        let end = self.start + self.left as u64;
        if position >= self.start {
            self.left -= usize::try_from(end - position).unwrap_or(0);
        } else {
            (self.start, self.left) = (position, 0);
            self.ahead = BLOCK / 4;
        }
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
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
        Ok(())
    }
}
