//! Answering questions step by step.

use sweepline_core::{
    Describe, Limits, Observer, Progress, Renumbering, SlotId, Statistics, Steps, StopReason,
    System, Word,
};
use sweepline_explore::{Caching, CachingOptions, End, Options, Sweep};

use crate::answer::{Answer, Head, Plan, Report, Reporter, outgrown};
use crate::asking::{Asking, Sighting};
use crate::engine::Engine;
use crate::ltl::LivenessOptions;
use crate::question::Question;

/// An exploration that answers questions, step by step: run, perhaps change the measure, run on, report.
///
/// ```
/// use sweepline_check::{Inquiry, Plan, Question};
/// use sweepline_core::{
///     ActionId, Control, Describe, Key, KeyError, Layout, NoProgress, Observer, Progress, Steps, System, Verdict,
///     Watch, Word,
/// };
/// use sweepline_explore::{End, Options};
///
/// /// A counter that goes from 0 to 9999 and stops there.
/// struct Counter(Layout);
/// impl System for Counter {
///     fn layout(&self) -> &Layout { &self.0 }
///     fn initial(&self, out: &mut Steps) { out.push(ActionId(0), &[0]); }
///     fn successors(&self, state: &[Word], out: &mut Steps) {
///         if state[0] < 9999 { out.push(ActionId(0), &[state[0] + 1]); }
///     }
/// }
/// impl Describe for Counter {
///     fn actions(&self) -> &[String] { &[] }
/// }
/// /// Its value, which never decreases.
/// struct Value;
/// impl Progress for Value {
///     fn row_bits(&self) -> u32 { 0 }
///     fn key(&self, state: &[Word]) -> Result<Key, KeyError> { Ok(Key(state[0].into())) }
/// }
/// /// Has enough when a thousand states are stored.
/// struct Thousand;
/// impl Observer for Thousand {
///     fn tick(&mut self, watch: Watch<'_>) -> Control {
///         if watch.stored < 1000 { Control::Continue } else { Control::Stop }
///     }
/// }
///
/// let system = Counter(Layout::builder().integer("n", 0, 9999).build());
/// let stops = Question::no_deadlock();
/// let plan = Plan { system, progress: NoProgress, questions: vec![stops] };
/// let mut inquiry = Inquiry::new(plan, Options::default());
/// assert_eq!(inquiry.run(|_, _| None, &mut Thousand), End::Stopped);
/// assert!(!inquiry.is_decided());
/// assert!(matches!(inquiry.answers()[0].verdict, Verdict::Inconclusive(_)));
///
/// let mut inquiry = inquiry.remeasured(Value, &mut Thousand).unwrap();
/// let end = inquiry.run(|_, _| None, &mut Thousand);
/// assert!(inquiry.is_decided());
/// let report = inquiry.report(end);
/// assert_eq!(report.answers[0].verdict, Verdict::Violated);
/// assert_eq!(report.answers[0].evidence.as_ref().unwrap().steps.len(), 9999);
/// ```
pub struct Inquiry<E> {
    engine: E,
    asking: Asking,
    heads: Vec<Head>,
    /// What looking at an initial state may take.
    /// What ends the exploration, and following evidence that is long.
    limits: Limits,
    memory: usize,
    /// Whether the beginning has been looked at for infinite runs.
    probed: bool,
}

/// Shows all stored states, one after the other.
pub type EachState<'a> = dyn Fn(&mut dyn FnMut(&[Word])) + 'a;

/// How an exploration goes on when its system has to become another one.
pub trait Encodings<S, P> {
    /// The plan for an encoding with more room in a slot, with the same questions in the same order.
    fn wider(&mut self, system: &S, slot: SlotId) -> Option<Plan<S, P>>;

    /// Below how many bytes a system never begins again; nothing if it cannot.
    fn least(&self) -> Option<usize> {
        None
    }

    /// The plan for a system that has begun again with the states that `each` shows.
    fn renewed(&mut self, each: &EachState<'_>) -> Option<Again<S, P>> {
        let _ = each;
        None
    }
}

/// The plan for a system that has begun again.
pub struct Again<S, P> {
    /// The plan, with the same questions in the same order.
    pub plan: Plan<S, P>,
    /// What the numbers in slots have become.
    pub numbers: Renumbering,
    /// How much the system holds.
    pub held: usize,
}

/// Wider encodings only.
struct Wider<F>(F);

impl<S, P, F: FnMut(&S, SlotId) -> Option<Plan<S, P>>> Encodings<S, P> for Wider<F> {
    fn wider(&mut self, system: &S, slot: SlotId) -> Option<Plan<S, P>> {
        self.0(system, slot)
    }
}

/// What is recorded of runs may take so many of so many parts of the memory.
const MEMORY_OF_RUNS: (usize, usize) = (2, 3);

impl<S: Describe, P: Progress> Inquiry<Sweep<S, P>> {
    /// Prepares a sweep that answers all questions of the plan. Without questions, everything is explored.
    pub fn new(plan: Plan<S, P>, options: Options) -> Self {
        let live = LivenessOptions {
            memory: options.limits.memory.map_or(usize::MAX, |memory| {
                memory / MEMORY_OF_RUNS.1 * MEMORY_OF_RUNS.0
            }),
            limits: options.limits.clone(),
            place: options.log.clone(),
            columns_only: plan.progress.row_bits() == 0,
            ..LivenessOptions::default()
        };
        let sweep = Sweep::new(plan.system, plan.progress, options);
        let mut inquiry = Self::by(sweep, plan.questions, &live.limits);
        inquiry.asking.follow_runs(&live);
        inquiry
    }

    /// Goes on with another measure in front of an observer; see [`Sweep::remeasured_before`]. What has been decided stays
    /// decided.
    pub fn remeasured<Q: Progress>(
        mut self,
        progress: Q,
        observer: &mut dyn Observer,
    ) -> Result<Inquiry<Sweep<S, Q>>, StopReason> {
        self.asking.measured(progress.row_bits() == 0);
        let mut watching = (&mut self.asking, observer);
        Ok(Inquiry {
            engine: self.engine.remeasured_before(progress, &mut watching)?,
            asking: self.asking,
            heads: self.heads,
            limits: self.limits,
            memory: self.memory,
            probed: self.probed,
        })
    }

    /// The same, and nothing that was explored is forgotten before its time; see [`Sweep::remeasured_keeping`].
    pub fn remeasured_keeping<Q: Progress>(
        mut self,
        progress: Q,
        observer: &mut dyn Observer,
    ) -> Result<Inquiry<Sweep<S, Q>>, StopReason> {
        self.asking.measured(progress.row_bits() == 0);
        let mut watching = (&mut self.asking, observer);
        Ok(Inquiry {
            engine: self.engine.remeasured_keeping(progress, &mut watching)?,
            asking: self.asking,
            heads: self.heads,
            limits: self.limits,
            memory: self.memory,
            probed: self.probed,
        })
    }
}

impl<S: Describe> Inquiry<Caching<S>> {
    /// The same by state space caching, which takes no measure.
    pub fn caching(plan: Plan<S, ()>, options: CachingOptions) -> Self {
        let limits = options.limits.clone();
        let engine = Caching::new(plan.system, options);
        let mut inquiry = Self::by(engine, plan.questions, &limits);
        inquiry
            .asking
            .refuse_runs("state space caching does not keep what runs are followed by");
        inquiry
    }
}

impl<E: Engine> Inquiry<E> {
    fn by(engine: E, questions: Vec<Question>, limits: &Limits) -> Self {
        let memory = limits.memory.unwrap_or(usize::MAX);
        let heads = questions.iter().map(Head::of).collect();
        let asking = Asking::new(questions, &initial_states(engine.system(), memory));
        Self {
            engine,
            asking,
            heads,
            limits: limits.clone(),
            memory,
            probed: false,
        }
    }

    /// Explores until everything is covered or decided, or the observer stops, or something gets in the way.
    ///
    /// If the system reports that a slot is too narrow, `widen` makes the plan for a wider encoding, with the same
    /// questions in the same order; without one the run ends there. Called again, it goes on; the observer may then
    /// see the last states a second time.
    pub fn run(
        &mut self,
        widen: impl FnMut(&E::System, SlotId) -> Option<Plan<E::System, E::Progress>>,
        observer: &mut dyn Observer,
    ) -> End {
        self.run_with(Wider(widen), observer)
    }

    /// The same with a system that may also begin again.
    pub fn run_with(
        &mut self,
        mut encodings: impl Encodings<E::System, E::Progress>,
        observer: &mut dyn Observer,
    ) -> End {
        let Self {
            engine,
            asking,
            memory,
            ..
        } = self;
        engine.expect_renewal(encodings.least());
        if !std::mem::replace(&mut self.probed, true) {
            asking.probe(engine.system());
            if asking.is_decided() {
                return End::Stopped;
            }
        }
        loop {
            match engine.run(&mut (&mut *asking, &mut *observer)) {
                End::Outgrown(slot) => {
                    let Some(wider) = encodings.wider(engine.system(), slot) else {
                        return End::Limit(outgrown(engine.system(), slot));
                    };
                    let initial = initial_states(&wider.system, *memory);
                    if let Err(reason) = engine.recode(wider.system, wider.progress) {
                        return End::Limit(reason);
                    }
                    asking.rebind(wider.questions, &initial);
                    observer.recoded(engine.system());
                }
                End::Crowded => {
                    let Some(again) = encodings.renewed(&|visit| engine.each_record(visit)) else {
                        engine.expect_renewal(None);
                        continue;
                    };
                    let Again {
                        plan,
                        numbers,
                        held,
                    } = again;
                    let initial = initial_states(&plan.system, *memory);
                    let renewed = engine.renew(plan.system, plan.progress, &numbers, held);
                    if let Err(reason) = renewed {
                        return End::Limit(reason);
                    }
                    asking.rebind(plan.questions, &initial);
                    observer.recoded(engine.system());
                }
                end => return end,
            }
        }
    }

    /// Whether there were questions and none is open. Tells why a run was [stopped](End::Stopped).
    pub fn is_decided(&self) -> bool {
        self.asking.is_decided()
    }

    /// Whether links are wanted to answer the questions.
    pub fn wants_links(&self) -> bool {
        self.asking.wants().links
    }

    /// The system in its present encoding.
    pub fn system(&self) -> &E::System {
        self.engine.system()
    }

    /// The figures so far.
    pub fn statistics(&self) -> &Statistics {
        self.engine.statistics()
    }

    /// What is known so far, with evidence. The rest is inconclusive.
    pub fn answers(&mut self) -> Vec<Answer> {
        let reporter = Reporter::new(&mut self.engine, &mut self.asking, &self.limits);
        let (answers, ..) = reporter.report(&self.heads, End::Limit(StopReason::Interrupted));
        answers
    }

    /// Answers the questions. `end` is how the last run ended.
    pub fn report(mut self, end: End) -> Report<E::System> {
        let complete = self.engine.statistics().complete;
        self.asking.finish_runs(complete);
        let reporter = Reporter::new(&mut self.engine, &mut self.asking, &self.limits);
        let (answers, stopped, failure) = reporter.report(&self.heads, end);
        let statistics = Statistics {
            probed: self.asking.probed(),
            ..self.engine.statistics().clone()
        };
        Report {
            statistics,
            system: self.engine.into_system(),
            answers,
            stopped,
            failure,
        }
    }
}

fn initial_states<S: System>(system: &S, memory: usize) -> Vec<Sighting> {
    let mut initial = Steps::for_layout(system.layout());
    system.initial(&mut initial);
    (0..initial.len())
        .map(|index| Sighting::within(system, initial.target(index), memory))
        .collect()
}
