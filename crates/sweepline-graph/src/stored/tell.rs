//! Telling where the edges of a block lead, and writing that in codes made for the block.

use std::ops::Range;

use sweepline_core::{ActionId, Link};

use super::bits::{BitWriter, Run, low, zigzag};
use super::block::MOST_EDGES;
use super::dictionary::MOST;
use super::huffman::{Code, Coder, Word};
use super::place::{Kind, LAYERS, Place, halves};
use super::target::{
    HAS_SECOND, KNOWN, Known, MORE, NEW_LAYER, NEXT, NOTHING, NUMBER, OTHER, PERSISTENT, SAME,
    SECONDS, SYMBOLS,
};

/// The edges of a block, those of one node after those of the other.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// Where each leads, as the bits of a [`Place`]. What is told of it takes the place of that. There is room for [`MOST`] more at least.
    targets: Vec<u64>,
    /// Its action, with as much room.
    actions: Vec<ActionId>,
    len: usize,
}

impl Edges {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The actions of all edges, and whatever is behind them.
    pub(crate) fn actions(&self) -> &[ActionId] {
        &self.actions
    }

    /// Adds edges of nodes of this layer. False if one leads to something else than a layer there can be, and then nothing is
    /// added.
    #[inline]
    pub(crate) fn add(&mut self, here: u32, actions: &[ActionId], links: &[Link]) -> bool {
        let end = self.len + links.len();
        if end + MOST > self.targets.len() {
            self.make_room(end + MOST);
        }
        let mut layers = 0;
        let targets = self.targets[self.len..end].iter_mut();
        let rooms = targets.zip(&mut self.actions[self.len..end]);
        for ((target, room), (&action, &link)) in rooms.zip(actions.iter().zip(links)) {
            let (layer, index) = match link {
                Link::Here(index) => (here, index),
                Link::Ahead(layer, index) => (layer.0, index),
                // Beyond all layers.
                Link::Kept(_) | Link::Persistent(_) => (u32::MAX, 0),
            };
            layers |= layer;
            *target = u64::from(layer) << 32 | u64::from(index);
            *room = action;
        }
        // A power of two: what is not below it has a bit that nothing below it has.
        let is_frequent = layers < LAYERS;
        if is_frequent {
            self.len = end;
        }
        is_frequent
    }

    #[cold]
    fn make_room(&mut self, len: usize) {
        let len = len.next_power_of_two();
        self.targets.resize(len, 0);
        self.actions.resize(len, ActionId(0));
    }

    /// Adds an edge.
    pub(crate) fn push(&mut self, action: ActionId, target: Place) {
        if self.len + MOST >= self.targets.len() {
            self.make_room(self.len + 1 + MOST);
        }
        self.targets[self.len] = target.bits();
        self.actions[self.len] = action;
        self.len += 1;
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    pub(crate) fn bytes(&self) -> usize {
        self.targets.capacity() * size_of::<u64>() + self.actions.capacity() * size_of::<ActionId>()
    }
}

/// As many edges, all of which lead to one layer, are told more quickly.
const MANY: usize = 64;

/// Tells where edges lead. All tables are used again for the next block.
#[derive(Debug)]
pub(crate) struct Teller {
    /// What is known of every action there is.
    tracks: Vec<Track>,
    /// What is known of some layers, by their last bits.
    layers: Box<[Known; KNOWN]>,
    /// Layers that something has led to, in the whole file.
    seen: u32,
    /// By the place of each action, the last number it led to; and the last persistent state that anything led to.
    numbers: Vec<u64>,
    persistent: u64,
    /// The actions of the block, by their places.
    actions: Vec<u32>,
    /// How often each symbol of each action occurs.
    frequencies: Vec<u32>,
    seconds: Vec<Second>,
    /// The symbols of each action that occur, and how often; and where those of each action end.
    symbols: Vec<(u32, u32)>,
    ends: Vec<usize>,
    entries: Vec<Entry>,
}

/// The last edge of an action in this block.
#[derive(Clone, Copy, Debug)]
struct Track {
    /// Where the room of the action begins in tables of symbols.
    room: u32,
    /// How many layers on it led; a layer that comes before another is as many on in numbers of 32 bits.
    further: u32,
    /// Where it led.
    to: u32,
    index: u32,
}

/// An action that is not in the block. It leads further than there can be layers, so that no edge leads where it is expected to.
const ABSENT: Track = Track {
    room: u32::MAX,
    further: LAYERS,
    to: 0,
    index: 0,
};

impl Known {
    /// Tells of an edge to this layer, which the last one of its action leads one to expect.
    #[inline]
    fn tell(&mut self, track: &mut Track, index: u32) -> Told {
        let near = if self.layer == track.to {
            track.index
        } else {
            self.last
        };
        let rest = zigzag(i64::from(index) - i64::from(near));
        // As many bits as it has; and none is needed if it is the next one.
        let mut symbol = u32::from(SAME) + short_size(rest);
        if u64::from(index) == self.next {
            symbol = NEXT.into();
        }
        self.next = self.next.max(u64::from(index) + 1);
        self.last = index;
        track.to = self.layer;
        track.index = index;
        Told::new(track.room, symbol, rest)
    }
}

/// What is told of an edge.
#[derive(Clone, Copy, Debug)]
struct Told {
    /// Its symbol in the room of its action.
    key: u32,
    /// The difference whose size the symbol tells.
    rest: u64,
}

impl Told {
    #[inline]
    fn new(room: u32, symbol: u32, rest: u64) -> Self {
        // An action that leads somewhere has room.
        let key = room + symbol;
        Self { key, rest }
    }

    /// Counts its symbol.
    #[inline]
    fn counted(self, frequencies: &mut [u32]) -> u64 {
        frequencies[self.key as usize] += 1;
        u64::from(self.key) | self.rest << KEY_BITS
    }
}

/// What follows some symbols: the next new instance of a layer, or the size of a difference and the difference.
#[derive(Clone, Copy, Debug)]
struct Second {
    symbol: u8,
    rest: u64,
}

impl Second {
    /// The next new instance.
    const NEXT: Self = Self { symbol: 0, rest: 0 };

    fn of(difference: i64) -> Self {
        let rest = zigzag(difference);
        Self {
            symbol: u8::try_from(1 + size(rest)).unwrap_or(u8::MAX),
            rest,
        }
    }
}

/// How many bits a number has.
#[inline]
fn size(value: u64) -> u32 {
    64 - value.leading_zeros()
}

/// The same of a number below 2^52: what a floating-point number tells is quicker than counting bits where the processor has no
/// instruction for that which can be relied on.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "so small numbers are exact")]
fn short_size(value: u64) -> u32 {
    debug_assert!(value < 1 << 52);
    // One more bit, so that there is a number to tell the size of; the exponents of 1 and 2 differ by one.
    let doubled = (value << 1 | 1).cast_signed() as f64;
    (doubled.to_bits() >> 52) as u32 - 1023
}

/// Room for the symbols of an action in tables. What is told of an edge is the *key* of its symbol in these tables, and above as many bits the
/// difference. A power of two would be found more quickly; but then the same symbols of all actions would have the same few places in the
/// cache.
const ROOM: usize = SYMBOLS;
const KEY_BITS: u32 = 30;
const _: () = assert!(MOST_EDGES * ROOM < 1 << KEY_BITS, "all actions have room");

#[inline]
fn key_of(told: u64) -> usize {
    usize::try_from(told & low(KEY_BITS)).unwrap_or(usize::MAX)
}

/// How a symbol of an action is written.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The bits of the difference that are written.
    mask: u32,
    word: u16,
    /// How long the word is, and how long word and difference are together. The highest bit says that something comes second.
    length: u8,
    total: u8,
}

impl Entry {
    const SECOND: u8 = 0x80;

    fn new(symbol: usize, (word, length): Word) -> Self {
        let more = MORE[symbol];
        let second = if HAS_SECOND[symbol] { Self::SECOND } else { 0 };
        Self {
            mask: u32::try_from(low(more.into())).unwrap_or(u32::MAX),
            word,
            length,
            total: (length + more) | second,
        }
    }
}

impl Teller {
    pub(crate) fn new() -> Self {
        Self {
            tracks: Vec::new(),
            layers: Box::new([NOTHING; KNOWN]),
            seen: 0,
            numbers: Vec::new(),
            persistent: 0,
            actions: Vec::new(),
            frequencies: Vec::new(),
            seconds: Vec::new(),
            symbols: Vec::new(),
            ends: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// How many layers edges have led to.
    pub(crate) fn seen(&self) -> u32 {
        self.seen
    }

    /// Tells where some of the edges lead, which come from this layer. What is told takes the place of what it is about.
    #[inline]
    pub(crate) fn tell(&mut self, from: u32, edges: &mut Edges, range: Range<usize>) {
        let targets = &mut edges.targets[range.clone()];
        let actions = &edges.actions[range];
        // Other kinds than layers have higher bits set, and are no layers there can be. Few edges are not worth a look at all of them.
        let is_inside =
            targets.len() >= MANY && targets.iter().all(|target| halves(*target).0 == from);
        let mut at = 0;
        loop {
            let (actions_left, targets_left) = (&actions[at..], &mut targets[at..]);
            at += if is_inside {
                self.tell_inside(from, actions_left, targets_left)
            } else {
                self.tell_expected(from, actions_left, targets_left)
            };
            let Some(target) = targets.get_mut(at) else {
                return;
            };
            let told = self.tell_unexpected(actions[at], from, Place::trusted(*target));
            *target = told.counted(&mut self.frequencies);
            at += 1;
        }
    }

    /// The same until an edge does not lead as far as the last one of its action, or to no layer. Says how many were told.
    #[inline]
    fn tell_expected(&mut self, from: u32, actions: &[ActionId], targets: &mut [u64]) -> usize {
        let (tracks, layers) = (&mut self.tracks[..], &mut *self.layers);
        let frequencies = &mut self.frequencies[..];
        for (at, (&action, target)) in actions.iter().zip(&mut *targets).enumerate() {
            let (layer, index) = halves(*target);
            let known = &mut layers[layer as usize % KNOWN];
            let Some(track) = tracks.get_mut(action.0 as usize) else {
                return at;
            };
            if layer != from.wrapping_add(track.further) {
                return at;
            }
            if layer != known.layer {
                // What is no layer is not to be taken for one that is too far.
                if layer >= LAYERS {
                    return at;
                }
                *known = Known { layer, ..NOTHING };
                self.seen = self.seen.max(layer + 1);
            }
            *target = known.tell(track, index).counted(frequencies);
        }
        targets.len()
    }

    /// The same where all edges lead to the layer they come from: what is known of that stays in registers then.
    #[inline(never)]
    fn tell_inside(&mut self, from: u32, actions: &[ActionId], targets: &mut [u64]) -> usize {
        let (tracks, frequencies) = (&mut self.tracks[..], &mut self.frequencies[..]);
        let mut known = self.layers[from as usize % KNOWN];
        if known.layer != from {
            return 0;
        }
        let mut told = targets.len();
        for (at, (&action, target)) in actions.iter().zip(targets).enumerate() {
            let track = tracks.get_mut(action.0 as usize);
            let Some(track) = track.filter(|track| track.further == 0) else {
                told = at;
                break;
            };
            let (_, index) = halves(*target);
            *target = known.tell(track, index).counted(frequencies);
        }
        self.layers[from as usize % KNOWN] = known;
        told
    }

    /// Tells of an edge of an action that is new, or that leads to another layer than the last time, or to none.
    #[inline(never)]
    fn tell_unexpected(&mut self, action: ActionId, from: u32, target: Place) -> Told {
        let track = self.track(action);
        let (layer, index) = match target.kind() {
            Kind::Layer(layer, index) => (layer, index),
            Kind::Number(number) => {
                let last = &mut self.numbers[track.room as usize / ROOM];
                let difference = number.wrapping_sub(std::mem::replace(last, number));
                self.seconds.push(Second::of(difference.cast_signed()));
                return Told::new(track.room, NUMBER.into(), 0);
            }
            Kind::Persistent(index) => {
                let last = std::mem::replace(&mut self.persistent, index);
                let difference = index.wrapping_sub(last);
                self.seconds.push(Second::of(difference.cast_signed()));
                return Told::new(track.room, PERSISTENT.into(), 0);
            }
        };
        let expected = from.wrapping_add(track.further);
        let slot = &mut self.layers[layer as usize % KNOWN];
        let known = if slot.layer == layer { *slot } else { NOTHING };
        let is_next = u64::from(index) == known.next;
        let (symbol, rest) = if layer == expected && is_next {
            (NEXT.into(), 0)
        } else if layer == expected {
            let near = if layer == track.to {
                track.index
            } else {
                known.last
            };
            let rest = zigzag(i64::from(index) - i64::from(near));
            (u32::from(SAME) + size(rest), rest)
        } else if layer == self.seen && index == 0 {
            (NEW_LAYER.into(), 0)
        } else {
            self.seconds.push(if is_next {
                Second::NEXT
            } else {
                Second::of(i64::from(index) - i64::from(known.last))
            });
            let rest = zigzag(i64::from(layer) - i64::from(expected.cast_signed()));
            (u32::from(OTHER) + size(rest), rest)
        };
        *slot = Known {
            layer,
            last: index,
            next: known.next.max(u64::from(index) + 1),
        };
        self.tracks[action.0 as usize] = Track {
            room: track.room,
            further: layer.wrapping_sub(from),
            to: layer,
            index,
        };
        self.seen = self.seen.max(layer + 1);
        Told::new(track.room, symbol, rest)
    }

    /// What is known of an action, which is in the block from now on.
    fn track(&mut self, action: ActionId) -> Track {
        let index = action.0 as usize;
        if self.tracks.len() <= index {
            self.tracks.resize(index + 1, ABSENT);
        }
        let track = &mut self.tracks[index];
        if track.room == ABSENT.room {
            let place = self.actions.len();
            track.room = u32::try_from(place * ROOM).expect("all actions have room");
            track.further = 0;
            self.actions.push(action.0);
            self.frequencies.resize((place + 1) * ROOM, 0);
            self.numbers.push(0);
        }
        *track
    }

    /// Writes a code for what comes second, one for most actions, and one for each of the actions that deserve it. These are shown
    /// in the order in which whoever reads finds them, some of them several times, until none is missing.
    pub(crate) fn write_codes(
        &mut self,
        coder: &mut Coder,
        show: impl FnOnce(&mut dyn FnMut(u32) -> bool),
        out: &mut BitWriter,
    ) -> Seconds {
        let seconds = Seconds::of(&self.seconds, coder);
        seconds.code.describe(out);
        self.list_symbols();
        let places = 0..self.actions.len();
        let mut all = [0; SYMBOLS];
        for &(symbol, count) in &self.symbols {
            all[symbol as usize] += count;
        }
        let common = coder.code(occurring(&all));
        let mut lengths = [0_u8; SYMBOLS];
        for (symbol, word) in common.words() {
            lengths[symbol as usize] = word.1;
        }
        let codes: Vec<Option<Code>> = places
            .map(|place| {
                let own = self.own_code(place, &lengths, coder)?;
                for &(symbol, count) in self.symbols_of(place) {
                    all[symbol as usize] -= count;
                }
                Some(own)
            })
            .collect();
        let common = coder.code(occurring(&all));
        common.describe(out);
        let mut is_told = vec![false; codes.len()];
        let mut left = codes.len();
        show(&mut |action| {
            let place = self.tracks[action as usize].room as usize / ROOM;
            if !std::mem::replace(&mut is_told[place], true) {
                out.put(codes[place].is_some().into(), 1);
                if let Some(code) = &codes[place] {
                    code.describe(out);
                }
                left -= 1;
            }
            left > 0
        });
        self.entries.resize(codes.len() * ROOM, Entry::default());
        for (code, room) in codes.iter().zip(self.entries.chunks_exact_mut(ROOM)) {
            for (symbol, word) in code.as_ref().unwrap_or(&common).words() {
                room[symbol as usize] = Entry::new(symbol as usize, word);
            }
        }
        seconds
    }

    fn list_symbols(&mut self) {
        self.symbols.clear();
        self.ends.clear();
        for room in self.frequencies.chunks_exact(ROOM) {
            self.symbols.extend(occurring(room));
            self.ends.push(self.symbols.len());
        }
    }

    fn symbols_of(&self, place: usize) -> &[(u32, u32)] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.symbols[start..self.ends[place]]
    }

    /// A code for an action of its own, if that takes less than the one for all, whose words have these lengths.
    fn own_code(&self, place: usize, lengths: &[u8; SYMBOLS], coder: &mut Coder) -> Option<Code> {
        let symbols = self.symbols_of(place);
        let length =
            |&(symbol, count): &(u32, u32)| u64::from(count) * u64::from(lengths[symbol as usize]);
        let common: u64 = symbols.iter().map(length).sum();
        if common <= Code::least_cost(symbols.len()) {
            return None;
        }
        let own = coder.code(symbols.iter().copied());
        (own.cost(symbols.iter().map(|(_, count)| *count)) < common).then_some(own)
    }

    /// Writes what was told of edges.
    pub(crate) fn write(&self, edges: &Edges, seconds: &Seconds, out: &mut BitWriter) {
        let (mut told, mut rest) = (&edges.targets[..edges.len], self.seconds.iter());
        let entries = &self.entries[..];
        while !told.is_empty() {
            let written = out.put_run(told, |told, run| {
                let entry = entries[key_of(told)];
                let difference = told >> KEY_BITS & u64::from(entry.mask);
                let word = u64::from(entry.word) | difference << entry.length;
                run.put(word, u32::from(entry.total & !Entry::SECOND));
                if entry.total & Entry::SECOND != 0
                    && let Some(&second) = rest.next()
                {
                    seconds.put(second, run);
                }
            });
            told = &told[written..];
        }
    }

    /// Begins the next block.
    pub(crate) fn clear(&mut self) {
        for &action in &self.actions {
            self.tracks[action as usize] = ABSENT;
        }
        self.layers.fill(NOTHING);
        self.persistent = 0;
        self.numbers.clear();
        self.actions.clear();
        self.frequencies.clear();
        self.seconds.clear();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.tracks.capacity() * size_of::<Track>()
            + (self.actions.capacity() + self.frequencies.capacity()) * size_of::<u32>()
            + self.numbers.capacity() * size_of::<u64>()
            + self.entries.capacity() * size_of::<Entry>()
            + self.seconds.capacity() * size_of::<Second>()
            + self.symbols.capacity() * size_of::<(u32, u32)>()
            + self.ends.capacity() * size_of::<usize>()
    }
}

/// The symbols that occur, and how often.
fn occurring(frequencies: &[u32]) -> impl Iterator<Item = (u32, u32)> + Clone {
    let all = (0..).zip(frequencies.iter().copied());
    all.filter(|(_, count)| *count > 0)
}

/// A code for what comes second.
#[derive(Debug)]
pub(crate) struct Seconds {
    code: Code,
    words: [Word; SECONDS],
}

impl Seconds {
    fn of(all: &[Second], coder: &mut Coder) -> Self {
        let mut frequencies = [0; SECONDS];
        for second in all {
            frequencies[usize::from(second.symbol)] += 1;
        }
        let code = coder.code(occurring(&frequencies));
        let mut words = [(0, 0); SECONDS];
        for (symbol, word) in code.words() {
            words[symbol as usize] = word;
        }
        Self { code, words }
    }

    #[inline]
    fn put(&self, second: Second, run: &mut Run<'_>) {
        let (word, length) = self.words[usize::from(second.symbol)];
        run.put(word.into(), length.into());
        let more = u32::from(second.symbol.saturating_sub(2));
        run.put_long(second.rest & low(more), more);
    }
}
