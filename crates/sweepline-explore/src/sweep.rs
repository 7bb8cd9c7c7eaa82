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

mod ahead;
mod end;
mod expand;
mod recode;
mod remeasure;
mod watch;

use std::time::{Duration, Instant};

use sweepline_core::{
    ColumnClosed, Control, LayerClosed, LayerOpened, Observer, Progress, Started, Statistics,
    StopReason, System,
};

pub(crate) use self::end::Halt;
pub use self::end::{End, Options, Regress};
use self::expand::{Batch, Mark};
pub(crate) use self::recode::{reason, rewriting};
use crate::front::Arrival;
use crate::limits::Pace;
use crate::log::{LogError, Origin, Path, TraceLog, wanted};
use crate::memory::Share;
use crate::record::{ForWidth, Width, for_common_width, for_width};
use crate::stores::{Next, Stores};

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
    options: Options,
    stores: Stores,
    log: TraceLog,

    /// How many roots and states of the open layer have been expanded.
    cursor: usize,
    phase: Phase,
    /// The batch that was interrupted before all its steps were stored.
    unfinished: Option<Mark>,
    /// Whether links are told of several states at once.
    links_at_once: bool,
    /// The numbers below this one have been given to observers.
    told: u64,
    /// Whether the run ends when its system should begin again.
    renewal: Option<recode::Crowd>,
    /// False if states are missing or written in different encodings, so that the run cannot go on.
    intact: bool,

    batch: Batch,
    /// What the observer takes in the budget.
    observer: Share,
    statistics: Statistics,
    pace: Pace,
    spent: Duration,
}

/// What the run will do next, so that it can be interrupted and resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Store the initial states.
    Start,
    /// Look for the next layer.
    Between,
    /// Tell that a layer was opened.
    Opened,
    /// Explore it.
    Open,
}

impl<S: System, P: Progress> Sweep<S, P> {
    /// Prepares a run.
    pub fn new(system: S, progress: P, options: Options) -> Self {
        let batch = Batch::for_system(&system);
        let stores = Stores::new(progress.row_bits(), options.window, options.limits.memory);
        Self {
            system,
            progress,
            log: TraceLog::new(options.log.clone()),
            options,
            stores,
            cursor: 0,
            phase: Phase::Start,
            unfinished: None,
            links_at_once: false,
            told: 0,
            renewal: None,
            intact: true,
            batch,
            observer: Share::default(),
            statistics: Statistics::default(),
            pace: Pace::default(),
            spent: Duration::ZERO,
        }
    }

    /// Explores until everything is visited, the observer stops, or something gets in the way.
    ///
    /// Called again, it goes on. What was expanded last may then be shown to the observer a second time, with the
    /// same numbers. An observer that wants links needs [`Sweep::run_linked`].
    pub fn run<O: Observer + ?Sized>(&mut self, observer: &mut O) -> End {
        if observer.wants().links || self.stores.is_linking() {
            let linked = "links are wanted, and only a linked run tells them";
            return End::Limit(StopReason::Other(linked.into()));
        }
        self.explore(observer, |sweep, observer| {
            let records = sweep.system.layout().records();
            for_width(records, Running(sweep, observer))
        })
    }

    /// The same with [links](sweepline_core::Wants::links), each of which is told once. Who wants them has to be there from
    /// the start, and to stay.
    ///
    /// This is a loop of its own, compiled only where it is used. Most observers of links do so much that calling them
    /// dynamically costs little.
    pub fn run_linked<O: Observer + ?Sized>(&mut self, observer: &mut O) -> End {
        if self.phase == Phase::Start && !self.stores.is_linking() {
            self.stores.start_linking();
        }
        self.links_at_once = observer.wants().at_once;
        if !self.stores.is_linking() {
            let late = "links are wanted, but the run began without them";
            return End::Limit(StopReason::Other(late.into()));
        }
        self.explore(observer, |sweep, observer| {
            let records = sweep.system.layout().records();
            for_common_width(records, Linking(sweep, observer))
        })
    }

    fn explore<O: Observer + ?Sized>(
        &mut self,
        observer: &mut O,
        visit: impl FnOnce(&mut Self, &mut O) -> End,
    ) -> End {
        if !self.intact {
            return End::Limit(broken());
        }
        let started = Instant::now();
        self.pace.pause();
        self.undo_unfinished();
        let end = visit(self, observer);
        self.note_peak();
        self.note_disk(observer.disk_bytes());
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

    /// Visits every reachable state: layer by layer, sweep by sweep, column by column.
    fn visit<W: Width, O: Observer + ?Sized, const LINKS: bool>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), Halt> {
        if self.phase == Phase::Start {
            self.start(width, observer)?;
        }
        while self.phase != Phase::Between || self.open_next_layer(width, observer)? {
            if self.phase == Phase::Opened {
                self.announce(observer)?;
            }
            self.explore_layer::<W, O, LINKS>(width, observer)?;
            self.close_layer(observer)?;
            if self.is_crowded() {
                return Err(End::Crowded.into());
            }
        }
        Ok(())
    }

    /// Puts the initial states into the front.
    fn start<W: Width, O: Observer + ?Sized>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), Halt> {
        self.batch.steps.clear();
        self.batch.links.clear();
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
            let place = self.stores.put_ahead(width, arrival)?;
            if self.stores.is_linking() {
                self.batch.links.push(self.stores.link(key, place));
            }
        }
        self.phase = Phase::Between;
        let links = &self.batch.links;
        go_on(observer.started(Started { links }))
    }

    /// Moves the sweep-line to the next layer: of this sweep, else of the next sweep of the column, else of the
    /// next column. False if there is none.
    fn open_next_layer<W: Width, O: Observer + ?Sized>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<bool, Halt> {
        loop {
            match self.stores.next() {
                Next::Layer(key) => {
                    let base = self.stores.base() + self.cursor as u64;
                    self.stores.open(width, key, base)?;
                    self.cursor = self.stores.open.kept;
                    self.phase = Phase::Opened;
                    self.log_opened();
                    return Ok(true);
                }
                Next::Sweep => {
                    self.stores.start_sweep();
                    self.statistics.repeated = true;
                    self.count_sweep();
                }
                Next::Column(key) => {
                    self.close_column(observer)?;
                    self.stores.enter_column(key);
                    self.statistics.columns += 1;
                    self.count_sweep();
                }
                Next::Nothing => {
                    self.close_column(observer)?;
                    return Ok(false);
                }
            }
        }
    }

    fn count_sweep(&mut self) {
        self.statistics.column_sweeps += 1;
        self.statistics.sweeps = self.statistics.sweeps.max(self.stores.sweeps());
    }

    /// Closes the column, if one is open, dropping everything of it.
    fn close_column<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<(), Halt> {
        let sweeps = self.stores.sweeps();
        if sweeps == 0 {
            return Ok(());
        }
        self.stores.close_column();
        go_on(observer.column_closed(ColumnClosed {
            key: self.stores.key(),
            sweeps,
            statistics: &self.statistics,
        }))
    }

    /// Hands the origins of the layer's states over to the log, which from now on gets them directly.
    fn log_opened(&mut self) {
        let Stores {
            open,
            roots,
            persistent,
            budget,
            ..
        } = &mut self.stores;
        if self.log.is_on() {
            for &root in &*roots {
                let origin = persistent.origin(root);
                self.log
                    .append(origin.expect("origins are kept while the log is on"));
            }
            for &origin in open.layer.origins.iter().skip(open.kept) {
                self.log.append(origin);
            }
        }
        open.layer.forget_origins(budget);
    }

    /// Tells that a layer has been opened.
    fn announce<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<(), Halt> {
        if self.stores.note_opened()? {
            self.statistics.layers += 1;
        }
        self.phase = Phase::Open;
        go_on(observer.layer_opened(LayerOpened {
            layer: self.stores.open.layer.id,
            key: self.stores.key(),
            first: self.stores.open.first,
            roots: &self.stores.roots,
        }))
    }

    /// Explores the open layer to its closure.
    fn explore_layer<W: Width, O: Observer + ?Sized, const LINKS: bool>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), Halt> {
        while self.cursor < self.stores.open_len() {
            self.check_limits()?;
            if self.pace.ticks() {
                self.tick(observer)?;
            }
            self.expand_batch::<W, O, LINKS>(width, observer)?;
            self.store_batch::<W, O, LINKS>(width, observer)?;
        }
        Ok(())
    }

    /// The layer is explored: its states can be forgotten, now or when the window has passed.
    fn close_layer<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<(), Halt> {
        self.note_peak();
        self.phase = Phase::Between;
        let open = &self.stores.open;
        let event = LayerClosed {
            layer: open.layer.id,
            key: open.key,
            first: open.first,
            expanded: (self.cursor - open.kept) as u64,
            states: open.layer.list(self.system.layout().width()),
            stored: self.stores.len(),
            bytes: self.stores.budget.held() + self.log.bytes(),
            statistics: &self.statistics,
        };
        let control = observer.layer_closed(event);
        self.stores.close();
        go_on(control)
    }
}

/// An exploration nobody wants links of.
struct Running<'a, S, P, O: ?Sized>(&'a mut Sweep<S, P>, &'a mut O);

/// An exploration with links.
struct Linking<'a, S, P, O: ?Sized>(&'a mut Sweep<S, P>, &'a mut O);

impl<S: System, P: Progress, O: Observer + ?Sized> ForWidth for Running<'_, S, P, O> {
    type Output = End;

    fn run<W: Width>(self, width: W) -> End {
        ended(self.0.visit::<W, O, false>(width, self.1))
    }
}

impl<S: System, P: Progress, O: Observer + ?Sized> ForWidth for Linking<'_, S, P, O> {
    type Output = End;

    fn run<W: Width>(self, width: W) -> End {
        ended(self.0.visit::<W, O, true>(width, self.1))
    }
}

/// How a run ended.
pub(crate) fn ended(visited: Result<(), Halt>) -> End {
    match visited {
        Ok(()) => End::Complete,
        Err(halt) => *halt,
    }
}

/// Ends the run if the observer has seen enough.
#[inline]
pub(crate) fn go_on(control: Control) -> Result<(), Halt> {
    match control {
        Control::Continue => Ok(()),
        Control::Stop => Err(End::Stopped.into()),
    }
}

/// Why a run that is not intact cannot go on.
pub(crate) fn broken() -> StopReason {
    StopReason::Other("the run was interrupted while its states were being rewritten".into())
}
