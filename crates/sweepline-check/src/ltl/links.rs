//! Links as they are told, made a graph.

use std::collections::HashMap;
use std::ops::Range;

use sweepline_core::{ActionId, LayerId, LayerOpened, Link};
use sweepline_explore::{LogPlace, LongList};

/// The steps of instances, in their order, and where they lead.
///
/// Instances are named by their running numbers, from the first that is kept on. One that is waiting to be expanded may have no
/// number yet; the places where links to it stand then make a chain through the list of edges, and get the number when it is
/// known. A node costs eight bytes and an edge four, in main memory or [on disk](Links::spill).
#[derive(Debug)]
pub(crate) struct Links {
    /// Targets: first those of initial states, if there are any, then those of the steps of each number. With the highest bit
    /// set it has no number yet, and the rest is the place of the next link to the same instance.
    edges: LongList,
    /// Where the edges of each number end; those of initial states come before.
    ends: LongList,
    initial: u32,
    /// What is known of each number.
    labels: LongList,
    /// The action of each edge, if somebody wants to know.
    actions: Option<LongList>,
    /// The first number.
    base: u64,

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
    /// The first layer that something went to since the measure began to change.
    fresh: Option<LayerId>,
    /// Whether a state may have several numbers.
    repeats: bool,
    /// Larger than what can be named here.
    outgrown: bool,
}

/// The place of the first link to each instance.
type Chains = Vec<u32>;

/// What an edge leads to, or an instance that moved.
#[derive(Clone, Copy, Debug)]
enum Goal {
    Number(u32),
    Ahead(LayerId, u32),
    Persistent(u32),
    /// Nothing that is kept.
    Elsewhere,
    /// Something that cannot be named here.
    Beyond,
}

/// Marks a place of a chain in the list of edges.
const PENDING: u32 = 1 << 31;
/// The end of a chain.
const NONE: u32 = PENDING - 1;
/// The label of a number that has not been expanded.
const NOTHING: u32 = u32::MAX;

impl Links {
    pub(crate) fn new(with_actions: bool) -> Self {
        Self {
            edges: LongList::default(),
            ends: LongList::default(),
            initial: 0,
            labels: LongList::default(),
            actions: with_actions.then(LongList::default),
            base: 0,
            ahead: HashMap::new(),
            persistent: Vec::new(),
            chained: 0,
            first: 0,
            gone: HashMap::new(),
            changing: false,
            fresh: None,
            repeats: false,
            outgrown: false,
        }
    }

    /// Forgets everything but which layer is open. Numbers count from this one now.
    pub(crate) fn restart(&mut self, base: u64) {
        *self = Self {
            base,
            first: self.first,
            ..Self::new(self.actions.is_some())
        };
    }

    /// Moves nodes and edges to disk, but for about so many bytes; see [`LongList::spill`].
    pub(crate) fn spill(&mut self, place: &LogPlace, bytes: usize) {
        self.edges.spill(place, bytes / 2);
        self.ends.spill(place, bytes / 8);
        self.labels.spill(place, bytes / 8);
        if let Some(actions) = &mut self.actions {
            actions.spill(place, bytes / 4);
        }
    }

    /// Whether nodes and edges lie on disk.
    pub(crate) fn is_spilled(&self) -> bool {
        self.edges.is_spilled()
    }

    /// Why what lies on disk was lost, if it was. Nothing that was found since then counts.
    pub(crate) fn failure(&self) -> Option<String> {
        self.lists().find_map(LongList::failure)
    }

    fn lists(&self) -> impl Iterator<Item = &LongList> {
        let always = [&self.edges, &self.ends, &self.labels];
        always.into_iter().chain(&self.actions)
    }

    /// Bytes on disk.
    pub(crate) fn disk_bytes(&self) -> u64 {
        self.lists().map(LongList::disk_bytes).sum()
    }

    /// The first number.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// How many numbers there are, some of which may stand for nothing.
    pub(crate) fn numbers(&self) -> u32 {
        short(self.labels.len())
    }

    /// Whether something could not be recorded.
    pub(crate) fn is_outgrown(&self) -> bool {
        self.outgrown
    }

    /// Whether a state may have several numbers: some step led back, or the measure changed.
    pub(crate) fn has_repeats(&self) -> bool {
        self.repeats
    }

    /// What is known of a number, if it has been expanded.
    #[inline]
    pub(crate) fn label(&self, number: u32) -> Option<usize> {
        let number = number as usize;
        if number >= self.labels.len() {
            return None;
        }
        let label = self.labels.get(number);
        (label != NOTHING).then_some(label as usize)
    }

    /// Whether it is known where runs begin. Otherwise nothing is known of any run: there may not even have been room for initial states.
    pub(crate) fn has_begun(&self) -> bool {
        self.initial > 0
    }

    /// The initial instances, in their order; nothing where one waits.
    pub(crate) fn initial(&self) -> impl Iterator<Item = Option<u32>> {
        (0..self.initial).map(|edge| self.target(edge))
    }

    /// Where the edges of a number lie.
    #[inline]
    pub(crate) fn edges(&self, number: u32) -> Range<u32> {
        let number = number as usize;
        let before = number.checked_sub(1);
        let start = before.map_or(self.initial, |before| self.ends.get(before));
        let end = self.ends.get(number);
        if start.max(end) == LongList::LOST {
            return 0..0;
        }
        start..end
    }

    /// The number an edge leads to, unless it waits without one.
    #[inline]
    pub(crate) fn target(&self, edge: u32) -> Option<u32> {
        let target = self.edges.get(edge as usize);
        (target & PENDING == 0).then_some(target)
    }

    /// The action of an edge, if actions are recorded.
    #[inline]
    pub(crate) fn action(&self, edge: u32) -> Option<ActionId> {
        let actions = self.actions.as_ref();
        actions.map(|actions| ActionId(actions.get(edge as usize)))
    }

    /// The initial states are stored.
    pub(crate) fn start(&mut self, links: &[Link]) {
        for &link in links {
            self.add(ActionId(0), link);
        }
        self.initial = short(self.edges.len());
    }

    /// Begins the next node, which has a larger number than those before. False if it cannot be kept.
    pub(crate) fn begin(&mut self, number: u64, label: usize, edges: usize) -> bool {
        let relative = u32::try_from(number - self.base).unwrap_or(NONE);
        let label = u32::try_from(label).unwrap_or(NOTHING);
        self.outgrown |= self.edges.len() + edges >= NONE as usize || relative >= NONE;
        self.outgrown |= label == NOTHING;
        if self.outgrown {
            return false;
        }
        // Numbers that are left out stand for nothing.
        let before = short(self.edges.len());
        while self.ends.len() < relative as usize {
            self.ends.push(before);
            self.labels.push(NOTHING);
        }
        self.labels.push(label);
        self.ends.push(before);
        true
    }

    /// Adds an edge to the node that was begun last.
    #[inline]
    pub(crate) fn add(&mut self, action: ActionId, link: Link) {
        let (place, goal) = (short(self.edges.len()), self.goal(link));
        if let Goal::Number(number) = goal {
            self.edges.push(number);
        } else {
            self.edges.push(PENDING | NONE);
            self.redirect(place, goal);
        }
        if let Some(actions) = &mut self.actions {
            actions.push(action.0);
        }
        if let Some(last) = self.ends.len().checked_sub(1) {
            self.ends.set(last, place + 1);
        }
    }

    #[inline]
    fn goal(&self, link: Link) -> Goal {
        let number = match link {
            Link::Here(index) => self.first + u64::from(index),
            Link::Kept(number) => number,
            Link::Ahead(layer, index) => return Goal::Ahead(layer, index),
            Link::Persistent(index) => return Goal::Persistent(index),
        };
        let Some(number) = number.checked_sub(self.base) else {
            return Goal::Elsewhere;
        };
        match u32::try_from(number) {
            Ok(number) if number < NONE => Goal::Number(number),
            _ => Goal::Beyond,
        }
    }

    /// Gives the links of a chain the number they lead to.
    fn settle(&mut self, place: u32, number: u64) {
        if place != NONE {
            let goal = self.goal(Link::Kept(number));
            self.redirect(place, goal);
        }
    }

    /// Lets all links of a chain lead somewhere.
    fn redirect(&mut self, mut place: u32, goal: Goal) {
        let (chains, index) = match goal {
            Goal::Ahead(layer, index) => (self.ahead.entry(layer).or_default(), index),
            Goal::Persistent(index) => {
                self.repeats = true;
                (&mut self.persistent, index)
            }
            Goal::Number(_) | Goal::Elsewhere | Goal::Beyond => {
                self.outgrown |= matches!(goal, Goal::Beyond);
                let to = match goal {
                    Goal::Number(number) => number,
                    _ => PENDING | NONE,
                };
                while place != NONE {
                    let next = self.edges.get(place as usize) & !PENDING;
                    self.edges.set(place as usize, to);
                    place = next;
                }
                return;
            }
        };
        let before = chains.capacity();
        while place != NONE {
            // What was lost ends every chain.
            let next = self.edges.get(place as usize) & !PENDING;
            chain(&mut self.edges, chains, index, place);
            place = next;
        }
        self.chained += (chains.capacity() - before) * size_of::<u32>();
    }

    /// Takes the chain of an instance.
    fn take_chain(chains: &mut Chains, index: u32) -> u32 {
        let place = chains.get_mut(index as usize);
        place.map_or(NONE, |place| std::mem::replace(place, NONE))
    }

    /// A layer has been opened: its instances have numbers, and so have its roots.
    pub(crate) fn layer_opened(&mut self, event: &LayerOpened<'_>) {
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
            self.settle(place, number);
        }
    }

    /// A column has been closed: indices of persistent states count anew.
    pub(crate) fn column_closed(&mut self) {
        self.chained -= self.persistent.capacity() * size_of::<u32>();
        self.persistent = Vec::new();
    }

    /// The measure changes, and an instance that waits goes elsewhere.
    ///
    /// If it changes again before a layer is opened, everything that waits is where it went the first time: in layers that were
    /// new then.
    pub(crate) fn moved(&mut self, from: Link, to: Link) {
        if let (Link::Ahead(layer, _), Some(fresh)) = (from, self.fresh)
            && layer >= fresh
        {
            self.follow();
        }
        self.changing = true;
        self.repeats = true;
        let to = self.goal(to);
        if let Goal::Ahead(layer, _) = to {
            self.fresh = Some(self.fresh.map_or(layer, |fresh| fresh.min(layer)));
        }
        let place = match self.goal(from) {
            Goal::Ahead(layer, index) => self
                .ahead
                .get_mut(&layer)
                .map_or(NONE, |chains| Self::take_chain(chains, index)),
            Goal::Persistent(index) => Self::take_chain(&mut self.persistent, index),
            Goal::Number(number) => {
                self.gone.insert(number, to);
                return;
            }
            Goal::Elsewhere => return,
            Goal::Beyond => {
                self.outgrown = true;
                return;
            }
        };
        self.redirect(place, to);
    }

    /// Everything has moved: edges to numbers that will not be used lead elsewhere.
    fn follow(&mut self) {
        let gone = std::mem::take(&mut self.gone);
        if !gone.is_empty() {
            for place in 0..self.edges.len() {
                let edge = self.edges.get(place);
                if edge & PENDING == 0
                    && let Some(&goal) = gone.get(&edge)
                {
                    self.edges.set(place, PENDING | NONE);
                    self.redirect(short(place), goal);
                }
            }
        }
        self.persistent = Vec::new();
        self.ahead
            .retain(|_, chains| chains.iter().any(|&place| place != NONE));
        let chained = self.ahead.values().map(Vec::capacity).sum::<usize>();
        self.chained = chained * size_of::<u32>();
        (self.changing, self.fresh) = (false, None);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lists().map(LongList::bytes).sum::<usize>()
            + self.chained
            + self.ahead.capacity() * size_of::<(LayerId, Chains)>()
            + self.gone.capacity() * size_of::<(u32, Goal)>()
    }
}

/// Puts an edge at the head of the chain of an instance.
fn chain(edges: &mut LongList, chains: &mut Chains, index: u32, place: u32) {
    let index = index as usize;
    if index >= chains.len() {
        chains.resize(index + 1, NONE);
    }
    edges.set(place as usize, PENDING | chains[index]);
    chains[index] = place;
}

/// Lists do not grow beyond what can be named.
#[inline]
fn short(index: usize) -> u32 {
    u32::try_from(index).expect("lists that grow too long are given up")
}
