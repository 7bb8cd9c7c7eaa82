//! Expanding states in batches and storing what they lead to.

use sweepline_core::{
    Control, Expanded, Fault, Key, Observer, Progress, Steps, StopReason, System,
};

use super::Sweep;
use super::end::{End, Halt, Regress};
use crate::front::Arrival;
use crate::index::Probe;
use crate::log::{Origin, wanted};
use crate::memory::{Budget, Share};
use crate::record::Width;

/// Steps that have been generated and are about to be stored.
pub(super) struct Batch {
    pub(super) steps: Steps,
    /// Hashes and keys of the targets that are stored next.
    hashes: Box<[u64; PART]>,
    keys: Box<[Key; PART]>,
    /// For each expanded state: its number and where its steps end.
    sources: Vec<(u64, usize)>,
    /// What the steps take in the budget.
    share: Share,
}

/// Targets whose hashes and keys are worked out at once. A state may have millions of steps.
const PART: usize = 1024;

impl Batch {
    pub(super) fn for_system<S: System>(system: &S) -> Self {
        Self {
            steps: Steps::for_layout(system.layout()),
            hashes: Box::new([0; PART]),
            keys: Box::new([Key(0); PART]),
            sources: Vec::new(),
            share: Share::default(),
        }
    }

    /// Empties the batch. It may take what the stores leave, and keeps no more memory than it often needs.
    fn clear(&mut self, budget: &Budget) {
        self.steps.clear();
        self.sources.clear();
        if self.share.bytes() > LARGE_STEPS {
            self.steps.shrink();
        }
        let room = budget.room().saturating_add(self.share.bytes());
        self.steps.set_limit(room);
    }

    /// Gives the memory of the steps back.
    pub(super) fn release(&mut self, budget: &mut Budget) {
        self.clear(budget);
        self.steps.shrink();
        self.share.release(budget);
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

/// Memory of steps that is not kept for the next batch.
const LARGE_STEPS: usize = 1 << 20;

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
        self.batch.clear(&self.budget);
        self.unfinished = Some(self.mark());
        let available = self.roots.len() + self.open.len();
        let allowed = self.options.limits.states.unwrap_or(u64::MAX);
        // How many states a batch has depends on the states only, never on the time they take.
        while self.cursor < available
            && self.batch.steps.len() < enough
            && self.statistics.explored < allowed
        {
            if self.pace.is_due()
                && let Err(reason) = self.pace.look(&self.options.limits)
            {
                return self.store_and_stop(width, End::Limit(reason).into());
            }
            let state = match self.roots.get(self.cursor) {
                Some(&root) => self.persistent.states.records.get(width, root),
                None => self.open.records.get(width, self.cursor - self.roots.len()),
            };
            let number = self.base + self.cursor as u64;
            let (first, words) = (self.batch.steps.len(), self.batch.steps.words().len());
            self.system.successors(state, &mut self.batch.steps);
            let end = self.batch.steps.len();
            if self.batch.steps.fault().is_some() {
                let fault = self.fault(number);
                self.batch.steps.truncate(first);
                return self.store_and_stop(width, fault.into());
            }
            self.cursor += 1;
            self.statistics.explored += 1;
            self.pace.add(1 + self.batch.steps.words().len() - words);
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
        let bytes = self.batch.steps.bytes();
        self.batch.share.set(bytes, &mut self.budget)?;
        Ok(())
    }

    /// The next state cannot be expanded. What was expanded before it is stored, so that the run can be resumed with
    /// this state.
    #[cold]
    fn store_and_stop<W: Width>(&mut self, width: W, halt: Halt) -> Result<(), Halt> {
        self.statistics.edges += self.batch.steps.len() as u64;
        self.store_batch(width)?;
        Err(halt)
    }

    /// Why the steps of a state could not be generated.
    #[cold]
    pub(super) fn fault(&self, number: u64) -> End {
        match self.batch.steps.fault() {
            Some(Fault::Outgrown { slot }) => End::Outgrown(*slot),
            Some(Fault::Model { action, message }) => End::Fault {
                number,
                action: *action,
                message: message.clone(),
            },
            Some(Fault::TooMany { message }) => End::Limit(StopReason::Other(message.clone())),
            Some(Fault::Full) | None => End::Limit(self.budget.full().into()),
        }
    }

    /// Stores the targets of a batch.
    pub(super) fn store_batch<W: Width>(&mut self, width: W) -> Result<(), Halt> {
        let (mut index, mut source, mut measured) = (0, 0, 0);
        while source < self.batch.sources.len() {
            let (number, end) = self.batch.sources[source];
            let first = index;
            while index < end {
                if index == measured {
                    measured = self.measure_part(width, measured)?;
                }
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

    /// Computes hashes and keys of the next targets, and starts loading what look-ups in the open layer will touch.
    /// Says which target comes after them.
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
            *key = self.progress.step_key(self.key, action, target)?;
            debug_assert_eq!(
                self.progress.key(target),
                Ok(*key),
                "the key that is carried along is the key"
            );
            if *key == self.key {
                self.open.prefetch_slot(hashes[index]);
            }
        }
        if self.open.index_bytes() > LARGE_INDEX {
            for (&hash, &key) in hashes.iter().zip(&*keys) {
                if key == self.key {
                    self.open.prefetch_record(width, hash);
                }
            }
        }
        Ok(end)
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
        let (hash, key) = (
            self.batch.hashes[index % PART],
            self.batch.keys[index % PART],
        );
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
            self.batch.hashes[index % PART],
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
        let (hash, key) = (
            self.batch.hashes[index % PART],
            self.batch.keys[index % PART],
        );
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
        let (hash, key) = (
            self.batch.hashes[index % PART],
            self.batch.keys[index % PART],
        );
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
            to: self.batch.keys[index % PART],
        }))
    }
}
