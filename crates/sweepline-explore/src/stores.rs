//! Everything that is stored: the open layer, the layers ahead and behind, the persistent states.
//!
//! The stores know where a state goes when it arrives, which layer comes next, and what can be forgotten when a layer, a
//! sweep or a column ends. What arrives in which order is up to whoever drives them.

use std::collections::VecDeque;

use sweepline_core::{Key, Link, Word};

use crate::front::{Arrival, Front, FrontPlace};
use crate::index::Probe;
use crate::keys::OpenedKeys;
use crate::layer::Layer;
use crate::memory::{self, Budget, Full};
use crate::persistent::Persistent;
use crate::record::{Rewrite, Width};
use crate::sweep::Halt;

/// All states that are stored, by where they are.
///
/// A persistent state is never in a layer, so stored states are counted once.
pub(crate) struct Stores {
    pub(crate) budget: Budget,
    row_bits: u32,
    /// How many rows closed layers stay behind the sweep-line.
    rows_kept: u64,
    /// Whether every instance can be named, for links.
    linking: bool,

    /// The layer being explored, or the one that was closed last.
    pub(crate) open: Numbered,
    /// Persistent states of the open layer that this sweep starts from; they are numbered before its states.
    pub(crate) roots: Vec<u32>,
    pub(crate) front: Front,
    pub(crate) persistent: Persistent,
    /// Closed layers that are still within the window, lowest first.
    pub(crate) window: VecDeque<Numbered>,
    windowed: usize,
    /// The keys that were opened in this column.
    opened: OpenedKeys,
    /// Sweeps of the open column so far; none if no column is open.
    sweeps: u64,
}

/// A layer whose states have numbers.
#[derive(Debug, Default)]
pub(crate) struct Numbered {
    pub(crate) key: Key,
    pub(crate) layer: Layer,
    /// The number of the first state, had all of them been numbered in this layer.
    pub(crate) first: u64,
    /// How many states at its head were expanded before it was opened.
    pub(crate) kept: usize,
    /// The numbers these have, if somebody wants links.
    head: Vec<u64>,
}

/// What a link is before anybody has set it.
pub(crate) const NO_LINK: Link = Link::Kept(u64::MAX);

/// Where a state is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Open(usize),
    Front(FrontPlace),
    /// Which layer of the window, and where in it.
    Window(usize, usize),
    Persistent(usize),
}

/// Where a state is stored now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored<P> {
    pub(crate) place: P,
    /// Whether it was not there before.
    pub(crate) new: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A layer of this sweep.
    Layer(Key),
    /// Another sweep of the column: there are new persistent states.
    Sweep,
    /// The column is explored, and this key lies in the next one.
    Column(Key),
    /// Nothing is left.
    Nothing,
}

impl Numbered {
    /// The number of a state.
    pub(crate) fn number(&self, index: usize) -> u64 {
        match self.head.get(index) {
            Some(&number) => number,
            None => self.first + index as u64,
        }
    }

    /// Puts a state that has been expanded under this number at the head; false if it is there.
    pub(crate) fn keep<W: Width>(
        &mut self,
        width: W,
        state: &[Word],
        number: Option<u64>,
        budget: &mut Budget,
    ) -> Result<bool, Full> {
        if self.head.len() == self.head.capacity() && number.is_some() {
            memory::grow(&mut self.head, 1, budget)?;
        }
        let hash = width.hash(state);
        let stored = self.layer.insert(width, state, hash, None, budget)?;
        if stored.new {
            self.head.extend(number);
            self.kept += 1;
        }
        Ok(stored.new)
    }

    pub(crate) fn release(&mut self, budget: &mut Budget) {
        self.layer.release(budget);
        self.forget_head(budget);
    }

    fn forget_head(&mut self, budget: &mut Budget) {
        memory::release(&mut self.head, budget);
        self.kept = 0;
    }
}

impl Stores {
    pub(crate) fn new(row_bits: u32, rows_kept: u64, memory: Option<usize>) -> Self {
        Self {
            budget: Budget::new(memory),
            row_bits,
            rows_kept,
            linking: false,
            open: Numbered::default(),
            roots: Vec::new(),
            front: Front::default(),
            persistent: Persistent::default(),
            window: VecDeque::new(),
            windowed: 0,
            opened: OpenedKeys::default(),
            sweeps: 0,
        }
    }

    /// From now on every instance can be named. Nothing must be stored yet.
    pub(crate) fn start_linking(&mut self) {
        self.linking = true;
        self.front.start_linking();
        self.persistent.start_linking();
    }

    pub(crate) fn is_linking(&self) -> bool {
        self.linking
    }

    /// The key of the open layer.
    #[inline]
    pub(crate) fn key(&self) -> Key {
        self.open.key
    }

    pub(crate) fn row_bits(&self) -> u32 {
        self.row_bits
    }

    /// Sweeps of the open column so far; none if no column is open.
    pub(crate) fn sweeps(&self) -> u64 {
        self.sweeps
    }

    /// States stored at this moment.
    pub(crate) fn len(&self) -> u64 {
        (self.open.layer.len() + self.windowed + self.front.len() + self.persistent.len()) as u64
    }

    /// Roots and states of the open layer.
    #[inline]
    pub(crate) fn open_len(&self) -> usize {
        self.roots.len() + self.open.layer.len()
    }

    /// The number of the first root of the open layer, or of its first state.
    #[inline]
    pub(crate) fn base(&self) -> u64 {
        self.open.first - self.roots.len() as u64
    }

    /// A root or state of the open layer, roots first.
    #[inline]
    pub(crate) fn get<W: Width>(&self, width: W, position: usize) -> &[Word] {
        if let Some(&root) = self.roots.get(position) {
            return self.persistent.states.records.get(width, root as usize);
        }
        let index = position - self.roots.len();
        self.open.layer.records.get(width, index)
    }

    /// Whether a state with this key can only be in the open layer, if it is stored.
    #[inline]
    pub(crate) fn is_here(&self, key: Key) -> bool {
        key == self.open.key && self.persistent.is_empty()
    }

    /// Stores a state ahead of the sweep-line, before any layer is opened.
    pub(crate) fn put_ahead<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
    ) -> Result<Place, Full> {
        let stored = self.front.insert(width, arrival, &mut self.budget)?;
        Ok(Place::Front(stored.place))
    }

    /// Stores a state that was reached from the open layer, unless it is known. A new state of the open layer gets its
    /// number at once, and its origin is for the log.
    ///
    /// A state below the sweep-line may have been forgotten, so "not stored" does not mean "new". Keeping every
    /// such target while its column is open is what makes the sweeps terminate.
    pub(crate) fn arrive<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
    ) -> Result<Stored<Place>, Full> {
        let Arrival {
            key, state, hash, ..
        } = arrival;
        if key < self.open.key {
            return self.arrive_behind(width, arrival);
        }
        if !self.persistent.is_empty()
            && let Probe::Found(index) = self.persistent.states.probe(width, state, hash)
        {
            return Ok(known(Place::Persistent(index)));
        }
        if key == self.open.key {
            let layer = &mut self.open.layer;
            let stored = layer.insert(width, state, hash, None, &mut self.budget)?;
            return Ok(stored.map(Place::Open));
        }
        let stored = self.front.insert(width, arrival, &mut self.budget)?;
        Ok(stored.map(Place::Front))
    }

    #[cold]
    fn arrive_behind<W: Width>(
        &mut self,
        width: W,
        arrival: Arrival<'_>,
    ) -> Result<Stored<Place>, Full> {
        let mut window = self.window.iter().enumerate().rev();
        if let Some((at, closed)) = window.find(|(_, closed)| closed.key == arrival.key)
            && let Probe::Found(index) = closed.layer.probe(width, arrival.state, arrival.hash)
        {
            return Ok(known(Place::Window(at, index)));
        }
        let stored = self.persistent.insert(width, arrival, &mut self.budget)?;
        Ok(stored.map(Place::Persistent))
    }

    /// The link to a state with this key that was found or stored just now.
    pub(crate) fn link(&self, key: Key, place: Place) -> Link {
        let mut link = NO_LINK;
        self.set_link(key, place, &mut link);
        link
    }

    /// Writes the same where it belongs: copying a link costs more than making one.
    pub(crate) fn set_link(&self, key: Key, place: Place, link: &mut Link) {
        match place {
            Place::Open(index) => self.set_open_link(index, link),
            Place::Front(place) => {
                let (layer, index) = self.front.name(key, place);
                *link = Link::Ahead(layer, index);
            }
            Place::Window(at, index) => *link = Link::Kept(self.window[at].number(index)),
            Place::Persistent(index) => {
                *link = match self.persistent.number(index) {
                    Some(number) => Link::Kept(number),
                    None => Link::Persistent(narrow(index)),
                }
            }
        }
    }

    /// The same for a state of the open layer.
    #[inline]
    pub(crate) fn set_open_link(&self, index: usize, link: &mut Link) {
        if index >= self.open.kept {
            *link = Link::Here(narrow(index));
        } else {
            *link = Link::Kept(self.open.number(index));
        }
    }

    /// What to explore next: a layer of this sweep, else another sweep of the column, else the next column.
    pub(crate) fn next(&self) -> Next {
        let in_front = self.front.lowest();
        if self.sweeps > 0 {
            let column = self.open.key.column(self.row_bits);
            let in_column = in_front.filter(|key| key.column(self.row_bits) == column);
            if let Some(key) = least(in_column, self.persistent.lowest_root()) {
                return Next::Layer(key);
            }
            if self.persistent.needs_sweep() {
                return Next::Sweep;
            }
        }
        in_front.map_or(Next::Nothing, Next::Column)
    }

    /// Starts another sweep of the column from its new persistent states.
    pub(crate) fn start_sweep(&mut self) {
        self.forget_window(None);
        self.persistent.start_sweep();
        self.sweeps += 1;
    }

    /// Drops everything of the column: nothing leads back into it.
    pub(crate) fn close_column(&mut self) {
        self.forget_window(None);
        self.persistent.forget(&mut self.budget);
        self.opened.clear(&mut self.budget);
        self.sweeps = 0;
    }

    /// Enters the column of this key for its first sweep.
    pub(crate) fn enter_column(&mut self, key: Key) {
        self.open.key = key;
        self.sweeps = 1;
    }

    /// Takes a layer out of the front, or the roots with this key, and forgets what the sweep-line has passed. Roots and
    /// states are numbered from `base` on, but for those that were expanded under numbers of their own. Where there is no
    /// room, nothing changes.
    pub(crate) fn open<W: Width>(&mut self, width: W, key: Key, base: u64) -> Result<(), Full> {
        if self.linking && self.front.names_ran_out() {
            return Err(Full::Exhausted);
        }
        self.forget_window(Some(key));
        let layer = &mut self.open.layer;
        if self.front.lowest() == Some(key) {
            self.front.pop_lowest(width, key, layer, &mut self.budget)?;
        } else {
            layer.clear(&mut self.budget);
            layer.id = self.front.next_id();
        }
        let kept = std::mem::take(&mut layer.kept);
        self.open.forget_head(&mut self.budget);
        self.open.kept = kept;
        self.persistent
            .take_roots(key, base, &mut self.roots, &mut self.budget);
        self.open.key = key;
        debug_assert!(kept == 0 || self.roots.is_empty(), "columns have no roots");
        self.open.first = base + self.roots.len() as u64 - kept as u64;
        Ok(())
    }

    /// Notes that the open layer has been opened; true if no layer with its key was opened in this column before.
    pub(crate) fn note_opened(&mut self) -> Result<bool, Full> {
        if self.row_bits == 0 {
            return Ok(true);
        }
        self.opened.insert(self.open.key, &mut self.budget)
    }

    /// The open layer is explored: its states can be forgotten, now or when the window has passed.
    pub(crate) fn close(&mut self) {
        if self.rows_kept > 0 {
            let closed = std::mem::take(&mut self.open);
            self.open.key = closed.key;
            self.open.first = closed.first;
            self.windowed += closed.layer.len();
            self.window.push_back(closed);
        }
    }

    /// Forgets the closed layers that lie further behind `line` than the window; all of them if there is no line.
    fn forget_window(&mut self, line: Option<Key>) {
        while let Some(closed) = self.window.front() {
            let inside = line.is_some_and(|line| {
                let distance = line
                    .row(self.row_bits)
                    .abs_diff(closed.key.row(self.row_bits));
                distance <= u128::from(self.rows_kept)
            });
            if inside {
                return;
            }
            let mut closed = self.window.pop_front().expect("there is a layer");
            self.windowed -= closed.layer.len();
            closed.forget_head(&mut self.budget);
            self.front.recycle(closed.layer, &mut self.budget);
        }
    }

    /// Rewrites every state in place; everything stays where it is.
    pub(crate) fn recode(
        &mut self,
        widths: (usize, usize),
        rewrite: &mut Rewrite<'_>,
    ) -> Result<(), Halt> {
        let budget = &mut self.budget;
        self.open.layer.recode(widths, budget, rewrite)?;
        self.persistent.states.recode(widths, budget, rewrite)?;
        for closed in &mut self.window {
            closed.layer.recode(widths, budget, rewrite)?;
        }
        self.front.recode(widths, budget, rewrite)
    }

    /// Shows every record that [`Stores::recode`] rewrites, all of which have so many words.
    pub(crate) fn each_record(&self, width: usize, visit: &mut dyn FnMut(&[Word])) {
        let window = self.window.iter().map(|closed| &closed.layer);
        for layer in window.chain([&self.open.layer, &self.persistent.states]) {
            layer.each_record(width, visit);
        }
        self.front.each_record(width, visit);
    }

    /// Gives back what is needed only to look something up; states are just listed from now on.
    pub(crate) fn release_indexes(&mut self) {
        self.opened.release(&mut self.budget);
        let window = self.window.iter_mut().map(|closed| &mut closed.layer);
        for layer in window.chain([&mut self.open.layer, &mut self.persistent.states]) {
            layer.release_index(&mut self.budget);
        }
        self.front.release_indexes(&mut self.budget);
    }

    /// Gives everything back.
    #[cfg(test)]
    pub(crate) fn release(mut self) -> Budget {
        self.forget_window(None);
        self.open.release(&mut self.budget);
        self.persistent.release(&mut self.budget);
        self.front.release(&mut self.budget);
        self.opened.release(&mut self.budget);
        self.budget
    }
}

impl<P> Stored<P> {
    #[inline]
    pub(crate) fn map<Q>(self, place: impl FnOnce(P) -> Q) -> Stored<Q> {
        Stored {
            place: place(self.place),
            new: self.new,
        }
    }
}

fn known<P>(place: P) -> Stored<P> {
    Stored { place, new: false }
}

/// Tables number what they hold in 32 bits.
#[inline]
pub(crate) fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("tables refuse more entries than 32 bits can number")
}

fn least(a: Option<Key>, b: Option<Key>) -> Option<Key> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
