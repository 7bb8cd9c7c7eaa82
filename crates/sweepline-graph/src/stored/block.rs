//! Some thousand nodes with their edges, one part of a file.
//!
//! A block has two parts. The head says which layers were opened meanwhile, and at which numbers; whoever wants to know where
//! edges lead needs the heads of all blocks. The body has the nodes: for each the set of actions it enables, and for each of
//! these where it leads, in codes that are made for the block and told first.

use sweepline_core::{ActionId, LayerId};

use super::bits::{BitReader, BitWriter, unzigzag, zigzag};
use super::dictionary::{Dictionary, Page, STEPS};
use super::error::Damage;
use super::huffman::{Code, Decoder};
use super::place::{LAYERS, NUMBERS, Place};
use super::plane::{read_plane, write_plane};
use super::target::{Contexts, SECONDS, SYMBOLS, Told};

/// Nodes of a block.
pub(crate) const NODES: usize = 4096;
/// Edges after which a block ends as well.
pub(crate) const EDGES: usize = 1 << 16;

/// A layer that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// How many nodes of the block come before.
    pub(crate) position: usize,
    pub(crate) layer: LayerId,
    /// The number of its first instance, had all of them been numbered in this layer.
    pub(crate) first: u64,
    /// Persistent states whose numbers come just before.
    pub(crate) roots: Vec<u64>,
}

/// A block that is being gathered.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The number of the first node.
    pub(crate) first: u64,
    /// The layer that is open when it begins.
    pub(crate) layer: LayerId,
    pub(crate) openings: Vec<Opening>,
    /// The set of each node.
    pub(crate) sets: Vec<u32>,
    /// Where the edges of all nodes lead.
    pub(crate) places: Vec<Place>,
    /// The truth values of each node, one proposition after the other.
    pub(crate) truths: Vec<bool>,
    /// Nodes after which it is full.
    most: usize,
    /// Layers that edges have led to before.
    seen: u32,
    coder: Coder,
}

/// What writing needs, kept from block to block.
#[derive(Debug)]
struct Coder {
    contexts: Contexts,
    told: Vec<Told>,
    /// The sets of this block, and their places among them.
    sets: Vec<u32>,
    set_places: Vec<u32>,
    /// The actions of this block, and their places among them.
    action_places: Vec<u32>,
    actions: usize,
    frequencies: Vec<[u32; SYMBOLS]>,
    out: BitWriter,
}

impl Draft {
    /// Begins the first of blocks with so many nodes.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most: most.clamp(1, NODES),
            first: 0,
            layer: LayerId(0),
            openings: Vec::new(),
            sets: Vec::new(),
            places: Vec::new(),
            truths: Vec::new(),
            seen: 0,
            coder: Coder {
                contexts: Contexts::new(),
                told: Vec::new(),
                sets: Vec::new(),
                set_places: Vec::new(),
                action_places: Vec::new(),
                actions: 0,
                frequencies: Vec::new(),
                out: BitWriter::default(),
            },
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.sets.len() >= self.most || self.places.len() >= EDGES
    }

    /// Begins the next block.
    pub(crate) fn clear(&mut self) {
        self.first += self.sets.len() as u64;
        if let Some(opening) = self.openings.last() {
            self.layer = opening.layer;
        }
        self.openings.clear();
        self.sets.clear();
        self.places.clear();
        self.truths.clear();
    }

    /// Writes the head.
    pub(crate) fn head(&self) -> Vec<u8> {
        let mut out = BitWriter::default();
        out.gamma(self.layer.0.into());
        out.gamma(self.openings.len() as u64);
        let (mut position, mut expected) = (0, i64::from(self.layer.0) + 1);
        for opening in &self.openings {
            out.gamma((opening.position - position) as u64);
            position = opening.position;
            out.gamma(zigzag(i64::from(opening.layer.0) - expected));
            expected = i64::from(opening.layer.0) + 1;
            out.gamma(opening.roots.len() as u64);
            let mut expected = 0;
            for &root in &opening.roots {
                out.gamma(zigzag(root.cast_signed() - expected));
                expected = root.cast_signed() + 1;
            }
            let usual = self.first + (position + opening.roots.len()) as u64;
            out.gamma(zigzag(opening.first.wrapping_sub(usual).cast_signed()));
        }
        out.finish()
    }

    /// Writes the body.
    pub(crate) fn body(&mut self, dictionary: &Dictionary, propositions: usize) -> Vec<u8> {
        self.count_sets(dictionary);
        self.tell(dictionary);
        let mut out = std::mem::take(&mut self.coder.out);
        out.gamma(self.seen.into());
        self.seen = self.coder.contexts.seen;
        let sets = self.write_sets(&mut out);
        let (codes, common, second) = self.codes();
        second.describe(&mut out);
        common.describe(&mut out);
        for code in &codes {
            out.put(code.is_some().into(), 1);
            if let Some(code) = code {
                code.describe(&mut out);
            }
        }
        for proposition in 0..propositions {
            let values = self.truths[proposition.min(self.truths.len())..].iter();
            write_plane(values.step_by(propositions).copied(), &mut out);
        }
        let mut told = self.coder.told.iter();
        for &set in &self.sets {
            sets.put(self.coder.set_places[set as usize] as usize, &mut out);
            for &action in dictionary.actions(set) {
                let place = self.coder.action_places[index(action)] as usize;
                let code = codes[place].as_ref().unwrap_or(&common);
                if let Some(told) = told.next() {
                    told.write(code, &second, &mut out);
                }
            }
        }
        for &set in &self.coder.sets {
            for &action in dictionary.actions(set) {
                self.coder.action_places[index(action)] = u32::MAX;
            }
        }
        let bytes = out.finish();
        self.coder.out = out;
        bytes
    }

    /// Finds the sets and the actions of this block.
    fn count_sets(&mut self, dictionary: &Dictionary) {
        let coder = &mut self.coder;
        coder.sets.clear();
        coder.sets.extend(&self.sets);
        coder.sets.sort_unstable();
        coder.sets.dedup();
        coder.actions = 0;
        for (place, &set) in (0..).zip(&coder.sets) {
            if coder.set_places.len() <= set as usize {
                coder.set_places.resize(set as usize + 1, 0);
            }
            coder.set_places[set as usize] = place;
            for &action in dictionary.actions(set) {
                let action = index(action);
                if coder.action_places.len() <= action {
                    coder.action_places.resize(action + 1, u32::MAX);
                }
                if coder.action_places[action] == u32::MAX {
                    coder.action_places[action] = u32::try_from(coder.actions).unwrap_or(u32::MAX);
                    coder.actions += 1;
                }
            }
        }
    }

    /// Makes symbols of all edges and counts them.
    fn tell(&mut self, dictionary: &Dictionary) {
        let coder = &mut self.coder;
        coder.contexts.begin(coder.actions, self.seen);
        coder.told.clear();
        coder.frequencies.clear();
        coder.frequencies.resize(coder.actions, [0; SYMBOLS]);
        let mut openings = self.openings.iter().peekable();
        let mut layer = self.layer;
        let mut places = self.places.iter();
        for (position, &set) in self.sets.iter().enumerate() {
            while let Some(opening) = openings.next_if(|opening| opening.position <= position) {
                layer = opening.layer;
            }
            for (&action, &place) in dictionary.actions(set).iter().zip(&mut places) {
                let action = coder.action_places[index(action)] as usize;
                let told = coder.contexts.tell(action, layer.0, place);
                coder.frequencies[action][usize::from(told.symbol)] += 1;
                coder.told.push(told);
            }
        }
    }

    fn write_sets(&self, out: &mut BitWriter) -> Code {
        let mut expected = 0;
        out.gamma(self.coder.sets.len() as u64);
        for &set in &self.coder.sets {
            out.gamma(u64::from(set - expected));
            expected = set + 1;
        }
        let mut frequencies = vec![0; self.coder.sets.len()];
        for &set in &self.sets {
            frequencies[self.coder.set_places[set as usize] as usize] += 1;
        }
        let code = Code::of(&frequencies);
        code.describe(out);
        code
    }

    /// Codes for the actions that deserve one of their own, for the others, and for what follows some symbols.
    fn codes(&self) -> (Vec<Option<Code>>, Code, Code) {
        let sum = |chosen: &mut dyn Iterator<Item = &[u32; SYMBOLS]>| {
            let mut sum = [0; SYMBOLS];
            for frequencies in chosen {
                for (sum, count) in sum.iter_mut().zip(frequencies) {
                    *sum += count;
                }
            }
            sum
        };
        let all = &self.coder.frequencies;
        let common = Code::of(&sum(&mut all.iter()));
        let own = |frequencies: &[u32; SYMBOLS]| {
            let code = Code::of(frequencies);
            (code.cost(frequencies) < common.cost_of_words(frequencies)).then_some(code)
        };
        let codes: Vec<Option<Code>> = all.iter().map(own).collect();
        let others = all.iter().zip(&codes).filter(|(_, code)| code.is_none());
        let common = Code::of(&sum(&mut others.map(|(frequencies, _)| frequencies)));
        let mut seconds = [0; SECONDS];
        for (symbol, _) in self.coder.told.iter().filter_map(|told| told.second) {
            seconds[usize::from(symbol)] += 1;
        }
        (codes, common, Code::of(&seconds))
    }

    pub(crate) fn bytes(&self) -> usize {
        let coder = &self.coder;
        self.places.capacity() * size_of::<Place>()
            + coder.told.capacity() * size_of::<Told>()
            + coder.frequencies.capacity() * size_of::<[u32; SYMBOLS]>()
            + (self.sets.capacity() + coder.sets.capacity()) * size_of::<u32>()
            + (coder.set_places.capacity() + coder.action_places.capacity()) * size_of::<u32>()
            + self.truths.capacity()
            + self.openings.capacity() * size_of::<Opening>()
    }
}

fn index(action: u64) -> usize {
    usize::try_from(action).expect("actions have numbers of 32 bits")
}

/// The head of a block that is read.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) layer: LayerId,
    pub(crate) openings: Vec<Opening>,
}

impl Head {
    /// Reads the head of a block with so many nodes from this one on.
    pub(crate) fn read(bytes: &[u8], first: u64, nodes: usize) -> Result<Self, Damage> {
        let mut bits = BitReader::new(bytes);
        let layer = layer_of(i64::try_from(bits.gamma()?).map_err(|_| Damage::Number)?)?;
        let count = bits.gamma_up_to(bits.left() as u64)?;
        let mut openings = Vec::new();
        let (mut position, mut expected) = (0, i64::from(layer.0) + 1);
        for _ in 0..count {
            position += usize::try_from(bits.gamma_up_to(nodes as u64)?).unwrap_or(nodes);
            if position > nodes {
                return Err(Damage::Number);
            }
            let difference = unzigzag(bits.gamma()?);
            let layer = layer_of(expected.checked_add(difference).ok_or(Damage::Number)?)?;
            expected = i64::from(layer.0) + 1;
            let mut roots = Vec::new();
            let mut root = 0_u64;
            for _ in 0..bits.gamma_up_to(bits.left() as u64)? {
                root = root.wrapping_add_signed(unzigzag(bits.gamma()?));
                if root >= NUMBERS {
                    return Err(Damage::Number);
                }
                roots.push(root);
                root += 1;
            }
            let usual = first + (position + roots.len()) as u64;
            let first = usual.wrapping_add_signed(unzigzag(bits.gamma()?));
            if first >= NUMBERS || first < roots.len() as u64 {
                return Err(Damage::Number);
            }
            openings.push(Opening {
                position,
                layer,
                first,
                roots,
            });
        }
        Ok(Self { layer, openings })
    }
}

fn layer_of(number: i64) -> Result<LayerId, Damage> {
    let number = u32::try_from(number).ok().filter(|&number| number < LAYERS);
    number.map(LayerId).ok_or(Damage::Number)
}

/// The body of a block that is read.
#[derive(Debug, Default)]
pub(crate) struct Body {
    /// Where the edges of each node end.
    pub(crate) ends: Vec<u32>,
    pub(crate) actions: Vec<ActionId>,
    pub(crate) places: Vec<Place>,
    pub(crate) deadlocks: Vec<bool>,
    /// The truth values of all nodes for each proposition.
    pub(crate) truths: Vec<Vec<bool>>,
}

impl Body {
    /// Reads the body of a block that has so many nodes and edges.
    pub(crate) fn read(
        bytes: &[u8],
        head: &Head,
        page: &Page,
        (nodes, edges): (usize, usize),
        propositions: usize,
    ) -> Result<Self, Damage> {
        let mut bits = BitReader::new(bytes);
        let seen = u32::try_from(bits.gamma_up_to(LAYERS.into())?).map_err(|_| Damage::Number)?;
        let sets = read_sets(&mut bits, page)?;
        let set_code = Decoder::read(&mut bits, sets.len() as u64)?;
        let mut contexts = Contexts::new();
        let (places, actions) = places_of(&sets, page);
        contexts.begin(actions, seen);
        let second = Decoder::read(&mut bits, SECONDS as u64)?;
        let common = Decoder::read(&mut bits, SYMBOLS as u64)?;
        let mut codes = Vec::new();
        for _ in 0..actions {
            let own = bits.get(1)? == 1;
            codes.push(if own {
                Some(Decoder::read(&mut bits, SYMBOLS as u64)?)
            } else {
                None
            });
        }
        let mut body = Self::default();
        for _ in 0..propositions {
            body.truths.push(read_plane(nodes, &mut bits)?);
        }
        let mut openings = head.openings.iter().peekable();
        let mut layer = head.layer;
        for position in 0..nodes {
            while let Some(opening) = openings.next_if(|opening| opening.position <= position) {
                layer = opening.layer;
            }
            let set = sets[set_code.get(&mut bits)?];
            let actions = page.actions(set);
            if body.places.len() + actions.len() > edges {
                return Err(Damage::Number);
            }
            for &action in actions {
                let local = places[action.0 as usize] as usize;
                let code = codes[local].as_ref().unwrap_or(&common);
                let place = contexts.read(local, layer.0, (code, &second), &mut bits)?;
                body.places.push(place);
            }
            body.actions.extend_from_slice(actions);
            body.deadlocks.push(page.is_deadlock(set));
            let end = u32::try_from(body.places.len()).map_err(|_| Damage::Number)?;
            body.ends.push(end);
        }
        if body.places.len() != edges {
            return Err(Damage::Number);
        }
        Ok(body)
    }
}

/// No block has more edges.
pub(crate) const MOST_EDGES: usize = EDGES + STEPS;

fn read_sets(bits: &mut BitReader<'_>, page: &Page) -> Result<Vec<usize>, Damage> {
    let count = bits.gamma_up_to(page.len() as u64)?;
    let mut sets = Vec::new();
    let mut expected = 0;
    for _ in 0..count {
        let set = expected + bits.gamma_up_to(page.len() as u64)?;
        let set = usize::try_from(set).map_err(|_| Damage::Number)?;
        if set >= page.len() {
            return Err(Damage::Number);
        }
        sets.push(set);
        expected = set as u64 + 1;
    }
    Ok(sets)
}

/// The place of every action among those of some sets, and how many there are.
fn places_of(sets: &[usize], page: &Page) -> (Vec<u32>, usize) {
    let (mut places, mut count) = (Vec::new(), 0);
    for action in sets.iter().flat_map(|&set| page.actions(set)) {
        let action = action.0 as usize;
        if places.len() <= action {
            places.resize(action + 1, u32::MAX);
        }
        if places[action] == u32::MAX {
            places[action] = count;
            count += 1;
        }
    }
    (places, count as usize)
}
