//! Everything that was explored, as a graph in main memory.

use std::collections::{BTreeMap, HashMap};

use sweepline_core::{
    ActionId, Control, Interner, LayerId, LayerOpened, Link, Linked, Observer, Started, Wants, Word,
};

use super::claim::{Reader, Undefined};

/// A graph of the instances that were stored: what was read of each, and where its steps lead, in their order.
///
/// Instances are named by their running numbers. One that is waiting to be expanded may have no number yet; the places where
/// links to it stand then make a chain through the list of edges, and get the number when it is known.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    /// Targets: first those of the initial states, then those of the steps of each number. With the highest bit set it has no
    /// number yet, and the rest is the place of the next link to the same instance.
    edges: Vec<u32>,
    /// Where the edges of each number end; those of the initial states come before.
    ends: Vec<u32>,
    initial: u32,
    /// What was read of each number.
    letters: Vec<u32>,
    words: Interner<Word>,
    /// The action of each edge, if somebody wants to know.
    actions: Option<Vec<ActionId>>,
    /// Numbers some of whose atoms have no value.
    undefined: BTreeMap<u32, Vec<Undefined>>,

    /// The first links to the instances of layers ahead, and to persistent states.
    ahead: HashMap<LayerId, Chains>,
    persistent: Chains,
    /// What the former take.
    chained: usize,
    /// The number of the open layer's first instance.
    first: u64,
    /// Where instances that have a number went when the measure changed. Their numbers will not be used.
    gone: HashMap<u32, Goal>,
    changing: bool,
    expanded: u64,
    /// Larger than what can be named here.
    outgrown: bool,

    reader: Reader,
    buffer: Vec<Word>,
}

/// The place of the first link to each instance.
type Chains = Vec<u32>;

/// What an edge or an instance that moved leads to, if that has no number.
#[derive(Clone, Copy, Debug)]
enum Goal {
    Number(u32),
    Ahead(LayerId, u32),
}

/// Marks a place of a chain in the list of edges.
const PENDING: u32 = 1 << 31;
/// The end of a chain.
const NONE: u32 = PENDING - 1;
/// What was read of a number that has not been expanded.
const NOTHING: u32 = u32::MAX;

impl Recorder {
    pub(crate) fn new(reader: Reader, with_actions: bool) -> Self {
        Self {
            edges: Vec::new(),
            ends: Vec::new(),
            initial: 0,
            letters: Vec::new(),
            words: Interner::default(),
            actions: with_actions.then(Vec::new),
            undefined: BTreeMap::new(),
            ahead: HashMap::new(),
            persistent: Vec::new(),
            chained: 0,
            first: 0,
            gone: HashMap::new(),
            changing: false,
            expanded: 0,
            outgrown: false,
            reader,
            buffer: Vec::new(),
        }
    }

    /// Forgets everything that was recorded.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.reader.clone(), self.actions.is_some());
    }

    pub(crate) fn reader(&mut self) -> &mut Reader {
        &mut self.reader
    }

    /// How many numbers there are, some of which may stand for nothing.
    pub(crate) fn numbers(&self) -> u32 {
        short(self.letters.len())
    }

    /// How many instances have been expanded.
    pub(crate) fn expansions(&self) -> u64 {
        self.expanded
    }

    /// Whether something could not be recorded.
    pub(crate) fn is_outgrown(&self) -> bool {
        self.outgrown
    }

    /// What was read of a number, if it has been expanded, as an index into [`Recorder::read`].
    #[inline]
    pub(crate) fn letter(&self, number: u32) -> Option<usize> {
        let letter = *self.letters.get(number as usize)?;
        (letter != NOTHING).then_some(letter as usize)
    }

    /// Everything that was read, each once.
    pub(crate) fn read(&self) -> &Interner<Word> {
        &self.words
    }

    /// Numbers of which some atoms have no value.
    pub(crate) fn undefined(&self) -> &BTreeMap<u32, Vec<Undefined>> {
        &self.undefined
    }

    /// The initial instances, in their order; nothing where one waits.
    pub(crate) fn initial(&self) -> impl Iterator<Item = Option<u32>> {
        let edges = self.edges[..self.initial as usize].iter();
        edges.map(|&target| (target & PENDING == 0).then_some(target))
    }

    /// Where the edges of a number lie.
    #[inline]
    pub(crate) fn edges(&self, number: u32) -> std::ops::Range<u32> {
        let number = number as usize;
        let start = number.checked_sub(1);
        start.map_or(self.initial, |before| self.ends[before])..self.ends[number]
    }

    /// The number an edge leads to, unless it waits without one.
    #[inline]
    pub(crate) fn target(&self, edge: u32) -> Option<u32> {
        let target = self.edges[edge as usize];
        (target & PENDING == 0).then_some(target)
    }

    /// The action of an edge, if actions are recorded.
    #[inline]
    pub(crate) fn action(&self, edge: u32) -> Option<ActionId> {
        self.actions.as_ref().map(|actions| actions[edge as usize])
    }

    /// Adds an edge.
    fn add(&mut self, link: Link) {
        match self.goal(link) {
            Some(Goal::Number(number)) => push(&mut self.edges, number),
            Some(goal @ Goal::Ahead(..)) => {
                let place = short(self.edges.len());
                push(&mut self.edges, PENDING | NONE);
                self.redirect(place, goal);
            }
            None => {
                let Link::Persistent(index) = link else {
                    self.outgrown = true;
                    return;
                };
                let place = short(self.edges.len());
                push(&mut self.edges, PENDING | NONE);
                chain(&mut self.edges, &mut self.persistent, index, place);
            }
        }
    }

    /// What a link leads to, unless that is a persistent state, or has a number that is too large.
    fn goal(&mut self, link: Link) -> Option<Goal> {
        let number = match link {
            Link::Here(index) => self.first + u64::from(index),
            Link::Kept(number) => number,
            Link::Ahead(layer, index) => return Some(Goal::Ahead(layer, index)),
            Link::Persistent(_) => return None,
        };
        match u32::try_from(number) {
            Ok(number) if number < NONE => Some(Goal::Number(number)),
            _ => None,
        }
    }

    /// Gives the links of a chain the number they lead to.
    fn settle(&mut self, mut place: u32, number: u64) {
        let Ok(number) = u32::try_from(number) else {
            self.outgrown = true;
            return;
        };
        if number >= NONE {
            self.outgrown = true;
            return;
        }
        while place != NONE {
            let edge = &mut self.edges[place as usize];
            place = *edge & !PENDING;
            *edge = number;
        }
    }

    /// Lets all links of a chain lead elsewhere.
    fn redirect(&mut self, mut place: u32, goal: Goal) {
        match goal {
            Goal::Number(number) => self.settle(place, number.into()),
            Goal::Ahead(layer, index) => {
                let chains = self.ahead.entry(layer).or_default();
                let before = chains.capacity();
                while place != NONE {
                    let next = self.edges[place as usize] & !PENDING;
                    chain(&mut self.edges, chains, index, place);
                    place = next;
                }
                self.chained += (chains.capacity() - before) * size_of::<u32>();
            }
        }
    }

    /// Takes the chain of an instance.
    fn take_chain(chains: &mut Chains, index: u32) -> u32 {
        let place = chains.get_mut(index as usize);
        place.map_or(NONE, |place| std::mem::replace(place, NONE))
    }

    /// Everything has moved: edges to numbers that will not be used lead elsewhere.
    fn follow(&mut self) {
        let gone = std::mem::take(&mut self.gone);
        if !gone.is_empty() {
            for place in 0..self.edges.len() {
                let edge = &mut self.edges[place];
                if *edge & PENDING == 0
                    && let Some(&goal) = gone.get(edge)
                {
                    *edge = PENDING | NONE;
                    self.redirect(short(place), goal);
                }
            }
        }
        self.persistent.clear();
        self.ahead
            .retain(|_, chains| chains.iter().any(|&place| place != NONE));
        let chained = self.ahead.values().map(Vec::capacity).sum::<usize>();
        self.chained = chained * size_of::<u32>();
        self.changing = false;
    }

    /// Whether there is room for so many more edges.
    fn has_room(&mut self, more: usize) -> bool {
        self.outgrown |= self.edges.len() + more >= NONE as usize;
        !self.outgrown
    }
}

/// Puts an edge at the head of the chain of an instance.
fn chain(edges: &mut [u32], chains: &mut Chains, index: u32, place: u32) {
    let index = index as usize;
    if index >= chains.len() {
        chains.resize(index + 1, NONE);
    }
    edges[place as usize] = PENDING | chains[index];
    chains[index] = place;
}

/// Adds to a list that grows by a quarter at a time: it is the largest there is.
fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 4 + 64);
    }
    list.push(item);
}

/// Lists do not grow beyond what can be named.
fn short(index: usize) -> u32 {
    u32::try_from(index).expect("lists that grow too long are given up")
}

impl Observer for Recorder {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }

    fn started(&mut self, event: Started<'_>) -> Control {
        self.clear();
        for &link in event.links {
            self.add(link);
            if let Some(actions) = &mut self.actions {
                actions.push(ActionId(0));
            }
        }
        self.initial = short(self.edges.len());
        Control::Continue
    }

    fn linked(&mut self, event: Linked<'_>) -> Control {
        if !self.has_room(event.links.len()) {
            return Control::Continue;
        }
        let number = match u32::try_from(event.number) {
            Ok(number) if number < NONE => number,
            _ => {
                self.outgrown = true;
                return Control::Continue;
            }
        };
        // Numbers that are left out stand for nothing.
        let before = short(self.edges.len());
        while self.ends.len() < number as usize {
            push(&mut self.ends, before);
            push(&mut self.letters, NOTHING);
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let undefined = self.reader.read_linked(&event, &mut buffer);
        let letter = self.words.number(&buffer);
        self.buffer = buffer;
        push(&mut self.letters, short(letter));
        if !undefined.is_empty() {
            self.undefined.insert(number, undefined);
        }
        for &link in event.links {
            self.add(link);
        }
        if let Some(actions) = &mut self.actions {
            for &action in event.actions {
                push(actions, action);
            }
        }
        push(&mut self.ends, short(self.edges.len()));
        self.expanded += 1;
        Control::Continue
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        if self.changing {
            self.follow();
        }
        self.first = event.first;
        let roots = event.first - event.roots.len() as u64;
        for (&root, number) in event.roots.iter().zip(roots..) {
            let place = Self::take_chain(&mut self.persistent, root);
            self.settle(place, number);
        }
        let chains = self.ahead.remove(&event.layer).unwrap_or_default();
        self.chained -= chains.capacity() * size_of::<u32>();
        for (place, number) in chains.into_iter().zip(event.first..) {
            if place != NONE {
                self.settle(place, number);
            }
        }
        Control::Continue
    }

    fn column_closed(&mut self, _: sweepline_core::ColumnClosed<'_>) -> Control {
        self.persistent.clear();
        Control::Continue
    }

    fn moved(&mut self, from: Link, to: Link) {
        self.changing = true;
        let Some(to) = self.goal(to) else {
            self.outgrown = true;
            return;
        };
        let place = match from {
            Link::Ahead(layer, index) => self
                .ahead
                .get_mut(&layer)
                .map_or(NONE, |chains| Self::take_chain(chains, index)),
            Link::Persistent(index) => Self::take_chain(&mut self.persistent, index),
            Link::Here(_) | Link::Kept(_) => {
                if let Some(Goal::Number(number)) = self.goal(from) {
                    self.gone.insert(number, to);
                }
                return;
            }
        };
        self.redirect(place, to);
    }

    fn bytes(&self) -> usize {
        let short = self.edges.capacity()
            + self.ends.capacity()
            + self.letters.capacity()
            + self.persistent.capacity();
        let actions = self.actions.as_ref().map_or(0, Vec::capacity);
        (short + actions) * size_of::<u32>()
            + self.chained
            + self.ahead.capacity() * size_of::<(LayerId, Chains)>()
            + self.words.bytes()
            + self.undefined.len() * size_of::<Undefined>() * 2
            + self.gone.capacity() * size_of::<(u32, Goal)>()
    }
}
