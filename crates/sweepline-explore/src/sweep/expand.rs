//! Expanding states in batches and storing what they lead to.

use sweepline_core::{
    Control, Expanded, Fault, Key, Link, Linked, LinkedStates, Observer, Progress, Steps, StepsEnd,
    System,
};

use super::end::{End, Halt, Regress};
use super::{Sweep, go_on};
use crate::front::{Arrival, Home};
use crate::index::Probe;
use crate::log::{Origin, wanted};
use crate::memory::{Budget, Full, Share};
use crate::record::Width;
use crate::stores::{NO_LINK, Place};

/// Steps that have been generated and are about to be stored.
pub(super) struct Batch {
    pub(super) steps: Steps,
    /// Hashes and keys of the targets that are stored next.
    pub(super) hashes: Box<[u64; PART]>,
    pub(super) keys: Box<[Key; PART]>,
    /// The large layers ahead that these targets belong to, where they belong to one, and whether anybody looked for them.
    pub(super) homes: Box<[Option<Home>; PART]>,
    pub(super) homes_known: bool,
    /// The number of the first expanded state; the others follow it.
    first: u64,
    /// Where the steps of each of them end.
    sources: Vec<StepsEnd>,
    /// Where steps lead, if somebody wants to know. There is room for all steps of the batch: a list that grows would have to remember
    /// its length in between.
    pub(super) links: Vec<Link>,
    /// What steps and links take in the budget.
    share: Share,
}

/// Targets whose hashes and keys are worked out at once. A state may have millions of steps.
pub(super) const PART: usize = 1024;

impl Batch {
    pub(super) fn for_system<S: System>(system: &S) -> Self {
        Self {
            steps: Steps::for_layout(system.layout()),
            hashes: Box::new([0; PART]),
            keys: Box::new([Key(0); PART]),
            homes: Box::new([None; PART]),
            homes_known: false,
            first: 0,
            sources: Vec::new(),
            links: Vec::new(),
            share: Share::default(),
        }
    }

    /// Empties the batch. It may take what the stores leave, and keeps no more memory than it often needs.
    fn clear(&mut self, budget: &Budget) {
        self.steps.clear();
        self.sources.clear();
        if self.share.bytes() > LARGE_STEPS + self.steps.held() {
            self.steps.shrink();
            self.links = Vec::new();
        }
        let room = budget.room().saturating_add(self.share.bytes());
        self.steps.set_limit(room);
    }

    /// Gives the memory of the steps back.
    pub(super) fn release(&mut self, budget: &mut Budget) {
        self.clear(budget);
        self.steps.shrink();
        self.links = Vec::new();
        self.share.release(budget);
    }

    /// Accounts for what the steps take, and for what their links will take.
    #[inline]
    fn account<const LINKS: bool>(&mut self, budget: &mut Budget) -> Result<(), Full> {
        let mut bytes = self.steps.bytes();
        if LINKS {
            let links = self.links.capacity().max(self.steps.len());
            bytes += links * size_of::<Link>();
        }
        self.share.set(bytes, budget)?;
        if LINKS && self.links.len() < self.steps.len() {
            self.links.clear();
            let reserved = self.links.try_reserve_exact(self.steps.len());
            reserved.map_err(|_| Full::Exhausted)?;
            self.links.resize(self.steps.len(), NO_LINK);
        }
        Ok(())
    }
}

/// Where a batch started, so that it can be taken back.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    /// States of the batch that will not be taken back: their links are told.
    finished: usize,
    cursor: usize,
    explored: u64,
    edges: u64,
    deadlock_expansions: u64,
    regress_edges: u64,
}

/// Steps that are generated before any is stored, so that the memory system can work ahead.
const SMALL_BATCH: usize = 32;
const LARGE_BATCH: usize = 128;

/// Memory of steps that is not kept for the next batch.
const LARGE_STEPS: usize = 1 << 20;

/// Index size from which look-ups are expected to miss the cache.
const LARGE_INDEX: usize = 1 << 19;

impl<S: System, P: Progress> Sweep<S, P> {
    /// Generates the steps of some states of the open layer.
    pub(super) fn expand_batch<W: Width, O: Observer + ?Sized, const LINKS: bool>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), Halt> {
        let enough = if self.misses_cache() {
            LARGE_BATCH
        } else {
            SMALL_BATCH
        };
        self.batch.clear(&self.stores.budget);
        self.unfinished = Some(self.mark());
        let available = self.stores.open_len();
        let allowed = self.options.limits.states.unwrap_or(u64::MAX);
        let base = self.stores.base();
        self.batch.first = base + self.cursor as u64;
        // How many states a batch has depends on the states only, never on the time they take.
        while self.cursor < available
            && self.batch.steps.len() < enough
            && self.statistics.explored < allowed
        {
            if self.pace.is_due()
                && let Err(reason) = self.pace.look(&self.options.limits)
            {
                let halt = End::Limit(reason).into();
                return self.store_and_stop::<W, O, LINKS>(width, observer, halt);
            }
            let state = self.stores.get(width, self.cursor);
            let number = base + self.cursor as u64;
            let (first, words) = (self.batch.steps.len(), self.batch.steps.words().len());
            self.system.successors(state, &mut self.batch.steps);
            let end = self.batch.steps.len();
            if self.batch.steps.fault().is_some() {
                let fault = self.fault(number);
                self.batch.steps.truncate(first);
                return self.store_and_stop::<W, O, LINKS>(width, observer, fault.into());
            }
            self.cursor += 1;
            self.statistics.explored += 1;
            self.pace.add(1 + self.batch.steps.words().len() - words);
            let deadlock = first == end && !self.system.is_end(state);
            self.statistics.deadlock_expansions += u64::from(deadlock);
            self.batch.sources.push(StepsEnd::new(end, deadlock));
            let steps = &self.batch.steps;
            let event = Expanded {
                number,
                state,
                key: self.stores.key(),
                steps,
                first,
                end,
                deadlock,
            };
            if observer.expanded(event) == Control::Stop {
                self.statistics.edges += end as u64;
                return Err(End::Stopped.into());
            }
        }
        self.statistics.edges += self.batch.steps.len() as u64;
        self.batch.account::<LINKS>(&mut self.stores.budget)?;
        Ok(())
    }

    /// The next state cannot be expanded. What was expanded before it is stored, so that the run can be resumed with
    /// this state.
    #[cold]
    fn store_and_stop<W: Width, O: Observer + ?Sized, const LINKS: bool>(
        &mut self,
        width: W,
        observer: &mut O,
        halt: Halt,
    ) -> Result<(), Halt> {
        self.statistics.edges += self.batch.steps.len() as u64;
        if LINKS {
            self.batch.account::<LINKS>(&mut self.stores.budget)?;
        }
        self.store_batch::<W, O, LINKS>(width, observer)?;
        Err(halt)
    }

    /// Why the steps of a state could not be generated.
    #[cold]
    pub(super) fn fault(&self, number: u64) -> End {
        let fault = self.batch.steps.fault().unwrap_or(&Fault::Full);
        End::of_fault(fault, number, &self.stores.budget)
    }

    /// Stores the targets of a batch.
    pub(super) fn store_batch<W: Width, O: Observer + ?Sized, const LINKS: bool>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), Halt> {
        let stored = self.store_sources::<W, O, LINKS>(width, observer);
        if LINKS && self.links_at_once {
            self.tell_all_links(observer)?;
        }
        stored?;
        self.unfinished = None;
        if LINKS {
            let bytes = observer.bytes();
            self.observer.set(bytes, &mut self.stores.budget)?;
        }
        Ok(())
    }

    /// The same, one state after the other.
    #[inline]
    fn store_sources<W: Width, O: Observer + ?Sized, const LINKS: bool>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), Halt> {
        let (mut index, mut source, mut measured) = (0, 0, 0);
        while source < self.batch.sources.len() {
            let number = self.batch.first + source as u64;
            let end = self.batch.sources[source];
            let first = index;
            while index < end.steps() {
                if index == measured {
                    let first = measured;
                    measured = self.measure_part(width, first)?;
                    self.look_ahead(width, measured - first);
                }
                self.store::<W, LINKS>(width, index, number, index - first)?;
                index += 1;
            }
            source += 1;
            if LINKS {
                self.finish_source(end.is_deadlock());
                if !self.links_at_once {
                    self.tell_links(width, observer, number, first, end)?;
                }
            }
        }
        Ok(())
    }

    /// All steps of the next state are stored, and it is known where they lead: it is not taken back with its batch.
    #[inline]
    fn finish_source(&mut self, deadlock: bool) {
        if let Some(mark) = &mut self.unfinished {
            mark.finished += 1;
            mark.regress_edges = self.statistics.regress_edges;
            mark.deadlock_expansions += u64::from(deadlock);
        }
    }

    /// Says where the steps of a state lead.
    fn tell_links<W: Width, O: Observer + ?Sized>(
        &self,
        width: W,
        observer: &mut O,
        number: u64,
        first: usize,
        end: StepsEnd,
    ) -> Result<(), Halt> {
        let position = usize::try_from(number - self.stores.base()).expect("the state is stored");
        let steps = first..end.steps();
        go_on(observer.linked(Linked {
            number,
            state: self.stores.get(width, position),
            actions: &self.batch.steps.actions()[steps.clone()],
            links: &self.batch.links[steps],
            deadlock: end.is_deadlock(),
        }))
    }

    /// The same of all states of the batch whose steps are stored.
    fn tell_all_links<O: Observer + ?Sized>(&self, observer: &mut O) -> Result<(), Halt> {
        let finished = self.unfinished.as_ref().map_or(0, |mark| mark.finished);
        let ends = &self.batch.sources[..finished];
        let Some(last) = ends.last() else {
            return Ok(());
        };
        go_on(observer.linked_states(LinkedStates {
            first: self.batch.first,
            ends,
            actions: &self.batch.steps.actions()[..last.steps()],
            links: &self.batch.links[..last.steps()],
        }))
    }

    fn mark(&self) -> Mark {
        Mark {
            finished: 0,
            cursor: self.cursor,
            explored: self.statistics.explored,
            edges: self.statistics.edges,
            deadlock_expansions: self.statistics.deadlock_expansions,
            regress_edges: self.statistics.regress_edges,
        }
    }

    /// Takes back a batch whose steps were not all stored: its states wait to be expanded again. Steps that were
    /// stored stay, and will be known then.
    pub(super) fn undo_unfinished(&mut self) {
        let Some(mark) = self.unfinished.take() else {
            return;
        };
        self.told = self.told.max(self.stores.base() + self.cursor as u64);
        let last = mark.finished.checked_sub(1);
        let edges = last.map_or(0, |last| self.batch.sources[last].steps());
        self.cursor = mark.cursor + mark.finished;
        self.statistics.explored = mark.explored + mark.finished as u64;
        self.statistics.edges = mark.edges + edges as u64;
        self.statistics.deadlock_expansions = mark.deadlock_expansions;
        self.statistics.regress_edges = mark.regress_edges;
    }

    /// Whether look-ups are expected to miss the cache.
    fn misses_cache(&self) -> bool {
        self.stores.open.layer.index_bytes() > LARGE_INDEX || self.stores.front.is_large()
    }

    /// Computes hashes and keys of the next targets, and starts loading what look-ups in the open layer will touch.
    /// Says which target comes after them.
    #[inline(never)]
    fn measure_part<W: Width>(&mut self, width: W, first: usize) -> Result<usize, Halt> {
        let Batch {
            steps,
            hashes,
            keys,
            ..
        } = &mut self.batch;
        let end = steps.len().min(first + PART);
        let (hashes, keys) = (&mut hashes[..end - first], &mut keys[..end - first]);
        for (index, hash) in (first..).zip(&mut *hashes) {
            *hash = width.hash(width.target(steps, index));
        }
        let actions = &steps.actions()[first..end];
        for (index, (&action, key)) in actions.iter().zip(&mut *keys).enumerate() {
            let target = width.target(steps, first + index);
            *key = self.progress.step_key(self.stores.key(), action, target)?;
            debug_assert_eq!(
                self.progress.key(target),
                Ok(*key),
                "the key that is carried along is the key"
            );
            if *key == self.stores.key() {
                self.stores.open.layer.prefetch_slot(width, hashes[index]);
            }
        }
        if self.stores.open.layer.index_bytes() > LARGE_INDEX {
            for (&hash, &key) in hashes.iter().zip(&*keys) {
                if key == self.stores.key() {
                    self.stores.open.layer.prefetch_record(width, hash);
                }
            }
        }
        Ok(end)
    }

    /// Stores one target, unless it is known. Most are, so only that way is worth inlining.
    #[expect(
        clippy::inline_always,
        reason = "whoever wants links pays for a call, and nobody else does"
    )]
    #[inline(always)]
    fn store<W: Width, const LINKS: bool>(
        &mut self,
        width: W,
        index: usize,
        number: u64,
        ordinal: usize,
    ) -> Result<(), Halt> {
        let (hash, key) = (
            self.batch.hashes[index % PART],
            self.batch.keys[index % PART],
        );
        if !self.stores.is_here(key) {
            return self.store_away::<W, LINKS>(width, index, number, ordinal);
        }
        let target = width.target(&self.batch.steps, index);
        let place = match self.stores.open.layer.probe(width, target, hash) {
            Probe::Found(place) => place,
            Probe::Vacant(at) => self.store_here(width, at, index, number, ordinal)?,
        };
        if LINKS {
            let link = &mut self.batch.links[index];
            self.stores.set_open_link(place, link);
        }
        Ok(())
    }

    /// Stores a new state of the open layer.
    #[inline(never)]
    fn store_here<W: Width>(
        &mut self,
        width: W,
        at: usize,
        index: usize,
        number: u64,
        ordinal: usize,
    ) -> Result<usize, Halt> {
        let target = width.target(&self.batch.steps, index);
        let (hash, stores) = (self.batch.hashes[index % PART], &mut self.stores);
        let layer = &mut stores.open.layer;
        let place = layer.add(width, at, target, hash, &mut stores.budget)?;
        if let Some(origin) = wanted(&mut self.log, Origin::step(number, ordinal)) {
            self.log.append(origin);
        }
        Ok(place)
    }

    /// Stores a target of another layer, or of this one while there are persistent states.
    #[inline(never)]
    pub(super) fn store_elsewhere<W: Width, const LINKS: bool>(
        &mut self,
        width: W,
        index: usize,
        number: u64,
        ordinal: usize,
    ) -> Result<(), Halt> {
        let (hash, key) = (
            self.batch.hashes[index % PART],
            self.batch.keys[index % PART],
        );
        if key < self.stores.key() {
            self.count_regress(width, index, number, ordinal)?;
        }
        let origin = wanted(&mut self.log, Origin::step(number, ordinal));
        let arrival = Arrival {
            key,
            state: width.target(&self.batch.steps, index),
            hash,
            origin,
        };
        let stored = self.stores.arrive(width, arrival)?;
        if stored.new {
            match stored.place {
                Place::Open(_) => {
                    if let Some(origin) = origin {
                        self.log.append(origin);
                    }
                }
                Place::Persistent(_) => {
                    self.statistics.persistent += 1;
                    self.statistics.repeated = true;
                }
                Place::Front(_) | Place::Window(..) => {}
            }
        }
        if LINKS {
            let link = &mut self.batch.links[index];
            self.stores.set_link(key, stored.place, link);
        }
        Ok(())
    }

    /// An edge loses progress: rows may decrease, columns must not.
    #[cold]
    fn count_regress<W: Width>(
        &mut self,
        width: W,
        index: usize,
        number: u64,
        ordinal: usize,
    ) -> Result<(), Halt> {
        let (from, to) = (self.stores.key(), self.batch.keys[index % PART]);
        let row_bits = self.stores.row_bits();
        if to.column(row_bits) < from.column(row_bits) {
            return Err(self.wrong_column(width, index, number, ordinal).into());
        }
        self.statistics.regress_edges += 1;
        Ok(())
    }

    fn wrong_column<W: Width>(&self, width: W, index: usize, number: u64, ordinal: usize) -> End {
        let position = usize::try_from(number - self.stores.base()).expect("the state is stored");
        End::Regress(Box::new(Regress {
            number,
            source: self.stores.get(width, position).into(),
            ordinal,
            action: self.batch.steps.actions()[index],
            target: width.target(&self.batch.steps, index).into(),
            from: self.stores.key(),
            to: self.batch.keys[index % PART],
        }))
    }
}
