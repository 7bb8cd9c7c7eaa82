//! Some thousand nodes with their edges, one part of a file.
//!
//! A block has two parts. The head says which layers were opened meanwhile, and at which numbers; whoever wants to know where
//! edges lead needs the heads of all blocks. The body has the nodes: for each the set of actions it enables, and for each of
//! these where it leads, in codes that are made for the block and told first.

use sweepline_core::{ActionId, LayerId, LinkedStates, StepsEnd};

use super::bits::{BitReader, BitWriter, unzigzag, zigzag};
use super::dictionary::{Dictionary, Page, STEPS};
use super::error::Damage;
use super::huffman::{Coder, Decoder, Word};
use super::place::{LAYERS, NUMBERS, Place};
use super::plane::{read_plane, write_plane};
use super::target::{Contexts, SECONDS, SYMBOLS};
use super::tell::{Edges, Teller};

/// Nodes of a block. Codes are made for each, which is felt where nodes have few edges and blocks are small.
pub(crate) const NODES: usize = 8192;
/// Edges after which a block ends as well.
pub(crate) const EDGES: usize = 1 << 15;

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

/// The same while a block is gathered.
#[derive(Clone, Copy, Debug)]
struct Opened {
    /// How many nodes and edges of the block come before.
    nodes: usize,
    edges: usize,
    layer: LayerId,
    first: u64,
    /// How many persistent states.
    roots: usize,
}

/// A block that is being gathered.
///
/// What the exploration tells is only noted down: while it goes on, most of what is needed to make codes would be out of the
/// cache each time.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The numbers of the first node and of the next one.
    pub(crate) first: u64,
    next: u64,
    /// The layer that is open when it begins, and the one that is now.
    begin: LayerId,
    layer: LayerId,
    openings: Vec<Opened>,
    /// The persistent states of all of them, one after the other.
    roots: Vec<u64>,
    /// Where the edges of each node end; and the sets of actions of nodes, once the block is written.
    nodes: Vec<StepsEnd>,
    sets: Vec<u32>,
    pub(crate) edges: Edges,
    /// The truth values of each node, one proposition after the other.
    pub(crate) truths: Vec<bool>,
    /// Nodes after which it is full.
    most: usize,
    /// How often each set is used, and the word of those that are, while the block is written.
    set_counts: Vec<u32>,
    set_words: Vec<Word>,
    teller: Teller,
    coder: Coder,
    /// The memory of a body that was written.
    buffer: Vec<u8>,
}

impl Draft {
    /// Begins the first of blocks with so many nodes.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most: most.clamp(1, NODES),
            first: 0,
            next: 0,
            begin: LayerId(0),
            layer: LayerId(0),
            openings: Vec::new(),
            roots: Vec::new(),
            nodes: Vec::new(),
            sets: Vec::new(),
            edges: Edges::default(),
            truths: Vec::new(),
            set_counts: Vec::new(),
            set_words: Vec::new(),
            teller: Teller::new(),
            coder: Coder::default(),
            buffer: Vec::new(),
        }
    }

    /// Uses the memory of a body again.
    pub(crate) fn recycle(&mut self, body: Vec<u8>) {
        self.buffer = body;
    }

    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() >= self.most || self.edges.len() >= EDGES
    }

    /// Whether nothing has been told of.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.openings.is_empty()
    }

    /// How many nodes it has.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// A layer is opened, with these persistent states before its instances.
    pub(crate) fn open(&mut self, layer: LayerId, first: u64, roots: impl Iterator<Item = u64>) {
        let before = self.roots.len();
        self.roots.extend(roots);
        self.layer = layer;
        self.openings.push(Opened {
            nodes: self.nodes.len(),
            edges: self.edges.len(),
            layer,
            first,
            roots: self.roots.len() - before,
        });
    }

    /// The number of the next node.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// The first node has another number.
    pub(crate) fn start_at(&mut self, number: u64) {
        (self.first, self.next) = (number, number);
    }

    /// Adds nodes of this layer with their edges, if they have the next numbers, their edges lead to layers, and there is room for more
    /// after them. Otherwise nothing is added.
    #[inline]
    pub(crate) fn add(&mut self, here: u32, nodes: &LinkedStates<'_>) -> bool {
        let before = self.edges.len();
        let added = nodes.first == self.next
            && self.nodes.len() + nodes.ends.len() < self.most
            && before + nodes.links.len() < EDGES
            && self.edges.add(here, nodes.actions, nodes.links);
        if added {
            let ends = nodes.ends.iter().map(|end| end.behind(before));
            self.nodes.extend(ends);
            self.next += nodes.ends.len() as u64;
        }
        added
    }

    /// The edges since the last node are those of the next one.
    #[inline]
    pub(crate) fn add_node(&mut self, deadlock: bool) {
        self.nodes.push(StepsEnd::new(self.edges.len(), deadlock));
        self.next += 1;
    }

    /// Writes the head.
    pub(crate) fn head(&self) -> Vec<u8> {
        let mut out = BitWriter::default();
        out.gamma(self.begin.0.into());
        out.gamma(self.openings.len() as u64);
        let (mut position, mut expected) = (0, i64::from(self.begin.0) + 1);
        let mut roots = &self.roots[..];
        for opening in &self.openings {
            let nodes = (opening.nodes - position) as u64;
            position = opening.nodes;
            let layer = zigzag(i64::from(opening.layer.0) - expected);
            expected = i64::from(opening.layer.0) + 1;
            let usual = self.first + (position + opening.roots) as u64;
            let first = zigzag(opening.first.wrapping_sub(usual).cast_signed());
            if opening.roots == 0 && first == 0 {
                out.gammas([nodes, layer, 0, 0]);
                continue;
            }
            out.gammas([nodes, layer, opening.roots as u64]);
            let mut expected = 0;
            for &root in roots.split_off(..opening.roots).unwrap_or_default() {
                out.gamma(zigzag(root.cast_signed() - expected));
                expected = root.cast_signed() + 1;
            }
            out.gamma(first);
        }
        out.finish()
    }

    /// Writes the body and begins the next block. An error says why that cannot be.
    pub(crate) fn finish(
        &mut self,
        dictionary: &mut Dictionary,
        propositions: usize,
    ) -> Result<Vec<u8>, &'static str> {
        let mut out = BitWriter::again(std::mem::take(&mut self.buffer));
        out.gamma(self.teller.seen().into());
        dictionary.number_all(&self.nodes, self.edges.actions(), &mut self.sets)?;
        self.tell();
        let used = self.used_sets(dictionary.len());
        self.write_used_sets(&used, &mut out);
        let show = |show: &mut dyn FnMut(u32) -> bool| {
            let mut is_missing = true;
            let mut used = used.iter();
            while let Some(&set) = used.next().filter(|_| is_missing) {
                dictionary.for_each(set, |action| is_missing = show(action));
            }
        };
        let seconds = self.teller.write_codes(&mut self.coder, show, &mut out);
        for proposition in 0..propositions {
            let values = self.truths[proposition.min(self.truths.len())..].iter();
            write_plane(values.step_by(propositions).copied(), &mut out);
        }
        let (mut sets, words) = (&self.sets[..], &self.set_words[..]);
        while !sets.is_empty() {
            let written = out.put_run(sets, |set, run| {
                let (word, length) = words[set as usize];
                run.put(word.into(), length.into());
            });
            sets = &sets[written..];
        }
        self.teller.write(&self.edges, &seconds, &mut out);
        self.clear(&used);
        Ok(out.finish())
    }

    /// Tells where edges lead, from one opening to the next.
    fn tell(&mut self) {
        let (mut layer, mut start) = (self.begin, 0);
        let openings = self.openings.iter().map(|it| (it.layer, it.edges));
        for (next, end) in openings.chain([(self.layer, self.edges.len())]) {
            self.teller.tell(layer.0, &mut self.edges, start..end);
            (layer, start) = (next, end);
        }
    }

    fn clear(&mut self, used: &[u32]) {
        for &set in used {
            self.set_counts[set as usize] = 0;
        }
        self.first = self.next;
        self.begin = self.layer;
        self.openings.clear();
        self.roots.clear();
        self.nodes.clear();
        self.edges.clear();
        self.truths.clear();
        self.teller.clear();
    }

    /// The sets that are used, ascending, of so many that there are. How often they are is counted.
    fn used_sets(&mut self, count: usize) -> Vec<u32> {
        if self.set_counts.len() < count {
            self.set_counts.resize(count, 0);
            self.set_words.resize(count, Word::default());
        }
        let mut used = Vec::new();
        for &set in &self.sets {
            let count = &mut self.set_counts[set as usize];
            if *count == 0 {
                used.push(set);
            }
            *count += 1;
        }
        used.sort_unstable();
        used
    }

    /// Writes the sets that are used and a code for them.
    fn write_used_sets(&mut self, used: &[u32], out: &mut BitWriter) {
        let mut expected = 0;
        out.gamma(used.len() as u64);
        for &set in used {
            out.gamma(u64::from(set - expected));
            expected = set + 1;
        }
        let counts = used.iter().map(|&set| self.set_counts[set as usize]);
        let code = self.coder.code((0..).zip(counts));
        code.describe(out);
        for (&set, (_, word)) in used.iter().zip(code.words()) {
            self.set_words[set as usize] = word;
        }
    }

    /// How many layers edges have led to in the blocks that were written.
    pub(crate) fn layers(&self) -> u32 {
        self.teller.seen()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.edges.bytes()
            + self.nodes.capacity() * size_of::<StepsEnd>()
            + self.sets.capacity() * size_of::<u32>()
            + self.set_counts.capacity() * size_of::<u32>()
            + self.set_words.capacity() * size_of::<Word>()
            + self.truths.capacity()
            + self.openings.capacity() * size_of::<Opened>()
            + self.roots.capacity() * size_of::<u64>()
            + self.teller.bytes()
            + self.coder.bytes()
            + self.buffer.capacity()
    }
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
        contexts.begin(seen);
        for _ in 0..actions {
            contexts.add_action();
        }
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
        let mut set_of = Vec::new();
        for _ in 0..nodes {
            set_of.push(sets[set_code.get(&mut bits)?]);
        }
        let mut openings = head.openings.iter().peekable();
        let mut layer = head.layer;
        for (position, set) in set_of.into_iter().enumerate() {
            while let Some(opening) = openings.next_if(|opening| opening.position <= position) {
                layer = opening.layer;
            }
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
