//! Links as they are told, written on a tape: four bytes an edge and four a state, however many there are.
//!
//! An instance that waits has no number yet, and what is written is not changed any more. So links are written by name: a layer and
//! an index in it, or an index among the persistent states. What names mean is written behind the links that use them, so that whoever
//! reads the tape [from its end](super::backwards) knows it first. Links to instances with numbers are written as these.

use sweepline_core::{ActionId, LayerId, LayerOpened, Link, Word};
use sweepline_explore::{LogPlace, LongList, Tape};

/// Links on a tape.
///
/// It is a sequence of records, each of which ends with a word that says what it is: its lowest eight bits are a [code](code), or the
/// number of words that the links of a node take.
#[derive(Debug)]
pub(crate) struct Taped {
    pub(super) tape: Tape,
    noted: Noted,
    /// If only links within a layer are kept: what has become of the first one. Numbers count from the first of the layer.
    layered: Option<FirstLayer>,
    base: u64,
    /// The next number.
    numbers: u32,
    expanded: u64,
    edges: u64,
    /// Whether all links of nodes are numbers that stand for what they are.
    plain: bool,
    /// The largest of them.
    largest: Option<u32>,
    /// Whether some number was left out.
    gaps: bool,
    /// Where every so-many-th node begins, unless numbers were left out.
    marks: Vec<u64>,
    pub(super) initial: Vec<Name>,
    /// The number of the open layer's first instance.
    first: u64,
    /// The layers that links of the open layer lead to, by their place.
    pub(super) layers: Vec<LayerId>,
    /// Some layers, by their last bits, and what stands for them above an index.
    recent: [(LayerId, u32); RECENT],
    /// The number of the first instance of each layer that was opened.
    pub(super) firsts: LongList,
    /// The numbers of the persistent states of the open column.
    pub(super) persistent: Vec<u32>,
    /// Where instances went since the measure began to change.
    pub(super) moves: Vec<(Name, Name)>,
    /// How many such moves are on the tape.
    moved: usize,
    /// The most persistent states of a column.
    most_persistent: usize,
    place: LogPlace,
    outgrown: bool,
}

/// Where an exploration is that is kept layer by layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstLayer {
    /// No layer has been opened.
    Waiting,
    /// The first layer is open, and all links lie in it.
    Open(LayerId, u64),
    /// Links were dropped.
    Dropped,
}

/// What is noted of every node besides its links.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted {
    /// How many atoms.
    pub(crate) atoms: usize,
    /// Whether the actions of its steps, which come behind the links, and how many these are.
    pub(crate) actions: bool,
}

/// How an instance is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Name {
    Number(u32),
    Ahead(LayerId, u32),
    Persistent(u32),
}

/// What the last word of a record says.
pub(super) mod code {
    /// Above this are codes, up to this are numbers of words.
    pub(crate) const MOST: u32 = 0xf7;
    /// A node with more words: behind them comes their number.
    pub(crate) const LONG: u32 = 0xff;
    /// Numbers were left out: the word before says from which on.
    pub(crate) const GAP: u32 = 0xfe;
    /// The layers that links of a layer lead to, and how many.
    pub(crate) const LAYERS: u32 = 0xfd;
    /// The numbers of the persistent states of a column, and how many.
    pub(crate) const COLUMN: u32 = 0xfc;
    /// Where instances went when the measure changed, three words each for from and to, and how many.
    pub(crate) const MOVES: u32 = 0xfb;

    pub(crate) const BITS: u32 = 8;
    pub(crate) const MASK: u32 = (1 << BITS) - 1;
}

/// Marks a word that is no number: seven bits are the place of a layer, the others an index.
pub(super) const NAMED: u32 = 1 << 31;
pub(super) const INDEX_BITS: u32 = 24;
/// The place that stands for the persistent states.
pub(super) const PERSISTENT: u32 = 0x7e;
/// What comes in full, as two more words: a layer, or [`UNKNOWN`], and an index.
pub(super) const ESCAPE: u32 = u32::MAX;
/// No number, no layer.
pub(super) const UNKNOWN: u32 = u32::MAX;
/// Nodes between two marks.
const MARKED: u32 = if cfg!(test) { 4 } else { 512 };
/// Layers that are found without looking for them.
const RECENT: usize = 8;
const NOTHING: [(LayerId, u32); RECENT] = [(LayerId(0), ESCAPE); RECENT];
/// Atoms that fit into the last word of a node.
const SHORT: usize = 24;
/// Layers whose first numbers are kept in memory.
const LAYERS_IN_MEMORY: usize = if cfg!(test) { 4 } else { 1 << 14 };
/// Words of the tape that are kept in memory before they are written.
const GATHERED: usize = if cfg!(test) { 16 } else { 1 << 14 };

impl Taped {
    /// Nothing yet. This will be noted of every node, and the tape goes there when it is long.
    pub(crate) fn new(noted: Noted, place: LogPlace) -> Self {
        Self {
            tape: Tape::new(place.clone()).gathering(GATHERED),
            noted,
            layered: None,
            base: 0,
            numbers: 0,
            expanded: 0,
            edges: 0,
            plain: true,
            largest: None,
            gaps: false,
            marks: Vec::new(),
            initial: Vec::new(),
            first: 0,
            layers: Vec::new(),
            recent: NOTHING,
            firsts: LongList::default(),
            persistent: Vec::new(),
            moves: Vec::new(),
            moved: 0,
            most_persistent: 0,
            place,
            outgrown: false,
        }
    }

    /// The number that stands for zero.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Whether only links within a layer are kept.
    pub(crate) fn is_layered(&self) -> bool {
        self.layered.is_some()
    }

    /// Whether it can follow when the measure changes: nothing was dropped.
    pub(crate) fn can_follow(&self) -> bool {
        self.layered != Some(FirstLayer::Dropped)
    }

    /// From now on only links within a layer are kept. All others lead nowhere.
    pub(crate) fn keep_layers(&mut self) {
        self.layered = Some(FirstLayer::Waiting);
    }

    /// Forgets the links of a layer, and begins with those of the next one, whose first number is this.
    pub(crate) fn restart(&mut self, first: u64) {
        self.tape.clear();
        self.marks.clear();
        (self.base, self.first) = (first, first);
        (self.numbers, self.expanded, self.edges) = (0, 0, 0);
        (self.largest, self.gaps, self.plain) = (None, false, true);
    }

    /// Forgets everything, and begins with the initial states.
    pub(crate) fn start(&mut self, links: &[Link]) {
        *self = Self::new(self.noted, self.place.clone());
        self.initial = links.iter().map(|&link| self.name(link)).collect();
    }

    /// Whether all links of nodes are numbers, so that they need not be resolved.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }

    /// The largest number that a step leads to, if that is known without reading, and so that every number below the next one has
    /// been expanded.
    #[expect(clippy::option_option, reason = "there may be no step")]
    pub(crate) fn largest(&self) -> Option<Option<u32>> {
        (self.plain && !self.gaps).then_some(self.largest)
    }

    /// The first of some numbers from this one on with whose node reading may begin, and where the one before ends.
    pub(super) fn mark_after(&self, number: u32) -> Option<(u32, u64)> {
        if !self.plain || self.gaps {
            return None;
        }
        let mark = number / MARKED + 1;
        let position = self.marks.get(mark as usize)?;
        Some((mark * MARKED, *position))
    }

    /// The words in which the atoms of a node are noted, besides its last word.
    pub(super) fn atom_words(&self) -> usize {
        if self.noted.atoms <= SHORT {
            0
        } else {
            self.noted.atoms.div_ceil(32)
        }
    }

    /// Whether the actions of steps are noted.
    #[inline]
    pub(crate) fn has_actions(&self) -> bool {
        self.noted.actions
    }

    /// How many numbers there are, some of which may stand for nothing.
    pub(crate) fn numbers(&self) -> u32 {
        self.numbers
    }

    /// How many nodes there are.
    pub(crate) fn expansions(&self) -> u64 {
        self.expanded
    }

    pub(crate) fn edges(&self) -> u64 {
        self.edges
    }

    /// Where the tape is kept.
    pub(crate) fn place(&self) -> &LogPlace {
        &self.place
    }

    /// Whether something could not be written.
    pub(crate) fn is_outgrown(&self) -> bool {
        self.outgrown
    }

    /// Why what was written is lost, if it is.
    pub(crate) fn failure(&self) -> Option<String> {
        let tape = self.tape.failure().map(str::to_owned);
        tape.or_else(|| self.firsts.failure())
    }

    /// Bytes of main memory.
    pub(crate) fn bytes(&self) -> usize {
        self.tape.bytes()
            + self.firsts.bytes()
            + self.marks.capacity() * size_of::<u64>()
            + self.initial.capacity() * size_of::<Name>()
            + (self.layers.capacity() + self.persistent.capacity()) * size_of::<u32>()
            + self.moves.capacity() * size_of::<(Name, Name)>()
    }

    /// Bytes of main memory it takes to read it.
    pub(crate) fn reading_bytes(&self) -> usize {
        2 * super::backwards::BLOCK * size_of::<u32>()
            + self.most_persistent * size_of::<u32>()
            + (self.moved + self.moves.len()) * 2 * size_of::<(Name, Name)>()
    }

    pub(crate) fn disk_bytes(&self) -> u64 {
        self.tape.disk_bytes() + self.firsts.disk_bytes()
    }

    /// Writes the next node, whose number is larger than those before. False if that is not possible.
    pub(crate) fn node(
        &mut self,
        number: u64,
        read: &[Word],
        (actions, links): (&[ActionId], &[Link]),
    ) -> bool {
        let number = number.checked_sub(self.base);
        let next = number.and_then(|number| u32::try_from(number).ok());
        let next = next.filter(|next| *next < NAMED - 1);
        let Some(number) = next.filter(|_| !self.outgrown) else {
            self.outgrown = true;
            return false;
        };
        if number > self.numbers {
            self.gaps = true;
            self.tape.extend([self.numbers, code::GAP]);
        }
        if number.is_multiple_of(MARKED) && !self.gaps {
            self.marks.push(self.tape.len());
        }
        let words = self.push_all(links);
        if self.noted.actions {
            self.push_actions(actions);
        }
        let mut last = 0;
        if self.atom_words() == 0 {
            last = read.first().map_or(0, |bits| low(*bits)) << code::BITS;
        } else {
            let halves = read.iter().flat_map(|word| [low(*word), low(*word >> 32)]);
            self.tape.extend(halves.take(self.atom_words()));
        }
        if words <= code::MOST {
            self.tape.push(last | words);
        } else {
            self.tape.extend([words, last | code::LONG]);
        }
        self.numbers = number + 1;
        self.expanded += 1;
        self.edges += links.len() as u64;
        // Evidence has places of edges, with 32 bits.
        self.outgrown |= self.edges >= u64::from(UNKNOWN);
        true
    }

    fn push_actions(&mut self, actions: &[ActionId]) {
        let count = u32::try_from(actions.len()).unwrap_or_else(|_| {
            self.outgrown = true;
            0
        });
        let actions = actions.iter().take(count as usize);
        self.tape.extend(actions.map(|action| action.0));
        self.tape.push(count);
    }

    fn push_counted(&mut self, count: u32, code: u32) {
        self.tape.extend([count, code]);
    }

    /// Writes links, and says how many words these are.
    #[inline]
    fn push_all(&mut self, links: &[Link]) -> u32 {
        if let Some(words) = self.push_here(links) {
            return words;
        }
        let before = self.tape.len();
        for &link in links {
            if self.is_layered() && !matches!(link, Link::Here(_)) {
                self.layered = Some(FirstLayer::Dropped);
                self.tape.push(UNKNOWN);
                continue;
            }
            self.plain &= matches!(link, Link::Here(_) | Link::Kept(_));
            match link {
                Link::Here(index) => self.push_number(self.first + u64::from(index)),
                Link::Kept(number) => self.push_number(number),
                Link::Ahead(layer, index) if index >> INDEX_BITS == 0 => {
                    match self.recent[slot(layer)] {
                        (known, above) if known == layer && above != ESCAPE => {
                            self.tape.push(above | index);
                        }
                        _ => self.push_ahead(layer, index),
                    }
                }
                Link::Ahead(layer, index) => self.tape.extend([ESCAPE, layer.0, index]),
                Link::Persistent(index) if index >> INDEX_BITS == 0 => {
                    self.tape.push(NAMED | PERSISTENT << INDEX_BITS | index);
                }
                Link::Persistent(index) => self.tape.extend([ESCAPE, UNKNOWN, index]),
            }
        }
        let words = self.tape.len() - before;
        let Ok(words) = u32::try_from(words) else {
            self.outgrown = true;
            return 0;
        };
        words
    }

    /// Writes links that all lead to the open layer, as most do; nothing if they do not.
    #[inline]
    fn push_here(&mut self, links: &[Link]) -> Option<u32> {
        let words = u32::try_from(links.len()).ok()?;
        let first = u32::try_from(self.first - self.base).ok()?;
        let (mut most, mut others) = (0, false);
        let numbers = links.iter().map(|link| {
            if let Link::Here(index) = *link {
                most = most.max(index);
                first.wrapping_add(index)
            } else {
                others = true;
                0
            }
        });
        self.tape.extend(numbers);
        let largest = u64::from(first) + u64::from(most);
        if others || largest >= u64::from(NAMED) {
            self.tape.take_back(links.len());
            return None;
        }
        if let (Ok(largest), false) = (u32::try_from(largest), links.is_empty()) {
            self.largest = self.largest.max(Some(largest));
        }
        Some(words)
    }

    #[inline]
    fn push_number(&mut self, number: u64) {
        match u32::try_from(number - self.base) {
            Ok(number) if number < NAMED => {
                self.largest = self.largest.max(Some(number));
                self.tape.push(number);
            }
            _ => {
                self.outgrown = true;
                self.tape.push(0);
            }
        }
    }

    /// The same for a layer that is not among the recent ones.
    #[cold]
    fn push_ahead(&mut self, layer: LayerId, index: u32) {
        let known = self.layers.iter().position(|&known| known == layer);
        let place = known.unwrap_or(self.layers.len());
        let Some(place) = u32::try_from(place).ok().filter(|&at| at < PERSISTENT) else {
            self.tape.extend([ESCAPE, layer.0, index]);
            return;
        };
        if known.is_none() {
            self.layers.push(layer);
        }
        let above = NAMED | place << INDEX_BITS;
        self.recent[slot(layer)] = (layer, above);
        self.tape.push(above | index);
    }

    /// A layer has been opened: its instances have numbers, and so have its roots.
    pub(crate) fn layer_opened(&mut self, event: &LayerOpened<'_>) {
        if let Some(first) = self.layered {
            self.layered = Some(match first {
                FirstLayer::Waiting if event.first == 0 => FirstLayer::Open(event.layer, 0),
                _ => FirstLayer::Dropped,
            });
            return self.restart(event.first - event.roots.len() as u64);
        }
        self.end_layer();
        if !self.moves.is_empty() {
            self.end_column();
            self.write_moves();
        }
        self.first = event.first;
        let roots = event.first - event.roots.len() as u64;
        for (&root, number) in event.roots.iter().zip(roots..) {
            let number = self.short(number);
            let root = root as usize;
            if root >= self.persistent.len() {
                self.persistent.resize(root + 1, UNKNOWN);
            }
            self.persistent[root] = number;
        }
        self.note_first(event.layer, event.first);
    }

    /// Notes the number of the first instance of a layer.
    fn note_first(&mut self, layer: LayerId, first: u64) {
        let (layer, first) = (layer.0 as usize, self.short(first));
        while self.firsts.len() <= layer {
            self.firsts.push(UNKNOWN);
        }
        self.firsts.set(layer, first);
        if self.firsts.len() > LAYERS_IN_MEMORY {
            let bytes = LAYERS_IN_MEMORY * size_of::<u32>();
            self.firsts.spill(&self.place, bytes);
        }
    }

    fn short(&mut self, number: u64) -> u32 {
        match u32::try_from(number) {
            Ok(number) if number < NAMED => number,
            _ => {
                self.outgrown = true;
                UNKNOWN
            }
        }
    }

    /// Writes down which layers links of the open layer lead to.
    fn end_layer(&mut self) {
        if !self.layers.is_empty() {
            let count = u32::try_from(self.layers.len()).unwrap_or(0);
            self.tape.extend(self.layers.iter().map(|layer| layer.0));
            self.push_counted(count, code::LAYERS);
            self.layers.clear();
            self.recent = NOTHING;
        }
    }

    /// Writes down which numbers the persistent states have: their indices count anew.
    fn end_column(&mut self) {
        self.most_persistent = self.most_persistent.max(self.persistent.len());
        if !self.persistent.is_empty() {
            match u32::try_from(self.persistent.len()) {
                Ok(count) => {
                    self.tape.extend(self.persistent.iter().copied());
                    self.push_counted(count, code::COLUMN);
                }
                Err(_) => self.outgrown = true,
            }
            self.persistent = Vec::new();
        }
    }

    /// A column has been closed.
    pub(crate) fn column_closed(&mut self) {
        self.end_layer();
        self.end_column();
    }

    /// The measure changes, and an instance that waits goes elsewhere.
    pub(crate) fn moved(&mut self, from: Link, to: Link) {
        if let Some(FirstLayer::Open(layer, first)) = self.layered.take() {
            self.note_first(layer, first);
        }
        let (from, to) = (self.name(from), self.name(to));
        self.plain = false;
        self.moves.push((from, to));
    }

    fn name(&mut self, link: Link) -> Name {
        match link {
            Link::Here(index) => Name::Number(self.short(self.first + u64::from(index))),
            Link::Kept(number) => Name::Number(self.short(number)),
            Link::Ahead(layer, index) => Name::Ahead(layer, index),
            Link::Persistent(index) => Name::Persistent(index),
        }
    }

    fn write_moves(&mut self) {
        let moves = std::mem::take(&mut self.moves);
        self.moved += moves.len();
        let Ok(count) = u32::try_from(moves.len()) else {
            self.outgrown = true;
            return;
        };
        for (from, to) in moves {
            self.tape.extend(from.words().into_iter().chain(to.words()));
        }
        self.push_counted(count, code::MOVES);
    }
}

impl Name {
    fn words(self) -> [u32; 3] {
        match self {
            Self::Number(number) => [0, number, 0],
            Self::Ahead(layer, index) => [1, layer.0, index],
            Self::Persistent(index) => [2, index, 0],
        }
    }

    pub(super) fn of_words(words: [u32; 3]) -> Self {
        match words {
            [0, number, _] => Self::Number(number),
            [1, layer, index] => Self::Ahead(LayerId(layer), index),
            [_, index, _] => Self::Persistent(index),
        }
    }
}

/// Where a layer is looked for first.
#[inline]
fn slot(layer: LayerId) -> usize {
    layer.0 as usize % RECENT
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half of a word")]
fn low(word: Word) -> u32 {
    word as u32
}
