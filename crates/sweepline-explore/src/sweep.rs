//! The sweep: one loop that is full search, the basic, the generalised and the compositional sweep-line method,
//! depending on the measure.
//!
//! - A constant measure has one layer; nothing is forgotten: conventional search.
//! - A measure of columns only never regresses: the basic method [CKM01].
//! - A measure of rows only has one column, which is swept until no edge regresses to an unknown state: the
//!   generalised method [KM02a; Lil17, Alg. 2].
//! - A measure of both is the compositional method [KM02b, Fig. 5]: every column is swept to completion by rows, then
//!   everything of it is dropped, persistent states included.
//!
//! We differ from the papers in three points. States are deleted by layer, when a layer is closed, not one by one.
//! A persistent state is stored apart and never in a layer, so that it is counted once. With a *window*, closed
//! layers stay for some rows behind the line, and a regress edge into them makes nothing persistent: its
//! target has been expanded in this sweep [Sch04].

mod end;
mod expand;
mod recode;
mod remeasure;
mod watch;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use sweepline_core::{
    Control, Key, LayerClosed, Observer, Progress, Records, Statistics, StopReason, System,
};

pub(crate) use self::end::Halt;
pub use self::end::{End, Options, Regress};
use self::expand::{Batch, Mark};
pub(crate) use self::recode::{reason, rewriting};
use crate::front::{Arrival, Front};
use crate::keys::OpenedKeys;
use crate::layer::Layer;
use crate::limits::Pace;
use crate::log::{LogError, Origin, Path, TraceLog, wanted};
use crate::memory::Budget;
use crate::persistent::Persistent;
use crate::record::{Dynamic, Fixed, Variable, Width};

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
pub struct Sweep<S, P> {
    system: S,
    progress: P,
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
    /// How many states at the head of the open layer were expanded before it was opened.
    kept: usize,
    phase: Phase,
    /// The batch that was interrupted before all its steps were stored.
    unfinished: Option<Mark>,
    /// The numbers below this one have been given to observers.
    told: u64,
    /// False if states are missing or written in different encodings, so that the run cannot go on.
    intact: bool,

    front: Front,
    persistent: Persistent,
    /// Closed layers that are still within the window, lowest first.
    window: VecDeque<(Key, Layer)>,
    windowed: usize,
    opened: OpenedKeys,
    sweeps_of_column: u64,

    batch: Batch,
    statistics: Statistics,
    pace: Pace,
    spent: Duration,
}

/// What the run will do next, so that it can be interrupted and resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Start,
    Between,
    Open,
}

impl<S: System, P: Progress> Sweep<S, P> {
    /// Prepares a run.
    pub fn new(system: S, progress: P, options: Options) -> Self {
        let batch = Batch::for_system(&system);
        Self {
            system,
            row_bits: progress.row_bits(),
            progress,
            budget: Budget::new(options.limits.memory),
            log: TraceLog::new(options.log.clone()),
            options,
            open: Layer::default(),
            key: Key(0),
            roots: Vec::new(),
            cursor: 0,
            base: 0,
            kept: 0,
            phase: Phase::Start,
            unfinished: None,
            told: 0,
            intact: true,
            front: Front::default(),
            persistent: Persistent::default(),
            window: VecDeque::new(),
            windowed: 0,
            opened: OpenedKeys::default(),
            sweeps_of_column: 0,
            batch,
            statistics: Statistics::default(),
            pace: Pace::default(),
            spent: Duration::ZERO,
        }
    }

    /// Explores until everything is visited, the observer stops, or something gets in the way.
    ///
    /// Called again, it goes on. What was expanded last may then be shown to the observer a second time, with the
    /// same numbers.
    pub fn run<O: Observer + ?Sized>(&mut self, observer: &mut O) -> End {
        if !self.intact {
            return End::Limit(broken());
        }
        let started = Instant::now();
        self.pace.pause();
        self.undo_unfinished();
        let end = match self.system.layout().records() {
            Records::Fixed(1) => self.run_with(Fixed::<1>, observer),
            Records::Fixed(2) => self.run_with(Fixed::<2>, observer),
            Records::Fixed(3) => self.run_with(Fixed::<3>, observer),
            Records::Fixed(4) => self.run_with(Fixed::<4>, observer),
            Records::Fixed(6) => self.run_with(Fixed::<6>, observer),
            Records::Fixed(8) => self.run_with(Fixed::<8>, observer),
            Records::Fixed(width) => self.run_with(Dynamic(width), observer),
            Records::Variable => self.run_with(Variable, observer),
        };
        self.note_peak();
        self.statistics.complete = end == End::Complete;
        self.spent += started.elapsed();
        self.statistics.elapsed = self.spent;
        end
    }

    /// The system being explored.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// The measure that orders the exploration.
    pub fn progress(&self) -> &P {
        &self.progress
    }

    /// The system, when nothing more is wanted of the run.
    pub fn into_system(self) -> S {
        self.system
    }

    /// The figures so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// How instance `number` was reached.
    pub fn path_to(&mut self, number: u64) -> Result<Path, LogError> {
        self.log.path_to(number)
    }

    fn run_with<W: Width, O: Observer + ?Sized>(&mut self, width: W, observer: &mut O) -> End {
        match self.visit(width, observer) {
            Ok(()) => End::Complete,
            Err(halt) => *halt,
        }
    }

    /// Visits every reachable state: layer by layer, sweep by sweep, column by column.
    fn visit<W: Width, O: Observer + ?Sized>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), Halt> {
        if self.phase == Phase::Start {
            self.start(width)?;
        }
        while self.phase == Phase::Open || self.open_next_layer(width)? {
            self.explore_layer(width, observer)?;
            self.close_layer(observer)?;
        }
        Ok(())
    }

    /// Puts the initial states into the front.
    fn start<W: Width>(&mut self, width: W) -> Result<(), Halt> {
        self.batch.steps.clear();
        self.system.initial(&mut self.batch.steps);
        if self.batch.steps.fault().is_some() {
            return Err(self.fault(0).into());
        }
        for ordinal in 0..self.batch.steps.len() {
            let state = width.target(&self.batch.steps, ordinal);
            let key = self.progress.key(state)?;
            let origin = wanted(&mut self.log, Origin::initial(ordinal));
            let arrival = Arrival {
                key,
                state,
                hash: width.hash(state),
                origin,
            };
            self.front.insert(width, arrival, &mut self.budget)?;
        }
        self.phase = Phase::Between;
        Ok(())
    }

    /// Moves the sweep-line to the next layer: of this sweep, else of the next sweep of the column, else of the
    /// next column. False if there is none.
    fn open_next_layer<W: Width>(&mut self, width: W) -> Result<bool, Halt> {
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
                if self.start_sweep() {
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
    fn start_sweep(&mut self) -> bool {
        if !self.persistent.needs_sweep() {
            return false;
        }
        self.forget_window(None);
        self.persistent.start_sweep();
        self.statistics.repeated = true;
        self.count_sweep();
        true
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
    fn open_layer<W: Width>(&mut self, width: W, key: Key) -> Result<(), Halt> {
        self.forget_window(Some(key));
        if self.front.lowest() == Some(key) {
            self.front
                .pop_lowest(width, key, &mut self.open, &mut self.budget)?;
        } else {
            self.open.clear(&mut self.budget);
        }
        self.persistent
            .take_roots(key, &mut self.roots, &mut self.budget);
        self.key = key;
        self.base += self.cursor as u64;
        (self.cursor, self.kept) = (0, 0);
        self.phase = Phase::Open;
        self.log_opened();
        // Last, because it may fail and only counts.
        if self.row_bits == 0 || self.opened.insert(key, &mut self.budget)? {
            self.statistics.layers += 1;
        }
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
    ) -> Result<(), Halt> {
        while self.cursor < self.roots.len() + self.open.len() {
            self.check_limits()?;
            if self.pace.ticks() {
                self.tick(observer)?;
            }
            self.expand_batch(width, observer)?;
            self.store_batch(width)?;
        }
        Ok(())
    }

    /// The layer is explored: its states can be forgotten, now or when the window has passed.
    fn close_layer<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<(), Halt> {
        self.note_peak();
        self.phase = Phase::Between;
        let event = LayerClosed {
            key: self.key,
            states: (self.cursor - self.kept) as u64,
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
            Control::Stop => Err(End::Stopped.into()),
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
}

/// Why a run that is not intact cannot go on.
pub(crate) fn broken() -> StopReason {
    StopReason::Other("the run was interrupted while its states were being rewritten".into())
}

fn least(a: Option<Key>, b: Option<Key>) -> Option<Key> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
