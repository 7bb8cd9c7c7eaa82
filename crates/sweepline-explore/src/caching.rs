//! State space caching: depth-first search that keeps its stack and as many further states as there is room for
//! [JJ91; GHP92], as the sweep-line method is compared with in [KM02b, Sect. 6].
//!
//! Whenever the store is full, a state that is not on the stack is thrown out. When it is reached again, it is
//! expanded again, and so may be everything behind it. Still every reachable state is visited: a state that is
//! stored is or was expanded, so the expanded states are closed under steps. And the search ends: its stack is a
//! path without repetitions, and no such path is taken twice. But with too little room that may take for ever.
//!
//! A frame of the stack is the place of its state and a few numbers. The steps of the frames on top are kept up to
//! a fixed number; when the search comes back to a frame below them, its steps are generated again. In all that
//! happens no more often than states are expanded, and it keeps the memory of a deep stack close to that of its states.

mod cache;
mod options;
mod recode;
mod store;

use std::time::{Duration, Instant};

use sweepline_core::{
    Expanded, Key, LayerClosed, LayerId, Observer, StateList, Statistics, Steps, StopReason,
    System, Watch,
};

use self::cache::Place;
pub use self::options::{CachingOptions, Replacement};
use self::store::Store;
use crate::limits::Pace;
use crate::log::{LogError, Origin, Path, TraceLog, wanted};
use crate::memory::{self, Budget, Full, Share};
use crate::record::{ForWidth, Width, for_common_width};
use crate::sweep::{End, Halt, broken, ended, go_on};

/// A depth-first exploration of a system with a bounded store.
///
/// ```
/// use sweepline_core::{ActionId, Layout, Records, Steps, System, Word};
/// use sweepline_explore::{Caching, CachingOptions, End};
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
///
/// let system = Counters(Layout::opaque(Records::Fixed(2)));
/// let explore = |capacity| {
///     let options = CachingOptions { capacity, ..CachingOptions::default() };
///     let mut caching = Caching::new(&system, options);
///     assert_eq!(caching.run(&mut ()), End::Complete);
///     caching.statistics().clone()
/// };
/// let all = explore(usize::MAX);
/// assert_eq!((all.states(), all.peak_states), (Some(100), 100));
/// let some = explore(60);
/// assert!(some.explored > 100 && some.peak_states == 60);
/// assert_eq!(some.states(), None); // some states were expanded twice, and nobody knows how many
/// ```
pub struct Caching<S> {
    system: S,
    options: CachingOptions,
    budget: Budget,
    log: TraceLog,
    phase: Phase,

    initial: Steps,
    /// The initial state below the stack, or the next one.
    root: usize,
    stack: Vec<Frame>,
    longest_stack: usize,
    /// The steps of all frames from `kept_from` on, one after the other.
    steps: Steps,
    kept_from: usize,
    store: Store,

    statistics: Statistics,
    pace: Pace,
    /// False if states are missing or written in different encodings, so that the run cannot go on.
    intact: bool,
    /// What the steps take in the budget.
    share: Share,
    /// What the observer takes in the budget.
    observer: Share,
    spent: Duration,
}

/// A state on the stack.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Running number of the instance.
    number: u64,
    place: Place,
    /// Ordinal of the step that leads to the next frame, or is to be tried next.
    step: u32,
    /// Number of steps.
    count: u32,
}

/// What the run will do next, so that it can be interrupted and resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Start,
    /// Expand the state on top of the stack.
    Expand,
    /// Look for the next state.
    Step,
    Done,
}

/// From this many on, the steps of frames below the top one are dropped.
const STEPS_KEPT: usize = 1 << 12;

/// There is one layer only.
const KEY: Key = Key(0);

impl<S: System> Caching<S> {
    /// Prepares a run.
    pub fn new(system: S, options: CachingOptions) -> Self {
        Self {
            budget: Budget::new(options.limits.memory),
            log: TraceLog::new(options.log.clone()),
            phase: Phase::Start,
            initial: Steps::for_layout(system.layout()),
            root: 0,
            stack: Vec::new(),
            longest_stack: 0,
            steps: Steps::for_layout(system.layout()),
            kept_from: 0,
            store: Store::new(&options),
            statistics: Statistics::default(),
            pace: Pace::default(),
            intact: true,
            share: Share::default(),
            observer: Share::default(),
            spent: Duration::ZERO,
            system,
            options,
        }
    }

    /// Explores until everything is visited, the observer stops, or something gets in the way.
    ///
    /// Events are those of a sweep with a single layer; every expansion has a number of its own. The front that
    /// [`Observer::tick`] is told of is the stack.
    pub fn run<O: Observer + ?Sized>(&mut self, observer: &mut O) -> End {
        if !self.intact {
            return End::Limit(broken());
        }
        let started = Instant::now();
        self.pace.pause();
        if observer.wants().links {
            let none = "state space caching forgets states and has no links";
            return End::Limit(StopReason::Other(none.into()));
        }
        let records = self.system.layout().records();
        let end = for_common_width(records, Running(self, observer));
        self.note_figures();
        let disk = self.log.disk_bytes() + observer.disk_bytes();
        self.statistics.disk_bytes = self.statistics.disk_bytes.max(disk);
        self.statistics.complete = end == End::Complete;
        self.spent += started.elapsed();
        self.statistics.elapsed = self.spent;
        end
    }

    /// The system being explored.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// The system, when nothing more is wanted of the run.
    pub fn into_system(self) -> S {
        self.system
    }

    /// The figures so far. States stored are those on the stack and in the cache.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// How often a state was thrown out so far.
    pub fn thrown_out(&self) -> u64 {
        self.store.thrown_out()
    }

    /// States on the stack at most. A capacity below this was exceeded.
    pub fn longest_stack(&self) -> usize {
        self.longest_stack
    }

    /// How instance `number` was reached: by the stack if it is on it, otherwise the log has to know.
    pub fn path_to(&mut self, number: u64) -> Result<Path, LogError> {
        let depth = self
            .stack
            .binary_search_by_key(&number, |frame| frame.number);
        match depth {
            Ok(depth) => Ok(Path {
                initial: self.root,
                steps: self.stack[..depth]
                    .iter()
                    .map(|frame| frame.step as usize)
                    .collect(),
                loop_start: None,
            }),
            Err(_) => self.log.path_to(number),
        }
    }

    /// Visits every reachable state, depth first.
    fn visit<W: Width, O: Observer + ?Sized>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), Halt> {
        if self.phase == Phase::Start {
            self.start()?;
        }
        while self.phase == Phase::Expand || self.push_next(width)? {
            self.expand(width, observer)?;
        }
        self.finish(observer)
    }

    /// Generates the initial states.
    fn start(&mut self) -> Result<(), Halt> {
        self.initial.clear();
        self.system.initial(&mut self.initial);
        check_fault(&self.initial, 0, &self.budget)?;
        let layers = u64::from(!self.initial.is_empty());
        self.statistics.layers = layers;
        self.statistics.columns = layers;
        self.statistics.sweeps = layers;
        self.statistics.column_sweeps = layers;
        self.phase = Phase::Step;
        Ok(())
    }

    /// Goes to the next unknown state and puts it on the stack; false if there is none left.
    fn push_next<W: Width>(&mut self, width: W) -> Result<bool, Halt> {
        while let Some(&top) = self.stack.last() {
            if top.step < top.count {
                self.restore_steps(width, top)?;
                if let Some((index, hash)) = self.next_unknown(width) {
                    self.push_step(width, index, hash)?;
                    return Ok(true);
                }
            }
            self.pop(width)?;
        }
        self.push_root(width)
    }

    /// Generates the steps of the top frame again if they were dropped.
    #[inline]
    fn restore_steps<W: Width>(&mut self, width: W, top: Frame) -> Result<(), Halt> {
        let depth = self.stack.len() - 1;
        if depth < self.kept_from {
            self.steps.clear();
            self.limit_steps();
            let state = self.store.get(width, top.place);
            self.system.successors(state, &mut self.steps);
            check_fault(&self.steps, top.number, &self.budget)
                .inspect_err(|_| self.steps.clear())?;
            self.kept_from = depth;
        }
        Ok(())
    }

    /// Passes over the steps of the top frame that lead to known states. Returns the first other one, by its index
    /// among all steps and the hash of its target.
    #[inline]
    fn next_unknown<W: Width>(&mut self, width: W) -> Option<(usize, u64)> {
        let top = self.stack.last_mut()?;
        let first = self.steps.len() - top.count as usize;
        while top.step < top.count {
            let index = first + top.step as usize;
            let target = width.target(&self.steps, index);
            let hash = width.hash(target);
            if !self.store.visit(width, target, hash) {
                return Some((index, hash));
            }
            top.step += 1;
        }
        None
    }

    /// Puts the target of a step of the top frame on the stack.
    fn push_step<W: Width>(&mut self, width: W, index: usize, hash: u64) -> Result<(), Halt> {
        let top = self.stack[self.stack.len() - 1];
        make_room(&mut self.stack, &mut self.budget)?;
        let target = width.target(&self.steps, index);
        let place = self.store.add(width, target, hash, &mut self.budget)?;
        self.push(place, Origin::step(top.number, top.step as usize));
        Ok(())
    }

    /// Puts the next unknown initial state on the stack; false if there is none.
    fn push_root<W: Width>(&mut self, width: W) -> Result<bool, Halt> {
        self.steps.clear();
        self.kept_from = 0;
        while self.root < self.initial.len() {
            let state = width.target(&self.initial, self.root);
            let hash = width.hash(state);
            if !self.store.visit(width, state, hash) {
                make_room(&mut self.stack, &mut self.budget)?;
                let place = self.store.add(width, state, hash, &mut self.budget)?;
                self.push(place, Origin::initial(self.root));
                return Ok(true);
            }
            self.root += 1;
        }
        Ok(false)
    }

    /// Puts a stored state on the stack, where there is room for it.
    fn push(&mut self, place: Place, origin: Option<Origin>) {
        self.stack.push(Frame {
            number: self.statistics.explored,
            place,
            step: 0,
            count: 0,
        });
        if let Some(origin) = wanted(&mut self.log, origin) {
            self.log.append(origin);
        }
        self.longest_stack = self.longest_stack.max(self.stack.len());
        self.phase = Phase::Expand;
    }

    /// Takes the top frame, whose steps have all been taken, off the stack.
    fn pop<W: Width>(&mut self, width: W) -> Result<(), Halt> {
        let top = self.stack[self.stack.len() - 1];
        self.store.leave_stack(width, top.place, &mut self.budget)?;
        self.stack.pop();
        if self.stack.len() >= self.kept_from {
            let left = self.steps.len() - top.count as usize;
            self.steps.truncate(left);
        }
        match self.stack.last_mut() {
            Some(below) => below.step += 1,
            None => self.root += 1,
        }
        Ok(())
    }

    /// Generates the steps of the state on top of the stack.
    fn expand<W: Width, O: Observer + ?Sized>(
        &mut self,
        width: W,
        observer: &mut O,
    ) -> Result<(), Halt> {
        let allowed = self.options.limits.states.unwrap_or(u64::MAX);
        if self.pace.is_due() || self.statistics.explored >= allowed {
            self.check_limits(observer)?;
        }
        self.drop_steps();
        self.limit_steps();
        let depth = self.stack.len() - 1;
        let top = &mut self.stack[depth];
        let (number, first) = (top.number, self.steps.len());
        let state = self.store.get(width, top.place);
        self.system.successors(state, &mut self.steps);
        if let Err(halt) = check_fault(&self.steps, number, &self.budget) {
            self.steps.truncate(first);
            return Err(halt);
        }
        let end = self.steps.len();
        self.pace.add(1 + (end - first) * state.len());
        top.count = u32::try_from(end - first).map_err(|_| Full::Exhausted)?;
        self.phase = Phase::Step;
        self.statistics.explored += 1;
        self.statistics.edges += u64::from(top.count);
        let deadlock = top.count == 0 && !self.system.is_end(state);
        self.statistics.deadlock_expansions += u64::from(deadlock);
        let event = Expanded {
            number,
            state,
            key: KEY,
            steps: &self.steps,
            first,
            end,
            deadlock,
        };
        go_on(observer.expanded(event))
    }

    /// The steps may take what the stores leave.
    #[inline]
    fn limit_steps(&mut self) {
        let room = self.budget.room().saturating_add(self.share.bytes());
        self.steps.set_limit(room);
    }

    /// Drops the steps of all frames below the top one if there are many.
    #[inline]
    fn drop_steps(&mut self) {
        if self.steps.len() >= STEPS_KEPT {
            self.note_figures();
            self.steps.clear();
            self.kept_from = self.stack.len() - 1;
        }
    }

    /// Everything is visited.
    fn finish<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<(), Halt> {
        if self.phase == Phase::Done || self.initial.is_empty() {
            return Ok(());
        }
        self.phase = Phase::Done;
        self.note_figures();
        go_on(observer.layer_closed(LayerClosed {
            layer: LayerId::default(),
            key: KEY,
            first: 0,
            expanded: self.statistics.explored,
            states: StateList::fixed(&[], 0, 0), // nobody knows which states are still there
            stored: self.store.len() as u64,
            bytes: self.bytes(),
            statistics: &self.statistics,
        }))
    }

    fn check_limits<O: Observer + ?Sized>(&mut self, observer: &mut O) -> Result<(), Halt> {
        let limits = &self.options.limits;
        let allowed = self.pace.check(limits, self.statistics.explored);
        allowed.map_err(End::Limit)?;
        let bytes = self.steps.bytes();
        self.share.set(bytes, &mut self.budget)?;
        if !self.pace.ticks() {
            return Ok(());
        }
        let bytes = observer.bytes();
        self.observer.set(bytes, &mut self.budget)?;
        self.note_figures();
        go_on(observer.tick(Watch {
            key: KEY,
            front: self.stack.len() as u64,
            stored: self.store.len() as u64,
            bytes: self.bytes(),
            statistics: &self.statistics,
        }))
    }

    /// Brings the figures up to date that are not counted in the loop.
    fn note_figures(&mut self) {
        let bytes = self.budget.peak() + self.bytes_besides();
        self.statistics.peak_bytes = self.statistics.peak_bytes.max(bytes);
        self.statistics.peak_states = self.store.peak() as u64;
        self.statistics.repeated = self.store.thrown_out() > 0;
    }

    fn bytes(&self) -> usize {
        self.budget.held() + self.bytes_besides()
    }

    /// Bytes of the steps that are not accounted for yet, and of the log's buffer.
    fn bytes_besides(&self) -> usize {
        self.steps.bytes().saturating_sub(self.share.bytes()) + self.log.bytes()
    }
}

fn make_room(stack: &mut Vec<Frame>, budget: &mut Budget) -> Result<(), Full> {
    if stack.len() == stack.capacity() {
        memory::grow(stack, 1, budget)?;
    }
    Ok(())
}

fn check_fault(steps: &Steps, number: u64, budget: &Budget) -> Result<(), Halt> {
    match steps.fault() {
        None => Ok(()),
        Some(fault) => Err(End::of_fault(fault, number, budget).into()),
    }
}

/// The exploration as it is compiled for each width.
struct Running<'a, S, O: ?Sized>(&'a mut Caching<S>, &'a mut O);

impl<S: System, O: Observer + ?Sized> ForWidth for Running<'_, S, O> {
    type Output = End;

    fn run<W: Width>(self, width: W) -> End {
        ended(self.0.visit(width, self.1))
    }
}
