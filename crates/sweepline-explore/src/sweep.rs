//! The sweep: one loop that is full search, the basic, the generalised and the compositional sweep-line method,
//! depending on the measure.
//!
//! - A constant measure has one layer; nothing is forgotten: conventional search.
//! - A measure of columns only never regresses: the basic method [CKM01].
//! - A measure of rows only has one column, which is swept until no edge regresses to an unknown state: the
//!   generalised method [KM02; Lil17, Alg. 2].
//! - A measure of both is the compositional method [KM05, Fig. 5]: every column is swept to completion by rows, then
//!   everything of it is dropped, persistent states included.
//!
//! We differ from the papers in three points. States are deleted by layer, when a layer is closed, not one by one.
//! A persistent state is stored apart and never in a layer, so that it is counted once. With a *window*, closed
//! layers stay for some rows behind the line, and a regress edge into them makes nothing persistent: its
//! target has been expanded in this sweep [Sch04].

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use sweepline_core::{
    ActionId, Control, Expanded, Fault, Key, KeyError, LayerClosed, Limits, Observer, Progress,
    Records, SlotId, Statistics, Steps, StopReason, System, Watch, Word,
};

use crate::front::Front;
use crate::keys::OpenedKeys;
use crate::layer::Layer;
use crate::log::{LogError, LogPlace, Origin, Path, TraceLog};
use crate::memory::{Budget, Full};
use crate::persistent::Persistent;
use crate::record::{Dynamic, Fixed, Variable, Width};

/// How to sweep.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// When to give up.
    pub limits: Limits,
    /// How many rows closed layers stay behind the sweep-line.
    pub window: u64,
    /// Where the trace log goes.
    pub log: LogPlace,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every reachable state was expanded.
    Complete,
    /// The observer had seen enough.
    Stopped,
    /// A limit was reached.
    Limit(StopReason),
    /// A column decreases along an edge: the claim that the measure is monotone is wrong.
    Regress(Box<Regress>),
    /// The model itself is wrong: a step from this state cannot be taken.
    Fault {
        /// Number of the state.
        number: u64,
        /// The action that fails.
        action: ActionId,
        /// What went wrong.
        message: String,
    },
    /// A slot is too small. [`Sweep::recode`] goes on with a wider encoding.
    Outgrown(SlotId),
}

/// An edge along which a column decreases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regress {
    /// Number of the source.
    pub number: u64,
    /// The source.
    pub source: Box<[Word]>,
    /// Position of the step among those leaving the source.
    pub ordinal: usize,
    /// The action.
    pub action: ActionId,
    /// The target.
    pub target: Box<[Word]>,
    /// Key of the source.
    pub from: Key,
    /// Key of the target.
    pub to: Key,
}

/// An exploration of a system in the order of a progress measure.
///
/// ```
/// use sweepline_core::{ActionId, Key, KeyError, Layout, Progress, Steps, System, Word};
/// use sweepline_explore::{End, Options, Sweep};
///
/// /// Two counters from 0 to 9, one step at a time.
/// struct Counters(Layout);
/// impl System for Counters {
///     fn layout(&self) -> &Layout { &self.0 }
///     fn initial(&self, out: &mut Steps) { out.push(ActionId(0), &[0, 0]); }
///     fn successors(&self, state: &[Word], out: &mut Steps) {
///         for i in 0..2 {
///             if state[i] < 9 { out.push_copy(ActionId(i as u32), state)[i] += 1; }
///         }
///     }
/// }
/// /// Their sum, which never decreases.
/// struct Sum;
/// impl Progress for Sum {
///     fn row_bits(&self) -> u32 { 0 }
///     fn key(&self, state: &[Word]) -> Result<Key, KeyError> { Ok(Key(u128::from(state[0] + state[1]))) }
/// }
///
/// let words = Layout::opaque(sweepline_core::Records::Fixed(2));
/// let system = Counters(words);
/// let mut sweep = Sweep::new(&system, &Sum, Options::default());
/// assert_eq!(sweep.run(&mut ()), End::Complete);
/// assert_eq!(sweep.statistics().states(), Some(100));
/// assert_eq!(sweep.statistics().peak_states, 19); // 10 on the diagonal and the 9 they lead to
/// ```
pub struct Sweep<'s, S: ?Sized, P: ?Sized> {
    system: &'s S,
    progress: &'s P,
    row_bits: u32,
    options: Options,
    budget: Budget,
    log: TraceLog,

    /// The layer being explored; its states come after the roots in the order of numbers.
    open: Layer,
    key: Key,
    /// Persistent states of the open layer that this sweep starts from.
    roots: Vec<usize>,
    /// How many roots and states of the open layer have been expanded.
    cursor: usize,
    /// Number of the first root or state of the open layer.
    base: u64,
    phase: Phase,

    front: Front,
    persistent: Persistent,
    /// Closed layers that are still within the window, lowest first.
    window: VecDeque<(Key, Layer)>,
    windowed: usize,
    opened: OpenedKeys,
    sweeps_of_column: u64,

    batch: Batch,
    statistics: Statistics,
    next_check: u64,
    spent: Duration,
}

/// What the run will do next, so that it can be interrupted and resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Start,
    Between,
    Open,
}

/// Steps that have been generated and are about to be stored.
struct Batch {
    steps: Steps,
    hashes: Vec<u64>,
    keys: Vec<Key>,
    /// For each expanded state: its number and where its steps end.
    sources: Vec<(u64, usize)>,
}

/// Expansions between two looks at the clock.
const CHECK_EVERY: u64 = 4096;

/// Steps that are generated before any is stored, so that the memory system can work ahead.
const SMALL_BATCH: usize = 32;
const LARGE_BATCH: usize = 128;

/// Index size from which look-ups are expected to miss the cache.
const LARGE_INDEX: usize = 1 << 19;

impl<'s, S: System + ?Sized, P: Progress + ?Sized> Sweep<'s, S, P> {
    /// Prepares a run.
    pub fn new(system: &'s S, progress: &'s P, options: Options) -> Self {
        let batch = Batch {
            steps: Steps::for_layout(system.layout()),
            hashes: Vec::new(),
            keys: Vec::new(),
            sources: Vec::new(),
        };
        Self {
            system,
            progress,
            row_bits: progress.row_bits(),
            budget: Budget::new(options.limits.memory),
            log: TraceLog::new(options.log.clone()),
            options,
            open: Layer::default(),
            key: Key(0),
            roots: Vec::new(),
            cursor: 0,
            base: 0,
            phase: Phase::Start,
            front: Front::default(),
            persistent: Persistent::default(),
            window: VecDeque::new(),
            windowed: 0,
            opened: OpenedKeys::default(),
            sweeps_of_column: 0,
            batch,
            statistics: Statistics::default(),
            next_check: 0,
            spent: Duration::ZERO,
        }
    }

    /// Explores until everything is visited, the observer stops, or something gets in the way.
    pub fn run<O: Observer + ?Sized>(&mut self, observer: &mut O) -> End {
        let started = Instant::now();
        let end = match self.system.layout().records() {
            Records::Fixed(1) => self.run_with(Fixed::<1>, observer, started),
            Records::Fixed(2) => self.run_with(Fixed::<2>, observer, started),
            Records::Fixed(3) => self.run_with(Fixed::<3>, observer, started),
            Records::Fixed(4) => self.run_with(Fixed::<4>, observer, started),
            Records::Fixed(6) => self.run_with(Fixed::<6>, observer, started),
            Records::Fixed(8) => self.run_with(Fixed::<8>, observer, started),
            Records::Fixed(width) => self.run_with(Dynamic(width), observer, started),
            Records::Variable => self.run_with(Variable, observer, started),
        };
        self.note_peak();
        self.statistics.complete = end == End::Complete;
        self.spent += started.elapsed();
        self.statistics.elapsed = self.spent;
        end
    }

    /// The figures so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// How instance `number` was reached.
    pub fn path_to(&mut self, number: u64) -> Result<Path, LogError> {
        self.log.path_to(number)
    }

    fn run_with<W: Width, O: Observer + ?Sized>(
        &mut self,
        width: W,
        observer: &mut O,
        started: Instant,
    ) -> End {
        match self.visit(width, observer, started) {
            Ok(()) => End::Complete,
            Err(end) => end,
        }
    }

    /// Visits every reachable state: layer by layer, sweep by sweep, column by column.
    fn visit<W: Width, O: Observer + ?Sized>(
        &mut self,
        width: W,
        observer: &mut O,
        started: Instant,
    ) -> Result<(), End> {
        if self.phase == Phase::Start {
            self.start(width)?;
        }
        while self.phase == Phase::Open || self.open_next_layer(width)? {
            self.explore_layer(width, observer, started)?;
            self.close_layer(observer)?;
        }
        Ok(())
    }

    /// Puts the initial states into the front.
    fn start<W: Width>(&mut self, width: W) -> Result<(), End> {
        self.phase = Phase::Between;
        self.batch.steps.clear();
        self.system.initial(&mut self.batch.steps);
        self.check_fault(0)?;
        for ordinal in 0..self.batch.steps.len() {
            let state = width.target(&self.batch.steps, ordinal);
            let key = self.progress.key(state)?;
            let origin = wanted(&mut self.log, Origin::initial(ordinal));
            self.front.insert(
                width,
                key,
                state,
                width.hash(state),
                origin,
                &mut self.budget,
            )?;
        }
        Ok(())
    }

    /// Moves the sweep-line to the next layer: of this sweep, else of the next sweep of the column, else of the
    /// next column. False if there is none.
    fn open_next_layer<W: Width>(&mut self, width: W) -> Result<bool, End> {
        loop {
            let column = self.key.column(self.row_bits);
            let in_front = self.front.lowest();
            let in_column = in_front.filter(|key| key.column(self.row_bits) == column);
            if self.sweeps_of_column > 0 {
                let root = self.persistent.lowest_root();
                if let Some(key) = least(in_column, root) {
                    self.open_layer(width, key)?;
                    return Ok(true);
                }
                if self.start_sweep()? {
                    continue;
                }
            }
            let Some(key) = in_front else {
                return Ok(false);
            };
            self.enter_column(key);
        }
    }

    /// Starts another sweep of the column if there are new persistent states.
    fn start_sweep(&mut self) -> Result<bool, End> {
        if !self.persistent.start_sweep() {
            return Ok(false);
        }
        self.forget_window(None);
        self.opened.start_pass(&mut self.budget)?;
        self.statistics.repeated = true;
        self.count_sweep();
        Ok(true)
    }

    /// Closes the column, dropping everything of it, and enters the one with this key.
    fn enter_column(&mut self, key: Key) {
        self.forget_window(None);
        self.persistent.forget(&mut self.budget);
        self.opened.clear(&mut self.budget);
        self.key = key;
        self.sweeps_of_column = 0;
        self.statistics.columns += 1;
        self.count_sweep();
    }

    fn count_sweep(&mut self) {
        self.sweeps_of_column += 1;
        self.statistics.column_sweeps += 1;
        self.statistics.sweeps = self.statistics.sweeps.max(self.sweeps_of_column);
    }

    /// Takes a layer out of the front and forgets what the sweep-line has passed.
    fn open_layer<W: Width>(&mut self, width: W, key: Key) -> Result<(), End> {
        self.forget_window(Some(key));
        let previous = std::mem::take(&mut self.open);
        self.open = if self.front.lowest() == Some(key) {
            self.front
                .pop_lowest(width, key, previous, &mut self.budget)?
        } else {
            let mut layer = previous;
            layer.clear(&mut self.budget);
            layer
        };
        self.persistent
            .take_roots(key, &mut self.roots, &mut self.budget);
        self.key = key;
        self.cursor = 0;
        self.base = self.statistics.explored;
        self.phase = Phase::Open;
        if self.row_bits == 0 || self.opened.insert(key, &mut self.budget)? {
            self.statistics.layers += 1;
        }
        self.log_opened();
        Ok(())
    }

    /// Hands the origins of the layer's states over to the log, which from now on gets them directly.
    fn log_opened(&mut self) {
        if self.log.is_on() {
            for &root in &self.roots {
                let origin = self
                    .persistent
                    .origin(root)
                    .expect("origins are kept while the log is on");
                self.log.append(origin);
            }
            for &origin in &self.open.origins {
                self.log.append(origin);
            }
        }
        self.open.forget_origins(&mut self.budget);
    }

    /// Explores the open layer to its closure.
    fn explore_layer<W: Width, O: Observer + ?Sized>(
        &mut self,
        width: W,
        observer: &mut O,
        started: Instant,
    ) -> Result<(), End> {
        while self.cursor < self.roots.len() + self.open.len() {
            if self.statistics.explored >= self.next_check {
                self.check_limits(observer, started)?;
            }
            self.expand_batch(width, observer)?;
            self.store_batch(width)?;
        }
        Ok(())
    }

    /// Generates the steps of some states of the open layer.
    fn expand_batch<W: Width, O: Observer + ?Sized>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), End> {
        let enough = if self.open.index_bytes() > LARGE_INDEX {
            LARGE_BATCH
        } else {
            SMALL_BATCH
        };
        self.batch.steps.clear();
        self.batch.sources.clear();
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
            self.statistics.deadlock_expansions += u64::from(first == end);
            self.batch.sources.push((number, end));
            let steps = &self.batch.steps;
            let event = Expanded {
                number,
                state,
                key: self.key,
                steps,
                first,
                end,
            };
            if observer.expanded(event) == Control::Stop {
                self.statistics.edges += end as u64;
                return Err(End::Stopped);
            }
        }
        self.statistics.edges += self.batch.steps.len() as u64;
        Ok(())
    }

    /// A state's steps cannot be generated. What was expanded before it is stored, so that the run can be
    /// resumed with this state.
    #[cold]
    fn stop_at_fault<W: Width>(&mut self, width: W, number: u64, first: usize) -> Result<(), End> {
        let fault = self.check_fault(number);
        self.batch.steps.truncate(first);
        self.statistics.edges += first as u64;
        self.store_batch(width)?;
        fault
    }

    fn check_fault(&self, number: u64) -> Result<(), End> {
        match self.batch.steps.fault() {
            None => Ok(()),
            Some(Fault::Outgrown { slot }) => Err(End::Outgrown(*slot)),
            Some(Fault::Model { action, message }) => Err(End::Fault {
                number,
                action: *action,
                message: message.clone(),
            }),
        }
    }

    /// Stores the targets of a batch.
    fn store_batch<W: Width>(&mut self, width: W) -> Result<(), End> {
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
        Ok(())
    }

    /// Computes hashes and keys of all targets, and starts loading what look-ups in the open layer will touch.
    fn measure_batch<W: Width>(&mut self, width: W) -> Result<(), End> {
        let Batch {
            steps,
            hashes,
            keys,
            ..
        } = &mut self.batch;
        hashes.clear();
        keys.clear();
        for index in 0..steps.len() {
            let target = width.target(steps, index);
            let key = self
                .progress
                .step_key(self.key, steps.actions()[index], target)?;
            let hash = width.hash(target);
            if key == self.key {
                self.open.prefetch_slot(hash);
            }
            hashes.push(hash);
            keys.push(key);
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

    /// Stores one target, unless it is known.
    #[inline]
    fn store<W: Width>(
        &mut self,
        width: W,
        index: usize,
        number: u64,
        ordinal: usize,
    ) -> Result<(), End> {
        let target = width.target(&self.batch.steps, index);
        let (hash, key) = (self.batch.hashes[index], self.batch.keys[index]);
        if key < self.key {
            return self.store_regress(width, index, number, ordinal);
        }
        if !self.persistent.is_empty() && self.persistent.states.contains(width, target, hash) {
            return Ok(());
        }
        if key == self.key {
            if self.open.insert(width, target, hash, &mut self.budget)?
                && let Some(origin) = wanted(&mut self.log, Origin::step(number, ordinal))
            {
                self.log.append(origin);
            }
        } else {
            let origin = wanted(&mut self.log, Origin::step(number, ordinal));
            self.front
                .insert(width, key, target, hash, origin, &mut self.budget)?;
        }
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
    ) -> Result<(), End> {
        let target = width.target(&self.batch.steps, index);
        let (hash, key) = (self.batch.hashes[index], self.batch.keys[index]);
        if key.column(self.row_bits) < self.key.column(self.row_bits) {
            return Err(self.wrong_column(width, index, number, ordinal));
        }
        self.statistics.regress_edges += 1;
        let kept = self.window.iter().rev().find(|(kept, _)| *kept == key);
        if kept.is_some_and(|(_, layer)| layer.contains(width, target, hash)) {
            return Ok(());
        }
        let origin = wanted(&mut self.log, Origin::step(number, ordinal));
        if self
            .persistent
            .insert(width, key, target, hash, origin, &mut self.budget)?
        {
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

    /// The layer is explored: its states can be forgotten, now or when the window has passed.
    fn close_layer<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<(), End> {
        self.note_peak();
        self.phase = Phase::Between;
        let event = LayerClosed {
            key: self.key,
            states: self.cursor as u64,
            stored: self.stored(),
            bytes: self.budget.held() + self.log.bytes(),
            statistics: &self.statistics,
        };
        let control = observer.layer_closed(event);
        if self.options.window > 0 {
            let layer = std::mem::take(&mut self.open);
            self.windowed += layer.len();
            self.window.push_back((self.key, layer));
        }
        match control {
            Control::Continue => Ok(()),
            Control::Stop => Err(End::Stopped),
        }
    }

    /// Forgets the closed layers that lie further behind `line` than the window; all of them if there is no line.
    fn forget_window(&mut self, line: Option<Key>) {
        while let Some((key, _)) = self.window.front() {
            let inside = line.is_some_and(|line| {
                let distance = line.row(self.row_bits).abs_diff(key.row(self.row_bits));
                distance <= u128::from(self.options.window)
            });
            if inside {
                return;
            }
            let (_, layer) = self.window.pop_front().expect("there is a layer");
            self.windowed -= layer.len();
            self.front.recycle(layer, &mut self.budget);
        }
    }

    fn stored(&self) -> u64 {
        (self.open.len() + self.windowed + self.front.len() + self.persistent.len()) as u64
    }

    /// Within a layer the stores only grow, so reading them when it closes gives the peak.
    fn note_peak(&mut self) {
        if self.phase == Phase::Open {
            self.statistics.peak_states = self.statistics.peak_states.max(self.stored());
        }
        let bytes = self.budget.peak() + self.log.bytes();
        self.statistics.peak_bytes = self.statistics.peak_bytes.max(bytes);
    }

    fn check_limits<O: Observer + ?Sized>(
        &mut self,
        observer: &mut O,
        started: Instant,
    ) -> Result<(), End> {
        let limits = &self.options.limits;
        let explored = self.statistics.explored;
        if limits.cancel.is_cancelled() {
            return Err(End::Limit(StopReason::Interrupted));
        }
        if let Some(limit) = limits.states
            && explored >= limit
        {
            return Err(End::Limit(StopReason::States { limit }));
        }
        if let Some(limit) = limits.time
            && self.spent + started.elapsed() >= limit
        {
            return Err(End::Limit(StopReason::Time { limit }));
        }
        self.next_check = (explored + CHECK_EVERY).min(limits.states.unwrap_or(u64::MAX));
        let waiting = self.roots.len() + self.open.len() - self.cursor;
        let watch = Watch {
            key: self.key,
            front: (self.front.len() + waiting) as u64,
            stored: self.stored(),
            bytes: self.budget.held() + self.log.bytes(),
            statistics: &self.statistics,
        };
        match observer.tick(watch) {
            Control::Continue => Ok(()),
            Control::Stop => Err(End::Stopped),
        }
    }

    /// Goes on with the same system in a wider encoding, after [`End::Outgrown`].
    ///
    /// The wider system must have the same slots in the same order and the same steps; the measure must give the
    /// same keys. Everything stored is rewritten; numbers and the trace log stay valid.
    pub fn recode<'t>(self, wider: &'t S, progress: &'t P) -> Result<Sweep<'t, S, P>, StopReason> {
        let (Some(from), Some(to)) = (self.system.layout().width(), wider.layout().width()) else {
            return Err(StopReason::Other(
                "states of variable size are never too narrow".into(),
            ));
        };
        let (from, to) = (Dynamic(from), Dynamic(to));
        let (old, new) = (self.system.layout().clone(), wider.layout());
        let mut failure = None;
        let mut rewrite = |state: &[Word], out: &mut Vec<Word>| {
            out.resize(to.0, 0);
            if let Err(error) = old.recode(state, new, out) {
                failure.get_or_insert(error);
            }
        };
        let mut budget = self.budget;
        let mut next = Sweep {
            budget: Budget::new(None),
            ..Sweep::new(wider, progress, self.options)
        };
        let mut layer = |mut layer: Layer, budget: &mut Budget| {
            let recoded = layer.recoded(from, to, budget, &mut rewrite);
            layer.release(budget);
            recoded
        };
        next.open = layer(self.open, &mut budget)?;
        let mut persistent = self.persistent;
        persistent.states = layer(persistent.states, &mut budget)?;
        next.persistent = persistent;
        for (key, closed) in self.window {
            next.window.push_back((key, layer(closed, &mut budget)?));
        }
        next.front = self.front.recoded(from, to, &mut budget, &mut rewrite)?;
        if let Some(error) = failure {
            return Err(StopReason::Other(error.to_string()));
        }
        next.budget = budget;
        next.log = self.log;
        (next.key, next.cursor, next.base, next.phase) =
            (self.key, self.cursor, self.base, self.phase);
        (next.roots, next.windowed, next.opened) = (self.roots, self.windowed, self.opened);
        (next.sweeps_of_column, next.statistics) = (self.sweeps_of_column, self.statistics);
        (next.next_check, next.spent) = (self.next_check, self.spent);
        Ok(next)
    }
}

/// The origin if the log wants one. An origin that cannot be expressed ends logging.
#[inline]
fn wanted(log: &mut TraceLog, origin: Option<Origin>) -> Option<Origin> {
    if !log.is_on() {
        return None;
    }
    if origin.is_none() {
        log.lose("more states or steps than the trace log can number");
    }
    origin
}

fn least(a: Option<Key>, b: Option<Key>) -> Option<Key> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

impl From<Full> for End {
    fn from(full: Full) -> Self {
        Self::Limit(full.into())
    }
}

impl From<KeyError> for End {
    fn from(error: KeyError) -> Self {
        Self::Limit(StopReason::Measure(error.to_string()))
    }
}
