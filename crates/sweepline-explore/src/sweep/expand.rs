//! Expanding states in batches and storing what they lead to.

use sweepline_core::{Control, Expanded, Fault, Key, Observer, Progress, Steps, System};

use super::Sweep;
use super::end::{End, Halt, Regress};
use crate::front::Arrival;
use crate::index::Probe;
use crate::log::{Origin, wanted};
use crate::record::Width;

/// Steps that have been generated and are about to be stored.
pub(super) struct Batch {
    pub(super) steps: Steps,
    hashes: Vec<u64>,
    keys: Vec<Key>,
    /// For each expanded state: its number and where its steps end.
    sources: Vec<(u64, usize)>,
}

impl Batch {
    pub(super) fn for_system<S: System>(system: &S) -> Self {
        Self {
            steps: Steps::for_layout(system.layout()),
            hashes: Vec::new(),
            keys: Vec::new(),
            sources: Vec::new(),
        }
    }
}

/// Where a batch started, so that it can be taken back.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    cursor: usize,
    explored: u64,
    edges: u64,
    deadlock_expansions: u64,
    regress_edges: u64,
}

/// Steps that are generated before any is stored, so that the memory system can work ahead.
const SMALL_BATCH: usize = 32;
const LARGE_BATCH: usize = 128;

/// Index size from which look-ups are expected to miss the cache.
const LARGE_INDEX: usize = 1 << 19;

impl<S: System, P: Progress> Sweep<S, P> {
    /// Generates the steps of some states of the open layer.
    pub(super) fn expand_batch<W: Width, O: Observer + ?Sized>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), Halt> {
        let enough = if self.open.index_bytes() > LARGE_INDEX {
            LARGE_BATCH
        } else {
            SMALL_BATCH
        };
        self.batch.steps.clear();
        self.batch.sources.clear();
        self.unfinished = Some(self.mark());
        let available = self.roots.len() + self.open.len();
        while self.cursor < available
            && self.batch.steps.len() < enough
            && self.statistics.explored < self.next_check
        {
            let state = match self.roots.get(self.cursor) {
                Some(&root) => self.persistent.states.records.get(width, root),
                None => self.open.records.get(width, self.cursor - self.roots.len()),
            };
            let number = self.base + self.cursor as u64;
            let first = self.batch.steps.len();
            self.system.successors(state, &mut self.batch.steps);
            let end = self.batch.steps.len();
            if self.batch.steps.fault().is_some() {
                return self.stop_at_fault(width, number, first);
            }
            self.cursor += 1;
            self.statistics.explored += 1;
            let deadlock = first == end && !self.system.is_end(state);
            self.statistics.deadlock_expansions += u64::from(deadlock);
            self.batch.sources.push((number, end));
            let steps = &self.batch.steps;
            let event = Expanded {
                number,
                state,
                key: self.key,
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
        Ok(())
    }

    /// A state's steps cannot be generated. What was expanded before it is stored, so that the run can be
    /// resumed with this state.
    #[cold]
    fn stop_at_fault<W: Width>(&mut self, width: W, number: u64, first: usize) -> Result<(), Halt> {
        let fault = self.check_fault(number);
        self.batch.steps.truncate(first);
        self.statistics.edges += first as u64;
        self.store_batch(width)?;
        fault
    }

    pub(super) fn check_fault(&self, number: u64) -> Result<(), Halt> {
        match self.batch.steps.fault() {
            None => Ok(()),
            Some(Fault::Outgrown { slot }) => Err(End::Outgrown(*slot).into()),
            Some(Fault::Model { action, message }) => Err(End::Fault {
                number,
                action: *action,
                message: message.clone(),
            }
            .into()),
        }
    }

    /// Stores the targets of a batch.
    pub(super) fn store_batch<W: Width>(&mut self, width: W) -> Result<(), Halt> {
        self.measure_batch(width)?;
        let (mut index, mut source) = (0, 0);
        while source < self.batch.sources.len() {
            let (number, end) = self.batch.sources[source];
            let first = index;
            while index < end {
                self.store(width, index, number, index - first)?;
                index += 1;
            }
            source += 1;
        }
        self.unfinished = None;
        Ok(())
    }

    fn mark(&self) -> Mark {
        Mark {
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
        self.told = self.told.max(self.base + self.cursor as u64);
        self.cursor = mark.cursor;
        self.statistics.explored = mark.explored;
        self.statistics.edges = mark.edges;
        self.statistics.deadlock_expansions = mark.deadlock_expansions;
        self.statistics.regress_edges = mark.regress_edges;
    }

    /// Computes hashes and keys of all targets, and starts loading what look-ups in the open layer will touch.
    fn measure_batch<W: Width>(&mut self, width: W) -> Result<(), Halt> {
        let Batch {
            steps,
            hashes,
            keys,
            ..
        } = &mut self.batch;
        let count = steps.len();
        if hashes.len() < count {
            hashes.resize(count, 0);
            keys.resize(count, Key(0));
        }
        let (hashes, keys) = (&mut hashes[..count], &mut keys[..count]);
        for (index, hash) in hashes.iter_mut().enumerate() {
            *hash = width.hash(width.target(steps, index));
        }
        for (index, &action) in steps.actions().iter().enumerate() {
            let target = width.target(steps, index);
            let key = self.progress.step_key(self.key, action, target)?;
            if key == self.key {
                self.open.prefetch_slot(hashes[index]);
            }
            keys[index] = key;
        }
        if self.open.index_bytes() > LARGE_INDEX {
            for (&hash, &key) in hashes.iter().zip(&*keys) {
                if key == self.key {
                    self.open.prefetch_record(width, hash);
                }
            }
        }
        Ok(())
    }

    /// Stores one target, unless it is known. Most are, so only that way is worth inlining.
    #[inline]
    fn store<W: Width>(
        &mut self,
        width: W,
        index: usize,
        number: u64,
        ordinal: usize,
    ) -> Result<(), Halt> {
        let target = width.target(&self.batch.steps, index);
        let (hash, key) = (self.batch.hashes[index], self.batch.keys[index]);
        if key == self.key && self.persistent.is_empty() {
            return match self.open.probe(width, target, hash) {
                Probe::Found => Ok(()),
                Probe::Vacant(at) => self.store_here(width, at, index, number, ordinal),
            };
        }
        self.store_elsewhere(width, index, number, ordinal)
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
    ) -> Result<(), Halt> {
        let target = width.target(&self.batch.steps, index);
        self.open.add(
            width,
            at,
            target,
            self.batch.hashes[index],
            &mut self.budget,
        )?;
        if let Some(origin) = wanted(&mut self.log, Origin::step(number, ordinal)) {
            self.log.append(origin);
        }
        Ok(())
    }

    /// Stores a target of another layer, or of this one while there are persistent states.
    #[inline(never)]
    fn store_elsewhere<W: Width>(
        &mut self,
        width: W,
        index: usize,
        number: u64,
        ordinal: usize,
    ) -> Result<(), Halt> {
        let target = width.target(&self.batch.steps, index);
        let (hash, key) = (self.batch.hashes[index], self.batch.keys[index]);
        if key < self.key {
            return self.store_regress(width, index, number, ordinal);
        }
        if !self.persistent.is_empty() && self.persistent.states.contains(width, target, hash) {
            return Ok(());
        }
        if key == self.key {
            return match self.open.probe(width, target, hash) {
                Probe::Found => Ok(()),
                Probe::Vacant(at) => self.store_here(width, at, index, number, ordinal),
            };
        }
        let origin = wanted(&mut self.log, Origin::step(number, ordinal));
        let arrival = Arrival {
            key,
            state: target,
            hash,
            origin,
        };
        self.front.insert(width, arrival, &mut self.budget)?;
        Ok(())
    }

    /// Stores the target of an edge that loses progress.
    ///
    /// A state below the sweep-line may have been forgotten, so "not stored" does not mean "new". Keeping every
    /// such target while its column is open is what makes the sweeps terminate.
    #[cold]
    fn store_regress<W: Width>(
        &mut self,
        width: W,
        index: usize,
        number: u64,
        ordinal: usize,
    ) -> Result<(), Halt> {
        let target = width.target(&self.batch.steps, index);
        let (hash, key) = (self.batch.hashes[index], self.batch.keys[index]);
        if key.column(self.row_bits) < self.key.column(self.row_bits) {
            return Err(self.wrong_column(width, index, number, ordinal).into());
        }
        self.statistics.regress_edges += 1;
        let kept = self.window.iter().rev().find(|(kept, _)| *kept == key);
        if kept.is_some_and(|(_, layer)| layer.contains(width, target, hash)) {
            return Ok(());
        }
        let origin = wanted(&mut self.log, Origin::step(number, ordinal));
        let arrival = Arrival {
            key,
            state: target,
            hash,
            origin,
        };
        if self.persistent.insert(width, arrival, &mut self.budget)? {
            self.statistics.persistent += 1;
            self.statistics.repeated = true;
        }
        Ok(())
    }

    fn wrong_column<W: Width>(&self, width: W, index: usize, number: u64, ordinal: usize) -> End {
        let position = usize::try_from(number - self.base).expect("the state is stored");
        let source = match self.roots.get(position) {
            Some(&root) => self.persistent.states.records.get(width, root),
            None => self.open.records.get(width, position - self.roots.len()),
        };
        End::Regress(Box::new(Regress {
            number,
            source: source.into(),
            ordinal,
            action: self.batch.steps.actions()[index],
            target: width.target(&self.batch.steps, index).into(),
            from: self.key,
            to: self.batch.keys[index],
        }))
    }
}
